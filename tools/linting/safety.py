"""Safety: whatever turns a check of the language off carries its reason beside it."""

import re

from .project import Finding

RULE = "safety"

UNSAFE = [
    (re.compile(r"\.load\((?=fromByteOffset|as:)|\.loadUnaligned\(|\.storeBytes\("), "reads or writes raw memory"),
    (re.compile(r"\.pointee\b"), "follows a pointer"),
    (re.compile(r"\bassumingMemoryBound\b|\bbindMemory\b|\bwithMemoryRebound\b"), "gives memory a type"),
    (re.compile(r"\bwithUnsafe\w*"), "hands out a pointer"),
    (re.compile(r"\bunsafeBitCast\b|\bunsafeDowncast\b"), "changes a type unchecked"),
    (re.compile(r"\bUnmanaged\b"), "counts references by hand"),
    (re.compile(r"@unchecked\s+Sendable|\bnonisolated\(unsafe\)|\bunowned\(unsafe\)"), "turns the concurrency checker off"),
    (re.compile(r"&(?:\+|-|\*|<<|>>)(?!&)"), "lets a number wrap"),
    (re.compile(r"\btry!|\bas!"), "stops the process when wrong"),
]


def check(project):
    for source in project.sources("Sources", suffixes={".swift"}):
        if "Safe throughout:" in source.head_comment():
            continue
        reported = set()
        for pattern, what in UNSAFE:
            for line, match in source.find(pattern):
                if line not in reported and not _has_reason(source, line):
                    reported.add(line)
                    advice = f"'{match.group().strip('( ')}' {what} without a reason; say '// Safe: …' on the line, in the function, or above its declaration"
                    yield Finding(source.name, line, RULE, advice)


def _has_reason(source, line):
    if _is_reason(source.comment(line)) or _is_reason(_comment_block_above(source, line)):
        return True
    declaration = source.declaration_at(line)
    if declaration is None:
        return False
    for around in declaration.enclosing():
        if _is_reason(source.comment_above(around)) or _is_reason(source.comment(around.line)):
            return True
        if around.is_function and any(_is_reason(source.comment(at)) for at in range(around.line, around.body_end + 1)):
            return True
        if around.is_type and "Safe throughout:" in _first_comment_inside(source, around):
            return True
    return False


def _is_reason(comment):
    return re.search(r"\bSafe\b[^:.\n]{0,40}:\s*\S", comment) is not None


def _comment_block_above(source, line):
    found, at = [], line - 1
    while at >= 1 and source.comment(at) and not source.code_at(at):
        found.append(source.comment(at))
        at -= 1
    return "\n".join(reversed(found))


def _first_comment_inside(source, declaration):
    found, at = [], declaration.body_start + 1
    while at < declaration.body_end and not source.code_at(at):
        found.append(source.comment(at))
        at += 1
    return "\n".join(found)
