"""Results: the objects that a query finds, their properties as rows and columns, and aggregates of groups."""

from __future__ import annotations

from ctypes import POINTER, byref, c_double, c_int64, c_size_t, c_uint32, c_uint64
from math import isnan
from typing import Any, Generic, Iterator, Protocol, Sequence, TypeVar, overload

from . import columns, vectors
from ._arguments import copied, whole
from ._handle import Handle
from ._library import Elements, Text, Value, library
from ._protocols import Reader
from ._words import direction, split
from .arrow import ArrowColumns, fits
from .errors import ArgumentError, ValueTypeError, check, found
from .finding import FoundText, found_texts
from .following import Following, unlooked
from .objects import Object
from .values import MIXED, Batch, Encoder, decoded, elements_of, named, text, written

Item = TypeVar("Item")
_BATCH = 256


class Linked(Protocol):
    """A collection of links whose objects are queried: a list, set or map."""

    @property
    def _here(self) -> int: ...
    def _keys(self) -> list[int]: ...
    def _through(self, reader: Reader) -> Any: ...


class Results(Generic[Item]):
    """The objects of a class that a query finds. The query runs on each use, on the version that the reader shows then.

        adults = snapshot.objects(Person).where("age >= %@", 18).sorted("name")
        for person in adults[:10]: print(person.name)
    """

    def __init__(self, reader: Reader, class_name: str, conditions: tuple[str, ...] = (), steps: tuple[str, ...] = (),
                 arguments: tuple[Any, ...] = (), named_arguments: dict[str, Any] | None = None, among: Linked | None = None) -> None:
        self._reader, self._class_name, self._conditions, self._steps = reader, class_name, conditions, steps
        self._arguments, self._named = arguments, named_arguments or {}
        # The collection whose objects are queried; None if all objects of the class are.
        self._among = among
        self._query: tuple[Handle, "Reader"] | None = None

    def where(self, text: str, /, *arguments: Any, **named_arguments: Any) -> "Results[Item]":
        """The objects that also meet a condition: `%@` stands for the positional arguments in order, `$name` for named
        arguments. SORT(…), LIMIT(…) and so on may follow; docs/queries.md describes the language."""
        if not isinstance(text, str):
            raise ValueTypeError(f"a condition is a string in the query language, such as 'age > %@', not {text!r}")
        # A list may change before the query first runs, and an iterator gives its values once.
        arguments = tuple(map(copied, arguments))
        named_arguments = {name: copied(value) for name, value in named_arguments.items()}
        if "$0" in text or "$1" in text:
            if self._arguments:
                raise ArgumentError("$0, $1, … would clash with the arguments of earlier conditions; use %@ or named arguments")
        condition, steps = split(text)
        if steps and not condition:
            steps = self._after(steps)
        if condition and self._steps:
            raise ArgumentError("add conditions before steps (sorted, limit, …)")
        twice = self._named.keys() & named_arguments.keys()
        if twice:
            raise ArgumentError(f"argument ${min(twice)} was already given")
        conditions = (*self._conditions, condition) if condition else self._conditions
        return Results(self._reader, self._class_name, conditions, (*self._steps, steps) if steps else self._steps,
                       (*self._arguments, *arguments), {**self._named, **named_arguments}, self._among)

    def _after(self, step: str) -> str:
        """A step with the space between it and what is before, if that is missing."""
        return " " + step if (self._conditions or self._steps) and not step[0].isspace() else step

    def _step(self, step: str) -> "Results[Item]":
        steps = (*self._steps, self._after(step))
        return Results(self._reader, self._class_name, self._conditions, steps, self._arguments, self._named, self._among)

    def sorted(self, *paths: str) -> "Results[Item]":
        """Sorted by properties, also over links (`"owner.name"`); a leading `-` sorts descending. After a
        path the language that orders strings may be named: `sorted('name COLLATE "de"')`, and ASC or DESC instead of `-`."""
        for path in paths:
            if path.startswith("-") and (named_twice := direction(path)):
                raise ArgumentError(f"{path!r} has two directions; leave out '-' or {named_twice[0].upper()}")
        return self._step(f"SORT({', '.join(f'{path[1:]} DESC' if path.startswith('-') else path for path in paths)})")

    def distinct(self, *paths: str) -> "Results[Item]":
        """The first object of each group with equal values at these paths."""
        return self._step(f"DISTINCT({', '.join(paths)})")

    def limit(self, count: int) -> "Results[Item]":
        """The first `count` objects at most."""
        return self._step(f"LIMIT({whole(count)})")

    def offset(self, count: int) -> "Results[Item]":
        """The objects without the first `count`."""
        return self._step(f"OFFSET({whole(count)})")

    @property
    def text(self) -> str:
        """The query as canonical text."""
        place = Text()
        check(library.query_text(self._prepared(), byref(place)))
        return text(place)

    def explain(self, running: bool = False) -> str:
        """Describes how the query is answered; with `running`, also runs it and reports what it read."""
        self._require_whole_class("explained")
        place = Text()
        check(library.query_explain(self._prepared(), running, byref(place)))
        return text(place)

    def scores(self) -> list[float]:
        """The scores of the objects, in the order of the results: how near their vectors are, after NEAREST (a higher score
        is nearer); the sums by which FUSE orders, after FUSE; else those of the query's full-text searches, which compare
        objects of one query in one version, and have no unit."""
        self._require_whole_class("scored")
        handle, keys, count = self._run()
        scores = (c_double * count)()
        check(library.query_scores(self._prepared(), count, keys if count else None, scores))
        return list(scores)

    def distances(self) -> list[float | None]:
        """The distances of the objects in metres, in the order of the results: those that the last SORT(@distance(…)) orders
        by, or without one those of the first @distance(…) in the condition; None for an object without a place."""
        self._require_whole_class("measured")
        handle, keys, count = self._run()
        meters = (c_double * count)()
        check(library.query_distances(self._prepared(), count, keys if count else None, meters))
        return [None if isnan(one) else one for one in meters]

    def found_texts(self, item: Any, *, words: int = 30) -> list[FoundText]:
        """The strings of an object in which the query's full-text searches found something, with snippets of at most that
        many words; none if the object does not match."""
        self._require_whole_class("searched")
        if not isinstance(item, Object):
            raise ValueTypeError(f"found_texts takes an object of these results, not {item!r}")
        return found_texts(self._prepared(), item.key, min(max(words, 1), 1 << 31))

    def _words(self, steps: tuple[str, ...]) -> str:
        conditions = self._conditions
        # One condition stays as it was written, so that errors name its columns.
        joined = conditions[0] if len(conditions) == 1 else " AND ".join(f"({condition})" for condition in conditions)
        return "".join((joined, *steps)) or "TRUEPREDICATE"

    def _made(self, steps: tuple[str, ...]) -> Handle:
        encoder, object_class = Encoder(), self._reader._class(self._class_name)
        asked = (len(self._arguments), encoder.array(list(self._arguments)), len(self._named), encoder.entries(self._named))
        return Handle(self._reader, library.query_close, lambda place: library.query_prepare(
            self._reader._reader, object_class.number, *named(self._words(steps)), *asked, place))

    def _prepared(self) -> int:
        if self._query is None:
            self._query = (self._made(self._steps), self._reader)
        return self._query[0].value

    def _run(self) -> tuple[Handle, Any, int]:
        keys, count, query = POINTER(c_int64)(), c_uint64(), self._prepared()
        if self._among is None:
            handle = Handle(self._reader, library.results_close, lambda place: library.query_run(query, place))
        else:
            among = self._among._keys()
            asked = (len(among), (c_int64 * len(among))(*among))
            handle = Handle(self._reader, library.results_close, lambda place: library.query_run_among(query, *asked, place))
        check(library.results_keys(handle.value, byref(keys), byref(count)))
        return handle, keys, count.value

    @property
    def _is_all(self) -> bool:
        return not self._conditions and not self._steps and self._among is None

    def _require_whole_class(self, done: str) -> None:
        if self._among is not None:
            raise ArgumentError(f"objects of a collection are not {done}; only results of a whole class are (snapshot.objects)")

    def __len__(self) -> int:
        count = c_uint64()
        if self._among is not None:
            return self._run()[2]
        if self._is_all:
            check(library.object_count(self._reader._reader, self._reader._class(self._class_name).number, byref(count)))
        else:
            check(library.query_count(self._prepared(), byref(count)))
        return count.value

    def __bool__(self) -> bool:
        return self.first() is not None

    def first(self) -> Item | None:
        """The first object, or None."""
        key = c_int64()
        if self._among is not None:
            return next(iter(self), None)
        if not found(library.query_first(self._prepared(), byref(key))):
            return None
        return Object(self._reader, self._reader._class(self._class_name), key.value)  # type: ignore[return-value]

    @property
    def keys(self) -> list[int]:
        """The keys of the objects, in the order of the results."""
        handle, keys, count = self._run()
        return keys[:count] if count else []

    def __iter__(self) -> Iterator[Item]:
        object_class = self._reader._class(self._class_name)
        for key in self.keys:
            yield Object(self._reader, object_class, key)  # type: ignore[misc]

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...

    def __getitem__(self, index: Any) -> Any:
        keys, object_class = self.keys, self._reader._class(self._class_name)
        if isinstance(index, slice):
            return [Object(self._reader, object_class, key) for key in keys[index]]
        return Object(self._reader, object_class, keys[index])

    def __contains__(self, item: object) -> bool:
        return isinstance(item, Object) and item._class.family == self._reader._class(self._class_name).family and (
            item.key in self.keys if self._steps or self._among is not None else found(library.query_matches(self._prepared(), item.key)))

    def rows(self, *names: str) -> Iterator[tuple[Any, ...]]:
        """Some properties of each object, as tuples; several times as fast as reading objects one by one."""
        object_class = self._reader._class(self._class_name)
        places = [object_class.place(name) for name in names]
        if not places:
            raise ArgumentError("rows need at least one property")
        properties = [object_class.properties[place] for place in places]
        handle, _, count = self._run()
        wanted, width = (c_uint32 * len(places))(*places), len(places)
        values = (Value * (width * _BATCH))()
        batch, filled = Batch(values, self._reader._object), c_size_t()
        for first in range(0, count, _BATCH):
            check(library.results_get(handle.value, first, _BATCH, width, wanted, values, byref(filled)))
            yield from zip(*[
                batch.column(property.kind, at, width, filled.value, property.type == MIXED) for at, property in enumerate(properties)])

    def column(self, name: str, mask: bool = False) -> Any:
        """One property of all objects as one array: NumPy's int64, float64, bool or datetime64[ns] if NumPy is
        installed, else an `array.array`. A null reads as 0, NaN, False or NaT; with `mask`, a second array marks the
        nulls."""
        object_class = self._reader._class(self._class_name)
        place = object_class.place(name)
        if self._is_all:
            return columns.read_class(self._reader._reader, object_class, place, len(self), mask)
        handle, _, count = self._run()
        return columns.read_results(handle.value, object_class.properties[place], place, count, mask)

    def vectors(self, name: str, elements: str = "float32", dimensions: int | None = None, mask: bool = False) -> Any:
        """The vectors in a property of type data of all objects as one two-dimensional array of NumPy, a row for each
        object. `elements` are "float32", "float16" or "int8". The rows have as many numbers as the first vector has, and
        vectors of another length are an error; with `dimensions`, they count as no vector. An object without a vector has
        a row of NaN, or of zeros with "int8"; with `mask`, a second array marks these.

            vectors = snapshot.objects("Item").vectors("embedding")
            products = vectors @ vectors[0]
        """
        object_class = self._reader._class(self._class_name)
        place = object_class.place(name)
        handle, _, count = self._run()
        rows = vectors.Rows(object_class.properties[place], count, elements, dimensions)
        rows.read(handle.value, place)
        return (rows.array, rows.nulls) if mask else rows.array

    def json(self, lines: bool = False) -> str:
        """The objects as JSON, in the format of `freehold export`: one array, or one object per line. Links are their
        targets' primary keys."""
        handle, _, _ = self._run()
        return written(lambda callback: library.json_results(handle.value, int(lines), callback, None))

    def arrow(self, *names: str) -> ArrowColumns:
        """Some properties, by default all that fit, for libraries that read Apache Arrow
        (`pyarrow.record_batch(results.arrow())`, `polars.DataFrame(…)`): numbers, bools, dates, strings, data, and
        links as keys."""
        object_class = self._reader._class(self._class_name)
        properties = [object_class.properties[object_class.place(name)] for name in names] or list(filter(fits, object_class.properties))
        return ArrowColumns(self, properties)

    def grouped(self, /, *by: str, **figures: str) -> "Groups":
        """Aggregates of groups of objects with equal values: `results.grouped("city", people="@count", age="age.@avg")`
        gives one dictionary per city, in the order of the cities. Without properties to group by there is one group."""
        self._require_whole_class("grouped, and have no aggregates")
        if not figures:
            raise ArgumentError("groups need at least one aggregate, as in people='@count', age='age.@avg'")
        return Groups(self._step(f"GROUP({', '.join(by)}) SELECT({', '.join(figures.values())})"), (*by, *figures))

    def group(self, /, *by: str, **figures: str) -> list[dict[str, Any]]:
        """The dictionaries of `grouped` as a list."""
        return list(self.grouped(*by, **figures))

    def _figure(self, figure: str) -> Any:
        return self.group(figure=figure)[0]["figure"]

    def sum(self, path: str) -> Any:
        """The sum; 0 if there are no values."""
        return self._figure(f"{path}.@sum")

    def average(self, path: str) -> Any:
        """The mean; None if there are no values."""
        return self._figure(f"{path}.@avg")

    def minimum(self, path: str) -> Any:
        """The smallest value; None if there are none."""
        return self._figure(f"{path}.@min")

    def maximum(self, path: str) -> Any:
        """The largest value; None if there are none."""
        return self._figure(f"{path}.@max")

    def delete(self) -> int:
        """Deletes the objects; returns how many."""
        transaction, count = self._reader._writing(), c_uint64()
        handle, keys, length = self._run()
        # By key: an object may be in a list, and so in these results, more than once.
        check(library.objects_delete(transaction._open(), self._reader._class(self._class_name).number, length, keys, byref(count)))
        return count.value

    # --- following

    _has_keys = True

    def watch(self, timeout: float | None = None, *, paths: Sequence[str] | None = None) -> "Following":
        """The changes of commits, by any process, to the results, by positions: `for changes in results.watch()`, or
        `async for`, from the newest version on. A `for` loop ends after `timeout` seconds without a change. With
        `paths=["name", "boss.name"]`, an object counts as modified only if one of the paths leads to another value;
        with `paths=[]`, only insertions, deletions and moves are reported."""
        return Following(self._reader._database, (self,), timeout, paths)

    def _through(self, reader: Reader) -> "Results[Item]":
        """These results, read through another reader."""
        among = None if self._among is None else self._among._through(reader)
        return Results(reader, self._class_name, self._conditions, self._steps, self._arguments, self._named, among)

    def _follow(self, watch: int, encoder: Encoder, answer: Any, paths: Sequence[str] | None) -> None:
        if self._reader._handle is None:
            with self._reader._database.read() as newest:
                return self._through(newest)._follow(watch, encoder, answer, paths)
        # A watch takes no named arguments; the canonical text contains their values.
        words, arguments = (self.text, ()) if self._named else (self._words(self._steps), self._arguments)
        asked = (*named(words), len(arguments), encoder.array(list(arguments)))
        query = (watch, *named(self._class_name), *asked)
        if self._among is not None:
            looked_at = (0, None) if paths is None else (len(paths), encoder.texts(list(paths)))
            check(library.watch_query_among(watch, self._among._here, *asked, *looked_at, answer))
        elif paths is None:
            check(library.watch_query(*query, answer))
        else:
            check(library.watch_query_observing(*query, len(paths), encoder.texts(list(paths)), answer))

    def __repr__(self) -> str:
        place = "" if self._among is None else f" in a {type(self._among).__name__.lower()}"
        return f"<objects of {self._class_name}{place}: {self._words(self._steps)}>"


class Groups:
    """Aggregates of groups of objects, one dictionary per group; the query runs on each iteration."""

    _has_keys = False

    def __init__(self, results: Results[Any], names: tuple[str, ...]) -> None:
        self._results, self._names = results, names

    def __iter__(self) -> Iterator[dict[str, Any]]:
        query, count = self._results._prepared(), c_uint64()
        groups = Handle(self._results._reader, library.groups_close, lambda place: library.query_groups(query, place))
        check(library.groups_count(groups.value, byref(count)))
        values, selected = Elements(), Elements()
        for number in range(count.value):
            check(library.groups_get(groups.value, number, byref(values), byref(selected)))
            all_values = [decoded(value, _key_of) for value in (*elements_of(values), *elements_of(selected))]
            yield dict(zip(self._names, all_values))

    def watch(self, timeout: float | None = None) -> "Following":
        """The changes of commits, by any process, to the groups, by positions. `Results.watch` explains `timeout`."""
        return self._results._reader._database.follow(self, timeout=timeout)

    def _follow(self, watch: int, encoder: Encoder, answer: Any, paths: Sequence[str] | None) -> None:
        unlooked(self, paths)
        self._results._follow(watch, encoder, answer, paths)

    def __repr__(self) -> str:
        return f"<groups of {self._results!r}>"


def _key_of(_: int, key: int) -> int:
    """Represents a link in a group by its key; its class is that of the property."""
    return key
