"""Followed things whose property or class is dropped: each reports that once, and the others go on."""

from __future__ import annotations

import asyncio
import threading
import unittest
from typing import Any

import freehold
from following_case import Dog, FollowingCase


class Losses(FollowingCase):
    def setUp(self) -> None:
        super().setUp()
        with self.database.write() as transaction:
            first, second = transaction.objects(Dog)[:2]
            first.friends = [second]
            first.notes = {"a": 1}

    def drop(self, *names: str) -> None:
        with self.database.write() as transaction:
            for name in names:
                transaction.drop_property(Dog, name)
            transaction.create(Dog)

    def test_what_was_read_through_a_snapshot_that_is_closed_is_followed_to_its_end(self) -> None:
        with self.database.read() as snapshot:
            first = snapshot.objects(Dog).first()
            things = first.friends, first.notes, first.friends.where("age > 0"), snapshot.objects(Dog)
            following = self.database.follow(*things)
        with following:
            self.drop("friends", "notes")
            come = list(iter(following.poll, None))
            self.assertEqual([changes.of is thing for changes, thing in zip(come, things, strict=True)], [True] * 4)
            for changes in come[:3]:
                self.assertIsInstance(changes.error, freehold.ArgumentError)
                self.assertIn("can no longer be followed", str(changes.error))
            self.assertEqual((come[3].error, come[3].insertions), (None, (10,)))
            self.change(5, name="x")
            self.assertEqual(following.poll().modifications, (5,))

    def test_what_has_ended_can_be_shown(self) -> None:
        with self.database.read() as snapshot:
            first = snapshot.objects(Dog).first()
            things = first.friends, first.notes, first.friends.where("age > 0"), first, snapshot
        for thing in things:
            self.assertTrue(repr(thing).startswith("<"), repr(thing))
        with self.database.follow() as following, self.assertRaisesRegex(freehold.ClosedError, "is not followed here"):
            following.stop(things[0])

    def test_loops_end_when_nothing_is_followed_any_more(self) -> None:
        def loop(following: freehold.Following, told: list[Any]) -> None:
            told.extend(following)

        async def gone_through(following: freehold.Following) -> list[Any]:
            return [changes async for changes in following]

        with self.snapshot.another() as newest:
            newest.refresh()
            followings = [newest.objects(Dog).first().friends.watch() for _ in range(2)]
            told: list[Any] = []
            thread = threading.Thread(target=loop, args=(followings[0], told), daemon=True)
            thread.start()
            self.drop("friends")
            thread.join(30)
            self.assertFalse(thread.is_alive())
            told.extend(asyncio.run(asyncio.wait_for(gone_through(followings[1]), 30)))
        self.assertEqual([type(changes.error) for changes in told], [freehold.UnknownNameError] * 2)
        # One more may be followed, and is heard of.
        followings[1].add(all_dogs := self.dogs())
        self.drop("notes")
        self.assertIs(next(followings[1]).of, all_dogs)
        for following in followings:
            following.close()

    def test_a_class_that_is_dropped_ends_what_is_followed_in_it_alone(self) -> None:
        with self.database.write() as transaction:
            transaction.create_class("Cat", name=str)
            transaction.create("Cat", name="Tom")
        with self.database.read() as snapshot:
            things = snapshot.objects("Cat"), snapshot.objects("Cat").first(), snapshot.objects(Dog)
            following = self.database.follow(*things)
        with following:
            with self.database.write() as transaction:
                transaction.drop_class("Cat")
                transaction.create(Dog)
            come = {id(changes.of): changes for changes in iter(following.poll, None)}
            self.assertIsNotNone(come[id(things[0])].error)
            self.assertTrue(come[id(things[1])].gone or come[id(things[1])].error)
            self.assertEqual(come[id(things[2])].insertions, (10,))


if __name__ == "__main__":
    unittest.main()
