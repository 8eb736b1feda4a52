"""A base class for objects that own a handle of the library and end it once."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from ._library import library
from .errors import check

Held = TypeVar("Held", bound="Closing")


class Closing:
    """Owns a handle; ends it on `close()`, at the end of a `with` block, or when the object is garbage-collected."""

    # The name of the library function that ends the handle.
    _ends: ClassVar[str]
    _handle: int | None = None

    def close(self) -> None:
        """Ends the handle; objects created from it stay valid."""
        handle, self._handle = self._handle, None
        if handle:
            check(getattr(library, self._ends)(handle))

    def __enter__(self: Held) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        handle, self._handle = self._handle, None
        # At interpreter exit the library may be unloaded before the objects created with it.
        if handle and library is not None:
            getattr(library, self._ends)(handle)
