"""Transactions that an asyncio loop waits for while it does other things."""

from __future__ import annotations

import asyncio
import os
import select
import tempfile
import unittest
from typing import Any, Coroutine
from unittest import mock

import freehold
from freehold import _pending


@freehold.model
class Counter:
    id: int = freehold.field(primary_key=True)
    count: int = 0


class Writing(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.database = freehold.open(os.path.join(folder.name, "counters"), [Counter])
        self.addCleanup(self.database.close)
        with self.database.write() as transaction:
            transaction.add(Counter(1))

    def run_all(self, doing: Coroutine[Any, Any, None]) -> None:
        asyncio.run(asyncio.wait_for(doing, 60))

    def count(self) -> int:
        with self.database.read() as snapshot:
            return snapshot.get(Counter, 1).count

    async def add(self, **options: Any) -> None:
        async with self.database.write_async(**options) as transaction:
            counter = transaction.get(Counter, 1)
            before = counter.count
            await asyncio.sleep(0)
            counter.count = before + 1

    def test_tasks_write_one_after_another(self) -> None:
        async def doing() -> None:
            await asyncio.gather(*(self.add(durable=number % 2 == 0) for number in range(20)))
        self.run_all(doing())
        self.assertEqual(self.count(), 20)

    def test_a_commit_that_was_awaited_is_durable(self) -> None:
        async def doing() -> None:
            async with self.database.write_async(durable=False) as transaction:
                transaction.get(Counter, 1).count = 4
            async with self.database.write_async() as transaction:
                transaction.get(Counter, 1).count = 5
                version = await transaction.commit_async()
                self.assertEqual(self.count(), 5)
            sizes = self.database.sizes()
            self.assertEqual((sizes.version, sizes.durable_version), (version, version))
            with self.assertRaises(freehold.ClosedError):
                transaction.get(Counter, 1)
        self.run_all(doing())

    def test_the_loop_goes_on_while_another_one_writes(self) -> None:
        async def doing() -> None:
            with self.database.write() as transaction:
                waiting = asyncio.ensure_future(self.add())
                for _ in range(10):
                    await asyncio.sleep(0)
                self.assertFalse(waiting.done())
                transaction.get(Counter, 1).count = 7
            await waiting
        self.run_all(doing())
        self.assertEqual(self.count(), 8)

    def test_an_exception_takes_it_back(self) -> None:
        async def doing() -> None:
            with self.assertRaises(ZeroDivisionError):
                async with self.database.write_async() as transaction:
                    transaction.get(Counter, 1).count = 1 // 0
            async with self.database.write_async(timeout=0) as transaction:
                transaction.get(Counter, 1).count = 9
                transaction.rollback()
        self.run_all(doing())
        self.assertEqual(self.count(), 0)

    def test_when_the_time_is_up_it_is_told(self) -> None:
        async def doing() -> None:
            with self.database.write():
                with self.assertRaises(freehold.BusyError):
                    await self.add(timeout=0)
            self.database.close()
            with self.assertRaises(freehold.ClosedError):
                await self.add()
        self.run_all(doing())

    def test_a_task_that_is_cancelled_keeps_nobody_waiting(self) -> None:
        async def doing() -> None:
            with self.database.write():
                waiting = asyncio.ensure_future(self.add())
                await asyncio.sleep(0)
                waiting.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await waiting
            with self.database.write(timeout=60) as transaction:
                transaction.get(Counter, 1).count = 3
        self.run_all(doing())
        self.assertEqual(self.count(), 3)

    def test_a_turn_that_a_busy_loop_does_not_take_comes_again(self) -> None:
        async def doing() -> None:
            descriptors: list[int] = []
            of_handle = _pending.library.pending_descriptor
            # While another one writes it is asked for, and not had at once.
            with self.database.write(), mock.patch.object(
                    _pending.library, "pending_descriptor", lambda handle: descriptors.append(of_handle(handle)) or descriptors[-1]):
                waiting = asyncio.ensure_future(self.add())
                await asyncio.sleep(0)
            self.assertEqual(select.select(descriptors, [], [], 60)[0], descriptors, "its turn has come")
            # On the loop's own thread, so that nobody takes it: it goes back.
            with self.database.write(timeout=60) as transaction:
                transaction.get(Counter, 1).count = 5
            await waiting
        self.run_all(doing())
        self.assertEqual(self.count(), 6)


if __name__ == "__main__":
    unittest.main()
