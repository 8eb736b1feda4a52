"""The package as it is installed: a wheel with the library in it, in an environment that has nothing else.

Part of the long run. One wheel's library is built by Swift, in the build folder that FREEHOLD_SCRATCH names (`.build` without it): where `tools/test`
has built it there is nothing left to compile. It takes a Python that has setuptools, and wheel where setuptools is older than 70.1: this one, or
the system's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

import freehold

PACKAGE = Path(__file__).parents[1]
EXAMPLE = PACKAGE.parents[1] / "Examples" / "python" / "sensors.py"
BUILDS = "import setuptools; int(setuptools.__version__.split('.')[0]) > 70 or __import__('wheel'); import venv, pip"


def builder() -> str:
    """A Python that can build a wheel."""
    for python in (sys.executable, "/usr/bin/python3"):
        if shutil.which(python) and subprocess.run([python, "-c", BUILDS], capture_output=True).returncode == 0:
            return python
    raise AssertionError("no Python here has venv, pip, setuptools and wheel; as root: apt-get install python3-venv python3-pip python3-setuptools python3-wheel")


@unittest.skipUnless(os.environ.get("FREEHOLD_LONG"), "part of the long run")
class Installing(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # Building leaves files beside the sources.
        self.sources = self.folder / "python"
        shutil.copytree(PACKAGE, self.sources, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))

    def run_in(self, environment: dict[str, str], *command: str | Path) -> str:
        done = subprocess.run([str(part) for part in command], env=environment, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stdout}{done.stderr}")
        return done.stdout

    def installed(self, **variables: str) -> tuple[zipfile.ZipFile, Path]:
        """The wheel that is built with these variables, and the Python of an environment with that and nothing else."""
        python, environment = builder(), {**os.environ, "PIP_NO_INDEX": "1", **variables}
        for name in {"PYTHONPATH", "FREEHOLD_LIBRARY", "FREEHOLD_SCRATCH"} - variables.keys():
            environment.pop(name, None)
        self.run_in(environment, python, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", self.folder / "wheels", self.sources)
        wheel, = (self.folder / "wheels").iterdir()
        self.assertRegex(wheel.name, rf"^freehold-{freehold.__version__}-py3-none-linux_\w+\.whl$")
        self.run_in(environment, python, "-m", "venv", self.folder / "environment")
        inside = self.folder / "environment" / "bin" / "python"
        self.run_in(environment, inside, "-m", "pip", "install", "--no-deps", wheel)
        opened = zipfile.ZipFile(wheel)
        self.addCleanup(opened.close)
        return opened, inside

    def check_that_it_runs(self, inside: Path) -> None:
        """Where neither Swift is, nor what FREEHOLD_LIBRARY named."""
        bare = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder)}
        self.assertIn("kitchen", self.run_in(bare, inside, EXAMPLE, self.folder / "sensors"))
        place = self.run_in(bare, inside, "-c", "import freehold; print(freehold.__file__)")
        self.assertTrue(place.startswith(str(self.folder / "environment")), place)

    def test_a_wheel_brings_the_library(self) -> None:
        wheel, inside = self.installed(FREEHOLD_LIBRARY=os.environ["FREEHOLD_LIBRARY"])
        names = wheel.namelist()
        for expected in ("freehold/__init__.py", "freehold/py.typed", "freehold/libfreehold.so.1"):
            self.assertIn(expected, names)
        self.check_that_it_runs(inside)

    def test_a_wheel_brings_a_library_that_is_built_for_it(self) -> None:
        # It finds the repository by where it lies itself.
        setup = self.sources / "setup.py"
        setup.unlink()
        setup.symlink_to(PACKAGE / "setup.py")
        scratch = Path(os.environ.get("FREEHOLD_SCRATCH") or PACKAGE.parents[1] / ".build")
        wheel, inside = self.installed(FREEHOLD_SCRATCH=str(scratch))
        self.assertEqual(wheel.read("freehold/libfreehold.so.1"), (scratch / "release" / "libfreehold-c.so").read_bytes())
        self.check_that_it_runs(inside)

    def test_without_swift_and_a_library_it_is_told_what_to_do(self) -> None:
        python = builder()
        bare = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "PIP_NO_INDEX": "1"}
        done = subprocess.run([python, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", "wheels", str(self.sources)],
                              env=bare, cwd=self.folder, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("name it in FREEHOLD_LIBRARY", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
