"""Types: how much one type holds, over all its extensions."""

import re
from collections import defaultdict
from dataclasses import dataclass

from . import ratchets
from .project import target_of

RULE = "types"
STORED_PROPERTIES = 15
FUNCTIONS = 60
_OBSERVED = re.compile(r"\b(?:didSet|willSet)\b")


@dataclass
class TypeSize:
    """The size of one type, with the place where it is declared."""

    path: str = ""
    line: int = 0
    lines: int = 0
    stored: int = 0
    functions: int = 0


def check(project):
    yield from ratchets.findings(project, measures(project))


@ratchets.once
def measures(project):
    for (target, name), size in sorted(sizes(project).items()):
        for kind, value, limit in (("stored properties", size.stored, STORED_PROPERTIES), ("functions", size.functions, FUNCTIONS)):
            advice = "give the part that changes for a reason of its own a type of its own"
            yield ratchets.Measure(RULE, f"{target} {name} {kind}", value, limit, size.path, size.line, advice)


def sizes(project):
    """The sizes of the types of all targets, by target and full name."""
    found = defaultdict(TypeSize)
    for source in project.sources("Sources", suffixes={".swift"}):
        target = target_of(source.name)
        for declaration in source.declarations:
            if declaration.is_type:
                size = found[target, _full_name(declaration)]
                if not size.path or declaration.kind != "extension":
                    size.path, size.line = source.name, declaration.line
                size.lines += max(declaration.body_end - declaration.line, 0) + 1
            parent = declaration.parent
            if parent is not None and parent.is_type:
                size = found[target, _full_name(parent)]
                size.functions += declaration.kind in ("func", "init", "subscript")
                size.stored += _stored_count(source, declaration)
    return found


def _full_name(declaration):
    return ".".join(reversed([around.name for around in declaration.enclosing() if around.is_type]))


def _stored_count(source, declaration):
    """How many stored properties of each instance a declaration adds: none if it computes, more than one in `let a, b: Int`."""
    if declaration.kind not in ("let", "var") or declaration.parent.kind not in ("struct", "class", "actor"):
        return 0
    if re.search(r"\b(?:static|class)\b", declaration.prefix):
        return 0
    if declaration.body_start and not _is_observed(source, declaration):
        return 0
    line = source.code_lines[declaration.line - 1]
    text = line[line.find(declaration.name) :]
    depth, count = 0, 1
    for at, character in enumerate(text):
        depth += {"(": 1, "[": 1, "{": 1, "<": 1, ")": -1, "]": -1, "}": -1, ">": -1}.get(character, 0)
        count += character == "," and depth <= 0 and bool(re.match(r",\s*`?\w+`?\s*[:=,]", text[at:]))
    return count


def _is_observed(source, declaration):
    lines = source.code_lines[declaration.body_start - 1 : declaration.body_start + 1]
    return bool(_OBSERVED.search("\n".join(lines)))
