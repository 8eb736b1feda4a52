"""One property of many objects as one array: a NumPy array if NumPy is installed, else one of the standard library."""

from __future__ import annotations

import ctypes
import itertools
from array import array
from ctypes import addressof, byref, c_int64, c_size_t, sizeof
from typing import Any, Callable

from . import schema, vectors
from ._library import ColumnValues, Text, library
from .errors import ArgumentError, ValueTypeError, check
from .values import BOOL, DATA, DATE, DOUBLE, FLOAT, INT, LINK, MIXED, STRING, TYPE_NAMES, Encoder

try:
    import numpy
except ImportError:
    numpy = None

_INTEGERS, _REALS = (INT, BOOL, LINK, DATE), (FLOAT, DOUBLE)
_NOT_A_TIME = -(1 << 63)


def _empty(code: str, count: int) -> tuple[Any, int]:
    """An array of `count` numbers, and its address."""
    if numpy is not None:
        made = numpy.empty(count, {"q": numpy.int64, "d": numpy.float64, "B": numpy.uint8}[code])
        return made, made.ctypes.data
    made = array(code, bytes(count * array(code).itemsize))
    return made, made.buffer_info()[0]


def read(property: schema.Property, count: int, fill: Callable[[bool, int, int], int], mask: bool) -> Any:
    """The values of a property; `fill(reals, values, nulls)` writes them to two addresses and returns their number."""
    if property.collections or property.type not in _INTEGERS + _REALS:
        raise ValueTypeError(f"property '{property.name}' is {property.type_name}; columns hold numbers, bools, dates or links")
    reals = property.type in _REALS
    values, place = _empty("d" if reals else "q", count)
    nulls, nulls_place = _empty("B", count)
    filled = fill(reals, place, nulls_place)
    if filled != count:
        values, nulls = values[:filled], nulls[:filled]
    if numpy is not None:
        nulls = nulls.view(numpy.bool_)
        if property.type == DATE:
            if property.nullable:
                values[nulls] = _NOT_A_TIME
            values = values.view("datetime64[ns]")
        elif property.type == BOOL:
            values = values.astype(numpy.bool_)
    return (values, nulls) if mask else values


def read_class(reader: int, found: schema.Class, place: int, count: int, mask: bool) -> Any:
    """One property of every object of a class, as an array."""
    def fill(reals: bool, values: int, nulls: int) -> int:
        next_key, filled = c_int64(-(1 << 63)), c_size_t()
        function = library.column_reals if reals else library.column_integers
        check(function(reader, found.number, place, byref(next_key), count, None, values, nulls, byref(filled)))
        return filled.value
    return read(found.properties[place], count, fill, mask)


def read_results(results: int, property: schema.Property, place: int, count: int, mask: bool) -> Any:
    """One property of the objects that a query found, as an array."""
    def fill(reals: bool, values: int, nulls: int) -> int:
        filled = c_size_t()
        function = library.results_reals if reals else library.results_integers
        check(function(results, place, 0, count, values, nulls, byref(filled)))
        return filled.value
    return read(property, count, fill, mask)


# --- creating objects

def insert(transaction: int, found: schema.Class, given: dict[str, Any]) -> int:
    """Creates objects from one column of values per property; returns the first object's key, 0 if there was no object
    to create."""
    # A data frame has columns as well; `len` of the frame is their length, not their number.
    if not hasattr(given, "items"):
        raise ValueTypeError(f"columns are a dictionary from names of properties to values, not a {type(given).__name__}")
    given = dict(given.items())
    counts = {name: _length(name, values) for name, values in given.items()}
    if len(set(counts.values())) > 1:
        raise ArgumentError("the columns have different lengths: " + ", ".join(f"{name} has {count}" for name, count in counts.items()))
    count = next(iter(counts.values()), 0)
    keep: list[Any] = []
    columns = (ColumnValues * len(given))()
    for place, (name, values) in enumerate(given.items()):
        number = found.place(name)
        columns[place] = ColumnValues(size=sizeof(ColumnValues), property=number)
        _fill(columns[place], found.properties[number], values, keep)
    first = c_int64()
    check(library.objects_create(transaction, found.number, count, len(given), columns, byref(first)))
    return first.value


def _length(name: str, values: Any) -> int:
    try:
        return len(values)
    except TypeError:  # Of a NumPy array without dimensions as well.
        raise ValueTypeError(f"the column '{name}' is no list or array of values: {values!r}") from None


def _fill(column: ColumnValues, property: schema.Property, values: Any, keep: list[Any]) -> None:
    if numpy is not None and isinstance(values, numpy.ndarray):
        if not property.collections and property.type != MIXED and values.ndim != 1:
            if property.type != DATA or values.ndim != 2:
                raise ValueTypeError(_shape_complaint(property, values))
            vectors.fill(column, property, values, keep)
            return _fill_nulls(column, _masked(property, values), keep)
        made = _from_numpy(property, values)
        if made is not None:
            column.type, content = made
            keep.append(content)
            column.values = content.ctypes.data
            nulls = _masked(property, values)
            if values.dtype.kind == "M":
                times = numpy.isnat(numpy.ma.getdata(values))
                nulls = times if nulls is None else times | nulls
            return _fill_nulls(column, nulls, keep)
        if property.type == DATA and values.dtype.kind in "fiu" and not property.collections:
            raise ValueTypeError(_shape_complaint(property, values))
        if not property.collections:
            _masked(property, values)
        values = values.tolist()  # A masked value becomes None.
    if not property.collections and not isinstance(values, (list, tuple, range)):
        view = _buffer(property, values)
        if view is not None:
            keep.append(view)
            column.type, column.values = property.type, ctypes.addressof(ctypes.c_char.from_buffer(view)) if len(view) else None
            return
    values = values if isinstance(values, (list, tuple)) else _plain(values)
    kinds = set() if property.collections else set(map(type, values))
    if property.type in (STRING, DATA) and not property.collections:
        return _fill_texts(column, property, values, kinds, keep)
    if _fill_numbers(column, property, values, kinds, keep):
        return
    encoder = Encoder()
    content = encoder.array(values, [property.type] * len(values), [property.name] * len(values))
    keep.extend((encoder, content))
    column.type, column.values = MIXED, addressof(content)


def _shape_complaint(property: schema.Property, values: Any) -> str:
    """Why an array of NumPy is no column of a property."""
    wanted = "vectors are the rows of an array" if property.type == DATA else "its column is an array"
    rest = " dimensions" if property.type == DATA else ""
    return f"property '{property.name}' is {property.type_name}: {wanted} of shape ({len(values)},{rest}), not {values.shape}"


def _masked(property: schema.Property, values: Any) -> Any:
    """Which values of an array are missing by its mask, if it has one, as an array of bools."""
    if not isinstance(values, numpy.ma.MaskedArray) or values.mask is numpy.ma.nomask:
        return None
    mask = numpy.ma.getmaskarray(values)
    if mask.ndim == 2:
        partly = mask.any(axis=1) & ~mask.all(axis=1)
        if partly.any():
            raise ValueTypeError(f"property '{property.name}': row {partly.argmax()} of the array has masked numbers and others; a "
                                 "vector has all its numbers or is missing")
        mask = mask.any(axis=1)
    if mask.any() and not property.nullable:
        raise ValueTypeError(f"property '{property.name}' is required, and row {mask.argmax()} of its array is masked")
    return mask


#: The names of the types that pandas uses for missing values. Such a value equals nothing, and pandas need not be
#: installed.
_MISSING = ("NAType", "NaTType")


def _plain(values: Any) -> list[Any]:
    """The values of any other column, such as one of a data frame or of Arrow, as a list."""
    # Iterating over a column of pyarrow gives pyarrow's own scalars.
    values = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    missing = {kind for kind in set(map(type, values)) if kind.__name__ in _MISSING}
    return [None if type(value) in missing else value for value in values] if missing else values


#: The buffer formats, by property type, whose values the library reads in place.
_FORMATS = {INT: ("q", "l"), DOUBLE: ("d",), FLOAT: ("f",), BOOL: ("?",)}
#: The Python type and the array code, by property type, for lists of plain numbers.
_CODES = {INT: (int, "q"), DOUBLE: (float, "d"), BOOL: (bool, "B")}


def _buffer(property: schema.Property, values: Any) -> Any:
    """A memory view of a buffer object that the library can read in place (a copy if it is read-only); None if the
    object is not such a buffer."""
    try:
        view = memoryview(values)
    except TypeError:
        return None
    formats = _FORMATS.get(property.type, ())
    if view.ndim != 1 or view.format not in formats or (property.type == INT and view.itemsize != 8):
        return None
    return bytearray(view) if view.readonly or not view.c_contiguous else view


def _fill_numbers(column: ColumnValues, property: schema.Property, values: Any, kinds: set[type], keep: list[Any]) -> bool:
    """Passes numbers of exactly the property's type, and None; False if there are other values."""
    kind, code = _CODES.get(property.type, (None, ""))
    if kind is None or property.collections or not kinds or not kinds <= {kind, type(None)}:
        return False
    try:
        content = array(code, values if len(kinds) == 1 and kind in kinds else [value or 0 for value in values])
    except OverflowError:
        return False  # Encoding one by one reports the value.
    keep.append(content)
    column.type, column.values = property.type, content.buffer_info()[0]
    _fill_nulls(column, [value is None for value in values] if type(None) in kinds else None, keep)
    return True


def _fill_nulls(column: ColumnValues, flags: Any, keep: list[Any]) -> None:
    """Passes which values are missing, by a list or an array of bools, or None."""
    if flags is not None:
        nulls = array("B", bytes(flags))
        keep.append(nulls)
        column.nulls = nulls.buffer_info()[0]


def _from_numpy(property: schema.Property, values: Any) -> tuple[int, Any] | None:
    """The array in the layout that the library reads, and its type; None if each value has to be encoded on its own."""
    kind = values.dtype.kind
    if property.collections or values.ndim != 1:
        return None
    if property.type == BOOL and kind == "b":
        return BOOL, numpy.ascontiguousarray(values).view(numpy.uint8)
    if property.type == INT and kind in "iu" and values.dtype != numpy.uint64:
        return INT, numpy.ascontiguousarray(values, numpy.int64)
    if property.type == DOUBLE and kind in "fiu":
        return DOUBLE, numpy.ascontiguousarray(values, numpy.float64)
    if property.type == FLOAT and kind == "f":
        return FLOAT, _singles(property, values)
    if property.type == DATE and kind == "M":
        return INT, numpy.ascontiguousarray(values.astype("datetime64[ns]").view(numpy.int64))
    return None


def _singles(property: schema.Property, values: Any) -> Any:
    with numpy.errstate(over="ignore"):
        made = numpy.ascontiguousarray(values, numpy.float32)
    large = numpy.isinf(made) & ~numpy.isinf(values)
    if large.any():
        raise ValueTypeError(f"property '{property.name}': {values[large][0]} does not fit the 32 bits of a float")
    return made


def _fill_texts(column: ColumnValues, property: schema.Property, values: Any, kinds: set[type], keep: list[Any]) -> None:
    nothing: Any = "" if property.type == STRING else b""
    given = values if type(None) not in kinds else [nothing if value is None else value for value in values]
    try:
        content, lengths = joined(given, kinds - {type(None)}, property.type == STRING)
    except (AttributeError, TypeError):
        raise ValueTypeError(f"property '{property.name}' is a {TYPE_NAMES[property.type]}; its column holds a value of another type") from None
    memory = ctypes.create_string_buffer(content, max(len(content), 1))
    places = array("Q", bytes(16 * len(given)))
    places[0::2] = array("Q", itertools.islice(itertools.accumulate(lengths, initial=addressof(memory)), len(given)))
    places[1::2] = array("Q", lengths)
    assert sizeof(Text) == 16
    keep.extend((memory, places))
    column.type, column.values = property.type, places.buffer_info()[0]
    _fill_nulls(column, [value is None for value in values] if type(None) in kinds else None, keep)


def joined(values: Any, kinds: set[type], are_texts: bool) -> tuple[bytes, list[int]]:
    """All values concatenated, and the length of each in bytes."""
    if are_texts and kinds == {str}:
        text = "".join(values)
        if text.isascii():
            return text.encode(), list(map(len, values))
    parts = [value.encode() if are_texts else bytes(memoryview(value)) for value in values]
    return b"".join(parts), list(map(len, parts))
