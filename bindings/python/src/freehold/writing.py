"""Writing: transactions, which are committed as a whole or not at all."""

from __future__ import annotations

import contextlib
import dataclasses
from ctypes import byref, c_char_p, c_int64, c_uint32, c_uint64, c_void_p, cast, sizeof
from typing import Any, Callable, Iterable, Iterator, Sequence

from . import columns, schema
from ._library import JSONOptions, JSONReport, Text, library
from ._making import Packings
from ._pending import flushed
from ._protocols import Database
from ._turn import Turn
from .elements import Map
from .errors import (
    CLOSED, OK, ArgumentError, ClosedError, DeletedError, FreeholdError, SchemaError, ValueTypeError, check, found, last_error,
)
from .migrating import Migrating
from .objects import Object
from .values import LINK, MAP, Encoder, holds_instances, named

#: Types whose values contain no other values.
_SINGLE = frozenset((type(None), bool, int, float, str, bytes))


class Transaction(Migrating):
    """A write transaction, begun by `database.write()`; reads the newest version with its own changes. For the thread
    that began it. If it is dropped before it has ended, that thread rolls it back when it can, and a `ResourceWarning`
    is issued.

        with database.write() as transaction:
            ada = transaction.create("Person", id=1, name="Ada")
            ada.age = 36
    """

    def __init__(self, database: Database, handle: int, durable: bool, turn: Turn | None = None) -> None:
        super().__init__(database, handle)
        # Rolls the transaction back once nothing refers to it; None if other code ends it.
        self._turn = turn
        self._durable = durable
        # Whether closing the database rolled the transaction back.
        self._lost = False
        self._packings = Packings()

    _reads = "transaction_reader"

    def _writing(self) -> "Transaction":
        self._open()
        return self

    # --- ending the transaction

    def commit(self) -> int:
        """Commits the changes; returns the new version."""
        version = c_uint64()
        self._end(lambda handle: library.transaction_commit(handle, 0 if self._durable else 1, byref(version)))
        return version.value

    async def commit_async(self) -> int:
        """Commits the changes, which are visible to all at once, and waits in asyncio until they survive a power cut;
        returns the new version. If the wait is cancelled, the transaction stays committed."""
        if not self._durable:
            return self.commit()
        version, pending = c_uint64(), c_void_p()
        self._end(lambda handle: library.transaction_commit_async(handle, byref(version), byref(pending)))
        await flushed(pending.value)
        return version.value

    def rollback(self) -> None:
        """Discards the changes."""
        if self._handle is not None:
            self._end(library.transaction_rollback)

    def _end(self, end: Callable[[int], int]) -> None:
        """Ends the transaction by a library function. It stays open if this is another thread, or a callback within a
        change."""
        code = end(self._open())
        failure = None if code == OK else last_error()
        if failure is None or library.reader_version(self._reading, None) == CLOSED:
            self._handle = None
            if self._turn is not None:
                self._turn.handle.value = None
            self._end_opened()
        if failure is not None:
            raise failure

    def _close_with_database(self) -> None:
        # On another thread, and within a change, it cannot be ended: it goes on until its own thread ends it.
        with contextlib.suppress(FreeholdError):
            if self._handle is not None:
                self.rollback()
                self._lost = True

    def _check_not_lost(self) -> None:
        """Raises if closing the database rolled the transaction back: code that expects a commit has to know."""
        if self._lost:
            raise ClosedError("the database was closed within this transaction, which was rolled back; commit before closing")

    def __enter__(self) -> "Transaction":
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if self._handle is None:
            if kind is None:
                self._check_not_lost()
            return
        if kind is None:
            self.commit()
        else:
            self.rollback()

    @contextlib.contextmanager
    def savepoint(self) -> Iterator[None]:
        """Rolls back the changes made within the block if an exception leaves it; the transaction goes on."""
        number = c_uint64()
        check(library.savepoint_make(self._open(), byref(number)))
        try:
            yield
        except BaseException:
            if self._handle is not None:
                check(library.savepoint_rollback(self._open(), number.value))
                check(library.savepoint_release(self._open(), number.value))
                self._forget()
            raise
        check(library.savepoint_release(self._open(), number.value))

    @contextlib.contextmanager
    def _making(self) -> Iterator[dict[int, Object]]:
        """The objects created from instances within the block, by the instances' identities; deleted if an exception
        leaves it. Uses no savepoint: that would keep a copy of changed rows, at each of many small changes."""
        known: dict[int, Object] = {}
        try:
            yield known
        except BaseException:
            for made in known.values() if self._handle is not None else ():
                library.object_delete(self._handle, made._class.number, made.key)
            raise

    # --- objects

    def create(self, cls: str | type, /, **values: Any) -> Any:
        """Creates an object with these values; other properties are null, or the type's zero. An integer primary key
        that is not given is one above the highest that there was."""
        found_class = self._class(cls)
        return Object(self, found_class, self._make(found_class, tuple(values), tuple(values.values())))

    def _make(self, found_class: schema.Class, names: tuple[str, ...], given: tuple[Any, ...]) -> int:
        packing = self._packings.find(self._classes, found_class, names, given)
        if packing is not None:
            check(library.object_create(
                self._open(), found_class.number, packing.primary, packing.count, packing.places, packing.values, packing.key))
            return packing.made
        return self._make_of_any(found_class, dict(zip(names, given)))

    def _make_of_any(self, found_class: schema.Class, values: dict[str, Any]) -> int:
        encoder, primary = Encoder(), found_class.primary_key
        primary_key = None
        if primary is not None and primary.name in values:
            primary_key = byref(encoder.value(values.pop(primary.name), primary.type))
        key = c_int64()
        with self._making() as known:
            places, array, embedded = self._arguments(found_class, values, encoder, known)
            check(library.object_create(self._open(), found_class.number, primary_key, len(places), places, array, byref(key)))
            if embedded:
                known[0] = Object(self, found_class, key.value)
                self._embed(found_class, key.value, embedded, known)
        return key.value

    def add(self, item: Any) -> Any:
        """Creates objects from a model's instance and from the instances that it links to, each once, all or none.
        Returns the instance's object."""
        return self._added(item, None)

    def _added(self, item: Any, known: dict[int, Object] | None) -> Object:
        """The object of an instance; `known` has the objects that the same call created before, None for the first
        one."""
        if known and id(item) in known:
            return known[id(item)]
        declared = schema.declared(type(item))
        if declared.embedded:
            raise SchemaError(f"'{declared.name}' is embedded; create its objects in their owners")
        found_class, values = self._class(type(item)), declared.values(item)
        if _SINGLE.issuperset(map(type, values)):
            made = Object(self, found_class, self._make(found_class, declared.names, values))
            if known is not None:
                known[id(item)] = made
            return made
        if known is None:
            with self._making() as known:
                return self._added(item, known)
        values = dict(zip(declared.names, values))
        # Created first with its plain values, so that other objects, and the object itself, can link to it.
        own = {name: value for name, value in values.items() if not holds_instances(value)}
        made = Object(self, found_class, self._make(found_class, tuple(own), tuple(own.values())))
        known[id(item)] = made
        rest = {name: value for name, value in values.items() if name not in own}
        if rest:
            self._set(made, rest, known)
        return made

    def _update(self, item: Object, values: dict[str, Any]) -> None:
        """Sets an object's properties, all or none."""
        if _SINGLE.issuperset(map(type, values.values())):
            return self._set(item, values, {})
        with self._making() as known, self.savepoint() if self._has_embedded(item._class, values) else contextlib.nullcontext():
            self._set(item, values, known)

    def _has_embedded(self, found_class: schema.Class, values: dict[str, Any]) -> bool:
        properties = (found_class.properties[found_class.place(name)] for name in values)
        return any(property.type == LINK and self._class(property.link_target).embedded for property in properties)

    def _set(self, item: Object, values: dict[str, Any], known: dict[int, Object]) -> None:
        encoder = Encoder()
        places, array, embedded = self._arguments(item._class, values, encoder, known)
        if places and not found(library.object_set(self._open(), item._class.number, item.key, len(places), places, array)):
            raise DeletedError(f"object {item.key} of class '{item._class.name}' was deleted")
        self._embed(item._class, item.key, embedded, known)

    def _arguments(self, found_class: schema.Class, values: dict[str, Any], encoder: Encoder, known: dict[int, Object]) -> tuple[Any, Any, Any]:
        """Splits values into the arguments of a call, and the values that hold embedded objects, which are created in
        place."""
        embedded: dict[str, Any] = {}
        places: list[int] = []
        types: list[int] = []
        names: list[str] = []
        plain: list[Any] = []
        for name, value in values.items():
            place = found_class.place(name)
            property = found_class.properties[place]
            if property.type == LINK and value is not None and self._class(property.link_target).embedded:
                embedded[name] = value
                continue
            places.append(place)
            types.append(property.type)
            names.append(name)
            plain.append(value if type(value) in _SINGLE else self._stored(value, known))
        return (c_uint32 * len(places))(*places), encoder.array(plain, types, names), embedded

    def _stored(self, value: Any, known: dict[int, Object]) -> Any:
        """The value with objects in place of a model's instances."""
        if hasattr(type(value), "__freehold_model__"):
            return self._added(value, known)
        if isinstance(value, dict):
            return {key: self._stored(element, known) for key, element in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._stored(element, known) for element in value]
        # Elements of a set are hashable and instances are not, so a set contains none.
        return value

    def _embed(self, found_class: schema.Class, key: int, values: dict[str, Any], known: dict[int, Object]) -> None:
        for name, value in values.items():
            place = found_class.place(name)
            property = found_class.properties[place]
            target, there = self._class(property.link_target), Object(self, found_class, key)[name]
            if _is_the_same(value, there):  # As after `house.rooms += […]`.
                continue
            if not property.collections:
                self._embed_one(target, value, known, lambda *rest: library.object_embed(self._open(), found_class.number, key, place, *rest))
                continue
            there.clear()
            for at, element in value.items() if property.collections[0] == MAP else ((None, element) for element in value):
                if element is None:
                    there[at] = None
                else:
                    there._embed(at, element, known)

    def _embed_one(self, target: schema.Class, value: Any, known: dict[int, Object], make: Any) -> None:
        values = value if isinstance(value, dict) else _values_of(value)
        encoder, key = Encoder(), c_int64()
        places, array, embedded = self._arguments(target, values, encoder, known)
        check(make(target.number, len(places), places, array, byref(key)))
        self._embed(target, key.value, embedded, known)

    def create_many(self, cls: str | type, rows: Iterable[Any], names: Sequence[str] | None = None) -> int:
        """Creates an object from each row, all or none: several times as fast as one by one. Rows are tuples or lists
        of the values of `names`, or, without names, of all properties in their order. Returns the first object's key,
        as `insert_columns` does; 0 if there was no row.

            transaction.create_many(Person, csv.reader(file), ["name", "city"])
        """
        found_class = self._class(cls)
        if isinstance(names, str):
            raise ArgumentError(f"the names of properties are a list: [{names!r}]")
        names = list(found_class.places) if names is None else list(names)
        try:
            values = list(zip(*rows, strict=True))
        except ValueError:
            raise ArgumentError("the rows have different lengths") from None
        if not values:
            return 0
        if len(values) != len(names):
            raise ArgumentError(f"a row has {len(values)} values for {len(names)} names: {', '.join(names)}")
        return columns.insert(self._open(), found_class, dict(zip(names, values)))

    def insert_columns(self, cls: str | type, values: dict[str, Any]) -> int:
        """Creates many objects from one column of values per property, all or none: several times as fast as one by
        one. NumPy arrays of numbers are read in place. Returns the first object's key; if the class assigns the keys,
        the others follow it.

            transaction.insert_columns("Sample", {"at": times, "value": numpy.random.random(1_000_000)})
        """
        return columns.insert(self._open(), self._class(cls), values)

    def import_json(self, cls: str | type, text: str | bytes, *, primary_key: str = "") -> int:
        """Reads one array of objects, or objects one after another, as `freehold import` does. The class is created,
        with that primary key, if it does not exist, and given the properties it lacks. Returns how many records became
        objects; a bad record undoes everything."""
        content, name = text.encode() if isinstance(text, str) else text, primary_key.encode()
        options = JSONOptions(sizeof(JSONOptions), Text(cast(c_char_p(name), c_void_p), len(name)), False)
        report = JSONReport(size=sizeof(JSONReport))
        check(library.json_import(
            self._open(), *named(schema.class_name(cls)), content, len(content), byref(options), byref(report), None, None))
        self._forget()
        return report.records

    def delete(self, item: Object) -> None:
        """Deletes an object. Links to it become null."""
        if not found(library.object_delete(self._open(), item._class.number, item.key)):
            raise DeletedError(f"object {item.key} of class '{item._class.name}' was deleted")

    def increment(self, item: Object, name: str, amount: int = 1) -> int:
        """Adds to an integer property of an object, and returns the sum. For a counter of a synced class the server adds up the
        increments of all devices."""
        total = c_int64()
        if not -(1 << 63) <= amount < 1 << 63:
            raise ValueTypeError(f"{amount} does not fit 64 bits")
        place = item._class.place(name)
        if not found(library.object_increment(self._open(), item._class.number, item.key, place, amount, byref(total))):
            raise DeletedError(f"object {item.key} of class '{item._class.name}' was deleted")
        return total.value

    def next_number(self, cls: str | type, sequence: str) -> int:
        """The next number of a sequence of the class: 1 at first, then one more than the last, across all processes."""
        number = c_int64()
        check(library.sequence_next(self._open(), self._class(cls).number, *named(sequence), byref(number)))
        return number.value

    def __repr__(self) -> str:
        return f"<Transaction that makes version {self.version}>" if self._handle else "<Transaction, ended>"


def _values_of(item: Any) -> dict[str, Any]:
    if not dataclasses.is_dataclass(item):
        raise SchemaError(f"an embedded object is created from an instance of its model or a dictionary, not from {item!r}")
    return {described.name: getattr(item, described.name) for described in dataclasses.fields(item)}


def _is_the_same(value: Any, there: Any) -> bool:
    """Whether a value equals what a property of embedded objects holds."""
    if isinstance(there, Map):
        return isinstance(value, (dict, Map)) and dict(value) == dict(there)
    return value == there
