"""Objects: made of instances and of values, with every type of value, collections, and embedded ones."""

from __future__ import annotations

import datetime
import decimal
import unittest
import uuid
from typing import Any

import freehold
from freehold import schema
from freehold._library import library
from freehold.errors import check
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
            inner = thing.collection("extra")["k"]
            for other in ({"other": [1]}, {"k": {"x": 1}}, [[1]], None):
                thing.extra = other
                with self.assertRaises(freehold.DeletedError):
                    len(inner)
                with self.assertRaises(freehold.DeletedError):
                    inner.append(3)
            thing.extra = {"k": [5]}
            self.assertEqual(list(inner), [5])
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

    def test_embedded_objects_are_made_in_collections_one_by_one(self) -> None:
        @freehold.model(embedded=True)
        class Room:
            size: int = 0

        @freehold.model
        class House:
            hall: Room | None = None
            rooms: list[Room] = freehold.field(default_factory=list)
            named: dict[str, Room] = freehold.field(default_factory=dict)
            floors: list[list[Room]] = freehold.field(default_factory=list)

        with freehold.open(self.path, [House, Room]).write() as transaction:
            house = transaction.add(House(Room(1), [Room(2)], {"a": Room(3)}))
            house.rooms.append(Room(4))
            house.rooms.insert(0, {"size": 5})
            house.rooms[1] = Room(6)
            house.rooms += [Room(7), Room(8)]
            house.named["b"] = Room(9)
            house.named["a"] = Room(10)
            house.floors.append([])
            house.floors[0].append(Room(11))
            for name in ("hall", "rooms", "named"):
                house[name] = house[name]
            self.assertEqual([room.size for room in house.rooms], [5, 6, 4, 7, 8])
            self.assertEqual({name: room.size for name, room in house.named.items()}, {"a": 10, "b": 9})
            self.assertEqual((house.hall.size, house.floors[0][0].size), (1, 11))
            house.named["a"] = None
            self.assertEqual(len(transaction.objects(Room)), 8)
            for wrong in (house.rooms[0], 3):
                with self.assertRaisesRegex(freehold.SchemaError, "created from an instance of its model"):
                    house.rooms.append(wrong)
            house.named = {"b": None, "c": Room(12)}
            self.assertEqual((house.named["b"], house.named["c"].size), (None, 12))

    def test_collections_take_instances(self) -> None:
        @freehold.model
        class Kennel:
            rows: list[list[Dog]] = freehold.field(default_factory=list)
            by: dict[str, Dog] = freehold.field(default_factory=dict)
            anything: list[Any] = freehold.field(default_factory=list)

        with freehold.open(self.path, [Kennel, Person, Dog]).write() as transaction:
            ada, kennel, rex = transaction.create(Person, id=1), transaction.create(Kennel), Dog("Rex")
            ada.dogs.extend([rex, rex])
            ada.dogs.append(Dog("Fido"))
            ada.dogs[1] = Dog("Ace")
            ada.dogs.insert(0, Dog("Bo"))
            kennel.rows.append([Dog("Rob")])
            kennel.rows[0].append(ada.dogs[0])
            kennel.by["a"] = Dog("Cleo")
            kennel.anything.append(Dog("Dot"))
            self.assertEqual([dog.name for dog in ada.dogs], ["Bo", "Rex", "Ace", "Fido"])
            self.assertEqual([dog.name for dog in (*kennel.rows[0], kennel.by["a"], kennel.anything[0])], ["Rob", "Bo", "Cleo", "Dot"])
            self.assertEqual(len(transaction.objects(Dog)), 7)

    def test_objects_are_read_whole_when_classes_have_changed(self) -> None:
        with self.people(2).write() as transaction:
            transaction.create_class("Thing", extra=Any, words=str)
            one, two = (transaction.get(Person, number) for number in (1, 2))
            one.dogs = [transaction.create(Dog, name=f"dog {number}") for number in range(50)]
            one.boss = two
            thing = transaction.create("Thing", extra=[two, "x" * 100, list(one.dogs), "y" * 100], words="z" * 100)
            expected, extra = one.values(), thing.extra
            for _ in range(3):
                transaction.add_property("Thing", freehold.Property.declared(f"more{_}", int))
                self.assertEqual(one.values(), expected)
                transaction.add_property("Thing", freehold.Property.declared(f"still_more{_}", int))
                self.assertEqual(thing.extra, extra)
                transaction.add_property("Thing", freehold.Property.declared(f"most{_}", int))
                self.assertEqual((thing.values()["extra"], thing.values()["words"]), (extra, "z" * 100))

    def test_an_object_is_equal_to_itself_by_whichever_class_it_is_read(self) -> None:
        keep: list[Any] = []
        with freehold.open(self.path, []) as database, database.write() as transaction:
            # Models do not say what they extend; other programs' classes do.
            properties = [freehold.Property.declared("id", int, primary_key=True)]
            heirs = [(name, [], False, "Animal", None) for name in ("Hound", "Cat")]
            classes = schema.definitions([("Animal", properties, False, "", None), *heirs], keep)
            check(library.classes_create(transaction._open(), *classes))
            transaction._forget()
            hound, cat = transaction.create("Hound", id=1), transaction.create("Cat", id=2)
            self.assertEqual(hound, transaction.get("Animal", 1))
            self.assertEqual(len({hound, transaction.get("Animal", 1), cat, transaction.get("Cat", 2)}), 2)
            self.assertNotEqual(hound, cat)
            animals, hounds = transaction.objects("Animal"), transaction.objects("Hound")
            self.assertTrue(hound in animals and cat in animals and hound in hounds and cat not in hounds)
            self.assertTrue(hound in animals.where("id < 2") and cat not in animals.where("id < 2"))
            self.assertTrue(transaction.get("Animal", 1) in hounds and transaction.get("Animal", 2) not in hounds)

    def test_what_fails_half_way_is_taken_back(self) -> None:
        @freehold.model(embedded=True)
        class Room:
            size: int = 0

        @freehold.model
        class House:
            id: int = freehold.field(primary_key=True)
            hall: Room | None = None
            rooms: list[Room] = freehold.field(default_factory=list)
            dog: Dog | None = None
            dogs: list[Dog] = freehold.field(default_factory=list)
            words: str = ""

        with freehold.open(self.path, [House, Room, Dog, Person]).write() as transaction:
            house = transaction.add(House(1, Room(1), [Room(2)], Dog("Rex")))

            def state() -> Any:
                return house.values(), [len(transaction.objects(model)) for model in (House, Room, Dog, Person)], [room.size for room in house.rooms]

            before = state()
            for wrong in (
                lambda: transaction.add(House(2, Room(3), [Room("x")])),
                lambda: transaction.add(House(2, None, [], Dog("Ace"), [Dog(3)])),
                lambda: transaction.create(House, id=2, rooms=[{"size": 1}, {"size": "x"}]),
                lambda: house.update(dog=Dog("Ace"), words=3),
                lambda: house.update(words="new", rooms=[Room(4), house.hall]),
                lambda: house.dogs.append(Person(1)),
                lambda: house.dogs.extend([Dog("Ace"), Dog(3)]),
                lambda: house.rooms.extend([Room(4), Room("x")]),
                lambda: house.rooms.__setitem__(0, Room("x")),
            ):
                with self.assertRaises(freehold.ArgumentError):
                    wrong()
                self.assertEqual(state(), before)
            with transaction.savepoint():
                house.dogs.append(Dog("Ace"))
            self.assertEqual(len(house.dogs), 1)

    def test_what_does_not_fit_is_named(self) -> None:
        database = self.people(1)
        with database.write() as transaction:
            notes = transaction.get(Person, 1).notes
            for wrong in (lambda: notes.update({3: "x"}), lambda: transaction.get(Person, 1).update(notes={3: "x"})):
                with self.assertRaisesRegex(freehold.ValueTypeError, "the keys of a map are strings, not 3"):
                    wrong()
            with self.assertRaises(KeyError):
                del notes[3]
            self.assertNotIn(3, notes)
        with self.assertRaisesRegex(freehold.SchemaError, "unknown delete rule 'casade'; known are nullify, cascade, deny"):
            freehold.field(delete_rule="casade")
        with self.assertRaisesRegex(TypeError, r"a list of classes: \[Person\]"):
            freehold.open(self.path, Person)
        with self.assertRaises(TypeError):
            freehold.open(self.path, key="0" * freehold.KEY_LENGTH)


if __name__ == "__main__":
    unittest.main()
