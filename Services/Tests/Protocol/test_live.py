"""Commits of other processes, jobs, and files that go wrong while they are shown."""

import contextlib
import datetime
import http.client
import os
import shutil
import subprocess
import sys
import time
import unittest

import freehold

import samples
from serving import BINARY, LONG, ServerTest, other, parameters, wait_until

SET = """
import sys, freehold
with freehold.open(sys.argv[1]) as database:
    for number in range(int(sys.argv[2])):
        with database.write() as transaction:
            transaction.get("Row", int(sys.argv[3])).name = f"changed {number}"
"""
ADD = """
import sys, freehold
with freehold.open(sys.argv[1]) as database, database.write() as transaction:
    transaction.create("Row", id=int(sys.argv[2]), value=3, name="added")
"""
CHANGE = """
import sys, freehold
with freehold.open(sys.argv[1]) as database, database.write() as transaction:
    exec(sys.argv[2])
"""
GROW = """
import sys, freehold
with freehold.open(sys.argv[1]) as database:
    for number in range(int(sys.argv[2])):
        with database.write(durable=False) as transaction:
            for row in transaction.objects("Row"): row.name = f"{number} of a longer text than the one before"
"""


class LiveTests(ServerTest):
    """What a tab is told of commits."""

    def setUp(self):
        self.file = samples.make_rows(self.path(), 1000)
        self.server, self.page = self.start(self.file, write=True), self.tab()

    def tearDown(self):
        self.assertServes()
        self.assertEqual(self.server.errors, "")

    def shown(self, **values):
        self.server.post("/api/tab", {"tab": self.page, "visible": True, "paused": False, **values})

    def change(self, statement):
        return other(CHANGE, self.file, statement)[0]

    def test_commits_of_other_processes_arrive(self):
        """A commit arrives with its process, program and time, what it changed, and the counts of the views."""
        events = self.server.events(self.page)
        views = [self.server.view(self.page, "Row", query)["view"] for query in ("", "value == 3", "name == 'nobody'")]
        program, writer = self.start(self.file, write=True), self.tab()
        job = program.post("/api/files/1/import", b"id,value,name\n5000,3,added\n", **{"class": "Row", "format": "csv",
                                                                                       "tab": writer})["job"]
        self.assertTrue(job)
        event = events.wait("commit")
        self.assertEqual((event["file"], event["own"], event["schemaChanged"], event["omitted"]), ("1", False, False, 0))
        commit = event["commits"][-1]
        self.assertEqual((commit["process"], commit["program"], commit["version"]),
                         (program.process.pid, os.path.basename(BINARY)[:15], event["version"]))
        age = datetime.datetime.now(datetime.timezone.utc) - datetime.datetime.fromisoformat(commit["time"][:26] + "+00:00")
        self.assertLess(abs(age.total_seconds()), 60)
        self.assertEqual(event["classes"], [{"name": "Row", "count": 1001, "inserted": 1, "deleted": 0, "changed": 0}])
        told = {view["view"]: (view["count"], view["changed"]) for view in event["views"]}
        self.assertEqual(told, {views[0]: (1001, True), views[1]: (144, True), views[2]: (0, False)})
        rows = self.server.rows(self.page, views[0], 1000)
        self.assertEqual((rows["version"], rows["rows"][0]["cells"][2]), (event["version"], "added"))

    def test_events_arrive_soon(self):
        """A page is told within two tenths of a second after a commit, mostly; here within two seconds."""
        events = self.server.events(self.page)
        self.server.view(self.page, "Row")
        with freehold.open(self.file) as database:
            delays = []
            for number in range(5):
                with database.write() as transaction:
                    transaction.get("Row", 1).name = f"{number}"
                start = time.monotonic()
                events.wait("commit")
                delays.append(time.monotonic() - start)
                # The pace of events is ten a second.
                events.taken()
        self.assertLess(sorted(delays)[2], 2.0, delays)

    def test_changes_and_deletions_are_counted(self):
        """Changed, deleted and inserted objects are counted apart, by class."""
        events = self.server.events(self.page)
        view = self.server.view(self.page, "Row", "SORT(name)")["view"]
        self.change(
            "transaction.get('Row', 1).name = 'x'; transaction.get('Row', 2).delete(); transaction.create('Row', id=2000, value=0, name='')"
        )
        event = events.wait("commit")
        self.assertEqual(event["classes"], [{"name": "Row", "count": 1000, "inserted": 1, "deleted": 1, "changed": 1}])
        self.assertEqual(self.server.rows(self.page, view)["rows"][0]["cells"], ["2000", "0", ""])

    def test_many_commits_are_told_together(self):
        """A writer that commits all the time is told ten times a second at most, and nothing is left out."""
        events = self.server.events(self.page)
        self.server.view(self.page, "Row")
        first = self.server.get("/api/files/1/information")["version"]
        start = time.monotonic()
        other(SET, self.file, 300, 5)
        last = self.server.get("/api/files/1/information")["version"]
        events.wait("commit", lambda event: event["version"] == last)
        took = time.monotonic() - start
        told = [data for name, data in events.seen if name == "commit"]
        self.assertLessEqual(len(told), took * 10 + 2)
        self.assertEqual(sum(len(event["commits"]) + event["omitted"] for event in told), last - first)
        self.assertTrue(all(len(event["commits"]) <= 8 for event in told))
        self.assertEqual([event["version"] for event in told], sorted({event["version"] for event in told}))

    def test_all_tabs_are_told(self):
        """Each tab with a stream is told, and stands at the same version."""
        others = [self.tab() for _ in range(8)]
        streams = [self.server.events(tab) for tab in others]
        for tab in others:
            self.server.view(tab, "Row")
        other(ADD, self.file, 5000)
        self.assertEqual(len({stream.wait("commit")["version"] for stream in streams}), 1)

    def quiet(self, events, view, **values):
        """Nothing comes while the tab is hidden or paused, and one event when it continues."""
        self.shown(**values)
        other(SET, self.file, 30, 5)
        # Another tab has been told of the last of them, so this one would have been.
        self.assertEqual([name for name, _ in events.taken() if name == "commit"], [])
        if values.get("paused"):
            self.assertEqual(self.server.rows(self.page, view, 5)["rows"][0]["cells"][2], "row 5")
        self.shown()
        event = events.wait("commit")
        self.assertEqual(event["version"], self.server.get("/api/files/1/information")["version"])
        self.assertEqual(self.server.rows(self.page, view, 5)["rows"][0]["cells"][2], "changed 29")
        other(ADD, self.file, 6000)
        self.assertEqual(events.wait("commit")["version"], event["version"] + 1)
        self.assertEqual(len([1 for name, data in events.seen if name == "commit"]), 2)

    def watchful(self):
        stream, tab = None, self.tab()
        stream = self.server.events(tab)
        self.server.view(tab, "Row")
        return stream

    def test_hidden_tabs_are_not_told(self):
        """A hidden tab gets nothing, and one event when it is seen again."""
        events, witness = self.server.events(self.page), self.watchful()
        view = self.server.view(self.page, "Row")["view"]
        self.quiet(events, view, visible=False)
        witness.wait("commit")

    def test_paused_tabs_stay_where_they_are(self):
        """A paused tab gets nothing and shows its version, and gets one event when it continues."""
        events, witness = self.server.events(self.page), self.watchful()
        view = self.server.view(self.page, "Row")["view"]
        self.quiet(events, view, paused=True)
        witness.wait("commit")

    def test_hidden_tabs_hold_no_version(self):
        """A hidden tab does not make the file grow, however much others commit."""
        events = self.server.events(self.page)
        self.server.view(self.page, "Row", "value > 1 SORT(name)")
        self.shown(visible=False)
        self.grows()
        self.shown()
        events.wait("commit")

    def test_tabs_whose_stream_ended_hold_no_version(self):
        """A page that was closed does not make the file grow, however much others commit."""
        events = self.server.events(self.page)
        self.server.view(self.page, "Row", "value > 1 SORT(name)")
        events.close()
        # The server notices an ended connection when it writes to it: every ten seconds.
        wait_until(lambda: self.server.readers <= 2, "versions held", 40)
        self.grows()

    def test_tabs_without_a_stream_hold_no_version(self):
        """A tab that never had a stream does not make the file grow."""
        self.server.view(self.page, "Row", "value > 1 SORT(name)")
        self.grows()

    def test_seen_tabs_hold_only_the_newest_version(self):
        """A tab that is seen follows the commits, and holds no old version for long."""
        self.server.events(self.page)
        self.server.view(self.page, "Row", "value > 1 SORT(name)")
        self.grows()

    def test_paused_tabs_keep_a_parked_version(self):
        """A paused tab's version is parked, so it is given up when others need the space."""
        events = self.server.events(self.page)
        self.server.view(self.page, "Row")
        self.shown(paused=True)
        other(GROW, self.file, 5)
        for holder in self.server.get("/api/files/1/information")["holders"]:
            if holder["isBrowser"]:
                self.assertTrue(holder["parked"] or holder["readers"] <= 2, holder)
        self.shown()
        events.wait("commit")

    def grows(self):
        other(GROW, self.file, 20)
        before = self.file.stat().st_size
        other(GROW, self.file, 100)
        self.assertLess(self.file.stat().st_size, before * 1.5 + (256 << 10), f"before: {before}")

    # watched items

    def test_watched_items(self):
        """Watched objects, properties and queries are told at first, when they change, and when they are gone."""
        events = self.server.events(self.page)
        view = self.server.view(self.page, "Row")["view"]
        key = self.server.rows(self.page, view, 7)["rows"][0]["key"]
        self.shown(watch=[{"id": "o", "file": "1", "class": "Row", "key": key}, {
            "id": "p", "file": "1", "class": "Row", "key": key, "property": "name"
        }, {"id": "q", "file": "1", "class": "Row", "query": "value == 3"}])
        items = {item["id"]: item for item in events.wait("watch")["items"]}
        self.assertEqual((items["p"]["cell"], items["q"]["count"], items["o"]["cells"]), ("row 7", 143, ["7", "0", "row 7"]))
        other(SET, self.file, 1, 7)
        items = {item["id"]: item for item in events.wait("watch")["items"]}
        self.assertEqual(set(items), {"o", "p"})
        self.assertEqual(items["p"]["cell"], "changed 0")
        other(ADD, self.file, 5000)
        self.assertEqual([(item["id"], item["count"]) for item in events.wait("watch")["items"]], [("q", 144)])
        self.change("transaction.get('Row', 7).delete()")
        items = {item["id"]: item for item in events.wait("watch")["items"]}
        self.assertEqual((items["o"]["gone"], items["p"]["gone"]), (True, True))

    def test_watch_mistakes(self):
        """Watched items that lack something or name what is not there are refused or left out."""
        for item in ({}, {"id": "x"}, {"id": "x", "file": "9", "class": "Row",
                                       "key": "1"}, {"id": "x", "file": "1",
                                                     "class": "Row"}, {"id": "x", "file": "1", "class": "Row", "key": "x"}, 3, None):
            self.assertIn(self.server.request("POST", "/api/tab", {"tab": self.page, "watch": [item]}).status, (400, 404), item)
        self.server.events(self.page)
        self.shown(watch=[{"id": str(number), "file": "1", "class": "Nothing", "query": "id =="} for number in range(5000)])

    # the schema

    def test_dropped_class(self):
        """A view of a class that another program drops has an error; other views go on."""
        self.change("transaction.create_class('Other', name=str)\ntransaction.create('Other', name='x')")
        events = self.server.events(self.page)
        stamp = self.server.get("/api/files/1/schema")["stamp"]
        all_, query, kept = (self.server.view(self.page, name, text)["view"]
                             for name, text in (("Row", ""), ("Row", "value > 3"), ("Other", "")))
        self.change("transaction.drop_class('Row')")
        event = events.wait("commit")
        self.assertTrue(event["schemaChanged"])
        for view in (all_, query):
            answer = self.server.failure(f"/api/views/{view}/rows", tab=self.page)
            self.assertIn(answer.code, ("unknownClass", ), answer)
            self.server.request("GET", f"/api/views/{view}/position?tab={self.page}&key=1")
        self.assertEqual(self.server.rows(self.page, kept)["count"], 1)
        self.assertNotEqual(self.server.get("/api/files/1/schema")["stamp"], stamp)
        self.change("transaction.create('Other', name='y')")
        event = events.wait("commit")
        self.assertEqual({view["view"]: view["count"] for view in event["views"]}[kept], 2)

    def test_renamed_property(self):
        """A view whose query names a property that another program renames has an error; one of the whole class shows the new name."""
        events = self.server.events(self.page)
        whole, query, section = (self.server.view(self.page, "Row", text, part)["view"]
                                 for text, part in (("", None), ("name != 'x' SORT(name)", None), ("", "name")))
        self.change("transaction.rename_property('Row', 'name', 'title')")
        self.assertTrue(events.wait("commit")["schemaChanged"])
        self.assertEqual(self.server.rows(self.page, whole)["count"], 1000)
        for view in (query, section):
            answer = self.server.failure(f"/api/views/{view}/rows", tab=self.page)
            self.assertEqual((answer.status, answer.code), (400, "unknownProperty"))
        self.assertIn("title", self.server.view(self.page, "Row")["columns"])

    def test_property_of_another_type(self):
        """A property whose type changes, a class that is renamed, properties added and dropped, and a class that comes back."""
        events = self.server.events(self.page)
        views = [
            self.server.view(self.page, "Row", text)["view"]
            for text in ("", "value == 3", "GROUP(value) SELECT(@count)", "SORT(value DESC)")
        ]
        for statement in ("transaction.set_type('Row', 'value', str, lambda value: str(value))",
                          "transaction.add_property('Row', freehold.Property.declared('more', list[int]))",
                          "transaction.drop_property('Row', 'name')", "transaction.rename_class('Row', 'Line')",
                          "transaction.create_class('Row', id=int)", "transaction.drop_class('Row')", "transaction.drop_class('Line')"):
            with self.subTest(statement):
                self.change(statement)
                self.assertTrue(events.wait("commit")["schemaChanged"])
                for view in views:
                    answer = self.server.request("GET", f"/api/views/{view}/rows?tab={self.page}")
                    self.assertIn(answer.status, (200, 400, 404), answer)
                    self.assertIn(self.server.request("GET", f"/api/views/{view}/position?tab={self.page}&key=1").status, (200, 400, 404))
                self.assertServes()

    # streams

    def test_a_second_stream_replaces_the_first(self):
        """A tab that connects again gets its events on the new connection."""
        self.server.events(self.page)
        self.server.view(self.page, "Row")
        again = self.server.events(self.page)
        other(ADD, self.file, 5000)
        again.wait("commit")

    def test_files_are_told(self):
        """Tabs are told when files are opened and closed."""
        events = self.server.events(self.page)
        path = samples.make_rows(self.path(), 1)
        file = self.server.post("/api/files", {"path": str(path)})
        self.assertEqual(events.wait("files")["files"][-1], file)
        self.server.request("DELETE", f"/api/files/{file['id']}")
        self.assertEqual(len(events.wait("files")["files"]), 1)

    def test_end_is_told(self):
        """Tabs are told when the program ends, and it ends, though pages are open."""
        server = self.start(self.file)
        events = server.events(self.page)
        server.process.terminate()
        self.assertIn("reason", events.wait("end", seconds=10))
        server.process.wait(10)

    # jobs

    def test_check(self):
        """A check's result says that the file is clean, of its version."""
        events = self.server.events(self.page)
        done = events.job(self.server.post("/api/files/1/check", {"tab": self.page})["job"])
        self.assertEqual((done["kind"], done["state"], done["result"]["clean"], done["result"]["problems"]), ("check", "done", True, []))

    def test_salvage(self):
        """A salvage says what it would save, and leaves no file behind."""
        before = sorted(os.listdir(self.folder))
        events = self.server.events(self.page)
        done = events.job(self.server.post("/api/files/1/salvage", {"tab": self.page})["job"])
        self.assertEqual((done["state"], done["result"]["complete"]), ("done", True))
        self.assertEqual([(each["name"], each["objects"], each["lost"]) for each in done["result"]["classes"]], [("Row", 1000, 0)])
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_imports_in_all_formats(self):
        """Records in all formats are imported, and the tab is told of the job and of the commit."""
        events = self.server.events(self.page)
        for format, data in (("csv", "id,name\n1,a\n2,\"b\nc\"\n"), ("tsv", "id\tname\n1\ta\n2\tb\n"),
                             ("json", '[{"id":1,"name":"a"},{"id":2,"name":"é"}]'), ("jsonl", '{"id":1,"name":"a"}\n{"id":2}\n')):
            name = f"New{format}"
            job = self.server.post("/api/files/1/import", data.encode(),
                                   **{"class": name, "format": format, "primaryKey": "id", "tab": self.page})["job"]
            done = events.job(job)
            self.assertEqual((done["kind"], done["state"], done["result"]["records"]), ("import", "done", 2), done)
            classes = {each["name"]: each for each in self.server.get("/api/files/1/schema")["classes"]}
            self.assertEqual((classes[name]["count"], classes[name]["primaryKey"]), (2, ["id"]))

    def test_exports_can_be_imported(self):
        """What was exported in each format, imported into a new class, is exported alike."""
        events = self.server.events(self.page)
        for format in ("csv", "tsv", "json", "jsonl"):
            with self.subTest(format):
                path = f"/api/files/1/export?class=%s&query=SORT(id)&format={format}"
                before = self.server.request("GET", path % "Row").body
                job = self.server.post("/api/files/1/import", before,
                                       **{"class": f"Again{format}", "format": format, "primaryKey": "id", "tab": self.page})["job"]
                self.assertEqual(events.job(job)["state"], "done")
                self.assertEqual(self.server.request("GET", path % f"Again{format}").body, before)

    def test_import_mistakes_change_nothing(self):
        """Broken records fail the job with a message, and nothing of them is kept."""
        events = self.server.events(self.page)
        for format, data in (("json", b'[{"id":1},{"id":'), ("jsonl", b'{"id":1}\n{"id":\n'), ("csv", b'id,name\n1,"a\n'),
                             ("json", b"\xff\xfe"), ("json", b"[" * 100_000), ("csv", b"\0\0\0"), ("jsonl",
                                                                                                   b'{"id":1}\n{"id":"x"}\n{"id":[1]}\n')):
            job = self.server.post("/api/files/1/import", data,
                                   **{"class": "Broken", "format": format, "primaryKey": "id", "tab": self.page})["job"]
            done = events.job(job)
            if done["state"] == "failed":
                self.assertTrue(done["error"]["message"])
                self.assertNotIn("Broken", [each["name"] for each in self.server.get("/api/files/1/schema")["classes"]], data[:50])
            else:
                self.change("transaction.drop_class('Broken')") if "Broken" in [
                    each["name"] for each in self.server.get("/api/files/1/schema")["classes"]
                ] else None
        for values in ({"class": "X", "format": "xml"}, {"class": "", "format": "csv"}, ):
            answer = self.server.request("POST", "/api/files/1/import?" + parameters(tab=self.page, **values), b"id\n1\n")
            if answer.status == 200:
                self.assertEqual(events.job(answer.json["job"])["state"], "failed", values)
            else:
                self.assertEqual(answer.status, 400, answer)

    def test_jobs_while_others_write(self):
        """A check and a salvage of a file that others write to all the while find nothing wrong."""
        events = self.server.events(self.page)
        writer = subprocess.Popen([sys.executable, "-B", "-c", GROW, str(self.file), "100000"],
                                  stdin=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        try:
            for kind in ("check", "salvage") * 4:
                done = events.job(self.server.post(f"/api/files/1/{kind}", {"tab": self.page})["job"])
                self.assertEqual(done["state"], "done", done)
                self.assertTrue(done["result"].get("clean", done["result"].get("complete")), done)
        finally:
            writer.kill()
            writer.wait()


class TroubleTests(ServerTest):
    """Files that go wrong under the server."""

    def open(self, count=1000, **options):
        self.file = samples.make_rows(self.path(), count)
        self.server, self.page = self.start(self.file, **options), self.tab()
        events = self.server.events(self.page)
        self.view = self.server.view(self.page, "Row")["view"]
        return events

    def poke(self, file="1"):
        """Asks for everything; the statuses."""
        found = {}
        for what, values in (("schema", {}), ("sizes", {}), ("information", {}), ("picture", {}), ("models", {
                "language": "swift"
        }), ("object", {"class": "Row", "key": "1"}), ("find", {"class": "Row", "text": "row"}), ("values", {
                "class": "Row", "property": "name"
        }), ("profile", {"class": "Row", "query": "",
                         "property": "value"}), ("explain", {"class": "Row", "query": "value > 1", "run": 1}), ("export", {
                             "class": "Row", "query": "", "format": "csv"
                         }), ("data", {"class": "Row", "key": "1", "property": "name"})):
            with contextlib.suppress(Exception):
                found[what] = self.server.request("GET", f"/api/files/{file}/{what}?" + parameters(**values)).status
        for query in ("", "value == 3", "SORT(name)", "GROUP(value) SELECT(@count)"):
            answer = self.server.request("POST", f"/api/files/{file}/views", {"tab": self.page, "class": "Row", "query": query})
            found["view " + query] = answer.status
            if answer.status == 200:
                for start in (0, 500, 999):
                    found[f"rows {query} {start}"] = self.server.request(
                        "GET", f"/api/views/{answer.json['view']}/rows?tab={self.page}&from={start}").status
        self.assertServes()
        return found

    def test_deleted_file(self):
        """A file that is deleted under the server can still be read, or is an error; the server lives."""
        self.open()
        os.unlink(self.file)
        self.poke()
        os.unlink(str(self.file) + ".lock")
        self.poke()
        self.assertEqual(self.server.request("DELETE", "/api/files/1").status, 204)
        self.assertEqual(self.server.request("POST", "/api/files", {"path": str(self.file)}).status, 404)

    def test_replaced_file(self):
        """A file that another one takes the place of: the old one is shown, or an error; opened again, the new one."""
        self.open()
        another = samples.make_rows(self.path(), 5)
        os.replace(another, self.file)
        self.poke()
        other(ADD, self.file, 50)
        self.poke()
        self.server.request("DELETE", "/api/files/1")
        answer = self.server.request("POST", "/api/files", {"path": str(self.file)})
        if answer.status == 200:
            self.assertEqual(self.server.get(f"/api/files/{answer.json['id']}/schema")["classes"][0]["count"], 6)
        self.poke(answer.json.get("id", "1"))

    def test_deleted_by_the_library(self):
        """A file that the library is asked to delete is in use, and stays."""
        self.open()
        with self.assertRaises(freehold.FreeholdError):
            freehold.delete(self.file)
        self.assertEqual(self.poke()["rows  0"], 200)

    def test_truncated_file(self):
        """A file that is cut off does not end the server."""
        for size in (0, 1, 4096, 20_000):
            with self.subTest(size=size):
                self.open(20_000)
                os.truncate(self.file, size)
                self.poke()
                self.server.close()

    def test_damaged_file(self):
        """Overwritten bytes are errors that say so, never other values and never the end of the server."""
        damaged = 0
        for seed in range(max(12, int(60 * LONG))):
            with self.subTest(seed=seed):
                self.file = samples.make_rows(self.path(), 2000)
                size, chance = self.file.stat().st_size, __import__("random").Random(seed)
                with open(self.file, "r+b") as file:
                    for _ in range(3):
                        file.seek(chance.randrange(8192 if seed % 2 else 0, size))
                        file.write(chance.randbytes(chance.choice([1, 16, 4096])))
                self.page = self.tab()
                try:
                    self.server = self.start(self.file)
                except AssertionError:
                    # Refused from the start, in the words of the terminal.
                    continue
                events = self.server.events(self.page)
                damaged += any(status == 500 for status in self.poke().values())
                for kind in ("check", "salvage"):
                    answer = self.server.request("POST", f"/api/files/1/{kind}", {"tab": self.page})
                    self.assertIn(events.job(answer.json["job"], 60)["state"], ("done", "failed"))
                self.assertServes()
                self.server.close()
        self.assertGreater(damaged, 0)

    def test_damage_is_said(self):
        """Where a page of the file is damaged, the answer's code says so."""
        self.file = samples.make_rows(self.path(), 20_000)
        with open(self.file, "r+b") as file:
            size = self.file.stat().st_size
            for place in range(32 << 10, size, 16 << 10):
                file.seek(place)
                file.write(b"\xaa" * 512)
        self.page = self.tab()
        try:
            self.server = self.start(self.file)
        except AssertionError as refused:
            self.assertRegex(str(refused), "(?i)damage|corrupt")
            return
        view = self.server.request("POST", "/api/files/1/views",
                                   {"tab": self.page, "class": "Row", "query": "name CONTAINS '7' SORT(name)"})
        self.assertEqual(view.status, 500, view)
        self.assertRegex(view.json["error"]["code"] + view.json["error"]["message"], "(?i)damage|corrupt")
        # An export that meets the damage on its way ends without its end, so that it is not taken for whole.
        with self.assertRaises(http.client.IncompleteRead):
            answer = self.server.request("GET", "/api/files/1/export?class=Row&query=value+%3E+1+SORT(name)&format=csv")
            raise AssertionError(f"the export is said to be whole: {answer}")
        self.assertServes()

    def test_read_only_folder(self):
        """A file in a folder that cannot be written to is shown, with the reason why it cannot be changed."""
        folder = self.path("closed")
        folder.mkdir()
        path = samples.make_rows(folder / "a.freehold", 10)
        with contextlib.suppress(OSError):
            os.unlink(str(path) + ".lock")
        os.chmod(path, 0o444)
        os.chmod(folder, 0o555)
        self.addCleanup(os.chmod, folder, 0o755)
        # Root may write everywhere.
        user = None
        if os.geteuid() == 0:
            os.chmod(self.folder, 0o755)
            user = 65534
        self.server, self.page = self.start(path, write=True, user=user), self.tab()
        file = self.server.get("/api/state")["files"][0]
        self.assertEqual((file["writable"], "readOnlyBecause" in file), (False, True))
        self.view = self.server.view(self.page, "Row")["view"]
        self.assertEqual(self.server.rows(self.page, self.view)["rows"][3]["cells"], ["3", "3", "row 3"])
        self.poke()
        answer = self.server.request("POST", f"/api/files/1/import?class=New&format=csv&tab={self.page}", b"a\n1\n")
        self.assertEqual(answer.status, 403)
        self.assertEqual(sorted(os.listdir(folder)), [path.name])

    def test_encrypted_file(self):
        """An encrypted file needs its key; a wrong one is an error."""
        path, key = self.path(), freehold.generate_key()
        with freehold.open(path, key=key) as database, database.write() as transaction:
            transaction.create_class("Row", id=freehold.Property.declared("id", int, primary_key=True), value=int, name=str)
            transaction.create("Row", id=1, value=2, name="secret")
        with self.assertRaisesRegex(AssertionError, "encrypted"):
            self.start(path)
        for name, bytes_ in (("raw", key), ("hex", key.hex().encode() + b"\n"), ("wrong", freehold.generate_key())):
            keys = self.path(name)
            keys.write_bytes(bytes_)
            if name == "wrong":
                with self.assertRaises(AssertionError):
                    self.start(path, arguments=["--encryption-key-file", str(keys)])
                continue
            self.server, self.page = self.start(path, arguments=["--encryption-key-file", str(keys)]), self.tab()
            self.assertTrue(self.server.get("/api/state")["files"][0]["encrypted"])
            self.assertEqual(
                self.server.rows(self.page,
                                 self.server.view(self.page, "Row")["view"])["rows"][0]["cells"], ["1", "2", "secret"])
            events = self.server.events(self.page)
            self.assertEqual(events.job(self.server.post("/api/files/1/salvage", {"tab": self.page})["job"])["state"], "done")
            self.assertNotIn(key.hex(), self.server.printed + self.server.errors)
            self.server.close()

    def test_same_file_twice(self):
        """A file that is opened again, also by another path, is the same file."""
        self.open()
        link = self.path("link.freehold")
        os.symlink(self.file, link)
        self.assertEqual([
            self.server.post("/api/files", {"path": str(path)})["id"] for path in (self.file, link, self.file.parent / "." / self.file.name)
        ], ["1", "1", "1"])

    def test_writers_that_were_killed(self):
        """Writers that are killed in the middle of commits leave nothing wrong for the page."""
        events = self.open()
        for _ in range(5):
            writer = subprocess.Popen([sys.executable, "-B", "-c", GROW, str(self.file), "100000"],
                                      stdin=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
            events.wait("commit")
            events.wait("commit")
            writer.kill()
            writer.wait()
            self.assertEqual(self.server.rows(self.page, self.view)["count"], 1000)
        self.assertTrue(events.job(self.server.post("/api/files/1/check", {"tab": self.page})["job"])["result"]["clean"])

    @unittest.skipUnless(LONG, "ended connections are noticed after up to twenty seconds")
    def test_idle_end(self):
        """A server whose last page was closed ends after its time."""
        path = samples.make_rows(self.path(), 1)
        server, tab = self.start(path, arguments=["--idle-seconds", "1"]), self.tab()
        events = server.events(tab)
        self.assertServes(server)
        events.close()
        server.main.close()
        self.assertEqual(server.process.wait(60), 0)

    def test_unix_socket(self):
        """A Unix socket can be used by its owner only."""
        import re
        import socket
        from serving import read_answer
        path, place = samples.make_rows(self.path(), 1), self.path("socket")
        process = subprocess.Popen([BINARY, str(path), "--socket", str(place), "--idle-seconds", "0"],
                                   stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE,
                                   text=True,
                                   env=dict(os.environ, XDG_STATE_HOME=str(self.folder), HOME=str(self.folder)))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        token = next(found[1] for line in process.stdout if (found := re.search(r"#token=(\w+)", line)))
        self.assertEqual(os.stat(place).st_mode & 0o077, 0)

        def ask(data):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(20)
                connection.connect(str(place))
                connection.sendall(data)
                return read_answer(connection)

        body = b'{"token":"' + token.encode() + b'"}'
        head = b"Content-Type: application/json\r\nX-Freehold: 1\r\nContent-Length: %d\r\n\r\n" % len(body)
        self.assertEqual(ask(b"POST /api/login HTTP/1.1\r\nHost: evil.example:8080\r\n" + head + body).status, 421)
        answer = ask(b"POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n" + head + body)
        self.assertEqual(answer.status, 204)
        cookie = answer.header("set-cookie").split(";")[0].encode()
        self.assertEqual(ask(b"GET /api/state HTTP/1.1\r\nHost: localhost:8080\r\nCookie: " + cookie + b"\r\n\r\n").status, 200)
        self.assertEqual(ask(b"GET /api/state HTTP/1.1\r\nHost: localhost:99999\r\nCookie: " + cookie + b"\r\n\r\n").status, 421)
        self.assertEqual(ask(b"GET /api/state HTTP/1.1\r\nHost: localhost:1:2\r\nCookie: " + cookie + b"\r\n\r\n").status, 421)


if __name__ == "__main__":
    unittest.main()
