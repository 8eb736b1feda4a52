"""Views: rows by position, sections, groups, mistakes in queries, and how views follow commits."""

import random
import unittest

import freehold

import samples
from serving import ServerTest

#: Around the sizes at which a class's tree gets one more leaf or level.
SIZES = [0, 1, 255, 256, 257, 1020, 1021, 100_000]


class PositionTests(ServerTest):
    """Rows by their position in a class's tree, compared with the binding."""

    def compare(self, server, tab, view, expected, places, rows=3):
        """Rows at these places are the objects that the binding has there."""
        for place in places:
            answer = server.rows(tab, view, place, rows)
            self.assertEqual(answer["count"], len(expected))
            found = [(row["key"], *row["cells"]) for row in answer["rows"]]
            self.assertEqual(found, expected[place:place + rows], f"from {place} of {len(expected)}")
            for number, row in enumerate(answer["rows"][:1]):
                self.assertEqual(server.get(f"/api/views/{view}/position", tab=tab, key=row["key"])["position"], place + number)

    @staticmethod
    def places(count):
        found = {0, 1, 2, count // 2, count - 3, count - 2, count - 1, count, count + 1}
        for edge in (255, 256, 257, 510, 512, 768, 1020, 1021, 1024, 2040, 65_535, 65_536, 99_743, 99_744):
            found |= {edge - 1, edge, edge + 1}
        return sorted(place for place in found if 0 <= place <= count + 1)

    @staticmethod
    def rows_of(database):
        with database.read() as snapshot:
            results = snapshot.objects("Row")
            return [(str(key), str(number), str(value), name)
                    for key, (number, value, name) in zip(results.keys, results.rows("id", "value", "name"))]

    def follow(self, keyed):
        for size in SIZES:
            with self.subTest(size=size):
                path = samples.make_rows(self.path(), size, keyed)
                server, tab = self.start(path), self.tab()
                events = server.events(tab)
                with freehold.open(path) as database:
                    expected = self.rows_of(database)
                    view = server.view(tab, "Row")
                    self.assertEqual((view["count"], view["kind"]), (size, "objects"))
                    self.compare(server, tab, view["view"], expected, self.places(size))
                    # Objects are deleted in between, at both ends and within.
                    chance = random.Random(size)
                    for step in range(3):
                        if not expected:
                            break
                        doomed = {0, len(expected) - 1, len(expected) // 2
                                  } | {chance.randrange(len(expected))
                                       for _ in range(len(expected) // 10)}
                        with database.write() as transaction:
                            objects = list(transaction.objects("Row")) if size < 5000 else None
                            if objects is not None:
                                for place in doomed:
                                    objects[place].delete()
                            else:
                                transaction.objects("Row").where("id IN %@", [int(expected[place][1]) for place in doomed]).delete()
                        expected = self.rows_of(database)
                        events.wait("commit", lambda event: event["classes"] and event["classes"][0]["count"] == len(expected))
                        self.compare(server, tab, view["view"], expected, self.places(len(expected)))
                    gone = server.get(f"/api/views/{view['view']}/position", tab=tab, key="0")
                    self.assertEqual(gone["position"], None)
                server.close()

    def test_rows_of_classes_with_a_primary_key(self):
        """At all sizes and boundaries, rows by position are those of the binding, while objects are deleted."""
        self.follow(True)

    def test_rows_of_classes_without_a_primary_key(self):
        """So are those of classes without a primary key."""
        self.follow(False)


class QueryTests(ServerTest):
    """Views of queries."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = samples.make_rows(cls.folder / "rows.freehold", 5000)
        cls.kinds = samples.make_kinds(cls.folder / "kinds.freehold")
        cls.server = cls.shared(cls.file, cls.kinds)

    def setUp(self):
        self.page = self.tab()
        self.addCleanup(lambda: self.server.post("/api/tab/close", {"tab": self.page}))

    def mistake(self, query, name="Row", file="1", **more):
        answer = self.server.request("POST", f"/api/files/{file}/views", {"tab": self.page, "class": name, "query": query, **more})
        self.assertGreaterEqual(answer.status, 400, answer)
        return answer.json["error"]

    def test_rows_of_queries(self):
        """Conditions, orders, limits and offsets give the rows that the binding gives."""
        with freehold.open(self.file) as database, database.read() as snapshot:
            everything = snapshot.objects("Row")
            for query, results in (("value == 3", everything.where("value == 3")), ("SORT(value, id DESC)", everything.sorted(
                    "value", "-id")), ("value > 2 SORT(name DESC) OFFSET(10) LIMIT(20)",
                                       everything.where("value > 2").sorted("-name").offset(10).limit(20)),
                                   ("name ENDSWITH '9'", everything.where("name ENDSWITH '9'")), ("id < 0", everything.where("id < 0")),
                                   ("SORT(value) DISTINCT(value)", everything.sorted("value").distinct("value")),
                                   ):
                view = self.server.view(self.page, "Row", query)
                keys = [str(key) for key in results.keys]
                self.assertEqual(view["count"], len(keys), query)
                for start in (0, 1, 499, 500, len(keys) - 1, len(keys), len(keys) + 1):
                    if start >= 0:
                        found = [row["key"] for row in self.server.rows(self.page, view["view"], start, 500)["rows"]]
                        self.assertEqual(found, keys[start:start + 500], f"{query} from {start}")
                if keys:
                    self.assertEqual(
                        self.server.get(f"/api/views/{view['view']}/position", tab=self.page, key=keys[-1])["position"],
                        len(keys) - 1)

    def test_never_more_than_500_rows(self):
        """An answer has at most 500 rows, and one for absurd numbers is empty, not an end."""
        view = self.server.view(self.page, "Row")
        self.assertEqual(len(self.server.rows(self.page, view["view"], 0, 5000)["rows"]), 500)
        self.assertEqual(len(self.server.rows(self.page, view["view"], 4999, 2**63 - 1)["rows"]), 1)
        self.assertEqual(self.server.rows(self.page, view["view"], 2**63 - 1, 2**63 - 1)["rows"], [])
        self.assertEqual(self.server.rows(self.page, view["view"], 5, 0)["rows"], [])
        for values in ({"from": "-1"}, {"count": "-1"}, {"from": "x"}, {"from": "9223372036854775808"}, {"count": ""}):
            self.assertEqual(self.server.failure(f"/api/views/{view['view']}/rows", tab=self.page, **values).status, 400, values)

    def test_sections(self):
        """Sections say where each value begins, and the rows lie there."""
        view = self.server.view(self.page, "Row", "id < 1000 SORT(id DESC)", "value")
        self.assertEqual([section["cell"] for section in view["sections"]], [str(value) for value in range(7)])
        self.assertEqual(sum(section["count"] for section in view["sections"]), view["count"])
        place = 0
        for section in view["sections"]:
            self.assertEqual(section["from"], place)
            rows = self.server.rows(self.page, view["view"], place, section["count"])["rows"]
            self.assertEqual({row["cells"][1] for row in rows}, {section["cell"]})
            self.assertEqual([int(row["cells"][0]) for row in rows], sorted((int(row["cells"][0]) for row in rows), reverse=True))
            place += section["count"]

    def test_sections_of_all_types(self):
        """Sections by each property that can be sorted by; null is one of them."""
        for name in ("whole", "flag", "small", "real", "exact", "text", "at", "unique", "mark", "link.name", "home.street"):
            with self.subTest(name):
                view = self.server.view(self.page, "Kinds", "", name, file="2")
                self.assertEqual(sum(section["count"] for section in view["sections"]), view["count"])
                self.assertIn(None, [section["cell"] for section in view["sections"]])
                rows = self.server.rows(self.page, view["view"], 0, 500)
                self.assertEqual(rows["sections"], view["sections"])
                if name in view["columns"]:
                    place = view["columns"].index(name)
                    for section in view["sections"]:
                        cells = [row["cells"][place] for row in rows["rows"][section["from"]:section["from"] + section["count"]]]
                        self.assertTrue(all(cell == section["cell"] for cell in cells), f"{section} {cells}")

    def test_section_mistakes(self):
        """Sections of what cannot be sorted by, or of groups, are refused."""
        for section in ("nowhere", "numbers", "bytes_", "id) LIMIT(1", "id, text", "", "@count", "id SORT(x)", "a" * 3000):
            self.assertIn(
                self.mistake("", "Kinds", "2", section=section)["code"], ("unknownProperty", "malformedInput", "typeMismatch"), section)
        for query in ("LIMIT(3)", "GROUP(value) SELECT(@count)", "DISTINCT(value)", "OFFSET(3)"):
            self.assertEqual(self.mistake(query, section="value")["code"], "malformedInput")

    def test_sections_in_descending_order_are_not_accepted_silently(self):
        """A section with an order is refused, or its sections are in that order."""
        answer = self.server.request("POST", "/api/files/1/views", {"tab": self.page, "class": "Row", "query": "", "section": "value DESC"})
        if answer.status == 200:
            self.assertEqual(answer.json["sections"][0]["cell"], "6")

    def test_groups(self):
        """Groups are rows without a key, with their aggregates."""
        view = self.server.view(self.page, "Row", "id < 700 GROUP(value) SELECT(@count, id.@max)")
        self.assertEqual((view["kind"], view["count"], len(view["columns"])), ("groups", 7, 3))
        rows = self.server.rows(self.page, view["view"])["rows"]
        self.assertEqual([row["cells"] for row in rows], [[str(value), "100", str(693 + value)] for value in range(7)])
        self.assertTrue(all("key" not in row for row in rows))
        self.assertEqual(self.server.get(f"/api/views/{view['view']}/position", tab=self.page, key="1")["position"], None)

    def test_mistakes_have_their_column(self):
        """A mistake in a query is told with the column where it is, in characters."""
        for query, column in (("idd == 1", 1), ("id ==", 6), ("id == 1 AND nam == 'x'", 13), ("name == 'é😀' AND idd == 1",
                                                                                              18), ("id == 1 SORT(x)", 14), ("id == 1)", 8),
                              ("LIMIT(-1)", 7), ("name == 'x", 9), ("GROUP(nowhere) SELECT(@count)", 7), ("id\n== \n 3 AND idd == 3", 15)):
            error = self.mistake(query)
            self.assertEqual(error.get("column"), column, f"{query}: {error}")

    def test_queries_that_ask_for_much(self):
        """Deeply nested, long and expensive queries are answered or refused."""
        for query in ("(" * 5000 + "id == 1" + ")" * 5000, "NOT " * 5000 + "id == 1", " AND ".join(["id == 1"] * 20_000),
                      "name MATCHES '(a*)*b'", "name LIKE '" + "*a" * 500 + "'", "id IN {" + ",".join(map(str, range(50_000))) + "}",
                      "name == '" + "x" * 1_000_000 + "'", "-" * 10_000 + "1 == id", "id == " + "9" * 10_000, "name CONTAINS " * 1000, "\0",
                      "id == 1 \0", "%@ == 1", "$x == 1", "id == %@", "SORT(" + "id," * 5000 + "id)", "TRUEPREDICATE " * 1000):
            answer = self.server.request("POST", "/api/files/1/views", {"tab": self.page, "class": "Row", "query": query})
            self.assertIn(answer.status, (200, 400), f"{query[:60]}: {answer}")
        self.assertServes()

    def test_bodies_that_lack_something(self):
        """A view needs a tab and a class; other types than texts are refused or ignored."""
        for body in ({}, {"tab": self.page}, {"class": "Row"}, {"tab": "short", "class": "Row"}, {"tab": self.page, "class": 3}, {
                "tab": 7, "class": "Row"
        }, [], 3, None, "x", {"tab": self.page + "-", "class": "Row"}, {"tab": "é" * 20, "class": "Row"}, {"tab": "a" * 65,
                                                                                                           "class": "Row"}):
            self.assertEqual(self.server.request("POST", "/api/files/1/views", body).status, 400, body)

    def test_views_belong_to_their_tab(self):
        """Another tab cannot read a view; a closed one is gone."""
        view = self.server.view(self.page, "Row")["view"]
        other = self.tab()
        self.assertEqual(self.server.failure(f"/api/views/{view}/rows", tab=other).status, 404)
        self.assertEqual(self.server.request("DELETE", f"/api/views/{view}?tab={other}").status, 204)
        self.assertEqual(self.server.rows(self.page, view)["count"], 5000)
        self.assertEqual(self.server.request("DELETE", f"/api/views/{view}?tab={self.page}").status, 204)
        self.assertEqual(self.server.failure(f"/api/views/{view}/rows", tab=self.page).status, 404)
        self.server.post("/api/tab/close", {"tab": other})

    def test_many_views_of_a_tab(self):
        """The oldest views of a tab end; the server stays small."""
        names = [self.server.view(self.page, "Row", "SORT(value)")["view"] for _ in range(300)]
        self.assertEqual(self.server.rows(self.page, names[-1])["count"], 5000)
        self.assertEqual(self.server.failure(f"/api/views/{names[0]}/rows", tab=self.page).status, 404)
        self.assertLess(self.server.memory, 300 << 20)

    def test_reads_with_a_tab_are_of_its_version(self):
        """A request that names its tab reads at the version of the tab's views."""
        path = samples.make_rows(self.path(), 3)
        server, tab = self.start(path), self.tab()
        events = server.events(tab)
        server.post("/api/tab", {"tab": tab, "visible": True, "paused": True})
        view = server.view(tab, "Row")
        with freehold.open(path) as database, database.write() as transaction:
            transaction.get("Row", 0).name = "new"
        key = server.rows(tab, view["view"])["rows"][0]["key"]
        self.assertEqual(server.get("/api/files/1/object", **{"class": "Row", "key": key, "tab": tab})["cells"][2], "row 0")
        self.assertEqual(server.get("/api/files/1/object", **{"class": "Row", "key": key})["cells"][2], "new")
        events.close()


if __name__ == "__main__":
    unittest.main()
