"""One session: every workload by every driver in turn, round by round, and whether they gave the same answers."""

import shutil
import statistics
import sys
from collections import defaultdict

from . import drivers as driving


class Session:
    """What was measured: figures by (size, driver, name), answers by (size, name)."""

    def __init__(self, drivers, workloads, sizes, rounds, folder):
        self.drivers, self.workloads, self.sizes, self.rounds, self.folder = drivers, workloads, sizes, rounds, folder
        self.samples = defaultdict(list)
        self.units = {}
        self.answers = defaultdict(lambda: defaultdict(set))
        self.skipped = {}
        self.remarks = {}
        self.errors = []

    def run(self):
        """Drivers take turns within a workload, so that what the machine does meanwhile meets all of them alike."""
        for size in self.sizes:
            for turn in range(self.rounds):
                self._round(size, turn)
            for driver in self.drivers:
                shutil.rmtree(self.folder / driver.name / str(size), ignore_errors=True)
            shutil.rmtree(driving.sources(self.folder, size), ignore_errors=True)

    def _round(self, size, turn):
        _say(f"n = {size:,}, round {turn + 1} of {self.rounds}")
        contenders = [driver for driver in self.drivers if driver.name != "floor"]
        floor = [driver for driver in self.drivers if driver.name == "floor"]
        first = turn % len(contenders)
        for driver in contenders:  # each starts from a file it makes now, not from one of an earlier round
            shutil.rmtree(self.folder / driver.name / str(size), ignore_errors=True)
        for workload in self.workloads:
            order = contenders[first:] + contenders[:first]
            # The floor belongs beside the two workloads that are held against it.
            order += floor if workload in ("commit_durable", "notify") else []
            for driver in order:
                self._take(size, driver, driving.run(driver, size, self.folder, workload))

    def _take(self, size, driver, output):
        for name, value in output.figures.items():
            self.samples[size, driver.name, name].append(value)
            self.units[name] = output.units[name]
        for name, value in output.checks.items():
            self.answers[size, name][value].add(driver.name)
        self.skipped.update({(driver.name, name): why for name, why in output.skipped.items()})
        for remark in output.remarks:
            self.remarks.setdefault(driver.name, remark)
        if output.error:
            self.errors.append(output.error)
            _say(f"  failed: {output.error}")

    def median(self, size, driver, name):
        values = self.samples.get((size, driver, name))
        return statistics.median(values) if values else None

    def spread(self, size, driver, name):
        values = self.samples.get((size, driver, name))
        return (min(values), max(values)) if values else None

    def figures(self, size):
        """The medians at one size by (driver, name)."""
        return {(driver, name): statistics.median(values) for (at, driver, name), values in self.samples.items() if at == size}

    def disagreements(self):
        """Each answer on which drivers or rounds differ, as a sentence."""
        found = []
        for (size, name), by_value in sorted(self.answers.items()):
            if not _same(list(by_value)):
                told = "; ".join(f"{', '.join(sorted(names))}: {value}" for value, names in by_value.items())
                found.append(f"check {name} at {size:,}: {told}")
        return found


def _same(values):
    """Whether all are equal; sums of floating-point numbers may differ in their last digits by the order of adding."""
    if len(set(values)) == 1:
        return True
    try:
        numbers = [float(value) for value in values if "." in value]
    except ValueError:
        return False
    if len(numbers) != len(values):
        return False
    return max(numbers) - min(numbers) <= 1e-9 * max(abs(number) for number in numbers)


def _say(text):
    print(text, file=sys.stderr, flush=True)
