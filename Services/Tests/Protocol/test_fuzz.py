"""Random requests: whatever comes in, the server lives, forgets it, and keeps the file as it is."""

import contextlib
import decimal
import hashlib
import os
import random
import re
import threading
import unittest

import freehold

import samples
from requesting import TAB, Maker
from serving import LONG, Connection, ServerTest, check, read_answer

COUNT = max(5000, int(50_000 * LONG))
SEED = int(os.environ.get("FREEHOLD_SEED") or random.randrange(2**32))
#: What a run may need beyond what its first requests needed.
GROWTH = 96 << 20
#: Faults that other tests show.
KNOWN: list[bytes] = []


class Runner:
    """Sends one series of requests over a kept connection, and the broken ones over connections of their own."""

    def __init__(self, server, seed, count):
        self.server, self.maker, self.count, self.seed = server, Maker(seed), count, seed
        self.maker.stamp = server.get("/api/files/1/schema")["stamp"]
        self.connection, self.sent, self.tabs, self.statuses = None, [], set(), {}
        self.failure = None
        self.own = Connection(server)

    def run(self):
        try:
            for number in range(self.count):
                self.step()
                if self.failure:
                    self.failure = f"request {number} of seed {self.seed}: {self.failure}"
                    return
        except Exception as error:  # Told by the test's thread.
            self.failure = f"seed {self.seed}: {type(error).__name__}: {error}; sent {self.sent[-1][:2000]!r}"
        finally:
            self.close()

    def close(self):
        self.own.close()
        if self.connection:
            self.connection.close()
            self.connection = None

    def step(self):
        maker = self.maker
        data = maker.encoded(self.server, maker.mutated() if maker.random.random() < 0.85 else maker.valid())
        isBroken = maker.random.random() < 0.15
        if isBroken:
            data = maker.bytes(data)
        self.sent = (self.sent + [data])[-5:]
        self.tabs.update(re.findall(rb'tab(?:=|": ")([A-Za-z0-9]{16,64})\b', data))
        answer = self.alone(data) if isBroken else self.kept(data)
        status = answer.status if answer else None
        self.statuses[status] = self.statuses.get(status, 0) + 1
        if not answer:
            return
        if answer.status >= 500 and answer.status != 503 and not any(known in answer.body for known in KNOWN):
            self.failure = f"{answer} to {data[:2000]!r}"
        if answer.status == 503:
            self.closeTabs()

    def alone(self, data):
        with self.server.connect() as connection, contextlib.suppress(ConnectionError):
            connection.sendall(data)
            connection.shutdown(1)
            return read_answer(connection)

    def kept(self, data):
        """A whole request: it must be answered, unless the connection had been ended before it."""
        for attempt in (1, 2):
            if self.connection is None:
                self.connection = self.server.connect(60)
            try:
                self.connection.sendall(data)
                answer = read_answer(self.connection, data.split(b" ")[0].decode())
            except ConnectionError:
                answer = None
            if answer is None or answer.header("connection") == "close":
                self.connection.close()
                self.connection = None
            if answer:
                return answer
        self.failure = f"no answer to {data[:2000]!r}"
        return None

    def closeTabs(self):
        """Tabs with mutated names fill the server."""
        for tab in self.tabs:
            self.own.request("POST", "/api/tab/close", {"tab": tab.decode()})
        self.tabs.clear()


class FuzzTests(ServerTest):

    def setUp(self):
        self.file = samples.make_kinds(self.path())
        # A class that the random requests do not name.
        with freehold.open(self.file) as database, database.write() as transaction:
            transaction.create_class("Known", id=int, exact=decimal.Decimal)
            transaction.create("Known", id=1, exact=decimal.Decimal("12345678901234567890.123456789"))

    def fuzz(self, runners):
        print(f"[seed {SEED}, {sum(runner.count for runner in runners)} requests]", end=" ", flush=True)
        self.known()
        threads = [threading.Thread(target=runner.run) for runner in runners]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        server = runners[0].server
        sent = "\n".join(repr(data[:3000]) for runner in runners for data in runner.sent)
        self.assertTrue(server.lives,
                        f"seed {SEED}: the server ended with {server.process.poll()}:\n{server.trouble}\nlast requests:\n{sent}")
        for runner in runners:
            self.assertIsNone(runner.failure)
        self.known()
        self.assertEqual(server.errors, "", f"seed {SEED}")

    def known(self):
        """A known request has its answer."""
        tab = self.tab()
        view = self.server.view(tab, "Known", "id == 1")
        self.assertEqual(view["count"], 1)
        cells = dict(zip(view["columns"], self.server.rows(tab, view["view"])["rows"][0]["cells"]))
        self.assertEqual(cells["exact"], "12345678901234567890.123456789")
        self.server.post("/api/tab/close", {"tab": tab})

    def digest(self):
        return hashlib.sha256(self.file.read_bytes()).hexdigest()

    def test_random_requests_change_nothing_without_write(self):
        """Random requests of a server without --write: it lives, answers, needs no more memory, and the file's bytes are the same."""
        self.server = self.start(self.file)
        # Opening a database notes in it who has it open.
        before = self.digest()
        events = self.server.events(TAB)
        # What caches need shows in a first run.
        self.fuzz([Runner(self.server, SEED ^ 1, 1000)])
        memory = self.server.memory
        self.fuzz([Runner(self.server, SEED, COUNT)])
        self.assertLess(self.server.memory, memory + GROWTH, f"seed {SEED}")
        events.close()
        self.assertEqual(self.digest(), before, f"seed {SEED}: the file was changed")

    def test_random_changes_keep_the_file_whole(self):
        """Random requests of a server with --write: it lives, answers, and `freehold check` finds nothing wrong."""
        self.server = self.start(self.file, write=True)
        events = self.server.events(TAB)
        self.fuzz([Runner(self.server, SEED ^ 2, COUNT)])
        self.assertIsNone(check(self.file), f"seed {SEED}")
        events.close()

    def test_random_requests_at_once(self):
        """Random requests over several connections at once for the same tabs: the server lives and answers."""
        self.server = self.start(self.file, write=True)
        events = self.server.events(TAB)
        self.fuzz([Runner(self.server, SEED ^ number, COUNT // 3) for number in range(3, 6)])
        self.assertIsNone(check(self.file), f"seed {SEED}")
        events.close()


if __name__ == "__main__":
    unittest.main()
