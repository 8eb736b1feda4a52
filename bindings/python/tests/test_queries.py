"""Queries and columns over objects."""

from __future__ import annotations

import array
import datetime
import unittest
from typing import Any

import freehold
from kit import UTC, Case, Dog, Person

try:
    import numpy
except ImportError:
    numpy = None


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

    def test_arguments_are_taken_when_they_are_given(self) -> None:
        with self.people(9).read() as snapshot:
            people, wanted, numbers = snapshot.objects(Person), [3], array.array("q", [4])
            for one, expected in ((people.where("id IN %@", wanted), [3]), (people.where("id IN $some", some=wanted), [3]),
                                  (people.where("id IN %@", numbers), [4]), (people.where("id IN %@", iter([5, 6])), [5, 6]),
                                  (people.where("id IN %@", {7}), [7])):
                wanted[:] = [1, 2]
                numbers[0] = 1
                # The first use may make the query, and a further condition makes another one.
                for found in (one, one.where("id > 0")):
                    self.assertEqual([person.id for person in found], expected)
                wanted[:] = [3]
                numbers[0] = 4

    def test_arguments_of_another_type_are_named(self) -> None:
        with self.people(3).read() as snapshot:
            people = snapshot.objects(Person)
            for call, words in (
                    (lambda: people.where(None), "a condition is a string in the query language.*not None"),  # type: ignore[arg-type]
                    (lambda: people.where(b""), "not b''"),  # type: ignore[arg-type]
                    (lambda: people.limit("3"), "a number of objects is an int, not '3'"),  # type: ignore[arg-type]
                    (lambda: people.limit(2.7), "not 2.7"), (lambda: people.offset(True), "not True"),  # type: ignore[arg-type]
                    (lambda: people.found_texts(None), "takes an object of these results, not None")):
                with self.assertRaisesRegex(TypeError, words):
                    call()
            self.assertEqual(len(people.limit(2)), 2)
            with self.assertRaises(freehold.FreeholdError) as raised:
                len(snapshot.objects("no\0body"))
            self.assertIn("there is no class 'no\\u{0}body'", str(raised.exception))
            self.assertEqual(len(people.where("notes[$key] = 'x'", key="a")), 0)

    def test_errors_name_the_columns_of_the_text(self) -> None:
        with self.people(3).read() as snapshot:
            people = snapshot.objects(Person)
            for text, column in (
                    ("id > 1 AND (NEAREST(name, [1], 3))", 13), ("(LIMIT(3) AND id > 1)", 2), ("  id >   1   SORT(nam)", 19),
                    ("id > 1 AND", 11), ("LIMIT(1) AND id > 1", 10), ("NOT (id > 1)SORT(nam)", 18), (" SORT(nam)", 7)):
                with self.assertRaisesRegex(freehold.FreeholdError, f"column {column}: ", msg=text):
                    len(people.where(text))
            # Of more than one text the columns are those of all together.
            joined = people.where("id > 1").where("id < 3 SORT(id)").sorted("-name")
            self.assertEqual(joined.text, "id > 1 AND id < 3 SORT(id ASC) SORT(name DESC)")
            steps = people.where("SORT(id)LIMIT(2)").where("LIMIT(1)").limit(1)
            self.assertEqual(steps.text, "SORT(id ASC) LIMIT(2) LIMIT(1) LIMIT(1)")
            with self.assertRaises(freehold.QueryError) as caught:
                len(people.where("id > \0"))
            self.assertIn("\\0", str(caught.exception))

    def test_sort_keys_have_one_direction(self) -> None:
        with self.people(3).read() as snapshot:
            people = snapshot.objects(Person)
            for path, ids in (("id DESC", [3, 2, 1]), ('name COLLATE "de" DESC', [3, 2, 1]), ('name desc COLLATE "de"', [3, 2, 1]),
                              ("id ASC", [1, 2, 3]), ('-name COLLATE "de"', [3, 2, 1])):
                self.assertEqual([person.id for person in people.sorted(path)], ids, path)
            for path in ("-id DESC", "-id asc", '-name COLLATE "de" DESC', '-name DESC COLLATE "de"'):
                with self.assertRaisesRegex(freehold.ArgumentError, "two directions; leave out '-' or (ASC|DESC)"):
                    people.sorted(path)

    def test_figures(self) -> None:
        with self.people().read() as snapshot:
            people = snapshot.objects(Person).where("id <= 10")
            self.assertEqual((people.sum("id"), people.average("id"), people.minimum("name"), people.maximum("height")), (55, 5.5, "person 1", 5.0))
            self.assertEqual(snapshot.objects(Person).where("id > 98").group("id", n="@count", h="height.@max"),
                             [{"id": 99, "n": 1, "h": 49.5}, {"id": 100, "n": 1, "h": 50.0}])
            self.assertIsNone(people.where("id < 0").average("id"))

    def test_objects_of_a_collection_are_asked(self) -> None:
        database = self.people(3)
        with database.write() as transaction:
            transaction.create_class("Kennel", by=dict[str, Dog], all=set[Dog], rows=list[list[Dog]], anything=list[Any])
            dogs = [transaction.create(Dog, name=f"dog {age}", age=age) for age in range(600)]
            transaction.get(Person, 1).dogs = [dogs[5], dogs[3], dogs[5], *dogs]
            transaction.create("Kennel", by={"a": dogs[7], "b": None, "c": dogs[6]}, all=set(dogs[:3]), rows=[[], dogs[8:11]], anything=[dogs[0]])
        with database.read() as snapshot:
            of_ada, kennel = snapshot.get(Person, 1).dogs, snapshot.objects("Kennel").first()
            young = of_ada.where("age < %@", 6)
            self.assertEqual([dog.age for dog in young], [5, 3, 5, 0, 1, 2, 3, 4, 5])
            self.assertEqual((len(young), young.first().age, young[-1].age, [dog.age for dog in young[1:3]]), (9, 5, 5, [3, 5]))
            self.assertTrue(of_ada[0] in young and of_ada[20] not in young and young and not young.where("age > 5"))
            self.assertEqual([dog.age for dog in young.sorted("-age").limit(4)], [5, 5, 5, 4])
            self.assertEqual([dog.age for dog in young.distinct("age").offset(1).limit(2)], [3, 0])
            self.assertEqual(list(young.where("age >= $age", age=4).rows("age")), [(5,), (5,), (4,), (5,)])
            self.assertEqual(list(young.column("age")), [5, 3, 5, 0, 1, 2, 3, 4, 5])
            self.assertEqual(len(of_ada.sorted("age")), 603)
            self.assertEqual([[dog.age for dog in dogs] for dogs in (
                kennel.by.sorted("age"), kennel.all.sorted("-age"), kennel.rows[0].where("age > 8"), kennel.rows[1].where("age > 8"))],
                [[6, 7], [2, 1, 0], [], [9, 10]])
            for wrong in (lambda: young.sum("age"), lambda: young.grouped("age", n="@count"), young.explain):
                with self.assertRaisesRegex(freehold.ArgumentError, "objects of a collection"):
                    wrong()
            with self.assertRaises(freehold.ValueTypeError):
                kennel.anything.where("age > 1")
        with database.write() as transaction:
            self.assertEqual(transaction.get(Person, 1).dogs.where("age > 1").delete(), 598)
            self.assertEqual([dog.age for dog in transaction.get(Person, 1).dogs], [0, 1])

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


if __name__ == "__main__":
    unittest.main()
