"""Ratchets: figures that are still beyond their limit, as ratchets.txt lists them; they may become less, never more.

A rule measures, and a measure beyond its limit is a finding unless ratchets.txt allows as much. Each line of that file holds a
rule, a figure and what was measured. `tools/lint --ratchets` lowers the figures to what the tree has now and removes the lines that
are no longer needed; `tools/lint --ratchets --raise` also writes down what is worse than before, which a reviewer sees in the diff.
"""

import functools
from dataclasses import dataclass

from .project import Finding

FILE = "tools/linting/ratchets.txt"
HEADING = """\
# What is still beyond the limits of the lint: rule, figure, what was measured. The figures may only become less.
# `tools/lint --ratchets` lowers them to what the tree has now.
"""


@dataclass(frozen=True)
class Measure:
    """One figure of the tree: `what` names it in ratchets.txt, `advice` says what to do if it is too large."""

    rule: str
    what: str
    value: int
    limit: int
    path: str
    line: int
    advice: str


def once(measures):
    """Makes a rule measure a project once, as its findings and the ratchets both need what it measured."""

    @functools.wraps(measures)
    def measured(project):
        key = measures.__module__
        if key not in project.measured:
            project.measured[key] = list(measures(project))
        return project.measured[key]

    return measured


def allowed(project):
    """The figures of ratchets.txt, by rule and what was measured."""
    path, found = project.root / FILE, {}
    if path.is_file():
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                rule, value, what = line.split(None, 2)
                found[rule, what] = int(value)
    return found


def findings(project, measures):
    """A finding for each measure that is beyond its limit and beyond what ratchets.txt allows."""
    known = project.ratchets
    for measure in measures:
        limit = max(measure.limit, known.get((measure.rule, measure.what), 0))
        if measure.value > limit:
            text = f"{measure.what}: {measure.value} (at most {limit}); {measure.advice}"
            yield Finding(measure.path, measure.line, measure.rule, text)


def beyond(measures):
    """The measures beyond their limits, as ratchets.txt would list them."""
    return {(measure.rule, measure.what): measure.value for measure in measures if measure.value > measure.limit}


def loose(project, measures):
    """How many lines of ratchets.txt allow more than the tree has."""
    now = beyond(measures)
    return sum(value > now.get(key, 0) for key, value in project.ratchets.items())


def write(project, measures, may_raise):
    """Writes ratchets.txt anew; returns how many lines are new, lower, higher and gone."""
    old, now = allowed(project), beyond(measures)
    new = dict(now) if may_raise else {key: min(value, old[key]) for key, value in now.items() if key in old}
    counts = {
        "new": sum(key not in old for key in new),
        "lower": sum(value < old.get(key, value) for key, value in new.items()),
        "higher": sum(value > old.get(key, value) for key, value in new.items()),
        "gone": sum(key not in new for key in old),
    }
    lines = [f"{rule:<10} {value:>6} {what}" for (rule, what), value in sorted(new.items())]
    (project.root / FILE).write_text(HEADING + "".join(line + "\n" for line in lines))
    return counts
