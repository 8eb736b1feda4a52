"""Vectors in properties of type data, as the rows of arrays of NumPy."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t, c_uint32, sizeof
from typing import Any

from . import schema
from ._arguments import shown
from ._library import ColumnValues, Text, Value, library
from .errors import ArgumentError, ValueTypeError, check
from .values import DATA, Batch

try:
    import numpy
except ImportError:
    numpy = None

_BATCH = 256
#: The most numbers of a vector.
_LONGEST = 65_535

#: The elements of vectors, as NumPy calls their little-endian types.
ELEMENTS = {"float32": "<f4", "float16": "<f2", "int8": "i1"}


class Rows:
    """The vectors of a property of type data, collected as the rows of one array of NumPy."""

    def __init__(self, property: schema.Property, count: int, elements: str, dimensions: int | None) -> None:
        if numpy is None:
            raise ArgumentError("vectors are read as an array of NumPy, which is not installed; read bytes by rows()")
        if property.type != DATA or property.collections:
            raise ValueTypeError(f"property '{property.name}' is {property.type_name}; vectors are in properties of type data")
        if not isinstance(elements, str):
            raise ValueTypeError(f"elements of vectors are named by a string, {', '.join(map(repr, ELEMENTS))}, not {elements!r}")
        if elements not in ELEMENTS:
            raise ArgumentError(f"elements of vectors are {', '.join(map(repr, ELEMENTS))}, not {elements!r}")
        if dimensions is not None:
            if isinstance(dimensions, bool) or not hasattr(dimensions, "__index__"):
                raise ValueTypeError(f"the dimensions of vectors are an int, not {dimensions!r}")
            if not 1 <= dimensions <= _LONGEST:
                raise ArgumentError(f"vectors have 1 to 65,535 dimensions, not {shown(dimensions)}")
        self._property, self._count, self._type, self._dimensions = property, count, numpy.dtype(ELEMENTS[elements]), dimensions
        # Whether another length is a mistake of the caller: the length was that of the first vector.
        self._guessed = dimensions is None
        #: Which objects have no vector.
        self.nulls = numpy.ones(count, numpy.bool_)
        self._rows: Any = None if dimensions is None else self._empty(dimensions)

    def _empty(self, dimensions: int) -> Any:
        # NaN where there is no vector, as columns of numbers have it.
        return numpy.full((self._count, dimensions), 0 if self._type.kind == "i" else numpy.nan, self._type)

    def take(self, first: int, places: list[int], lengths: list[int]) -> None:
        """Copies the bytes at some addresses as rows from `first` on; a length of 0 is no vector."""
        for at, (place, length) in enumerate(zip(places, lengths), first):
            if not length:
                continue
            if self._rows is None:
                self._dimensions = self._divided(length)
                self._rows = self._empty(self._dimensions)
            if length == self._rows.strides[0]:
                ctypes.memmove(self._rows.ctypes.data + at * length, place, length)
                self.nulls[at] = False
            elif self._guessed:
                raise ValueTypeError(f"property '{self._property.name}' has vectors of {self._dimensions} and of "
                                     f"{self._divided(length)} numbers; name the dimensions to read those alone")

    def _divided(self, length: int) -> int:
        if length % self._type.itemsize or length // self._type.itemsize > _LONGEST:
            raise ValueTypeError(f"property '{self._property.name}' has a value of {length:,} bytes, which is no vector of "
                                 f"{self._type.name}; name the dimensions to read those of that length alone")
        return length // self._type.itemsize

    def read(self, results: int, place: int) -> None:
        """Reads the property at `place` of the objects that a query found."""
        values, filled, wanted = (Value * _BATCH)(), c_size_t(), (c_uint32 * 1)(place)
        batch = Batch(values, lambda number, key: None)
        for first in range(0, self._count, _BATCH):
            check(library.results_get(results, first, _BATCH, 1, wanted, values, byref(filled)))
            self.take(first, *batch.spans(filled.value))

    @property
    def array(self) -> Any:
        """The vectors, a row for each object."""
        return self._empty(0) if self._rows is None else self._rows


def _from_rows(property: schema.Property, values: Any) -> Any:
    """The rows of an array as vectors: little-endian, one after the other."""
    values = numpy.ma.getdata(values)
    if values.dtype.name not in ELEMENTS:
        raise ValueTypeError(f"property '{property.name}': vectors are of float32, float16 or int8, not {values.dtype.name}; "
                             "convert the array, as with .astype('float32')")
    if values.shape[1] > _LONGEST:
        raise ValueTypeError(f"property '{property.name}': vectors have 1 to 65,535 numbers, and the rows of an array of the shape "
                             f"{values.shape} have {values.shape[1]:,}")
    return numpy.ascontiguousarray(values, ELEMENTS[values.dtype.name])


def fill(column: ColumnValues, property: schema.Property, values: Any, keep: list[Any]) -> None:
    """Passes the rows of an array as values of a property of type data, without copying them. A mask is left to the caller."""
    rows = _from_rows(property, values)
    count, length = len(rows), rows.shape[1] * rows.itemsize
    places = numpy.empty((count, 2), numpy.uint64)
    places[:, 0] = rows.ctypes.data + numpy.arange(count, dtype=numpy.uint64) * numpy.uint64(length)
    places[:, 1] = length
    assert sizeof(Text) == 16
    keep.extend((rows, places))
    column.type, column.values = DATA, places.ctypes.data
