"""Full-text indexes and indexes of places: declared, listed, built, searched by."""

from __future__ import annotations

import math
import unittest

import freehold
from kit import Case


@freehold.model
class Author:
    name: str = ""


@freehold.model(embedded=True)
class Point:
    type: str = "Point"
    coordinates: list[float] = freehold.field(default_factory=list)


@freehold.model
class Article:
    number: int = freehold.field(primary_key=True)
    title: str = ""
    body: str = ""
    author: Author | None = None
    location: Point | None = None
    latitude: float = 0.0
    longitude: float = 0.0


FIELDS = ["title", ("body", 0.5), ("author.name", 2)]
SEARCH = "title, body, author.name TEXT %@ SORT(@score DESC)"


class Indexing(Case):
    def setUp(self) -> None:
        super().setUp()
        self.database = freehold.open(self.path, [Author, Point, Article])
        self.addCleanup(self.database.close)

    def fill(self, count: int) -> None:
        with self.database.write(durable=False) as transaction:
            authors = [transaction.add(Author(name)) for name in ("Ada", "Cat")]
            for number in range(count):
                word = "cat" if number % 10 == 0 else "dog"
                point = Point(coordinates=[10.0, number / 10])
                author = authors[number % 20 == 0]
                transaction.add(Article(number, f"{word} {number}", "sleeps", author, point, number / 10, 10.0))

    def declare(self) -> None:
        with self.database.write(durable=False) as transaction:
            transaction.add_full_text_index(Article, FIELDS)
            transaction.add_place_index("Article", "location")
            transaction.add_place_index(Article, "latitude", "longitude")
            transaction.add_place_index(Point)

    def numbers(self, snapshot: freehold.Snapshot, text: str, *arguments: object) -> list[int]:
        return [article.number for article in snapshot.objects(Article).where(text, *arguments)]

    def test_an_index_has_a_language(self) -> None:
        self.fill(3)
        with self.database.write() as transaction:
            transaction.add_full_text_index(Article, ["title", ("body", 2)], language="english")
            with self.assertRaisesRegex(freehold.ValueTypeError, "a string such as 'english', not 5"):
                transaction.add_full_text_index(Article, ["title"], language=5)  # type: ignore[arg-type]
            found, = transaction.full_text_indexes(Article)
            self.assertEqual((found.language, found.fields), ("english", (("title", 1.0), ("body", 2.0))))
            with self.assertRaisesRegex(freehold.ArgumentError, "danish, dutch, english"):
                transaction.add_full_text_index(Article, ["title"], "klingon")
        with self.database.read() as snapshot:
            found, = snapshot.full_text_indexes(Article)
            if found.state == "unavailable":
                with self.assertRaisesRegex(freehold.Error, "libstemmer0d"):
                    self.numbers(snapshot, "title, body TEXT 'dogs sleeping'")
            else:
                self.assertEqual(self.numbers(snapshot, "title, body TEXT 'dogs sleeping'"), [1, 2])
        with self.database.write() as transaction:
            transaction.add_full_text_index(Article, ["title", "body"])
            self.assertEqual([one.language for one in transaction.full_text_indexes(Article)], [None])

    def test_objects_are_found_by_indexes_as_without(self) -> None:
        self.fill(600)
        searches = [(SEARCH, "cat"), (SEARCH, "cat ada"), ("location GEOWITHIN geoBox([5, 20.05], [15, 20.55])",),
                    ("latitude, longitude GEOWITHIN geoCircle([10, 30], 0.01)",), ("SORT(@distance(location, [10, 30])) LIMIT(3)",)]
        with self.database.read() as snapshot:
            before = [self.numbers(snapshot, *search) for search in searches]
        # Two words in the heavier field before one in the title.
        self.assertEqual(([number % 20 for number in before[0]], len(before[0])), ([0] * 30 + [10] * 30, 60))
        self.assertEqual((sorted(before[1])[:2], before[2]), ([10, 30], [201, 202, 203, 204, 205]))
        self.declare()
        self.database.build_indexes()
        with self.database.read() as snapshot:
            self.assertEqual([self.numbers(snapshot, *search) for search in searches], before)
            for search in searches[:4]:
                self.assertIn("index for ", snapshot.objects(Article).where(*search).explain())

    def test_distances_are_those_of_the_query(self) -> None:
        self.fill(400)
        with self.database.write(durable=False) as transaction:
            transaction.add(Article(400, "nowhere", latitude=91.0))
        with self.database.read() as snapshot:
            degree = math.radians(1) * 6_378_100
            nearest = snapshot.objects(Article).where("SORT(@distance(location, [10, 30]))")
            meters = nearest.distances()
            self.assertEqual((meters[0], meters[-1], len(meters)), (0, None, 401))
            for article, one in zip(nearest[:400], meters):
                self.assertAlmostEqual(one or 0.0, abs(article.number / 10 - 30) * degree, 4)
            some = snapshot.objects(Article).where("number > 395 AND @distance(latitude, longitude, [10, 30]) / 1000 < 5000")
            self.assertEqual([round((one or 0.0) / degree, 6) for one in some.distances()], [9.6, 9.7, 9.8, 9.9])
            self.assertEqual(snapshot.objects(Article).where("number > 999 AND @distance(location, [0, 0]) > 1").distances(), [])
            with self.assertRaisesRegex(freehold.FreeholdError, "no @distance"):
                snapshot.objects(Article).where("number > 3").distances()

    def test_they_are_listed_and_dropped(self) -> None:
        self.fill(600)
        self.declare()
        with self.database.read() as snapshot:
            found, = snapshot.full_text_indexes(Article)
            self.assertEqual(found.fields, (("title", 1.0), ("body", 0.5), ("author.name", 2.0)))
            self.assertEqual((found.state, found.percent), ("complete", 100))
            self.assertTrue(345 <= found.documents <= 600 and found.words == 4 * found.documents)
            by_link, by_numbers = snapshot.place_indexes("Article")
            self.assertEqual((by_link.fields, by_numbers.fields), (("location.type", "location.coordinates"), ("latitude", "longitude")))
            self.assertEqual((by_link.state, by_link.percent, by_link.documents), ("complete", 100, found.documents))
            self.assertEqual([one.fields for one in snapshot.place_indexes(Point)], [("type", "coordinates")])
            self.assertEqual(snapshot.full_text_indexes(Point), [])
        with self.database.write() as transaction:
            transaction.add_full_text_index(Article, ["author.name", "title", "body"])
            with self.assertRaisesRegex(freehold.ArgumentError, "no full-text index"):
                transaction.drop_full_text_index(Article, ["title"])
            transaction.drop_place_index(Article, *by_link.fields)
            transaction.drop_place_index(Article, "latitude", "longitude")
            with self.assertRaisesRegex(freehold.ArgumentError, "no index of places"):
                transaction.drop_place_index(Article, "location")
        with self.database.read() as snapshot:
            weightless, = snapshot.full_text_indexes(Article)
            self.assertEqual(weightless.fields, (("title", 1.0), ("body", 1.0), ("author.name", 1.0)))
            self.assertEqual((snapshot.place_indexes(Article), len(snapshot.place_indexes(Point))), ([], 1))
        with self.database.write() as transaction:
            transaction.drop_full_text_index(Article, found.fields)
            transaction.drop_place_index(Point)
        with self.database.read() as snapshot:
            self.assertEqual(snapshot.full_text_indexes(Article) + snapshot.place_indexes(Point), [])
            self.assertEqual(len(self.numbers(snapshot, SEARCH, "cat")), 60)

    def test_a_transaction_lists_them(self) -> None:
        self.fill(600)
        with self.database.write(durable=False) as transaction:
            transaction.add_full_text_index(Article, FIELDS)
        with self.database.write(durable=False) as transaction:
            transaction.add_place_index(Article, "location")
            found, = transaction.full_text_indexes(Article)
            self.assertEqual((found.fields, found.state), ((("title", 1.0), ("body", 0.5), ("author.name", 2.0)), "complete"))
            places, = transaction.place_indexes(Article)
            self.assertEqual((places.state, places.percent, places.documents), ("building", 0, 0))
            transaction.drop_full_text_index(Article, found.fields)
            self.assertEqual(transaction.full_text_indexes(Article), [])
        with self.database.read() as snapshot:
            self.assertEqual(([], "complete"), (snapshot.full_text_indexes(Article), snapshot.place_indexes(Article)[0].state))

    def test_fields_are_lists_or_tuples_of_paths(self) -> None:
        wrong: object
        with self.database.write(durable=False) as transaction:
            for wrong in (5, None, {"title": 2}, object(), [5], [("title", "2")], [("title", 1, 2)], [("title", True)], [None],
                          [["title"]]):
                for change in (transaction.add_full_text_index, transaction.drop_full_text_index):
                    with self.assertRaisesRegex(freehold.ArgumentError, "full-text index (are|is) a", msg=repr(wrong)):
                        change(Article, wrong)  # type: ignore[arg-type]
            for wrong in (5, None, ["latitude", 5], ("location", ["x"]), {"latitude": 1}):
                for change in (transaction.add_place_index, transaction.drop_place_index):
                    with self.assertRaisesRegex(freehold.ArgumentError, "an index of places are paths", msg=repr(wrong)):
                        change(Article, wrong)  # type: ignore[arg-type]
            weights = ((0, "0"), (-1, "-1"), (256, "256"), (math.inf, "inf"), (math.nan, "nan"), (1 << 2000, "an int of 2001 bits"),
                       (-1 << 20_000, "an int of 20001 bits"))
            for weight, text in weights:
                with self.assertRaisesRegex(freehold.ArgumentError, f"the weight of 'title' is {text}; a field counts from 1/256 to 255"):
                    transaction.add_full_text_index(Article, [("title", weight)])
            transaction.add_full_text_index(Article, ("title", ["body", 2]))  # type: ignore[list-item]
            transaction.add_place_index(Article, ["latitude", "longitude"])
            transaction.add_place_index(Article, ("location",))
            self.assertEqual([one.fields for one in transaction.full_text_indexes(Article)], [(("title", 1.0), ("body", 2.0))])
            self.assertEqual(len(transaction.place_indexes(Article)), 2)

    def test_scores_and_what_was_found(self) -> None:
        self.fill(30)
        with self.database.write() as transaction:
            transaction.add(Article(100, "Über Katzen", "Ein Hündchen, héhé, und eine Katze; ein CAT: 猫猫 cat und so weiter", None, None))
        self.declare()
        with self.database.read() as snapshot:
            articles = snapshot.objects(Article).where(SEARCH, "cat")
            scores = articles.scores()
            self.assertEqual((len(scores), scores), (len(articles), sorted(scores, reverse=True)))
            self.assertTrue(scores[0] > scores[-1] > 0)
            found, = articles.found_texts(snapshot.get(Article, 100), words=4)
            self.assertEqual([found.text[start:end] for start, end in found.highlights], ["CAT", "cat"])
            self.assertEqual({found.snippet[start:end] for start, end in found.snippet_highlights}, {"CAT", "cat"})
            self.assertEqual((found.path, found.cut_before, found.cut_after), ("body", True, True))
            self.assertEqual([one.path for one in articles.found_texts(snapshot.get(Article, 0))], ["title", "author.name"])
            self.assertEqual(articles.found_texts(snapshot.get(Article, 1)), [])
            self.assertEqual(snapshot.objects(Article).where(SEARCH, "nothing").scores(), [])
            with self.assertRaisesRegex(freehold.QueryError, "no TEXT condition"):
                snapshot.objects(Article).scores()

    def test_they_are_built_in_slices(self) -> None:
        with self.database.write(durable=False) as transaction:
            transaction.insert_columns(Author, {"name": ["Ada", *["Grace"] * 24_999]})
        with self.database.write(durable=False) as transaction:
            transaction.add_full_text_index(Author, ["name"])
        heard: list[tuple[int, int]] = []

        def stop(done: int, total: int) -> bool:
            heard.append((done, total))
            return False

        def fail(*_: int) -> None:
            raise KeyError("progress")

        self.database.build_indexes(stop)
        with self.assertRaisesRegex(KeyError, "progress"):
            self.database.build_indexes(fail)
        with self.database.read() as snapshot:
            found, = snapshot.full_text_indexes(Author)
            self.assertEqual((found.state, [(found.documents, heard[0][1])]), ("building", heard))
            self.assertTrue(50 < found.percent < 100)
        with self.database.write(), self.assertRaises(freehold.StateError):
            self.database.build_indexes()
        self.database.build_indexes(lambda done, total: heard.append((done, total)))
        self.assertEqual((heard[-1][0], heard == sorted(heard), len(heard) >= 3), (heard[-1][1], True, True))
        with self.database.read() as snapshot:
            self.assertEqual([(one.state, one.percent) for one in snapshot.full_text_indexes(Author)], [("complete", 100)])
            self.assertIn("index for name TEXT", snapshot.objects(Author).where("name TEXT 'ada'").explain())

    def test_mistakes_are_refused(self) -> None:
        with self.database.write() as transaction:
            for fields, message in (("title", "are a list"), ([], "1 to 16 fields"), (["latitude"], "latitude"), (["a.b.c"], "is no field"),
                                    ([("title", 0)], "1/256 to 255"), ([("title", 256)], "1/256 to 255"),
                                    ([("title", 1 / 512)], "1/256 to 255"), ([("title", 255.4)], "1/256 to 255")):
                with self.assertRaisesRegex(freehold.ArgumentError, message):
                    transaction.add_full_text_index(Article, fields)
            with self.assertRaises(freehold.UnknownNameError):
                transaction.add_full_text_index(Article, ["colour"])
            with self.assertRaisesRegex(freehold.ArgumentError, "0 to 2 fields"):
                transaction.add_place_index(Article, "title", "latitude", "longitude")
            with self.assertRaisesRegex(freehold.ArgumentError, "latitude and a longitude"):
                transaction.add_place_index(Article, "title", "latitude")
        with self.database.read() as snapshot, self.assertRaises(freehold.UnknownNameError):
            snapshot.full_text_indexes("Nothing")


if __name__ == "__main__":
    unittest.main()
