"""Commits as they come, and what they changed: for loops, with and without asyncio."""

from __future__ import annotations

import asyncio
from ctypes import byref, c_uint64, c_void_p, sizeof
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, AsyncIterator, Iterator

from ._closing import Closing
from ._library import ObjectChange, library
from .errors import check, found, in_time
from .reading import Snapshot
from .values import named

if TYPE_CHECKING:
    from .database import Database

_INSERTED, _DELETED, _CHANGED, _REPLACED = 1, 2, 3, 4
_LONG = 1 << 40


class Commits(Closing):
    """The versions that this and other processes commit. Those that come while one is looked at are told at once, by the newest."""

    _ends = "listener_close"

    def __init__(self, database: "Database") -> None:
        handle = c_void_p()
        check(library.listener_open(database._open(), byref(handle)))
        self._handle: int | None = handle.value
        self._told = self.acknowledge()

    @property
    def descriptor(self) -> int:
        """A file descriptor that becomes readable when there is something to tell, for event loops: neither read from it nor close it."""
        return library.listener_descriptor(self._handle)

    def acknowledge(self) -> int:
        """Takes note of what was told, so that the descriptor is readable no longer; the newest version, which need not be a newer one."""
        version = c_uint64()
        check(library.listener_acknowledge(self._handle, byref(version)))
        return version.value

    def wait(self, timeout: float | None = None) -> int | None:
        """Waits for the next commit, and gives its version; None when the time is up."""
        version = c_uint64()
        milliseconds = _LONG if timeout is None else min(round(timeout * 1000), _LONG)
        return version.value if in_time(library.listener_wait(self._handle, milliseconds, byref(version))) else None

    async def next(self) -> int:
        """The same for asyncio."""
        loop, readable = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self.descriptor, readable.set)
        try:
            while True:
                await readable.wait()
                readable.clear()
                version = self.acknowledge()
                if version > self._told:
                    self._told = version
                    return version
        finally:
            loop.remove_reader(self.descriptor)

    def __iter__(self) -> Iterator[int]:
        while self._handle:
            # Short enough for an interrupt to be heard.
            version = self.wait(0.25)
            if version is not None and version > self._told:
                self._told = version
                yield version

    async def __aiter__(self) -> AsyncIterator[int]:
        while self._handle:
            yield await self.next()


@dataclass
class Changes:
    """What became of a class's objects from one version to another, by their keys."""

    version: int
    inserted: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)
    #: The names of the properties whose values changed.
    changed: dict[int, tuple[str, ...]] = field(default_factory=dict)
    #: Deleted, and another one made under the key.
    replaced: list[int] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.inserted or self.deleted or self.changed or self.replaced)


def changes(older: Snapshot, newer: Snapshot, name: str) -> Changes:
    """What differs between two snapshots, whoever changed it, at a cost that follows the difference."""
    handle, found_changes = c_void_p(), Changes(newer.version)
    check(library.changes_open(older._open(), newer._open(), *named(name), byref(handle)))
    try:
        change = ObjectChange(size=sizeof(ObjectChange))
        properties = newer.classes[name].properties if name in newer.classes else []
        while found(library.changes_next(handle, byref(change))):
            if change.kind == _CHANGED:
                places = change.properties[: change.property_count]
                found_changes.changed[change.key] = tuple(properties[place].name for place in places)
            else:
                {_INSERTED: found_changes.inserted, _DELETED: found_changes.deleted, _REPLACED: found_changes.replaced}[change.kind].append(change.key)
    finally:
        check(library.changes_close(handle))
    return found_changes


class Watch:
    """What commits change in a class, from the moment this is made on. Between two changes it holds the version it has told, so go on
    in good time, or close it."""

    def __init__(self, database: "Database", name: str) -> None:
        self._name = name
        self._commits = Commits(database)
        #: The version that the newest changes lead to.
        self.snapshot = database.read()
        self.snapshot._class(name)

    def poll(self) -> Changes:
        """What has changed since the last time, if anything, without waiting."""
        older = self.snapshot.another()
        try:
            self.snapshot.refresh()
            return changes(older, self.snapshot, self._name)
        finally:
            older.close()

    def __iter__(self) -> Iterator[Changes]:
        for _ in self._commits:
            found_changes = self.poll()
            if found_changes:
                yield found_changes

    async def __aiter__(self) -> AsyncIterator[Changes]:
        async for _ in self._commits:
            found_changes = self.poll()
            if found_changes:
                yield found_changes

    def close(self) -> None:
        """Ends the loops over it."""
        self._commits.close()
        self.snapshot.close()

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
