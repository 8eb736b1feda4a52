"""Unused: declarations that nothing but tests names. Public ones of the libraries are their users' to call."""

import re
from collections import Counter

from .project import Finding, is_allowed, target_of

RULE = "unused"
LIBRARIES = ("Freehold", "FreeholdEngine", "FreeholdMerge", "FreeholdTools")
#: The test kit is there for tests, and the compiler calls what the macros declare.
OTHERS = ("TestKit", "FreeholdMacros")
#: Members that the language or a protocol of it calls by itself.
CALLED_BY_LANGUAGE = {
    "init", "deinit", "subscript", "hash", "encode", "description", "debugDescription", "errorDescription", "makeIterator", "next", "index",
    "run", "configuration", "customMirror", "startIndex", "endIndex", "rawValue", "allCases", "wrappedValue", "projectedValue",
    "callAsFunction", "underestimatedCount", "CodingKeys", "Element", "Index", "Iterator", "Indices", "SubSequence", "ArrayLiteralElement",
    "withContiguousStorageIfAvailable", "id", "unownedExecutor", "enqueue", "intValue", "stringValue",
}
_WORD = re.compile(r"[A-Za-z_]\w*")
_OFFERED = re.compile(r"\b(?:public|open|override)\b(?!\(set\))|@(?:main|c|_cdecl|_silgen_name|objc|usableFromInline)\b")


def check(project):
    sources = [source for source in project.sources("Sources", suffixes={".swift"}) if target_of(source.name) not in OTHERS]
    named = Counter()
    for source in sources:
        named.update(_WORD.findall(source.code))
    for source in project.sources("Examples", "Benchmarks", suffixes={".swift"}):
        named.update(_WORD.findall(source.code))
    declared = Counter(declaration.name for source in sources for declaration in source.declarations if declaration.kind != "extension")
    required = _required(sources)
    for source in sources:
        for declaration in source.declarations:
            if named[declaration.name] <= declared[declaration.name] and _counts(source, declaration, required):
                what = f"nothing but tests names '{declaration.name}'; delete it, with what only it uses, or say '// Allowed: …' above it"
                yield Finding(source.name, declaration.line, RULE, what)


def _required(sources):
    """The names that protocols ask for; what has one is called through the protocol."""
    return {
        declaration.name for source in sources for declaration in source.declarations if declaration.parent and declaration.parent.kind == "protocol"
    }


def _counts(source, declaration, required):
    if declaration.kind in ("extension", "case", "associatedtype", "macro") or declaration.name in CALLED_BY_LANGUAGE | required:
        return False
    if not declaration.name[:1].isidentifier() or declaration.name.startswith("_") or any(around.is_function for around in list(declaration.enclosing())[1:]):
        return False
    above = "\n".join([source.code_at(line) for line in range(source.head_line(declaration), declaration.line)] + [declaration.prefix])
    offered = _OFFERED.search(above) is not None or "public" in (declaration.parent.prefix if declaration.parent and declaration.parent.kind == "extension" else "")
    if offered and (target_of(source.name) in LIBRARIES or re.search(r"\boverride\b|@", above)):
        return False
    return not is_allowed(source, source.head_line(declaration))
