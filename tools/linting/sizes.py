"""Sizes: a file is one thing, a function fits on a screen."""

from .project import Finding

RULE = "sizes"
FILE_LINES = 400
FUNCTION_LINES = 60
FUNCTION_LINES_WITHOUT_REASON = 40
REASON = "Long because "


def check(project):
    for source in project.sources("Sources"):
        if source.line_count > FILE_LINES:
            yield Finding(source.name, 1, RULE, f"{source.line_count} lines (at most {FILE_LINES}); split it by concern into Type+Concern files")
        for declaration in source.declarations:
            if declaration.is_function:
                yield from _function(source, declaration)


def _function(source, declaration):
    lines = source.code_line_count(declaration.body_start + 1, declaration.body_end - 1)
    if lines > FUNCTION_LINES:
        advice = f"{lines} lines of code in '{declaration.name}' (at most {FUNCTION_LINES}); keep the branches here and move the leaves into functions"
        yield Finding(source.name, declaration.line, RULE, advice)
    elif lines > FUNCTION_LINES_WITHOUT_REASON:
        inside = "\n".join(source.comment(line) for line in range(declaration.line, declaration.body_end + 1))
        if REASON not in inside and REASON not in source.comment_above(declaration):
            advice = f"{lines} lines of code in '{declaration.name}'; split it, or say '// {REASON}…' above it"
            yield Finding(source.name, declaration.line, RULE, advice)
