"""Objects: views of the file, read on access."""

from __future__ import annotations

import dataclasses
from ctypes import byref, c_int64, c_uint32, c_uint64
from typing import Any, Sequence, TypeVar

from . import schema
from ._library import Value, library
from ._protocols import Reader
from .errors import ABSENT, DeletedError, check, found, last_error
from .following import Following, unlooked
from .sets import AnySet
from .values import LINK, MIXED, Encoder, decoded, named, written

Model = TypeVar("Model")


class Object:
    """An object of a class, read through a snapshot or a transaction: `dog.name`, `dog["name"]`.

    It holds no values: each property is read on access, and set in the transaction that the object was read through.
    Two views of one object are equal. If a property has the name of a method, use `dog["key"]`.
    """

    __slots__ = ("_reader", "_class", "key")

    def __init__(self, reader: Reader, object_class: schema.Class, key: int) -> None:
        object.__setattr__(self, "_reader", reader)
        object.__setattr__(self, "_class", object_class)
        object.__setattr__(self, "key", key)

    @property
    def _freehold_link(self) -> tuple[int, int]:
        return self._class.number, self.key

    @property
    def class_name(self) -> str:
        """The name of the object's own class, even if the object was found through a class that it extends."""
        number = c_uint32()
        if not found(library.object_class(self._reader._reader, self._class.number, self.key, byref(number))):
            raise self._gone()
        return self._reader._class_of(number.value).name

    @property
    def exists(self) -> bool:
        """Whether the object exists in the version that is read."""
        return found(library.object_exists(self._reader._reader, self._class.number, self.key))

    def __getitem__(self, name: str) -> Any:
        object_class, reader = self._class, self._reader
        place = object_class.place(name)
        property = object_class.properties[place]
        if property.collections:
            return reader._collection(object_class, self.key, place)
        if property.type == MIXED:
            reader.classes  # Reads the classes first, as `values` does.
        code = library.object_get(reader._reader, object_class.number, self.key, 1, object_class.pointers[place], reader._value_place)
        if code:
            raise self._gone() if code == ABSENT else last_error()
        return decoded(reader._value, reader._object)

    def _gone(self) -> Exception:
        return DeletedError(f"object {self.key} of class '{self._class.name}' was deleted")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.update(**{name: value})

    def __setattr__(self, name: str, value: Any) -> None:
        self.update(**{name: value})

    def update(self, /, **values: Any) -> None:
        """Sets several properties at once, all or none."""
        transaction = self._reader._writing()
        transaction._update(self, values)

    def values(self) -> dict[str, Any]:
        """All properties by name: collections as plain lists, sets and dictionaries; sets of `Any` as `AnySet`s, which
        keep `1`, `True` and `1.0` apart."""
        count = len(self._class.properties)
        array = (Value * count)()
        # Reads the classes first: values read through a transaction are borrowed until its next call, and decoding
        # links needs the classes.
        self._reader.classes
        if not found(library.object_get(self._reader._reader, self._class.number, self.key, count, None, array)):
            raise self._gone()
        return {item.name: decoded(value, self._reader._object, item.type == MIXED) for item, value in zip(self._class.properties, array)}

    def collection(self, name: str) -> Any:
        """A view of the list, set or map in a property of type `Any`. A view can be changed and followed;
        `person.extra` gives a copy. `ValueTypeError` if the property holds something else."""
        return self._reader._collection(self._class, self.key, self._class.place(name))

    def json(self) -> str:
        """The object as JSON, in the format of `freehold export`."""
        return written(lambda callback: library.json_object(self._reader._reader, self._class.number, self.key, callback, None))

    def load(self, cls: type[Model], depth: int = 1) -> Model:
        """Copies the object into an instance of a model, which no longer needs the file. Linked objects are copied as
        well, up to `depth` links away; links beyond that lead to objects of the file."""
        return _loaded(self, cls, depth, {})

    def backlinks(self, origin: str | type, property: str) -> list["Object"]:
        """The objects of a class that link to this one through a property."""
        other = self._reader._class(origin)
        count = c_uint64()
        place = other.place(property)
        check(library.object_backlinks(self._reader._reader, self.key, other.number, place, 0, None, byref(count)))
        keys = (c_int64 * max(count.value, 1))()
        check(library.object_backlinks(self._reader._reader, self.key, other.number, place, count.value, keys, byref(count)))
        return [Object(self._reader, other, key) for key in keys[: count.value]]

    def delete(self) -> None:
        """Deletes the object."""
        self._reader._writing().delete(self)

    # --- following

    _has_keys = False

    def watch(self, timeout: float | None = None) -> "Following":
        """The properties that commits of any process change, and whether the object is deleted:
        `for changes in person.watch()`, or `async for`. `Results.watch` explains `timeout`."""
        return Following(self._reader._database, (self,), timeout)

    def _follow(self, watch: int, encoder: Encoder, answer: Any, paths: Sequence[str] | None) -> None:
        unlooked(self, paths)
        check(library.watch_object(watch, *named(self._class.name), self.key, answer))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Object) and self.key == other.key and self._class.family == other._class.family \
            and self._reader._database is other._reader._database

    def __hash__(self) -> int:
        return hash((self._class.family, self.key))

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), *self._class.places]

    def __repr__(self) -> str:
        return f"<{self._class.name} {self.key}>"


def _loaded(item: Object, cls: Any, depth: int, known: dict[tuple[str, int], Any]) -> Any:
    place = (item._class.name, item.key)
    if place in known:
        return known[place]
    made = cls.__new__(cls)
    known[place] = made
    values = item.values()
    for described in dataclasses.fields(cls):
        value = values[described.name]
        property = item._class.properties[item._class.places[described.name]]
        if property.type == LINK and depth > 0:
            target = item._reader._database._models.get(property.link_target)
            if target is not None:
                value = _replaced(value, lambda other: _loaded(other, target.cls, depth - 1, known))
        object.__setattr__(made, described.name, value)
    return made


def _replaced(value: Any, replace: Any) -> Any:
    if isinstance(value, Object):
        return replace(value)
    if isinstance(value, dict):
        return {key: _replaced(element, replace) for key, element in value.items()}
    if isinstance(value, (list, set, AnySet)):
        return type(value)(_replaced(element, replace) for element in value)
    return value


# --- collections
