"""Words: doc comments, C headers, messages and documents use the field's terms, and a doc comment stands alone.

What is counted is what a pattern can tell; the rest of how we write is for readers to judge.
"""

import re
from collections import Counter

from . import ratchets
from .project import Finding

RULE = "words"
#: What not to write, and what to write instead.
TERMS = [
    (r"heirs?", "subclass"),
    (r"strangers?", "unknown class"),
    (r"comers?|newcomers? to", "the name of the thing"),
    (r"thousand million", "billion"),
    (r"keepers?", "writer thread"),
    (r"lent", "borrowed"),
    (r"put away", "reserved"),
    (r"greatest", "maximum, largest"),
    (r"(?:is|are|stays?|be) good while", "is valid while"),
    (r"looks? at|looked at", "reads"),
    (r"texts", "strings"),
    (r"mended", "fixed"),
    (r"they that|those who", "the name of the thing"),
    (r"asked anew|asks? a query", "re-evaluated; run"),
    (r"tells? if not", "reports misuse"),
    (r"figures? of a group|figures? of groups?", "aggregate"),
    (r"of nothing", "empty, nil"),
    (r"somebody|whoever", "the process, the caller, the observer"),
    (r"(?:is|are|was|were|be) told(?! from| apart)", "is notified; receives; is reported to"),
]
_TERM = re.compile(r"\b(?:" + "|".join(f"({pattern})" for pattern, _ in TERMS) + r")\b", re.IGNORECASE)
_LEANING = re.compile(r"^(?:///|/\*\*)\s*(?:The same\b|See\b|As above\b)")


def check(project):
    for source in project.sources("Sources", "include", "bindings"):
        for line in range(1, source.line_count + 1):
            if _LEANING.match(source.comment(line)) and not _is_documentation(source.comment(line - 1)):
                yield Finding(source.name, line, RULE, "a doc comment stands alone; say what it is, then what it has in common")
    yield from ratchets.findings(project, measures(project))


@ratchets.once
def measures(project):
    counts, first = Counter(), {}
    for source in project.texts():
        if not _TERM.search(source.text):
            continue
        for line, text in _read_by_users(source):
            for match in _TERM.finditer(text):
                what = f"{_folder(source.name)} words"
                counts[what] += 1
                first.setdefault(what, (source.name, line, match.group(), TERMS[match.lastindex - 1][1]))
    for what, count in sorted(counts.items()):
        path, line, found, better = first[what]
        yield ratchets.Measure(RULE, what, count, 0, path, line, f"the first is '{found}'; write '{better}'")


def _is_documentation(comment):
    return comment.startswith(("///", "/**", "*"))


def _folder(name):
    parts = name.split("/")[:-1]
    return "/".join(parts[: 3 if parts[:1] in (["Sources"], ["bindings"]) else 1]) or "."


def _read_by_users(source):
    """The lines of a file that users read, each with what is to be read of it."""
    name = source.name
    if source.path.suffix == ".md":
        yield from _prose(source)
    elif name.startswith(("include/", "bindings/cpp/include/")):
        yield from ((line, source.comment(line)) for line in range(1, source.line_count + 1))
    elif name.startswith("Sources/") and source.is_swift:
        for line in range(1, source.line_count + 1):
            comment = source.comment(line)
            yield line, comment if comment.startswith("///") else ""
            if '"' in source.code_lines[line - 1]:
                yield line, _messages(source, line)


def _prose(source):
    fenced = False
    for number, line in enumerate(source.text.splitlines(), 1):
        fenced ^= line.lstrip().startswith("```")
        if not fenced:
            yield number, re.sub(r"`[^`]*`", "", line)


def _messages(source, line):
    """What stands in the strings of a line: what is neither code nor comment."""
    text, start = source.text, source.starts[line - 1]
    code, comment = source.code_lines[line - 1], source.comment_lines[line - 1]
    kept = [text[start + at] if code[at] == " " and comment[at] == " " else "\0" for at in range(len(code))]
    return "".join(kept)
