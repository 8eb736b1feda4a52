"""Reading: snapshots, and the base class that they share with transactions."""

from __future__ import annotations

import threading
from ctypes import byref, c_bool, c_int64, c_uint64, c_void_p
from threading import get_ident
from typing import Any, Callable, ClassVar, TypeVar, overload

from . import schema
from ._closing import Closing
from ._library import NONE, Value, library
from ._protocols import Database, Transaction
from .elements import opened
from .errors import ArgumentError, ClosedError, NotInWriteError, UnknownNameError, check, found
from .indexing import (CollationIndex, FullTextIndex, PlaceIndex, VectorIndex, collation_indexes, full_text_indexes,
                       place_indexes, vector_indexes)
from .objects import Object
from .results import Results
from .values import Encoder

Item = TypeVar("Item")


class Reader:
    """Base class of snapshots and transactions: classes and their objects."""

    def __init__(self, database: Database, handle: int) -> None:
        self._database = database
        self._handle: int | None = handle
        self._reading: int = getattr(library, self._reads)(handle)
        # The thread that used the reader last.
        self._thread = get_ident()
        # The handles opened through the reader, with the functions that close them. They keep the file in use, so they
        # end with the reader.
        self._opened: dict[int, Callable[[int], int]] = {}
        # A buffer for one value read from the library; a reader is for one thread at a time.
        self._value = Value()
        self._value_place = byref(self._value)
        self._classes: dict[str, schema.Class] | None = None
        # Cache of `_class`: the classes by name or model.
        self._found: dict[Any, schema.Class] = {}

    # The name of the library function that returns the reader of the handle.
    _reads: ClassVar[str]

    @property
    def _reader(self) -> int:
        if self._handle is None:
            raise self._ended()
        self._thread = get_ident()
        return self._reading

    def _ended(self) -> ClosedError:
        """The error for a use after the end."""
        return ClosedError(f"this {type(self).__name__.lower()} has ended")

    def _end_opened(self) -> None:
        """Closes the handles opened through the reader that are still open."""
        while self._opened:
            handle, end = self._opened.popitem()
            end(handle)

    def _writing(self) -> Transaction:
        raise NotInWriteError("this was read through a snapshot; to change it, read it through a transaction (database.write())")

    def _open(self) -> int:
        if self._handle is None:
            raise self._ended()
        self._thread = get_ident()
        return self._handle

    @property
    def version(self) -> int:
        """The number of the version that is read; in a transaction, of the version that it creates."""
        version = c_uint64()
        check(library.reader_version(self._reader, byref(version)))
        return version.value

    @property
    def classes(self) -> dict[str, schema.Class]:
        """All classes, by name."""
        if self._classes is None:
            self._classes = schema.read_classes(self._reader)
        return self._classes

    @property
    def schema_version(self) -> int | None:
        """The version number of the program's classes; None if it was never set."""
        version = c_uint64()
        return version.value if found(library.schema_version(self._reader, byref(version))) else None

    def _forget(self) -> None:
        """Discards the cached classes; the next use reads them again."""
        self._classes, self._found = None, {}

    def _class(self, cls: str | type | schema.Class) -> schema.Class:
        found = self._found.get(cls)
        if found is None:
            found = self._found[cls] = self._class_anew(cls)
        return found

    def _class_anew(self, cls: str | type | schema.Class) -> schema.Class:
        name = cls.name if isinstance(cls, schema.Class) else schema.class_name(cls)
        try:
            return self.classes[name]
        except KeyError:
            visible = "".join(letter if letter.isprintable() else f"\\u{{{ord(letter):x}}}" for letter in name)
            raise UnknownNameError(f"there is no class '{visible}'; known are {', '.join(self.classes) or 'none'}") from None

    def _class_of(self, number: int) -> schema.Class:
        for candidate in self.classes.values():
            if candidate.number == number:
                return candidate
        raise UnknownNameError(f"there is no class number {number}")

    def _object(self, number: int, key: int) -> Object:
        if number == NONE:
            raise ArgumentError(f"the class of object {key} is not known here")
        return Object(self, self._class_of(number), key)

    def _collection(self, object_class: schema.Class, key: int, place: int) -> Any:
        return opened(self, object_class, key, place)

    @overload
    def objects(self, cls: type[Item]) -> Results[Item]: ...
    @overload
    def objects(self, cls: str) -> Results[Any]: ...

    def objects(self, cls: Any) -> Results[Any]:
        """All objects of a class, given by name or model; narrow them with `where`."""
        return Results(self, self._class(cls).name)

    @overload
    def get(self, cls: type[Item], primary_key: Any) -> Item | None: ...
    @overload
    def get(self, cls: str, primary_key: Any) -> Any: ...

    def get(self, cls: Any, primary_key: Any) -> Any:
        """The object with this primary key, or None."""
        object_class, key, encoder = self._class(cls), c_int64(), Encoder()
        wanted = object_class.primary_key.type if object_class.primary_key else None
        if found(library.object_find(self._reader, object_class.number, byref(encoder.value(primary_key, wanted)), byref(key))):
            return Object(self, object_class, key.value)
        return None

    def object(self, cls: Any, key: int) -> Any:
        """The object with this key (`Object.key`), or None."""
        made = Object(self, self._class(cls), key)
        return made if made.exists else None

    def full_text_indexes(self, cls: str | type) -> list[FullTextIndex]:
        """The full-text indexes that a class itself has, with their state; in a transaction, with that of the version which it
        began with."""
        return full_text_indexes(self._reader, self._class(cls).number)

    def place_indexes(self, cls: str | type) -> list[PlaceIndex]:
        """The indexes of places that a class itself has, with their state as `full_text_indexes` has it."""
        return place_indexes(self._reader, self._class(cls).number)

    def vector_indexes(self, cls: str | type) -> list[VectorIndex]:
        """The indexes of vectors that a class itself has, with their state as `full_text_indexes` has it."""
        return vector_indexes(self._reader, self._class(cls).number)

    def collation_indexes(self, cls: str | type) -> list[CollationIndex]:
        """The indexes in a collation that a class itself has, with their state as `full_text_indexes` has it."""
        return collation_indexes(self._reader, self._class(cls).number)


class Snapshot(Closing, Reader):
    """One version of the database, held for reading: its contents never change until it is refreshed. For one thread at
    a time."""

    _ends = "snapshot_end"
    _reads = "snapshot_reader"

    # The handle, if the database was closed while another thread may have been using the snapshot: that thread ends it.
    _left: int | None = None

    def close(self) -> None:
        """Ends the snapshot and closes what was opened through it: lists and queries raise `ClosedError` afterwards."""
        handle, self._handle, self._left = self._handle or self._left, None, None
        if handle:
            self._end_opened()
            check(library.snapshot_end(handle))

    def __del__(self) -> None:
        self._handle, self._left = self._handle or self._left, None
        super().__del__()

    @property
    def _is_anothers(self) -> bool:
        """Whether the thread that used the snapshot last is another one, and alive."""
        return self._thread != get_ident() and any(thread.ident == self._thread for thread in threading.enumerate())

    def _close_with_database(self) -> None:
        # A handle must not end while a thread uses it.
        if self._is_anothers:
            self._left, self._handle = self._handle, None
        else:
            self.close()

    def _ended(self) -> ClosedError:
        if self._left is not None and not self._is_anothers:
            self.close()
        return super()._ended()

    def refresh(self) -> bool:
        """Moves to the newest version; True if the version changed."""
        moved = c_bool()
        check(library.snapshot_refresh(self._open(), byref(moved)))
        if moved.value:
            self._forget()
        return moved.value

    def another(self) -> "Snapshot":
        """Opens another snapshot of the same version, to keep when this one is refreshed, or for another thread."""
        return self._database._tracked(self._another())

    def _another(self) -> "Snapshot":
        """Opens another snapshot that its creator closes in any case, so that the database need not track it."""
        handle = c_void_p()
        check(library.snapshot_another(self._open(), byref(handle)))
        return Snapshot(self._database, handle.value)

    def __repr__(self) -> str:
        return f"<Snapshot of version {self.version}>" if self._handle else "<Snapshot, ended>"
