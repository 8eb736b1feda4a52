"""What Arrow is given, read here as its C data interface says it is to be read: Arrow itself need not be installed."""

from __future__ import annotations

import ctypes
import datetime
import os
import tempfile
import unittest
from typing import Any

import freehold
from freehold import arrow

UTC = datetime.timezone.utc


@freehold.model
class Sample:
    number: int
    real: float | None = None
    flag: bool | None = None
    words: str | None = None
    data: bytes = b""
    at: datetime.datetime | None = None
    before: "Sample | None" = None
    tags: list[str] = freehold.field(default_factory=list)


_address = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def bits(address: int, count: int) -> list[bool]:
    return [bool(ctypes.string_at(address + at // 8, 1)[0] >> at % 8 & 1) for at in range(count)]


def numbers(kind: Any, address: int, count: int) -> list[Any]:
    return list((kind * count).from_address(address)) if count else []


def read(schema: arrow.Schema, given: arrow.Array) -> list[Any]:
    """The values of one column."""
    count, (valid, *rest) = given.length, given.buffers[: given.n_buffers]
    if schema.format == b"b":
        values: list[Any] = bits(rest[0], count)
    elif schema.format in (b"U", b"Z"):
        offsets = numbers(ctypes.c_int64, rest[0], count + 1)
        values = [ctypes.string_at(rest[1] + start, end - start) for start, end in zip(offsets, offsets[1:])]
        values = [value.decode() for value in values] if schema.format == b"U" else values
    else:
        values = numbers(ctypes.c_double if schema.format == b"g" else ctypes.c_int64, rest[0], count)
    present = bits(valid, count) if valid else [True] * count
    assert given.null_count == present.count(False)
    return [value if there else None for value, there in zip(values, present)]


class Arrow(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        database = freehold.open(os.path.join(folder.name, "samples"), [Sample])
        self.addCleanup(database.close)
        with database.write() as transaction:
            before = None
            for number in range(20):
                rest = {} if number % 3 == 0 else dict(
                    real=number / 4, flag=number % 2 == 0, words=f"wörd {number}", data=bytes([number]), before=before,
                    at=datetime.datetime.fromtimestamp(number, UTC))
                before = transaction.create(Sample, number=number, **rest)
        self.snapshot = database.read()
        self.addCleanup(self.snapshot.close)
        self.samples = self.snapshot.objects(Sample)

    def columns(self, results: freehold.Results[Any], *names: str) -> dict[str, list[Any]]:
        schema_capsule, array_capsule = results.arrow(*names).__arrow_c_array__()
        schema = arrow.Schema.from_address(_address(schema_capsule, b"arrow_schema"))
        given = arrow.Array.from_address(_address(array_capsule, b"arrow_array"))
        self.assertEqual((schema.format, given.n_children, schema.n_children), (b"+s", schema.n_children, given.n_children))
        return {schema.children[at].contents.name.decode(): read(schema.children[at].contents, given.children[at].contents)
                for at in range(given.n_children)}

    def test_every_type_and_null(self) -> None:
        found = self.columns(self.samples)
        self.assertEqual(list(found), ["number", "real", "flag", "words", "data", "at", "before"])
        self.assertEqual(found["number"], list(range(20)))
        plain = list(self.samples.rows("real", "flag", "words", "data"))
        for place, name in enumerate(("real", "flag", "words", "data")):
            self.assertEqual(found[name], [row[place] for row in plain], name)
        self.assertEqual(found["at"], [None if number % 3 == 0 else number * 1_000_000_000 for number in range(20)])
        self.assertEqual(found["before"], [sample.before.key if sample.before else None for sample in self.samples])

    def test_of_what_a_query_finds_and_of_nothing(self) -> None:
        found = self.columns(self.samples.where("number > 17").sorted("-number"), "words", "number")
        self.assertEqual(found, {"words": ["wörd 19", None], "number": [19, 18]})
        self.assertEqual(self.columns(self.samples.where("number > 99"), "words", "flag", "number"), {"words": [], "flag": [], "number": []})

    def test_what_makes_no_column_is_refused(self) -> None:
        with self.assertRaises(freehold.ValueTypeError):
            self.samples.arrow("tags")

    def test_memory_is_given_back(self) -> None:
        arrow._sweep()
        before = len(arrow._given)
        self.columns(self.samples)
        self.assertGreater(len(arrow._given), before)
        arrow._sweep()
        self.assertEqual((len(arrow._given), arrow._lent), (before, {}), "what nobody took ends with its capsule")
        schema_capsule, array_capsule = self.samples.arrow("words", "number").__arrow_c_array__()
        # A consumer moves the structure out, marks it as taken, and takes a child out of it that outlives the rest.
        taken, source = arrow.Array(), _address(array_capsule, b"arrow_array")
        ctypes.memmove(ctypes.addressof(taken), source, ctypes.sizeof(taken))
        arrow.Array.from_address(source).release = type(taken.release)()
        child = arrow.Array()
        ctypes.memmove(ctypes.addressof(child), ctypes.addressof(taken.children[1].contents), ctypes.sizeof(child))
        taken.children[1].contents.release = type(child.release)()
        del schema_capsule, array_capsule
        taken.release(ctypes.pointer(taken))
        arrow._sweep()
        self.assertFalse(taken.release)
        self.assertEqual(numbers(ctypes.c_int64, child.buffers[1], 20), list(range(20)))
        child.release(ctypes.pointer(child))
        self.assertEqual(len(arrow._given), before)

    def test_a_consumers_exception_arrives(self) -> None:
        # Code in C that refuses what it is called with: the capsules die while its exception is on its way.
        with self.assertRaisesRegex(TypeError, "int"):
            int(self.samples.arrow("number").__arrow_c_array__())
        with self.assertRaisesRegex(TypeError, "int"):
            int(self.samples.arrow("number").__arrow_c_schema__())
        arrow._sweep()
        self.assertEqual((arrow._given, arrow._lent), ({}, {}))

    def test_what_somebody_has_is_not_swept(self) -> None:
        kept = self.samples.arrow("number").__arrow_c_array__()
        self.columns(self.samples, "number")
        given = arrow.Array.from_address(_address(kept[1], b"arrow_array"))
        self.assertEqual(numbers(ctypes.c_int64, given.children[0].contents.buffers[1], 20), list(range(20)))


if __name__ == "__main__":
    unittest.main()
