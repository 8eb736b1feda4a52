"""A thread's turn to write, which goes back when nobody has it any more.

The library lets a transaction be ended by the thread that began it alone, and Python drops what nobody has any more on whichever thread it is
at: the garbage collector's is any. What is dropped elsewhere is left to its own thread, which rolls it back when it next does something with a
database, or ends; the main thread at once, if it runs Python. When a thread has ended before that, the library has given its turn back.
"""

from __future__ import annotations

import ctypes
import os
import threading
import warnings
from collections import deque
from ctypes import c_void_p

from ._library import library
from .errors import OK


def _roll_back(left: deque[int]) -> None:
    while left:
        library.transaction_rollback(left.popleft())


class _LastWill:
    """Goes with its thread, and on it."""

    def __init__(self, left: deque[int]) -> None:
        self._left = left

    def __del__(self) -> None:
        _roll_back(self._left)


class _Own(threading.local):
    """A thread's own: the transactions that others have left to it. Others append, it alone takes out."""

    def __init__(self) -> None:
        self.left: deque[int] = deque()
        self.will = _LastWill(self.left)


_own = _Own()


def roll_back_left() -> None:
    """Rolls back what was left to this thread."""
    _roll_back(_own.left)


def _called(_: int | None) -> int:
    roll_back_left()
    return 0


_call = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p)(_called)


class Turn:
    """A place for the handle of a transaction, made before that begins: so nothing comes between the two, Ctrl-C neither."""

    __slots__ = ("handle", "_path", "_process", "_thread", "_left")

    def __init__(self, path: str) -> None:
        self.handle, self._path, self._process = c_void_p(), path, os.getpid()
        self._thread, self._left = threading.get_ident(), _own.left

    def __del__(self) -> None:
        # What a child of a fork inherits is its parent's to end. At the end of the interpreter the library may be gone first.
        handle = self.handle.value
        if not handle or library is None or os.getpid() != self._process:
            return
        # By what belongs to the thread: a later one may have its number.
        if self._left is not _own.left:
            self._left.append(handle)
            if self._thread == threading.main_thread().ident:
                ctypes.pythonapi.Py_AddPendingCall(_call, None)
        elif library.transaction_rollback(handle) != OK:
            return  # It had ended, and an exception came before that was noted.
        warnings.warn(f"unclosed transaction on {self._path!r}: neither committed nor rolled back", ResourceWarning, stacklevel=2, source=self)
