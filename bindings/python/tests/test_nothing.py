"""Columns that hold nothing but None, of every type and in every way that they are given."""

from __future__ import annotations

import array
import datetime
import decimal
import unittest
import uuid
from typing import Any, Iterator

import freehold
import test_arrow
from freehold import schema
from freehold.values import FLOAT
from kit import UTC, Case

try:
    import numpy
except ImportError:
    numpy = None

TYPES: dict[str, Any] = dict(
    whole=int | None, real=float | None, flag=bool | None, words=str | None, data=bytes | None, at=datetime.datetime | None, id=uuid.UUID | None,
    object=freehold.ObjectId | None, price=decimal.Decimal | None, anything=Any, friend="Thing")


class NAType:
    """As pandas has its `NA`; what compares it gets no answer."""

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")


class NaTType(datetime.datetime):
    """As pandas has its `NaT`."""


NA, NaT = NAType(), NaTType(1, 1, 1)


class Series:
    """A column as data frames have them: a length and values, and no buffer."""

    def __init__(self, values: list[Any]) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)


class ArrowColumn(Series):
    """A column as pyarrow has them: what is gone through are scalars, and the values are in a list."""

    def __iter__(self) -> Iterator[Any]:
        return iter([object() for _ in self._values])

    def to_pylist(self) -> list[Any]:
        return list(self._values)


class Frame:
    """Columns by names, as data frames have them: its length is that of the columns."""

    def __init__(self, **columns: Any) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def items(self) -> Any:
        return self._columns.items()


class Nothing(Case):
    def setUp(self) -> None:
        super().setUp()
        self.database = freehold.open(self.path)
        self.addCleanup(self.database.close)
        with self.database.write() as transaction:
            transaction.create_class("Thing", single=schema.Property("single", FLOAT, nullable=True), **TYPES)
        self.names = ["single", *TYPES]

    def check_that_each_is_none(self, make: Any) -> None:
        for name in self.names:
            with self.subTest(name), self.database.write() as transaction:
                transaction.objects("Thing").delete()
                make(transaction, name)
                self.assertEqual(list(transaction.objects("Thing").rows(name)), [(None,)] * 3)

    def test_one_by_one(self) -> None:
        self.check_that_each_is_none(lambda t, name: [t.create("Thing", **{name: None}) for _ in range(3)])

    def test_by_rows(self) -> None:
        self.check_that_each_is_none(lambda t, name: t.create_many("Thing", [(None,)] * 3, [name]))

    def test_by_lists_and_tuples(self) -> None:
        self.check_that_each_is_none(lambda t, name: t.insert_columns("Thing", {name: [None] * 3}))
        self.check_that_each_is_none(lambda t, name: t.insert_columns("Thing", {name: (None,) * 3}))

    def test_by_columns_of_data_frames(self) -> None:
        for nothing in (None, NA, NaT):
            self.check_that_each_is_none(lambda t, name: t.insert_columns("Thing", Frame(**{name: Series([nothing] * 3)})))

    def test_by_columns_of_arrow(self) -> None:
        self.check_that_each_is_none(lambda t, name: t.insert_columns("Thing", {name: ArrowColumn([None] * 3)}))

    def test_some_of_a_data_frame_and_of_arrow(self) -> None:
        moment = datetime.datetime(2024, 2, 29, tzinfo=UTC)
        values = dict(single=0.5, whole=3, real=0.25, flag=True, words="x", data=b"y", at=moment, id=uuid.UUID(int=7), anything="z")
        for kind, nothing in ((Series, None), (Series, NA), (ArrowColumn, None)):
            for name, value in values.items():
                with self.subTest(name), self.database.write() as transaction:
                    transaction.objects("Thing").delete()
                    transaction.insert_columns("Thing", {name: kind([nothing, value, nothing])})
                    self.assertEqual(list(transaction.objects("Thing").rows(name)), [(None,), (value,), (None,)])

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_by_arrays_of_numpy(self) -> None:
        self.check_that_each_is_none(lambda t, name: t.insert_columns("Thing", {name: numpy.array([None] * 3)}))
        with self.database.write() as transaction:
            transaction.objects("Thing").delete()
            for unit in ("s", "us", "ns"):
                transaction.insert_columns("Thing", {"at": numpy.array(["NaT", "NaT"], f"datetime64[{unit}]")})
                transaction.insert_columns("Thing", {"at": numpy.array(["2024-02-29T01:02:03", "NaT"], f"datetime64[{unit}]")})
            moment = datetime.datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC)
            self.assertEqual(list(transaction.objects("Thing").rows("at")), [(None,), (None,), (moment,), (None,)] * 3)

    def test_required_properties_refuse_them_by_name(self) -> None:
        with self.database.write() as transaction:
            transaction.create_class("Strict", whole=int, words=str, at=datetime.datetime, id=uuid.UUID)
            for name in ("whole", "words", "at", "id"):
                for make in (lambda: transaction.create("Strict", **{name: None}), lambda: transaction.create_many("Strict", [(None,)], [name]),
                             lambda: transaction.insert_columns("Strict", {name: [None]})):
                    with self.assertRaisesRegex(freehold.ValueTypeError, name):
                        make()
            self.assertEqual(len(transaction.objects("Strict")), 0)

    def test_they_are_read_as_columns_and_by_arrow(self) -> None:
        with self.database.write() as transaction:
            transaction.create_many("Thing", [(None,)] * 9, ["whole"])
        with self.database.read() as snapshot:
            things = snapshot.objects("Thing")
            for name in ("whole", "real", "flag", "at", "friend", "single"):
                values, nulls = things.column(name, mask=True)
                self.assertEqual((len(values), list(nulls)), (9, [True] * 9))
            found = test_arrow.Arrow.columns(self, things)
            self.assertEqual(list(found), ["single", "whole", "real", "flag", "words", "data", "at", "friend"])
            self.assertEqual(list(found.values()), [[None] * 9] * 8)

    def test_empty_columns(self) -> None:
        with self.database.write() as transaction:
            for name in self.names:
                for values in ([], (), Series([]), ArrowColumn([]), array.array("q")):
                    self.assertEqual(transaction.insert_columns("Thing", {name: values}), 0)


if __name__ == "__main__":
    unittest.main()
