"""Closing ends what was opened through it, though it is still referenced: the file is free, and use raises `ClosedError`."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import subprocess
import sys
import threading
import unittest
import warnings
from typing import Any, Callable

import freehold
from kit import Case, Dog, Person

EXCLUSIVE = """import sys, freehold
sys.exit(0 if freehold.delete(sys.argv[1]) else 3)
"""

#: What is made through a reader, and how it is used.
THINGS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "query": (lambda reader: reader.objects(Person).where("id > 1"), len),
    "query that was used": (lambda reader: used(reader.objects(Person).where("id > 1"), len), lambda results: results.first()),
    "text of a query": (lambda reader: used(reader.objects(Person).where("id > 1"), len), lambda results: results.text),
    "query in a list": (lambda reader: used(reader.get(Person, 1).dogs.where("age >= 0"), len), len),
    "rows under way": (lambda reader: used(reader.objects(Person).where("id > 0").rows("name"), next), list),
    "objects under way": (lambda reader: used(iter(reader.objects(Person).where("id > 0")), next), lambda objects: next(objects).name),
    "groups under way": (lambda reader: used(iter(reader.objects(Person).grouped("name", people="@count")), next), list),
    "list": (lambda reader: reader.get(Person, 1).dogs, len),
    "list under way": (lambda reader: used(iter(reader.get(Person, 1).dogs), next), lambda dogs: [dog.name for dog in dogs]),
    "set": (lambda reader: reader.get(Person, 1).tags, list),
    "map": (lambda reader: reader.get(Person, 1).notes, lambda notes: notes["a"]),
    "object": (lambda reader: reader.get(Person, 1), lambda person: person.name),
    "classes": (lambda reader: reader, lambda reader: reader.version),
}


def used(thing: Any, use: Callable[[Any], Any]) -> Any:
    use(thing)
    return thing


class Closing(Case):
    def filled(self) -> freehold.Database:
        database = self.people(600)
        with database.write() as transaction:
            transaction.get(Person, 1).update(dogs=[Dog("Rex"), Dog("Fido")], tags={"x", "y"}, notes={"a": "1"})
        return database

    def check_that_the_file_is_free(self, elsewhere: bool = False) -> None:
        if elsewhere:
            self.assertEqual(subprocess.run([sys.executable, "-c", EXCLUSIVE, self.path]).returncode, 0)
        else:
            self.assertTrue(freehold.delete(self.path))

    def check_that_it_has_ended(self, thing: Any, use: Callable[[Any], Any]) -> None:
        with self.assertRaises(freehold.ClosedError):
            use(thing)

    def test_things_of_a_snapshot_end_with_it(self) -> None:
        for name, (make, use) in THINGS.items():
            with self.subTest(name):
                database = self.filled()
                with database.read() as snapshot:
                    thing = make(snapshot)
                database.close()
                self.check_that_the_file_is_free()
                self.check_that_it_has_ended(thing, use)

    def test_things_of_a_snapshot_end_with_the_database(self) -> None:
        for name, (make, use) in THINGS.items():
            with self.subTest(name):
                with self.filled() as database:
                    thing = make(database.read())
                self.check_that_the_file_is_free()
                self.check_that_it_has_ended(thing, use)

    def test_things_of_a_transaction_end_with_it(self) -> None:
        for name, (make, use) in THINGS.items():
            with self.subTest(name), self.filled() as database:
                with database.write() as transaction:
                    thing = make(transaction)
                self.check_that_it_has_ended(thing, use)
                database.close()
                self.check_that_the_file_is_free()

    def test_things_of_a_migration_end_with_it(self) -> None:
        self.filled().close()
        kept: list[Any] = []
        with freehold.open(self.path, [Person, Dog], version=2, migrate=lambda transaction, *_: kept.append(transaction.get(Person, 1).dogs)):
            self.check_that_it_has_ended(kept[0], len)
        self.check_that_the_file_is_free()

    def test_another_process_may_have_the_file_alone(self) -> None:
        with self.filled() as database:
            snapshot = database.read()
            kept = [make(snapshot) for make, _ in THINGS.values()]
            kept += [snapshot.another(), database.commits(), database.watch(Person), snapshot.objects(Person).watch()]
        self.check_that_the_file_is_free(elsewhere=True)
        self.assertEqual(len(kept), len(THINGS) + 4)

    def test_what_waits_for_commits_ends_with_the_database(self) -> None:
        makers: list[Callable[[freehold.Database, Any], Any]] = [
            lambda database, _: database.commits(), lambda database, _: database.watch(Person), lambda database, _: database.follow(database),
            lambda _, snapshot: snapshot.objects(Person).watch(), lambda _, snapshot: snapshot.get(Person, 1).watch(),
            lambda _, snapshot: snapshot.get(Person, 1).dogs.watch()]
        for make in makers:
            database = self.filled()
            with database.read() as snapshot:
                waiting = make(database, snapshot)
            ended: list[Any] = []
            thread = threading.Thread(target=lambda: ended.append(list(waiting)), daemon=True)
            thread.start()
            database.close()
            thread.join(60)
            self.assertEqual(ended, [[]])
            self.check_that_the_file_is_free()
            self.check_that_it_has_ended(waiting, lambda waiting: waiting.poll())
            waiting.close()

    def test_what_waits_in_asyncio_ends_with_the_database(self) -> None:
        async def gone_through(thing: Any) -> list[Any]:
            return [one async for one in thing]

        async def close(database: freehold.Database, thing: Any) -> list[Any]:
            going = asyncio.ensure_future(gone_through(thing))
            await asyncio.sleep(0)
            database.close()
            return await going

        for make in (lambda database: database.commits(), lambda database: database.watch(Person), lambda database: database.follow(database)):
            database = self.filled()
            self.assertEqual(asyncio.run(asyncio.wait_for(close(database, make(database)), 60)), [])
            self.check_that_the_file_is_free()

    def test_closing_twice_and_in_any_order(self) -> None:
        database = self.filled()
        first = database.read()
        second, tags = first.another(), first.get(Person, 1).tags
        first.close()
        self.assertEqual(second.get(Person, 1).tags, {"x", "y"})
        database.close()
        for thing in (database, first, second, database):
            thing.close()
        del tags
        gc.collect()
        self.check_that_the_file_is_free()
        self.check_that_it_has_ended(database, lambda database: database.read())

    def test_a_transaction_in_which_the_database_is_closed_is_rolled_back_and_says_so(self) -> None:
        async def write(database: freehold.Database) -> None:
            async with database.write_async() as transaction:
                transaction.create(Person, id=1000)
                database.close()

        def in_a_block(database: freehold.Database) -> None:
            with database.write() as transaction:
                transaction.create(Person, id=1000)
                database.close()

        def by_hand(database: freehold.Database) -> None:
            transaction = database.write()
            transaction.create(Person, id=1000)
            database.close()
            transaction.commit()

        def with_an_exception(database: freehold.Database) -> None:
            with database.write():
                database.close()
                raise KeyError

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for way in (in_a_block, by_hand, lambda database: asyncio.run(write(database))):
                with self.assertRaises(freehold.ClosedError):
                    way(self.filled())
                with freehold.open(self.path) as database, database.read() as snapshot:
                    self.assertIsNone(snapshot.get("Person", 1000))
                self.check_that_the_file_is_free()
            with self.assertRaises(KeyError):
                with_an_exception(self.filled())
            self.check_that_the_file_is_free()

    def test_a_transaction_of_another_thread_goes_on(self) -> None:
        database, begun, closed, failures = self.filled(), threading.Event(), threading.Event(), []

        def work() -> None:
            try:
                with database.write() as transaction:
                    transaction.create(Person, id=1000)
                    begun.set()
                    closed.wait(60)
                    transaction.create(Person, id=1001)
            except BaseException as failure:
                failures.append(failure)

        thread = threading.Thread(target=work)
        thread.start()
        begun.wait(60)
        database.close()
        closed.set()
        thread.join()
        self.assertEqual(failures, [])
        with freehold.open(self.path) as again, again.read() as snapshot:
            self.assertEqual([snapshot.get("Person", id) is None for id in (1000, 1001, 1002)], [False, False, True])
        self.check_that_the_file_is_free()

    def test_a_snapshot_that_another_thread_uses_ends_when_that_does_not_use_it_any_more(self) -> None:
        def use_until_it_ends(snapshot: freehold.Snapshot) -> None:
            with contextlib.suppress(freehold.ClosedError), snapshot:
                used_once = False
                while True:
                    self.assertEqual(len(list(snapshot.objects(Person).where("id > 0").rows("name"))), 600)
                    if not used_once:
                        reading.set()
                        used_once = True

        def leave_block(snapshot: freehold.Snapshot) -> None:
            with snapshot:
                self.assertEqual(len(snapshot.objects(Person)), 600)
                reading.set()
                closed.wait(60)

        def leave_it(snapshot: freehold.Snapshot) -> None:
            kept.append(used(snapshot.get(Person, 1).dogs, len))
            reading.set()

        kept: list[Any] = []
        for work in (use_until_it_ends, leave_block, leave_it):
            database, reading, closed = self.filled(), threading.Event(), threading.Event()
            # Begun here, and handed over.
            thread = threading.Thread(target=work, args=(database.read(),))
            thread.start()
            reading.wait(60)
            if work is leave_it:
                thread.join()
            database.close()
            closed.set()
            thread.join()
            self.check_that_the_file_is_free()
        self.check_that_it_has_ended(kept[0], len)

    def test_what_failed_to_open_keeps_nothing(self) -> None:
        self.filled().close()

        @freehold.model(name="Person")
        class Other:
            id: str = freehold.field(primary_key=True)

        kept: list[BaseException] = []
        try:
            freehold.open(self.path, [Other])
        except freehold.SchemaError as failure:
            kept.append(failure)
        self.assertEqual(len(kept), 1)
        self.check_that_the_file_is_free()

    def test_a_child_of_a_fork_closes_nothing_of_its_parent(self) -> None:
        database = self.filled()
        snapshot = database.read()
        dogs, commits = snapshot.get(Person, 1).dogs, database.commits()
        child = os.fork()
        if child == 0:
            try:
                database.close()
            except freehold.ForkedError:
                os._exit(7)
            os._exit(1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)
        self.assertEqual((len(dogs), commits.poll()), (2, None))
        database.close()
        self.check_that_the_file_is_free()

    def test_what_was_read_is_followed_also_when_that_has_ended(self) -> None:
        with self.filled() as database:
            with database.read() as snapshot:
                ada = snapshot.get(Person, 1)
                things = (ada.dogs, ada.notes, ada.dogs.where("age >= $least", least=0), snapshot.objects(Person).where("id < $end", end=10), ada)
            with database.follow(*things) as following:
                with database.write() as transaction:
                    person = transaction.get(Person, 1)
                    person.update(name="x", notes={"b": "2"})
                    person.dogs.append(Dog("Ace"))
                come = {id(changes.of): changes for changes in iter(following.poll, None)}
                self.assertEqual([come[id(thing)].error for thing in things], [None] * 5)
                self.assertEqual(come[id(things[0])].insertions, (2,))
                self.assertEqual(come[id(things[1])].inserted_keys, ("b",))
                self.assertEqual(come[id(things[2])].insertions, (2,))
        self.check_that_it_has_ended(things[0], lambda dogs: dogs.watch())


if __name__ == "__main__":
    unittest.main()
