"""Transactions, threads, and processes that share a file."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
import sys
import threading
import unittest

import freehold
from kit import Case, Person, add, count


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
            self.assertEqual(pool.apply(count, (database,)), 5)
            self.assertEqual(pool.apply(add, (database, 77)), None)
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
                writing = loop.run_in_executor(None, add, database, 60)
                async for found in watch:
                    await writing
                    return found
            raise AssertionError("nothing was heard")

        self.assertEqual(asyncio.run(asyncio.wait_for(follow(), 60)).inserted, [60])


if __name__ == "__main__":
    unittest.main()
