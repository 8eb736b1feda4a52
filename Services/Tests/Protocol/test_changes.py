"""Edits, uploads and undo over HTTP, and what the file has afterwards."""

import json
import os
import shutil
import threading
import unittest

import freehold

import samples
from serving import ServerTest, check, other, parameters

CHANGE = """
import sys, freehold
with freehold.open(sys.argv[1]) as database, database.write() as transaction:
    exec(sys.argv[2])
"""


class ChangeTests(ServerTest):
    """A server with --write, and a file for each test."""

    def setUp(self):
        self.file = samples.make_kinds(self.path())
        self.server, self.page = self.start(self.file, write=True), self.tab()
        with freehold.open(self.file) as database, database.read() as snapshot:
            self.keys = {item.id: str(item.key) for item in snapshot.objects("Kinds")}

    def tearDown(self):
        self.assertServes()
        self.assertEqual(self.server.errors, "")
        self.assertIsNone(check(self.file))

    def edit(self, *operations, how="commit", **more):
        body = {"tab": self.page, "stamp": self.server.get("/api/files/1/schema")["stamp"], "operations": list(operations), **more}
        return self.server.request("POST", f"/api/files/1/edits/{how}", body)

    def done(self, *operations, **more):
        answer = self.edit(*operations, **more)
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def undo(self, outcome):
        return self.server.request("POST", "/api/files/1/edits/undo", {"tab": self.page, "undo": outcome["undo"]})

    def cells(self, key=None, name="Kinds"):
        asked = self.server.get("/api/files/1/object", **{"class": name, "key": key or self.keys[2]})
        columns = [
            each["name"]
            for each in next(each for each in self.server.get("/api/files/1/schema")["classes"] if each["name"] == name)["properties"]
        ]
        return dict(zip(columns, asked["cells"]))

    def set(self, property, value, was=None, key=None):
        return {"do": "set", "class": "Kinds", "key": key or self.keys[2], "property": property, "value": value, "was": was}

    def version(self):
        return self.server.get("/api/files/1/information")["version"]

    def test_changes_behind_what_a_cell_shows_are_conflicts(self):
        """What another program changed in a part that a cell does not show is not overwritten; what is unchanged is set."""
        other(CHANGE, self.file, "item = transaction.get('Kinds', 2); item.text = 'n' * 500; item.bytes_ = b'A' * 10000; "
              "item.numbers = [1, 2, 3, 4, 5]; item.nested = [[1], [2]]")
        shown = self.cells()
        other(CHANGE, self.file, "item = transaction.get('Kinds', 2); item.text = 'n' * 499 + 'm'; item.bytes_ = b'A' * 9999 + b'B'; "
              "item.numbers = [1, 2, 3, 4, 6]; item.nested = [[1], [3]]")
        values = {"text": {"text": "mine"}, "bytes_": {"text": "AAAA"}, "numbers": {"list": []}, "nested": {"list": []}}
        for name, value in values.items():
            with self.subTest(name):
                answer = self.edit(self.set(name, value, shown[name]))
                self.assertEqual((answer.status, answer.code), (409, "conflict"))
                self.done(self.set(name, value, self.cells()[name]))

    def test_a_deletion_of_what_has_changed_is_a_conflict(self):
        """An object that another program changed since its cells were shown is not deleted; with its present cells it is."""
        shown = self.cells()
        other(CHANGE, self.file, "transaction.get('Kinds', 2).whole = 77")
        deletion = {"do": "delete", "class": "Kinds", "key": self.keys[2]}
        answer = self.edit(deletion | {"was": shown})
        self.assertEqual((answer.status, [each["property"] for each in answer.json["conflicts"]]), (409, ["whole"]))
        self.done(deletion | {"was": self.cells()})

    def test_a_request_does_not_conflict_with_itself(self):
        """A link that becomes null as the request deletes its target can be set by the same request."""
        other(CHANGE, self.file, "transaction.get('Kinds', 2).link = transaction.get('Target', 1)")
        with freehold.open(self.file) as database, database.read() as snapshot:
            target = str(snapshot.get("Target", 1).key)
        shown = self.cells()["link"]
        self.done({"do": "delete", "class": "Target", "key": target}, self.set("link", {"primaryKey": "2"}, shown))
        self.assertTrue(self.cells()["link"]["link"]["label"].startswith("2"))

    def test_a_file_that_was_replaced_is_not_changed(self):
        """Once the path leads to another file, changes are refused, and opening it again shows the other one."""
        kept, copy = self.path(), self.path()
        shutil.copy(self.file, copy)
        os.link(self.file, kept)
        os.rename(copy, self.file)
        answer = self.edit(self.set("whole", {"text": "5"}, self.cells()["whole"]))
        self.assertEqual((answer.status, answer.code), (409, "conflict"))
        self.assertIn("another file", answer.json["error"]["message"])
        opened = self.server.post("/api/files", {"path": str(self.file)})
        self.assertNotIn("error", opened)
        self.assertNotEqual(opened["id"], "1")

    def test_set_values_of_all_types(self):
        """A value of each type is set from its text, shown as it was written, and set back by undo."""
        before = self.cells()
        values = {
            "whole": "-5", "small": "0.25", "real": "1e-3", "exact": "1.50", "text": "a\r\n\"é😀", "at": "2024-02-29T12:34:56.789Z",
            "unique": str(samples.IDENTIFIER), "mark": samples.OBJECT_ID
        }
        outcome = self.done(*(self.set(name, {"text": text}) for name, text in values.items()), self.set("flag", {"bool": False}),
                            self.set("link", {"primaryKey": "3"}), self.set("any", {"mixed": "int", "text": "5"}))
        self.assertEqual((outcome["objects"], outcome["properties"], outcome["undoable"]), (1, 11, True))
        cells = self.cells()
        self.assertEqual({name: cells[name] for name in values}, {**values, "real": "0.001"})
        self.assertEqual((cells["flag"], cells["link"]["link"]["label"], cells["any"]),
                         (False, "3 · target 3", {"mixed": "int", "value": "5"}))
        self.assertEqual(self.undo(outcome).status, 200)
        self.assertEqual(self.cells(), before)
        self.assertEqual(self.undo(outcome).status in (400, 404, 409), True)

    def test_preview_changes_nothing(self):
        """A preview tells what a commit would do, and commits nothing."""
        version = self.version()
        outcome = self.done({"do": "deleteAll", "class": "Kinds", "query": "id >= 100"}, self.set("whole", {"text": "1"}), how="preview")
        self.assertEqual((outcome["deleted"], outcome["objects"]), (len(samples.EVIL), 1))
        self.assertNotIn("version", outcome)
        self.assertEqual(self.version(), version)

    def test_conflicts(self):
        """What another program has changed meanwhile is a conflict, and nothing of the request is done."""
        other(CHANGE, self.file, "transaction.get('Kinds', 2).whole = 9")
        version = self.version()
        answer = self.edit(self.set("text", {"text": "x"}), self.set("whole", {"text": "1"}))
        self.assertEqual((answer.status, answer.code), (409, "conflict"))
        conflict = answer.json["conflicts"][0]
        self.assertEqual((conflict["operation"], conflict["property"], conflict["was"], conflict["now"]), (1, "whole", None, "9"))
        self.assertEqual((self.version(), self.cells()["text"]), (version, None))
        other(CHANGE, self.file, "transaction.get('Kinds', 2).delete()")
        answer = self.edit(self.set("text", {"text": "x"}))
        self.assertIn(answer.status, (404, 409))

    def test_schema_that_changed(self):
        """Edits composed for other classes are refused."""
        stamp = self.server.get("/api/files/1/schema")["stamp"]
        other(CHANGE, self.file, "transaction.rename_property('Kinds', 'text', 'words2')")
        answer = self.server.request("POST", "/api/files/1/edits/commit",
                                     {"tab": self.page, "stamp": stamp, "operations": [self.set("text", {"text": "x"})]})
        self.assertEqual((answer.status, answer.code), (409, "schemaChanged"))

    def test_undo_of_what_was_changed_since(self):
        """An undo that would put back what another program has changed since is refused."""
        outcome = self.done(self.set("whole", {"text": "1"}))
        other(CHANGE, self.file, "transaction.get('Kinds', 2).whole = 2")
        self.assertEqual(self.undo(outcome).status, 409)
        self.assertEqual(self.cells()["whole"], "2")

    def test_own_commits_are_marked(self):
        """The tab's own commit is told as its own; to another tab it is not."""
        events, watcher = self.server.events(self.page), self.tab()
        others = self.server.events(watcher)
        self.server.view(self.page, "Kinds")
        self.server.view(watcher, "Kinds")
        outcome = self.done(self.set("whole", {"text": "1"}))
        self.assertEqual(events.wait("commit", lambda event: event["version"] == outcome["version"])["own"], True)
        self.assertEqual(others.wait("commit", lambda event: event["version"] == outcome["version"])["own"], False)

    def test_added_objects_and_links_to_them(self):
        """Objects that one request adds can be linked to within it."""
        outcome = self.done({"do": "add", "class": "Target", "values": {"id": {"text": "77"}, "name": {"text": "new"}}, "name": "n"},
                            self.set("link", {"new": "n"}),
                            {"do": "insert", "class": "Kinds", "key": self.keys[2], "property": "links", "value": {"new": "n"}})
        self.assertEqual((outcome["inserted"], outcome["created"][0]["class"]), (1, "Target"))
        self.assertEqual(self.cells()["link"]["link"]["key"], outcome["created"][0]["key"])
        self.assertEqual(self.undo(outcome).status, 200)
        self.assertIsNone(self.cells()["link"])

    def test_collections(self):
        """Elements are inserted, replaced, moved and removed, in lists, sets, maps and nested ones."""
        here = {"class": "Kinds", "key": self.keys[1]}
        before = self.cells(self.keys[1])
        outcome = self.done({"do": "insert", **here, "property": "numbers", "at": 0, "value": {"text": "9"}},
                            {"do": "move", **here, "property": "numbers", "at": 0, "to": 5},
                            {"do": "remove", **here, "property": "numbers", "at": 0, "was": "1"},
                            {"do": "replace", **here, "property": "numbers", "at": 0, "value": {"text": "22"}, "was": "2"},
                            {"do": "insert", **here, "property": "words", "value": {"text": "c"}},
                            {"do": "replace", **here, "property": "counts", "at": "z", "value": {"text": "3"}},
                            {"do": "insert", **here, "property": "nested", "path": [1], "value": {"text": "8"}},
                            {"do": "insert", **here, "property": "byName", "path": ["p"], "at": 0, "value": {"text": "first"}})
        elements = lambda name, **more: [
            item["cell"] for item in self.server.get("/api/files/1/elements", **here, property=name, **more)["items"]
        ]
        self.assertEqual(elements("numbers"), ["22", "3", "4", "5", "9"])
        self.assertEqual(sorted(elements("words")), ["a", "b", "c"])
        self.assertEqual(elements("counts"), ["1", "2", "3"])
        self.assertEqual((elements("nested", path="[1]"), elements("byName", path='["p"]')), (["8"], ["first", "q", "r"]))
        self.assertEqual(self.undo(outcome).status, 200)
        self.assertEqual(self.cells(self.keys[1]), before)

    def test_mistakes_of_values(self):
        """Texts that are no values of the property are refused, with the operation, and nothing is done."""
        version = self.version()
        for name, value in (("whole", {"text": "x"}), ("whole", {"text": ""}), ("whole", {"text": "9223372036854775808"}), ("whole", {
                "bool": True
        }), ("flag", {"text": "maybe"}), ("exact", {"text": "1e"}), ("at", {"text": "yesterday"}), ("unique", {"text": "12"}), ("mark", {
                "text": "zz"
        }), ("link", {"primaryKey": "999"}), ("link", {"link": "999"}), ("link", {"text": "1"}), ("link", {"new": "nobody"}), ("numbers", {
                "text": "1"
        }), ("text", {"upload": "none"}), ("text", {"list": []}), ("id", {"null": True}), ("id", {"text": "1"}), ("nowhere", {"text": "1"
                                                                                                                              })):
            answer = self.edit(self.set("text", {"text": "before"}),
                               self.set(name, value, "2" if name == "id" else {"list": 0, "items": []} if name == "numbers" else None))
            self.assertIn(answer.status, (400, 404, 409), f"{name} {value} {answer}")
            self.assertTrue(answer.json["error"]["message"])
        self.assertEqual((self.version(), self.cells()["text"]), (version, None))

    def test_malformed_requests(self):
        """Operations that lack something or are none are refused with their number."""
        for operation in ({}, [], 3, None, "set", {"do": "drop"}, {"do": "set"}, {"do": 3}, {"do": "set", "class": "Kinds"},
                          self.set("whole",
                                   3), self.set("whole", {}), self.set("whole", {"text": 3}), self.set(
                                       "whole", {"text": "1", "null": True}), {**self.set("whole", {"text": "1"}), "more": 1},
                          {**self.set("whole", {"text": "1"}), "key": "x"}, {"do": "deleteAll", "class": "Kinds"}, {
                               "do": "deleteAll", "class": "Kinds", "query": "id =="
                           }, {"do": "deleteAll", "class": "Kinds", "query": "",
                               "keys": []}, {"do": "delete", "class": "Nothing", "key": "1"}):
            answer = self.edit(operation)
            self.assertIn(answer.status, (400, 404, 409), f"{operation} {answer}")
        for body in ({}, {"tab": self.page}, {"tab": self.page, "operations": []}, {"tab": self.page, "stamp": 3, "operations": []}, {
                "tab": self.page, "stamp": "x", "operations": {}
        }, []):
            for how in ("preview", "commit", "undo"):
                self.assertIn(self.server.request("POST", f"/api/files/1/edits/{how}", body).status, (400, 404, 409), body)
        operations = [{"do": "delete", "class": "Kinds", "key": "999999"}] * 20_001
        self.assertEqual(self.edit(*operations).status, 400)

    def test_deep_and_wide_values(self):
        """Values nested deeply or with many elements are refused or done."""
        deep = {"text": "1"}
        for _ in range(25):
            deep = {"list": [deep]}
        self.assertIn(self.edit(self.set("any", deep)).status, (200, 400, 409))
        self.assertIn(
            self.edit(self.set("numbers", {"list": [{"text": str(number)} for number in range(50_000)]}, {"list": 0, "items": []})).status,
            (200, 409))
        self.assertIn(
            self.edit({"do": "setAll", "class": "Kinds", "query": "", "property": "text", "value": {"text": "x" * 1_000_000}}).status,
            (200, 409))

    def test_uploads(self):
        """Uploaded bytes become values; what was not uploaded whole, or by another tab, does not."""
        data = bytes(range(256)) * 20_000
        upload = self.server.post("/api/files/1/uploads", data, tab=self.page)
        self.assertEqual(upload["bytes"], len(data))
        text = self.server.post("/api/files/1/uploads", "é😀".encode() * 100_000, tab=self.page)
        self.done(self.set("bytes_", {"upload": upload["upload"]}), self.set("text", {"upload": text["upload"]}))
        answer = self.server.request("GET",
                                     "/api/files/1/data?" + parameters(**{"class": "Kinds", "key": self.keys[2], "property": "bytes_"}))
        self.assertTrue(answer.body == data)
        self.assertEqual(self.cells()["text"]["bytes"], 600_000)
        wrong = self.server.post("/api/files/1/uploads", b"\xff\xfe", tab=self.page)
        self.assertIn(self.edit(self.set("text", {"upload": wrong["upload"]}, self.cells()["text"])).status, (400, 409))
        foreign = self.server.post("/api/files/1/uploads", b"text", tab=self.tab())
        self.assertEqual(self.server.post("/api/files/1/uploads", b"", tab=self.page)["bytes"], 0)
        self.assertTrue(foreign["upload"])
        # A client that leaves within its upload.
        with self.server.connect() as connection:
            connection.sendall(
                self.server.head("POST", f"/api/files/1/uploads?tab={self.page}", [(
                    "X-Freehold", "1"), ("Content-Type", "application/octet-stream"), ("Content-Length", 10**6)]) + b"\r\n" + b"x" * 1000)
        for _ in range(100):
            answer = self.server.request("POST", f"/api/files/1/uploads?tab={self.page}", b"x" * 1000)
            self.assertIn(answer.status, (200, 400, 413, 503))

    def test_edits_at_once(self):
        """Edits of many tabs at once each happen once, or are told that they conflict."""
        tabs, found, stamp = [self.tab() for _ in range(8)], [], self.server.get("/api/files/1/schema")["stamp"]

        def work(tab):
            from serving import Connection
            connection = Connection(self.server)
            for number in range(15):
                body = {
                    "tab": tab, "stamp": stamp,
                    "operations": [{"do": "add", "class": "Plain", "values": {"text": {"text": f"{tab} {number}"}}}]
                }
                found.append(connection.request("POST", "/api/files/1/edits/commit", body).status)
            connection.close()

        threads = [threading.Thread(target=work, args=(tab, )) for tab in tabs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(found), {200})
        classes = {each["name"]: each["count"] for each in self.server.get("/api/files/1/schema")["classes"]}
        self.assertEqual(classes["Plain"], len(samples.EVIL) + 120)

    def test_edits_while_another_program_writes(self):
        """While another program holds the writer lock, edits wait or are told so, and reads go on."""
        with freehold.open(self.file) as database, database.write() as transaction:
            transaction.get("Kinds", 3).whole = 5
            answers = []
            thread = threading.Thread(target=lambda: answers.append(self.edit(self.set("whole", {"text": "1"}))))
            # The request has a connection of its own.
            from serving import Connection
            connection = Connection(self.server)
            main, self.server.main = self.server.main, connection
            thread.start()
            reading = Connection(self.server)
            for _ in range(20):
                self.assertEqual(reading.request("GET", f"/api/files/1/object?class=Kinds&key={self.keys[2]}").status, 200)
            reading.close()
        thread.join()
        self.server.main = main
        connection.close()
        self.assertIn(answers[0].status, (200, 400, 409, 503), answers)


if __name__ == "__main__":
    unittest.main()
