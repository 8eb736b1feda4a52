"""Conversion of values between Python and the library."""

from __future__ import annotations

import ctypes
import datetime
import decimal
import math
import os
import time
import uuid
from ctypes import byref, c_char_p, cast, create_string_buffer, sizeof, string_at
from typing import Any, Callable

from ._library import NONE, Date, DecimalBits, Elements, Entry, Text, TextCallback, Value, library
from .errors import DeletedError, ValueTypeError, check, found
from .sets import AnySet

NULL, BOOL, INT, FLOAT, DOUBLE, STRING, DATA, DATE, UUID, OBJECT_ID, LINK, DECIMAL, MIXED = range(13)
LIST, SET, MAP = 33, 34, 35

TYPE_NAMES = {
    BOOL: "bool", INT: "int", FLOAT: "float", DOUBLE: "double", STRING: "string", DATA: "data", DATE: "date", UUID: "uuid",
    OBJECT_ID: "objectId", LINK: "link", DECIMAL: "decimal", MIXED: "mixed", LIST: "list", SET: "set", MAP: "map",
}

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class ObjectId:
    """Twelve bytes: a time in seconds, and bytes that make the identifier unique."""

    __slots__ = ("bytes",)
    _counter = int.from_bytes(os.urandom(3), "big")
    _process = (0, b"")

    def __init__(self, value: bytes | str | None = None) -> None:
        if value is None:
            value = self._generate()
        self.bytes = bytes.fromhex(value) if isinstance(value, str) else bytes(value)
        if len(self.bytes) != 12:
            raise ValueError(f"an ObjectId has 12 bytes, or 24 hexadecimal digits, not {value!r}")

    @classmethod
    def _generate(cls) -> bytes:
        if cls._process[0] != os.getpid():
            cls._process = (os.getpid(), os.urandom(5))
        cls._counter = (cls._counter + 1) & 0xFFFFFF
        return int(time.time()).to_bytes(4, "big") + cls._process[1] + cls._counter.to_bytes(3, "big")

    def __repr__(self) -> str:
        return f"ObjectId('{self.bytes.hex()}')"

    def __str__(self) -> str:
        return self.bytes.hex()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObjectId) and self.bytes == other.bytes

    def __lt__(self, other: "ObjectId") -> bool:
        return self.bytes < other.bytes

    def __hash__(self) -> int:
        return hash(self.bytes)


def text(value: Text) -> str:
    """Copies a string that is borrowed from the library."""
    return string_at(value.bytes, value.length).decode() if value.length else ""


def pieces(write: Callable[[Any], int]) -> bytes | None:
    """The bytes that a library function passes, piece by piece, to a callback; None if it has nothing to pass."""
    parts: list[bytes] = []

    def add(_: Any, place: int, length: int) -> bool:
        parts.append(string_at(place, length))
        return True

    return b"".join(parts) if found(write(TextCallback(add))) else None


def written(write: Callable[[Any], int]) -> str:
    """The string that a library function writes, piece by piece, to a callback."""
    whole = pieces(write)
    if whole is None:
        raise DeletedError("the object was deleted")
    return whole.decode()


def named(name: str) -> tuple[bytes, int]:
    """A string as two arguments: its UTF-8 bytes, and their count."""
    encoded = name.encode()
    return encoded, len(encoded)


def map_key(key: Any) -> str:
    """The key of a map entry; raises if it is not a string."""
    if not isinstance(key, str):
        raise ValueTypeError(f"the keys of a map are strings, not {key!r}")
    return key


def holds_instances(value: Any) -> bool:
    """Whether a value is a model's instance, or a list or dictionary that contains one."""
    if hasattr(type(value), "__freehold_model__"):
        return True
    if isinstance(value, dict):
        return any(map(holds_instances, value.values()))
    return isinstance(value, (list, tuple)) and any(map(holds_instances, value))


# --- decoding

#: Creates the object with a key, of the reader's class `number`, from number and key.
ObjectMaker = Callable[[int, int], Any]


def _date(value: Value) -> datetime.datetime:
    return moment(value.date)


def moment(date: Date) -> datetime.datetime:
    """The date, truncated to the microseconds of a datetime."""
    seconds, nanoseconds = date.seconds, date.nanoseconds
    try:
        return _EPOCH + datetime.timedelta(seconds=seconds, microseconds=nanoseconds // 1000)
    except OverflowError:
        raise ValueTypeError(f"a date {seconds} seconds from 1970 is outside the years that Python's datetime has") from None


def _decimal(value: Value) -> decimal.Decimal:
    buffer = create_string_buffer(48)
    check(library.decimal_format(value.decimal, buffer, 48))
    return decimal.Decimal(buffer.value.decode())


_DECODERS: dict[int, Callable[[Value], Any]] = {
    NULL: lambda value: None,
    BOOL: lambda value: value.boolean,
    INT: lambda value: value.integer,
    FLOAT: lambda value: value.single,
    DOUBLE: lambda value: value.real,
    STRING: lambda value: string_at(value.text.bytes, value.text.length).decode(),
    DATA: lambda value: string_at(value.text.bytes, value.text.length),
    DATE: _date,
    UUID: lambda value: uuid.UUID(bytes=bytes(value.uuid)),
    OBJECT_ID: lambda value: ObjectId(bytes(value.object_id)),
    DECIMAL: _decimal,
}


def decoded(value: Value, make: ObjectMaker, mixed: bool = False) -> Any:
    """Decodes a value to Python's. Collections become plain lists, sets and dictionaries; sets of a `mixed` property keep
    values of different types apart."""
    decode = _DECODERS.get(value.type)
    if decode:
        return decode(value)
    if value.type == LINK:
        return make(value.link.object_class, value.link.key)
    if value.type == MAP:
        entries = cast(value.elements.address, ctypes.POINTER(Entry))
        return {text(entry.key): decoded(entry.value, make, mixed) for entry in entries[: value.elements.count]}
    elements = [decoded(element, make, mixed) for element in elements_of(value.elements)]
    if value.type == LIST:
        return elements
    return AnySet(elements) if mixed else set(elements)


class Batch:
    """Values of many objects in one array, read as plain numbers: a ctypes structure for each would cost more than the
    value."""

    def __init__(self, values: ctypes.Array[Value], make: ObjectMaker) -> None:
        assert sizeof(Value) == 24
        whole = memoryview(values).cast("B")
        self._values, self._make = values, make
        self._words, self._reals, self._types = whole.cast("q"), whole.cast("d"), whole.cast("I")

    def column(self, kind: int, first: int, step: int, count: int, mixed: bool = False) -> list[Any]:
        """The values at `first`, `first + step` and so on, of a property of type `kind`."""
        end = first + step * count
        types = self._types[6 * first + 4 : 6 * end : 6 * step].tolist()
        if kind == INT or kind == DOUBLE:
            contents = (self._words if kind == INT else self._reals)[3 * first : 3 * end : 3 * step].tolist()
            return contents if types.count(kind) == count else [
                content if type == kind else self._one(first + step * place) for place, (type, content) in enumerate(zip(types, contents))]
        if kind == STRING:
            places, lengths = (self._words[3 * first + at : 3 * end : 3 * step].tolist() for at in (0, 1))
            return [(string_at(place, length).decode() if length else "") if type == STRING else None
                    for type, place, length in zip(types, places, lengths)]
        return [decoded(self._values[place], self._make, mixed) for place in range(first, end, step)]

    def spans(self, count: int) -> tuple[list[int], list[int]]:
        """The addresses and the lengths of the first `count` values, of type data; those of a null are 0."""
        types = self._types[4 : 6 * count : 6].tolist()
        places, lengths = (self._words[at : 3 * count : 3].tolist() for at in (0, 1))
        if types.count(DATA) == count:
            return places, lengths
        return places, [length if type == DATA else 0 for type, length in zip(types, lengths)]

    def keys(self, count: int) -> list[int]:
        """The keys of the objects that the first `count` values link to, without nulls."""
        return [key for key, type in zip(self._words[0 : 3 * count : 3].tolist(), self._types[4 : 6 * count : 6].tolist()) if type == LINK]

    def _one(self, place: int) -> Any:
        return decoded(self._values[place], self._make)


def elements_of(elements: Elements) -> list[Value]:
    """The elements of a list or a set, borrowed from the library."""
    return cast(elements.address, ctypes.POINTER(Value))[: elements.count] if elements.count else []


# --- encoding

class Encoder:
    """Encodes Python values, and keeps the memory that they point to alive as long as the encoder."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def array(self, values: list[Any], types: list[int] | None = None, names: list[str] | None = None) -> ctypes.Array:
        """Encodes values as an array; `types` are the properties' types, None if any type fits, and `names` appear in
        error messages."""
        array, place = (Value * len(values))(), 0
        try:
            for place, value in enumerate(values):
                if value is not None:
                    self.fill(array[place], value, types[place] if types else None)
        except ValueTypeError as error:
            if names:
                raise ValueTypeError(f"property '{names[place]}': {error}") from None
            raise
        return array

    def value(self, value: Any, wanted: int | None = None) -> Value:
        """Encodes one value."""
        place = Value()
        self.fill(place, value, wanted)
        return place

    def fill(self, place: Value, value: Any, wanted: int | None = None) -> None:
        """Sets a value; `wanted` is the property's type, which distinguishes types that Python does not."""
        kind = type(value)
        if value is None:
            place.type = NULL
        elif kind is bool:
            place.type, place.boolean = BOOL, value
        elif kind is int:
            self._integer(place, value)
        elif kind is float:
            if wanted == FLOAT:
                self._single(place, value)
            else:
                place.type, place.real = DOUBLE, value
        elif kind is str:
            self._bytes(place, STRING, value.encode())
        elif isinstance(value, (bytes, bytearray, memoryview)):
            self._bytes(place, DATA, bytes(value))
        elif isinstance(value, datetime.datetime):
            self._date(place, value)
        elif isinstance(value, uuid.UUID):
            place.type = UUID
            place.uuid[:] = value.bytes
        elif isinstance(value, ObjectId):
            place.type = OBJECT_ID
            place.object_id[:] = value.bytes
        elif isinstance(value, decimal.Decimal):
            self._decimal(place, value)
        else:
            self._other(place, value, wanted)

    def _single(self, place: Value, value: float) -> None:
        place.type, place.single = FLOAT, value
        if math.isinf(place.single) and not math.isinf(value):
            raise ValueTypeError(f"{value} does not fit the 32 bits of a float")

    def _integer(self, place: Value, value: int) -> None:
        if not -(1 << 63) <= value < 1 << 63:
            raise ValueTypeError(f"{value} does not fit the 64 bits of an int")
        place.type, place.integer = INT, value

    def _bytes(self, place: Value, kind: int, value: bytes) -> None:
        self._kept.append(value)
        place.type = kind
        place.text.bytes = cast(c_char_p(value), ctypes.c_void_p)
        place.text.length = len(value)

    def _date(self, place: Value, value: datetime.datetime) -> None:
        if value.tzinfo is None:
            raise ValueTypeError(f"{value} has no time zone; set one, such as datetime.timezone.utc")
        since = value - _EPOCH
        place.type = DATE
        place.date.seconds = since.days * 86400 + since.seconds
        place.date.nanoseconds = since.microseconds * 1000

    def _decimal(self, place: Value, value: decimal.Decimal) -> None:
        bits = DecimalBits()
        check(library.decimal_parse(*named(str(value).replace("sNaN", "NaN")), byref(bits)))
        place.type, place.decimal = DECIMAL, bits

    def _other(self, place: Value, value: Any, wanted: int | None) -> None:
        link = getattr(value, "_freehold_link", None)
        if link is not None:
            place.type = LINK
            # A link property implies the class; elsewhere the value names it.
            place.link.object_class, place.link.key = link if wanted != LINK else (NONE, link[1])
        elif wanted == DATA and hasattr(value, "tobytes"):
            # The numbers of an array, as they are in memory; what NumPy has there for masked ones are no numbers.
            if hasattr(value, "filled") and value.mask.any():
                if not value.mask.all():
                    raise ValueTypeError("an array has masked numbers and others; a vector has all its numbers or is missing")
                place.type = NULL
            else:
                self._bytes(place, DATA, value.tobytes())
        elif hasattr(value, "items"):
            self._map(place, value, wanted)
        elif isinstance(value, (set, frozenset)):
            self._elements(place, SET, list(value), wanted)
        elif hasattr(value, "__iter__"):
            values = value.tolist() if hasattr(value, "tolist") else list(value)
            if not isinstance(values, list):  # An array without dimensions is its value; numpy.ma.masked is None.
                return self.fill(place, values, wanted)
            self._elements(place, SET if hasattr(value, "isdisjoint") else LIST, values, wanted)
        elif hasattr(value, "__index__"):
            self._integer(place, value.__index__())
        elif hasattr(value, "__float__"):
            self.fill(place, float(value), wanted)
        else:
            raise ValueTypeError(f"values of type {type(value).__name__} are not supported: {value!r}")

    def _elements(self, place: Value, kind: int, values: list[Any], wanted: int | None) -> None:
        array = self.array(values, [wanted] * len(values) if wanted is not None else None)
        self._kept.append(array)
        place.type = kind
        place.elements.address = ctypes.addressof(array) if values else None
        place.elements.count = len(values)

    def _map(self, place: Value, value: Any, wanted: int | None) -> None:
        entries = self.entries({map_key(key): element for key, element in value.items()}, wanted)
        self._kept.append(entries)
        place.type = MAP
        place.elements.address = ctypes.addressof(entries) if len(entries) else None
        place.elements.count = len(entries)

    def texts(self, texts: list[str]) -> ctypes.Array:
        """Encodes strings as an array."""
        return (Text * len(texts))(*map(self.text, texts))

    def text(self, words: str) -> Text:
        """Encodes one string."""
        encoded = words.encode()
        self._kept.append(encoded)
        return Text(cast(c_char_p(encoded), ctypes.c_void_p), len(encoded))

    def entries(self, values: dict[str, Any], wanted: int | None = None) -> ctypes.Array:
        """Encodes the entries of a map, or named arguments."""
        array = (Entry * len(values))()
        for place, (key, element) in enumerate(values.items()):
            encoded = key.encode()
            self._kept.append(encoded)
            array[place].key.bytes = cast(c_char_p(encoded), ctypes.c_void_p)
            array[place].key.length = len(encoded)
            self.fill(array[place].value, element, wanted)
        return array
