"""Creating and changing classes in a transaction, and migrating files to the program's classes."""

from __future__ import annotations

from ctypes import byref, c_uint32
from typing import Any, Callable, Iterable, Sequence, TypeVar

from . import schema
from ._library import NONE, ConvertCallback, MigrationCallback, library
from ._protocols import Database
from .errors import ValueTypeError, check
from .indexing import Elements, Field, Metric, places, shape, tag, texts
from .reading import Reader
from .values import Encoder, decoded, named

#: The error code that a failed callback returns; the exception itself is kept.
_FAILED = 4000

#: The kind of transaction that a migration receives: the one of `writing`.
Migrator = TypeVar("Migrator", bound=Reader)


class Migrating(Reader):
    """The schema changes of a transaction."""

    def create_class(self, name: str, /, *, embedded: Any = False, **properties: Any) -> None:
        """Creates a class from the types of its properties:
        `create_class("Dog", name=str, owner="Person", tags=list[str])`. Use
        `Property.declared("id", int, primary_key=True)` where a type is not enough. `embedded=True` creates a class of
        embedded objects; any other value is the type of a property named `embedded`."""
        if not isinstance(embedded, bool):
            embedded, properties = False, {**properties, "embedded": embedded}
        listed = [value if isinstance(value, schema.Property) else schema.Property.declared(key, value) for key, value in properties.items()]
        keep: list[Any] = []
        check(library.classes_create(self._open(), *schema.definitions([(name, listed, embedded, "", None)], keep)))
        self._forget()

    def create_models(self, *models: type) -> None:
        """Adds to the file the classes, properties and indexes of models that it lacks; other declarations stay. Raises
        `SchemaError`, and changes nothing, where a property has another type or a class another primary key."""
        keep: list[Any] = []
        check(library.schema_adopt(self._open(), *schema.definitions_of(map(schema.declared, models), self.classes, keep)))
        self._forget()

    def rename_class(self, cls: str | type, new_name: str) -> None:
        """Renames a class; links to its objects stay."""
        check(library.class_rename(self._open(), self._class(cls).number, *named(new_name)))
        self._forget()

    def drop_class(self, cls: str | type) -> None:
        """Deletes a class with its objects."""
        check(library.class_drop(self._open(), self._class(cls).number))
        self._forget()

    def unmark_synced(self, cls: str | type) -> None:
        """Makes a synced class an ordinary one, and drops what is not sent yet."""
        check(library.class_unmark_synced(self._open(), self._class(cls).number))
        self._forget()

    def set_primary_key(self, cls: str | type, name: str | None) -> None:
        """Makes a property the primary key; None removes the primary key. `DuplicateKeyError` if objects have equal
        values."""
        found_class = self._class(cls)
        check(library.class_set_primary_key(self._open(), found_class.number, NONE if name is None else found_class.place(name)))
        self._forget()

    def add_property(self, cls: str | type, property: schema.Property) -> None:
        """Adds a property to a class; existing objects have null there, or the type's zero."""
        keep: list[Any] = []
        check(library.property_add(self._open(), self._class(cls).number, byref(property.detail(keep)), None))
        self._forget()

    def rename_property(self, cls: str | type, name: str, new_name: str) -> None:
        """Renames a property."""
        check(library.property_rename(self._open(), *self._place(cls, name), *named(new_name)))
        self._forget()

    def drop_property(self, cls: str | type, name: str) -> None:
        """Deletes a property with its values."""
        check(library.property_drop(self._open(), *self._place(cls, name)))
        self._forget()

    def set_indexed(self, cls: str | type, name: str, indexed: bool = True) -> None:
        """Adds or removes the index over a property."""
        check(library.property_set_indexed(self._open(), *self._place(cls, name), indexed))
        self._forget()

    def add_index(self, cls: str | type, *names: str, unique: bool = False) -> None:
        """Adds an index over one or several properties; with `unique`, no two objects may have equal values there."""
        found_class = self._class(cls)
        places = (c_uint32 * len(names))(*map(found_class.place, names))
        check(library.class_add_index(self._open(), found_class.number, len(names), places, unique))
        self._forget()

    def add_full_text_index(self, cls: str | type, fields: Sequence[Field], language: str | None = None) -> None:
        """Adds a full-text index over string properties, or those of objects that to-one links lead to, each with its
        weight in scores if that is not 1; an index over the same properties gets the weights. The commit builds it for up
        to 20,000 objects, and `Database.build_indexes` for the others. Programs that do not know such indexes can read the
        file from then on, and not write it.

        With a language, `"english"` or another one that docs/full-text.md names, a word of a search finds all forms of the
        word; that needs the library libstemmer. An index over the same properties in another language is built anew.

            transaction.add_full_text_index("Article", ["title", ("body", 0.5), "author.name"], language="english")
        """
        encoder, handle, number = Encoder(), self._open(), self._class(cls).number
        if language is not None and not isinstance(language, str):
            raise ValueTypeError(f"the language of a full-text index is a string such as 'english', not {language!r}")
        if language is None:
            check(library.class_add_full_text_index(handle, number, *texts(fields, encoder)))
        else:
            check(library.class_add_full_text_index_in(handle, number, *texts(fields, encoder), *named(language)))
        self._forget()

    def drop_full_text_index(self, cls: str | type, fields: Sequence[Field]) -> None:
        """Drops the full-text index over these properties, in any order and whatever their weights."""
        encoder = Encoder()
        check(library.class_drop_full_text_index(self._open(), self._class(cls).number, *texts(fields, encoder)))
        self._forget()

    def add_place_index(self, cls: str | type, *fields: str | Sequence[str]) -> None:
        """Adds an index of places: over a latitude and a longitude, or over the objects with `type` and `coordinates` that a
        to-one link leads to, or, without a field, over the class's own. It is built as full-text indexes are.

            transaction.add_place_index("Shop", "latitude", "longitude")
            transaction.add_place_index("Cafe", "location")
        """
        encoder = Encoder()
        check(library.class_add_place_index(self._open(), self._class(cls).number, *places(fields, encoder)))
        self._forget()

    def drop_place_index(self, cls: str | type, *fields: str | Sequence[str]) -> None:
        """Drops the index of places that `add_place_index` adds with these fields."""
        encoder = Encoder()
        check(library.class_drop_place_index(self._open(), self._class(cls).number, *places(fields, encoder)))
        self._forget()

    def add_vector_index(self, cls: str | type, name: str, dimensions: int, elements: Elements = "float32",
                         metric: Metric = "cosine") -> None:
        """Adds an index of the vectors in a property of type `data`, for queries with the same dimensions, elements and
        metric. It is built as full-text indexes are.

            transaction.add_vector_index("Item", "embedding", 384)
        """
        check(library.class_add_vector_index(self._open(), *self._place(cls, name), *shape(dimensions, elements, metric)))
        self._forget()

    def drop_vector_index(self, cls: str | type, name: str) -> None:
        """Drops the index of vectors over a property."""
        check(library.class_drop_vector_index(self._open(), *self._place(cls, name)))
        self._forget()

    def add_collation_index(self, cls: str | type, name: str, language: str) -> None:
        """Adds an index of a string property in the order of a language, a BCP 47 tag, for `COLLATE`. It needs ICU, and is
        built as full-text indexes are.

            transaction.add_collation_index("Person", "name", "de")
        """
        check(library.class_add_collation_index(self._open(), *self._place(cls, name), *named(tag(language))))
        self._forget()

    def drop_collation_index(self, cls: str | type, name: str, language: str) -> None:
        """Drops the index of a property in the order of a language."""
        check(library.class_drop_collation_index(self._open(), *self._place(cls, name), *named(tag(language))))
        self._forget()

    def set_nullable(self, cls: str | type, name: str, nullable: bool = True, replacement: Any = None) -> None:
        """Makes a property nullable, or required: objects without a value then get the replacement."""
        place, encoder = self._place(cls, name), Encoder()
        kind = self._class(cls).properties[place[1]].type
        value = None if replacement is None else byref(encoder.value(replacement, kind))
        check(library.property_set_nullable(self._open(), *place, nullable, value))
        self._forget()

    def set_type(self, cls: str | type, name: str, annotation: Any, convert: Callable[[Any], Any] | None = None) -> None:
        """Changes the type of a property, such as to `int` or `str | None`. `convert` computes the new value from the
        old one, None included. Without it, numbers and bools convert to each other and to strings if that loses
        nothing, strings are parsed, and integers and dates convert to each other as seconds. `ValueTypeError` if values
        cannot be converted; then nothing is changed."""
        wanted = schema.Property.declared(name, annotation)
        failures: list[BaseException] = []
        last: list[Encoder] = []

        def converted(_: Any, place: Any) -> bool:
            try:
                # The memory that the value points to must live until the next call.
                last[:] = [Encoder()]
                value = convert(decoded(place.contents, self._object))
                last[0].fill(place.contents, value, wanted.type)
                return True
            except BaseException as failure:  # It must not leave a callback of the library.
                failures.append(failure)
                return False

        callback = ConvertCallback(converted) if convert is not None else ConvertCallback()
        code = library.property_set_type(self._open(), *self._place(cls, name), wanted.type, wanted.nullable, callback, None)
        if failures:
            raise failures[0]
        check(code)
        self._forget()

    def set_schema_version(self, version: int) -> None:
        """Sets the version number of the program's classes in the file."""
        check(library.schema_set_version(self._open(), version))

    def _place(self, cls: str | type, name: str) -> tuple[int, int]:
        found_class = self._class(cls)
        return found_class.number, found_class.place(name)


def update(database: Database, models: Iterable[schema.Declared], found: dict[str, schema.Class], version: int,
           migrate: Callable[[Migrator, int, int], None] | None, transaction: Callable[[int], Migrator]) -> None:
    """Migrates a file with the classes `found` to the program's version of its classes, in one transaction.
    `transaction` makes the object that `migrate` receives from a handle."""
    keep: list[Any] = []
    failures: list[BaseException] = []

    def migrated(_: Any, handle: int, file_version: int, version: int) -> int:
        lent = transaction(handle)
        try:
            migrate(lent, file_version, version)
            return 0
        except BaseException as failure:  # It must not leave a callback of the library.
            failures.append(failure)
            return _FAILED
        finally:
            # The library ends the transaction.
            lent._handle = None
            lent._end_opened()

    callback = MigrationCallback(migrated) if migrate is not None else MigrationCallback()
    code = library.schema_update(database._open(), version, *schema.definitions_of(models, found, keep), callback, None)
    if failures:
        raise failures[0]
    check(code)
