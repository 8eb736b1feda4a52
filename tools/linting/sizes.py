"""Sizes: a file is one thing, a function fits on a screen."""

import ast

from . import ratchets
from .project import Finding

RULE = "sizes"
FILE_LINES = 400
FUNCTION_LINES = 60
FUNCTION_LINES_WITHOUT_REASON = 40
REASON = "Long because "
SPLIT_FILE = "split it by concern into Type+Concern files"
SPLIT_FUNCTION = "keep the branches here and move the leaves into functions"


def check(project):
    for source in project.sources("Sources"):
        if source.line_count > FILE_LINES:
            yield Finding(source.name, 1, RULE, f"{source.line_count} lines (at most {FILE_LINES}); {SPLIT_FILE}")
        for declaration in source.declarations:
            if declaration.is_function:
                yield from _function(source, declaration)
    yield from ratchets.findings(project, measures(project))


@ratchets.once
def measures(project):
    """The files and functions of tests and bindings, where no reason makes a function longer."""
    for source in project.sources("Tests", "bindings"):
        yield ratchets.Measure(RULE, f"{source.name} lines", source.line_count, FILE_LINES, source.name, 1, SPLIT_FILE)
        for declaration in source.declarations:
            if declaration.is_function:
                lines = source.code_line_count(declaration.body_start + 1, declaration.body_end - 1)
                yield _of_function(source.name, declaration.name, declaration.line, lines)
    for source in project.sources("Tests", "bindings", suffixes={".py"}):
        yield ratchets.Measure(RULE, f"{source.name} lines", source.line_count, FILE_LINES, source.name, 1, SPLIT_FILE)
        for node in ast.walk(ast.parse(source.text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield _of_function(source.name, node.name, node.lineno, python_lines(source.text, node))


def _of_function(path, name, line, lines):
    return ratchets.Measure(RULE, f"{path} function {name} lines", lines, FUNCTION_LINES, path, line, SPLIT_FUNCTION)


def python_lines(text, function):
    """How many lines of a Python function's body hold code rather than nothing, a comment or its documentation."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    lines = text.splitlines()[body[0].lineno - 1 : body[-1].end_lineno] if body else []
    return sum(1 for line in lines if line.strip() and not line.lstrip().startswith("#"))


def _function(source, declaration):
    lines = source.code_line_count(declaration.body_start + 1, declaration.body_end - 1)
    if lines > FUNCTION_LINES:
        advice = f"{lines} lines of code in '{declaration.name}' (at most {FUNCTION_LINES}); {SPLIT_FUNCTION}"
        yield Finding(source.name, declaration.line, RULE, advice)
    elif lines > FUNCTION_LINES_WITHOUT_REASON:
        inside = "\n".join(source.comment(line) for line in range(declaration.line, declaration.body_end + 1))
        if REASON not in inside and REASON not in source.comment_above(declaration):
            advice = f"{lines} lines of code in '{declaration.name}'; split it, or say '// {REASON}…' above it"
            yield Finding(source.name, declaration.line, RULE, advice)
