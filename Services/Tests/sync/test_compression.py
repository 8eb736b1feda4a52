"""Bodies and answers that are compressed, and what only looks as if it were.

    FREEHOLD_SERVICES=.build/debug python3 -m unittest test_compression
"""

import gzip
import pathlib
import random
import zlib

import agent
import bank
import server
import tokens
from stage import Line, ServerTest, pay, settle, shown


def metric(stage, name):
    """What a counter of the server has."""
    lines = stage.server.ask("GET", "/metrics")[2].decode().splitlines()
    return next((float(line.split()[1]) for line in lines if line.startswith(f"{name} ")), 0)


def memory(process):
    """Bytes that a process has had at most."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    return next(int(line.split()[1]) << 10 for line in status.splitlines() if line.startswith("VmHWM:"))


class CompressionTests(ServerTest):
    WORDS = ["--metrics", "--body-limit", str(8 << 20)]

    def setUp(self):
        self.line = Line(self.stage.server.port)
        self.addCleanup(self.line.close)

    def push(self, body, coding="gzip", user="ann"):
        return self.line.ask("/v1/push", body, tokens.token(user), **{"Content-Encoding": coding})

    def fill(self, file, count, name):
        """Pages with a body that repeats, as texts do."""
        with file.database.write() as transaction:
            for place in range(count):
                transaction.add(bank.Account(f"{name}-{place}", 0, f"a note that says what the account {place} is for", set(), []))

    def test_batches_and_answers(self):
        file, other = self.stage.file("one"), self.stage.file("two", "ben")
        settle(file, other)
        self.fill(file, 2_000, "one")
        batch = file.database.sync_push()
        self.assertEqual(self.push(gzip.compress(batch))[0], 200)
        settle(file)
        question, token = other.database.sync_pull(), tokens.token("ben")
        plain = self.line.ask("/v1/pull", question, token)
        self.assertNotIn("Content-Encoding", plain[1])
        for accepted in ("gzip", "deflate, gzip, br, zstd", "*"):
            status, headers, body = self.line.ask("/v1/pull", question, token, **{"Accept-Encoding": accepted})
            self.assertEqual((status, headers["Content-Encoding"]), (200, "gzip"), accepted)
            self.assertLess(len(body), len(plain[2]) / 3)
        self.assertNotIn("Content-Encoding", self.line.ask("/v1/pull", question, token, **{"Accept-Encoding": "gzip;q=0, br"})[1])
        other.database.sync_apply(gzip.decompress(body))
        settle(file, other)
        self.assertEqual(shown(file), shown(other))
        self.assertEqual(len([key for key in shown(other)["Account"] if key.startswith("one-")]), 2_000)

    def test_agents_compress_what_they_send(self):
        file = self.stage.file("agent", "carl")
        settle(file)
        self.fill(file, 5_000, "agent")
        plain = len(file.database.sync_push())
        pushed, sent, answered = (metric(self.stage, f"freehold_sync_{name}_bytes_total") for name in ("pushed", "sent", "answered"))
        token = self.stage.folder / "token"
        token.write_text(tokens.token("carl"), encoding="utf-8")
        status, words = agent.sync_once(file.path, self.stage.server.address, token)
        self.assertEqual(status, 0, words)
        # What was received counts as it is read; its way here was shorter.
        self.assertGreaterEqual(metric(self.stage, "freehold_sync_pushed_bytes_total") - pushed, plain)
        other = self.stage.path("agent-2")
        status, words = agent.sync_once_new(other, self.stage.server.address, token, bank.MODELS)
        self.assertEqual(status, 0, words)
        came = metric(self.stage, "freehold_sync_sent_bytes_total") - sent
        self.assertLess(came, (metric(self.stage, "freehold_sync_answered_bytes_total") - answered) / 3)
        self.assertGreater(came, 0)

    def test_what_grows_beyond_the_limit(self):
        deflater = zlib.compressobj(9, zlib.DEFLATED, 31)
        bomb = b"".join(deflater.compress(bytes(1 << 20)) for _ in range(1 << 10)) + deflater.flush()
        self.assertLess(len(bomb), 2 << 20)
        before = memory(self.stage.server.process)
        for _ in range(8):
            self.refused(self.push(bomb), 413, "tooLarge")
        # A gigabyte each, of which no more than the limit was ever there.
        self.assertLess(memory(self.stage.server.process) - before, 160 << 20)
        exact = gzip.compress(bytes(8 << 20))
        self.refused(self.push(exact), 422, "malformed")
        self.refused(self.push(gzip.compress(bytes((8 << 20) + 1))), 413, "tooLarge")
        settle(self.stage.file("after", "after"))

    def test_what_is_no_gzip(self):
        file = self.stage.file("damaged")
        settle(file)
        pay(file, "account-1", 1, "damaged-1")
        batch = file.database.sync_push()
        whole = gzip.compress(batch)
        for end in range(len(whole)):
            self.refused(self.push(whole[:end]), 422, "malformed", end)
        for body in (batch, whole + b"\0", whole + whole, b"\x1f\x8b\x08" + bytes(100), zlib.compress(batch), gzip.compress(whole)):
            self.refused(self.push(body), 422, "malformed", body[:20])
        chance = random.Random(7)
        for turn in range(500):
            body = bytearray(whole)
            body[chance.randrange(10, len(body))] ^= 1 << chance.randrange(8)
            status = self.push(bytes(body))[0]
            # The last byte of what is compressed may have bits that mean nothing.
            self.assertTrue(status == 422 or status == 200 and gzip.decompress(body) == batch, (turn, status))
        for coding in ("br", "deflate", "gzip, gzip", "gzip;q=1", "x" * 5_000):
            self.refused(self.push(whole, coding), 422, "malformed", coding[:20])
        self.assertEqual(self.push(whole, "x-gzip")[0], 200)
        self.assertEqual(self.push(batch, "identity")[0], 200)
        settle(file)

    def test_a_server_that_compresses_nothing(self):
        second = server.Server(self.stage.cluster.url, self.stage.keys, "--plain-answers")
        self.addCleanup(second.stop)
        file = self.stage.file("plain", "dora")
        status, headers, _ = second.ask("POST", "/v1/pull", file.database.sync_pull(), tokens.token("dora"), {"Accept-Encoding": "gzip"})
        self.assertEqual(status, 200)
        self.assertNotIn("Content-Encoding", headers)
