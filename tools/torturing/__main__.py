"""Runs worlds until the time is over, and prints what was done and what failed."""

from __future__ import annotations

import argparse
import collections
import os
import random
import shutil
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

from . import events
from .members import ROOT, Failure, Programs
from .world import SLOTS, World


def programs(arguments: argparse.Namespace) -> Programs:
    members = dict(one.split("=", 1) for one in arguments.members.split(","))
    assert sorted(members) == ["c", "swift"], f"--members names {sorted(members)}"
    found = {language: [path] for language, path in members.items()}
    found["python"] = [sys.executable, "-B", str(ROOT / "Tests/Processes/Torture/member.py")]
    return Programs(found, arguments.command_line, {"FREEHOLD_LIBRARY": arguments.library, "PYTHONPATH": str(ROOT / "bindings/python/src"),
                                                    "SWIFT_BACKTRACE": "enable=no"})


class Run:
    """Worlds one after another, with what all of them have done."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.programs = programs(arguments)
        self.seed = arguments.seed
        self.end = time.monotonic() + arguments.minutes * 60
        self.most, self.without = arguments.worlds, set(arguments.without.split(","))
        self.folder = Path(tempfile.mkdtemp(prefix="torture-", dir=arguments.folder))
        self.tally: collections.Counter = collections.Counter()
        self.failures: list[str] = []

    def is_over(self) -> bool:
        return time.monotonic() > self.end or bool(self.failures)

    def all(self) -> None:
        number = 0
        while not self.is_over() and (self.most is None or number < self.most):
            self.one(f"{self.seed}.{number}")
            number += 1

    def one(self, seed: str) -> None:
        folder = self.folder / seed
        folder.mkdir()
        world = World(self.programs, folder, seed, self.tally, os.geteuid() == 0, self.without)
        try:
            world.found()
            for life in range(world.chance.randint(1, 4)):
                self.live(world, life)
                if self.failures:
                    break
            self.tally["worlds"] += 1
        except Exception as error:
            self.fail(world, error)
        finally:
            if self.failures and world.is_small:
                shutil.copytree(folder, self.folder / f"{seed}-kept", ignore_dangling_symlinks=True, ignore=shutil.ignore_patterns("*.management"))
            world.dispose()
        if not self.failures:
            shutil.rmtree(folder, ignore_errors=True)
            for journal in self.folder.glob(f"{seed}-*.journal"):
                journal.unlink()

    def fail(self, world: World, error: Exception) -> None:
        told = str(error) if isinstance(error, Failure) else "".join(traceback.format_exception(error))
        self.failures.append(f"world {world.seed}{' (encrypted)' if world.key != '-' else ''}: {told}")
        world.is_ending.set()

    def guarded(self, world: World, work, *arguments) -> None:
        try:
            work(*arguments)
        except Exception as error:
            self.fail(world, error)

    def live(self, world: World, life: int) -> None:
        """Programs work and things happen for a while; then all is compared."""
        chance = random.Random(f"{world.seed} life {life}")
        world.is_ending.clear()
        world.is_to_end = False
        workers = [threading.Thread(target=self.guarded, args=(world, world.work, slot, life)) for slot in range(SLOTS)]
        happening = threading.Thread(target=self.guarded, args=(world, self.disturb, world, chance))
        for thread in [*workers, happening]:
            thread.start()
        end = time.monotonic() + chance.uniform(3, 20)
        while time.monotonic() < end and not world.is_to_end and not world.is_ending.is_set():
            time.sleep(0.02)
        world.end(is_gentle=chance.random() < 0.5)
        for thread in [*workers, happening]:
            thread.join()
        world.tolerated.clear()
        if self.failures:
            return
        self.tally["lives"] += 1
        world.examine(chance)
        events.rest(world, chance)
        world.examine(chance)

    @staticmethod
    def disturb(world: World, chance: random.Random) -> None:
        is_last = chance.random() < 0.2
        count = 0
        while not world.is_ending.wait(chance.expovariate(6)):
            count += 1
            if is_last and count > 20:
                events.delete_auxiliary_files(world, chance)
                world.tally["event: delete_auxiliary_files"] += 1
                return
            events.happen(world, chance)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tools/torture", description="Runs programs of several languages on databases under nearly every kind of failure, and compares the results with an independent record.")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", default=str(random.randrange(1 << 32)), help="seed of the random choices; the moments at which programs are killed still vary")
    parser.add_argument("--worlds", type=int, help="maximum number of files")
    parser.add_argument("--without", default="", help="events to leave out, by their names in the results: fork,move_away")
    parser.add_argument("--folder", help="folder of the files")
    parser.add_argument("--members", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--command-line", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--library", required=True, help=argparse.SUPPRESS)
    run = Run(parser.parse_args())
    began = time.monotonic()
    print(f"seed {run.seed}, files in {run.folder}", flush=True)
    run.all()
    # Failures come first, so that they are visible in a truncated report.
    for failure in run.failures:
        print(f"FAILED {failure}")
    print("; ".join(f"{name} {run.tally[name]}" for name in sorted(run.tally)))
    if not run.failures:
        shutil.rmtree(run.folder, ignore_errors=True)
    print(f"{(time.monotonic() - began) / 60:.1f} minutes, {run.tally['transactions']} transactions in {run.tally['worlds']} files")
    print(f"{run.tally['lives']} passed, {len(run.failures)} failed")
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
