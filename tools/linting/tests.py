"""Tests: each says what holds, as a sentence in quotes: `@Test("a killed writer is followed by the next")`."""

import re
from collections import Counter

from . import ratchets

RULE = "tests"
_TEST = re.compile(r"@Test\b(?P<arguments>\s*\(\s*(?P<quote>\")?)?")


def check(project):
    yield from ratchets.findings(project, measures(project))


@ratchets.once
def measures(project):
    counts, first = Counter(), {}
    for source in project.sources("Tests", suffixes={".swift"}):
        for line, match in source.find(_TEST):
            if not match["quote"]:
                what = f"{'/'.join(source.name.split('/')[:-1][:3])} tests without a sentence"
                counts[what] += 1
                first.setdefault(what, (source.name, line))
    for what, count in sorted(counts.items()):
        yield ratchets.Measure(RULE, what, count, 0, *first[what], 'say what holds: @Test("…")')
