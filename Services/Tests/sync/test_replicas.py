"""A hot standby of PostgreSQL that answers questions: late, stopped, killed, and never believed too much.

    FREEHOLD_SERVICES=.build/debug python3 -m unittest test_replicas
"""

import os
import random
import signal
import subprocess
import time
import urllib.parse

import bank
import server
import test_rules
import tokens
from carrier import Carrier
from cluster import Cluster
from stage import LONG, Background, ServerTest, pay, settle, shown, until


def follow(replica, primary):
    """Waits until the replica has what the primary has."""
    place = primary.sql("SELECT pg_current_wal_insert_lsn()")[0][0]
    until(lambda: replica.sql(f"SELECT pg_last_wal_replay_lsn() >= '{place}'") == [["t"]], "the replica follows")


class ReplicaTests(ServerTest):
    WORDS = ["--metrics"]

    def setUp(self):
        self.replica = Cluster(self.stage.folder / f"standby-{time.monotonic_ns()}", self.stage.cluster)
        self.addCleanup(self.end)
        self.server = server.Server(self.stage.cluster.url, self.stage.keys, "--replica", self.replica.url, "--metrics")
        self.addCleanup(self.server.kill)

    def end(self):
        if self.replica.process is not None:
            self.replica.kill()

    def file(self, name, user="ann"):
        """A file at the server that has a replica."""
        made = Carrier(self.stage.path(name), self.server.address, tokens.token(user))
        self.addCleanup(made.close)
        return made

    def reads(self):
        """How often the replica has read rows."""
        return int(self.replica.sql("""SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0) FROM pg_stat_user_tables
            WHERE schemaname = 'freehold' AND relname = 'view'""")[0][0])

    def follow(self):
        follow(self.replica, self.stage.cluster)

    def pull(self, file, wait):
        """Applies an answer; the status."""
        status, answer = file.ask(f"/v1/pull?wait={wait}", file.database.sync_pull())
        if status == 200:
            file.database.sync_apply(answer)
        return status

    def test_it_answers_what_waits(self):
        writer, reader = self.file("writer"), self.file("reader", "ben")
        settle(writer, reader)
        for turn in range(20):
            pay(writer, f"account-{turn}", 1, f"replica-{turn}")
            writer.exchange()
        self.follow()
        before = self.reads()
        self.assertEqual(self.pull(reader, 30), 200)
        self.assertEqual(shown(reader), shown(writer))
        until(lambda: self.reads() > before, "the replica has read what it answered")

    def test_news_wake_who_waits(self):
        writer, reader = self.file("wakes"), self.file("woken", "ben")
        settle(writer, reader)
        for turn in range(5):
            self.follow()
            asked = Background(lambda: self.pull(reader, 60))
            until(lambda: "freehold_sync_waiting_pulls 1" in self.server.ask("GET", "/metrics")[2].decode(), "a pull waits")
            pay(writer, "account-1", 1, f"wakes-{turn}")
            writer.exchange()
            self.assertEqual(asked.result(), 200)
            settle(writer)
            self.assertEqual(shown(reader), shown(writer), turn)

    def test_a_replica_that_stands_still(self):
        """It keeps nothing from who waits, and takes nothing back from who has more."""
        writer, reader = self.file("ahead"), self.file("behind", "ben")
        settle(writer, reader)
        self.follow()
        self.replica.sql("SELECT pg_wal_replay_pause()")
        pay(writer, "account-1", 7, "still-1")
        writer.exchange()
        # A file that has what the replica does not have yet is answered by the primary.
        settle(writer)
        self.assertEqual(self.pull(writer, 0.05), 204)
        self.assertEqual(self.pull(reader, 0.05), 200)
        self.assertEqual(shown(reader)["Account"]["account-1"], shown(writer)["Account"]["account-1"])
        # One that nobody has seen yet, and a first question, too.
        third = self.file("third", "carl")
        self.assertEqual(self.pull(third, 0.05), 200)
        settle(third)
        self.assertEqual(shown(third), shown(writer))
        self.replica.sql("SELECT pg_wal_replay_resume()")
        self.follow()
        pay(third, "account-1", 1, "still-2")
        settle(third, writer, reader)
        self.assertEqual(shown(reader), shown(third))

    def test_a_replica_that_is_killed(self):
        writer, reader = self.file("kills"), self.file("killed", "ben")
        settle(writer, reader)
        for turn in range(3):
            self.replica.kill()
            pay(writer, "account-1", 1, f"killed-{turn}")
            writer.exchange()
            self.assertEqual(self.pull(reader, 5), 200)
            self.replica.start()
            self.follow()
            pay(writer, "account-1", 1, f"killed-{turn}-again")
            settle(writer)
            self.follow()
            self.assertEqual(self.pull(reader, 30), 200)
            self.assertEqual(shown(reader), shown(writer))

    def test_a_replica_that_stops(self):
        """It answers nothing more, and its connections stay: others are not kept waiting by it."""
        writer, reader = self.file("stops"), self.file("stopped", "ben")
        settle(writer, reader)
        self.follow()
        self.assertEqual(self.pull(reader, 0.05), 204)
        self.signal(signal.SIGSTOP)
        try:
            asked = [Background(lambda place=place: self.server.ask(
                "POST", "/v1/pull?wait=1", reader.database.sync_pull(), tokens.token("ben"), timeout=60)[0]) for place in range(8)]
            pay(writer, "account-1", 1, "stops-1")
            writer.exchange()
            settle(writer)
            self.assertEqual({one.result(90) for one in asked} - {200, 204}, set())
            self.assertEqual(self.pull(reader, 0), 200)
        finally:
            self.signal(signal.SIGCONT)
        self.assertEqual(shown(reader), shown(writer))

    def signal(self, number):
        """To all processes of the replica."""
        pids = subprocess.run(["pgrep", "-P", str(self.replica.process.pid)], capture_output=True, text=True, check=False).stdout.split()
        for pid in [str(self.replica.process.pid), *pids]:
            os.kill(int(pid), number)

    def test_many_at_once_with_a_late_replica(self):
        """Batches that overlap, and files that pull from a late replica: nothing is lost, nothing comes back."""
        self.replica.sql("ALTER SYSTEM SET recovery_min_apply_delay = '30ms'", database="postgres")
        self.replica.sql("SELECT pg_reload_conf()", database="postgres")
        files = [self.file(f"many-{place}", f"user-{place}") for place in range(4)]
        settle(*files)
        turns = int(150 * LONG) or 40

        def marks(place):
            """What one of the files has added, as it shows it."""
            accounts = shown(files[place])["Account"]
            return {(one, mark) for one, values in accounts.items() for mark in values[2] if mark.startswith(f"{place}-")}

        def work(place):
            chance = random.Random(place)
            for turn in range(turns):
                file = files[place]
                account = f"account-{chance.randrange(3)}"
                pay(file, account, chance.randrange(-5, 9), f"many-{place}-{turn}")
                with file.database.write() as transaction:
                    owner = transaction.get(bank.Account, account)
                    tag = f"{place}-{chance.randrange(4)}"
                    # A tag belongs to one file: what it takes away must stay away.
                    if tag in owner.tags:
                        owner.tags.remove(tag)
                    else:
                        owner.tags.add(tag)
                file.exchange(wait=0.02)
                wanted = marks(place)
                file.exchange(wait=0.02)
                found = marks(place)
                assert found == wanted, f"file {place}, turn {turn}: {wanted ^ found}"

        for one in [Background(lambda place=place: work(place)) for place in range(4)]:
            one.result()
        self.follow()
        self.settled(*files)


class ReplicaRuleTests(test_rules.RuleTest):
    def behind_a_replica(self):
        """A standby, Ann's file, and Ben's, which asks a server that has the standby."""
        replica = Cluster(self.stage.folder / "standby", self.stage.cluster)
        self.addCleanup(replica.kill)
        late = server.Server(self.stage.cluster.url, self.stage.keys, "--replica", replica.url)
        self.addCleanup(late.kill)
        ann, ben = self.file("ann", "ann", role="admin"), self.file("ben", "ben", team="red")
        settle(ann, ben)
        ben.hang_up()
        ben.address = urllib.parse.urlparse(late.address)
        return replica, ann, ben

    def test_rules_that_the_replica_does_not_have(self):
        """Other rules count from the moment on in which the primary has them."""
        replica, ann, ben = self.behind_a_replica()
        # The server's workers know the rules before.
        self.assertEqual(ben.ask("/v1/pull?wait=0.01", ben.database.sync_pull())[0], 204)
        with ann.database.write() as transaction:
            transaction.add(test_rules.Task("one", "ann", "red", "of team red"))
        settle(ann)
        follow(replica, self.stage.cluster)
        replica.sql("SELECT pg_wal_replay_pause()")
        self.set("stream mine { Task where owner == $user }")
        for _ in range(10):  # each worker of the server
            status, answer = ben.ask("/v1/pull?wait=0.01", ben.database.sync_pull())
            self.assertNotIn(b"of team red", answer)
        self.assertIn(status, (200, 204))

    def test_claims_that_the_replica_does_not_have(self):
        """Who has lost a right is not answered by a replica that has not heard of it."""
        replica, ann, ben = self.behind_a_replica()
        with ann.database.write() as transaction:
            for key, team in [("red-one", "red"), ("blue-one", "blue"), ("red-two", "red")]:
                transaction.add(test_rules.Task(key, "ann", team, f"of team {team}"))
        settle(ann)
        follow(replica, self.stage.cluster)
        replica.sql("SELECT pg_wal_replay_pause()")
        # The replica has news of red tasks for Ben, who is not of that team any more.
        ben.token = tokens.token("ben", team="blue")
        status, answer = ben.ask("/v1/pull?wait=5", ben.database.sync_pull())
        self.assertEqual(status, 200)
        self.assertNotIn(b"of team red", answer)
        ben.database.sync_apply(answer)
        self.assertEqual(set(test_rules.shown(ben)[0]), {"blue-one"})
