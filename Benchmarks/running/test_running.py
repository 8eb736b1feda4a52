"""Tests of the runner itself: python3 -m unittest discover Benchmarks"""

import os
import sys
import tempfile
import unittest
import xml.etree.ElementTree as tree
from pathlib import Path
from unittest import mock

from running import drivers, plot, report
from running.session import Session
from running.workloads import ROWS, is_met, target_of

PRINTED = """# SQLite 3.40.1, n=1000
pk_lookup 760000 ops/s
check pk_lookup 49500
skip changeset nothing of that kind
open 150.00 us
"""


def session(*outputs, sizes=(1000,)):
    """A session in which each (driver, size, printed text) was taken once."""
    names = list(dict.fromkeys(driver for driver, _, _ in outputs))
    made = Session([drivers.Driver(name, Path()) for name in names], ["pk_lookup", "open"], list(sizes), 1, Path())
    for name, size, text in outputs:
        made._take(size, drivers.Driver(name, Path()), drivers.parse(text))
    return made


class RunnerTests(unittest.TestCase):
    def test_a_driver_is_compiled_from_all_its_sources_and_again_when_one_or_a_header_changes(self):
        # The "compiler" writes down what it was given: the program tells each time that it was made.
        write = "import sys; at = sys.argv.index('-o'); open(sys.argv[at + 1], 'a').write(' '.join(sys.argv[1:at]) + '\\n')"
        with tempfile.TemporaryDirectory() as name, mock.patch.object(drivers, "FOLDER", Path(name)):
            shared, own, sources = Path(name, "rivals/common.hpp"), Path(name, "own.hpp"), [Path(name, "a.cpp"), Path(name, "b.cpp")]
            shared.parent.mkdir()
            for path in (shared, own, *sources):
                path.touch()
                os.utime(path, (1000, 1000))
            program = Path(name, "program")

            def times_made():
                drivers._compile([sys.executable, "-c", write], ["a.cpp", "b.cpp"], program, [], [own])
                os.utime(program, (2000, 2000))
                return program.read_text().splitlines()

            self.assertEqual(times_made(), [" ".join(map(str, sources))])
            self.assertEqual(len(times_made()), 1)
            for made, changed in enumerate((sources[1], shared, own), 2):
                os.utime(changed, (3000, 3000))
                self.assertEqual(len(times_made()), made, changed.name)
                os.utime(changed, (1000, 1000))

    def test_imports_are_run_by_their_own_program_on_the_same_sources(self):
        told = []

        def run(command, **_):
            told.append(command)
            return mock.Mock(stdout="", returncode=0)

        with tempfile.TemporaryDirectory() as name, mock.patch.object(drivers.subprocess, "run", run):
            given = [drivers.Driver("freehold", Path("bench"), ("--freehold", "freehold")), drivers.Driver("lmdb", Path("lmdb_bench"))]
            for driver in [*given, drivers.Driver("python", Path("imports"))]:
                for workload in ("import_sqlite", "open"):
                    drivers.run(driver, 1000, Path(name), workload)
        programs = [Path(command[0]).name for command in told]
        self.assertEqual(programs, ["imports", "bench", "lmdb_bench", "lmdb_bench", "imports", "imports"])
        self.assertEqual(told[0][-2:], ["--freehold", "freehold"])
        self.assertEqual(told[0][told[0].index("--sources") + 1], told[4][told[4].index("--sources") + 1])

    def test_every_kind_of_line_is_read(self):
        output = drivers.parse(PRINTED)
        self.assertEqual(output.figures, {"pk_lookup": 760000.0, "open": 150.0})
        self.assertEqual(output.checks, {"pk_lookup": "49500"})
        self.assertEqual(output.skipped, {"changeset": "nothing of that kind"})
        self.assertEqual(output.remarks, ["SQLite 3.40.1, n=1000"])

    def test_equal_answers_agree(self):
        self.assertEqual(session(("sqlite", 1000, PRINTED), ("lmdb", 1000, PRINTED)).disagreements(), [])

    def test_another_answer_is_told_with_who_gave_it(self):
        found = session(("sqlite", 1000, "check a 1"), ("lmdb", 1000, "check a 2")).disagreements()
        self.assertEqual(found, ["check a at 1,000: sqlite: 1; lmdb: 2"])

    def test_another_answer_in_a_later_round_is_told(self):
        self.assertEqual(len(session(("sqlite", 1000, "check a 1"), ("sqlite", 1000, "check a 2")).disagreements()), 1)

    def test_sums_may_differ_in_their_last_digits_only(self):
        self.assertEqual(session(("sqlite", 1000, "check a 500000000.001"), ("lmdb", 1000, "check a 500000000.002")).disagreements(), [])
        self.assertEqual(len(session(("sqlite", 1000, "check a 500.001"), ("lmdb", 1000, "check a 500.002")).disagreements()), 1)

    def test_a_ratio_above_one_is_better_whatever_the_unit(self):
        self.assertEqual(report.ratio(ROWS["pk_lookup"], 10.0, 5.0), "2×")
        self.assertEqual(report.ratio(ROWS["open"], 50.0, 100.0), "2×")
        self.assertEqual(report.ratio(ROWS["open"], None, 100.0), "–")

    def test_the_durable_target_follows_the_runs_own_floor_and_rival(self):
        row = ROWS["commit_durable"]
        self.assertEqual(target_of(row, {("floor", "floor_flush"): 1000.0, ("sqlite", "commit_durable"): 700.0}), 800.0)
        self.assertEqual(target_of(row, {("floor", "floor_flush"): 1000.0, ("sqlite", "commit_durable"): 900.0}), 900.0)
        self.assertIsNone(target_of(row, {}))

    def test_a_target_is_met_from_its_own_side(self):
        self.assertTrue(is_met(ROWS["pk_lookup"], 6e6, 5e6))
        self.assertFalse(is_met(ROWS["open"], 120.0, 100.0))

    def test_a_missed_target_stands_out_in_the_table(self):
        page = report.markdown(session(("freehold", 1_000_000, "open 120.00 us\npk_lookup 6000000 ops/s"), ("sqlite", 1_000_000, PRINTED), sizes=(1_000_000,)), [], None)
        self.assertIn("| open | us | 120 | 150 | 1.25× | ≤ 100 | **no** |", page)
        self.assertIn("| pk_lookup | ops/s | 6.00M | 760k | 7.89× | ≥ 5.00M | yes |", page)

    def test_every_driver_has_a_column_with_its_title(self):
        self.assertEqual(list(report.TITLES), drivers.NAMES)
        page = report.markdown(session(*((name, 1000, PRINTED) for name in drivers.NAMES)), [], None)
        for title in report.TITLES.values():
            self.assertTrue(f"| {title} |" in page or title == "floor", title)

    def test_the_plot_is_well_formed_and_has_a_line_for_each(self):
        runs = [(name, size, PRINTED) for name in ("sqlite", "lmdb") for size in (1000, 10000)]
        picture = tree.fromstring(plot.svg(session(*runs, sizes=(1000, 10000))))
        self.assertEqual(len(picture.findall("{*}polyline")), 4)

    def test_one_size_makes_no_plot(self):
        self.assertIsNone(plot.svg(session(("sqlite", 1000, PRINTED))))


if __name__ == "__main__":
    unittest.main()
