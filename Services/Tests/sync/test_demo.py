"""The demonstration of tools/sync-demo ends well, and says what it shows."""

import os
import pathlib
import subprocess
import sys
import unittest

DEMO = pathlib.Path(__file__).resolve().parents[3] / "Examples" / "sync" / "demo.py"
PROGRAMS = {"--swift": os.environ.get("FREEHOLD_STALL_SWIFT", ""), "--c": os.environ.get("FREEHOLD_STALL_C", "")}


class Demonstration(unittest.TestCase):
    @unittest.skipUnless(all(os.path.exists(one) for one in PROGRAMS.values()),
                         "FREEHOLD_STALL_SWIFT and FREEHOLD_STALL_C do not name the built programs Stall.swift and stall.c")
    def test_all_agree(self):
        words = [sys.executable, "-B", str(DEMO), *(word for pair in PROGRAMS.items() for word in pair)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout + done.stderr)
        said = done.stdout.splitlines()
        self.assertRegex(said[-1], r"^sold in all ([\d,]+), logged \1: they agree$")
        self.assertEqual(sum("killed (SIGKILL)" in line for line in said), 3, done.stdout)


if __name__ == "__main__":
    unittest.main()
