"""Invariants: docs/invariants.md says of each numbered invariant of the floors of storage and of derived indexes how it is held, and
names only what exists."""

import re

from .project import Finding

RULE = "invariants"
_TABLE = "docs/invariants.md"
_DOORS = "Sources/FreeholdEngine/{}/README.md"
_FLOORS = ("Space", "Blocks", "Sharing", "File", "Indexes", "Leaves", "Collections", "TextIndex", "Vectors", "Places", "Collation",
           "Derived")
_NUMBERED = re.compile(r"^(\d+)\. ", re.MULTILINE)
_HEADING = re.compile(r"^## (\w+)$")
_ROW = re.compile(r"^\| (\d+) \| [^|]+ \| ([^|]+) \|$")
_NAME = re.compile(r"`([^`]+)`")
_PLACES = ("Sources/", "Tests/", "docs/models/")


def check(project):
    texts = {source.name: source for source in project.texts()}
    table = texts.get(_TABLE)
    words = None
    rows, floor = {}, None
    for number, line in enumerate(table.text.splitlines() if table else (), 1):
        if heading := _HEADING.match(line):
            floor = heading.group(1)
        elif row := _ROW.match(line):
            rows.setdefault((floor, int(row.group(1))), []).append(number)
            words = words or _words(texts)
            for name in _NAME.findall(row.group(2)):
                if re.split(r"[./]", name.removesuffix(".py"))[-1] not in words:
                    yield Finding(_TABLE, number, RULE, f"'{name}' does not exist; name what holds the invariant now")
    for floor in _FLOORS:
        door = texts.get(_DOORS.format(floor))
        numbers = {int(number) for number in _NUMBERED.findall(door.text)} if door else set()
        for number in sorted(numbers):
            if (floor, number) not in rows:
                yield Finding(door.name, 1, RULE, f"invariant {number} is not in {_TABLE}; say there how it is held")
        for (known, number), lines in rows.items():
            if known == floor and (number not in numbers or len(lines) > 1):
                yield Finding(_TABLE, lines[-1], RULE, f"{floor} {number} is listed twice, or is no invariant of its door")


def _words(texts):
    """All words of the code and the models, and the names of their files."""
    words = set()
    for name, source in texts.items():
        if name.startswith(_PLACES):
            words.update(re.findall(r"\w+", source.text))
            words.add(name.rsplit("/", 1)[-1].rsplit(".", 1)[0])
    return words
