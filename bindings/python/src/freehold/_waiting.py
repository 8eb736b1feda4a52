"""Waiting for events that a descriptor announces, with `for` loops and with asyncio."""

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

#: Maximum length of one wait in milliseconds; afterwards `wait` checks whether another thread has closed the source.
_SLICE = 250


class Waiting(Generic[Thing]):
    """A source of events, one after another. The descriptor may be readable without an event; only `poll` tells whether
    there is one."""

    def __init__(self, timeout: float | None) -> None:
        # A `for` loop ends after this many seconds without an event.
        self._timeout = timeout
        self._closed = False
        self._lock, self._process = threading.RLock(), os.getpid()
        # The sleeping tasks, by the event that wakes each, with the loop that polls the descriptor for it.
        self._sleepers: dict[asyncio.Event, tuple[asyncio.AbstractEventLoop, int]] = {}

    def _locked(self) -> Any:
        """The lock that is held while the library works with the handle, so that no other thread closes the handle
        meanwhile."""
        if self._process != os.getpid():
            # In a forked child, a thread that does not exist there may hold the lock. The library refuses calls with
            # the inherited handle.
            self._lock, self._process, self._sleepers = threading.RLock(), os.getpid(), {}
        return self._lock

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the object waited for was closed")

    def close(self) -> None:
        """Closes the source and ends the loops over it, including those of other threads and tasks."""
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
                except RuntimeError:  # The loop was closed and polls nothing any more.
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
        """Whether no event can come any more, although the source is open; loops end then."""
        return False

    def _end(self) -> None:
        """Ends the handle and closes its descriptor. No loop may poll the descriptor any more: a loop would not notice,
        and would mistake a new file with the same number for it."""
        raise NotImplementedError

    @property
    def descriptor(self) -> int:
        """A file descriptor for event loops that becomes readable when there may be an event. Neither read from it nor
        close it."""
        raise NotImplementedError

    def poll(self) -> Thing | None:
        """The next event, without waiting; None if there is none."""
        raise NotImplementedError

    def wait(self, timeout: float | None = None) -> Thing | None:
        """Waits for the next event, `timeout` seconds at most; None if the time is up. Signal handlers run
        meanwhile."""
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
        """Waits for the next event in asyncio; for one task at a time. Cancelling loses no event. `ClosedError` if it
        is closed meanwhile."""
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
                # Another thread closed the source and left ending the handle to the last loop that polled the
                # descriptor.
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
