"""Runs the tests as unittest does, and once more those that failed.

On a busy machine a test may meet the page in a moment that it did not wait for: an element that is drawn anew between two
questions. A fault of the page fails the second time, too. What passed only then is listed before the last line.
"""

import sys
import unittest


class Counting(unittest.TextTestResult):
    """Keeps each test that failed, once, whatever of it failed."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.failed = {}

    def addError(self, test, error):
        super().addError(test, error)
        self.failed[test.id()] = test

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.failed[test.id()] = test

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.failed[test.id()] = test

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.failed[test.id()] = test


def main(names):
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(names) if names else loader.discover(".", pattern="test_*.py")
    runner = unittest.TextTestRunner(resultclass=Counting)
    first = runner.run(suite)
    if first.wasSuccessful() or not first.failed:
        return not first.wasSuccessful()
    print(f"\nOnce more, alone: {', '.join(first.failed)}\n", file=sys.stderr, flush=True)
    # What is no test, as the beginning of a class, has no name that could be loaded: it stays failed.
    again = {name: loader.loadTestsFromName(name) for name, test in first.failed.items() if isinstance(test, unittest.TestCase)}
    second = runner.run(unittest.TestSuite(again.values()))
    failed = sorted((first.failed.keys() - again.keys()) | second.failed.keys())
    for name in sorted(again.keys() - second.failed.keys()):
        print(f"passed only when run again: {name}", file=sys.stderr)
    print(f"Ran {first.testsRun} tests in all\n\n{f'FAILED (failures={len(failed)})' if failed else 'OK'}", file=sys.stderr)
    for name in failed:
        print(f"FAIL: {name}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
