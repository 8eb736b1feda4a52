"""What the server answers about a file: classes, cells, objects, values, exports."""

import base64
import csv
import io
import json
import unittest

import freehold

import samples
from serving import ServerTest, parameters, shown, wait_until

NOTHING = {"list": 0, "items": []}


class KindsTests(ServerTest):
    """A file with every kind of property."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = samples.make_kinds(cls.folder / "kinds.freehold")
        cls.server = cls.shared(cls.file)
        with freehold.open(cls.file, samples.MODELS) as database, database.read() as snapshot:
            cls.keys = {item.id: str(item.key) for item in snapshot.objects(samples.Kinds)}
        cls.grid = {}
        view = cls.server.view("g" * 20, "Kinds", "SORT(id)")
        cls.columns = view["columns"]
        for row in cls.server.rows("g" * 20, view["view"], 0, 500)["rows"]:
            cls.grid[int(row["cells"][0])] = dict(zip(cls.columns, row["cells"]))

    def ask(self, what, **values):
        return self.server.get(f"/api/files/1/{what}", **values)

    def refused(self, what, **values):
        return self.server.failure(f"/api/files/1/{what}", **values)

    def elements(self, property, **more):
        return self.ask("elements", **{"class": "Kinds", "key": self.keys[1], "property": property, **more})

    # the schema

    def test_schema_names_every_property_with_its_type(self):
        """The schema tells of each class its properties, their types, collections, targets and rules."""
        schema = self.ask("schema")
        classes = {each["name"]: each for each in schema["classes"]}
        self.assertEqual(set(classes), {"Address", "Target", "Plain", "Kinds"})
        self.assertEqual([classes[name]["count"] for name in ("Address", "Target", "Plain", "Kinds")],
                         [3, 5, len(samples.EVIL), len(self.keys)])
        self.assertEqual([classes[name]["embedded"] for name in ("Address", "Target", "Plain", "Kinds")], [True, False, False, False])
        self.assertEqual([classes[name]["primaryKey"] for name in ("Address", "Target", "Plain", "Kinds")], [[], ["id"], [], ["id"]])
        kinds = {each["name"]: each for each in classes["Kinds"]["properties"]}
        types = {
            "id": "int", "whole": "int", "flag": "bool", "small": "float", "real": "double", "exact": "decimal", "text": "string",
            "bytes_": "data", "at": "date", "unique": "uuid", "mark": "objectId", "link": "link", "home": "link", "any": "mixed",
            "nested": "int", "byName": "string", "anything": "mixed"
        }
        for name, type in types.items():
            self.assertEqual(kinds[name]["type"], type, name)
        self.assertEqual([kinds[name]["collections"] for name in ("id", "numbers", "words", "counts", "nested", "byName")],
                         [[], ["list"], ["set"], ["map"], ["list", "list"], ["map", "list"]])
        self.assertEqual((kinds["link"]["target"], kinds["link"]["deleteRule"], kinds["id"]["target"]), ("Target", "nullify", None))
        self.assertEqual((kinds["whole"]["nullable"], kinds["id"]["nullable"]), (True, False))
        self.assertIn({"class": "Kinds", "property": "links"}, classes["Target"]["backlinks"])
        self.assertTrue(next(each for each in classes["Target"]["properties"] if each["name"] == "name")["indexed"])
        self.assertEqual(schema["schemaVersion"], None)

    def test_stamp_is_of_the_classes(self):
        """The stamp stays the same while the classes do."""
        self.assertEqual(self.ask("schema")["stamp"], self.ask("schema")["stamp"])

    def test_sizes_are_those_of_the_binding(self):
        """The sizes name all classes and their properties."""
        sizes = self.ask("sizes")
        self.assertEqual({each["name"] for each in sizes["classes"]}, {"Address", "Target", "Plain", "Kinds"})
        self.assertTrue(all(each["bytes"] > 0 and each["properties"] for each in sizes["classes"]), sizes)

    # cells

    def test_cells_of_values(self):
        """Each type has the cell that the interface says, with nothing rounded."""
        cells = self.grid[1]
        expected = {
            "id": "1", "whole": "-9223372036854775808", "flag": True, "small": "0.5", "real": "0.1",
            "exact": "12345678901234567890.123456789", "text": "text", "bytes_": {"data": 40, "start": bytes(
                range(16)).hex()}, "at": "2024-02-29T12:34:56.789012Z", "unique": str(samples.IDENTIFIER), "mark": samples.OBJECT_ID,
        }
        for name, cell in expected.items():
            self.assertEqual(shown(cells[name]), cell, name)
        self.assertEqual(cells["link"]["link"]["class"], "Target")
        self.assertEqual(cells["link"]["link"]["label"], "1 · target 1")
        self.assertEqual(cells["home"]["embedded"]["class"], "Address")
        self.assertEqual(cells["home"]["embedded"]["label"], "Main Street")

    def test_null_and_empty_differ(self):
        """Null is null; zero, false, the empty text, data and collection are values."""
        for name, cell in self.grid[2].items():
            if name in ("numbers", "links", "homes", "maybe", "nested", "anything"):
                self.assertEqual(cell, NOTHING, name)
            elif name != "id" and name not in ("words", "counts", "byName"):
                self.assertIsNone(cell, name)
        self.assertEqual((self.grid[2]["words"], self.grid[2]["counts"]), ({"set": 0, "items": []}, {"map": 0, "items": []}))
        expected = {
            "whole": "0", "flag": False, "small": "0.0", "real": "0.0", "exact": "0", "text": "", "bytes_": {"data": 0, "start": ""},
            "at": "1970-01-01T00:00:00Z", "any": {"mixed": "string", "value": ""}
        }
        for name, cell in expected.items():
            self.assertEqual(self.grid[3][name], cell, name)

    def test_cells_of_collections_show_three_elements(self):
        """Lists, sets and maps tell their count and first three elements."""
        cells = self.grid[1]
        self.assertTrue(cells["numbers"]["digest"])
        self.assertEqual(shown(cells["numbers"]), {"list": 5, "items": ["1", "2", "3"]})
        self.assertEqual(cells["words"]["set"], 2)
        self.assertEqual(sorted(cells["words"]["items"]), ["a", "b"])
        self.assertEqual(cells["counts"], {"map": 2, "items": [["x", "1"], ["y", "2"]]})
        self.assertEqual(cells["maybe"], {"list": 3, "items": ["a", None, ""]})
        self.assertEqual([item["link"]["label"] for item in cells["links"]["items"]], ["1 · target 1", "2 · target 2", "3 · target 3"])
        self.assertEqual([item["embedded"]["label"] for item in cells["homes"]["items"]], ["One", "Two"])
        self.assertEqual((cells["nested"]["list"], cells["byName"]["map"], cells["anything"]["list"]), (3, 2, 8))

    def test_cells_of_mixed_values(self):
        """A mixed value has its type beside it."""
        cells = [self.grid[key]["any"] for key in range(10, 23)]
        self.assertEqual(cells[:9], [
            None, {"mixed": "bool", "value": True}, {"mixed": "int", "value": str(2**62)}, {"mixed": "double", "value": "1.5"}, {
                "mixed": "string", "value": "text"
            }, {"mixed": "data", "value": {"data": 2, "start": "00ff"}}, {"mixed": "date", "value": "2024-02-29T12:34:56.789012Z"},
            {"mixed": "uuid", "value": str(samples.IDENTIFIER)}, {"mixed": "decimal", "value": "1.50"}
        ])
        self.assertEqual(cells[9]["link"]["class"], "Target")
        self.assertEqual((cells[10]["list"], cells[11]["map"]), (3, 1))
        self.assertEqual(shown(cells[12]), {"mixed": "string", "value": {"text": "x" * 200, "bytes": 300}})

    def test_items_of_mixed_collections_have_their_types(self):
        """In the grid too, 1 and "1" in a list of mixed values can be told apart."""
        self.assertEqual(self.grid[1]["anything"]["items"], [{"mixed": "int", "value": "1"}, {"mixed": "string", "value": "two"}, None])

    def test_texts_arrive_as_they_are(self):
        """Texts that mean something to pages, headers, events or databases are passed on unchanged."""
        for key, text in enumerate(samples.EVIL, 100):
            self.assertEqual(self.grid[key]["text"].encode(), text.encode())
            self.assertEqual(self.grid[key]["words"]["items"][0].encode(), text.encode())

    # one object

    def test_object_has_all_cells_and_backlinks(self):
        """An object's answer has its cells, its label and who links to it."""
        asked = self.ask("object", **{"class": "Kinds", "key": self.keys[1]})
        self.assertEqual(dict(zip(self.columns, asked["cells"])), self.grid[1])
        self.assertEqual((asked["class"], asked["key"], asked["backlinks"]), ("Kinds", self.keys[1], []))
        target = self.grid[1]["link"]["link"]
        asked = self.ask("object", **{"class": "Target", "key": target["key"]})
        self.assertEqual(asked["cells"], ["1", "target 1"])
        self.assertEqual({each["property"]: each["count"]
                          for each in asked["backlinks"] if each["property"] in ("link", "links")}, {"link": 1, "links": 1})

    def test_objects_that_are_gone_are_404(self):
        """Keys that lead nowhere, and texts that are no keys, are refused."""
        for key, status in (("999999", 404), ("-1", 404), ("9223372036854775807", 404), ("9223372036854775808", 400), ("", 400), ("1x",
                                                                                                                                  400)):
            for what in ("object", "elements", "backlinks", "text", "data"):
                answer = self.refused(what, **{"class": "Kinds", "key": key, "property": "text", "fromClass": "Kinds"})
                self.assertEqual(answer.status, status, f"{what} {key!r} {answer}")
        self.assertEqual(self.refused("object", **{"class": "Nothing", "key": "0"}).status, 404)
        self.assertEqual(self.refused("object", **{"class": "kinds", "key": "0"}).status, 404)

    def test_elements_of_collections(self):
        """A collection's elements are given from any position on, and never more than there are."""
        self.assertEqual([item["cell"] for item in self.elements("numbers")["items"]], ["1", "2", "3", "4", "5"])
        some = self.elements("numbers", **{"from": 3, "count": 1})
        self.assertEqual((some["from"], some["count"], some["items"]), (3, 5, [{"cell": "4"}]))
        self.assertEqual(self.elements("numbers", **{"from": 99})["items"], [])
        self.assertEqual(self.elements("numbers", **{"from": 2**63 - 1, "count": 2**63 - 1})["items"], [])
        self.assertEqual(self.elements("counts")["items"], [{"name": "x", "cell": "1"}, {"name": "y", "cell": "2"}])
        self.assertEqual([self.elements(name)["kind"] for name in ("numbers", "words", "counts")], ["list", "set", "map"])
        self.assertEqual([item["cell"] for item in self.elements("maybe")["items"]], ["a", None, ""])
        mixed = [item["cell"] for item in self.elements("anything")["items"]]
        self.assertEqual(mixed[:5], [{"mixed": "int", "value": "1"}, {"mixed": "string", "value": "two"}, None,
                                     {"mixed": "bool", "value": True}, {"mixed": "double", "value": "2.5"}])

    def test_elements_of_nested_collections(self):
        """A path of positions and map keys leads to an inner collection, also in mixed values."""
        self.assertEqual([item["cell"]["list"] for item in self.elements("nested")["items"]], [2, 0, 1])
        self.assertEqual([item["cell"] for item in self.elements("nested", path="[0]")["items"]], ["1", "2"])
        self.assertEqual([item["name"] for item in self.elements("byName")["items"]], ["", "p"])
        self.assertEqual([item["cell"] for item in self.elements("byName", path='["p"]')["items"]], ["q", "r"])
        self.assertEqual(self.elements("byName", path='[""]')["items"], [])
        self.assertEqual(self.elements("anything", path="[6,1]")["items"], [{"cell": {"mixed": "int", "value": "2"}}])
        for path in ("[9]", "[-1]", '["q"]', "[0,0]", "[0", "{}", "[null]", "[1e9]", "[9223372036854775808]", "[" * 100):
            answer = self.refused("elements", **{"class": "Kinds", "key": self.keys[1], "property": "nested", "path": path})
            self.assertIn(answer.status, (400, 404), f"{path}: {answer}")

    def test_elements_of_what_has_none(self):
        """Properties that are no collections, and those that do not exist, are refused."""
        for name in ("text", "link", "nowhere", ""):
            self.assertEqual(self.refused("elements", **{"class": "Kinds", "key": self.keys[1], "property": name}).status, 400, name)

    def test_backlinks_are_given_in_parts(self):
        """Who links to an object, by class and property."""
        key = self.grid[1]["link"]["link"]["key"]
        asked = self.ask("backlinks", **{"class": "Target", "key": key, "fromClass": "Kinds", "property": "links"})
        self.assertEqual((asked["count"], asked["objects"]), (1, [{"class": "Kinds", "key": self.keys[1], "label": "1 · text"}]))
        asked = self.ask("backlinks", **{"class": "Target", "key": key, "fromClass": "Kinds", "property": "links", "from": 1})
        self.assertEqual((asked["count"], asked["objects"]), (1, []))
        for name in ("text", "nowhere"):
            self.assertEqual(
                self.refused("backlinks", **{"class": "Target", "key": key, "fromClass": "Kinds", "property": name}).status, 400, name)

    # completion

    def test_find_begins_with_keys(self):
        """Objects are found by their primary key and by text."""
        asked = self.ask("find", **{"class": "Target", "text": "3", "limit": 5})
        self.assertEqual(asked["objects"][0]["label"], "3 · target 3")
        self.assertEqual(len(self.ask("find", **{"class": "Target", "text": "TARGET", "limit": 3})["objects"]), 3)
        self.assertEqual(self.ask("find", **{"class": "Target", "text": "none"})["objects"], [])
        self.assertEqual(len(self.ask("find", **{"class": "Plain"})["objects"]), len(samples.EVIL))
        self.assertEqual(self.ask("find", **{"class": "Plain", "text": "0", "limit": 1})["objects"][0]["key"], "0")
        for text in samples.EVIL:
            found = self.ask("find", **{"class": "Plain", "text": text, "limit": 50})["objects"]
            self.assertTrue(found, repr(text))
        # The labels have a letter beyond ASCII, and Foundation's search traps where what is sought ends in U+0000.
        for text in ["\0", "3\0", "target 3\0", "3\0\0"]:
            self.assertEqual(self.ask("find", **{"class": "Target", "text": text})["objects"], [], repr(text))

    def test_values_have_literals_that_queries_read(self):
        """Each offered value's literal, used in a query, finds so many objects as it says."""
        for name in ("id", "whole", "flag", "small", "real", "exact", "text", "at", "unique", "mark"):
            asked = self.ask("values", **{"class": "Kinds", "property": name, "prefix": "", "limit": 50})
            self.assertTrue(asked["values"], name)
            for value in asked["values"]:
                tab = self.tab()
                view = self.server.view(tab, "Kinds", f"{name if name != 'text' else '`text`'} == {value['literal']}")
                self.assertEqual(view["count"], value["count"], f"{name} {value}")
                self.server.post("/api/tab/close", {"tab": tab})
        indexed = self.ask("values", **{"class": "Target", "property": "name", "prefix": "target", "limit": 3})
        self.assertEqual(([each["text"] for each in indexed["values"]], indexed["complete"]), (["target 1", "target 2", "target 3"], False))
        for name in ("link", "bytes_", "any", "numbers"):
            self.assertEqual(self.ask("values", **{"class": "Kinds", "property": name})["values"], [], name)
        self.assertEqual(self.refused("values", **{"class": "Kinds", "property": "nowhere"}).code, "unknownProperty")

    # profiles and plans

    def test_profiles_count_what_queries_count(self):
        """A profile's parts, run as queries, have the counts that it says."""
        for name in ("id", "whole", "flag", "small", "real", "exact", "text", "at", "unique", "mark", "link", "home", "any", "bytes_",
                     "numbers", "nested"):
            profile = self.ask("profile", **{"class": "Kinds", "query": "", "property": name})
            self.assertEqual(profile["count"], len(self.keys), name)
            for part in profile["buckets"] + profile["top"]:
                if "condition" not in part:
                    continue
                tab = self.tab()
                self.assertEqual(self.server.view(tab, "Kinds", part["condition"])["count"], part["count"], part)
                self.server.post("/api/tab/close", {"tab": tab})
            if profile["buckets"]:
                self.assertEqual(sum(part["count"] for part in profile["buckets"]), len(self.keys) - profile["nulls"], name)
        self.assertEqual(self.ask("profile", **{"class": "Kinds", "query": "id == 1", "property": "id"})["count"], 1)
        self.assertEqual(self.ask("profile", **{"class": "Kinds", "query": "id == -1", "property": "id"})["count"], 0)
        self.assertEqual(self.refused("profile", **{"class": "Kinds", "query": "id ==", "property": "id"}).json["error"]["column"], 6)

    def test_explain_tells_the_plan(self):
        """A query's plan is a text; it is run only on request."""
        self.assertIn("Kinds", self.ask("explain", **{"class": "Kinds", "query": "whole > 3 SORT(id)"})["text"])
        self.assertTrue(self.ask("explain", **{"class": "Kinds", "query": "whole > 3", "run": 1})["text"])
        self.assertEqual(self.refused("explain", **{"class": "Kinds", "query": "whole >"}).json["error"]["column"], 8)

    # exports

    def export(self, format, query="", name="Kinds"):
        answer = self.server.request("GET", "/api/files/1/export?" + parameters(**{"class": name, "query": query, "format": format}))
        self.assertEqual(answer.status, 200, answer)
        self.assertSafe(answer)
        self.assertEqual(answer.header("content-disposition"), f'attachment; filename="{name}.{format}"')
        return answer.body

    def test_exports_in_all_formats(self):
        """Exports in all formats have all objects and agree with one another."""
        lines = [json.loads(line) for line in self.export("jsonl").splitlines()]
        self.assertEqual([line["id"] for line in lines], list(self.keys))
        self.assertEqual(json.loads(self.export("json")), lines)
        table = list(csv.reader(io.StringIO(self.export("csv").decode(), newline="")))
        self.assertEqual(table[0], self.columns)
        self.assertEqual([int(row[0]) for row in table[1:]], list(self.keys))
        texts = {int(row[0]): row[self.columns.index("text")] for row in table[1:]}
        for line in lines:
            self.assertEqual(texts[line["id"]], line["text"] or "", line)
        tabs = self.export("tsv").decode()
        self.assertEqual(tabs.split("\n")[0].split("\t"), self.columns)
        self.assertEqual(base64.b64decode(lines[0]["bytes_"]), bytes(range(40)))

    def test_exports_agree_with_the_binding(self):
        """The JSON of an export is that of the binding."""
        with freehold.open(self.file, samples.MODELS) as database, database.read() as snapshot:
            expected = snapshot.objects(samples.Kinds).where("id > 2").sorted("-id").json(lines=True)
        self.assertEqual(self.export("jsonl", "id > 2 SORT(id DESC)").decode().strip(), expected.strip())

    def test_exports_of_queries_and_groups(self):
        """A query's steps are applied, groups are exported as rows, and an empty answer is empty."""
        self.assertEqual([json.loads(line)["id"] for line in self.export("jsonl", "id < 4 SORT(id DESC)").splitlines()], [3, 2, 1])
        groups = [json.loads(line) for line in self.export("jsonl", "GROUP(flag) SELECT(@count)").splitlines()]
        self.assertEqual(sum(list(group.values())[-1] for group in groups), len(self.keys))
        self.assertEqual(json.loads(self.export("json", "id < 0")), [])
        self.assertEqual(self.export("jsonl", "id < 0"), b"")

    def test_export_mistakes_are_errors(self):
        """Mistakes are told before anything is sent."""
        for values, status in (({"class": "Kinds", "query": "id >", "format": "csv"}, 400), ({
                "class": "Nothing", "query": "", "format": "csv"
        }, 404), ({"class": "Kinds", "query": "", "format": "xml"}, 400), ({"class": "Kinds", "query": ""}, 400), ({"format": "csv"}, 400)):
            self.assertEqual(self.refused("export", **values).status, status, values)

    # code and pictures

    def test_models_and_snippets(self):
        """Models and programs in all languages name the classes; Python's are valid Python."""
        for language in ("swift", "c", "cpp", "python"):
            text = self.ask("models", language=language)["text"]
            self.assertIn("Kinds", text, language)
            program = self.ask("snippet", **{"language": language, "class": "Kinds", "query": "text == \"a'b\\\"c\\n\" SORT(id)"})["text"]
            self.assertIn("Kinds", program, language)
            if language == "python":
                compile(text, "models", "exec")
                compile(program, "program", "exec")
        self.assertEqual(self.refused("models", language="perl").status, 400)
        self.assertEqual(self.refused("models").status, 400)
        self.assertEqual(self.refused("snippet", **{"language": "c", "class": "Kinds", "query": "id >"}).status, 400)

    def test_picture_has_a_box_for_each_class(self):
        """The picture has a box for each class, and arrows between boxes."""
        picture = self.ask("picture")
        names = {box["class"] for box in picture["boxes"]}
        self.assertEqual(names, {"Address", "Target", "Plain", "Kinds"})
        for box in picture["boxes"]:
            self.assertLessEqual(box["x"] + box["width"], picture["width"])
            self.assertLessEqual(box["y"] + box["height"], picture["height"])
        self.assertTrue(picture["arrows"])
        for arrow in picture["arrows"]:
            self.assertIn(arrow["from"], names)
            self.assertIn(arrow["to"], names)
            self.assertGreaterEqual(len(arrow["points"]), 2)

    def test_information(self):
        """The file's sizes, and the processes that hold versions of it."""
        asked = self.ask("information")
        self.assertEqual(asked["size"], self.file.stat().st_size)
        self.assertLessEqual(asked["used"] + asked["free"], asked["size"])
        self.assertTrue(all(holder["isBrowser"] == (holder["process"] == self.server.process.pid) for holder in asked["holders"]))

    def test_parameters_that_are_missing_or_wrong(self):
        """Missing and mistaken parameters are errors that name them."""
        for what, values, name in (("object", {"class": "Kinds"}, "key"), ("object", {"key": "1"}, "class"), ("elements", {
                "class": "Kinds", "key": "0"
        }, "property"), ("elements", {"class": "Kinds", "key": "0", "property": "numbers", "from": "-1"}, "from"), ("elements", {
                "class": "Kinds", "key": "0", "property": "numbers", "count": "x"
        }, "count"), ("text", {"class": "Kinds", "key": "0", "property": "text", "length": "99999999999999999999"}, "length"), ("values", {
                "class": "Kinds"
        }, "property"), ("backlinks", {"class": "Kinds", "key": "0", "property": "x"}, "fromClass"),
                                   ):
            answer = self.refused(what, **values)
            self.assertEqual(answer.status, 400, answer)
            self.assertIn(f"'{name}'", answer.json["error"]["message"])


class LongValueTests(ServerTest):
    """Long texts and data."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = cls.folder / "long.freehold"
        cls.texts = {}
        for number, letter in enumerate(["a", "é", "€", "😀"]):
            for place, count in enumerate([0, 1, 199, 200, 201, 799, 800, 801, 100_000]):
                cls.texts[number * 100 + place] = letter * count
        # A character begins before a limit and ends behind it.
        for shift in range(1, 5):
            cls.texts[1000 + shift] = "x" * shift + "😀" * 300
            cls.texts[1100 + shift] = "x" * (200 - shift) + "😀" * 20
            cls.texts[1200 + shift] = "x" * (800 - shift) + "😀" * 20
        cls.data = bytes(range(256)) * (40 << 12)
        with freehold.open(cls.file) as database, database.write() as transaction:
            transaction.create_class("Text",
                                     id=freehold.Property.declared("id", int, primary_key=True),
                                     text=str,
                                     data=bytes,
                                     words=list[str])
            for key, text in cls.texts.items():
                transaction.create("Text", id=key, text=text, words=[text])
            transaction.create("Text", id=5000, data=cls.data)
        with freehold.open(cls.file) as database, database.read() as snapshot:
            cls.keys = {item.id: str(item.key) for item in snapshot.objects("Text")}
        cls.server = cls.shared(cls.file)

    def test_cells_cut_texts_between_characters(self):
        """A cell has at most the first 200 characters of a text, whole ones, and its length in bytes."""
        tab = self.tab()
        view = self.server.view(tab, "Text", "SORT(id)")
        for row in self.server.rows(tab, view["view"], 0, 500)["rows"]:
            key, cell, words = int(row["cells"][0]), row["cells"][1], row["cells"][3]
            if key == 5000:
                continue
            text = self.texts[key]
            for part in (cell, words["items"][0]):
                if len(text) <= 200:
                    self.assertEqual(part, text, key)
                else:
                    self.assertTrue(part["digest"])
                    self.assertEqual(shown(part), {"text": text[:200], "bytes": len(text.encode())}, key)

    def test_pieces_of_texts_join_to_the_whole(self):
        """Pieces of any length, each from where the last one ended, are the text, and every piece is valid."""
        for key in (8, 108, 208, 308, 1001, 1002, 1003, 1104, 1203):
            whole = self.texts[key].encode()
            for length in (1, 2, 3, 5, 1000, 65_537):
                start, found = 0, ""
                # Short pieces are asked for near the start only.
                while start < min(len(whole), length * 50):
                    piece = self.server.get("/api/files/1/text",
                                            **{"class": "Text", "key": self.keys[key], "property": "text", "from": start, "length": length})
                    self.assertEqual((piece["from"], piece["bytes"]), (start, len(whole)))
                    self.assertGreater(piece["next"], start)
                    found += piece["text"]
                    start = piece["next"]
                self.assertTrue(self.texts[key].startswith(found))
                self.assertEqual(len(found.encode()), start)

    def test_pieces_from_within_a_character(self):
        """A piece that would begin within a character begins behind it, and says so."""
        for start in range(0, 9):
            piece = self.server.get("/api/files/1/text",
                                    **{"class": "Text", "key": self.keys[307], "property": "text", "from": start, "length": 8})
            self.assertEqual(piece["from"], (start + 3) // 4 * 4)
            self.assertEqual(piece["text"], "😀" * ((piece["next"] - piece["from"]) // 4))
        for start in (801 * 4 - 1, 801 * 4, 10**9, 2**63 - 1):
            piece = self.server.get("/api/files/1/text", **{"class": "Text", "key": self.keys[307], "property": "text", "from": start})
            self.assertEqual((piece["text"], piece["next"]), ("", 801 * 4))

    def test_long_data_is_streamed(self):
        """Forty megabytes arrive as they are, while the server's memory grows by much less."""
        before = self.server.memory
        answer = self.server.request("GET",
                                     "/api/files/1/data?" + parameters(**{"class": "Text", "key": self.keys[5000], "property": "data"}))
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer.body == self.data)
        self.assertEqual(answer.header("content-type"), "application/octet-stream")
        self.assertEqual(answer.header("content-disposition"), f'attachment; filename="Text-{self.keys[5000]}-data.bin"')
        self.assertSafe(answer)
        self.assertLess(self.server.memory - before, 30 << 20)

    def test_data_of_texts(self):
        """A text's bytes can be downloaded too."""
        answer = self.server.request("GET",
                                     "/api/files/1/data?" + parameters(**{"class": "Text", "key": self.keys[308], "property": "text"}))
        self.assertEqual(answer.body.decode(), self.texts[308])

    def breakOff(self, path):
        """Asks for a long download forty times and leaves after its first bytes."""
        server = self.start(self.file)
        before = server.threads
        for _ in range(40):
            with server.connect() as connection:
                connection.sendall(server.head("GET", path) + b"\r\n")
                self.assertTrue(connection.recv(1000))
        self.assertServes(server)
        wait_until(lambda: server.threads < before + 20, f"threads, {before} before", 120)
        wait_until(lambda: server.readers <= 3, "versions held", 120)
        self.assertServes(server)

    def test_downloads_that_are_broken_off_let_go(self):
        """Downloads of data that end early leave no version held and no thread behind."""
        self.breakOff("/api/files/1/data?" + parameters(**{"class": "Text", "key": self.keys[5000], "property": "data"}))

    def test_exports_that_are_broken_off_let_go(self):
        """Exports that end early leave no version held and no thread behind."""
        self.breakOff("/api/files/1/export?" + parameters(**{"class": "Text", "query": "", "format": "jsonl"}))


class HierarchyTests(ServerTest):
    """Classes that extend others."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = cls.folder / "family.freehold"
        from freehold import schema
        from freehold._library import library
        from freehold.errors import check
        declared = freehold.Property.declared
        with freehold.open(cls.file) as database, database.write() as transaction:
            keep = []
            check(
                library.classes_create(
                    transaction._open(),
                    *schema.definitions(
                        [("Animal", [declared("name", str, primary_key=True), declared("friend", "Animal")], False, "", None),
                         ("Dog", [declared("tricks", int)], False, "Animal", None),
                         ("Puppy", [declared("age", int)], False, "Dog", None),
                         ("Cat", [declared("lives", int)], False, "Animal", None)], keep)))
            transaction._forget()
            rex = transaction.create("Dog", name="Rex", tricks=3)
            transaction.create("Puppy", name="Bit", tricks=1, age=2, friend=rex)
            transaction.create("Cat", name="Tom", lives=9, friend=rex)
            transaction.create("Animal", name="Any")
        cls.server = cls.shared(cls.file)

    def test_classes_count_their_subclasses(self):
        """A class's count includes those that extend it; inherited properties and keys are marked."""
        classes = {each["name"]: each for each in self.server.get("/api/files/1/schema")["classes"]}
        self.assertEqual({name: each["count"] for name, each in classes.items()}, {"Animal": 4, "Dog": 2, "Puppy": 1, "Cat": 1})
        self.assertEqual({name: each["superclass"]
                          for name, each in classes.items()}, {"Animal": None, "Dog": "Animal", "Puppy": "Dog", "Cat": "Animal"})
        self.assertEqual({name: each["primaryKey"] for name, each in classes.items()}, {name: ["name"] for name in classes})
        self.assertEqual({each["name"]: each["inherited"]
                          for each in classes["Puppy"]["properties"]}, {"name": True, "friend": True, "tricks": True, "age": False})

    def test_rows_name_the_subclass(self):
        """Rows of a class contain those of subclasses, with their class."""
        tab = self.tab()
        view = self.server.view(tab, "Animal", "SORT(name)")
        rows = self.server.rows(tab, view["view"])["rows"]
        self.assertEqual([(row["cells"][0], row.get("class")) for row in rows], [("Any", None), ("Bit", "Puppy"), ("Rex", "Dog"),
                                                                                 ("Tom", "Cat")])
        view = self.server.view(tab, "Dog", "")
        rows = self.server.rows(tab, view["view"])["rows"]
        self.assertEqual(sorted((row["cells"][0], row.get("class")) for row in rows), [("Bit", "Puppy"), ("Rex", None)])
        for row in rows:
            self.assertIsNotNone(self.server.get(f"/api/views/{view['view']}/position", tab=tab, key=row["key"])["position"])

    def test_objects_are_of_their_own_class(self):
        """An object that is asked for by a superclass has the properties of its own, and its backlinks."""
        tab = self.tab()
        rows = self.server.rows(tab, self.server.view(tab, "Animal", "name == 'Rex'")["view"])["rows"]
        asked = self.server.get("/api/files/1/object", **{"class": "Animal", "key": rows[0]["key"]})
        self.assertEqual((asked["class"], asked["cells"][0]), ("Dog", "Rex"))
        self.assertEqual(sum(each["count"] for each in asked["backlinks"]), 2, asked["backlinks"])
        rows = self.server.rows(tab, self.server.view(tab, "Animal", "name == 'Bit'")["view"])["rows"]
        self.assertEqual(rows[0]["cells"][1]["link"]["class"], "Dog")
        self.assertEqual(self.server.failure("/api/files/1/object", **{"class": "Cat", "key": rows[0]["key"]}).status, 404)

    def test_export_of_a_family(self):
        """The export of a class has the objects of its subclasses."""
        answer = self.server.request("GET", "/api/files/1/export?" + parameters(**{"class": "Animal", "query": "", "format": "jsonl"}))
        self.assertEqual(sorted(json.loads(line)["name"] for line in answer.body.splitlines()), ["Any", "Bit", "Rex", "Tom"])


if __name__ == "__main__":
    unittest.main()
