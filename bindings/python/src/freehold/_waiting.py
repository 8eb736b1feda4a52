"""What comes by a descriptor: waited for, and gone through by loops, with and without asyncio."""

from __future__ import annotations

import asyncio
import select
import time
from typing import Any, Generic, TypeVar

from .errors import ClosedError

Thing = TypeVar("Thing")

#: How long one wait may be, in milliseconds, before it is looked whether another thread has closed what is waited for.
_SLICE = 250


class Waiting(Generic[Thing]):
    """Things that come one after another. The descriptor may be readable without one, so what counts is whether there is something new."""

    _handle: Any
    #: After so many seconds without a thing a `for` loop ends.
    _timeout: float | None = None

    @property
    def descriptor(self) -> int:
        """A file descriptor that becomes readable when there may be something new, for event loops: neither read from it nor close it."""
        raise NotImplementedError

    def poll(self) -> Thing | None:
        """What is new, without waiting; None if nothing is."""
        raise NotImplementedError

    def wait(self, timeout: float | None = None) -> Thing | None:
        """Waits for something new, so many seconds at most; None when the time is up. A signal's handler runs meanwhile."""
        end = None if timeout is None else time.monotonic() + timeout
        while (thing := self.poll()) is None:
            left = _SLICE if end is None else min(_SLICE, round((end - time.monotonic()) * 1000 + 0.5))
            if left <= 0:
                return None
            waiting = select.poll()
            waiting.register(self.descriptor, select.POLLIN)
            waiting.poll(left)
            if not self._handle:
                raise ClosedError("what was waited for was closed meanwhile")
        return thing

    async def next(self) -> Thing:
        """Waits for something new in asyncio; one task at a time. Nothing is lost if it is cancelled."""
        loop, readable, descriptor = asyncio.get_running_loop(), asyncio.Event(), self.descriptor
        loop.add_reader(descriptor, readable.set)
        try:
            while (thing := self.poll()) is None:
                await readable.wait()
                readable.clear()
            return thing
        finally:
            loop.remove_reader(descriptor)

    def __iter__(self) -> "Waiting[Thing]":
        return self

    def __next__(self) -> Thing:
        try:
            thing = self.wait(self._timeout) if self._handle else None
        except ClosedError:
            if self._handle:
                raise
            thing = None
        if thing is None:
            raise StopIteration
        return thing

    def __aiter__(self) -> "Waiting[Thing]":
        return self

    async def __anext__(self) -> Thing:
        if not self._handle:
            raise StopAsyncIteration
        return await self.next()
