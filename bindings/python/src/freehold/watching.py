"""Commits as they arrive, and their changes to a class by keys: for loops, with and without asyncio."""

from __future__ import annotations

from ctypes import byref, c_uint64, c_void_p, sizeof
from dataclasses import dataclass, field

from ._closing import Closing
from ._library import ObjectChange, library
from ._protocols import Database
from ._waiting import Waiting
from .errors import check, found, usable
from .reading import Snapshot
from .values import named

_INSERTED, _DELETED, _CHANGED, _REPLACED = 1, 2, 3, 4


class Commits(Waiting[int], Closing):
    """The versions that this and other processes commit. Versions committed while the program handles one are reported
    at once, as the newest."""

    _ends = "listener_close"

    def __init__(self, database: Database, timeout: float | None = None, *, _of_a_watch: bool = False) -> None:
        super().__init__(timeout)
        handle = c_void_p()
        check(library.listener_open(database._open(), byref(handle)))
        self._handle = handle.value
        self._told = self.acknowledge()
        if not _of_a_watch:
            database._tracked(self)

    def _open(self) -> int:
        self._check_open()
        return self._handle

    def _end(self) -> None:
        Closing.close(self)

    @property
    def descriptor(self) -> int:
        with self._locked():
            return usable(library.listener_descriptor(self._open()))

    def acknowledge(self) -> int:
        """Acknowledges pending notifications and makes the descriptor unreadable again; returns the newest version,
        which need not be a new one."""
        version = c_uint64()
        with self._locked():
            check(library.listener_acknowledge(self._open(), byref(version)))
        return version.value

    def poll(self) -> int | None:
        """The newest version, if it is newer than the last one returned; else None."""
        version = self.acknowledge()
        if version <= self._told:
            return None
        self._told = version
        return version


@dataclass
class Changes:
    """The differences between two versions of a class, by object keys."""

    version: int
    inserted: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)
    #: The names of the changed properties, by object key.
    changed: dict[int, tuple[str, ...]] = field(default_factory=dict)
    #: Objects that were deleted and created again under the same key.
    replaced: list[int] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.inserted or self.deleted or self.changed or self.replaced)


def changes(older: Snapshot, newer: Snapshot, name: str) -> Changes:
    """Compares a class in two snapshots, whichever process made the commits. The cost is proportional to the
    difference."""
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


class Watch(Waiting[Changes]):
    """The changes of commits to a class, from the creation of the watch on. Between two changes it holds the last
    reported version, so continue soon, or close it."""

    def __init__(self, database: Database, name: str, timeout: float | None = None) -> None:
        super().__init__(timeout)
        self._name = name
        self._commits = Commits(database, _of_a_watch=True)
        #: A snapshot of the version that the last changes lead to.
        self.snapshot = database.read()
        self.snapshot._class(name)
        database._tracked(self)

    @property
    def descriptor(self) -> int:
        return self._commits.descriptor

    def poll(self) -> Changes | None:
        """The changes since the last call, without waiting; None if there are none."""
        with self._locked():
            self._check_open()
            self._commits.acknowledge()
            older = self.snapshot._another()
            try:
                if not self.snapshot.refresh():
                    return None
                return changes(older, self.snapshot, self._name) or None
            finally:
                older.close()

    def _end(self) -> None:
        self._commits.close()
        self.snapshot.close()

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
