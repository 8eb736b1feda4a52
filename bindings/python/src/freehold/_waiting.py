"""What comes by a descriptor: waited for, and gone through by loops, with and without asyncio."""

from __future__ import annotations

import asyncio
import os
import select
import threading
import time
from typing import Any, Generic, TypeVar

from ._turn import roll_back_left
from .errors import ClosedError

Thing = TypeVar("Thing")

#: How long one wait may be, in milliseconds, before it is looked whether another thread has closed what is waited for.
_SLICE = 250


class Waiting(Generic[Thing]):
    """Things that come one after another. The descriptor may be readable without one, so what counts is whether there is something new."""

    def __init__(self, timeout: float | None) -> None:
        # After so many seconds without a thing a `for` loop ends.
        self._timeout = timeout
        self._closed = False
        self._lock, self._process = threading.RLock(), os.getpid()
        # The tasks that sleep, by what wakes them: the loops that look at the descriptor for them.
        self._sleepers: dict[asyncio.Event, tuple[asyncio.AbstractEventLoop, int]] = {}

    def _locked(self) -> Any:
        """Held while the library works with the handle, which no other thread closes meanwhile."""
        if self._process != os.getpid():
            # A thread that this child of a fork does not have may hold it; what is asked of the handle here the library refuses.
            self._lock, self._process, self._sleepers = threading.RLock(), os.getpid(), {}
        return self._lock

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("there is nothing to wait for any more: it was closed")

    def close(self) -> None:
        """Ends it, and the loops over it, also those of other threads and tasks."""
        with self._locked():
            if self._closed:
                return
            self._closed = True
            for readable, (loop, _) in list(self._sleepers.items()):
                if loop is _running_loop():
                    self._forget(readable)
                    readable.set()
                    continue
                try:
                    loop.call_soon_threadsafe(readable.set)
                except RuntimeError:  # The loop was closed, and looks at nothing any more.
                    del self._sleepers[readable]
            if not self._sleepers:
                self._end()

    def _close_with_database(self) -> None:
        self.close()

    def _forget(self, readable: asyncio.Event) -> None:
        loop, descriptor = self._sleepers.pop(readable, (None, -1))
        if loop is not None:
            loop.remove_reader(descriptor)

    @property
    def _is_over(self) -> bool:
        """Whether nothing can come any more, though it is open: loops end then."""
        return False

    def _end(self) -> None:
        """Ends the handle, and closes its descriptor, at which no loop looks any more: a loop would not notice, and take a new file of
        the same number for it."""
        raise NotImplementedError

    @property
    def descriptor(self) -> int:
        """A file descriptor that becomes readable when there may be something new, for event loops: neither read from it nor close it."""
        raise NotImplementedError

    def poll(self) -> Thing | None:
        """What is new, without waiting; None if nothing is."""
        raise NotImplementedError

    def wait(self, timeout: float | None = None) -> Thing | None:
        """Waits for something new, so many seconds at most; None when the time is up. A signal's handler runs meanwhile."""
        self._check_open()
        end = None if timeout is None else time.monotonic() + timeout
        while (thing := self.poll()) is None:
            if self._is_over:
                return None
            roll_back_left()
            left = _SLICE if end is None else min(_SLICE, round((end - time.monotonic()) * 1000 + 0.5))
            if left <= 0:
                return None
            waiting = select.poll()
            waiting.register(self.descriptor, select.POLLIN)
            waiting.poll(left)
            self._check_open()
        return thing

    async def next(self) -> Thing:
        """Waits for something new in asyncio; one task at a time. Nothing is lost if it is cancelled. `ClosedError` if it is closed meanwhile."""
        loop, readable = asyncio.get_running_loop(), asyncio.Event()
        with self._locked():
            self._check_open()
            descriptor = self.descriptor
            loop.add_reader(descriptor, readable.set)
            self._sleepers[readable] = loop, descriptor
        try:
            while (thing := self.poll()) is None:
                await readable.wait()
                readable.clear()
                self._check_open()
            return thing
        finally:
            with self._locked():
                self._forget(readable)
                # Another thread has closed it, and left it to the last loop that looked at the descriptor.
                if self._closed and not self._sleepers:
                    self._end()

    def __iter__(self) -> "Waiting[Thing]":
        return self

    def __next__(self) -> Thing:
        try:
            thing = None if self._closed or self._is_over else self.wait(self._timeout)
        except ClosedError:
            if not self._closed:
                raise
            thing = None
        if thing is None:
            raise StopIteration
        return thing

    def __aiter__(self) -> "Waiting[Thing]":
        return self

    async def __anext__(self) -> Thing:
        if not self._closed and self._is_over:
            raise StopAsyncIteration
        try:
            return await self.next()
        except ClosedError:
            if not self._closed:
                raise
            raise StopAsyncIteration from None


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
