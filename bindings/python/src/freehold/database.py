"""Databases: opening a file, and operations on whole files."""

from __future__ import annotations

import contextlib
import itertools
import os
import weakref
from ctypes import byref, c_uint64, c_void_p, create_string_buffer, pointer, sizeof
from dataclasses import dataclass
from typing import Any, AsyncIterator, Callable, Iterable, Sequence, TypeVar

from . import schema
from ._closing import Closing
from ._library import CheckCallback, CheckReport, Information, OpenOptions, Text, library
from ._pending import begin
from ._turn import Turn, roll_back_left
from .errors import ClosedError, FreeholdError, check, found, in_time
from .following import Following, unlooked
from .importing import ImportReport, ImportSource, given, imported
from .indexing import Progress, build
from .migrating import update
from .reading import Reader, Snapshot
from .sync_state import Sync
from .syncing import SyncMerge, SyncReport, applied
from .values import Encoder, named, pieces, text
from .watching import Commits, Watch
from .writing import Transaction

Migration = Callable[[Transaction, int, int], None]
Opened = TypeVar("Opened", bound=Any)
_numbers = itertools.count()

#: The length of an encryption key in bytes.
KEY_LENGTH = 64


@dataclass(frozen=True)
class Problem:
    """One fault that a check found in a file."""

    kind: str
    place: str
    message: str


@dataclass(frozen=True)
class Report:
    """The result of a check: what was checked, and the problems found. A sound file has none."""

    version: int
    classes: int
    objects: int
    links: int
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Sizes:
    """The versions of a database, and lengths in bytes."""

    version: int
    durable_version: int
    file_length: int
    used_bytes: int
    free_bytes: int
    held_bytes: int
    holders: int
    #: The durable version whose root was destroyed, so that an older version was opened; usually None.
    lost_version: int | None = None


def generate_key() -> bytes:
    """A new random key for an encrypted database."""
    key = create_string_buffer(KEY_LENGTH)
    check(library.key_generate(key, KEY_LENGTH))
    return key.raw


def open(path: str | os.PathLike[str], models: Iterable[type] = (), *, read_only: bool = False, must_exist: bool = False,  # noqa: A001
         in_memory: bool = False, key: bytes | None = None, file_mode: int = 0, timeout: float = 10.0, flush_timeout: float = 10.0,
         decrypted_bytes_limit: int = 0, parked_bytes_limit: int = 0, parked_versions_limit: int = 0, thread_limit: int = 0,
         version: int | None = None, migrate: Migration | None = None,
         importing: ImportSource | str | os.PathLike[str] | None = None) -> "Database":
    """Opens a database, creating it if it does not exist. Other processes, of any language, may have it open as well.

    models: classes made by `freehold.model`; the classes, properties and indexes that the file lacks are added.
        Without models, classes are used by their names in the file.
    in_memory: `path` is a name; the database lives in memory, shared by this user's processes, and is deleted with the
        last of them.
    key: KEY_LENGTH bytes (`generate_key`); a new file opened with a key is encrypted.
    timeout: how long a transaction waits for another writer, in seconds.
    flush_timeout: how long a durable commit waits for its flush, in seconds.
    decrypted_bytes_limit: about how much of an encrypted file stays decrypted in memory, in bytes; 0 for 256 MiB.
    parked_bytes_limit: how much of the file parked snapshots and sleeping watches may keep, in bytes, before commits
        take their versions away; 0 for 256 MiB.
    parked_versions_limit: how many versions they may be behind, whatever they keep, before commits take their versions
        away; 0 for any number.
    thread_limit: how many threads share the work of a query; 0 for one per processor, 1 for the caller's thread only.
    version: the version number of these models. A file with a higher one is refused.
    migrate: called for a file with a lower version, before anything else in the same transaction, with the transaction,
        the file's version (0 if it has none) and `version`. It changes classes and objects to what the models require,
        and neither commits nor rolls back.
    importing: a file of another database whose objects are brought into this one before it is first used: its path, or an
        `ImportSource`.
    """
    if isinstance(models, type):
        raise TypeError(f"models must be a list of classes: [{models.__name__}]")
    return Database(os.fspath(path), tuple(models), dict(
        read_only=read_only, must_exist=must_exist, in_memory=in_memory, key=_key(key), file_mode=file_mode, timeout=timeout,
        flush_timeout=flush_timeout, version=version, migrate=migrate, importing=importing, limits=_limits(
            decrypted_bytes_limit=decrypted_bytes_limit, parked_bytes_limit=parked_bytes_limit,
            parked_versions_limit=parked_versions_limit, thread_limit=thread_limit)))


def delete(path: str | os.PathLike[str], *, in_memory: bool = False) -> bool:
    """Deletes a database and all its files, unless a process has it open; False if there is none."""
    return found(library.database_delete_files(*named(os.fspath(path)), in_memory))


def exists(path: str | os.PathLike[str], *, in_memory: bool = False) -> bool:
    """Whether there is a database at the path."""
    return found(library.database_exists(*named(os.fspath(path)), in_memory))


def _key(key: bytes | None) -> bytes | None:
    """The key as bytes; accepts any buffer."""
    return None if key is None else bytes(memoryview(key))


def _limits(**limits: int) -> dict[str, int]:
    """Checks limits: raises for numbers that C would truncate silently."""
    for name, limit in limits.items():
        if not 0 <= limit < 1 << (32 if name == "thread_limit" else 64):
            raise ValueError(f"{name} must be 0 or more, not {limit}")
    return limits


def _milliseconds(timeout: float | None) -> int:
    """A writer's timeout in milliseconds; -1, for the timeout given to `open`, if it is None."""
    return -1 if timeout is None else round(timeout * 1000)


class Database(Closing):
    """A database file, open in this process. For any thread; a snapshot or transaction belongs to one thread.

    After a fork, the child has to open the database again: inherited objects raise `ForkedError`. A process of
    `multiprocessing` that is spawned may receive the database as an argument; the process opens it again.
    """

    _ends = "database_close"

    def __init__(self, path: str, models: tuple[type, ...], options: dict[str, Any]) -> None:
        self._arguments = (path, models, options)
        self._models = {declared.name: declared for declared in map(schema.declared, models)}
        handle, key = c_void_p(), options["key"]
        opening = OpenOptions(
            size=sizeof(OpenOptions), read_only=options["read_only"], must_exist=options["must_exist"], in_memory=options["in_memory"],
            file_mode=options["file_mode"], lock_timeout_milliseconds=max(1, round(options["timeout"] * 1000)),
            encryption_key=key, encryption_key_length=len(key) if key is not None else 0,
            flush_timeout_milliseconds=max(1, round(options["flush_timeout"] * 1000)), **options["limits"])
        self._handle: int | None = None
        self._process = os.getpid()
        # The snapshots, transactions, commit sources, watches and followings opened through the database, by number.
        self._opened: dict[int, weakref.ref[Any]] = {}
        with given(options["importing"]) as importing:
            if importing is not None:
                opening.importing = pointer(importing)
            check(library.database_open(*named(path), byref(opening), byref(handle)))
        self._handle = handle.value
        try:
            if models or options["version"] is not None:
                self._adopt(options["version"], options["migrate"], options["read_only"])
        except BaseException:
            # The exception refers to the database, and would keep the file in use.
            self.close()
            raise

    def _adopt(self, version: int | None, migrate: Migration | None, read_only: bool) -> None:
        with self.read() as snapshot:
            # Checked in a snapshot first, so that opening a file that needs no change waits for no writer.
            there = snapshot.classes
            if schema.has_all(there, self._models.values(), for_reading=read_only) and version in (None, snapshot.schema_version):
                return
        if version is None:
            with self.write() as transaction:
                transaction.create_models(*(declared.cls for declared in self._models.values()))
        else:
            update(self, self._models.values(), there, version, migrate, lambda handle: Transaction(self, handle, True))

    def _open(self) -> int:
        if self._handle is None:
            raise ClosedError("this database is closed")
        roll_back_left()
        return self._handle

    def close(self) -> None:
        """Closes the database and everything opened through it: snapshots with their lists and queries, commits,
        watches and followings, whose loops end. Each raises `ClosedError` afterwards. A transaction of this thread is
        rolled back; a transaction of another thread goes on until that thread ends it. A snapshot that another thread
        used last ends when that thread next uses it or drops it."""
        # Cleared first: what is opened from now on is closed by the code that opens it.
        handle, self._handle = self._handle, None
        if not handle:
            return
        # Handles that a forked child inherits belong to the parent.
        if self._process == os.getpid():
            opened = [one for reference in list(self._opened.values()) if (one := reference()) is not None]
            # Readers last, because watches and followings use some of them.
            for one in sorted(opened, key=lambda one: isinstance(one, Reader)):
                with contextlib.suppress(FreeholdError):
                    one._close_with_database()
        check(library.database_close(handle))

    def _tracked(self, opened: Opened) -> Opened:
        """Registers an object just opened through the database, so that closing the database closes it."""
        number, references = next(_numbers), self._opened
        references[number] = weakref.ref(opened, lambda _: references.pop(number, None))
        if self._handle is None:
            opened._close_with_database()
            raise ClosedError("this database is closed")
        return opened

    @property
    def path(self) -> str:
        """The file's path, with symbolic links resolved."""
        place = Text()
        check(library.database_path(self._open(), byref(place)))
        return text(place)

    def read(self) -> Snapshot:
        """Opens a snapshot of the newest version: no lock, no waiting. Close it soon, best with `with`."""
        handle = c_void_p()
        check(library.snapshot_begin(self._open(), byref(handle)))
        return self._tracked(Snapshot(self, handle.value))

    def write(self, *, durable: bool = True, timeout: float | None = None) -> Transaction:
        """Begins a write transaction once all other writers, of any process, have ended; raises `BusyError` if the time
        is up. In a `with` statement the transaction is committed at the end, or rolled back if an exception leaves the
        block.

        durable: whether the commit survives a power cut when it returns. It survives the death of any process in any case.
        """
        turn = Turn(self._arguments[0])
        check(library.transaction_begin(self._open(), _milliseconds(timeout), byref(turn.handle)))
        return self._tracked(Transaction(self, turn.handle.value, durable, turn))

    @contextlib.asynccontextmanager
    async def write_async(self, *, durable: bool = True, timeout: float | None = None) -> AsyncIterator[Transaction]:
        """Begins a write transaction in asyncio: the loop continues while it waits for other writers and for the disk.
        The block runs on the loop's thread. All other writers wait for it, so it should await nothing slow.

            async with database.write_async() as transaction:
                transaction.add(Person(1, "Ada"))
        """
        turn = Turn(self._arguments[0])
        await begin(self, _milliseconds(timeout), turn)
        transaction = self._tracked(Transaction(self, turn.handle.value, durable, turn))
        try:
            yield transaction
            transaction._check_not_lost()
            if transaction._handle is not None:
                await transaction.commit_async()
        except BaseException:
            transaction.rollback()
            raise

    def wait(self, after: int, timeout: float = 1e9) -> int | None:
        """Waits until a version above `after` can be read, and returns the newest version; None if the time is up."""
        version = c_uint64()
        milliseconds = min(round(timeout * 1000), 1 << 40)
        return version.value if in_time(library.database_wait(self._open(), after, milliseconds, byref(version))) else None

    def commits(self, timeout: float | None = None) -> Commits:
        """The commits of all processes, as an iterator (`for version in …`) and for asyncio (`async for version in …`).
        A `for` loop ends after `timeout` seconds without a commit."""
        return Commits(self, timeout)

    def watch(self, cls: str | type, timeout: float | None = None) -> Watch:
        """The changes of commits to a class, by keys: `for changes in database.watch("Person")`, or `async for`. A
        `for` loop ends after `timeout` seconds without a change."""
        return Watch(self, schema.class_name(cls), timeout)

    def follow(self, *followed: Any, timeout: float | None = None) -> Following:
        """The changes of commits to results, groups and collections (by positions), to objects, and, if the database
        itself is passed, the names of changed classes. To follow one thing, use its `watch()`. A `for` loop ends after
        `timeout` seconds without a change."""
        return Following(self, followed, timeout)

    _has_keys = False

    def _follow(self, watch: int, _: Encoder, answer: Any, paths: Sequence[str] | None) -> None:
        unlooked(self, paths)
        check(library.watch_database(watch, answer))

    def flush(self) -> None:
        """Waits until all committed versions survive a power cut."""
        check(library.database_flush(self._open()))

    @property
    def sync(self) -> Sync:
        """What an agent shall do for the file, and how it goes: `database.sync.download()`."""
        return Sync(self._open)

    def sync_push(self) -> bytes | None:
        """All that is not known to be at the server, as one message for it; None if nothing is pending. What the message contains
        is durable, and it may be sent again."""
        return pieces(lambda callback: library.sync_push(self._open(), callback, None))

    def sync_pull(self) -> bytes:
        """The question for what has changed at the server, as a message for it."""
        return pieces(lambda callback: library.sync_pull(self._open(), callback, None)) or b""

    def sync_apply(self, message: bytes, *, merge: SyncMerge | None = None) -> SyncReport | None:
        """Applies a message from the server, in one commit. `merge` gives the value of a property that is declared with
        `merged=True`, of which there are two; without it the server's wins. If it raises, nothing is applied. None if
        there is nothing to apply: a batch was acknowledged, or the answer is to a question that the file would not ask
        any more; then ask again."""
        return applied(self._open(), bytes(memoryview(message)), merge)

    def copy(self, path: str | os.PathLike[str], *, key: bytes | None = None, same_key: bool = True) -> None:
        """Writes a compact copy of the newest version; encrypted with another key, or, with `same_key=False`,
        unencrypted."""
        place, key = named(os.fspath(path)), _key(key)
        if key is None and same_key:
            check(library.database_copy(self._open(), *place))
        else:
            check(library.database_copy_under_key(self._open(), *place, key, len(key) if key is not None else 0))

    def backup(self, path: str | os.PathLike[str]) -> int:
        """Writes a verified backup of the newest version; returns how many bytes were copied."""
        copied = c_uint64()
        check(library.database_backup(self._open(), *named(os.fspath(path)), byref(copied)))
        return copied.value

    def import_from(self, source: ImportSource | str | os.PathLike[str]) -> ImportReport:
        """Imports another database, named by its path or an `ImportSource`, or waits until another process has. Not within
        a transaction of the same thread."""
        return imported(self._open(), source)

    def build_indexes(self, progress: Progress | None = None) -> None:
        """Builds the full-text indexes and the indexes of places that are not complete, in slices, while others read and
        write. `progress` is called before each slice and at the end; if it returns False or raises, building stops, and a
        later call continues it. Not within a transaction of the same thread."""
        build(self._open(), progress)

    def compact(self) -> tuple[int, int]:
        """Shortens the file while others read and write; returns its lengths before and after."""
        before, after = c_uint64(), c_uint64()
        check(library.database_compact(self._open(), byref(before), byref(after)))
        return before.value, after.value

    def acknowledge_lost_version(self) -> None:
        """Acknowledges a lost version, so that no process ever reports it again (`sizes().lost_version`)."""
        check(library.database_acknowledge_lost_version(self._open()))

    def change_key(self, key: bytes) -> None:
        """Replaces the key of this encrypted database."""
        key = bytes(memoryview(key))
        check(library.database_change_key(self._open(), key, len(key)))

    def sizes(self) -> Sizes:
        """The versions and lengths of the file."""
        found_sizes = Information(size=sizeof(Information))
        check(library.database_information(self._open(), byref(found_sizes), None, None))
        return Sizes(found_sizes.version, found_sizes.durable_version, found_sizes.file_length, found_sizes.used_bytes,
                     found_sizes.free_bytes, found_sizes.held_bytes, found_sizes.holder_count, found_sizes.lost_version or None)

    def check(self) -> Report:
        """Checks the newest version completely; others may write meanwhile."""
        report, problems = CheckReport(size=sizeof(CheckReport)), []

        def note(_: Any, problem: Any) -> None:
            seen = problem.contents
            problems.append(Problem(seen.kind.decode(), seen.place.decode(), seen.message.decode()))

        check(library.database_check(self._open(), byref(report), CheckCallback(note), None))
        return Report(report.version, report.classes, report.objects, report.links, tuple(problems))

    def __reduce__(self) -> tuple[Any, ...]:
        path, models, options = self._arguments
        if options["key"] is not None:
            raise TypeError("an encrypted database cannot be pickled, because its key is not passed to other processes; open it there")
        return Database, (path if options["in_memory"] else os.path.abspath(path), models, options)

    def __repr__(self) -> str:
        return f"<Database {self.path}>" if self._handle else "<Database, closed>"
