"""What is under way in the library while an asyncio loop does other things: turns to write, and commits on their way to the disk."""

from __future__ import annotations

import asyncio
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Callable

from ._closing import Closing
from ._library import library
from ._turn import Turn
from .errors import check, in_time

if TYPE_CHECKING:
    from .database import Database


class Pending(Closing):
    """Something that was begun; its descriptor is readable when it may be done. Given up where it ends before that."""

    _ends = "pending_close"

    def __init__(self, handle: int) -> None:
        self._handle = handle

    async def until(self, ask: Callable[[int], int]) -> None:
        """Waits until `ask` of the handle no longer says that it takes longer; raises what it failed with."""
        loop, readable, descriptor = asyncio.get_running_loop(), asyncio.Event(), library.pending_descriptor(self._handle)
        loop.add_reader(descriptor, readable.set)
        try:
            while not in_time(ask(self._handle)):
                await readable.wait()
                readable.clear()
        finally:
            loop.remove_reader(descriptor)


async def begin(database: "Database", milliseconds: int, turn: Turn) -> None:
    """Begins a transaction when it is its turn."""
    handle = c_void_p()
    check(library.transaction_begin_async(database._open(), milliseconds, byref(handle)))
    with Pending(handle.value) as pending:
        await pending.until(lambda asked: library.pending_take(asked, byref(turn.handle)))


async def flushed(handle: int) -> None:
    """Waits until what was committed survives a power cut."""
    with Pending(handle) as pending:
        await pending.until(lambda asked: library.pending_wait(asked, 0))
