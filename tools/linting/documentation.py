"""Documentation: what others may call says what it does; what a document points at exists."""

import re

from .project import Finding, target_of

RULE = "documentation"

#: Modules whose `public` is for users. Elsewhere it only crosses a module's edge, and there the type tells what its plain
#: fields and its init mean.
FOR_USERS = ("Freehold", "FreeholdTools")

#: Members whose meaning the protocol they serve already tells.
TOLD_BY_PROTOCOL = {
    "==", "<", "<=", ">", ">=", "hash", "description", "debugDescription", "errorDescription", "makeIterator", "next", "encode",
    "startIndex", "endIndex", "index", "rawValue", "customMirror", "id", "body", "run", "configuration", "allCases",
}
_LINK = re.compile(r"\[[^\]\n]*\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#[^)\s]*)?\)")


def check(project):
    requirements = _requirements(project)
    for source in project.sources("Sources", suffixes={".swift"}):
        for declaration in source.declarations:
            if _is_public(declaration) and not _is_told(source, declaration, requirements):
                yield Finding(source.name, declaration.line, RULE, f"public '{declaration.name}' has no '///' comment; say what it does, its units and its errors")
    for source in project.sources("include"):
        yield from _header(source)
    for source in project.texts():
        if source.path.suffix == ".md":
            yield from _links(source)


_C_FUNCTION = re.compile(r"^[A-Za-z_][\w \t*]*?\b(freehold_\w+)\s*\(", re.MULTILINE)


def _header(source):
    """Functions of the C ABI have a comment above them, or above the group without blank lines that they stand in."""
    for line, match in source.find(_C_FUNCTION):
        above = line - 1
        while above >= 1 and source.code_at(above):
            above -= 1
        if not source.comment(above):
            yield Finding(source.name, line, RULE, f"'{match.group(1)}' has no comment above it; say what it does, who owns what it returns, and its errors")


def _requirements(project):
    """The members of the project's own protocols: documented there, so not again by each type that has them."""
    return {
        declaration.name
        for source in project.sources("Sources", suffixes={".swift"})
        for declaration in source.declarations
        if declaration.parent and declaration.parent.kind == "protocol" and "///" in source.comment_above(declaration)
    }


def _is_public(declaration):
    if not re.search(r"(?<!\w)(?:public|open)(?!\s*\(set\))\b", declaration.prefix):
        return False
    return declaration.kind not in ("extension", "deinit") and "override" not in declaration.prefix


def _is_told(source, declaration, requirements):
    if declaration.name in TOLD_BY_PROTOCOL or declaration.parent and declaration.name in requirements:
        return True
    if declaration.kind == "typealias" and declaration.parent:
        return True
    if target_of(source.name) not in FOR_USERS and declaration.parent and (declaration.kind == "init" or not declaration.is_function and declaration.kind in ("let", "var")):
        return True
    above = "\n".join(source.code_at(line) for line in range(source.head_line(declaration), declaration.line)) + declaration.prefix
    if re.search(r"@c\b|@_cdecl|@implementation", above):
        return True  # the C header documents it
    if declaration.kind == "init" and "from decoder" in source.code_at(declaration.line):
        return True
    comment = source.comment_above(declaration)
    return "///" in comment or "/**" in comment or comment.endswith("*/")


def _links(source):
    fenced = False
    for number, line in enumerate(source.text.splitlines(), 1):
        fenced ^= line.lstrip().startswith("```")
        for match in () if fenced else _LINK.finditer(line):
            if not (source.path.parent / match.group(1)).exists():
                yield Finding(source.name, number, RULE, f"the link to '{match.group(1)}' leads nowhere; mend or remove it")
