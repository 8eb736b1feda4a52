"""The Python package against the library: what its users write, and how it refuses what is wrong."""

from __future__ import annotations

import array
import asyncio
import datetime
import decimal
import multiprocessing
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import uuid
from pathlib import Path
from typing import Any

import freehold

try:
    import numpy
except ImportError:
    numpy = None


@freehold.model
class Dog:
    name: str = ""
    age: int = 0


@freehold.model
class Address:
    street: str = ""


@freehold.model
class Person:
    id: int = freehold.field(primary_key=True)
    name: str = freehold.field(indexed=True, default="")
    height: float | None = None
    dogs: list[Dog] = freehold.field(default_factory=list)
    boss: Person | None = None
    tags: set[str] = freehold.field(default_factory=set)
    notes: dict[str, str] = freehold.field(default_factory=dict)


UTC = datetime.timezone.utc


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


class Queries(Case):
    def test_conditions_arguments_and_steps(self) -> None:
        with self.people().read() as snapshot:
            people = snapshot.objects(Person)
            self.assertEqual(len(people), 100)
            self.assertEqual(len(people.where("id <= %@", 10).where("name ENDSWITH $end", end="1")), 1)
            self.assertEqual([person.id for person in people.where("id IN %@", [3, 1, 500]).sorted("-id")], [3, 1])
            self.assertEqual(people.where("id > 5 SORT(height DESC) LIMIT(2)").first().id, 100)
            self.assertEqual([person.id for person in people.sorted("name").offset(1).limit(2)], [10, 100])
            self.assertEqual(people.where("name = 'LIMIT(3)'").text, 'name == "LIMIT(3)"')
            self.assertEqual([person.id for person in people[98:]], [99, 100])
            self.assertEqual(people[-1].name, "person 100")
            self.assertIn(people[3], people.where("id < 5"))
            self.assertNotIn(people[4], people.where("id < 5"))
            self.assertFalse(people.where("id > 100"))
            self.assertEqual(list(people.where("id < 3").rows("name", "height")), [("person 1", 0.5), ("person 2", 1.0)])
            self.assertIn("Person", people.where("id = 3").explain(running=True))

    def test_figures(self) -> None:
        with self.people().read() as snapshot:
            people = snapshot.objects(Person).where("id <= 10")
            self.assertEqual((people.sum("id"), people.average("id"), people.minimum("name"), people.maximum("height")), (55, 5.5, "person 1", 5.0))
            self.assertEqual(snapshot.objects(Person).where("id > 98").group("id", n="@count", h="height.@max"),
                             [{"id": 99, "n": 1, "h": 49.5}, {"id": 100, "n": 1, "h": 50.0}])
            self.assertIsNone(people.where("id < 0").average("id"))

    def test_mistakes_name_their_place(self) -> None:
        with self.people(1).read() as snapshot:
            with self.assertRaisesRegex(freehold.QueryError, "column"):
                len(snapshot.objects(Person).where("id >"))
            with self.assertRaisesRegex(freehold.UnknownNameError, "did you mean"):
                len(snapshot.objects(Person).where("nam = 'x'"))
            with self.assertRaises(freehold.ArgumentError):
                snapshot.objects(Person).limit(3).where("id = 1")
            with self.assertRaises(freehold.UnknownNameError):
                snapshot.objects("Nobody")

    def test_results_follow_their_reader(self) -> None:
        database = self.people(10)
        with database.read() as snapshot:
            low = snapshot.objects(Person).where("id < 6")
            with database.write() as transaction:
                self.assertEqual(transaction.objects(Person).where("id < 4").delete(), 3)
            self.assertEqual(len(low), 5)
            self.assertTrue(snapshot.refresh())
            self.assertEqual([person.id for person in low], [4, 5])
            with self.assertRaises(freehold.NotInWriteError):
                low.delete()


class Columns(Case):
    def test_columns_there_and_back(self) -> None:
        database = freehold.open(self.path)
        count = 3000
        with database.write() as transaction:
            transaction.create_class("Sample", whole=int, real=float, flag=bool, words=str | None, at=datetime.datetime | None, tags=list[int])
            transaction.insert_columns("Sample", dict(
                whole=array.array("q", range(count)), real=array.array("d", [n / 4 for n in range(count)]), flag=[n % 2 == 0 for n in range(count)],
                words=[None if n % 3 == 0 else f"w{n}" for n in range(count)], tags=[[n, n] for n in range(count)],
                at=[datetime.datetime.fromtimestamp(n, UTC) if n % 2 else None for n in range(count)]))
            with self.assertRaises(freehold.ArgumentError):
                transaction.insert_columns("Sample", dict(whole=[1], real=[1.0, 2.0]))
        with database.read() as snapshot:
            samples = snapshot.objects("Sample")
            self.assertEqual(list(samples.column("whole")), list(range(count)))
            self.assertEqual(samples.column("real")[5], 1.25)
            some = samples.where("whole >= 2990 SORT(whole DESC)")
            self.assertEqual(list(some.column("whole")), list(range(2999, 2989, -1)))
            values, mask = samples.column("at", mask=True)
            self.assertEqual((list(mask[:3]), len(values)), ([1, 0, 1], count))
            self.assertEqual([bool(flag) for flag in samples.column("flag")[:2]], [True, False])
            self.assertEqual(samples[4].words, "w4")
            self.assertIsNone(samples[3].words)
            self.assertEqual(samples[7].tags, [7, 7])
            with self.assertRaises(freehold.ValueTypeError):
                samples.column("words")

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_numpys_arrays(self) -> None:
        database = freehold.open(self.path)
        with database.write() as transaction:
            transaction.create_class("Sample", whole=int, real=float, flag=bool, at=datetime.datetime)
            times = numpy.array(["1969-12-31T23:59:59.999999999", "2024-02-29"], "datetime64[ns]")
            transaction.insert_columns("Sample", dict(whole=numpy.array([1, 2], numpy.int32), real=numpy.array([0.5, -1]),
                                                      flag=numpy.array([True, False]), at=times))
        with database.read() as snapshot:
            samples = snapshot.objects("Sample")
            self.assertEqual((samples.column("whole").dtype, samples.column("flag").dtype), (numpy.int64, numpy.bool_))
            self.assertTrue((samples.column("at") == times).all())
            self.assertEqual(samples.column("real").sum(), -0.5)


class Sharing(Case):
    def test_transactions_are_whole(self) -> None:
        database = self.people(3)
        with self.assertRaises(ZeroDivisionError):
            with database.write() as transaction:
                transaction.create(Person, id=9)
                1 // 0
        with database.write() as transaction:
            self.assertIsNone(transaction.get(Person, 9))
            with self.assertRaises(ZeroDivisionError):
                with transaction.savepoint():
                    transaction.get(Person, 1).delete()
                    1 // 0
            with transaction.savepoint():
                transaction.get(Person, 2).delete()
            with self.assertRaises(freehold.DuplicateKeyError):
                transaction.create(Person, id=3)
            self.assertEqual([transaction.next_number(Person, "bill") for _ in range(2)], [1, 2])
        with database.read() as snapshot:
            self.assertEqual([person.id for person in snapshot.objects(Person)], [1, 3])
            with self.assertRaises(freehold.NotInWriteError):
                snapshot.get(Person, 1).name = "x"
        with self.assertRaises(freehold.ClosedError):
            transaction.create(Person, id=5)
        with self.assertRaises(freehold.ClosedError):
            len(snapshot.objects(Person))

    def test_threads_have_their_own(self) -> None:
        database = self.people(3)
        failures: list[BaseException] = []
        with database.write() as transaction:
            def elsewhere() -> None:
                try:
                    transaction.create(Person, id=7)
                except freehold.FreeholdError as error:
                    failures.append(error)
                try:
                    database.write(timeout=0)
                except TimeoutError as error:
                    failures.append(error)
                with database.read() as snapshot:
                    if len(snapshot.objects(Person)) == 3:
                        failures.append(freehold.FreeholdError("as many as there are"))
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
        self.assertEqual([type(failure) for failure in failures], [freehold.NotInWriteError, freehold.BusyError, freehold.FreeholdError])

    def test_a_forked_child_is_refused_in_words(self) -> None:
        database = self.people(3)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            told = b"nothing"
            try:
                database.read()
            except freehold.ForkedError as error:
                told = str(error).encode()
            try:
                with freehold.open(self.path) as own, own.read() as snapshot:
                    told += b" " + str(len(snapshot.objects("Person"))).encode()
            finally:
                os.write(writing, told)
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            told = pipe.read().decode()
        os.waitpid(child, 0)
        self.assertRegex(told, "forked.* 3$")
        with database.read() as snapshot:
            self.assertEqual(len(snapshot.objects(Person)), 3)

    def test_databases_are_handed_to_spawned_processes(self) -> None:
        database = self.people(5)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertEqual(pool.apply(_count, (database,)), 5)
            self.assertEqual(pool.apply(_add, (database, 77)), None)
        with database.read() as snapshot:
            self.assertEqual(snapshot.get(Person, 77).name, "from elsewhere")

    def test_commits_of_others_are_heard(self) -> None:
        database = self.people(2)
        code = ("import sys, freehold\nwith freehold.open(sys.argv[1]).write() as t:\n"
                " t.create('Person', id=50, name='other'); t.get('Person', 1).name = 'new'; t.get('Person', 2).delete()\n")
        with database.watch(Person) as watch:
            subprocess.run([sys.executable, "-c", code, self.path], check=True)
            found = next(iter(watch))
            self.assertEqual((found.inserted, found.deleted, found.changed), ([50], [2], {1: ("name",)}))
            self.assertIsNone(watch.poll())
        with database.commits() as commits:
            version = commits.acknowledge()
            self.assertIsNone(commits.wait(0))
            with database.write() as transaction:
                transaction.create(Person, id=3)
            self.assertGreater(commits.wait(60), version)
            self.assertIsNone(database.wait(version + 1, 0))

    def test_commits_are_heard_by_asyncio(self) -> None:
        database = self.people(2)

        async def follow() -> freehold.Changes:
            with database.watch(Person) as watch:
                loop = asyncio.get_running_loop()
                writing = loop.run_in_executor(None, _add, database, 60)
                async for found in watch:
                    await writing
                    return found
            raise AssertionError("nothing was heard")

        self.assertEqual(asyncio.run(asyncio.wait_for(follow(), 60)).inserted, [60])


class Files(Case):
    def test_classes_grow_and_differences_are_told(self) -> None:
        self.people(2)

        @freehold.model(name="Person")
        class Wider:
            id: int = freehold.field(primary_key=True)
            city: str = ""

        database = freehold.open(self.path, [Wider])
        with database.write() as transaction:
            transaction.get(Wider, 1).city = "Oslo"
            self.assertIn("city", transaction.classes["Person"].places)
            transaction.rename_property(Wider, "city", "town")
            transaction.set_indexed(Wider, "town")
            transaction.drop_property(Wider, "notes")
            transaction.set_schema_version(3)
            self.assertEqual((transaction.get("Person", 1).town, transaction.schema_version), ("Oslo", 3))

        @freehold.model(name="Person")
        class Other:
            id: str = freehold.field(primary_key=True)

        with self.assertRaisesRegex(freehold.SchemaError, "'id' of class 'Person' is int in the file, and string here"):
            freehold.open(self.path, [Other])

    def test_care(self) -> None:
        database = self.people(50)
        database.flush()
        database.copy(self.path + "-copy")
        self.assertGreater(database.backup(self.path + "-backup"), 0)
        before, after = database.compact()
        self.assertGreaterEqual(before, after)
        report = database.check()
        self.assertEqual((report.objects, report.problems), (50, ()))
        self.assertGreaterEqual(database.sizes().holders, 0)
        for name in ("-copy", "-backup"):
            with freehold.open(self.path + name, read_only=True) as other, other.read() as snapshot:
                self.assertEqual(len(snapshot.objects("Person")), 50)
                with self.assertRaises(freehold.ReadOnlyError):
                    other.write()
        with self.assertRaises(freehold.InUseError):
            freehold.delete(self.path)
        database.close()
        self.assertTrue(freehold.delete(self.path))
        self.assertFalse(freehold.delete(self.path) or freehold.exists(self.path))
        with self.assertRaises(FileNotFoundError):
            freehold.open(self.path, must_exist=True)

    def test_encryption(self) -> None:
        key = freehold.generate_key()
        with freehold.open(self.path, [Dog], key=key) as database:
            with database.write() as transaction:
                transaction.add(Dog("Rex"))
            with self.assertRaises(TypeError):
                multiprocessing.reduction.ForkingPickler.dumps(database)
            database.copy(self.path + "-plain", same_key=False)
        with self.assertRaises(freehold.WrongKeyError):
            freehold.open(self.path)
        with self.assertRaises(freehold.WrongKeyError):
            freehold.open(self.path, key=freehold.generate_key())
        with freehold.open(self.path + "-plain") as plain, plain.read() as snapshot:
            self.assertEqual(snapshot.objects("Dog")[0].name, "Rex")

    def test_in_memory(self) -> None:
        name = f"freehold-python-{os.getpid()}"
        first, second = (freehold.open(name, [Dog], in_memory=True) for _ in range(2))
        with first.write() as transaction:
            transaction.add(Dog("Rex"))
        with second.read() as snapshot:
            self.assertEqual(len(snapshot.objects(Dog)), 1)

    def test_the_example_runs(self) -> None:
        example = Path(__file__).parents[3] / "Examples" / "python" / "sensors.py"
        done = subprocess.run([sys.executable, str(example), self.path], check=True, capture_output=True, text=True)
        self.assertIn("kitchen", done.stdout)


def _count(database: freehold.Database) -> int:
    with database.read() as snapshot:
        return len(snapshot.objects("Person"))


def _add(database: freehold.Database, number: int) -> None:
    with database.write() as transaction:
        transaction.create("Person", id=number, name="from elsewhere")


if __name__ == "__main__":
    unittest.main()
