"""Floors: each folder of a target refers only to itself and to folders below it, and has a door."""

import re
from collections import defaultdict

from .project import Finding

RULE = "floors"


class Floor:
    """Where the floors of one target stand: rank 0 is the lowest; names on one line of layers.txt are neighbours."""

    def __init__(self, target):
        lines = [line.split("#")[0].replace(",", " ").split() for line in (target / "layers.txt").read_text().splitlines()]
        rows = [line for line in lines if line]
        self.target = target
        self.names = [name for row in rows for name in row]
        self.rank = {name: len(rows) - 1 - index for index, row in enumerate(rows) for name in row}

    def of(self, path):
        parts = path.relative_to(self.target).parts
        return parts[0] if len(parts) > 1 else None

    def may_use(self, user, used):
        return user == used or self.rank[user] > self.rank[used]


def check(project):
    for target in project.targets:
        if (target / "layers.txt").is_file():
            floor = Floor(target)
            yield from _folders(project, floor)
            yield from _references(project, floor)


def _folders(project, floor):
    layers = project.name(floor.target / "layers.txt")
    present = sorted(path for path in floor.target.iterdir() if path.is_dir() and any(path.rglob("*.swift")))
    for folder in present:
        if folder.name not in floor.rank:
            yield Finding(project.name(folder), 1, RULE, f"this folder is no floor; name it in {layers} where its data passes, top to bottom")
        elif not (folder / "README.md").is_file():
            yield Finding(project.name(folder), 1, RULE, "the floor has no door; write its README.md: purpose, what it may use, what it offers, its invariants")
    for name in floor.names:
        if name not in {folder.name for folder in present}:
            yield Finding(layers, 1, RULE, f"'{name}' names no folder with Swift files; remove the line or add the floor")
    for path in floor.target.glob("*.swift"):
        yield Finding(project.name(path), 1, RULE, f"a file beside the floors belongs to none; move it into one of {', '.join(floor.names)}")


def _references(project, floor):
    files = [source for source in project.sources(project.name(floor.target), suffixes={".swift"}) if floor.of(source.path) in floor.rank]
    names = _Names(files, floor)
    for source in files:
        here = floor.of(source.path)
        reported = set()
        for match in re.finditer(r"(\.?)\b([A-Za-z_]\w*)\b(?=(\s*\()?)", source.code):
            dotted, name, called = match.group(1), match.group(2), match.group(3) is not None
            other = names.upward(here, name, bool(dotted), called, source)
            if other and name not in reported:
                reported.add(name)
                line = source.line_of(match.start(2))
                yield Finding(source.name, line, RULE, f"{here} names '{name}' of {other[0]} ({other[1]}), which is not below it; pass in what it needs, or move one of the two")


_GENERIC = re.compile(r"\b(?:struct|class|enum|actor|func|init|subscript|typealias)\b[^\n({=]*?<([^>{]*)>")


def generic_parameters(source):
    """The names that stand for a type only within their own declaration."""
    for match in _GENERIC.finditer(source.code):
        for parameter in match.group(1).split(","):
            yield parameter.split(":")[0].strip()


class _Names:
    """Which floor declares which name, and how sure a bare identifier means that declaration."""

    def __init__(self, files, floor):
        self.floor = floor
        self.places = defaultdict(set)
        self.top_level, self.free, self.members = {}, {}, {}
        own = {}
        for source in files:
            here = floor.of(source.path)
            own[source.name] = set(generic_parameters(source))
            for declaration in source.declarations:
                if declaration.kind == "extension":
                    continue
                self.places[declaration.name].add(here)
                own[source.name].add(declaration.name)
                self._place(declaration, (here, source.name))
        self.own = own

    def _place(self, declaration, place):
        parent = declaration.parent
        if parent is None and declaration.kind in ("func", "let", "var"):
            self.free[declaration.name] = place
        elif parent is None:
            self.top_level[declaration.name] = place
        elif parent.kind == "extension" and declaration.kind not in ("init", "subscript", "deinit", "case"):
            self.members[declaration.name] = place

    def upward(self, here, name, dotted, called, source):
        """The (floor, file) above `here` that alone declares `name`, when this use of it can mean nothing else."""
        if not self._only_above(here, name) or name in self.own[source.name]:
            return None
        if not dotted and name in self.top_level:
            return self.top_level[name]
        if not dotted and called and name in self.free:
            return self.free[name]
        # A member of an extension is only recognised by a name that the standard library does not have.
        if name in self.members and len(name) >= 8 and any(c.isupper() for c in name[1:]) and (dotted or called):
            return self.members[name]
        return None

    def _only_above(self, here, name):
        places = self.places.get(name)
        return bool(places) and not any(self.floor.may_use(here, place) for place in places)
