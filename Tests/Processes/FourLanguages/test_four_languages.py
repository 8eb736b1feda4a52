"""Starts the programs of the bank, kills some of them again and again, and checks what is left; README.md tells the rules.

FREEHOLD_MEMBERS names the programs, as in swift=PATH:c=PATH:cpp=PATH; FREEHOLD_LIBRARY the library."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import freehold

ACCOUNTS = 12
LIMIT = 240


@freehold.model
class Account:
    id: int = freehold.field(primary_key=True)
    balance: int = 1000


@freehold.model
class Counter:
    name: str = freehold.field(primary_key=True)
    count: int = 0


@freehold.model
class Move:
    by: str = freehold.field(indexed=True)
    number: int = 0
    amount: int = 0
    source: int = 0
    target: int = 0


@freehold.model
class Control:
    id: int = freehold.field(primary_key=True)
    stopped: bool = False


def programs() -> dict[str, list[str]]:
    """The command of each language."""
    given = dict(one.split("=", 1) for one in os.environ["FREEHOLD_MEMBERS"].split(":"))
    found = {language: [path] for language, path in given.items()}
    found["python"] = [sys.executable, "-B", str(Path(__file__).with_name("member.py"))]
    assert sorted(found) == ["c", "cpp", "python", "swift"], f"FREEHOLD_MEMBERS names {sorted(given)}"
    return found


class Member:
    """A running program, and what it has said so far."""

    def __init__(self, command: list[str], folder: Path, language: str, name: str, seed: int) -> None:
        self.language, self.name = language, name
        self.output, self.errors = folder / f"{name}.out", folder / f"{name}.err"
        with open(self.output, "wb") as output, open(self.errors, "wb") as errors:
            self.process = subprocess.Popen([*command, str(folder / "bank"), name, str(seed)], stdin=subprocess.DEVNULL, stdout=output, stderr=errors)

    @property
    def lines(self) -> list[str]:
        """What it said; a line that a kill cut off does not count."""
        return self.output.read_text().split("\n")[:-1]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Victim:
    """The program of a language that is killed, at a moment that chance has chosen: so many versions after its start, or so many own moves."""

    def __init__(self, member: Member, chance: random.Random, version: int) -> None:
        self.member = member
        self.by_moves = chance.random() < 0.7
        self.target = chance.randint(1, 40) if self.by_moves else version + chance.randint(1, 400)

    def is_due(self, snapshot: freehold.Snapshot) -> bool:
        if not self.by_moves:
            return snapshot.version >= self.target
        counter = snapshot.get(Counter, self.member.name)
        return counter is not None and counter.count >= self.target


class FourLanguages(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.seed = int(os.environ.get("FREEHOLD_SEED") or random.randrange(1 << 32))
        self.chance = random.Random(self.seed)
        self.database = freehold.open(self.folder / "bank", [Account, Counter, Move, Control])
        self.addCleanup(self.database.close)
        with self.database.write() as transaction:
            transaction.insert_columns(Account, {"id": range(ACCOUNTS), "balance": [1000] * ACCOUNTS})
            transaction.create(Control, id=1)
        self.programs, self.members, self.kills = programs(), [], {language: 0 for language in programs()}
        self.addCleanup(lambda: [member.kill() for member in self.members if member.process.poll() is None])

    def start(self, language: str) -> Member:
        name = f"{language}-{sum(member.language == language for member in self.members)}"
        member = Member(self.programs[language], self.folder, language, name, self.chance.randrange(1, 1 << 62))
        self.members.append(member)
        return member

    def failing(self, member: Member) -> str:
        return f"seed {self.seed}: {member.name} ended with {member.process.returncode}: {member.errors.read_text()}"

    def disturb(self, seconds: float, survivors: list[Member]) -> None:
        """Kills and starts programs until the time is over, each language was killed, and each survivor has moved something."""
        snapshot = self.database.read()
        victims = [Victim(self.start(language), self.chance, snapshot.version) for language in self.programs]
        end, limit = time.monotonic() + seconds, time.monotonic() + LIMIT
        while time.monotonic() < end or 0 in self.kills.values() or any(len(member.lines) < 20 for member in survivors):
            self.assertLess(time.monotonic(), limit, f"seed {self.seed}: too little is done; killed {self.kills}")
            self.database.wait(snapshot.version, 1)
            snapshot.refresh()
            for member in self.members:
                if member.process.poll() is not None and member.process.returncode != -signal.SIGKILL:
                    self.fail(self.failing(member))
            for place, victim in enumerate(victims):
                if victim.is_due(snapshot):
                    victim.member.kill()
                    self.kills[victim.member.language] += 1
                    victims[place] = Victim(self.start(victim.member.language), self.chance, snapshot.version)
        for victim in victims:
            victim.member.kill()
        snapshot.close()

    def test_a_bank_is_kept_by_four_languages_while_some_of_its_programs_are_killed(self) -> None:
        survivors = [self.start(language) for language in self.programs]
        self.disturb(20 if os.environ.get("FREEHOLD_LONG") else 3, survivors)
        with self.database.write(timeout=60) as transaction:
            transaction.get(Control, 1).stopped = True
        with self.database.read() as snapshot:
            moves = list(snapshot.objects(Move).rows("by", "number", "amount", "source", "target"))
            for member in survivors:
                try:
                    member.process.wait(120)
                except subprocess.TimeoutExpired:
                    self.fail(f"seed {self.seed}: {member.name} does not end")
                self.assertEqual(member.process.returncode, 0, self.failing(member))
                self.assertEqual(member.lines[-1], f"saw {len(moves)}", f"seed {self.seed}: {member.name} saw the last version")
            with self.database.read() as newest:
                self.assertEqual(newest.version, snapshot.version, f"seed {self.seed}: somebody wrote behind the end")
            self.check(snapshot, moves)
        self.assertEqual(self.database.check().problems, (), f"seed {self.seed}")
        done = {language: sum(by.startswith(language + "-") for by, *_ in moves) for language in self.programs}
        print(f"seed {self.seed}: moves {done}, kills {self.kills}", file=sys.stderr)

    def check(self, snapshot: freehold.Snapshot, moves: list[tuple[str, int, int, int, int]]) -> None:
        balances, numbers = [1000] * ACCOUNTS, {}
        for by, number, amount, source, target in moves:
            balances[source] -= amount
            balances[target] += amount
            numbers.setdefault(by, []).append(number)
        self.assertEqual(list(snapshot.objects(Account).sorted("id").column("balance")), balances, f"seed {self.seed}")
        counters = dict(snapshot.objects(Counter).rows("name", "count"))
        for member in self.members:
            acknowledged = [int(line) for line in member.lines if not line.startswith("saw")]
            done = counters.get(member.name, 0)
            self.assertEqual(sorted(numbers.get(member.name, [])), list(range(1, done + 1)), f"seed {self.seed}: {member.name}'s numbers")
            self.assertEqual(acknowledged, list(range(1, len(acknowledged) + 1)), f"seed {self.seed}: {member.name} tells each")
            self.assertIn(done - len(acknowledged), (0, 1), f"seed {self.seed}: {member.name} was told {len(acknowledged)}, there are {done}")


if __name__ == "__main__":
    unittest.main()
