"""Handles of the library that belong to a Python object."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Callable

from ._protocols import Reader
from .errors import check


class Handle:
    """A handle that is closed with its owner, or earlier with the reader through which it was opened."""

    def __init__(self, reader: Reader, close: Callable[[int], int], make: Callable[[Any], int]) -> None:
        self._place, self._reader, self._close, self._kept = c_void_p(), reader, close, False
        check(make(byref(self._place)))
        reader._opened[self._place.value] = close
        self._kept = True

    @property
    def value(self) -> int:
        self._reader._reader  # Raises if the reader has ended.
        return self._place.value

    def __del__(self) -> None:
        handle = self._place.value
        if handle and (not self._kept or self._reader._opened.pop(handle, None)):
            self._close(handle)
