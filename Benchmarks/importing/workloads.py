"""The workloads: each driver's way to bring a whole database into a file of its own."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from . import answers
from .measuring import Failure, measure
from .sources import source

ROOT = Path(__file__).resolve().parents[2]
#: By workload, the kind of database that is imported.
WORKLOADS = {"import_sqlite": "sqlite", "import_realm": "realm"}


@dataclass
class Importing:
    """One run of a driver."""

    driver: str
    count: int
    #: Where the copies are made, and where the databases are that are imported.
    folder: Path
    sources: Path
    #: The command line, and the library for C.
    freehold: str | None = None
    library: str | None = None

    def run(self, workload):
        """Imports; returns the lines to print."""
        if workload not in WORKLOADS:
            return [f"skip {workload} not a workload of this driver; Benchmarks/README.md lists them"]
        kind = WORKLOADS[workload]
        importers = {("freehold", kind): self._freehold, ("sqlite", "sqlite"): self._sqlite, ("python", "sqlite"): self._python}
        importer = importers.get((self.driver, kind))
        if importer is None:
            return [f"skip {workload} nothing of this driver's reads such files"]
        path, expected = source(self.sources, kind, self.count)
        target = self.folder / f"{workload}.copy"
        self._remove(target)
        measured, given = importer(path, target)
        self._remove(target)
        if given != expected:
            raise Failure(f"{workload}: the copy answers {given}, and should answer {expected}")
        return [
            f"{workload} {self.count / measured.seconds:.0f} objects/s",
            f"{workload}_processor {measured.processor_seconds / self.count * 1e6:.4f} us",
            f"{workload}_memory {measured.peak_bytes / 2**20:.1f} MiB",
            f"{workload}_own_memory {measured.own_bytes / 2**20:.1f} MiB",
            f"check {workload} {given}",
        ]

    @staticmethod
    def _remove(target):
        for path in target.parent.glob(f"{target.name}*"):
            path.unlink()

    def _freehold(self, path, target):
        measured = measure([self.freehold, "import", target, path])
        return measured, answers.of_freehold(self.freehold, target)

    def _sqlite(self, path, target):
        """SQLite's own way to copy a database by its text."""
        program = shutil.which("sqlite3")
        if program is None:
            raise Failure("the program sqlite3 is missing: apt-get install sqlite3")
        return measure([program, path, ".dump"], [program, target]), answers.of_sqlite(target)

    def _python(self, path, target):
        """A loop over rows that creates Freehold's objects."""
        places = [ROOT / "bindings/python/src", ROOT / "Benchmarks"]
        environment = os.environ | {"FREEHOLD_LIBRARY": self.library, "PYTHONPATH": os.pathsep.join(map(str, places))}
        measured = measure([sys.executable, "-B", "-m", "importing.python_loop", path, target], environment=environment)
        return measured, answers.of_freehold(self.freehold, target)
