"""Full-text indexes, indexes of places, of vectors and in a collation, by which queries find sooner what they find without them."""

from __future__ import annotations

from ctypes import byref, sizeof
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Literal, Sequence, Union

from ._arguments import shown
from ._library import DerivedIndexDetail, IndexField, IndexProgressCallback, library
from .errors import ArgumentError, ValueTypeError, check, found
from .values import Encoder, text

#: A string property, or one of the object that a to-one link leads to (`"author.name"`), with its weight in scores, or
#: without for a weight of 1.
Field = Union[str, "tuple[str, float]"]
#: Called with the objects that the indexes have, and those that they will have; returning False stops the building.
Progress = Callable[[int, int], object]
#: Whether an index answers queries: only one that is "complete". One that is "building" or "older" is completed by
#: `Database.build_indexes`; a "newer" program made that one, and this one cannot use it. The language of one that is
#: "unavailable" needs the library libstemmer, without which `TEXT` is an error.
State = Literal["complete", "building", "older", "newer", "unavailable"]

#: How the numbers of vectors are stored.
Elements = Literal["float32", "float16", "int8"]
#: What makes two vectors near.
Metric = Literal["cosine", "dot", "euclidean"]

_FULL_TEXT, _PLACES, _COLLATION, _VECTORS = 1, 2, 3, 4
_ELEMENTS: tuple[Elements, ...] = ("float32", "float16", "int8")
_METRICS: tuple[Metric, ...] = ("cosine", "dot", "euclidean")
_STATES: tuple[State, ...] = ("complete", "building", "older", "newer", "unavailable")


@dataclass(frozen=True)
class FullTextIndex:
    """A full-text index of a class, as one version of the file has it.

    fields: its properties with their weights.
    percent, documents: how many of the objects it has. Those created last, at most 255, are in no index, and queries read
        them directly.
    words: the number of words in all its fields.
    language: that of the words whose forms a search finds; None for words as they are.
    """

    fields: tuple[tuple[str, float], ...]
    state: State
    percent: int
    documents: int
    words: int
    language: str | None


@dataclass(frozen=True)
class PlaceIndex:
    """An index of places of a class, as one version of the file has it.

    fields: its two properties: a latitude and a longitude, or `type` and `coordinates`, as in `location.type`.
    percent, documents: how many of the objects it has, as for a `FullTextIndex`.
    """

    fields: tuple[str, str]
    state: State
    percent: int
    documents: int


@dataclass(frozen=True)
class VectorIndex:
    """An index of vectors of a class, as one version of the file has it.

    percent, documents: how many of the objects it has, as for a `FullTextIndex`.
    """

    property: str
    dimensions: int
    elements: Elements
    metric: Metric
    state: State
    percent: int
    documents: int


@dataclass(frozen=True)
class CollationIndex:
    """An index of a string property in the order of a language, as one version of the file has it.

    language: the language and its options, as a BCP 47 tag.
    state: "older" if an older version of ICU made it; "newer" if a newer one did, or if there is no ICU here.
    percent, documents: how many of the objects it has, as for a `FullTextIndex`.
    """

    property: str
    language: str
    state: State
    percent: int
    documents: int


def shape(dimensions: int, elements: Elements, metric: Metric) -> tuple[int, int, int]:
    """The dimensions, elements and metric of vectors as the library takes them."""
    if elements not in _ELEMENTS or metric not in _METRICS:
        raise ArgumentError(f"vectors have elements of {_ELEMENTS} and a metric of {_METRICS}, not {elements!r} and {metric!r}")
    if type(dimensions) is not int or not 0 < dimensions < 65_536:
        raise ValueTypeError(f"vectors have 1 to 65,535 dimensions, an int, not {shown(dimensions)}")
    return dimensions, _ELEMENTS.index(elements), _METRICS.index(metric)


def tag(language: str) -> str:
    """The language of an index in a collation."""
    if not isinstance(language, str):
        raise ValueTypeError(f"the language of an index in a collation is a string such as 'de', not {language!r}")
    return language


def texts(fields: Sequence[Field], encoder: Encoder) -> tuple[int, Any]:
    """The fields of a full-text index as the library takes them: their number and an array, whose strings the encoder
    keeps."""
    if isinstance(fields, str):
        raise ArgumentError(f"the fields of a full-text index are a list: [{fields!r}]")
    if not isinstance(fields, (list, tuple)):
        raise ArgumentError(f"the fields of a full-text index are a list of paths or of pairs (path, weight), not {fields!r}")
    weighted = [_weighted(field) for field in fields]
    return len(weighted), (IndexField * len(weighted))(*(IndexField(encoder.text(path), weight) for path, weight in weighted))


def _weighted(field: Any) -> tuple[str, float]:
    """A field of a full-text index with its weight."""
    path, weight = field if isinstance(field, (list, tuple)) and len(field) == 2 else (field, 1)
    if not isinstance(path, str) or isinstance(weight, bool) or not isinstance(weight, (int, float)):
        raise ArgumentError(f"a field of a full-text index is a path or a pair (path, weight), as in ('title', 2), not {field!r}")
    # The library takes a weight of 0 for 1, and an int need not fit a float.
    if not 1 / 256 <= weight <= 255:
        raise ArgumentError(f"the weight of '{path}' is {shown(weight)}; a field counts from 1/256 to 255")
    return path, weight


def places(fields: Sequence[Any], encoder: Encoder) -> tuple[int, Any]:
    """The fields of an index of places as the library takes them; they may be given as one list."""
    if len(fields) == 1 and isinstance(fields[0], (list, tuple)):
        fields = fields[0]
    for field in fields:
        if not isinstance(field, str):
            raise ArgumentError(f"the fields of an index of places are paths, as in 'latitude', 'longitude', not {field!r}")
    return len(fields), (IndexField * len(fields))(*(IndexField(encoder.text(path), 1) for path in fields))


def full_text_indexes(reader: int, number: int) -> list[FullTextIndex]:
    """The full-text indexes that a class has, by the reader of a snapshot or transaction."""
    return [FullTextIndex(tuple((text(field.path), field.weight) for field in fields), _STATES[info.state], info.percent,
                          info.documents, info.words, text(info.language) or None)
            for info, fields in _listed(reader, number, _FULL_TEXT)]


def place_indexes(reader: int, number: int) -> list[PlaceIndex]:
    """The indexes of places that a class has, by the reader of a snapshot or transaction."""
    return [PlaceIndex((text(fields[0].path), text(fields[1].path)), _STATES[info.state], info.percent, info.documents)
            for info, fields in _listed(reader, number, _PLACES)]


def vector_indexes(reader: int, number: int) -> list[VectorIndex]:
    """The indexes of vectors that a class has, by a snapshot's reader."""
    return [VectorIndex(text(fields[0].path), info.dimensions, _ELEMENTS[info.elements], _METRICS[info.metric],
                        _STATES[info.state], info.percent, info.documents)
            for info, fields in _listed(reader, number, _VECTORS)]


def collation_indexes(reader: int, number: int) -> list[CollationIndex]:
    """The indexes in a collation that a class has, by the reader of a snapshot or transaction."""
    return [CollationIndex(text(fields[0].path), text(info.language), _STATES[info.state], info.percent, info.documents)
            for info, fields in _listed(reader, number, _COLLATION)]


def _listed(reader: int, number: int, kind: int) -> Iterator[tuple[DerivedIndexDetail, list[IndexField]]]:
    place, info = 0, DerivedIndexDetail(size=sizeof(DerivedIndexDetail))
    while found(library.class_derived_index(reader, number, place, byref(info))):
        if info.kind == kind:
            yield info, list(info.fields[:info.field_count])
        place += 1


def build(handle: int, progress: Progress | None) -> None:
    """Builds the indexes of the database of a handle; raises what `progress` raised."""
    raised: list[BaseException] = []

    def note(_: int | None, done: int, total: int) -> bool:
        assert progress is not None
        try:
            return progress(done, total) is not False
        except BaseException as error:  # noqa: BLE001 - raised again below
            raised.append(error)
            return False

    callback = IndexProgressCallback(note) if progress is not None else IndexProgressCallback()
    check(library.database_build_indexes(handle, callback, None))
    if raised:
        raise raised[0]
