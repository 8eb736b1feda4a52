"""Synced classes: declared by models, kept, counted up, unmarked."""

from __future__ import annotations

import os
import tempfile
import unittest

import freehold
from freehold.schema import Property


@freehold.model(sync="update_wins")
class Item:
    id: str = freehold.field(primary_key=True)
    stock: int = freehold.field(counter=True, default=0)
    tags: set[str] = freehold.field(merged=True, default_factory=set)


@freehold.model(name="Item")
class Plain:
    """The same class as a program declares it that knows nothing of sync."""

    id: str = freehold.field(primary_key=True)
    stock: int = 0
    tags: set[str] = freehold.field(default_factory=set)


@freehold.model(name="Item", sync="deletion_wins")
class Other:
    id: str = freehold.field(primary_key=True)
    stock: int = freehold.field(counter=True, default=0)
    tags: set[str] = freehold.field(merged=True, default_factory=set)


@freehold.model
class Count:
    """A counter of a class that is not synced is an ordinary property."""

    id: int = freehold.field(primary_key=True)
    count: int = freehold.field(counter=True, default=0)


class Syncing(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "items.freehold")

    def test_a_model_declares_a_synced_class_and_its_counters(self) -> None:
        with freehold.open(self.path, models=[Item]) as database:
            with database.snapshot() as snapshot:
                found = snapshot.classes["Item"]
                self.assertEqual(found.sync, "update_wins")
                self.assertEqual([(item.name, item.counter, item.merged) for item in found.properties],
                                 [("id", False, False), ("stock", True, False), ("tags", False, True)])
            version = database.version
        for model in (Plain, Item):
            with freehold.open(self.path, models=[model]) as database:
                self.assertEqual(database.version, version)
                with database.snapshot() as snapshot:
                    self.assertEqual(snapshot.classes["Item"].sync, "update_wins")

    def test_other_rules_are_refused_until_the_schema_version_is_raised(self) -> None:
        freehold.open(self.path, models=[Item]).close()
        with self.assertRaisesRegex(freehold.SchemaError, "changed its rules for sync from 'updates win; counters stock; merged tags'"):
            freehold.open(self.path, models=[Other])
        with freehold.open(self.path, models=[Other], schema_version=1) as database, database.snapshot() as snapshot:
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
            version = database.version
        # Nothing is to be written for a counter that is none.
        with freehold.open(self.path, models=[Count]) as database:
            self.assertEqual(database.version, version)

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


if __name__ == "__main__":
    unittest.main()
