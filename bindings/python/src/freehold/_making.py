"""Packs the plain values of a new object into one buffer in one call; value by value this is most of the cost of
creating an object."""

from __future__ import annotations

import ctypes
import struct
from ctypes import addressof, byref, c_int64, c_uint32
from typing import Any

from . import schema
from ._library import NONE, Value
from .objects import Object
from .values import BOOL, DATA, DOUBLE, FLOAT, INT, LINK, NULL, STRING

#: The `struct` format of a value by its type: 16 bytes of content. The type and 4 bytes of padding follow it.
_FORMATS = {INT: "q8x", DOUBLE: "d8x", FLOAT: "f12x", BOOL: "?15x", NULL: "16x", STRING: "QQ", DATA: "QQ", LINK: "qI4x"}
_KINDS: dict[type, int] = {int: INT, float: DOUBLE, bool: BOOL, type(None): NULL, str: STRING, bytes: DATA}

#: The size of the buffer for the strings of one object, one after another. Longer strings take the slow path.
_TEXT_BYTES = 1 << 14

_ValuePointer, _PlacePointer = ctypes.POINTER(Value), ctypes.POINTER(c_uint32)


class Packing:
    """A reusable buffer for values of given properties and types, in the layout that library functions read. For one
    thread only."""

    def __init__(self, found: schema.Class, names: tuple[str, ...], kinds: list[int]) -> None:
        self.object_class, self.count = found, len(names)
        self._memory, self._texts = (Value * len(names))(), ctypes.create_string_buffer(_TEXT_BYTES)
        self._places = (c_uint32 * len(names))(*(found.place(name) for name in names))
        self._first, self._view = addressof(self._texts), memoryview(self._texts).cast("B")
        self._struct = struct.Struct("=" + "".join(_FORMATS[kind] + "I4x" for kind in kinds))
        self._arguments: list[Any] = []
        # For each value: its position among the arguments, and whether it is a string, data or an object.
        self._steps: list[tuple[int, int]] = []
        for kind in kinds:
            self._steps.append((len(self._arguments), kind if kind in (STRING, DATA, LINK, NULL) else INT))
            content = {NULL: (), STRING: (0, 0), DATA: (0, 0), LINK: (0, NONE)}.get(kind, (0,))
            self._arguments.extend((*content, kind))
        self._key = c_int64()
        self.values = ctypes.cast(self._memory, _ValuePointer)
        self.places = ctypes.cast(self._places, _PlacePointer)
        self.key = byref(self._key)
        primary = found.primary_key.name if found.primary_key else None
        # The array holds the value as well; the library accepts that.
        self.primary = byref(self._memory[names.index(primary)]) if primary in names else None

    def pack(self, values: Any) -> bool:
        """Packs the values of an object into the buffer; False if they do not fit and have to be encoded one by one."""
        arguments, at = self._arguments, 0
        for (place, kind), value in zip(self._steps, values):
            if kind == INT:
                arguments[place] = value
            elif kind == STRING or kind == DATA:
                content = value.encode() if kind == STRING else value
                length = len(content)
                if at + length > _TEXT_BYTES:
                    return False
                self._view[at : at + length] = content
                arguments[place], arguments[place + 1] = self._first + at, length
                at += length
            elif kind == LINK:
                arguments[place] = value.key
        try:
            self._struct.pack_into(self._memory, 0, *arguments)
        except (struct.error, OverflowError):  # Encoding one by one reports the property.
            return False
        return True

    @property
    def made(self) -> int:
        """The key of the object that was created."""
        return self._key.value


class Packings:
    """A cache of the packings that a transaction has used."""

    def __init__(self) -> None:
        self._classes: Any = None
        self._known: dict[Any, Packing | None] = {}

    def find(self, classes: Any, found: schema.Class, names: tuple[str, ...], values: Any) -> Packing | None:
        """The packing for values of these types, filled with the values; None if some of them are not plain."""
        if self._classes is not classes:
            self._classes, self._known = classes, {}
        key = (found, names, *map(type, values))
        try:
            packing = self._known[key]
        except KeyError:
            packing = self._known[key] = self._new(classes, found, names, values)
        return packing if packing is not None and packing.pack(values) else None

    @staticmethod
    def _new(classes: dict[str, schema.Class], found: schema.Class, names: tuple[str, ...], values: Any) -> Packing | None:
        kinds: list[int] = []
        for name, value in zip(names, values):
            property = found.properties[found.place(name)]
            kind = _KINDS.get(type(value))
            if type(value) is Object and property.type == LINK and not property.collections and not classes[property.link_target].embedded:
                kind = LINK
            if kind is None:
                return None
            kinds.append(FLOAT if kind == DOUBLE and property.type == FLOAT else kind)
        return Packing(found, names, kinds)
