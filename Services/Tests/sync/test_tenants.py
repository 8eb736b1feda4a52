"""Tenants whose data is in several databases of two clusters, and their moves."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

import bank
import freehold
import server
import stage
import tokens
from carrier import Carrier
from cluster import Cluster, program


class Tenants(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sync-tenants-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.clusters = [Cluster(self.folder / name) for name in ("one", "two")]
        for cluster in self.clusters:
            self.addCleanup(cluster.stop)
        # The two clusters have given different numbers of transactions.
        self.clusters[0].sql("".join("SELECT pg_current_xact_id();\n" for _ in range(3000)))
        self.clusters[0].sql("CREATE DATABASE directory", database="postgres")
        self.directory = self.url(0, "directory")
        self.classes = self.folder / "classes.freehold"
        freehold.open(str(self.classes), models=bank.MODELS).close()
        self.keys = tokens.key_file(self.folder / "keys.json")
        for name, url in (("red", self.url(0)), ("blue", self.url(1))):
            server.prepare(url, self.classes)
            self.command("add", name, "--database", url)
        self.servers = [self.serve(), self.serve()]

    def url(self, number, database="app"):
        return self.clusters[number].url.replace("///app?", f"///{database}?")

    def empty(self, number, name):
        """A database without anything in it."""
        self.clusters[number].sql(f"CREATE DATABASE {name}", database="postgres")
        return self.url(number, name)

    def words(self, *words):
        return [str(server.PROGRAMS / "freehold-sync-server"), "tenants", words[0], "--directory", self.directory, *map(str, words[1:])]

    def command(self, *words):
        """What it says. A refusal raises its text."""
        done = subprocess.run(self.words(*words), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return done.stdout

    def serve(self):
        made = server.Server(self.directory, self.keys, option="--directory")
        self.addCleanup(lambda: made.process.poll() is None and made.kill())
        return made

    def file(self, name, tenant, number=0, user="ann"):
        made = Carrier(str(self.folder / f"{name}.freehold"), self.servers[number].address, tokens.token(user, tenant=tenant))
        self.addCleanup(made.close)
        return made

    def settled(self, *files):
        """Exchanges until nothing is new: refusals of a tenant that moves end."""
        def once():
            try:
                stage.settle(*files)
            except OSError:
                return False
            return True
        stage.until(once, "the files are exchanged")

    def test_tenants_share_nothing(self):
        red, other, blue = self.file("r1", "red"), self.file("r2", "red", 1), self.file("b1", "blue")
        for number, file in enumerate((red, other, blue)):
            stage.pay(file, "a", 10 + number, f"e{number}")
        stage.settle(red, other, blue)
        stage.settle(red, other, blue)
        self.assertEqual(stage.problems(red, other), [])
        self.assertEqual(sorted(stage.shown(red)["Entry"]), ["e0", "e1"])
        self.assertEqual(sorted(stage.shown(blue)["Entry"]), ["e2"])
        for tenant in ("green", "", "RED", "red "):
            status, said = self.servers[0].failure("GET", "/v1/schema", token=tokens.token("ann", tenant=tenant))
            self.assertEqual((status, said["code"]), (403, "forbidden"), tenant)
        # A file of one tenant is another identity in the other: it is not refused, and gets nothing that is not the tenant's.
        red.token = tokens.token("ann", tenant="blue")
        red.hang_up()
        self.assertIn(red.ask("/v1/pull", red.database.sync_pull())[0], (200, 503))

    def test_tenants_come_and_go(self):
        url = self.empty(1, "late")
        with self.assertRaisesRegex(AssertionError, "init"):
            self.command("add", "late", "--database", url)
        server.prepare(url, self.classes)
        self.command("add", "late", "--database", url)
        token = tokens.token("ann", tenant="late")
        stage.until(lambda: self.servers[1].ask("GET", "/v1/schema", token=token)[0] == 200, "a new tenant is served")
        with self.assertRaisesRegex(AssertionError, "there is a tenant `late`"):
            self.command("add", "later", "--database", url)
        self.assertEqual([line.split("\t")[0] for line in self.command("list").splitlines()], ["blue", "late", "red"])
        self.command("remove", "late")
        stage.until(lambda: self.servers[1].ask("GET", "/v1/schema", token=token)[0] == 403, "a tenant that was removed is not served")
        with self.assertRaisesRegex(AssertionError, "there is no tenant `late`"):
            self.command("remove", "late")

    def test_a_tenant_moves_and_its_files_go_on(self):
        files = [self.file(f"r{number}", "red", number % 2) for number in range(3)]
        for number, file in enumerate(files):
            for entry in range(20):
                stage.pay(file, f"a{entry % 3}", entry, f"e{number}-{entry}")
        self.settled(*files)
        stage.pay(files[0], "a0", 7, "pending")
        self.assertEqual(self.command("move", "red", "--to", self.empty(1, "red")), "moved\n")
        stage.pay(files[1], "a1", 8, "after")
        self.settled(*files)
        self.assertEqual(stage.problems(*files), [])
        self.assertIn("pending", stage.shown(files[2])["Entry"])
        histories = [self.clusters[number].sql("SELECT history FROM freehold.state", database=name)
                     for number, name in ((0, "app"), (1, "red"))]
        self.assertEqual(*histories)  # the files were not reset
        sums = "SELECT count(*), sum(balance) FROM app.\"Account\""
        shown = stage.shown(files[0])["Account"].values()
        self.assertEqual(self.clusters[1].sql(sums, database="red"), [[str(len(shown)), str(sum(one[0] for one in shown))]])
        # Whoever still asks the old database is refused.
        with self.assertRaisesRegex(RuntimeError, "in another database"):
            server.Server(self.url(0), self.keys)
        # The old database has older data: nobody gets that.
        stage.pay(files[1], "a1", 1, "newer")
        self.settled(*files)
        with self.assertRaisesRegex(AssertionError, "not what it is now"):
            self.command("move", "red", "--to", self.url(0))
        self.command("stay", "red")
        self.settled(*files)
        # Numbers of transactions go on from the old ones also where the new cluster's are larger.
        self.command("move", "red", "--to", self.empty(0, "back"))
        stage.pay(files[2], "a2", 9, "back")
        self.settled(*files)
        self.assertEqual(stage.problems(*files), [])

    def test_a_move_that_is_killed_is_called_again(self):
        files = [self.file(f"r{number}", "red", number % 2) for number in range(2)]
        for round_ in range(8):
            stage.pay(files[0], "a", 1, f"before {round_}")
            target = self.empty(round_ % 2, f"r{round_}")
            going = subprocess.Popen(self.words("move", "red", "--to", target), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stage.pay(files[1], "a", 10, f"meanwhile {round_}")
            try:
                going.wait(0.02 * round_)
            except subprocess.TimeoutExpired:
                going.kill()
            going.wait(30)
            if f"red\t{target}\n" not in self.command("list"):
                self.command("move", "red", "--to", target)
            self.settled(*files)
            self.assertEqual(stage.problems(*files), [])

    def test_nobody_interferes_with_a_move(self):
        file, target = self.file("r", "red"), self.empty(1, "target")
        stage.pay(file, "a", 1, "e")
        self.settled(file)
        # The move waits for a transaction that has read the state.
        with self.clusters[0].session() as session:
            session.run("BEGIN; SELECT history FROM freehold.state;")
            going = subprocess.Popen(self.words("move", "red", "--to", target), stdout=subprocess.DEVNULL)
            stage.until(lambda: "on its way" in self.command("list"), "the move has begun")
            for words in (("stay", "red"), ("move", "red", "--to", target)):
                with self.assertRaisesRegex(AssertionError, "is being moved by another process"):
                    self.command(*words)
            self.assertIsNone(going.poll())
            session.run("COMMIT;")
        self.assertEqual(going.wait(30), 0)
        self.settled(file)
        self.assertEqual(sorted(stage.shown(file)["Entry"]), ["e"])

    def test_a_move_that_cannot_be_is_given_up(self):
        file = self.file("r", "red")
        stage.pay(file, "a", 1, "e")
        self.settled(file)
        other = self.empty(1, "other")
        server.prepare(other, self.classes)
        with self.assertRaisesRegex(AssertionError, "has data of Freehold that is not this tenant's"):
            self.command("move", "red", "--to", other)
        stage.pay(file, "a", 3, "g")
        self.settled(file)  # it was looked at first: nothing was closed
        locked = self.empty(1, "locked")
        self.clusters[1].sql("ALTER DATABASE locked SET default_transaction_read_only = on")
        with self.assertRaisesRegex(AssertionError, "read-only transaction"):
            self.command("move", "red", "--to", locked)
        token = tokens.token("ann", tenant="red")
        stage.until(lambda: self.servers[0].ask("GET", "/v1/schema", token=token)[0] == 503, "the tenant is on its way")
        with self.assertRaisesRegex(AssertionError, "on its way to"):
            self.command("move", "red", "--to", self.empty(1, "third"))
        self.command("stay", "red")
        stage.pay(file, "a", 2, "f")
        self.settled(file)
        with self.assertRaisesRegex(AssertionError, "the target is the database that the data is in"):
            self.command("move", "red", "--to", self.url(0) + "&connect_timeout=10")
        with self.assertRaisesRegex(AssertionError, "the tenant `blue` has this database"):
            self.command("move", "red", "--to", self.url(1))
        with self.assertRaisesRegex(AssertionError, "there is no tenant"):
            self.command("move", "green", "--to", self.empty(1, "fourth"))


class Dumps(unittest.TestCase):
    def test_a_dump_in_another_cluster_says_so_and_begins_a_new_history(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="sync-dump-"))
        folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        old, new = Cluster(folder / "old"), Cluster(folder / "new")
        for cluster in (old, new):
            self.addCleanup(cluster.stop)
        old.sql("".join("SELECT pg_current_xact_id();\n" for _ in range(3000)))
        classes, keys = folder / "classes.freehold", tokens.key_file(folder / "keys.json")
        freehold.open(str(classes), models=bank.MODELS).close()
        server.prepare(old.url, classes)
        first = server.Server(old.url, keys)
        files = [Carrier(str(folder / f"{name}.freehold"), first.address, tokens.token("ann")) for name in "ab"]
        for file in files:
            self.addCleanup(file.close)
        stage.pay(files[0], "a", 1, "e")
        stage.settle(*files)
        first.stop()
        dump = subprocess.run([program("pg_dump"), "-h", str(old.folder), "-U", "app", "app"], capture_output=True, text=True, check=True)
        new.sql(dump.stdout)
        stage.pay(files[1], "a", 2, "f")
        with self.assertRaisesRegex(RuntimeError, "init --restored"):
            server.Server(new.url, keys)
        server.prepare(new.url, restored=True)
        again = server.Server(new.url, keys, port=first.port)
        self.addCleanup(lambda: again.process.poll() is None and again.kill())
        stage.settle(*files)
        stage.pay(files[0], "a", 3, "g")
        stage.settle(*files)
        self.assertEqual(stage.problems(*files), [])
        self.assertEqual(sorted(stage.shown(files[0])["Entry"]), ["e", "f", "g"])


if __name__ == "__main__":
    unittest.main()
