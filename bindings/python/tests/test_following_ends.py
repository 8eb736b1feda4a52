"""How following ends: by closing, by an exception, by a fork."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
import unittest
from typing import Any, Iterator
from unittest import mock

import freehold
from freehold import watching
from following_case import Dog, FollowingCase


class Closing(FollowingCase):
    def things(self) -> Iterator[Any]:
        """One after another: each hears only what is committed from now on."""
        yield self.dogs().watch()
        yield self.database.commits()
        yield self.database.watch(Dog)

    def check_that_loops_end(self, close: Any) -> None:
        async def gone_through(thing: Any) -> list[Any]:
            return [one async for one in thing]

        async def closed(thing: Any) -> None:
            loop, going = asyncio.get_running_loop(), asyncio.ensure_future(gone_through(thing))
            await asyncio.sleep(0)  # It sleeps now, with the loop looking at the descriptor.
            descriptor = thing.descriptor
            await close(loop, thing)
            self.assertEqual(await going, [])
            self.assertFalse(loop.remove_reader(descriptor), "the loop looks at it no longer")
            self.assertIsNone(thing._handle if hasattr(thing, "_handle") else thing._commits._handle, "it has ended")
            with self.assertRaises(freehold.ClosedError):
                await thing.next()
            # What gets the number of its descriptor is heard.
            with self.database.commits() as commits:
                waiting = asyncio.ensure_future(commits.next())
                await asyncio.sleep(0)
                await loop.run_in_executor(None, self.elsewhere, 50)
                self.assertGreater(await waiting, 0)

        for thing in self.things():
            asyncio.run(asyncio.wait_for(closed(thing), 60))

    def test_a_task_ends_the_loop_of_another_one(self) -> None:
        async def close(_: Any, thing: Any) -> None:
            thing.close()
        self.check_that_loops_end(close)

    def test_a_thread_ends_the_loop_of_a_task(self) -> None:
        async def close(loop: asyncio.AbstractEventLoop, thing: Any) -> None:
            await loop.run_in_executor(None, thing.close)
        self.check_that_loops_end(close)

    def test_who_awaits_one_is_told_that_it_was_closed(self) -> None:
        async def awaited(thing: Any) -> None:
            waiting = asyncio.ensure_future(thing.next())
            await asyncio.sleep(0)
            thing.close()
            with self.assertRaises(freehold.ClosedError):
                await waiting
        for thing in self.things():
            asyncio.run(asyncio.wait_for(awaited(thing), 60))

    def test_what_a_loop_that_ended_has_left_is_closed(self) -> None:
        for thing in self.things():
            loop = asyncio.new_event_loop()
            task = loop.create_task(thing.next())
            loop.run_until_complete(asyncio.sleep(0))
            loop.close()
            thing.close()
            with self.assertRaises(freehold.ClosedError):
                thing.wait(0)
            # The task was left where it was; nothing is to be said of that.
            task._log_destroy_pending = False

    def test_no_thread_closes_what_another_one_asks(self) -> None:
        free = []

        def busy(*_: Any) -> int:
            thread = threading.Thread(target=lambda: free.append(commits._locked().acquire(blocking=False)))
            thread.start()
            thread.join()
            return 0

        with self.database.commits() as commits, mock.patch.object(watching.library, "listener_acknowledge", busy):
            commits.acknowledge()
        self.assertEqual(free, [False])

    def test_an_exception_within_a_call_that_fails_is_raised(self) -> None:
        with self.dogs().watch() as following:
            def interrupted(_: Any) -> None:
                raise KeyboardInterrupt

            def failing(handle: int, callback: Any, *rest: Any) -> int:
                return deliver(handle, callback, *rest) or 5001

            deliver = watching.library.watch_deliver
            self.change(1, name="x")
            with mock.patch.object(following, "_note", interrupted), mock.patch.object(watching.library, "watch_deliver", failing):
                with self.assertRaises(KeyboardInterrupt):
                    following.poll()


def _asked(things: list[Any], answers: Any) -> None:
    """In a child of a fork: what each call raises, as text."""
    told = []
    for thing in things:
        for ask in (thing.poll, lambda: thing.wait(60), lambda: next(thing), lambda: asyncio.run(thing.next()), lambda: thing.descriptor, thing.close):
            try:
                told.append(f"{ask()}")
            except BaseException as failure:
                told.append(f"{type(failure).__name__}: {failure}")
    answers.send(told)
    answers.close()


class Forking(FollowingCase):
    def asked(self, things: list[Any]) -> list[str]:
        fork = multiprocessing.get_context("fork")
        here, there = fork.Pipe(duplex=False)
        child = fork.Process(target=_asked, args=(things, there))
        child.start()
        there.close()
        try:
            self.assertTrue(here.poll(60), "the child says something")
            told = here.recv()
            child.join(60)
            self.assertEqual(child.exitcode, 0)
            return told
        finally:
            child.kill()

    def test_a_child_is_told_that_it_was_forked(self) -> None:
        with self.dogs().watch() as following, self.database.commits() as commits, self.database.watch(Dog) as watch:
            held, over = threading.Event(), threading.Event()

            def hold() -> None:
                with commits._locked(), following._locked(), watch._locked():
                    held.set()
                    over.wait(120)

            # A thread that the child does not have is at work with them.
            thread = threading.Thread(target=hold)
            thread.start()
            held.wait(60)
            try:
                told = self.asked([commits, watch, following])
            finally:
                over.set()
                thread.join()
            self.assertEqual([one for one in told if not one.startswith("ForkedError: ")], [])
            self.assertEqual(len(told), 18)
            self.change(1, name="x")
            self.assertEqual([bool(thing.wait(60)) for thing in (following, commits, watch)], [True] * 3, "the parent goes on")


if __name__ == "__main__":
    unittest.main()
