"""Classes and their properties, as a file has them and as Python declares them."""

from __future__ import annotations

import ctypes
import dataclasses
import datetime
import decimal
import operator
import types
import typing
import uuid
from ctypes import byref, c_uint32, sizeof
from typing import Any, Callable, Iterable, TypeVar, overload

from ._library import NONE, ClassDefinition, ClassDetail, PropertyDetail, Text, library
from .errors import SchemaError, UnknownNameError, ValueTypeError, check
from .values import (
    BOOL, DATA, DATE, DECIMAL, DOUBLE, FLOAT, INT, LINK, LIST, MAP, MIXED, OBJECT_ID, SET, STRING, TYPE_NAMES, UUID, ObjectId, text,
)

_NULLABLE, _INDEXED, _PRIMARY_KEY, _UNIQUE, _COUNTER, _MERGED = 1, 2, 4, 8, 16, 32
_CONFLICTS = (None, "deletion_wins", "update_wins")
_RULES = ("nullify", "cascade", "deny")

#: Annotates a property that the file stores as a float of 32 bits; its values are `float`.
Float32 = typing.NewType("Float32", float)

_TYPES: dict[Any, int] = {
    bool: BOOL, int: INT, float: DOUBLE, Float32: FLOAT, str: STRING, bytes: DATA, datetime.datetime: DATE, uuid.UUID: UUID,
    ObjectId: OBJECT_ID, decimal.Decimal: DECIMAL, Any: MIXED, object: MIXED,
}
_COLLECTIONS: dict[Any, int] = {list: LIST, set: SET, dict: MAP}


@dataclasses.dataclass(frozen=True)
class Property:
    """A property of a class. `collections` contains LIST, SET or MAP of freehold.values, the outermost first."""

    name: str
    type: int
    nullable: bool = False
    indexed: bool = False
    primary_key: bool = False
    unique: bool = False
    link_target: str = ""
    delete_rule: str = "nullify"
    collections: tuple[int, ...] = ()
    counter: bool = False
    merged: bool = False

    @property
    def kind(self) -> int:
        """The kind of the property's values: the outermost collection, or the type."""
        return self.collections[0] if self.collections else self.type

    @property
    def type_name(self) -> str:
        """The type in words, such as `list of string`."""
        return " of ".join(TYPE_NAMES[kind] for kind in (*self.collections, self.type)) + (f" to {self.link_target}" if self.link_target else "")

    @classmethod
    def declared(cls, name: str, annotation: Any, **options: Any) -> "Property":
        """Declares a property by its type in Python: `int`, `str | None`, `list[float]`, `dict[str, list["Dog"]]`,
        `Any`, …"""
        collections: list[int] = []
        nullable = False
        while True:
            annotation, optional = _without_none(annotation)
            nullable = nullable or optional
            origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
            if origin not in _COLLECTIONS:
                break
            if optional:
                raise SchemaError(f"property '{name}' is an optional collection; a collection can be empty but not None")
            if origin is dict and arguments[0] is not str:
                raise SchemaError(f"property '{name}' is a dictionary with keys of type {arguments[0]}; keys must be str")
            collections.append(_COLLECTIONS[origin])
            annotation = arguments[-1]
        target = ""
        kind = _TYPES.get(annotation)
        if kind is None:
            kind, target = LINK, _target(name, annotation)
        nullable = nullable or kind == MIXED or (kind == LINK and not collections)
        return cls(name, kind, nullable=nullable, link_target=target, collections=tuple(collections), **options)

    @classmethod
    def read(cls, detail: PropertyDetail) -> "Property":
        """Creates a property from the library's description."""
        return cls(
            text(detail.name), detail.type, bool(detail.flags & _NULLABLE), bool(detail.flags & _INDEXED),
            bool(detail.flags & _PRIMARY_KEY), bool(detail.flags & _UNIQUE), text(detail.link_target), _RULES[detail.delete_rule],
            tuple(kind for kind in detail.collections if kind), bool(detail.flags & _COUNTER), bool(detail.flags & _MERGED),
        )

    def detail(self, keep: list[Any]) -> PropertyDetail:
        """Describes the property for the library; `keep` must live until the call."""
        flags = _NULLABLE * self.nullable | _INDEXED * self.indexed | _PRIMARY_KEY * self.primary_key | _UNIQUE * self.unique \
            | _COUNTER * self.counter | _MERGED * self.merged
        detail = PropertyDetail(size=sizeof(PropertyDetail), name=_kept(self.name, keep), type=self.type, flags=flags,
                                link_target=_kept(self.link_target, keep), delete_rule=_RULES.index(self.delete_rule))
        detail.collections[: len(self.collections)] = self.collections
        return detail


def _without_none(annotation: Any) -> tuple[Any, bool]:
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        rest = [part for part in typing.get_args(annotation) if part is not type(None)]
        if len(rest) == 1 and len(typing.get_args(annotation)) == 2:
            return rest[0], True
        return (Any if len(rest) > 1 else rest[0]), len(rest) < len(typing.get_args(annotation))
    return annotation, False


def _target(name: str, annotation: Any) -> str:
    if isinstance(annotation, typing.ForwardRef):
        return annotation.__forward_arg__
    if isinstance(annotation, str):
        return annotation
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return class_name(annotation)
    raise SchemaError(f"property '{name}' has type {annotation}, which is not supported")


def _kept(name: str, keep: list[Any]) -> Text:
    encoded = name.encode()
    keep.append(encoded)
    return Text(ctypes.cast(ctypes.c_char_p(encoded), ctypes.c_void_p), len(encoded)) if encoded else Text()


# --- classes as Python declares them

Model = TypeVar("Model")


def field(*, primary_key: bool = False, indexed: bool = False, unique: bool = False, delete_rule: str = "nullify", counter: bool = False,
          merged: bool = False, **options: Any) -> Any:
    """A dataclass field with database options; `options` go to `dataclasses.field`.

    In a synced class, the increments that all devices make to a `counter` are added up, and the application merges two values
    of a `merged` field that were written at the same time."""
    if delete_rule not in _RULES:
        raise SchemaError(f"unknown delete rule {delete_rule!r}; known are {', '.join(_RULES)}")
    described = {"primary_key": primary_key, "indexed": indexed, "unique": unique, "delete_rule": delete_rule, "counter": counter,
                 "merged": merged}
    return dataclasses.field(metadata={"freehold": described}, **options)


@overload
def model(cls: type[Model], /) -> type[Model]: ...
@overload
def model(*, name: str | None = None, embedded: bool = False, sync: str | None = None) -> Callable[[type[Model]], type[Model]]: ...


@typing.dataclass_transform(field_specifiers=(field, dataclasses.field))
def model(cls: Any = None, /, *, name: str | None = None, embedded: bool = False, sync: str | None = None) -> Any:
    """Makes a class a dataclass that a database can store.

        @freehold.model
        class Person:
            id: int = freehold.field(primary_key=True)
            name: str = ""
            dogs: list["Dog"] = freehold.field(default_factory=list)

    `sync="deletion_wins"` or `"update_wins"` makes it a synced class, and says what becomes of a change to an object that another
    device deletes at the same time. A class of the file that is synced stays so, whatever models say.
    """
    if sync not in _CONFLICTS:
        raise SchemaError(f"unknown rule for sync {sync!r}; known are {', '.join(map(repr, _CONFLICTS))}")

    def made(cls: type) -> type:
        cls = cls if dataclasses.is_dataclass(cls) and "__dataclass_fields__" in vars(cls) else dataclasses.dataclass(cls)
        cls.__freehold_model__ = Declared(name or cls.__name__, cls, embedded, sync)
        return cls
    return made if cls is None else made(cls)


def _attributes(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return operator.attrgetter(*names)
    return lambda item: tuple(getattr(item, name) for name in names)


class Declared:
    """A class as Python declares it."""

    def __init__(self, name: str, cls: type, embedded: bool, sync: str | None) -> None:
        self.name, self.cls, self.embedded, self.sync = name, cls, embedded, sync
        #: The names of the fields, and a function that returns their values of an instance as a tuple.
        self.names = tuple(described.name for described in dataclasses.fields(cls))
        self.values: Callable[[Any], tuple[Any, ...]] = _attributes(self.names)
        self._properties: list[Property] | None = None

    @property
    def properties(self) -> list[Property]:
        """The properties, resolved on first use: classes may name others that are declared later."""
        if self._properties is None:
            # The names of classes that do not exist yet, or that are local to a function, stay names.
            known = _Names(vars(__import__("sys").modules[self.cls.__module__]))
            self._properties = []
            for item in dataclasses.fields(self.cls):
                annotation = item.type
                # Evaluated twice for a quoted name in a module whose annotations are all strings.
                while isinstance(annotation, str):
                    annotation = eval(annotation, {}, known)  # noqa: S307 - the class's own annotation
                self._properties.append(Property.declared(item.name, annotation, **item.metadata.get("freehold", {})))
        return self._properties


class _Names(dict):
    """A module's names; any other name stands for a class to be declared under it."""

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__({**vars(__import__("builtins")), **names})

    def __missing__(self, name: str) -> Any:
        return typing.ForwardRef(name)


def declared(cls: Any) -> Declared:
    """The declaration of a model; raises for a class that is no model."""
    found = vars(cls).get("__freehold_model__") if isinstance(cls, type) else None
    if found is None:
        raise SchemaError(f"{cls!r} is not a model; decorate its class with @freehold.model")
    return found


def class_name(cls: type | str) -> str:
    """The name of a class in files."""
    return cls if isinstance(cls, str) else declared(cls).name


# --- classes as a file has them

class Class:
    """A class of a file, in one version."""

    def __init__(self, reader: int, number: int) -> None:
        detail = ClassDetail(size=sizeof(ClassDetail))
        check(library.class_info(reader, number, byref(detail)))
        self.number = number
        self.name = text(detail.name)
        self.embedded = detail.embedded
        #: How it is synced: "deletion_wins", "update_wins", or None.
        self.sync = _CONFLICTS[detail.sync]
        self.superclass_number = None if detail.superclass == NONE else detail.superclass
        #: The name of its family's root class; an object is identified by that and its key. `read_classes` sets it.
        self.family = self.name
        self.properties: list[Property] = []
        for place in range(detail.property_count):
            described = PropertyDetail(size=sizeof(PropertyDetail))
            check(library.property_info(reader, number, place, byref(described)))
            self.properties.append(Property.read(described))
        #: A pointer to each property's number, as library functions take it.
        self.pointers = [ctypes.pointer(c_uint32(place)) for place in range(len(self.properties))]
        self.places = {described.name: place for place, described in enumerate(self.properties)}
        self.primary_key = None if detail.primary_key == NONE else self.properties[detail.primary_key]

    def place(self, name: str) -> int:
        """The number of a property."""
        try:
            return self.places[name]
        except (KeyError, TypeError):
            if not isinstance(name, str):
                raise ValueTypeError(f"a property is named by a string, not {name!r}") from None
            raise UnknownNameError(f"class '{self.name}' has no property '{name}'; it has {', '.join(self.places) or 'none'}") from None

    def __repr__(self) -> str:
        return f"<class {self.name}: {', '.join(f'{item.name} {item.type_name}' for item in self.properties)}>"


def read_classes(reader: int) -> dict[str, Class]:
    """All classes that a reader shows, by name."""
    count = c_uint32()
    check(library.class_count(reader, byref(count)))
    classes = [Class(reader, number) for number in range(count.value)]
    by_number = {found.number: found for found in classes}
    for found in classes:
        top = found
        while top.superclass_number is not None:
            top = by_number[top.superclass_number]
        found.family = top.name
    return {found.name: found for found in classes}


#: A class to create: its name, its properties, whether its objects are embedded, its superclass's name ("" for none),
#: and how it is synced.
Definition = tuple[str, list[Property], bool, str, "str | None"]


def definitions(wanted: list[Definition], keep: list[Any]) -> tuple[int, Any]:
    """Describes classes for the library: their number, then the descriptions; `keep` must live until the call."""
    array = (ClassDefinition * len(wanted))()
    for place, (name, properties, embedded, superclass, sync) in enumerate(wanted):
        details = (PropertyDetail * len(properties))(*(item.detail(keep) for item in properties))
        keep.append(details)
        array[place] = ClassDefinition(size=sizeof(ClassDefinition), name=_kept(name, keep), property_count=len(properties),
                                       properties=details, embedded=embedded, superclass=_kept(superclass, keep),
                                       sync=_CONFLICTS.index(sync))
    return len(wanted), array


def definitions_of(models: Iterable[Declared], found: dict[str, Class], keep: list[Any]) -> tuple[int, Any]:
    """Describes models for the library. A model does not name a superclass: each class keeps the superclass that it has
    in the file."""
    by_number = {there.number: there.name for there in found.values()}
    superclasses = {there.name: by_number.get(there.superclass_number, "") for there in found.values()}
    return definitions(
        [(model.name, model.properties, model.embedded, superclasses.get(model.name, ""), model.sync) for model in models], keep)


def has_all(found: dict[str, Class], models: Iterable[Declared], *, for_reading: bool) -> bool:
    """Whether a file has the classes of models with all properties as declared, so that there is nothing to write. For
    reading, indexes and delete rules do not matter."""
    return all(
        model.name in found and found[model.name].embedded == model.embedded
        and (for_reading or model.sync is None or found[model.name].sync == model.sync)
        and all(_is_there(found[model.name], item, for_reading, model.sync is not None) for item in model.properties)
        for model in models)


def _is_there(found: Class, wanted: Property, for_reading: bool, is_synced: bool) -> bool:
    place = found.places.get(wanted.name)
    if place is None:
        return False
    there = found.properties[place]
    # A counter stays one where a model does not say so; in a class that is not synced it is an ordinary property.
    alike = is_synced and not for_reading
    wanted = dataclasses.replace(wanted, counter=there.counter or alike and wanted.counter, merged=there.merged or alike and wanted.merged)
    if for_reading:
        wanted = dataclasses.replace(wanted, indexed=there.indexed, unique=there.unique, delete_rule=there.delete_rule)
    # A primary key is unique, and a unique property is indexed, even if that was not declared.
    both = [dataclasses.replace(item, unique=item.unique or item.primary_key, indexed=item.indexed or item.unique or item.primary_key)
             for item in (wanted, there)]
    return both[0] == both[1]
