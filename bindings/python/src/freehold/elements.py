"""Lists, sets and maps of objects: views of the file, read on access."""

from __future__ import annotations

from collections.abc import MutableMapping, MutableSequence, MutableSet
from ctypes import byref, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Iterator, Sequence, overload

from . import schema
from ._library import Text, Value, library
from ._protocols import Reader
from .errors import FreeholdError, ValueTypeError, check, found
from .following import Following
from .results import Results
from .sets import AnySet
from .values import LINK, LIST, MAP, MIXED, SET, Batch, Encoder, decoded, holds_instances, map_key, named, text

_LAST = (1 << 64) - 1
_BATCH = 256


class _Collection:
    """Base class of lists, sets and maps: a handle of a collection."""

    __slots__ = ("_reader", "_handle", "_property", "_depth", "_type", "_path")
    _has_keys = False

    def __init__(self, reader: Reader, handle: int, property: schema.Property, path: tuple[Any, ...]) -> None:
        # The location: a class and a key, then the positions and keys that lead from the object's property to the
        # collection.
        self._reader, self._property, self._type, self._path = reader, property, property.type, path
        # The nesting depth within the property: 0 for the outermost collection.
        self._depth = len(path) - 2
        self._handle = handle
        reader._opened[handle] = library.collection_close

    @property
    def _here(self) -> int:
        self._reader._reader  # Raises if the reader has ended.
        return self._handle

    def _through(self, reader: Reader) -> Any:
        """This collection, read through another reader."""
        name, key, *inner = self._path
        found_class = reader._class(name)
        made = opened(reader, found_class, key, found_class.place(self._property.name))
        for at in inner:
            made = made._inner(at)
        return made

    @property
    def _target(self) -> str:
        """The class that the elements link to; empty if they are not links to one class."""
        return self._property.link_target if self._depth + 1 >= len(self._property.collections) else ""

    def where(self, text: str, /, *arguments: Any, **named_arguments: Any) -> Results[Any]:
        """The linked objects that meet a condition, in the collection's order, duplicates included:
        `person.dogs.where("age > %@", 2)`. Like `Results.where`, but such results have no aggregates and no
        `explain`."""
        return self._objects.where(text, *arguments, **named_arguments)

    def sorted(self, *paths: str) -> Results[Any]:
        """The linked objects, sorted by properties. Takes the paths of `Results.sorted`."""
        return self._objects.sorted(*paths)

    @property
    def _objects(self) -> Results[Any]:
        if not self._target:
            raise ValueTypeError("only a collection of objects of one class can be queried")
        return Results(self._reader, self._target, among=self)

    def _keys(self) -> list[int]:
        """The keys of the linked objects."""
        keys: list[int] = []
        first, values, filled = 0, (Value * _BATCH)(), c_size_t(_BATCH)
        batch = Batch(values, self._reader._object)
        while filled.value == _BATCH:
            check(library.collection_get(self._here, first, _BATCH, None, values, byref(filled)))
            keys.extend(batch.keys(filled.value))
            first += filled.value
        return keys

    def watch(self, timeout: float | None = None, *, paths: Sequence[str] | None = None) -> "Following":
        """The changes of commits, by any process, to the collection, by positions. An object in it counts as modified
        when it is modified itself or, with `paths`, when one of the paths leads to another value. `Results.watch`
        explains `timeout`. A nested collection is followed by its place: its position or key."""
        return Following(self._reader._database, (self,), timeout, paths)

    def _follow(self, watch: int, encoder: Encoder, answer: Any, paths: Sequence[str] | None) -> None:
        if self._reader._handle is None:
            with self._reader._database.read() as newest:
                return self._through(newest)._follow(watch, encoder, answer, paths)
        looked_at = (0, None) if paths is None else (len(paths), encoder.texts(list(paths)))
        check(library.watch_place(watch, self._here, *looked_at, answer))

    def __del__(self) -> None:
        # The reader may have closed the handle.
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and library is not None and self._reader._opened.pop(handle, None):
            library.collection_close(handle)

    def __len__(self) -> int:
        count = c_uint64()
        check(library.collection_count(self._here, byref(count)))
        return count.value

    def clear(self) -> None:
        """Removes all elements."""
        check(library.collection_clear(self._writable))

    @property
    def _writable(self) -> int:
        self._reader._writing()
        return self._here

    def _put(self, values: list[Any], put: Callable[..., int], *place: Any) -> None:
        """Calls a library function that puts values in a place. Model instances among the values become objects; all or
        none."""
        def work(values: list[Any]) -> None:
            encoder = Encoder()
            check(put(self._writable, *place, encoder.array(values, [self._type] * len(values))))

        transaction = self._reader._writing()
        if self._type in (LINK, MIXED) and holds_instances(values):
            with transaction._making() as known:
                work(transaction._stored(values, known))
        else:
            work(values)

    @property
    def _holds_embedded(self) -> bool:
        return bool(self._target) and self._reader._class(self._target).embedded

    def _embed_all(self, at: int | str | None, values: list[Any]) -> None:
        """Creates embedded objects, all or none."""
        transaction = self._reader._writing()
        with transaction._making() as known, transaction.savepoint():
            for value in values:
                self._embed(at, value, known)

    def _embed(self, at: int | str | None, value: Any, known: dict[int, Any]) -> None:
        """Creates an embedded object from a model's instance or a dictionary: in a list before a position or at the
        end, in a map under a key."""
        encoder, transaction = Encoder(), self._reader._writing()
        place = None if at is None else byref(encoder.value(at))
        transaction._embed_one(
            self._reader._class(self._target), value, known, lambda *rest: library.collection_embed(self._here, place, *rest))

    def _decoded(self, value: Value, at: Any) -> Any:
        if value.type in (LIST, SET, MAP):
            return self._inner(at)
        return decoded(value, self._reader._object)

    def _inner(self, at: Any) -> Any:
        encoder = Encoder()
        handle = c_void_p()
        check(library.collection_inner(self._here, byref(encoder.value(at)), byref(handle)))
        return _made(self._reader, handle.value, self._property, (*self._path, at))

    def _one(self, position: int) -> Value:
        value = Value()
        check(library.collection_get(self._here, position, 1, None, byref(value), None))
        return value

    def _all(self) -> Iterator[Any]:
        first, filled = 0, c_size_t(_BATCH)
        while filled.value == _BATCH:
            values = (Value * _BATCH)()
            check(library.collection_get(self._here, first, _BATCH, None, values, byref(filled)))
            yield from [self._decoded(values[place], first + place) for place in range(filled.value)]
            first += filled.value

    def _find(self, value: Any) -> int | None:
        encoder, position = Encoder(), c_uint64()
        return position.value if found(library.collection_find(self._here, byref(encoder.value(value, self._type)), byref(position))) else None

    @property
    def _title(self) -> str:
        return f"<{type(self).__name__} of property '{self._property.name}'>"

    def _contents(self) -> Any:
        """The contents that `repr` shows."""
        return list(self)

    def __repr__(self) -> str:
        try:
            return f"{type(self).__name__}({self._contents()!r})"
        except FreeholdError:  # Its snapshot has ended, or its object was deleted.
            return self._title


def opened(reader: Reader, object_class: schema.Class, key: int, place: int) -> Any:
    """Opens the collection that a property of an object is, or, if its type is `Any`, holds."""
    handle = c_void_p()
    if not found(library.collection_open(reader._reader, object_class.number, key, place, byref(handle))):
        raise reader._object(object_class.number, key)._gone()
    return _made(reader, handle.value, object_class.properties[place], (object_class.name, key))


def _made(reader: Reader, handle: int, property: schema.Property, path: tuple[Any, ...]) -> Any:
    kind = c_uint32()
    check(library.collection_kind(handle, byref(kind)))
    return {LIST: List, MAP: Map}.get(kind.value, Set)(reader, handle, property, path)


class List(_Collection, MutableSequence):
    """A list property of an object."""

    __slots__ = ()

    def _position(self, index: int, end: int | None = None) -> int:
        count = len(self) if end is None else end
        if index < 0:
            index += count
        if not 0 <= index < count:
            raise IndexError(f"index {index} is out of range; the list has {count} elements")
        return index

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        position = self._position(index)
        return self._decoded(self._one(position), position)

    def __iter__(self) -> Iterator[Any]:
        return self._all()

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            raise TypeError("a slice of a list cannot be assigned; set single elements or the whole property")
        position = self._position(index)
        if self._holds_embedded:
            self._embed_all(position, [value])
            check(library.list_remove(self._writable, position + 1, 1))
        else:
            self._put([value], library.list_set, position)

    def __delitem__(self, index: Any) -> None:
        places = range(*index.indices(len(self))) if isinstance(index, slice) else [self._position(index)]
        for place in sorted(places, reverse=True):
            check(library.list_remove(self._writable, place, 1))

    def insert(self, index: int, value: Any) -> None:
        """Inserts a value before an element."""
        count = len(self)
        place = max(0, index + count) if index < 0 else min(index, count)
        if self._holds_embedded:
            self._embed_all(place, [value])
        else:
            self._put([value], library.list_insert, place, 1)

    def append(self, value: Any) -> None:
        """Adds a value at the end."""
        self.extend([value])

    def extend(self, values: Any) -> None:
        """Adds values at the end."""
        values = list(values)
        if self._holds_embedded:
            self._embed_all(None, values)
        else:
            self._put(values, library.list_insert, _LAST, len(values))

    def move(self, index: int, target: int) -> None:
        """Moves an element; `target` is its position afterwards."""
        check(library.list_move(self._writable, self._position(index), self._position(target)))

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The first position of a value."""
        if start == 0 and stop is None:
            place = self._find(value)
            if place is not None:
                return place
            raise ValueError(f"{value!r} is not in the list")
        return super().index(value, start, stop)

    def __contains__(self, value: object) -> bool:
        return self._find(value) is not None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (list, List)) and list(self) == list(other)

    __hash__ = None


class Set(_Collection, MutableSet):
    """A set property of an object, in the order of its values."""

    __slots__ = ()

    # The type of the results of `|`, `&`, `-` and `^`; not a class method, because it depends on the property.
    def _from_iterable(self, values: Any) -> Any:  # type: ignore[override]
        return AnySet(values) if self._type == MIXED else set(values)

    def __iter__(self) -> Iterator[Any]:
        return self._all()

    def __contains__(self, value: object) -> bool:
        return self._find(value) is not None

    def add(self, value: Any) -> None:
        """Adds a value unless the set has it."""
        self.update([value])

    def update(self, values: Any) -> None:
        """Adds the values that the set does not have."""
        values = list(values)
        self._put(values, library.set_insert, len(values))

    def discard(self, value: Any) -> None:
        """Removes a value if the set has it."""
        encoder = Encoder()
        check(library.set_remove(self._writable, 1, byref(encoder.value(value, self._type))))


class Map(_Collection, MutableMapping):
    """A map property of an object, in the order of its keys."""

    __slots__ = ()

    def _place(self, key: str) -> int:
        place = self._find_key(key)
        if place is None:
            raise KeyError(key)
        return place

    def _find_key(self, key: Any) -> int | None:
        encoder, position = Encoder(), c_uint64()
        if not isinstance(key, str):
            return None
        return position.value if found(library.collection_find(self._here, byref(encoder.value(key)), byref(position))) else None

    def __getitem__(self, key: str) -> Any:
        return self._decoded(self._one(self._place(key)), key)

    def __contains__(self, key: object) -> bool:
        return self._find_key(key) is not None

    def __setitem__(self, key: str, value: Any) -> None:
        if self._holds_embedded and value is not None:
            self._embed_all(map_key(key), [value])
        else:
            self._put([value], library.map_set, *named(map_key(key)))

    def __delitem__(self, key: str) -> None:
        if not isinstance(key, str) or not found(library.map_remove(self._writable, *named(key))):
            raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        first, filled = 0, c_size_t(_BATCH)
        while filled.value == _BATCH:
            keys = (Text * _BATCH)()
            check(library.collection_get(self._here, first, _BATCH, keys, None, byref(filled)))
            yield from [text(keys[place]) for place in range(filled.value)]
            first += filled.value

    def inner(self, key: str) -> Any:
        """The collection under a key; its first change creates it."""
        return self._inner(key)

    def _contents(self) -> Any:
        return dict(self)
