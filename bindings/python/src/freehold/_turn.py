"""Rolls back a transaction that was dropped without being ended, on the thread that began it.

The library lets only the thread that began a transaction end it, but Python finalizes an unreferenced object on any
thread, because the garbage collector runs on any. A transaction that is finalized on another thread is queued for its
own thread. That thread rolls it back when it next uses a database, or when it ends; the main thread does so at once, if
it runs Python. If the thread has already ended, the library has released the writer lock.
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
    """Rolls back a thread's queued transactions on that thread, when the thread ends."""

    def __init__(self, left: deque[int]) -> None:
        self._left = left

    def __del__(self) -> None:
        _roll_back(self._left)


class _Own(threading.local):
    """Thread-local queue of transactions that other threads left to this one. Other threads append; only this thread
    removes."""

    def __init__(self) -> None:
        self.left: deque[int] = deque()
        self.will = _LastWill(self.left)


_own = _Own()


def roll_back_left() -> None:
    """Rolls back the transactions that other threads left to this thread."""
    _roll_back(_own.left)


def _called(_: int | None) -> int:
    roll_back_left()
    return 0


_call = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p)(_called)


class Turn:
    """Owns the handle of a transaction; created before the transaction begins, so that no exception, such as Ctrl-C,
    can lose the handle."""

    __slots__ = ("handle", "_path", "_process", "_thread", "_left")

    def __init__(self, path: str) -> None:
        self.handle, self._path, self._process = c_void_p(), path, os.getpid()
        self._thread, self._left = threading.get_ident(), _own.left

    def __del__(self) -> None:
        # A handle that a forked child inherits is the parent's to end. At interpreter exit the library may be unloaded
        # first.
        handle = self.handle.value
        if not handle or library is None or os.getpid() != self._process:
            return
        # Compared by the thread's queue: a later thread may get the same thread number.
        if self._left is not _own.left:
            self._left.append(handle)
            if self._thread == threading.main_thread().ident:
                ctypes.pythonapi.Py_AddPendingCall(_call, None)
        elif library.transaction_rollback(handle) != OK:
            return  # It had ended; an exception came before the handle was cleared.
        warnings.warn(f"unclosed transaction on {self._path!r}: neither committed nor rolled back", ResourceWarning, stacklevel=2, source=self)
