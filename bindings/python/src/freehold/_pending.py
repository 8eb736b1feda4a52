"""Operations that the library runs while an asyncio loop continues: waiting for the writer lock, and flushing commits
to disk."""

from __future__ import annotations

import asyncio
from ctypes import byref, c_void_p
from typing import Callable

from ._closing import Closing
from ._library import library
from ._protocols import Database
from ._turn import Turn
from .errors import check, in_time


class Pending(Closing):
    """An operation in progress; its descriptor becomes readable when it may be done. Closing it earlier abandons it."""

    _ends = "pending_close"

    def __init__(self, handle: int) -> None:
        self._handle = handle

    async def until(self, ask: Callable[[int], int]) -> None:
        """Waits until `ask(handle)` no longer reports that the operation is still running; raises the operation's
        error."""
        loop, readable, descriptor = asyncio.get_running_loop(), asyncio.Event(), library.pending_descriptor(self._handle)
        loop.add_reader(descriptor, readable.set)
        try:
            while not in_time(ask(self._handle)):
                await readable.wait()
                readable.clear()
        finally:
            loop.remove_reader(descriptor)


async def begin(database: Database, milliseconds: int, turn: Turn) -> None:
    """Waits for the writer lock in asyncio, then begins a transaction and stores its handle in `turn`."""
    handle = c_void_p()
    check(library.transaction_begin_async(database._open(), milliseconds, byref(handle)))
    with Pending(handle.value) as pending:
        await pending.until(lambda asked: library.pending_take(asked, byref(turn.handle)))


async def flushed(handle: int) -> None:
    """Waits in asyncio until a commit survives a power cut."""
    with Pending(handle) as pending:
        await pending.until(lambda asked: library.pending_wait(asked, 0))
