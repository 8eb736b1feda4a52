"""Sets of values of any type, which tell apart what Python's sets do not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet
from typing import Any


def _identity(value: Any) -> tuple[type, Any]:
    """Equal for two values that a set in a database takes for the same."""
    # NaN is one value there, and equals nothing in Python.
    return (type(value), value) if value == value else (type(value), "NaN")


class AnySet(MutableSet):
    """A set in which values of different types differ: `1`, `True` and `1.0` are three values, as they are in a database. In the order in which
    they were added. What a property of type `set[Any]` has is read as one."""

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
        """Takes a value out if the set has it."""
        self._values.pop(_identity(value), None)

    def __repr__(self) -> str:
        return f"AnySet({list(self)!r})"
