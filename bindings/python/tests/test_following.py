"""Queries, groups and collections that are followed while other threads and processes commit."""

from __future__ import annotations

import asyncio
import datetime
import threading
import unittest
from typing import Any

import freehold
from following_case import Dog, FollowingCase


class Results(FollowingCase):
    def test_changes_are_told_by_positions_and_keys(self) -> None:
        old = self.dogs("age >= %@", 7).sorted("-age")
        with old.watch() as following:
            self.assertEqual((following.count(old), len(following.keys(old))), (3, 3))
            self.assertIsNone(following.poll())
            self.elsewhere(20, 8, 3)
            told = following.wait(60)
            self.assertEqual((told.of, told.deletions, told.insertions, told.modifications), (old, (), (0, 3), ()))
            self.assertEqual(told.version, following.version)
            self.snapshot.refresh()
            self.assertEqual([self.snapshot.object(Dog, key).age for key in told.inserted_keys], [20, 8])
            self.change(9, name="renamed")
            self.change(20, age=1)
            told = next(following)
            self.assertEqual((told.deletions, told.insertions, told.modifications, told.modified), ((0,), (), (1,), (0,)))
            self.snapshot.refresh()
            self.assertEqual([self.snapshot.object(Dog, key).name for key in told.modified_keys], ["renamed"])
            self.change(0, name="young")
            self.assertIsNone(following.poll())

    def test_arguments_of_every_kind_are_followed(self) -> None:
        moment = datetime.datetime(2024, 2, 29, 12, 30, 0, 123456, datetime.timezone.utc)
        for results in (self.dogs("name = $name AND born >= $since", name="it's \\ \"x\"", since=moment), self.dogs("born >= %@ LIMIT(1)", moment)):
            with results.watch() as following:
                self.assertEqual(following.count(results), 0)
                self.change(1, born=moment, name="it's \\ \"x\"")
                self.assertEqual(following.wait(60).insertions, (0,))
                self.change(1, born=None)
                self.assertEqual(following.wait(60).deletions, (0,))

    def test_loops_end_when_the_time_is_up_and_when_it_is_closed(self) -> None:
        self.assertEqual([told.insertions for told in self.dogs().watch(timeout=0)], [])
        following, told = self.dogs().watch(timeout=60), []
        self.elsewhere(11)
        for changes in following:
            told.append(changes.insertions)
            following.close()
        self.assertEqual(told, [(10,)])
        with self.assertRaises(freehold.ClosedError):
            following.poll()
        self.assertIsNone(self.dogs().watch().wait(0))

    def test_a_wait_ends_when_another_thread_closes(self) -> None:
        commits, ended = self.database.commits(), []
        thread = threading.Thread(target=lambda: ended.extend(commits))
        thread.start()
        commits.close()
        thread.join(60)
        self.assertFalse(thread.is_alive())
        self.assertEqual(ended, [])

    def test_asyncio_hears_each_and_loses_none_when_it_is_cancelled(self) -> None:
        old = self.dogs("age > %@", 100)

        async def follow() -> list[tuple[int, ...]]:
            told: list[tuple[int, ...]] = []
            with old.watch() as following:
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(following.next(), 0)
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(None, self.elsewhere, 101)
                async for changes in following:
                    told.append(changes.insertions)
                    if len(told) == 2:
                        return told
                    await loop.run_in_executor(None, self.elsewhere, 102, 103)
            return told

        self.assertEqual(asyncio.run(asyncio.wait_for(follow(), 60)), [(0,), (1, 2)])


class OtherAnswers(FollowingCase):
    def test_groups_and_collections_are_followed_together(self) -> None:
        groups = self.dogs("age > 7").grouped("age", count="@count")
        dog = self.dogs("age = 0").first()
        friends = dog.friends
        with self.database.follow(groups, friends) as following:
            self.assertEqual((following.count(groups), following.count(friends)), (2, 0))
            with self.assertRaises(freehold.ValueTypeError):
                following.keys(groups)
            with self.database.write() as transaction:
                first = transaction.object(Dog, dog.key)
                first.friends = [transaction.create(Dog, name="pup", age=9)]
            told = {id(changes.of): changes for changes in (following.wait(60), following.wait(60))}
            self.assertEqual((told[id(groups)].modifications, told[id(friends)].insertions), ((1,), (0,)))
            following.stop(groups)
            with self.assertRaises(freehold.ClosedError):
                following.count(groups)
            with self.database.write() as transaction:
                transaction.object(Dog, dog.key).delete()
            self.assertTrue(following.wait(60).gone)
            self.assertEqual(list(groups), [{"age": 8, "count": 1}, {"age": 9, "count": 1}])

    def test_an_object_is_followed_by_its_properties(self) -> None:
        dog, other = self.dogs("age = 3").first(), self.dogs("age = 4").first()
        with dog.watch() as following:
            self.assertEqual(following.count(dog), 1)
            with self.database.write() as transaction:
                transaction.object(Dog, dog.key).update(name="Rex", friends=[transaction.object(Dog, other.key)])
                transaction.object(Dog, other.key).name = "other"
            told = following.wait(60)
            self.assertEqual((told.of, set(told.properties), told.gone, told.modifications), (dog, {"name", "friends"}, False, ()))
            self.change(4, name="still another")
            self.assertIsNone(following.poll())
            with self.database.write() as transaction:
                transaction.object(Dog, dog.key).delete()
            self.assertTrue(following.wait(60).gone)
            self.assertEqual(following.count(dog), 0)
            with self.assertRaises(freehold.ValueTypeError):
                following.keys(dog)
        self.snapshot.refresh()
        with self.assertRaises(freehold.FreeholdError):
            dog.watch()

    def test_a_database_is_followed_by_its_classes(self) -> None:
        with self.database.follow(self.database) as following:
            self.elsewhere(60)
            told = following.wait(60)
            self.assertEqual((told.of, told.classes, told.version), (self.database, ("Dog",), following.version))
            with self.database.write() as transaction:
                transaction.create_class("Cat", name=str)
            self.assertEqual(following.wait(60).classes, ("Cat",))
            with self.assertRaises(freehold.ValueTypeError):
                following.count(self.database)

    def test_paths_say_what_counts(self) -> None:
        dogs, oldest = self.dogs("age < 3").sorted("age"), self.dogs("age = 9").first()
        friends = oldest.friends
        with self.database.write() as transaction:
            transaction.object(Dog, oldest.key).friends = list(transaction.objects(Dog).where("age < 2"))
        self.snapshot.refresh()
        with dogs.watch(paths=["name", "friends.name"]) as by_name, dogs.watch(paths=[]) as by_none, dogs.watch() as by_all, \
                friends.watch(paths=["name"]) as among, friends.watch(paths=[]) as among_none, self.dogs("age < $age", age=3).watch(paths=["name"]) as with_names:
            def told() -> list[Any]:
                found = [following.poll() for following in (by_name, by_none, by_all, among, among_none, with_names)]
                return [changes and changes.modifications for changes in found]

            self.change(1, born=datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc))
            self.assertEqual(told(), [None, None, (1,), None, None, None])
            self.change(1, name="x")
            self.assertEqual(told(), [(1,), None, (1,), (1,), None, (1,)])
            for wrong in (["nothing"], ["age.name"], [""]):
                with self.assertRaises(freehold.ArgumentError):
                    dogs.watch(paths=wrong)
            following = self.database.follow()
            following.add(dogs, paths=["name"])
            self.assertEqual(following.count(dogs), 3)
            for followed in (self.database, dogs.first(), dogs.grouped("age", n="@count")):
                with self.assertRaises(freehold.ArgumentError):
                    following.add(followed, paths=["name"])

    def test_maps_tell_their_keys(self) -> None:
        notes = self.dogs("age = 0").first().notes
        self.change(0, notes={"a": 1, "b": 2})
        with notes.watch() as following:
            self.change(0, notes={"b": 3, "c": 4})
            told = following.wait(60)
            self.assertEqual((told.deleted_keys, told.inserted_keys, told.modified_keys), (("a",), ("c",), ("b",)))

    def test_collections_within_others_are_followed(self) -> None:
        with self.database.write() as transaction:
            transaction.create_class("Thing", rows=list[list[int]], by=dict[str, list[Dog]], many=list[Any], extra=Any)
            dog = transaction.objects(Dog).first()
            made = transaction.create("Thing", rows=[[1], [2, 3]], by={"old": [dog]}, many=["a", ["b"]], extra={"k": [1, [2]]})
        self.snapshot.refresh()
        thing = self.snapshot.object("Thing", made.key)
        inner = [thing.rows[1], thing.by["old"], thing.many[1], thing.collection("extra")["k"], thing.collection("extra")["k"][1]]
        numbers = {id(one): number for number, one in enumerate(inner)}
        with self.database.follow(*inner) as following:
            def told(change: Any) -> list[Any]:
                with self.database.write() as transaction:
                    change(transaction.object("Thing", made.key))
                changes = iter(following.poll, None)
                return [(numbers[id(one.of)], one.deletions, one.insertions, one.modifications, one.gone) for one in changes]

            self.assertEqual([following.count(one) for one in inner], [2, 1, 1, 2, 1])
            self.assertEqual(told(lambda thing: thing.rows[1].append(4)), [(0, (), (2,), (), False)])
            self.assertEqual(told(lambda thing: thing.rows[0].append(4)), [])
            self.assertEqual(told(lambda thing: thing.by["old"][0].update(name="x")), [(1, (), (), (0,), False)])
            self.assertEqual(told(lambda thing: thing.many[1].insert(0, "c")), [(2, (), (0,), (), False)])
            self.assertEqual(told(lambda thing: thing.collection("extra")["k"][1].clear()), [(3, (), (), (1,), False), (4, (0,), (), (), False)])
            # What is followed is a place: there may be nothing, and something again.
            self.assertEqual(told(lambda thing: thing.update(many=["a"])), [(2, (0, 1), (), (), True)])
            self.assertEqual(told(lambda thing: thing.update(many=["a", ["d"]])), [(2, (), (0,), (), False)])
            self.assertEqual({place for place, *_ in told(lambda thing: thing.delete())}, set(range(5)))

    def test_queries_among_the_objects_of_a_collection_are_followed(self) -> None:
        first = self.dogs("age = 0").first()
        with self.database.write() as transaction:
            transaction.object(Dog, first.key).friends = [*transaction.objects(Dog)[:5], transaction.objects(Dog)[4]]
        self.snapshot.refresh()
        old, by_name = first.friends.where("age >= $age", age=3), first.friends.where("age > %@", 1).sorted("-name")
        with old.watch() as following, by_name.watch(paths=["name"]) as looking, by_name.watch(paths=[]) as not_looking:
            self.assertEqual((following.count(old), len(following.keys(old)), looking.count(by_name)), (3, 3, 4))
            self.change(9, name="none of them")
            self.assertIsNone(following.poll())
            self.change(3, born=datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc))
            self.assertEqual((following.wait(60).modifications, looking.poll(), not_looking.poll()), ((0,), None, None))
            self.change(3, name="dog 3 x")
            self.assertEqual((looking.poll().modifications, not_looking.poll()), ((2,), None))
            with self.database.write() as transaction:
                transaction.object(Dog, first.key).friends.insert(0, transaction.objects(Dog)[9])
            # The renaming, and what was put in.
            told = following.poll()
            self.assertEqual((told.insertions, told.modified), ((0,), (1,)))
            self.snapshot.refresh()
            self.assertEqual([self.snapshot.object(Dog, key).age for key in told.inserted_keys], [9])
            with self.database.write() as transaction:
                transaction.object(Dog, first.key).delete()
            self.assertEqual(len(following.poll().deletions), 4)
            self.assertEqual(following.count(old), 0)

    def test_what_was_read_in_a_transaction_is_followed(self) -> None:
        with self.database.write() as transaction:
            notes = transaction.objects(Dog).first().notes
        with notes.watch() as following:
            self.change(0, notes={"a": 1})
            self.assertEqual(following.wait(60).inserted_keys, ("a",))

    def test_what_a_newer_version_lacks_is_told_once(self) -> None:
        by_age, all_dogs = self.dogs("age = 3"), self.dogs()
        with self.database.follow(by_age, all_dogs) as following:
            with self.database.write() as transaction:
                transaction.drop_property(Dog, "age")
                transaction.create(Dog, name="new")
            told = [following.wait(60), following.wait(60)]
            self.assertEqual([changes.of for changes in told], [by_age, all_dogs])
            self.assertIsInstance(told[0].error, freehold.ArgumentError)
            self.assertEqual((told[1].error, told[1].insertions), (None, (10,)))
            self.assertIsNone(following.poll())

    def test_what_is_wrong_is_refused_at_once(self) -> None:
        with self.database.follow() as following:
            with self.assertRaises(freehold.QueryError):
                following.add(self.dogs("age >"))
            with self.assertRaises(freehold.UnknownNameError):
                following.add(self.dogs("agee = 3"))
            with self.assertRaises(freehold.ClosedError):
                following.stop(self.dogs())

    def test_versions_are_told_once(self) -> None:
        with self.database.commits() as commits:
            self.change(1, name="x")
            version = commits.wait(60)
            with self.database.read() as newest:
                self.assertEqual(version, newest.version)
            # The bell rings four times a second though nothing is new.
            self.assertIsNone(commits.wait(0.6))
            self.change(1, name="y")
            self.assertEqual(list(self.database.commits(timeout=0)), [])
            self.assertEqual(commits.poll(), version + 1)


if __name__ == "__main__":
    unittest.main()
