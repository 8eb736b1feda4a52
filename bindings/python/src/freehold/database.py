"""Databases: opening them, and what is done with whole files."""

from __future__ import annotations

import contextlib
import itertools
import os
import weakref
from ctypes import byref, c_uint64, c_void_p, create_string_buffer, sizeof
from dataclasses import dataclass
from typing import Any, AsyncIterator, Callable, Iterable, Sequence, TypeVar

from . import schema
from ._closing import Closing
from ._library import CheckCallback, CheckReport, Information, OpenOptions, Text, library
from ._pending import begin
from ._turn import Turn, roll_back_left
from .errors import ClosedError, FreeholdError, check, found, in_time
from .following import Following, unlooked
from .migrating import update
from .reading import Reader, Snapshot
from .values import Encoder, named, text
from .watching import Commits, Watch
from .writing import Transaction

Migration = Callable[[Transaction, int, int], None]
Opened = TypeVar("Opened", bound=Any)
_numbers = itertools.count()

#: Bytes of an encryption key.
KEY_LENGTH = 64


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a file."""

    kind: str
    place: str
    message: str


@dataclass(frozen=True)
class Report:
    """What a check looked at, and what it found: a file in order has no problems."""

    version: int
    classes: int
    objects: int
    links: int
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Sizes:
    """Versions, and lengths in bytes."""

    version: int
    durable_version: int
    file_length: int
    used_bytes: int
    free_bytes: int
    held_bytes: int
    holders: int
    #: The version that was durable and whose root was destroyed, so that an older one opened; None as a rule.
    lost_version: int | None = None


def generate_key() -> bytes:
    """A new random key for an encrypted database."""
    key = create_string_buffer(KEY_LENGTH)
    check(library.key_generate(key, KEY_LENGTH))
    return key.raw


def open(path: str | os.PathLike[str], models: Iterable[type] = (), *, read_only: bool = False, must_exist: bool = False,  # noqa: A001
         in_memory: bool = False, key: bytes | None = None, file_mode: int = 0, timeout: float = 10.0, flush_timeout: float = 10.0,
         decrypted_bytes_limit: int = 0, parked_bytes_limit: int = 0, parked_versions_limit: int = 0, thread_limit: int = 0,
         version: int | None = None, migrate: Migration | None = None) -> "Database":
    """Opens a database; it is made if it is not there. Other processes, of any language, may have it open as well.

    models: classes made by `freehold.model`; what the file lacks of them is added. Without any, the file's classes go by their names.
    in_memory: `path` is a name; the database lives in memory, shared by this user's processes, and goes with the last of them.
    key: KEY_LENGTH bytes (`generate_key`); a new file opened with one is encrypted.
    timeout: how long a transaction waits for another writer, in seconds.
    flush_timeout: how long a durable commit waits for its flush, in seconds.
    decrypted_bytes_limit: how much of an encrypted file stays decrypted in memory, about, in bytes; 0 for 256 MiB.
    parked_bytes_limit: what parked snapshots, and watches that sleep, may keep of the file before commits take their versions away, in bytes;
        0 for 256 MiB.
    parked_versions_limit: how many versions they may be behind before that, whatever they keep; 0 for any number.
    thread_limit: how many threads share the work of a query; 0 for as many as there are processors, 1 for none but the caller's.
    version: the number of these models' version. A file with a higher one is refused.
    migrate: for a file with a lower one (0 if it has none) called first, in the same transaction, with that, the file's version and this one; it
        changes classes and objects to what the models want, and neither commits nor rolls back.
    """
    if isinstance(models, type):
        raise TypeError(f"models are a list of classes: [{models.__name__}]")
    return Database(os.fspath(path), tuple(models), dict(
        read_only=read_only, must_exist=must_exist, in_memory=in_memory, key=_key(key), file_mode=file_mode, timeout=timeout,
        flush_timeout=flush_timeout, version=version, migrate=migrate, limits=_limits(
            decrypted_bytes_limit=decrypted_bytes_limit, parked_bytes_limit=parked_bytes_limit,
            parked_versions_limit=parked_versions_limit, thread_limit=thread_limit)))


def delete(path: str | os.PathLike[str], *, in_memory: bool = False) -> bool:
    """Removes a database and all that belongs to it, unless anyone has it open; False if there is none."""
    return found(library.database_delete_files(*named(os.fspath(path)), in_memory))


def exists(path: str | os.PathLike[str], *, in_memory: bool = False) -> bool:
    """Whether there is a database."""
    return found(library.database_exists(*named(os.fspath(path)), in_memory))


def _key(key: bytes | None) -> bytes | None:
    """What looks like bytes, as bytes."""
    return None if key is None else bytes(memoryview(key))


def _limits(**limits: int) -> dict[str, int]:
    """Numbers that C would cut silently are refused."""
    for name, limit in limits.items():
        if not 0 <= limit < 1 << (32 if name == "thread_limit" else 64):
            raise ValueError(f"{name} is a number from 0 on: {limit}")
    return limits


def _milliseconds(timeout: float | None) -> int:
    """How long a writer waits; as the database was opened if that is not told."""
    return -1 if timeout is None else round(timeout * 1000)


class Database(Closing):
    """A database file, open in this process. For any thread; snapshots and transactions are a thread's own.

    After a fork the child has to open it anew: what it inherited raises `ForkedError`. A process of `multiprocessing` may be given the
    database as an argument where it is spawned; it is opened there.
    """

    _ends = "database_close"

    def __init__(self, path: str, models: tuple[type, ...], options: dict[str, Any]) -> None:
        self._arguments = (path, models, options)
        self._models = {declared.name: declared for declared in map(schema.declared, models)}
        handle, key = c_void_p(), options["key"]
        given = OpenOptions(
            size=sizeof(OpenOptions), read_only=options["read_only"], must_exist=options["must_exist"], in_memory=options["in_memory"],
            file_mode=options["file_mode"], lock_timeout_milliseconds=max(1, round(options["timeout"] * 1000)),
            encryption_key=key, encryption_key_length=len(key) if key is not None else 0,
            flush_timeout_milliseconds=max(1, round(options["flush_timeout"] * 1000)), **options["limits"])
        self._handle: int | None = None
        self._process = os.getpid()
        # What was opened through it: snapshots, transactions, and what waits for commits; by numbers.
        self._opened: dict[int, weakref.ref[Any]] = {}
        check(library.database_open(*named(path), byref(given), byref(handle)))
        self._handle = handle.value
        try:
            if models or options["version"] is not None:
                self._adopt(options["version"], options["migrate"], options["read_only"])
        except BaseException:
            # The exception refers to this, and would keep the file in use.
            self.close()
            raise

    def _adopt(self, version: int | None, migrate: Migration | None, read_only: bool) -> None:
        with self.read() as snapshot:
            # So that whoever opens a file that is in order waits for no writer.
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
        """Closes it, and what was opened through it: snapshots with their lists and queries, commits, watches and followings, whose loops end. All of
        them raise `ClosedError` then. A transaction of this thread is rolled back; another thread's goes on until that ends it. A snapshot
        that another thread used last ends when that thread next uses it, or drops it."""
        # First of all: what is opened from now on is closed by whoever opens it.
        handle, self._handle = self._handle, None
        if not handle:
            return
        # What a child of a fork inherits is its parent's.
        if self._process == os.getpid():
            opened = [one for reference in list(self._opened.values()) if (one := reference()) is not None]
            # Readers last, as what waits uses some.
            for one in sorted(opened, key=lambda one: isinstance(one, Reader)):
                with contextlib.suppress(FreeholdError):
                    one._close_with_database()
        check(library.database_close(handle))

    def _tracked(self, opened: Opened) -> Opened:
        """What was just opened through this, which closing this closes."""
        number, references = next(_numbers), self._opened
        references[number] = weakref.ref(opened, lambda _: references.pop(number, None))
        if self._handle is None:
            opened._close_with_database()
            raise ClosedError("this database is closed")
        return opened

    @property
    def path(self) -> str:
        """The file's path, symbolic links resolved."""
        place = Text()
        check(library.database_path(self._open(), byref(place)))
        return text(place)

    def read(self) -> Snapshot:
        """Holds the newest version for reading: no lock, no waiting. End it in good time, best by `with`."""
        handle = c_void_p()
        check(library.snapshot_begin(self._open(), byref(handle)))
        return self._tracked(Snapshot(self, handle.value))

    def write(self, *, durable: bool = True, timeout: float | None = None) -> Transaction:
        """Begins to write, as soon as every other writer of any process has ended; raises `BusyError` when the time is up. Used by `with`,
        it is committed at the end, or rolled back when an exception leaves it.

        durable: whether the commit survives a power cut when it returns. It survives the death of any process in any case.
        """
        turn = Turn(self._arguments[0])
        check(library.transaction_begin(self._open(), _milliseconds(timeout), byref(turn.handle)))
        return self._tracked(Transaction(self, turn.handle.value, durable, turn))

    @contextlib.asynccontextmanager
    async def write_async(self, *, durable: bool = True, timeout: float | None = None) -> AsyncIterator[Transaction]:
        """As `write`, for asyncio: the loop goes on while other writers are waited for, and the disk. What is in the block is the loop's thread's,
        and everybody else who wants to write waits for it, so it awaits nothing that takes long.

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
        """Waits until a version above `after` can be read, which is the newest then; None when the time is up."""
        version = c_uint64()
        milliseconds = min(round(timeout * 1000), 1 << 40)
        return version.value if in_time(library.database_wait(self._open(), after, milliseconds, byref(version))) else None

    def commits(self, timeout: float | None = None) -> Commits:
        """The commits of all processes, as an iterator (`for version in …`) and for asyncio (`async for version in …`). A `for` loop ends when
        none came for `timeout` seconds."""
        return Commits(self, timeout)

    def watch(self, cls: str | type, timeout: float | None = None) -> Watch:
        """What commits change in a class, by keys: `for changes in database.watch("Person")`, or `async for`. A `for` loop ends when nothing
        came for `timeout` seconds."""
        return Watch(self, schema.class_name(cls), timeout)

    def follow(self, *followed: Any, timeout: float | None = None) -> Following:
        """What commits change in results, groups and collections, by positions, in objects, and, given the database itself, in which classes of
        it; `results.watch()` is for one alone. A `for` loop ends when nothing came for `timeout` seconds."""
        return Following(self, followed, timeout)

    _has_keys = False

    def _follow(self, watch: int, _: Encoder, answer: Any, paths: Sequence[str] | None) -> None:
        unlooked(self, paths)
        check(library.watch_database(watch, answer))

    def flush(self) -> None:
        """Waits until all that is committed survives a power cut."""
        check(library.database_flush(self._open()))

    def copy(self, path: str | os.PathLike[str], *, key: bytes | None = None, same_key: bool = True) -> None:
        """Writes a compact copy of the newest version; under another key, or, with `same_key=False`, not encrypted."""
        place, key = named(os.fspath(path)), _key(key)
        if key is None and same_key:
            check(library.database_copy(self._open(), *place))
        else:
            check(library.database_copy_under_key(self._open(), *place, key, len(key) if key is not None else 0))

    def backup(self, path: str | os.PathLike[str]) -> int:
        """Writes a verified backup of the newest version; how many bytes were copied."""
        copied = c_uint64()
        check(library.database_backup(self._open(), *named(os.fspath(path)), byref(copied)))
        return copied.value

    def compact(self) -> tuple[int, int]:
        """Shortens the file while others read and write; its lengths before and after."""
        before, after = c_uint64(), c_uint64()
        check(library.database_compact(self._open(), byref(before), byref(after)))
        return before.value, after.value

    def acknowledge_lost_version(self) -> None:
        """Ends the report of a lost version (`sizes().lost_version`), for all processes and for good."""
        check(library.database_acknowledge_lost_version(self._open()))

    def change_key(self, key: bytes) -> None:
        """Makes another key the one that opens this encrypted database."""
        key = bytes(memoryview(key))
        check(library.database_change_key(self._open(), key, len(key)))

    def sizes(self) -> Sizes:
        """Versions, and how large the file is."""
        found_sizes = Information(size=sizeof(Information))
        check(library.database_information(self._open(), byref(found_sizes), None, None))
        return Sizes(found_sizes.version, found_sizes.durable_version, found_sizes.file_length, found_sizes.used_bytes,
                     found_sizes.free_bytes, found_sizes.held_bytes, found_sizes.holder_count, found_sizes.lost_version or None)

    def check(self) -> Report:
        """Checks the newest version completely, while others may write."""
        report, problems = CheckReport(size=sizeof(CheckReport)), []

        def note(_: Any, problem: Any) -> None:
            seen = problem.contents
            problems.append(Problem(seen.kind.decode(), seen.place.decode(), seen.message.decode()))

        check(library.database_check(self._open(), byref(report), CheckCallback(note), None))
        return Report(report.version, report.classes, report.objects, report.links, tuple(problems))

    def __reduce__(self) -> tuple[Any, ...]:
        path, models, options = self._arguments
        if options["key"] is not None:
            raise TypeError("the key of an encrypted database is handed to no other process by itself; open the database there")
        return Database, (path if options["in_memory"] else os.path.abspath(path), models, options)

    def __repr__(self) -> str:
        return f"<Database {self.path}>" if self._handle else "<Database, closed>"
