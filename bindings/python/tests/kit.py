"""What the tests of the package have in common: models, and a file for each test."""

from __future__ import annotations

import datetime
import os
import tempfile
import unittest

import freehold

UTC = datetime.timezone.utc


@freehold.model
class Dog:
    name: str = ""
    age: int = 0


@freehold.model
class Person:
    id: int = freehold.field(primary_key=True)
    name: str = freehold.field(indexed=True, default="")
    height: float | None = None
    dogs: list[Dog] = freehold.field(default_factory=list)
    boss: Person | None = None
    tags: set[str] = freehold.field(default_factory=set)
    notes: dict[str, str] = freehold.field(default_factory=dict)


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "file")

    def people(self, count: int = 100) -> freehold.Database:
        database = freehold.open(self.path, [Person, Dog])
        with database.write(durable=False) as transaction:
            for number in range(1, count + 1):
                transaction.create(Person, id=number, name=f"person {number}", height=number / 2)
        return database


def count(database: freehold.Database) -> int:
    """How many persons there are; a process may be asked that."""
    with database.read() as snapshot:
        return len(snapshot.objects("Person"))


def add(database: freehold.Database, number: int) -> None:
    """Makes a person; a process may be asked that."""
    with database.write() as transaction:
        transaction.create("Person", id=number, name="from elsewhere")
