"""Sets of values of any type, which keep apart values that Python's sets merge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet
from typing import Any


def _identity(value: Any) -> tuple[type, Any]:
    """A key that is equal for two values if a set in a database treats them as the same."""
    # A set in a database holds NaN once; in Python, NaN equals nothing.
    return (type(value), value) if value == value else (type(value), "NaN")


class AnySet(MutableSet):
    """A set in which values of different types differ: `1`, `True` and `1.0` are three values, as in a database. It
    keeps the order in which values were added. A property of type `set[Any]` is read as one."""

    __slots__ = ("_values",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._values: dict[tuple[type, Any], Any] = {}
        for value in values:
            self.add(value)

    def __contains__(self, value: object) -> bool:
        return _identity(value) in self._values

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values.values())

    def __len__(self) -> int:
        return len(self._values)

    def add(self, value: Any) -> None:
        """Adds a value unless the set has it."""
        self._values.setdefault(_identity(value), value)

    def discard(self, value: Any) -> None:
        """Removes a value if the set has it."""
        self._values.pop(_identity(value), None)

    def __repr__(self) -> str:
        return f"AnySet({list(self)!r})"
