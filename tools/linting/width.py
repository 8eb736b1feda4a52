"""Widths: 140 columns of code, 120 of prose, counted by folder."""

from collections import Counter

from . import ratchets
from .project import CODE

RULE = "width"
CODE_COLUMNS = 140
PROSE_COLUMNS = 120
CODE_SUFFIXES = CODE | {".py"}


def check(project):
    yield from ratchets.findings(project, measures(project))


@ratchets.once
def measures(project):
    counts, first = Counter(), {}
    for source in project.texts():
        prose = source.path.suffix == ".md"
        if not prose and source.path.suffix not in CODE_SUFFIXES:
            continue
        limit = PROSE_COLUMNS if prose else CODE_COLUMNS
        for number, line in _prose(source) if prose else enumerate(source.text.splitlines(), 1):
            if len(line) > limit:
                what = f"{_folder(source.name)} lines of {'prose' if prose else 'code'} beyond {limit} columns"
                counts[what] += 1
                first.setdefault(what, (source.name, number))
    for what, count in sorted(counts.items()):
        yield ratchets.Measure(RULE, what, count, 0, *first[what], "break them")


def _folder(name):
    """The folder a line is counted in: a floor, a target of tests, a folder at the top."""
    parts = name.split("/")[:-1]
    return "/".join(parts[: 3 if parts[:1] in (["Sources"], ["Tests"], ["bindings"]) else 1]) or "."


def _prose(source):
    """The lines of a document that can be broken: none of a table or of code, nor what a link or a picture makes long."""
    fenced = False
    for number, line in enumerate(source.text.splitlines(), 1):
        text = line.strip()
        fenced ^= text.startswith("```")
        if not fenced and not text.startswith(("|", "```", "[", "![", "<")) and not line.startswith("    "):
            yield number, line
