"""Following queries, groups, collections, objects and databases from version to version, with their changes."""

from __future__ import annotations

import collections
from ctypes import byref, c_bool, c_int64, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any, Sequence

from . import _library
from ._closing import Closing
from ._library import DeliveryCallback, library
from ._protocols import Database
from ._waiting import Waiting
from .errors import ArgumentError, ClosedError, FreeholdError, check, error_of, usable
from .values import Encoder, text


@dataclass(frozen=True)
class AnswerChanges:
    """The changes of one answer, by positions, ascending. An element that moved among the others is deleted and
    inserted. To turn the old answer into the new one, apply in this order: deletions from the last to the first,
    insertions from the first to the last, and re-read the elements at `modified`."""

    #: The results, groups, collection, object or database that changed: the same instance that is followed.
    of: Any
    #: The version of the new answer.
    version: int
    #: Positions in the old answer.
    deletions: tuple[int, ...] = ()
    #: Positions in the new answer.
    insertions: tuple[int, ...] = ()
    #: Elements that stayed and changed: their positions in the old answer, and in the new one.
    modifications: tuple[int, ...] = ()
    modified: tuple[int, ...] = ()
    #: Of a query: the keys of the objects at `insertions` and at `modified`. Of a map: its keys there.
    inserted_keys: tuple[Any, ...] = ()
    modified_keys: tuple[Any, ...] = ()
    #: Of a map: the deleted keys.
    deleted_keys: tuple[str, ...] = ()
    #: Of an object: the names of the properties whose values differ; all properties if commits took the older version
    #: away.
    properties: tuple[str, ...] = ()
    #: Of a database: the names of the classes that changed or were created or dropped; all classes if commits took the
    #: older version away.
    classes: tuple[str, ...] = ()
    #: Of an object: it was deleted for good. Of a collection: its object was deleted, with all elements. Of a nested
    #: collection: there is none in its place any more.
    gone: bool = False
    #: The error that ended following this: the newer version lacks something that it reads.
    error: FreeholdError | None = None


class Following(Waiting[AnswerChanges], Closing):
    """Follows results, collections, objects and the database together, from the newest version on; created by
    `database.follow`, or by a `watch`.

        with snapshot.objects(Person).where("age >= 18").sorted("name").watch() as following:
            for changes in following:
                print(changes.deletions, changes.insertions, changes.modifications)

    Any time may pass between two changes: if the followed version keeps too much of the file, commits take it away,
    and then everything that stayed counts as modified. If a newer version lacks something followed, `error` reports
    that once; the others go on, and loops end when nothing is left. For one thread at a time; any thread may close it.
    """

    _ends = "watch_close"

    def __init__(self, database: Database, followed: tuple[Any, ...], timeout: float | None = None, paths: Sequence[str] | None = None) -> None:
        super().__init__(timeout)
        handle = c_void_p()
        check(library.watch_open(database._open(), byref(handle)))
        self._handle = handle.value
        self._answers: dict[int, tuple[Any, bool]] = {}
        self._come: collections.deque[AnswerChanges] = collections.deque()
        # Whether following an answer ended with an error.
        self._lost = False
        database._tracked(self)
        for one in followed:
            self.add(one, paths)

    def _open(self) -> int:
        self._check_open()
        return self._handle

    def _end(self) -> None:
        Closing.close(self)

    def add(self, followed: Any, paths: Sequence[str] | None = None) -> None:
        """Also follows results (`snapshot.objects(…)`), the groups of results (`results.grouped(…)`), a collection
        (`person.dogs`), an object, or the database.

        paths: for results and collections of objects, what counts as a modification: that one of the paths leads to
            another value (`"name"`, `"boss.name"`). With `[]`, the contents of objects are not compared. Without this
            argument all of an object is compared, and what it links to, four links deep.
        """
        answer, encoder = c_uint64(), Encoder()
        followed._follow(self._open(), encoder, byref(answer), paths)
        self._answers[answer.value] = (followed, followed._has_keys)

    def stop(self, followed: Any) -> None:
        """Stops following something."""
        check(library.watch_stop(self._open(), self._answer(followed)))
        self._answers.pop(self._answer(followed))

    def _answer(self, followed: Any) -> int:
        for answer, (other, _) in self._answers.items():
            if other is followed:
                return answer
        raise ClosedError(f"{_title(followed)} is not followed here")

    @property
    def _is_over(self) -> bool:
        return self._lost and not self._answers and not self._come

    @property
    def version(self) -> int:
        """The version of the answers."""
        version = c_uint64()
        check(library.watch_version(self._open(), byref(version)))
        return version.value

    @property
    def descriptor(self) -> int:
        with self._locked():
            return usable(library.watch_descriptor(self._open()))

    def count(self, followed: Any) -> int:
        """How many objects, groups or elements an answer has, in this version; 1 for an object, or 0 if it was
        deleted."""
        count = c_uint64()
        check(library.watch_count(self._open(), self._answer(followed), byref(count)))
        return count.value

    def keys(self, followed: Any) -> list[int]:
        """The keys of the objects of followed results, in this version."""
        return list(self._keys(self._answer(followed), 0, self.count(followed)))

    def _keys(self, answer: int, first: int, count: int) -> tuple[int, ...]:
        keys, filled = (c_int64 * count)(), c_size_t()
        check(library.watch_keys(self._open(), answer, first, count, keys, byref(filled)))
        return tuple(keys[: filled.value])

    def _keys_at(self, answer: int, positions: tuple[int, ...]) -> tuple[int, ...]:
        """The keys at these positions; consecutive positions are read in one call."""
        keys: list[int] = []
        while len(keys) < len(positions):
            first, count = positions[len(keys)], 1
            while len(keys) + count < len(positions) and positions[len(keys) + count] == first + count:
                count += 1
            keys.extend(self._keys(answer, first, count))
        return tuple(keys)

    def poll(self) -> AnswerChanges | None:
        if not self._come:
            with self._locked():
                self._deliver()
        return self._come.popleft() if self._come else None

    def _deliver(self) -> None:
        failures: list[BaseException] = []

        def told(_: Any, delivery: Any) -> None:
            try:
                self._note(delivery.contents)
            except BaseException as failure:  # It must not leave a callback of the library.
                failures.append(failure)

        code = library.watch_deliver(self._open(), DeliveryCallback(told), None, byref(c_bool()))
        if failures:
            raise failures[0]
        check(code)

    def _note(self, delivery: _library.Delivery) -> None:
        followed, has_keys = self._answers[delivery.answer]
        deletions, insertions, modifications, modified = (
            tuple(positions.positions[: positions.count]) if positions.count else ()
            for positions in (delivery.deletions, delivery.insertions, delivery.modifications, delivery.modified))
        error = None
        if delivery.code:
            error = error_of(delivery.code, f"{_title(followed)} can no longer be followed: the newer version lacks a class or property that it needs")
            self._answers.pop(delivery.answer)
            self._lost = True
        properties, classes, deleted_keys, inserted_keys, modified_keys = (
            tuple(map(text, texts.texts[: texts.count])) if texts.count else ()
            for texts in (delivery.properties, delivery.classes, delivery.deleted_keys, delivery.inserted_keys, delivery.modified_keys))
        if has_keys and not error:
            inserted_keys, modified_keys = self._keys_at(delivery.answer, insertions), self._keys_at(delivery.answer, modified)
        self._come.append(AnswerChanges(
            followed, self.version, deletions, insertions, modifications, modified, inserted_keys, modified_keys, deleted_keys, properties, classes,
            delivery.gone, error))


def unlooked(followed: Any, paths: Sequence[str] | None) -> None:
    """Raises if paths are given for something that takes none."""
    if paths is not None:
        raise ArgumentError(f"paths apply to results and to collections of objects, not to {_title(followed)}")


def _title(followed: Any) -> str:
    """The name in error messages. Reads nothing: the reader may have ended."""
    return followed._title if hasattr(type(followed), "_title") else repr(followed)
