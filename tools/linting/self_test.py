"""Each rule against samples that it must pass and samples that it must catch."""

import tempfile
from pathlib import Path

from .project import Project
from .samples import SAMPLES


def run(rules):
    """Prints each sample that went wrong and a last line with the count; returns the exit code."""
    by_name = {rule.RULE: rule for rule in rules}
    failed = 0
    for sample in SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in sample.files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            findings = [str(finding) for finding in sorted(set(by_name[sample.rule].check(Project(folder))))]
        problem = _problem(sample, findings)
        if problem:
            failed += 1
            print(f"{sample.rule}: {sample.name}: {problem}", *findings, sep="\n    ")
    for name in by_name:
        kinds = {bool(sample.caught) for sample in SAMPLES if sample.rule == name}
        if kinds != {True, False}:
            failed += 1
            print(f"{name}: needs a sample that passes and one that is caught")
    total = len(SAMPLES) + len(by_name)
    print(f"{total - failed} samples as expected, {failed} not")
    return 1 if failed else 0


def _problem(sample, findings):
    for expected in sample.caught:
        if not any(expected in finding for finding in findings):
            return f"should have been caught: {expected}"
    if len(findings) > len(sample.caught):
        return "was caught without reason" if not sample.caught else "more was caught than expected"
    return None
