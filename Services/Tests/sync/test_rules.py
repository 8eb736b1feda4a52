"""Streams and rights: each user's file has what the rules give, and what may not be written is refused.

    FREEHOLD_SERVICES=.build/debug python3 -m unittest test_rules
"""

from __future__ import annotations

import json
import subprocess
import time
import unittest

import agent
import freehold
import server
import tokens
from stage import Background, Stage, failure, settle, until


@freehold.model(sync="update_wins")
class Project:
    id: str = freehold.field(primary_key=True)
    title: str = ""


@freehold.model(sync="deletion_wins")
class Task:
    id: str = freehold.field(primary_key=True)
    owner: str = ""
    team: str = ""
    title: str = ""
    price: float = 0.0
    watchers: set[str] = freehold.field(default_factory=set)
    stock: int = freehold.field(counter=True, default=0)
    project: Project | None = None
    parts: set[Part] = freehold.field(default_factory=set)


@freehold.model(sync="deletion_wins")
class Part:
    id: str = freehold.field(primary_key=True)


@freehold.model(sync="deletion_wins")
class Country:
    id: str = freehold.field(primary_key=True)


MODELS = [Project, Task, Part, Country]

RULES = """
-- What the tests begin with.
stream mine { Task where owner == $user or $user in watchers  follow project }
stream shared { Task where team == $claim.team }
stream all { Country }
rights {
    Task write where owner == $user
    Task create where owner == $user
    Task.price read-only where $claim.role != "admin"
    Country read-only where $claim.role != "admin"
}
"""


def shown(file):
    """The tasks, projects and countries of a file, and what tasks link to."""
    with file.database.read() as snapshot:
        tasks = {}
        for one in snapshot.objects(Task):
            tasks[one.id] = (one.owner, one.title, one.price, one.stock, one.project.id if one.project else None)
        return tasks, {one.id for one in snapshot.objects(Project)}, {one.id for one in snapshot.objects(Country)}


def change(file, key, **values):
    with file.database.write() as transaction:
        task = transaction.get(Task, key)
        for name, value in values.items():
            setattr(task, name, value)


class RuleTest(unittest.TestCase):
    def setUp(self):
        self.stage = Stage(models=MODELS)
        self.addCleanup(self.stage.close)
        self.set(RULES)

    def rules(self, *words):
        done = subprocess.run([server.PROGRAMS / "freehold-sync-server", "rules", *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def set(self, text):
        file = self.stage.folder / "rules.txt"
        file.write_text(text, encoding="utf-8")
        status, said = self.rules("set", str(file), "--database", self.stage.cluster.url)
        self.assertEqual(status, 0, said)
        return said

    def file(self, name, user, **claims):
        file = self.stage.file(name, user)
        file.token = tokens.token(user, **claims)
        return file

    def two(self):
        """Ann with a task and a project, and Ben with a task."""
        ann, ben = self.file("ann", "ann"), self.file("ben", "ben")
        settle(ann, ben)
        with ann.database.write() as transaction:
            transaction.add(Task("a1", "ann", title="Ann's", project=Project("p1", "secret")))
        with ben.database.write() as transaction:
            transaction.add(Task("b1", "ben", title="Ben's"))
        settle(ann, ben)
        return ann, ben


@freehold.model(sync="deletion_wins")
class Note:
    id: str = freehold.field(primary_key=True)
    text: str = ""


@freehold.model(name="Task", sync="deletion_wins")
class Retyped:
    id: str = freehold.field(primary_key=True)
    owner: str = ""
    team: str = ""
    title: str = ""
    price: str = ""
    watchers: set[str] = freehold.field(default_factory=set)
    stock: int = freehold.field(counter=True, default=0)
    project: Project | None = None
    parts: set[Part] = freehold.field(default_factory=set)


class RenewalTests(RuleTest):
    def taken(self):
        until(lambda: self.stage.cluster.sql("SELECT count(*) FROM freehold.foreign") == [["0"]], "other software's writes are taken over")

    def test_other_software_writes_while_views_are_made_anew(self):
        """A take-over that is under way does not give by old claims or rules what the new ones do not."""
        for kind in ("claims", "rules"):
            self.set(RULES)
            carl = self.file(f"carl-{kind}", f"carl-{kind}", team="red")
            settle(carl)
            self.stage.cluster.sql(f"""INSERT INTO app."Task" (id, team) VALUES ('{kind}', 'blue')""")
            self.taken()
            settle(carl)
            with self.stage.cluster.session() as session:
                # Stands for a server that is slow just here.
                session.run("BEGIN; SELECT object FROM freehold.\"row\" FOR UPDATE;")
                self.stage.cluster.sql(f"""UPDATE app."Task" SET team = 'red' WHERE id = '{kind}'""")
                waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                until(lambda: self.stage.cluster.sql(waits) != [["0"]], "the take-over waits")
                if kind == "claims":
                    carl.token = tokens.token(f"carl-{kind}")
                    renewing = Background(lambda: carl.ask("/v1/pull?wait=0", carl.database.sync_pull())[0])
                else:
                    renewing = Background(lambda: self.set("stream mine { Task where owner == $user }"))
                until(lambda: int(self.stage.cluster.sql(waits)[0][0]) > 1 or not renewing.is_alive(), "the renewal waits, or is done")
                session.run("COMMIT;")
            renewing.result()
            self.taken()
            settle(carl)
            self.assertEqual(shown(carl)[0], {}, kind)

    def test_very_many_links(self):
        """More objects than can be locked one by one begin to be seen, and cease to be."""
        ann, ben = self.file("hub-ann", "ann", role="admin"), self.file("hub-ben", "ben")
        self.set("stream mine { Task where owner == $user follow parts }\nstream b { Project }")
        settle(ann, ben)
        with ann.database.write() as transaction:
            hub = transaction.add(Task("hub", "ann", title="hub"))
            for place in range(7_000):
                hub.parts.add(transaction.add(Part(f"part-{place}")))
        settle(ann)
        with ann.database.write() as transaction:
            transaction.get(Task, "hub").owner = "ben"
        settle(ann, ben)
        seen = "SELECT count(*) FROM freehold.view WHERE sees"
        self.assertEqual(self.stage.cluster.sql(seen), [["7001"]])
        with ben.database.read() as snapshot:
            self.assertEqual(len(list(snapshot.objects(Part))), 7_000)
        self.stage.cluster.sql("""UPDATE app."Task" SET owner = 'nobody' WHERE id = 'hub'""")
        self.taken()
        settle(ben)
        self.assertEqual(shown(ben)[0], {})


class AdditionTests(RuleTest):
    def test_names_that_would_end_a_text_of_sql(self):
        self.stage.cluster.sql("ALTER DATABASE app SET check_function_bodies = off")
        self.stage.server.stop()
        self.stage.server.start()
        self.set(RULES + "classes { add }")
        text = "'; CREATE TABLE pwned(); SELECT '"
        for name in (text, "\u0600" + text + "\u0301", text.replace("'", '"'), "$$" + text, "\\" + text):
            one = {"name": name, "key": {"name": f"id {name}", "type": "string"}, "conflict": "deletionWins",
                   "properties": [{"name": f"p {name}", "kind": kind, "type": "string", "unique": False} for kind in ("plain",)]}
            status, _, body = self.add(json.dumps({"classes": [one]}).encode(), "dora")
            self.assertEqual((status, json.loads(body)), (200, {"added": [name]}))
        self.assertEqual(self.stage.cluster.sql("SELECT tablename FROM pg_tables WHERE tablename = 'pwned'"), [])
        ann = self.file("after", "ann")
        settle(ann)

    def add(self, file, user, **claims):
        """What a server says to the classes of a file."""
        return self.stage.ask("POST", "/v1/schema", file, token=tokens.token(user, **claims))

    def test_who_may_add_classes(self):
        self.set(RULES + 'classes { add where $claim.role == "developer" }')
        known = json.loads(self.stage.ask("GET", "/v1/schema")[2])
        note = {"name": "Note", "key": {"name": "id", "type": "string"}, "conflict": "deletionWins",
                "properties": [{"name": "text", "kind": "plain", "type": "string", "unique": False}]}
        more = json.dumps({"classes": [*known["classes"], note]}).encode()
        # Everyone may send what is there.
        self.assertEqual(self.add(json.dumps(known).encode(), "ann")[0], 200)
        for claims in ({}, {"role": "admin"}):
            self.assertEqual(failure(self.add(more, "ann", **claims)), "forbidden")
        self.assertEqual(len(json.loads(self.stage.ask("GET", "/v1/schema")[2])["classes"]), len(known["classes"]))
        status, _, body = self.add(more, "dora", role="developer")
        self.assertEqual((status, json.loads(body)), (200, {"added": ["Note"]}))
        self.assertEqual(json.loads(self.add(more, "ann")[2]), {"added": []})
        note["properties"].append({"name": "mark", "kind": "counter", "type": "int", "unique": False})
        more = json.dumps({"classes": [note]}).encode()
        self.assertEqual(json.loads(self.add(more, "dora", role="developer")[2]), {"added": ["Note.mark"]})
        note["properties"][0]["type"] = "int"
        status, _, body = self.add(json.dumps({"classes": [note]}).encode(), "dora", role="developer")
        self.assertEqual((status, json.loads(body)["code"]), (422, "otherClass"))
        self.assertIn('UPDATE app."Note" SET', json.loads(body)["what"])
        self.assertEqual(self.stage.cluster.sql("SELECT mark, text FROM app.\"Note\""), [])

    def test_texts_that_are_no_classes(self):
        key = {"name": "id", "type": "string"}
        name = lambda name, **more: {"name": name, "key": key, "conflict": "deletionWins", "properties": [], **more}
        one = lambda name, **more: {"name": name, "kind": "plain", "type": "string", "unique": False, **more}
        properties = lambda *all: {"classes": [name("X", properties=list(all))]}
        for text in [b"", b"x", b"[]", b"{}", b'{"classes": 1}', b"\xff" * 100, b'{"classes": [' * 5_000,
                     *(json.dumps(one).encode() for one in [
                         {"classes": [name("X"), name("X")]}, {"classes": [name("")]}, {"classes": [name("a\0b")]},
                         {"classes": [name("X", conflict="x")]}, {"classes": [name("X", key={"name": "id", "type": "double"})]},
                         {"classes": [name("X" * 1_001)]}, properties(one("id")), properties(one("a"), one("a")),
                         properties(one("a", kind="counter")), properties(one("a", kind="no")), properties(one("a", type="no")),
                         properties(one("a.b")), properties(one("a", kind="set", unique=True)),
                         properties(one("a"), one("a.", kind="set"))])]:
            answer = self.add(text, "dora", role="developer")
            self.assertEqual((answer[0], failure(answer)), (422, "malformed"), text[:80])
        many = [{"classes": [name(f"X{place}") for place in range(5_001)]}, properties(*(one(f"a{place}") for place in range(1_601)))]
        for text in many:
            self.assertEqual(failure(self.add(json.dumps(text).encode(), "dora", role="developer")), "tooLarge")
        self.assertEqual(self.add(json.dumps({"classes": [name("X")]}).encode(), "dora", role="developer")[0], 403)
        # A file may declare more classes than a request adds.
        self.set(RULES + "classes { add }")
        several = [json.dumps({"classes": [name(f"X{place}") for place in range(count)]}).encode() for count in (201, 150, 300)]
        self.assertEqual([self.add(text, "dora")[0] for text in several], [413, 200, 200])
        self.assertEqual(self.add(several[2], "dora")[2], b'{"added":[]}')

    def test_agents_offer_what_their_file_declares(self):
        """A class that the server has not had is there when its objects come; where that may not be, they are refused as before."""
        path, token = str(self.stage.folder / "note.freehold"), self.stage.folder / "token"
        token.write_text(tokens.token("dora", role="developer"), encoding="utf-8")
        with freehold.open(path, models=[Note]) as database, database.write() as transaction:
            transaction.add(Note("n1", "what it says"))
        status, said = agent.sync_once(path, self.stage.server.address, token)
        # It is not sent, as the server would refuse it.
        self.assertNotEqual(status, 0)
        self.assertRegex(said, "forbidden: the server does not have Note, and the user may not add classes")
        with freehold.open(path, models=[Note]) as database:
            self.assertEqual([issue.code for issue in database.sync.issues()], ["forbidden"])
            self.assertTrue(database.sync.state().pending)
        self.assertEqual(self.stage.cluster.sql("SELECT count(*) FROM freehold.class WHERE name = 'Note'"), [["0"]])
        self.set(RULES + 'classes { add where $claim.role == "developer" }')
        with freehold.open(path, models=[Note]) as database, database.write() as transaction:
            transaction.add(Note("n2", "what it says"))
        status, said = agent.sync_once(path, self.stage.server.address, token)
        self.assertEqual(status, 0, said)
        self.assertEqual(self.stage.cluster.sql("SELECT count(*) FROM freehold.class WHERE name = 'Note'"), [["1"]])
        self.set(RULES + "stream notes { Note }")
        with freehold.open(path, models=[Note]) as database, database.write() as transaction:
            transaction.add(Note("n3", "what it says"))
        status, said = agent.sync_once(path, self.stage.server.address, token)
        self.assertEqual(status, 0, said)
        # What came while no stream had the class was taken; now it is seen.
        found = self.stage.cluster.sql("SELECT id, text FROM app.\"Note\" ORDER BY id")
        self.assertEqual(found, [[key, "what it says"] for key in ("n1", "n2", "n3")])
        with freehold.open(path, models=[Note]) as database, database.read() as snapshot:
            self.assertEqual({one.id for one in snapshot.objects(Note)}, {"n1", "n2", "n3"})

    def test_a_type_that_has_changed(self):
        """A program that declares a property in another way sends nothing, and loses nothing; others go on."""
        path, token = str(self.stage.folder / "retyped.freehold"), self.stage.folder / "token"
        token.write_text(tokens.token("ann", role="admin"), encoding="utf-8")
        with freehold.open(path, models=MODELS) as database, database.write() as transaction:
            transaction.add(Task("t1", "ann", price=9.5))
        self.assertEqual(agent.sync_once(path, self.stage.server.address, token)[0], 0)
        change = lambda transaction, *_: transaction.set_type("Task", "price", str, str)
        models = [Project, Retyped, Part, Country]
        with freehold.open(path, models=models, version=1, migrate=change) as database, database.write() as transaction:
            transaction.add(Retyped("t2", "ann", price="cheap"))
        status, said = agent.sync_once(path, self.stage.server.address, token)
        self.assertNotEqual(status, 0)
        self.assertIn('UPDATE app."Task" SET "price2" = "price"::text', said)
        self.assertEqual(self.stage.cluster.sql("SELECT id, price FROM app.\"Task\""), [["t1", "9.5"]])

    def test_a_file_that_is_stopped(self):
        path, token = str(self.stage.folder / "stopped.freehold"), self.stage.folder / "token"
        token.write_text(tokens.token("ann"), encoding="utf-8")
        with freehold.open(path, models=MODELS) as database, database.write() as transaction:
            transaction.add(Task("t1", "ann"))
        self.assertEqual(agent.sync_once(path, self.stage.server.address, token)[0], 0)
        run = lambda *words: subprocess.run([server.PROGRAMS / "freehold-sync", path, *words], capture_output=True, text=True, check=False)
        self.assertEqual(run("--stop").returncode, 0)
        done = run("--once")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("sync of the file is suspended", done.stderr)
        self.assertEqual(agent.sync_once(path, self.stage.server.address, token)[0], 0)


class StreamTests(RuleTest):
    def test_each_user_has_only_what_is_the_users(self):
        ann, ben = self.two()
        self.assertEqual(shown(ann), ({"a1": ("ann", "Ann's", 0, 0, "p1")}, {"p1"}, set()))
        self.assertEqual(shown(ben), ({"b1": ("ben", "Ben's", 0, 0, None)}, set(), set()))
        late = self.file("late", "ann")
        settle(late)
        self.assertEqual(shown(late), shown(ann))

    def test_what_is_given_comes_and_what_is_withdrawn_disappears(self):
        ann, ben = self.two()
        change(ann, "a1", watchers={"ben", "cy"})
        settle(ann, ben)
        self.assertEqual(shown(ben)[:2], ({"a1": ("ann", "Ann's", 0, 0, "p1"), "b1": ("ben", "Ben's", 0, 0, None)}, {"p1"}))
        cy = self.file("cy", "cy")
        settle(cy)
        self.assertEqual(set(shown(cy)[0]), {"a1"})
        change(ann, "a1", watchers={"cy"})
        settle(ann, ben, cy)
        self.assertEqual(shown(ben)[:2], ({"b1": ("ben", "Ben's", 0, 0, None)}, set()))
        self.assertEqual(set(shown(cy)[0]), {"a1"})
        change(ann, "a1", owner="ben")
        settle(ann, ben)
        self.assertEqual((set(shown(ann)[0]), set(shown(ben)[0])), (set(), {"a1", "b1"}))

    def test_a_token_with_other_claims_changes_what_is_seen(self):
        ann, ben = self.two()
        change(ann, "a1", team="red")
        now = int(time.time())
        settle(ann, ben)
        self.assertEqual(set(shown(ben)[0]), {"b1"})
        for team, seen in [("red", {"a1", "b1"}), ("blue", {"b1"}), (["red"], {"b1"}), ("red", {"a1", "b1"}), (None, {"b1"}), (7, {"b1"})]:
            ben.token = tokens.token("ben", team=team)
            settle(ben)
            self.assertEqual(set(shown(ben)[0]), seen, team)
        # By `shared` nothing is followed.
        ben.token = tokens.token("ben", team="red", iat=now)
        settle(ben)
        self.assertEqual(shown(ben)[1], set())
        # An earlier token takes back nothing that a later one has said.
        ben.token = tokens.token("ben", team="blue", iat=now + 5)
        settle(ben)
        self.assertEqual(set(shown(ben)[0]), {"b1"})
        ben.token = tokens.token("ben", team="red", iat=now)
        settle(ben)
        self.assertEqual(set(shown(ben)[0]), {"b1"})
        # Also where the later one has the same claims as the one before.
        for team, issued in [("blue", now + 20), ("red", now + 10)]:
            ben.token = tokens.token("ben", team=team, iat=issued)
            settle(ben)
            self.assertEqual(set(shown(ben)[0]), {"b1"}, (team, issued - now))
        # Of two tokens of one second, one counts.
        for team in ["red", "blue", "red"]:
            ben.token = tokens.token("ben", team=team, iat=now + 20)
            settle(ben)
            self.assertEqual(set(shown(ben)[0]), {"a1", "b1"}, team)

    def test_other_rules_change_what_is_seen_while_the_server_runs(self):
        ann, ben = self.two()
        self.set("stream all { Task where title != 'none'; Project }")
        settle(ann, ben)
        self.assertEqual(shown(ann), shown(ben))
        self.assertEqual(set(shown(ann)[0]), {"a1", "b1"})
        self.set("stream all { Task where owner == 'ben' }")
        settle(ann, ben)
        self.assertEqual([set(part) for part in shown(ann)], [{"b1"}, set(), set()])
        self.assertEqual(shown(ann), shown(ben))
        status, said = self.rules("remove", "--database", self.stage.cluster.url)
        self.assertEqual(status, 0, said)
        settle(ann, ben)
        self.assertEqual((set(shown(ann)[0]), shown(ann)), ({"a1", "b1"}, shown(ben)))

    def test_a_pull_that_waits_is_woken_by_other_rules(self):
        _, ben = self.two()
        waiting = Background(lambda: self.stage.ask("POST", "/v1/pull?wait=30", ben.database.sync_pull(), ben.token))
        self.set("stream all { Task; Project }")
        status, _, body = waiting.result()
        self.assertEqual(status, 200)
        ben.database.sync_apply(body)
        self.assertEqual(set(shown(ben)[0]), {"a1", "b1"})


class RightTests(RuleTest):
    def losses(self, file):
        return sorted((loss.class_name, loss.primary_key, loss.property, loss.reason) for loss in file.losses)

    def test_what_may_not_be_written_comes_back_as_a_loss(self):
        ann, ben = self.two()
        change(ann, "a1", watchers={"ben"})
        settle(ann, ben)
        change(ben, "a1", title="Ben's now", owner="ben", watchers={"ben", "eve"})
        with ben.database.write() as transaction:
            transaction.increment(transaction.get(Task, "a1"), "stock", 5)
        settle(ann, ben)
        self.assertEqual(shown(ben)[0]["a1"], ("ann", "Ann's", 0, 0, "p1"))
        self.assertEqual({(loss[1], loss[2]) for loss in self.losses(ben)},
                         {("a1", name) for name in ("title", "owner", "watchers", "stock")}, self.losses(ben))
        change(ann, "a1", price=5.0, title="mine")
        settle(ann, ben)
        self.assertEqual(shown(ann)[0]["a1"], ("ann", "mine", 0, 0, "p1"))
        self.assertEqual([loss[:3] for loss in self.losses(ann)], [("Task", "a1", "price")])
        ann.token = tokens.token("ann", role="admin")
        change(ann, "a1", price=6.0)
        settle(ann, ben)
        self.assertEqual(shown(ben)[0]["a1"], ("ann", "mine", 6, 0, "p1"))

    def test_creations_and_deletions(self):
        ann, ben = self.two()
        change(ann, "a1", watchers={"ben"})
        settle(ann, ben)
        with ben.database.write() as transaction:
            transaction.delete(transaction.get(Task, "a1"))
            transaction.add(Task("b2", "ann", title="for Ann"))
            transaction.add(Country("is"))
        settle(ann, ben)
        self.assertEqual(shown(ben)[0]["a1"], ("ann", "Ann's", 0, 0, "p1"))
        self.assertEqual((set(shown(ben)[0]), set(shown(ann)[0]), shown(ben)[2]), ({"a1", "b1"}, {"a1"}, set()))
        ben.token = tokens.token("ben", role="admin")
        with ben.database.write() as transaction:
            transaction.add(Country("no"))
            transaction.delete(transaction.get(Task, "b1"))
        settle(ann, ben)
        self.assertEqual((shown(ann)[2], set(shown(ben)[0])), ({"no"}, {"a1"}))

    def test_forged_batches_show_and_change_nothing_of_others(self):
        ann, _ = self.two()
        eve = self.file("eve", "eve")
        settle(eve)
        with eve.database.write() as transaction:
            transaction.add(Task("a1", "eve", title="taken"))
            transaction.add(Project("p1", "taken"))
            transaction.add(Task("e1", "eve", project=transaction.get(Project, "p1")))
        settle(eve, ann)
        self.assertEqual(shown(ann), ({"a1": ("ann", "Ann's", 0, 0, "p1")}, {"p1"}, set()))
        self.assertEqual(shown(eve), ({"e1": ("eve", "", 0, 0, None)}, set(), set()))
        with ann.database.read() as snapshot:
            self.assertEqual(snapshot.get(Project, "p1").title, "secret")
        status, _, body = self.stage.ask("POST", "/v1/pull", self.file("eve-2", "eve").database.sync_pull(), tokens.token("eve"))
        self.assertEqual((status, b"secret" in body, b"Ann's" in body), (200, False, False))


class ProgramTests(RuleTest):
    def test_rules_are_checked_shown_and_kept_as_they_were_if_they_are_wrong(self):
        classes, file = str(self.stage.folder / "classes.freehold"), self.stage.folder / "other.txt"
        place = ["--database", self.stage.cluster.url]
        file.write_text("stream a { Task where ownr == $user }", encoding="utf-8")
        for words in (["check", str(file), "--classes", classes], ["check", str(file), *place], ["set", str(file), *place]):
            status, said = self.rules(*words)
            self.assertNotEqual(status, 0)
            self.assertIn("rules, line 1, column 23: property 'ownr' not found in Task; did you mean 'owner'?", said)
        self.assertEqual(self.rules("show", *place), (0, f"-- number 1\n{RULES}"))
        file.write_text("stream a { Task }", encoding="utf-8")
        status, said = self.rules("check", str(file), "--classes", classes)
        self.assertEqual(status, 0)
        self.assertIn("no stream names", said)
        self.assertIn("nothing new, these are rules 1", self.set(RULES))
        self.assertIn("set as rules 2", self.set("stream a { Task }"))
        for text in ("", "-- nothing\n", "rights { Task read-only }"):
            file.write_text(text, encoding="utf-8")
            status, said = self.rules("set", str(file), *place)
            self.assertNotEqual(status, 0)
            self.assertIn("the rules have no stream, so nobody would see anything", said)
        self.assertEqual(self.rules("show", *place), (0, "-- number 2\nstream a { Task }\n"))
        self.assertNotEqual(self.rules("check", str(self.stage.folder / "none.txt"), *place)[0], 0)
        second = server.Server(self.stage.cluster.url, self.stage.keys, "--rules", self.stage.folder / "rules.txt")
        self.assertEqual(second.stop(), 0)


if __name__ == "__main__":
    unittest.main()
