"""Queries as text: where steps begin, and which way a sort key goes."""

from __future__ import annotations

import re

# Strings, steps and parentheses of a query.
_PART = re.compile(
    r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`|(?<![#.\w])(?P<step>SORT|DISTINCT|LIMIT|OFFSET|NEAREST|FUSE|GROUP)\s*\(|[()]""",
    re.IGNORECASE)
_DIRECTION = re.compile(r"(?<=\s)(ASC|DESC|ASCENDING|DESCENDING)\b(?=\s*(COLLATE\b|$))", re.IGNORECASE)


def direction(key: str) -> re.Match[str] | None:
    """The direction that a sort key names, if it does."""
    return _DIRECTION.search(key)


def split(words: str) -> tuple[str, str]:
    """Splits a query into its condition and its steps, at the first step outside quotes and parentheses. Together they are the
    query; the space between them belongs to the steps."""
    depth = 0
    for match in _PART.finditer(words):
        if match["step"] and depth == 0:
            condition = words[: match.start()].rstrip()
            return condition, words[len(condition):]
        depth += match[0].endswith("(") - (match[0] == ")")
    return (words, "") if words.strip() else ("", "")
