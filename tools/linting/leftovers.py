"""Leftovers: notes to oneself, and tests that do not run."""

import re

from .project import Finding, is_allowed

RULE = "leftovers"
# Spelled in pieces, so that this file does not find itself.
_NOTE = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]) + r")\b")
_UNWRITTEN = re.compile(r"\b(?:not (?:yet )?implemented|unimplemented)\b", re.IGNORECASE)
_SKIPPED = re.compile(r"\bXCTSkip\w*|\.disabled\(|\bwithKnownIssue\b|\.enabled\(if:\s*false")


def check(project):
    for source in project.texts():
        for number, line in enumerate(source.text.splitlines(), 1):
            if match := _NOTE.search(line):
                yield Finding(source.name, number, RULE, f"'{match.group()}': do it now, or file it as an issue and remove the note")
        if source.path.suffix not in (".swift", ".c"):
            continue
        for number, line in enumerate(source.text.splitlines(), 1):
            if source.name.startswith("Sources/") and (match := _UNWRITTEN.search(line)) and not is_allowed(source, number):
                yield Finding(source.name, number, RULE, f"'{match.group()}': build it, or take the way to it out")
        if source.name.startswith("Tests/"):
            for number, match in source.find(_SKIPPED):
                yield Finding(source.name, number, RULE, f"'{match.group()}' leaves a test out; mend what it tests, or delete it")
