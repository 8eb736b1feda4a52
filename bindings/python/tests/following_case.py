"""What the tests of following have in common."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import tempfile
import unittest
from typing import Any

import freehold


@freehold.model
class Dog:
    name: str = ""
    age: int = 0
    born: datetime.datetime | None = None
    friends: list[Dog] = freehold.field(default_factory=list)
    notes: dict[str, int] = freehold.field(default_factory=dict)


OTHER = """import sys, freehold
with freehold.open(sys.argv[1]).write() as transaction:
    for age in map(int, sys.argv[2:]):
        transaction.create("Dog", name=f"dog {age}", age=age)
"""


class FollowingCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "dogs")
        self.database = freehold.open(self.path, [Dog])
        self.addCleanup(self.database.close)
        with self.database.write() as transaction:
            for age in range(10):
                transaction.create(Dog, name=f"dog {age}", age=age)
        self.snapshot = self.database.read()
        self.addCleanup(self.snapshot.close)

    def dogs(self, condition: str = "TRUEPREDICATE", *arguments: Any, **named: Any) -> freehold.Results[Dog]:
        return self.snapshot.objects(Dog).where(condition, *arguments, **named)

    def change(self, age: int, /, **values: Any) -> None:
        with self.database.write() as transaction:
            transaction.objects(Dog).where("age = %@", age).first().update(**values)

    def elsewhere(self, *ages: int) -> None:
        subprocess.run([sys.executable, "-c", OTHER, self.path, *map(str, ages)], check=True)
