"""Transactions that nobody ends: dropped, collected on other threads, interrupted, ended on the wrong thread."""

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
from typing import Any, Callable, Iterator
from unittest import mock

import freehold
from freehold import _turn, writing
from kit import Case, Person

OTHER = """import sys, freehold
with freehold.open(sys.argv[1]).write(timeout=0) as transaction:
    transaction.create("Person", id=int(sys.argv[2]))
"""
ENDED, ELSEWHERE = 3002, 3004


class Unended(Case):
    def setUp(self) -> None:
        super().setUp()
        self.database = self.people(3)
        self.addCleanup(self.database.close)
        self.made = 100

    def others_write(self) -> bool:
        """Whether another process can write, at once."""
        self.made += 1
        done = subprocess.run([sys.executable, "-c", OTHER, self.path, str(self.made)], capture_output=True, text=True)
        self.assertTrue(done.returncode == 0 or "BusyError" in done.stderr, done.stderr)
        return done.returncode == 0

    def persons(self) -> list[int]:
        with self.database.read() as snapshot:
            return [person.id for person in snapshot.objects(Person).where("id < 100")]

    def write_and_drop(self) -> None:
        transaction = self.database.write()
        transaction.create(Person, id=9)

    def write_in_a_cycle(self) -> int:
        """Leaves a transaction to the garbage collector; its handle."""
        transaction = self.database.write()
        transaction.create(Person, id=9)
        transaction.itself = transaction
        return transaction._handle

    @contextlib.contextmanager
    def collected_here_alone(self) -> Iterator[None]:
        gc.collect()
        gc.disable()
        self.addCleanup(gc.enable)
        with self.assertWarnsRegex(ResourceWarning, "neither committed nor rolled back"):
            yield

    @contextlib.contextmanager
    def silence(self) -> Iterator[None]:
        """In which nothing is warned of; what `__del__` raises is told to a hook alone."""
        told: list[Any] = []
        with warnings.catch_warnings(), mock.patch.object(sys, "unraisablehook", lambda failure: told.append(failure.exc_value)):
            warnings.simplefilter("error")
            yield
        self.assertEqual(told, [])

    def test_what_is_dropped_is_rolled_back(self) -> None:
        with self.assertWarnsRegex(ResourceWarning, "unclosed transaction on .*file.*neither committed nor rolled back") as warned:
            self.write_and_drop()
        self.assertEqual(warned.filename, __file__)
        self.assertTrue(self.others_write())
        with self.database.write(timeout=0) as transaction:
            transaction.create(Person, id=10)
        self.assertEqual(self.persons(), [1, 2, 3, 10])

    def test_it_is_rolled_back_also_where_warnings_are_errors(self) -> None:
        told: list[Any] = []
        with warnings.catch_warnings(), mock.patch.object(sys, "unraisablehook", lambda failure: told.append(failure.exc_type)):
            warnings.simplefilter("error")
            self.write_and_drop()
        self.assertEqual(told, [ResourceWarning])
        self.assertTrue(self.others_write())

    def test_what_has_ended_is_dropped_in_silence(self) -> None:
        async def write() -> None:
            async with self.database.write_async() as transaction:
                transaction.create(Person, id=11)

        with self.silence():
            self.database.write().rollback()
            self.database.write().commit()
            with self.database.write(durable=False) as transaction:
                transaction.create(Person, id=10)
            del transaction
            asyncio.run(asyncio.wait_for(write(), 60))
            freehold.open(self.path, [Person], version=2, migrate=lambda transaction, *_: transaction.get(Person, 1).delete()).close()
            gc.collect()
        self.assertEqual(self.persons(), [2, 3, 10, 11])

    def test_the_main_thread_rolls_back_what_another_one_collects(self) -> None:
        with self.collected_here_alone():
            self.write_in_a_cycle()
            self.assertFalse(self.others_write())
            thread = threading.Thread(target=gc.collect)
            thread.start()
            thread.join()
        self.assertTrue(self.others_write())

    def of_a_thread(self, then: Callable[[], Any]) -> list[int]:
        """Has a thread leave a transaction, which is collected here, and then do something; what rolling back says there before and after."""
        handles, told, left, collected = [], [], threading.Event(), threading.Event()

        def work() -> None:
            handles.append(self.write_in_a_cycle())
            left.set()
            collected.wait(60)
            then()

        with self.collected_here_alone():
            thread = threading.Thread(target=work)
            thread.start()
            left.wait(60)
            gc.collect()
            self.assertFalse(self.others_write())
            told.append(writing.library.transaction_rollback(handles[0]))
            collected.set()
            thread.join()
        told.append(writing.library.transaction_rollback(handles[0]))
        self.assertTrue(self.others_write())
        return told

    def test_a_thread_rolls_back_what_others_left_to_it_when_it_uses_a_database(self) -> None:
        # What it does when it ends is left out.
        with mock.patch.object(_turn._LastWill, "__del__", lambda _: None):
            self.assertEqual(self.of_a_thread(lambda: self.database.read().close()), [ELSEWHERE, ENDED])
            self.assertEqual(self.of_a_thread(lambda: self.database.write(timeout=0).rollback()), [ELSEWHERE, ENDED])
            with self.database.commits() as commits:
                self.others_write()
                self.assertEqual(self.of_a_thread(lambda: (commits.poll(), commits.wait(0))), [ELSEWHERE, ENDED])

    def test_a_thread_rolls_back_what_others_left_to_it_when_it_ends(self) -> None:
        self.assertEqual(self.of_a_thread(lambda: None), [ELSEWHERE, ENDED])

    def test_what_a_thread_that_ended_began_is_warned_of_and_keeps_nobody_waiting(self) -> None:
        kept: list[Any] = []
        thread = threading.Thread(target=lambda: kept.append(self.database.write()))
        thread.start()
        thread.join()
        self.assertTrue(self.others_write())
        with self.assertWarns(ResourceWarning):
            kept.clear()
        self.assertTrue(self.others_write())

    def test_an_interrupt_between_beginning_and_having_it_keeps_nobody_waiting(self) -> None:
        begin = writing.library.transaction_begin

        def interrupted(*arguments: Any) -> int:
            self.assertEqual(begin(*arguments), 0)
            raise KeyboardInterrupt  # As Ctrl-C while it waited.

        with mock.patch.object(writing.library, "transaction_begin", interrupted), self.assertWarns(ResourceWarning):
            with self.assertRaises(KeyboardInterrupt):
                self.database.write()
        self.assertTrue(self.others_write())

    def test_an_interrupt_behind_the_commit_leaves_nothing_to_end(self) -> None:
        commit = writing.library.transaction_commit

        def interrupted(*arguments: Any) -> int:
            self.assertEqual(commit(*arguments), 0)
            raise KeyboardInterrupt

        with self.silence(), mock.patch.object(writing.library, "transaction_commit", interrupted):
            with self.assertRaises(KeyboardInterrupt):
                with self.database.write() as transaction:
                    transaction.create(Person, id=10)
            del transaction
        self.assertEqual(self.persons(), [1, 2, 3, 10])

    def test_on_another_thread_it_is_not_ended_and_lives_on(self) -> None:
        failures: list[type] = []

        def elsewhere() -> None:
            for end in (transaction.commit, transaction.rollback):
                try:
                    end()
                except freehold.FreeholdError as failure:
                    failures.append(type(failure))

        with self.database.write() as transaction:
            transaction.create(Person, id=10)
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
        self.assertEqual(failures, [freehold.NotInWriteError] * 2)
        self.assertEqual(self.persons(), [1, 2, 3, 10])

    def test_in_the_midst_of_a_change_it_is_not_ended_and_lives_on(self) -> None:
        with self.database.write() as transaction:
            with self.assertRaises(freehold.ArgumentError):
                transaction.set_type(Person, "height", str, lambda _: transaction.commit())
            transaction.create(Person, id=10)
        self.assertEqual(self.persons(), [1, 2, 3, 10])

    def test_a_child_of_a_fork_leaves_it_to_its_parent(self) -> None:
        kept, codes = [self.database.write()], []

        def forked() -> None:
            child = os.fork()
            if child == 0:
                told: list[Any] = []
                with warnings.catch_warnings(record=True) as warned:
                    warnings.simplefilter("always")
                    sys.unraisablehook = told.append
                    kept.clear()
                os._exit(len(told) + len(warned))
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

        forked()
        # There it is another thread's.
        thread = threading.Thread(target=forked)
        thread.start()
        thread.join()
        self.assertEqual(codes, [0, 0])
        kept[0].create(Person, id=10)
        self.assertFalse(self.others_write())
        kept[0].commit()
        self.assertTrue(self.others_write())
        self.assertEqual(self.persons(), [1, 2, 3, 10])


if __name__ == "__main__":
    unittest.main()
