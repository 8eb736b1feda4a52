"""The measures that `tools/lint --measure` prints: what to look at before a change of the structure, and after it."""

import re
from collections import defaultdict

from . import cycles, types
from .floors import Floor
from .project import target_of

_ASSERTION = re.compile(r"(?<![.\w])(?<!func )(?:assert|precondition|assertionFailure|preconditionFailure)\(|(?<!func )\bcheckInvariants\(")
_DECLARATIONS = {"func", "init", "subscript", "var", "let", "struct", "class", "enum", "protocol", "actor"}


def report(project):
    """All measures as tables."""
    tables = [_types(project), _cycles(project), _floors(project), _documents(project)]
    return "\n\n".join(tables)


def _table(head, rows):
    rows = [head] + [tuple(str(cell) for cell in row) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in enumerate(zip(row, widths))) for row in rows
    )


def _types(project):
    sizes = types.sizes(project)
    chosen = set()
    for measure in ("lines", "stored", "functions"):
        chosen.update(sorted(sizes, key=lambda key: -getattr(sizes[key], measure))[:8])
    rows = [(" ".join(key), sizes[key].lines, sizes[key].stored, sizes[key].functions) for key in sorted(chosen, key=lambda key: -sizes[key].lines)]
    return _table(("largest types, over all extensions", "lines", "stored", "functions"), rows)


def _cycles(project):
    rows = []
    for what, members in cycles.largest(project).items():
        if "/" not in what:
            total = sum(1 for _ in project.sources(f"Sources/{what}", suffixes={".swift"}))
            rows.append((what, len(members), total, f"{100 * len(members) / total:.0f} %"))
    return _table(("largest cycle of types", "files", "of", "share"), rows)


def _floors(project):
    """By target, or by floor where a target has floors: lines, assertions, and how much is documented."""
    lines, assertions, declared, documented = (defaultdict(int) for _ in range(4))
    floors = {target.name: Floor(target) for target in project.targets if (target / "layers.txt").is_file()}
    for source in project.sources("Sources", suffixes={".swift"}):
        target = target_of(source.name)
        place = f"{target}/{floors[target].of(source.path)}" if target in floors else target
        lines[place] += source.code_line_count(1, source.line_count)
        assertions[place] += sum(1 for _ in source.find(_ASSERTION))
        for declaration in source.declarations:
            if declaration.kind in _DECLARATIONS and (declaration.parent is None or declaration.parent.is_type):
                declared[place] += 1
                documented[place] += "///" in source.comment_above(declaration)
    rows = [
        (place, lines[place], assertions[place], f"{100 * assertions[place] / max(lines[place], 1):.2f}", declared[place], documented[place])
        for place in sorted(lines)
    ]
    total = [sum(counts.values()) for counts in (lines, assertions, declared, documented)]
    rows.append(("all", total[0], total[1], f"{100 * total[1] / max(total[0], 1):.2f}", total[2], total[3]))
    return _table(("assertions and doc comments, by floor", "lines of code", "assertions", "per 100 lines", "declarations", "documented"), rows)


def _documents(project):
    counts = defaultdict(int)
    for source in project.texts():
        if source.path.suffix == ".md":
            folder = source.name.split("/")[0] if "/" in source.name else "."
            for language in re.findall(r"^```(\w+)", source.text, re.MULTILINE):
                counts[folder, language] += 1
    rows = [(folder, language, count) for (folder, language), count in sorted(counts.items())]
    return _table(("code blocks of documents", "language", "blocks"), rows)
