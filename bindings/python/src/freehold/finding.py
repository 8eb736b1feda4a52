"""What full-text searches found in objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._library import FoundTextCallback, Text, library
from .errors import check
from .values import text


@dataclass(frozen=True)
class FoundText:
    """A string of an object in which a full-text search found something.

    path, text: the property, as the query names it, and the whole string.
    highlights: what was found, as ranges of the string: `found.text[start:end]`.
    snippet, snippet_highlights: the part of the string that shows best what was found, and ranges of that part.
    cut_before, cut_after: whether words of the string are before and after the snippet.
    """

    path: str
    text: str
    highlights: tuple[tuple[int, int], ...]
    snippet: str
    snippet_highlights: tuple[tuple[int, int], ...]
    cut_before: bool
    cut_after: bool


def found_texts(query: int, key: int, words: int) -> list[FoundText]:
    """What the full-text searches of a query's handle found in an object."""
    all_found: list[FoundText] = []

    def note(_: int | None, place: Any) -> None:
        one = place.contents
        all_found.append(FoundText(
            text(one.path), text(one.text), _ranges(one.text, one.highlights[:one.highlight_count]), text(one.snippet),
            _ranges(one.snippet, one.snippet_highlights[:one.snippet_highlight_count]), one.cut_before, one.cut_after))

    check(library.query_found_texts(query, key, words, FoundTextCallback(note), None))
    return all_found


def _ranges(borrowed: Text, ranges: list[Any]) -> tuple[tuple[int, int], ...]:
    """Ranges of bytes as ranges of characters."""
    encoded, place, characters, converted = text(borrowed).encode(), 0, 0, []
    for one in ranges:
        start = characters + len(encoded[place:one.start].decode())
        characters = start + len(encoded[one.start:one.end].decode())
        place = one.end
        converted.append((start, characters))
    return tuple(converted)
