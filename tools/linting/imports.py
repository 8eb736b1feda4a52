"""Imports: each module of a Python package imports only modules below it in the package's layers.txt, so that there is no
cycle; an import within a function or for types counts like any other."""

import ast

from .project import Finding

RULE = "imports"


def check(project):
    for layers in project.paths:
        if layers.name == "layers.txt" and (layers.parent / "__init__.py").is_file():
            yield from _package(project, layers)


def _package(project, layers):
    rank, row = {}, 0
    for line in reversed(layers.read_text().splitlines()):
        names = line.split("#")[0].replace(",", " ").split()
        rank.update((name, row) for name in names)
        row += bool(names)
    modules = {path.stem: path for path in project.paths if path.parent == layers.parent and path.suffix == ".py"}
    for name in sorted(set(rank) - set(modules)):
        yield Finding(project.name(layers), 1, RULE, f"'{name}' names no module; remove it or add the module")
    for name, path in sorted(modules.items()):
        if name not in rank:
            yield Finding(project.name(path), 1, RULE, f"this module is in no layer; name it in {project.name(layers)}")
            continue
        for line, used in imported(path.read_text(), modules, layers.parent.name):
            if used in rank and used != name and rank[used] >= rank[name]:
                advice = f"{name} imports {used}, which is not below it; pass in what it needs, or name a protocol of a module below"
                yield Finding(project.name(path), line, RULE, advice)


def imported(text, modules, package):
    """The modules of the package that a module imports, each with the line: at its top, in functions and for types."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.level == 1 or node.level == 0 and (node.module or "").split(".")[0] == package):
            module = (node.module or "").split(".")[-1 if node.level else 0 :]
            module = [part for part in module if part and part != package]
            names = module[:1] if module else [alias.name for alias in node.names]
            yield from ((node.lineno, name if name in modules else "__init__") for name in names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                if parts[0] == package:
                    yield node.lineno, parts[1] if len(parts) > 1 else "__init__"
