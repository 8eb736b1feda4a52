"""Files with older classes than the program's, and classes that are changed in a transaction."""

from __future__ import annotations

import datetime
import os
import tempfile
import unittest
from typing import Any

import freehold
from freehold import migrating, schema

UTC = datetime.timezone.utc


@freehold.model(name="Person")
class First:
    name: str = ""
    age: int = 0
    boss: "First | None" = None


@freehold.model(name="Person")
class Second:
    full_name: str = freehold.field(indexed=True, default="")
    age: str = ""
    boss: "Person | None" = freehold.field(delete_rule="cascade", default=None)
    nick: str | None = None


class Migrating(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "people")
        with freehold.open(self.path, [First]) as database, database.write() as transaction:
            ada = transaction.create(First, name="Ada", age=36)
            transaction.create(First, name="Bob", age=7, boss=ada)

    def migrate(self, transaction: freehold.Transaction, file_version: int, version: int) -> None:
        self.called = (file_version, version)
        transaction.rename_property("Person", "name", "full_name")
        transaction.set_type("Person", "age", str, lambda age: f"{age} years")
        transaction.create_models(Second)
        for person in transaction.objects("Person"):
            person.nick = person.full_name[:1]

    def version(self) -> int:
        with freehold.open(self.path) as database, database.read() as snapshot:
            return snapshot.version

    def test_a_file_is_brought_to_the_programs_version(self) -> None:
        with self.assertRaisesRegex(freehold.SchemaError, "Property 'Person.age' has been changed from 'int' to 'string'"):
            freehold.open(self.path, [Second])
        with freehold.open(self.path, [Second], version=2, migrate=self.migrate) as database, database.read() as snapshot:
            self.assertEqual((self.called, snapshot.schema_version), ((0, 2), 2))
            people = list(snapshot.objects(Second).sorted("full_name").rows("full_name", "age", "nick"))
            self.assertEqual(people, [("Ada", "36 years", "A"), ("Bob", "7 years", "B")])
            found = snapshot.classes["Person"]
            self.assertTrue(found.properties[found.place("full_name")].indexed)
            self.assertEqual(found.properties[found.place("boss")].delete_rule, "cascade")
            # A file that is in order is opened without waiting for whoever writes, and stays as it is.
            version = snapshot.version
            with database.write():
                freehold.open(self.path, [Second], version=2, migrate=self.fail, timeout=0.001).close()
                freehold.open(self.path, [Second], timeout=0.001).close()
        self.assertEqual(self.version(), version)
        with self.assertRaisesRegex(freehold.SchemaError, "Provided schema version 1 is less than last set version 2"):
            freehold.open(self.path, [Second], version=1)

    def test_a_new_file_has_nothing_to_migrate(self) -> None:
        with freehold.open(self.path + "-new", [Second], version=5, migrate=self.fail) as database, database.read() as snapshot:
            self.assertEqual((snapshot.schema_version, len(snapshot.objects(Second))), (5, 0))

    def test_a_migration_that_fails_changes_nothing(self) -> None:
        kept: list[freehold.Transaction] = []

        def fails(transaction: freehold.Transaction, *versions: int) -> None:
            kept.append(transaction)
            self.migrate(transaction, *versions)
            raise KeyboardInterrupt

        before = self.version()
        with self.assertRaises(KeyboardInterrupt):
            freehold.open(self.path, [Second], version=2, migrate=fails)
        with self.assertRaises(freehold.ClosedError):
            len(kept[0].objects("Person"))
        # One that forgets something is told so.
        with self.assertRaises(freehold.SchemaError):
            freehold.open(self.path, [Second], version=2, migrate=lambda transaction, *_: transaction.rename_property("Person", "name", "full_name"))
        self.assertEqual(self.version(), before)
        with freehold.open(self.path, [First]) as database, database.read() as snapshot:
            self.assertEqual((snapshot.schema_version, snapshot.objects(First).first().age), (None, 36))

    def test_who_only_reads_needs_no_other_index(self) -> None:
        @freehold.model(name="Person")
        class Indexed:
            name: str = freehold.field(indexed=True, default="")
            boss: "Person | None" = freehold.field(delete_rule="deny", default=None)

        with freehold.open(self.path, [Indexed], read_only=True) as database, database.read() as snapshot:
            self.assertEqual(snapshot.objects(Indexed).first().name, "Ada")
        with self.assertRaises(freehold.ReadOnlyError):
            freehold.open(self.path, [Second], read_only=True)

    def test_types_and_nulls(self) -> None:
        with freehold.open(self.path) as database, database.write() as transaction:
            people = transaction.objects("Person").sorted("-name")
            transaction.set_type("Person", "age", str)
            self.assertEqual([person.age for person in people], ["7", "36"])
            with self.assertRaises(freehold.ValueTypeError):
                transaction.set_type("Person", "name", int)
            with self.assertRaises(ZeroDivisionError):
                transaction.set_type("Person", "name", int, lambda name: 1 // 0)
            self.assertEqual([person.name for person in people], ["Bob", "Ada"])
            transaction.set_type("Person", "age", datetime.datetime | None, lambda age: datetime.datetime(int(age), 1, 1, tzinfo=UTC) if age > "5" else None)
            self.assertEqual([person.age for person in people], [datetime.datetime(7, 1, 1, tzinfo=UTC), None])
            with self.assertRaises(freehold.ArgumentError):
                transaction.set_nullable("Person", "age", False)
            transaction.set_nullable("Person", "age", False, datetime.datetime(1, 1, 1, tzinfo=UTC))
            self.assertEqual(people[1].age.year, 1)
            transaction.set_nullable("Person", "name")
            people[1].name = None
            self.assertIsNone(transaction.objects("Person").where("name = nil").first().name)

    def test_keys_indexes_and_names(self) -> None:
        with freehold.open(self.path) as database, database.write() as transaction:
            transaction.rename_class("Person", "Human")
            bob = transaction.objects("Human").where("boss != nil").first()
            self.assertEqual((bob.class_name, bob.boss.name), ("Human", "Ada"))
            transaction.set_primary_key("Human", "name")
            self.assertEqual(transaction.get("Human", "Bob").age, 7)
            transaction.set_primary_key("Human", None)
            self.assertIsNone(transaction.classes["Human"].primary_key)
            transaction.add_index("Human", "name", "age", unique=True)
            with self.assertRaises(freehold.DuplicateKeyError):
                transaction.create("Human", name="Bob", age=7)

    def test_a_class_goes_on_extending_another(self) -> None:
        heir = freehold.Property.declared("rank", int)
        with freehold.open(self.path) as database, database.write() as transaction:
            keep: list[Any] = []
            freehold.errors.check(migrating.library.classes_create(
                transaction._open(), *schema.definitions([("Officer", [heir], False, "Person", None)], keep)))

        @freehold.model
        class Officer:
            rank: int = 0
            ship: str = ""

        with freehold.open(self.path, [Officer]) as database, database.write() as transaction:
            made = transaction.create(Officer, rank=3, ship="Argo", name="Cy")
            self.assertEqual((made.ship, len(transaction.objects("Person"))), ("Argo", 3))


if __name__ == "__main__":
    unittest.main()
