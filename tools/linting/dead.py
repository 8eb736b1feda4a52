"""Dead files: empty ones, Swift files that nothing refers to, and rooms named for nothing in particular."""

import re

from .project import CODE, Finding

RULE = "dead"
ROOMS = {"utils", "util", "utilities", "common", "helpers", "helper", "misc", "miscellaneous"}
#: The helpers there are programs that tests start, kill and stop, one folder each.
HELPER_PROGRAMS = "Tests/Helpers"
_WORD = re.compile(r"[A-Za-z_]\w*")


def check(project):
    yield from _rooms(project)
    words = {}
    for source in project.sources():
        words[source.name] = set(_WORD.findall(source.code))
    users = _users(words)
    for source in project.sources():
        if not source.code.strip():
            yield Finding(source.name, 1, RULE, "the file holds no code; delete it")
        elif source.is_swift and source.name.startswith("Sources/") and not _is_used(source, users):
            yield Finding(source.name, 1, RULE, "nothing outside this file names what it declares; delete it, or test what it offers")


def _rooms(project):
    seen = set()
    for path in project.paths:
        name = project.name(path)
        parts = name.split("/")
        # What the drivers of the rivals have in common is common to just those.
        if parts[0] not in ("Sources", "Tests", "Benchmarks", "bindings", "tools", "include") or parts[1] == "rivals":
            continue
        for index, part in enumerate(parts):
            place = "/".join(parts[: index + 1])
            stem = part.split(".")[0].lower()
            is_code = index < len(parts) - 1 or path.suffix in CODE
            if stem in ROOMS and is_code and place not in seen and place != HELPER_PROGRAMS:
                seen.add(place)
                yield Finding(place, 1, RULE, "a room for anything collects everything; name it for what it holds")


def _users(words):
    """How many files hold each word."""
    count = {}
    for found in words.values():
        for word in found:
            count[word] = count.get(word, 0) + 1
    return count


def _is_used(source, users):
    if source.path.name in ("main.swift", "Package.swift") or re.search(r"@main\b|@_cdecl|@c\b|@_silgen_name|\boperator\b", source.code):
        return True
    if not source.declarations:
        # A file of imports alone re-exports or anchors a module that others import.
        return "import" in source.code and "@_exported" in source.code
    for declaration in source.declarations:
        if declaration.kind == "extension" and declaration.inherits:
            return True
        if declaration.kind == "init" and declaration.parent and declaration.parent.kind == "extension":
            return True
        if declaration.kind == "func" and not declaration.name[:1].isidentifier():
            return True
        if declaration.kind == "subscript":
            return True
        if declaration.kind != "extension" and users.get(declaration.name, 0) > 1:
            return True
    return False
