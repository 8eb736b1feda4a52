"""Arguments of queries, as they are when they are given."""

from __future__ import annotations

from copy import copy
from typing import Any

from .errors import ValueTypeError
from .sets import AnySet


def shown(number: Any) -> str:
    """A number as messages show it: the digits of an int may be too many to print."""
    return f"an int of {number.bit_length()} bits" if isinstance(number, int) and number.bit_length() > 64 else repr(number)


def whole(count: Any) -> int:
    """A number of objects, which steps take."""
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        raise ValueTypeError(f"a number of objects is an int, not {count!r}")
    return count.__index__()


def copied(argument: Any) -> Any:
    """An argument as it is now: a copy of what can change, and a list of what an iterator gives."""
    if isinstance(argument, dict):
        return {key: copied(element) for key, element in argument.items()}
    if isinstance(argument, (bytearray, memoryview)):
        return bytes(argument)
    if isinstance(argument, (str, bytes, frozenset)) or hasattr(argument, "_freehold_link"):
        return argument
    if isinstance(argument, AnySet):
        return AnySet(argument)
    if isinstance(argument, set):
        return set(argument)
    if isinstance(argument, (list, tuple)):
        return list(map(copied, argument))
    if hasattr(argument, "tobytes") and hasattr(argument, "tolist"):
        return copy(argument)  # An array of the standard library or of NumPy.
    return list(argument) if hasattr(argument, "__iter__") and hasattr(argument, "__next__") else argument
