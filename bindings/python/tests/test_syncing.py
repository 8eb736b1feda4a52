"""Synced classes: declared by models, kept, counted up, unmarked."""

from __future__ import annotations

import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import freehold
from freehold.schema import Property


@freehold.model(sync="update_wins")
class Item:
    id: str = freehold.field(primary_key=True)
    stock: int = freehold.field(counter=True, default=0)
    note: str = freehold.field(merged=True, default="")


@freehold.model(name="Item")
class Plain:
    """The same class as a program declares it that knows nothing of sync."""

    id: str = freehold.field(primary_key=True)
    stock: int = 0
    note: str = ""


@freehold.model(name="Item", sync="deletion_wins")
class Other:
    id: str = freehold.field(primary_key=True)
    stock: int = freehold.field(counter=True, default=0)
    note: str = freehold.field(merged=True, default="")


@freehold.model(sync="deletion_wins")
class Part:
    """Merged properties whose values Python has no type of its own for."""

    id: int = freehold.field(primary_key=True)
    next: Part | None = freehold.field(merged=True, default=None)
    any: Any = freehold.field(merged=True, default=None)
    size: freehold.Float32 | None = freehold.field(merged=True, default=None)


@freehold.model
class Count:
    """A counter of a class that is not synced is an ordinary property."""

    id: int = freehold.field(primary_key=True)
    count: int = freehold.field(counter=True, default=0)


def version_of(database: freehold.Database) -> int:
    with database.read() as snapshot:
        return snapshot.version


class Syncing(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "items.freehold")

    def test_a_model_declares_a_synced_class_and_its_counters(self) -> None:
        with freehold.open(self.path, models=[Item]) as database:
            with database.read() as snapshot:
                found = snapshot.classes["Item"]
                self.assertEqual(found.sync, "update_wins")
                self.assertEqual([(item.name, item.counter, item.merged) for item in found.properties],
                                 [("id", False, False), ("stock", True, False), ("note", False, True)])
            version = version_of(database)
        for model in (Plain, Item):
            with freehold.open(self.path, models=[model]) as database:
                self.assertEqual(version_of(database), version)
                with database.read() as snapshot:
                    self.assertEqual(snapshot.classes["Item"].sync, "update_wins")

    def test_other_rules_are_refused_until_the_schema_version_is_raised(self) -> None:
        freehold.open(self.path, models=[Item]).close()
        with self.assertRaisesRegex(freehold.SchemaError, "changed its rules for sync from 'updates win; counters stock; merged note'"):
            freehold.open(self.path, models=[Other])
        with freehold.open(self.path, models=[Other], version=1) as database, database.read() as snapshot:
            self.assertEqual(snapshot.classes["Item"].sync, "deletion_wins")

    def test_increments_give_the_sum_and_refuse_what_does_not_fit(self) -> None:
        with freehold.open(self.path, models=[Item, Count]) as database:
            with database.write() as transaction:
                item = transaction.add(Item("a", 3))
                self.assertEqual(transaction.increment(item, "stock", -5), -2)
                self.assertEqual(transaction.increment(item, "stock"), -1)
                with self.assertRaises(freehold.FreeholdError):
                    transaction.increment(item, "stock", -(1 << 63))
                with self.assertRaises(freehold.ValueTypeError):
                    transaction.increment(item, "stock", 1 << 63)
                with self.assertRaises(freehold.FreeholdError):
                    transaction.increment(item, "id")
                with self.assertRaises(freehold.UnknownNameError):
                    transaction.increment(item, "nothing")
                self.assertEqual(item.stock, -1)
                transaction.delete(item)
                with self.assertRaises(freehold.DeletedError):
                    transaction.increment(item, "stock")
            version = version_of(database)
        # Nothing is to be written for a counter that is none.
        with freehold.open(self.path, models=[Count]) as database:
            self.assertEqual(version_of(database), version)

    def test_a_class_is_unmarked_and_a_counter_is_added_with_its_property(self) -> None:
        with freehold.open(self.path, models=[Item]) as database:
            with database.write() as transaction:
                transaction.add_property("Item", Property.declared("sold", int, counter=True))
                self.assertTrue(transaction.classes["Item"].properties[-1].counter)
            with database.write() as transaction:
                transaction.unmark_synced("Item")
                self.assertIsNone(transaction.classes["Item"].sync)
                self.assertFalse(any(item.counter or item.merged for item in transaction.classes["Item"].properties))

    def test_a_wrong_rule_is_named(self) -> None:
        with self.assertRaisesRegex(freehold.SchemaError, "unknown rule for sync 'always'; known are None, 'deletion_wins', 'update_wins'"):
            freehold.model(sync="always")(type("Wrong", (), {}))


class Server:
    """A server in memory for the classes of a file, in a process of its own."""

    def __init__(self, path: str) -> None:
        scratch = Path(os.environ.get("FREEHOLD_SCRATCH") or Path(__file__).resolve().parents[3] / ".build")
        self._process = subprocess.Popen([scratch / "debug" / "SyncServerHelper", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, message: bytes) -> bytes:
        self._process.stdin.write(struct.pack("<I", len(message)) + message)
        self._process.stdin.flush()
        length, = struct.unpack("<I", self._process.stdout.read(4))
        return self._process.stdout.read(length)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(30)


class Exchanging(unittest.TestCase):
    """Two files and a server, whose messages a program carries."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.ann, self.ben = (freehold.open(os.path.join(folder.name, name), models=[Item, Part]) for name in ("ann", "ben"))
        self.server = Server(os.path.join(folder.name, "ann"))
        self.addCleanup(self.server.close)
        self.addCleanup(self.ann.close)
        self.addCleanup(self.ben.close)
        for database in (self.ann, self.ben):
            self.pull(database)

    def push(self, database: freehold.Database) -> bool:
        """Sends what is pending; false if nothing is. An acknowledgement changes nothing."""
        message = database.sync_push()
        if message is None:
            return False
        acknowledged = self.server.ask(message)
        self.assertTrue(acknowledged)
        self.assertIsNone(database.sync_apply(acknowledged))
        return True

    def pull(self, database: freehold.Database, merge=None) -> freehold.SyncReport:
        report = database.sync_apply(self.server.ask(database.sync_pull()), merge=merge)
        self.assertIsNotNone(report)
        return report

    def both(self) -> list[list[tuple]]:
        found = []
        for database in (self.ann, self.ben):
            with database.read() as snapshot:
                found.append(sorted((item.id, item.stock, item.note) for item in snapshot.objects(Item)))
        return found

    def start(self) -> None:
        with self.ann.write() as transaction:
            transaction.add(Item("a", 10, "first"))
        self.assertTrue(self.push(self.ann))
        self.assertEqual(self.pull(self.ann).losses, ())
        self.assertEqual(self.pull(self.ben).changed_objects, 1)
        self.assertFalse(self.push(self.ann))

    def change(self, database: freehold.Database, taken: int, note: str) -> None:
        with database.write() as transaction:
            item = transaction.get(Item, "a")
            transaction.increment(item, "stock", -taken)
            item.note = note

    def test_counters_add_up_and_the_program_merges_a_property(self) -> None:
        self.start()
        self.change(self.ann, 2, "from ann")
        self.change(self.ben, 3, "from ben")
        self.push(self.ann)
        self.pull(self.ann)
        self.push(self.ben)
        seen: list[freehold.SyncConflict] = []

        def merge(conflict: freehold.SyncConflict) -> str:
            seen.append(conflict)
            return f"{conflict.theirs}, {conflict.mine}"

        report = self.pull(self.ben, merge)
        self.assertEqual([(one.class_name, one.primary_key, one.property, one.mine, one.theirs) for one in seen],
                         [("Item", "a", "note", "from ben", "from ann")])
        self.assertEqual([(loss.primary_key, loss.property, loss.reason) for loss in report.losses], [("a", "note", "conflict")])
        self.push(self.ben)
        self.pull(self.ben, merge)
        self.pull(self.ann, merge)
        self.assertEqual(self.both(), [[("a", 5, "from ann, from ben")]] * 2)
        self.assertFalse(self.push(self.ann) or self.push(self.ben))

    def test_a_merge_that_fails_changes_nothing(self) -> None:
        self.start()
        self.change(self.ann, 1, "from ann")
        self.change(self.ben, 1, "from ben")
        self.push(self.ann)
        self.push(self.ben)
        version = version_of(self.ben)

        def fails(conflict: freehold.SyncConflict) -> str:
            raise KeyError(conflict.property)

        answer = self.server.ask(self.ben.sync_pull())
        with self.assertRaises(KeyError):
            self.ben.sync_apply(answer, merge=fails)
        with self.assertRaises(freehold.FreeholdError):
            self.ben.sync_apply(answer, merge=lambda conflict: 5)
        self.assertEqual(version_of(self.ben), version)
        self.assertIsNotNone(self.ben.sync_apply(answer))
        # The same answer again, and nonsense.
        self.assertIsNone(self.ben.sync_apply(answer))
        with self.assertRaises(freehold.FreeholdError):
            self.ben.sync_apply(b"nonsense")
        self.assertIn(("a", 8, "from ann"), self.both()[1])

    def test_either_value_of_a_conflict_can_be_the_merged_one(self) -> None:
        for choice, expected in (("mine", (3, 3, None)), ("theirs", (2, 2, 2.5))):
            with self.ann.write() as transaction:
                for number in range(1, 4):
                    part = transaction.get(Part, number) or transaction.create(Part, id=number)
                    part.update(next=None, any=None, size=7)
            self.push(self.ann)
            self.pull(self.ann)
            self.pull(self.ben)
            for database, number, size in ((self.ann, 2, 2.5), (self.ben, 3, None)):
                with database.write() as transaction:
                    target = transaction.get(Part, number)
                    transaction.get(Part, 1).update(next=target, any=target, size=size)
            self.push(self.ann)
            self.pull(self.ann)
            report = self.pull(self.ben, lambda conflict, choice=choice: getattr(conflict, choice))
            self.assertEqual({loss.property for loss in report.losses}, {"next", "any", "size"})
            with self.ben.read() as snapshot:
                part = snapshot.get(Part, 1)
                self.assertEqual((part.next.id, part.any.id, part.size), expected)
            self.push(self.ben)
            self.pull(self.ben)
            self.pull(self.ann)

    def test_what_is_no_message_is_refused(self) -> None:
        for message in (5, "text", None):
            with self.assertRaises(TypeError):
                self.ann.sync_apply(message)
        with self.assertRaises(freehold.ArgumentError):
            self.ann.sync_apply(self.ann.sync_pull())

    def test_a_deletion_and_an_update_are_told(self) -> None:
        self.start()
        with self.ann.write() as transaction:
            transaction.delete(transaction.get(Item, "a"))
        self.change(self.ben, 1, "still here")
        self.push(self.ann)
        self.pull(self.ann)
        self.push(self.ben)
        self.pull(self.ben)
        report = self.pull(self.ann)
        # Updates win, so the object is there again.
        self.assertEqual([note for _, _, note in self.both()[0]], ["still here"])
        self.assertEqual(self.both()[0], self.both()[1])
        self.assertEqual(report.changed_objects, 1)


if __name__ == "__main__":
    unittest.main()
