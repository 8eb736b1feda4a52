"""Columns in the Apache Arrow C data interface (for pyarrow, polars, pandas, duckdb, …). None of these libraries has to
be installed here.

    table = pyarrow.record_batch(snapshot.objects("Sample").arrow("at", "celsius"))
"""

from __future__ import annotations

import ctypes
import itertools
import sys
from array import array
from ctypes import POINTER, Structure, c_char_p, c_int64, c_void_p, pointer
from typing import Any, Iterator, Protocol

from . import columns
from .errors import ValueTypeError
from .schema import Property
from .values import BOOL, DATA, DATE, DOUBLE, FLOAT, INT, LINK, STRING


class Schema(Structure):
    """`ArrowSchema` of the C data interface."""


class Array(Structure):
    """`ArrowArray` of the C data interface."""


_ReleaseSchema, _ReleaseArray = ctypes.CFUNCTYPE(None, POINTER(Schema)), ctypes.CFUNCTYPE(None, POINTER(Array))
Schema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64), ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)), ("release", _ReleaseSchema), ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(Array))), ("dictionary", POINTER(Array)), ("release", _ReleaseArray),
    ("private_data", c_void_p),
]

_FORMATS = {INT: b"l", LINK: b"l", BOOL: b"b", FLOAT: b"g", DOUBLE: b"g", DATE: b"tsn:UTC", STRING: b"U", DATA: b"Z"}
_NULLABLE = 2

#: The memory of exported structures, by number, until they are released.
_given: dict[int, Any] = {}
_numbers = itertools.count(1)


def _release(place: Any) -> None:
    """Releases a structure, and those of its children that were not moved out."""
    structure = place.contents
    for at in range(structure.n_children):
        child = structure.children[at]
        if child.contents.release:
            child.contents.release(child)
    _given.pop(structure.private_data, None)
    structure.release = type(structure.release)()


_release_schema, _release_array = _ReleaseSchema(_release), _ReleaseArray(_release)


def _give(structure: Any, children: list[Any], kept: Any) -> Any:
    """Fills in the fields that schemas and arrays have in common."""
    kind = type(structure)
    places = (POINTER(kind) * len(children))(*(pointer(child) for child in children))
    structure.n_children, structure.children = len(children), places if children else None
    structure.release = _release_schema if kind is Schema else _release_array
    structure.private_data = next(_numbers)
    _given[structure.private_data] = (kept, children, places)
    return structure


def _schema(format: bytes, name: str, flags: int, children: list[Schema]) -> Schema:
    return _give(Schema(format=format, name=name.encode(), flags=flags), children, None)


def _address(buffer: Any) -> int:
    """The address of the numbers of a standard-library array or a NumPy array."""
    return buffer.buffer_info()[0] if isinstance(buffer, array) else buffer.ctypes.data


def _array(length: int, null_count: int, buffers: list[Any], children: list[Array]) -> Array:
    places = (c_void_p * len(buffers))(*(None if buffer is None else _address(buffer) for buffer in buffers))
    return _give(Array(length=length, null_count=null_count, n_buffers=len(buffers), buffers=places), children, (buffers, places))


# --- capsules

_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, (c_void_p, c_char_p, c_void_p)
_NAMES = {Schema: b"arrow_schema", Array: b"arrow_array"}

#: The exported capsules with their structures, which must live as long, by number. The capsules have no destructor: a
#: capsule may be freed while an exception propagates, and Python code that runs then loses the exception.
_lent: dict[int, tuple[Any, Any]] = {}
#: The reference count of an object that only such a pair refers to.
_ALONE = (lambda pair: sys.getrefcount(pair[0]))((object(), None))


def _sweep() -> None:
    """Releases the structures of capsules that are no longer referenced, unless they were moved out."""
    for number in list(_lent):
        pair = _lent.get(number)
        # Another thread may sweep the same one: the thread that removes it from the dictionary releases it.
        if pair is not None and sys.getrefcount(pair[0]) == _ALONE and _lent.pop(number, None) is not None:
            if pair[1].release:
                pair[1].release(pointer(pair[1]))


def _capsule(structure: Any) -> Any:
    _sweep()
    made = _new(ctypes.addressof(structure), _NAMES[type(structure)], None)
    _lent[next(_numbers)] = made, structure
    return made


# --- columns

def _bits(flags: Any) -> array:
    """Packs flags into bytes, one bit each, lowest bit first."""
    digits = bytes(48 + bool(flag) for flag in reversed(flags)).decode()
    return array("B", int(digits or "0", 2).to_bytes(max(1, (len(flags) + 7) // 8), "little"))


def _validity(nulls: Any) -> tuple[int, array | None]:
    count = sum(map(bool, nulls))
    return count, _bits([not null for null in nulls]) if count else None


def _column(results: Columns, property: Property, length: int) -> Array:
    if property.type in (STRING, DATA):
        values = [value for value, in results.rows(property.name)]
        nulls, validity = _validity([value is None for value in values])
        nothing: Any = "" if property.type == STRING else b""
        content, lengths = columns.joined([nothing if value is None else value for value in values], {type(nothing)}, property.type == STRING)
        return _array(length, nulls, [validity, array("q", itertools.accumulate(lengths, initial=0)), array("B", content or b"\0")], [])
    values, mask = results.column(property.name, mask=True)
    nulls, validity = _validity(mask.tolist())
    if property.type == BOOL:
        return _array(length, nulls, [validity, _bits(values.tolist())], [])
    return _array(length, nulls, [validity, values], [])


def fits(property: Property) -> bool:
    """Whether a property can be exported as an Arrow column."""
    return not property.collections and property.type in _FORMATS


class Columns(Protocol):
    """What is exported: the columns of results."""

    def __len__(self) -> int: ...
    def rows(self, *names: str) -> Iterator[tuple[Any, ...]]: ...
    def column(self, name: str, mask: bool = False) -> Any: ...


class ArrowColumns:
    """Some properties of all objects of results, exported to Arrow as a struct of columns; the query runs when a
    consumer reads it."""

    def __init__(self, results: Columns, properties: list[Property]) -> None:
        for property in properties:
            if not fits(property):
                raise ValueTypeError(f"property '{property.name}' is {property.type_name}, which has no Arrow column type")
        self._results, self._properties = results, properties

    def __arrow_c_schema__(self) -> Any:
        return _capsule(_schema(b"+s", "", 0, [
            _schema(_FORMATS[property.type], property.name, _NULLABLE * property.nullable, []) for property in self._properties]))

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        length = len(self._results)
        children = [_column(self._results, property, length) for property in self._properties]
        return self.__arrow_c_schema__(), _capsule(_array(length, 0, [None], children))
