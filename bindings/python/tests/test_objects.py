"""Objects: made of instances and of values, with every type of value, collections, and embedded ones."""

from __future__ import annotations

import datetime
import decimal
import unittest
import uuid
from typing import Any

import freehold
from kit import UTC, Case, Dog, Person


class Objects(Case):
    def test_instances_go_in_and_come_out(self) -> None:
        database = freehold.open(self.path, [Person, Dog])
        boss = Person(1, "Ada", 1.7)
        boss.boss = boss
        rex = Dog("Rex", 4)
        with database.write() as transaction:
            added = transaction.add(Person(2, "Bob", None, [rex, rex, Dog("Fido")], boss, {"b", "a"}, {"k": "v"}))
            self.assertEqual(added.boss.boss.name, "Ada")
        with database.read() as snapshot:
            bob = snapshot.get(Person, 2)
            self.assertEqual([dog.name for dog in bob.dogs], ["Rex", "Rex", "Fido"])
            self.assertEqual(bob.dogs[0], bob.dogs[1])
            self.assertEqual(list(bob.tags), ["a", "b"])
            self.assertEqual(dict(bob.notes), {"k": "v"})
            self.assertIsNone(bob.height)
            self.assertEqual(len(snapshot.objects(Dog)), 2)
            loaded = bob.load(Person)
            self.assertIsInstance(loaded, Person)
            self.assertEqual(loaded.dogs, [rex, rex, Dog("Fido")])
            self.assertEqual((loaded.boss.name, loaded.tags), ("Ada", {"a", "b"}))
            self.assertEqual([person.id for person in snapshot.get(Person, 1).backlinks(Person, "boss")], [1, 2])
            self.assertIsNone(snapshot.get(Person, 3))

    def test_every_type_of_value(self) -> None:
        database = freehold.open(self.path)
        moment = datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)
        values: dict[str, Any] = dict(
            flag=True, whole=-(1 << 63), real=-0.1, words="grüß\0e", bytes_=b"\0\xff", moment=moment, id_=uuid.uuid4(),
            object_=freehold.ObjectId(), price=decimal.Decimal("19.90"), any_="any")
        with database.write() as transaction:
            transaction.create_class("Thing", flag=bool, whole=int, real=float, words=str, bytes_=bytes, moment=datetime.datetime,
                                     id_=uuid.UUID, object_=freehold.ObjectId, price=decimal.Decimal, any_=Any, friend="Thing")
            thing = transaction.create("Thing", **values)
            self.assertEqual(thing.values(), {**values, "friend": None})
            self.assertEqual(str(thing.price), "19.90")
            for value in (1, 2.5, True, None, b"x", moment, [1, ["a", None], {"k": [2]}], thing):
                thing.any_ = value
                found = thing.any_
                self.assertEqual(list(found) if isinstance(found, freehold.List) else found, value)
            thing.update(friend=thing, whole=3)
            self.assertEqual(thing.friend.friend.whole, 3)
            with self.assertRaises(freehold.ValueTypeError):
                thing.whole = "3"
            with self.assertRaises(freehold.ValueTypeError):
                thing.whole = 1 << 63
            with self.assertRaises(TypeError):
                thing.moment = datetime.datetime(2000, 1, 1)
            with self.assertRaises(freehold.ValueTypeError):
                thing.words = None
            with self.assertRaises(AttributeError):
                thing.nothing
            with self.assertRaises(freehold.UnknownNameError):
                thing["nothing"] = 1
            self.assertEqual(thing.class_name, "Thing")

    def test_collections_behave_as_pythons(self) -> None:
        with self.people(3).write() as transaction:
            one, two = transaction.get(Person, 1), transaction.get(Person, 2)
            rex = transaction.create(Dog, name="Rex")
            one.dogs.extend([rex, transaction.create(Dog, name="Fido")])
            one.dogs.insert(0, transaction.create(Dog, name="Ace"))
            self.assertEqual([dog.name for dog in one.dogs], ["Ace", "Rex", "Fido"])
            one.dogs.move(0, 2)
            self.assertEqual([dog.name for dog in one.dogs[1:]], ["Fido", "Ace"])
            self.assertIn(rex, one.dogs)
            self.assertEqual(one.dogs.index(rex), 0)
            del one.dogs[-1]
            self.assertEqual(one.dogs.pop().name, "Fido")
            one.dogs[0] = rex
            self.assertEqual(len(one.dogs), 1)
            with self.assertRaises(IndexError):
                one.dogs[1]
            two.dogs = [rex, rex]
            self.assertEqual(len(two.dogs), 2)
            two.tags |= {"x", "y"}
            two.tags.discard("x")
            self.assertEqual(two.tags, {"y"})
            two.notes["a"] = "1"
            two.notes.update(b="2")
            self.assertEqual(two.notes, {"a": "1", "b": "2"})
            self.assertEqual(two.notes.pop("a"), "1")
            with self.assertRaises(KeyError):
                del two.notes["a"]
            rex.delete()
            self.assertEqual((len(one.dogs), len(two.dogs)), (0, 0))
            self.assertFalse(rex.exists)
            with self.assertRaises(freehold.DeletedError):
                rex.name
            one.delete()
            with self.assertRaises(freehold.DeletedError):
                one.dogs

    def test_what_a_property_of_any_type_holds_is_a_copy_or_a_view(self) -> None:
        database = freehold.open(self.path)
        with database.write() as transaction:
            transaction.create_class("Thing", extra=Any)
            thing = transaction.create("Thing", extra={"k": [1]})
            thing.extra["k"].append(2)
            self.assertEqual(thing.extra, {"k": [1]})
            thing.collection("extra")["k"].append(2)
            self.assertEqual(thing.extra, {"k": [1, 2]})
            thing.extra = 3
            with self.assertRaises(freehold.ValueTypeError):
                thing.collection("extra")
            with self.assertRaises(freehold.UnknownNameError):
                thing.collection("nothing")

    def test_embedded_objects_are_made_in_their_owners(self) -> None:
        @freehold.model(embedded=True)
        class Room:
            size: int = 0

        @freehold.model
        class House:
            hall: Room | None = None
            rooms: list[Room] = freehold.field(default_factory=list)

        database = freehold.open(self.path, [House, Room])
        with database.write() as transaction:
            house = transaction.add(House(Room(1), [Room(2), Room(3)]))
            self.assertEqual((house.hall.size, [room.size for room in house.rooms]), (1, [2, 3]))
            house.rooms = [Room(4)]
            self.assertEqual(len(transaction.objects(Room)), 2)
            with self.assertRaises(freehold.SchemaError):
                transaction.add(Room(5))
            self.assertEqual(house.load(House), House(Room(1), [Room(4)]))


if __name__ == "__main__":
    unittest.main()
