"""What ends a handle of the library once."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from ._library import library
from .errors import check

Held = TypeVar("Held", bound="Closing")


class Closing:
    """Holds a handle, and ends it when it is closed, when its block ends, or when nobody has it any more."""

    # The function of the library that ends it.
    _ends: ClassVar[str]
    _handle: int | None = None

    def close(self) -> None:
        """Ends it here; what was made from it goes on."""
        handle, self._handle = self._handle, None
        if handle:
            check(getattr(library, self._ends)(handle))

    def __enter__(self: Held) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        handle, self._handle = self._handle, None
        # At the end of the interpreter the library may be gone before what was made with it.
        if handle and library is not None:
            getattr(library, self._ends)(handle)
