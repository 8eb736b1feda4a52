"""The sync server with real processes: bad bodies, pulls that wait, servers and clusters that are killed, backups.

    FREEHOLD_SERVICES=.build/debug python3 -m unittest test_server test_users

FREEHOLD_LONG=0.2 sends 50,000 forged messages in place of 2,000.
"""

import http.client
import json
import random
import select
import socket
import struct
import subprocess
import time

import bank
import freehold
import judge
import server
import tokens
from carrier import Carrier
from stage import (LONG, PATIENCE, Background, Line, ServerTest, Stage, begin, begun, failure, inheriting, naming, pay, problems, settle,
                   shown, until)

#: What a message may be answered with, whatever it is.
ANSWERS = {200, 204, 403, 409, 422, 426, 503}


@freehold.model(sync="deletion_wins")
class More:
    id: str = freehold.field(primary_key=True)


@freehold.model(sync="deletion_wins")
class Later:
    id: str = freehold.field(primary_key=True)
    count: int = 0


class BodyTests(ServerTest):
    WORDS = ["--metrics", "--body-limit", str(512 << 10)]

    def setUp(self):
        self.line = Line(self.stage.server.port)
        self.addCleanup(self.line.close)

    def send(self, path, body, user="mallory", note=None, line=None):
        """The status of any message."""
        answer = (line or self.line).ask(path, body, tokens.token(user))
        self.assertIn(answer[0], ANSWERS, (note, body.hex(), answer[2][:300]))
        if answer[0] not in (200, 204):
            failure(answer)
        return answer[0]

    def messages(self, name):
        """A batch with everything that a batch has, and a question, of a file that has had an answer."""
        file = self.stage.file(name, "mallory")
        settle(file)
        # Keys that differ in more bytes from those of honest files than a mutation changes.
        keys = [f"{name}-------{place}" for place in range(6)]
        with file.database.write() as transaction:
            for key in keys[1:3]:
                account = transaction.add(bank.Account(key, 0, "a note", {"red", "blue"}, ["one", "two", "three"]))
                transaction.increment(account, "balance", 12)
            transaction.add(bank.Entry(keys[3], keys[1], 5))
            transaction.add(bank.Page(keys[4], 4))
        file.exchange()
        with file.database.write() as transaction:
            account = transaction.get(bank.Account, keys[1])
            account.tags.remove("red")
            account.items.insert(1, "between")
            account.items.pop()
            transaction.increment(account, "balance", -7)
            transaction.delete(transaction.get(bank.Account, keys[2]))
            transaction.add(bank.Account(keys[5], 0, "", {"green"}, ["four"])).note = "x"
        return file.database.sync_push(), file.database.sync_pull()

    def honest(self, *names):
        """Honest files sync, whatever came before: all agree and counters are exact."""
        files = [self.stage.file(name, name) for name in names]
        settle(*files)
        for place, file in enumerate(files):
            pay(file, "account-1", 10 + place, f"{names[place]}-{place}")
            pay(file, "account-2", -1, f"{names[place]}-{place}-2")
        settle(*files)
        self.agree(*files)

    def agree(self, *files):
        found = [shown(file) for file in files]
        for other in found[1:]:
            self.assertEqual(judge.differences(found[0], other, "the other"), [])
        for account in ("account-1", "account-2"):
            total = sum(amount for owner, amount in found[0]["Entry"].values() if owner == account)
            self.assertEqual(found[0]["Account"][account][0], total, account)

    def test_what_is_no_message(self):
        batch, question = self.messages("kinds")
        for path, other in [("/v1/push", question), ("/v1/pull", batch)]:
            for body in [b"", b"\0", b"garbage", b"{}", b"\x01", b"\x01\x01", b"\x01\0" + other[2:], other, other + b"\0",
                         b"\x02\x01" + other[2:], b"\x04\x01" + other[2:], b"\xff" * 1000, bytes(1000)]:
                self.assertEqual(self.send(path, body), 422, (path, body[:20]))
        self.assertEqual([self.send("/v1/push", b"\x01\x02" + batch[2:]), self.send("/v1/pull", b"\x03\x09" + question[2:])], [426, 426])
        for wait in ("x", "-1", "nan", "inf", "", "1e400", "%ff"):
            self.refused(self.line.ask(f"/v1/pull?wait={wait}", question, tokens.token("mallory")), 422, "malformed", wait)
        for method, path in [("GET", "/"), ("GET", "/v1/push"), ("PUT", "/v1/pull"), ("PUT", "/v1/schema"), ("POST", "/v2/push"),
                             ("GET", "/v1/../metrics")]:
            self.refused(self.stage.ask(method, path, b""), 404, "notFound", method, path)
        self.honest("plain-1", "plain-2")

    def test_messages_that_are_cut(self):
        batch, question = self.messages("cut")
        for length in range(len(batch)):
            self.assertEqual(self.send("/v1/push", batch[:length]), 422, length)
        for length in range(len(question)):
            self.assertEqual(self.send("/v1/pull", question[:length]), 422, length)
        self.honest("cut-1", "cut-2")

    def test_forged_messages(self):
        """10,000 at a time at a server with a database of its own: each answer to a new file has all that was forged before."""
        self.forged(2_000 if not LONG else 10_000, "forged")
        for part in range(1, int(25 * LONG)):
            self.stage = Stage(*self.WORDS)
            try:
                self.line = Line(self.stage.server.port)
                self.forged(10_000, f"forged-{part}")
            finally:
                self.line.close()
                self.stage.close()

    def forged(self, count, name):
        batch, question = self.messages(name)
        replica, stage = question[2:18], self.stage

        def forge(worker):
            """Messages on a connection of its own, side by side with three others: statuses, and how often each came."""
            line, chance, found = Line(stage.server.port), random.Random(f"{name} {worker}"), {}
            for turn in range(count // 4):
                path, message = ("/v1/pull", question) if turn % 4 == 0 else ("/v1/push", batch)
                # Of another file each time: what a file has sent is not merged again.
                message = mutated(message.replace(replica, chance.randbytes(16)) if chance.random() < 0.7 else message, chance)
                status = self.send(path, message, f"mallory-{worker}", (worker, turn), line)
                found[path, status] = found.get((path, status), 0) + 1
            line.close()
            return found

        statuses = {}
        for one in [Background(lambda worker=worker: forge(worker)) for worker in range(4)]:
            for place, times in one.result(1_200).items():
                statuses[place] = statuses.get(place, 0) + times
        # They were not all refused at the door.
        self.assertGreater(statuses["/v1/push", 200], 50, statuses)
        self.assertGreater(statuses["/v1/push", 422], 50, statuses)
        self.honest(f"{name}-1", f"{name}-2")

    def test_long_keys_and_values(self):
        files = [self.stage.file(name, "long") for name in ("long-1", "long-2")]
        settle(*files)
        text = random.Random(1).randbytes(20_000).hex()  # nothing that PostgreSQL could compress
        with files[0].database.write() as transaction:
            transaction.add(bank.Page(text[:2_000], 1))
            transaction.add(bank.Account("long values", 0, text, {text}, [text]))
        pay(files[1], "account-1", 1, "long-1")
        pay(files[1], "account-2", 1, "long-2")
        settle(*files)
        self.agree(*files)
        # A key that no index takes is refused in words, and not as if the server were away.
        with files[0].database.write() as transaction:
            transaction.add(bank.Page(text[:6_000], 2))
        answer = self.line.ask("/v1/push", files[0].database.sync_push(), tokens.token("long"))
        self.refused(answer, 413, "tooLarge")
        self.assertIn(b"primary key", answer[2])
        settle(files[1])

    def test_batches_that_come_twice_and_out_of_order(self):
        file, other = self.stage.file("again", "again"), self.stage.file("again-2", "again")
        settle(file, other)
        pay(file, "account-1", 100, "again-1")
        first = file.database.sync_push()
        pay(file, "account-1", 1000, "again-2")
        second = file.database.sync_push()
        for batch in (second, first, second, first, first):
            self.assertEqual(self.stage.ask("POST", "/v1/push", batch, user="again")[0], 200)
        racing = [Background(lambda: self.stage.ask("POST", "/v1/push", second, user="again")[0]) for _ in range(8)]
        self.assertEqual({one.result() for one in racing}, {200})
        pay(file, "account-2", 1, "again-3")
        settle(file, other)
        self.agree(file, other)

    def test_bodies_beyond_the_limit(self):
        token, limit = tokens.token("large"), 512 << 10
        for length in (limit + 1, 1 << 40, 1 << 62):
            with begun(self.stage.server.port, 1, "/v1/push", token, length) as lines:
                answer = lines[0].getresponse()
                self.refused((answer.status, answer.headers, answer.read()), 413, "tooLarge", length)
        line = http.client.HTTPConnection("127.0.0.1", self.stage.server.port, timeout=PATIENCE)
        self.addCleanup(line.close)
        line.request("POST", "/v1/push", iter([b"x" * 65536] * 9), {"Authorization": f"Bearer {token}"}, encode_chunked=True)
        answer = line.getresponse()
        self.refused((answer.status, answer.headers, answer.read()), 413, "tooLarge")
        self.assertEqual(self.line.ask("/v1/push", bytes(limit), token)[0], 422)
        self.honest("large-1", "large-2")

    def test_a_user_with_too_many_requests(self):
        token, file = tokens.token("greedy"), self.stage.file("greedy", "greedy")
        settle(file)
        ask = lambda path="/v1/push", body=b"x": self.line.ask(path, body, token)
        with begun(self.stage.server.port, 16, "/v1/push", token) as lines:
            def all_taken():
                """A question takes a place while it is asked: who has found none begins again."""
                for line in lines:
                    if select.select([line.sock], [], [], 0)[0]:
                        line.close()
                        begin(line, "/v1/push", token)
                return ask()[0] == 429

            until(all_taken, "too many batches")
            answer = ask()
            self.refused(answer, 429, "busy")
            self.assertGreater(int(answer[1]["Retry-After"]), 0)
            self.assertEqual(file.exchange(), True)
            self.honest("modest-1", "modest-2")
        until(lambda: ask()[0] == 422, "the user's batches are taken again")

    def test_a_user_whose_bodies_do_not_come(self):
        """Nobody takes the memory for bodies from all others by saying that much will come."""
        roomy = server.Server(self.stage.cluster.url, self.stage.keys)
        file = Carrier(self.stage.path("quick"), roomy.address, tokens.token("quick"))
        self.addCleanup(file.close)
        self.addCleanup(roomy.kill)
        slow = tokens.token("slow")
        with begun(roomy.port, 20, "/v1/push", slow, 64 << 20), begun(roomy.port, 40, "/v1/pull", slow, 64 << 20):
            until(lambda: roomy.ask("POST", "/v1/push", b"x", slow)[0] == 429, "the bodies have begun")
            settle(file)

    def test_who_goes_while_waiting_gives_the_place_back(self):
        file, other = self.stage.file("gone", "gone"), self.stage.file("gone-2", "other")
        settle(file, other)
        token = tokens.token("gone")
        for turn in range(3):
            settle(file)
            question = file.database.sync_pull()
            lines = self.waiting_lines(200, question, token)
            for line in lines:
                if turn > 0:  # reset: then not even the head of an answer can be written
                    line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                line.close()
            pay(other, "account-1", 1, f"gone-{turn}")
            other.exchange()
            self.stage.until_waiting(0)
            until(lambda: self.line.ask("/v1/pull", question, token)[0] == 200, "the user's questions are answered again")
        file, token = self.stage.file("gone-3", "begun"), tokens.token("begun")
        question = file.database.sync_pull()
        with begun(self.stage.server.port, 250, "/v1/pull", token):
            for _ in range(5):
                self.assertEqual(self.line.ask("/v1/pull", question, token)[0], 200)

    def waiting_lines(self, count, question, token):
        """Connections whose questions all wait. Those who have gone give their places back one by one: who is refused asks again."""
        lines = [http.client.HTTPConnection("127.0.0.1", self.stage.server.port, timeout=PATIENCE) for _ in range(count)]
        ask = lambda line: line.request("POST", "/v1/pull?wait=60", question, {"Authorization": f"Bearer {token}"})
        for line in lines:
            ask(line)

        def all_wait():
            for line in lines:
                if select.select([line.sock], [], [], 0)[0]:
                    answer = line.getresponse()
                    self.refused((answer.status, answer.headers, answer.read()), 429, "busy")
                    ask(line)
            return self.stage.waiting() == count

        until(all_wait, f"{count} pulls wait")
        return lines

    def test_messages_that_name_very_many_files(self):
        """Each file has a number, which is never given back, and there are 2²⁴ of them."""
        batch, question = self.messages("heirs")
        chance = random.Random(3)
        for count, statuses in [(1, (200, 204)), (9_000, (200, 204)), (15_000, (422,))]:
            self.assertIn(self.send("/v1/pull", inheriting(question, chance.randbytes(16 * count))), statuses, count)
        known = lambda: int(self.stage.cluster.sql("SELECT count(*) FROM freehold.replica")[0][0])
        before = known()
        for count, status in [(4_000, 200), (15_000, 403), (5_000, 200), (2_000, 403)]:
            answer = self.line.ask("/v1/push", naming(batch, chance.randbytes(16 * count)), tokens.token("mallory"))
            self.assertEqual(answer[0], status, (count, answer[2]))
        self.assertEqual(known() - before, 9_000)
        self.honest("heirs-1", "heirs-2")


class SlowTests(ServerTest):
    WORDS = ["--metrics", "--pulling", "1"]

    def test_who_reads_slowly_keeps_nobody_from_answers(self):
        """One connection to the database serves all questions; an answer that its client does not read does not hold it."""
        file, reader, other = self.stage.file("writes", "slow"), self.stage.file("reads", "slow"), self.stage.file("another", "other")
        settle(file, other)
        text = random.Random(5).randbytes(20_000).hex()
        for part in range(3):
            with file.database.write() as transaction:
                for number in range(250):
                    transaction.add(bank.Account(f"long {part} {number}", number, text, set(), []))
            settle(file)
        question, token = reader.database.sync_pull(), tokens.token("slow")
        slow = [http.client.HTTPConnection("127.0.0.1", self.stage.server.port) for _ in range(3)]
        for line in slow:
            self.addCleanup(line.close)
            line.sock = socket.socket()
            line.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 10)
            line.sock.settimeout(PATIENCE)
            line.sock.connect(("127.0.0.1", self.stage.server.port))
            line.request("POST", "/v1/pull", question, {"Authorization": f"Bearer {token}"})
        # All three wait in files; nobody has taken more than what lies in sockets.
        until(lambda: self.stage.metric("freehold_sync_spooled_bytes") > 3 * (20 << 20), "the answers are on the disk")
        settle(other)
        for line in slow[:-1]:
            answer = line.getresponse()
            body = answer.read()
            self.assertEqual(answer.status, 200)
        if not LONG:  # who takes nothing for a minute is cut
            slow[-1].close()
        until(lambda: self.stage.metric("freehold_sync_spooled_bytes") == 0, "the files are gone", PATIENCE + 60)
        reader.database.sync_apply(body)
        self.assertEqual(judge.differences(shown(file), shown(reader), "the reader's"), [])


class WaitingTests(ServerTest):
    def waits(self, file, user="ann", seconds=60):
        """A question that waits, and is known to."""
        before, question = self.stage.waiting(), file.database.sync_pull()
        asked = Background(lambda: self.stage.ask("POST", f"/v1/pull?wait={seconds}", question, user=user, timeout=90))
        self.stage.until_waiting(before + 1)
        return asked

    def test_a_push_answers_a_pull_that_waits(self):
        file, other = self.stage.file("waits"), self.stage.file("pushes", "ben")
        settle(file, other)
        asked = self.waits(file)
        pay(other, "account-1", 5, "pushed-1")
        other.exchange()
        status, _, answer = asked.result()
        self.assertEqual(status, 200)
        file.database.sync_apply(answer)
        self.assertEqual(shown(file)["Account"]["account-1"][0], 5)
        self.settled(file, other)

    def test_a_push_at_another_server_answers_it(self):
        file, other = self.stage.file("waits-2"), self.stage.file("pushes-2", "ben")
        settle(file, other)
        second = server.Server(self.stage.cluster.url, self.stage.keys)
        self.addCleanup(second.stop)
        asked = self.waits(file)
        pay(other, "account-2", 5, "pushed-2")
        self.assertEqual(second.ask("POST", "/v1/push", other.database.sync_push(), tokens.token("ben"))[0], 200)
        self.assertEqual(asked.result()[0], 200)
        self.settled(file, other)

    def test_nothing_new(self):
        file = self.stage.file("quiet")
        settle(file)
        for path in ("/v1/pull", "/v1/pull?wait=0", "/v1/pull?wait=0.01"):
            self.assertEqual(self.stage.ask("POST", path, file.database.sync_pull())[::2], (204, b""), path)

    def test_pulls_that_wait_are_answered_when_the_server_ends(self):
        files = [self.stage.file(f"ends-{place}") for place in range(3)]
        settle(*files)
        asked = [self.waits(file) for file in files]
        self.assertEqual(self.stage.server.stop(), 0)
        self.assertEqual([one.result()[0] for one in asked], [204] * 3)
        self.stage.server.start()
        self.settled(*files)

    def test_pulls_that_wait_hear_that_postgres_is_gone(self):
        file = self.stage.file("away")
        settle(file)
        asked = self.waits(file)
        self.assertEqual([self.stage.ask("GET", path)[0] for path in ("/health", "/ready")], [200, 200])
        self.stage.cluster.kill()
        try:
            self.refused(asked.result(), 503, "unavailable")
            self.refused(self.stage.ask("GET", "/ready"), 503, "unavailable")
            self.assertEqual(self.stage.ask("GET", "/health")[0], 200)
            pay(file, "account-3", 1, "away-1")
            answer = self.stage.ask("POST", "/v1/push", file.database.sync_push())
            self.refused(answer, 503, "unavailable")
            self.assertGreater(int(answer[1]["Retry-After"]), 0)
        finally:
            self.stage.cluster.start()
        self.assertEqual(self.stage.ask("GET", "/ready")[0], 200)
        self.settled(file, self.stage.file("away-2"))

    def test_classes_that_are_added_are_told_at_once(self):
        path = str(self.stage.folder / "more.freehold")
        freehold.open(path, models=[*bank.MODELS, More]).close()
        self.stage.ask("GET", "/v1/schema")
        server.prepare(self.stage.cluster.url, path)
        for _ in range(12):  # each thread of the server has read the classes by itself
            classes = json.loads(self.stage.ask("GET", "/v1/schema")[2])["classes"]
            self.assertEqual([one["name"] for one in classes][-1], "More")

    def test_a_batch_of_a_class_that_is_not_there(self):
        """It is refused as a whole, and its file keeps it pending: also what is changed meanwhile comes once the class is there."""
        file = self.stage.file("ahead", models=[*bank.MODELS, Later])
        settle(file)
        pay(file, "account-5", 7, "ahead-1")
        with file.database.write() as transaction:
            transaction.add(Later("first", 1))
        for count in (2, 3):
            answer = self.stage.ask("POST", "/v1/push", file.database.sync_push())
            self.refused(answer, 422, "otherClass")
            self.assertIn("class 'Later'", json.loads(answer[2])["what"])
            status, _, answer = self.stage.ask("POST", "/v1/pull", file.database.sync_pull())
            if status == 200:
                file.database.sync_apply(answer)
            with file.database.write() as transaction:
                transaction.get(Later, "first").count = count
        server.prepare(self.stage.cluster.url, file.path)
        other = self.stage.file("ahead-2", models=[*bank.MODELS, Later])
        settle(file, other)
        self.assertEqual(file.losses, [])
        for one in (file, other):
            with one.database.read() as snapshot:
                self.assertEqual([(later.id, later.count) for later in snapshot.objects(Later)], [("first", 3)])
        self.assertEqual(problems(file, other), [])

    def test_metrics_tell_no_secrets(self):
        self.stage.ask("GET", "/v1/schema", user="somebody")
        for path in ("/" + "x" * 50, "/v1/unknown", "/%00"):
            self.stage.ask("GET", path)
        text = self.stage.ask("GET", "/metrics")[2].decode()
        self.assertIn("hb_requests_total", text)
        for secret in ("somebody", "xxxxx", "unknown", tokens.token("somebody")[:20]):
            self.assertNotIn(secret, text)


def mutated(message, chance):
    """The message with a few bytes flipped, put in, taken out, or repeated."""
    message = bytearray(message)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        at = chance.randrange(len(message))
        kind = chance.random()
        if kind < 0.35:
            message[at] ^= 1 << chance.randrange(8)
        elif kind < 0.7:
            message[at] = chance.choice([0, 1, 2, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        elif kind < 0.8:
            del message[at:at + chance.randrange(1, 9)]
        elif kind < 0.9:
            message[at:at] = chance.choice([b"\xff" * 9 + b"\x01", bytes(chance.randrange(1, 9)), chance.randbytes(3)])
        else:
            end = at + chance.randrange(1, 40)
            message[end:end] = message[at:end]
        if not message:
            return b""
    return bytes(message)
