"""Objects made one by one, by rows and by columns: each way gives the same, and refuses the same."""

from __future__ import annotations

import array
import datetime
import decimal
import json
import os
import tempfile
import unittest
import uuid
from typing import Any

import freehold
from freehold.values import FLOAT, LIST

try:
    import numpy
except ImportError:
    numpy = None

UTC = datetime.timezone.utc


@freehold.model
class Thing:
    id: int = freehold.field(primary_key=True)
    whole: int | None = None
    real: float | None = None
    flag: bool | None = None
    text: str | None = None
    bytes: bytes | None = None
    at: datetime.datetime | None = None
    uuid: uuid.UUID | None = None
    price: decimal.Decimal | None = None
    any: Any = None
    other: "Thing | None" = None
    tags: list[str] = freehold.field(default_factory=list)


NAMES = [name for name in Thing.__dataclass_fields__ if name != "other"]

ROWS = [
    (1, 5, 0.5, True, "plain", b"ab", datetime.datetime(2024, 2, 29, 1, 2, 3, 456789, UTC), uuid.UUID(int=7), decimal.Decimal("1.50"), 3, ["a", "b"]),
    (2, -(1 << 63), float("inf"), False, "", b"", datetime.datetime(1901, 1, 1, tzinfo=UTC), uuid.UUID(int=(1 << 128) - 1), decimal.Decimal(0), "x", []),
    (3, (1 << 63) - 1, -0.0, None, "Grüße, 世界 \0 end", bytes(range(256)), None, None, None, None, ["ü"]),
    (4, None, None, True, None, None, None, None, None, [1, {"k": None}], []),
]


@freehold.model
class Reading:
    value: freehold.Float32
    perhaps: freehold.Float32 | None = None
    all: list[freehold.Float32] = freehold.field(default_factory=list)


class Floats(unittest.TestCase):
    def test_a_float32_is_stored_in_32_bits_and_read_as_float(self) -> None:
        with tempfile.TemporaryDirectory() as folder, freehold.open(os.path.join(folder, "readings"), [Reading]) as database:
            with database.write() as transaction:
                transaction.add(Reading(0.1, None, [0.5, 0.2]))
            with database.read() as snapshot:
                row = snapshot.objects(Reading)[0]
                single = array.array("f", [0.1, 0.2])
                self.assertEqual((row.value, row.perhaps, list(row.all)), (single[0], None, [0.5, single[1]]))
                self.assertEqual([item.type for item in snapshot.classes["Reading"].properties], [FLOAT] * 3)


class Making(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.database = freehold.open(os.path.join(folder.name, "things"), [Thing])
        self.addCleanup(self.database.close)

    def check_rows(self) -> None:
        """By rows, and property by property."""
        with self.database.read() as snapshot:
            things = snapshot.objects(Thing).sorted("id")
            self.assertEqual(list(things.rows(*NAMES)), ROWS)
            for thing, row in zip(things, ROWS):
                values = thing.values()
                self.assertEqual(tuple(values[name] for name in NAMES), row)
                single = [name for name in NAMES if name not in ("tags", "any")]
                self.assertEqual([thing[name] for name in single], [values[name] for name in single])

    def test_one_by_one(self) -> None:
        with self.database.write() as transaction:
            for row in ROWS:
                transaction.create(Thing, **dict(zip(NAMES, row)))
        self.check_rows()

    def test_plain_values_alone(self) -> None:
        plain = NAMES[:6]
        with self.database.write() as transaction:
            for row in ROWS:
                made = transaction.create(Thing, **dict(zip(plain, row)))
                made.update(**dict(zip(NAMES[6:], row[6:])))
        self.check_rows()

    def test_by_instances(self) -> None:
        with self.database.write() as transaction:
            for row in ROWS:
                transaction.add(Thing(**dict(zip(NAMES, row))))
        self.check_rows()

    def test_by_rows(self) -> None:
        with self.database.write() as transaction:
            self.assertEqual(transaction.create_many(Thing, iter(ROWS), NAMES), 1)
            self.assertEqual(transaction.create_many(Thing, []), 0)
        self.check_rows()

    def test_by_columns(self) -> None:
        with self.database.write() as transaction:
            transaction.insert_columns(Thing, {name: list(column) for name, column in zip(NAMES, zip(*ROWS))})
        self.check_rows()

    def test_links_to_what_is_there(self) -> None:
        with self.database.write() as transaction:
            first = transaction.create(Thing, id=1)
            second = transaction.create(Thing, id=2, other=first, text="second")
            transaction.create(Thing, id=3, other=None, any=second)
            transaction.create_many(Thing, [(4, second), (5, None)], ["id", "other"])
        with self.database.read() as snapshot:
            first, second, third, fourth, fifth = snapshot.objects(Thing).sorted("id")
            self.assertEqual((second.other, third.other, third.any, fourth.other, fifth.other), (first, None, second, second, None))

    def test_long_texts_and_many_of_them(self) -> None:
        texts = ["x" * length for length in (0, 1, 1 << 14, (1 << 14) + 1, 100_000)]
        with self.database.write() as transaction:
            for number, text in enumerate(texts):
                transaction.create(Thing, id=number, text=text, bytes=text.encode())
        with self.database.read() as snapshot:
            things = snapshot.objects(Thing).sorted("id")
            self.assertEqual(list(things.rows("text", "bytes")), [(text, text.encode()) for text in texts])

    def test_classes_that_changed_meanwhile(self) -> None:
        with self.database.write() as transaction:
            transaction.create(Thing, id=1, text="a")
            transaction.rename_property(Thing, "text", "words")
            transaction.drop_property(Thing, "whole")
            with self.assertRaises(freehold.UnknownNameError):
                transaction.create(Thing, id=2, text="b")
            self.assertEqual(transaction.create(Thing, id=2, words="b").words, "b")

    def test_what_does_not_fit_is_refused_each_way(self) -> None:
        wrong = [("whole", "five"), ("whole", 1 << 63), ("whole", 0.5), ("flag", 1), ("text", 5), ("text", b"x"), ("bytes", "x"), ("bytes", 5),
                 ("at", 5), ("at", datetime.datetime(2024, 1, 1)), ("uuid", "no"), ("id", "x")]
        for name, value in wrong:
            row = {"id": 9, name: value}
            for way in (lambda t: t.create(Thing, **row), lambda t: t.create_many(Thing, [tuple(row.values())], list(row)),
                        lambda t: t.insert_columns(Thing, {key: [one] for key, one in row.items()})):
                with self.database.write() as transaction:
                    with self.assertRaises(freehold.ArgumentError, msg=f"{name} = {value!r}"):
                        way(transaction)
                    self.assertEqual(len(transaction.objects(Thing)), 0, f"{name} = {value!r}")
        with self.database.write() as transaction:
            for rows, names in (([(1, 2), (3,)], ["id", "whole"]), ([(1,)], ["id", "whole"]), ([(1, 2)], ["id", "nothing"])):
                with self.assertRaises(freehold.ArgumentError):
                    transaction.create_many(Thing, rows, names)
            with self.assertRaises(freehold.DuplicateKeyError):
                transaction.create_many(Thing, [(1,), (2,), (1,)], ["id"])
            self.assertEqual(len(transaction.objects(Thing)), 0)

    def test_floats_of_32_bits(self) -> None:
        with self.database.write() as transaction:
            transaction.create_class("Single", single=freehold.Property("single", FLOAT), some=freehold.Property("some", FLOAT, collections=(LIST,)))

        ways: dict[str, Any] = {
            "create": lambda t, value: t.create("Single", single=value),
            "beside a list": lambda t, value: t.create("Single", single=value, some=[]),
            "update": lambda t, value: t.create("Single").update(single=value),
            "attribute": lambda t, value: setattr(t.create("Single"), "single", value),
            "rows": lambda t, value: t.create_many("Single", [(value,)], ["single"]),
            "column": lambda t, value: t.insert_columns("Single", {"single": [value]}),
            "buffer": lambda t, value: t.insert_columns("Single", {"single": array.array("d", [value])}),
        }
        if numpy is not None:
            ways["numpy"] = lambda t, value: t.insert_columns("Single", {"single": numpy.array([value])})
            ways["number of numpy"] = lambda t, value: t.create("Single", single=numpy.float64(value))
        for way, make in ways.items():
            for value in (1.5, float("inf"), -float("inf"), 3.4028234663852886e38):
                with self.database.write() as transaction:
                    transaction.objects("Single").delete()
                    make(transaction, value)
                    self.assertEqual([one.single for one in transaction.objects("Single")], [value], way)
            for value in (3.5e38, -1e300):
                with self.database.write() as transaction, self.assertRaisesRegex(freehold.ValueTypeError, "'single'.*32 bits", msg=way):
                    make(transaction, value)
        with self.database.write() as transaction:
            with self.assertRaisesRegex(freehold.ValueTypeError, "'some'.*32 bits"):
                transaction.create("Single", some=[1.0, 1e300])
            some = transaction.create("Single", some=[0.5]).some
            with self.assertRaises(freehold.ValueTypeError):
                some.append(1e300)
            self.assertEqual(some, [0.5])

    def test_buffers_are_read_as_they_are(self) -> None:
        count = 1000
        read_only = memoryview(array.array("q", range(count)).tobytes()).cast("q")
        reals = array.array("d", [number / 8 for number in range(2 * count)])
        with self.database.write() as transaction:
            transaction.insert_columns(Thing, {
                "id": array.array("q", range(count)), "whole": read_only, "real": memoryview(reals)[::2],
                "flag": memoryview(bytes(number % 2 for number in range(count))).cast("?")})
            transaction.insert_columns(Thing, {"id": range(count, count + 3), "whole": array.array("i", [1, 2, 3])})
        with self.database.read() as snapshot:
            things = snapshot.objects(Thing).sorted("id")
            self.assertEqual(list(things.column("whole")), [*range(count), 1, 2, 3])
            self.assertEqual(list(things.column("real"))[:count], [number / 4 for number in range(count)])
            self.assertEqual([thing.flag for thing in things[:4]], [False, True, False, True])

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_masked_values_of_an_array_are_nulls(self) -> None:
        mask, dates = [False, True, False], numpy.array(["2024-02-29", "NaT", "NaT"], "datetime64[ns]")
        columns = {
            "whole": numpy.array([1, 2, 3]), "real": numpy.array([0.5, numpy.nan, 1.5]), "flag": numpy.array([True, True, False]),
            "text": numpy.array(["a", "b", "c"]), "bytes": numpy.array([b"a", b"b", b"c"], object), "at": dates,
            "any": numpy.array([1, 2, 3], numpy.uint64)}
        masked = {name: numpy.ma.masked_array(values, mask) for name, values in columns.items()}
        with self.database.write() as transaction:
            transaction.insert_columns(Thing, {"id": numpy.ma.masked_array([1, 2, 3]), **masked})
            with self.assertRaisesRegex(freehold.ValueTypeError, "'id' is required, and row 1 of its array is masked"):
                transaction.insert_columns(Thing, {"id": numpy.ma.masked_array([4, 5, 6], mask)})
            # Numbers of this type are not read in place.
            with self.assertRaisesRegex(freehold.ValueTypeError, "'id' is required, and row 1"):
                transaction.insert_columns(Thing, {"id": numpy.ma.masked_array([4, 5, 6], mask, numpy.uint64)})
        with self.database.read() as snapshot:
            first, second, third = snapshot.objects(Thing).sorted("id")
            self.assertEqual([(one.whole, one.real, one.flag, one.text, one.bytes, one.any) for one in (first, third)],
                             [(1, 0.5, True, "a", b"a", 1), (3, 1.5, False, "c", b"c", 3)])
            self.assertEqual([getattr(second, name) for name in columns], [None] * 7)
            self.assertEqual((first.at, third.at), (datetime.datetime(2024, 2, 29, tzinfo=UTC), None))

    def test_json_there_and_back(self) -> None:
        with self.database.write() as transaction:
            first = transaction.create(Thing, id=1, text="Grüße", tags=["a"])
            transaction.create(Thing, id=2, real=0.5, other=first)
        with self.database.read() as snapshot:
            things = snapshot.objects(Thing).sorted("-id")
            read = json.loads(things.json())
            self.assertEqual([(one["id"], one["other"], one["real"], one["text"]) for one in read], [(2, 1, 0.5, None), (1, None, None, "Grüße")])
            self.assertEqual([json.loads(line) for line in things.json(lines=True).splitlines()], read)
            self.assertEqual(json.loads(things[1].json()), read[1])
        with self.database.write() as transaction:
            self.assertEqual(transaction.import_json("Note", '{"key": 7, "words": "new"}\n{"key": 8, "words": null}', primary_key="key"), 2)
            self.assertEqual(transaction.get("Note", 7).words, "new")
            with self.assertRaises(freehold.ArgumentError):
                transaction.import_json("Note", '{"key": 9} {"key":')
            self.assertEqual(len(transaction.objects("Note")), 2)

    def test_columns_are_buffers(self) -> None:
        with self.database.write() as transaction:
            transaction.create_many(Thing, [(number, number / 2) for number in range(10)], ["id", "real"])
        with self.database.read() as snapshot:
            whole, real = (memoryview(snapshot.objects(Thing).column(name)) for name in ("id", "real"))
            self.assertEqual((whole.tolist(), real.tolist()), (list(range(10)), [number / 2 for number in range(10)]))
            if numpy is not None:
                self.assertEqual(snapshot.objects(Thing).column("real").__array_interface__["typestr"], "<f8")


if __name__ == "__main__":
    unittest.main()
