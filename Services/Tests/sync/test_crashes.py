"""The sync server and its cluster are killed while files are synced, and a backup of the cluster is put back.

    FREEHOLD_SERVICES=.build/debug python3 -m unittest test_crashes

FREEHOLD_LONG=1 kills 60 times in place of 6.
"""

import http.client
import random
import subprocess
import time

import bank
import judge
import server
import teller
from stage import LONG, Background, ServerTest, Stage, pay, settle, shown, until


class Program:
    """A program that writes a file, and an agent of it: a thread each time they are wanted, until they have done so much."""

    def __init__(self, stage, name):
        self.stage, self.name, self.log = stage, name, str(stage.folder / f"{name}.log")
        self.writer = bank.Writer(stage.path(name), name, 1, self.log)
        self.carrier = stage.file(name)
        #: Rounds that went well, and attempts that did not.
        self.rounds = self.failures = 0
        self.goes_on = True
        self.thread = Background(self.run)

    def run(self):
        while self.goes_on:
            self.writer.step()
            try:
                self.carrier.exchange()
                self.rounds += 1
            except (OSError, http.client.HTTPException):
                self.failures += 1
                time.sleep(0.05)  # so that not thousands of transactions are pending in the end

    def end(self):
        self.goes_on = False
        self.thread.result()


class Other:
    """A program that writes by SQL, on a thread."""

    def __init__(self, stage, name):
        self.name, self.log = name, str(stage.folder / f"{name}.log")
        self.teller, self.goes_on = teller.Teller(stage.cluster, name, 1, self.log), True
        self.thread = Background(self.run)

    def run(self):
        while self.goes_on:
            before = self.teller.done
            self.teller.step()
            if self.teller.done == before:
                time.sleep(0.05)  # the cluster is away

    def end(self):
        self.goes_on = False
        self.thread.result()


class KillTests(ServerTest):
    def test_servers_and_clusters_are_killed(self):
        chance, names = random.Random(7), ["a", "b", "c"]
        programs = [Program(self.stage, name) for name in names]
        others = [Other(self.stage, name) for name in ("sql-1", "sql-2")]
        for turn in range(int(60 * LONG) or 6):
            marks = [one.rounds + chance.randrange(1, 5) for one in programs]
            until(lambda: any(one.rounds >= mark for one, mark in zip(programs, marks)), "exchanges go on")
            if turn % 2 == 0:
                self.stage.server.kill()
                self.stage.server.start()
            else:
                self.stage.cluster.kill()
                self.stage.cluster.start()
            marks = [one.rounds + 1 for one in programs]
            until(lambda: all(one.rounds >= mark for one, mark in zip(programs, marks)), "every program goes on")
        for one in programs:
            one.end()
            one.writer.database.close()
        self.assertGreater(sum(one.failures for one in programs), 0)
        for one in others:
            one.end()
            self.assertGreater(one.teller.done, 0)
        until(lambda: self.stage.cluster.sql("SELECT count(*) FROM freehold.foreign") == [["0"]], "what was written by SQL is taken over")
        files = [one.carrier for one in programs]
        settle(*files)
        found = [shown(file) for file in files]
        for other in found[1:]:
            self.assertEqual(judge.differences(found[0], other, "the other"), [])
        self.assertEqual(judge.Verdict({one.name: one.log for one in programs + others}).problems(found[0]), [])

    def test_a_backup_is_put_back(self):
        stage = Stage("--metrics")
        self.addCleanup(stage.close)
        first, second, idle = (stage.file(name) for name in ("first", "second", "idle"))
        settle(first, second, idle)
        pay(first, "account-1", 1, "before")
        settle(first, second, idle)
        stage.server.stop()
        stage.cluster.stop()
        subprocess.run(["cp", "-a", stage.cluster.data, stage.folder / "backup"], check=True)
        stage.cluster.start()
        stage.server.start()
        pay(first, "account-1", 10, "lost")
        settle(first, second)
        for turn in range(6):  # far ahead of the backup
            pay(first, "account-1", 1, f"lost-{turn}")
            first.exchange()
        pay(second, "account-1", 100, "kept-2")
        pay(idle, "account-1", 1000, "kept-3")
        stage.cluster.kill()
        stage.server.kill()
        subprocess.run(["rm", "-rf", stage.cluster.data], check=True)
        subprocess.run(["cp", "-a", stage.folder / "backup", stage.cluster.data], check=True)
        stage.cluster.start()
        stage.server.start()
        for file in (first, second):
            for _ in range(3):
                self.refused(stage.ask("POST", "/v1/pull", file.database.sync_pull()), 503, "unavailable")
        self.refused(stage.ask("POST", "/v1/push", second.database.sync_push()), 503, "unavailable")
        server.prepare(stage.cluster.url, restored=True)
        self.settled(first, second, idle, stage.file("later"))
        entries = shown(first)["Entry"]
        self.assertEqual([entries.get(key, (0, 0))[1] for key in ("before", "kept-2", "kept-3")], [1, 100, 1000])
