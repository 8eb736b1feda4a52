"""Properties and arguments with the names of Python's own parameters."""

from __future__ import annotations

import unittest

import freehold
from kit import Case


@freehold.model
class Odd:
    self: int = 0
    cls: str = ""
    text: str = ""
    by: str = ""
    embedded: bool = False
    values: int = 0
    key: int = 0


NAMES = ("self", "cls", "text", "by", "embedded", "values", "key")
ROW = (1, "c", "t", "b", True, 2, 3)


class Names(Case):
    def setUp(self) -> None:
        super().setUp()
        self.database = freehold.open(self.path, [Odd])
        self.addCleanup(self.database.close)

    def check_rows(self, count: int) -> None:
        with self.database.read() as snapshot:
            odd = snapshot.objects(Odd)
            self.assertEqual(list(odd.rows(*NAMES)), [ROW] * count)
            for one in odd:
                self.assertEqual((one.self, one["key"], one["values"]), (1, 3, 2))
                self.assertEqual(one.load(Odd), Odd(*ROW))

    def test_objects_are_made_in_every_way(self) -> None:
        with self.database.write() as transaction:
            transaction.create(Odd, **dict(zip(NAMES, ROW)))
            transaction.add(Odd(*ROW))
            transaction.create_many(Odd, [ROW], NAMES)
            transaction.insert_columns(Odd, {name: [value] for name, value in zip(NAMES, ROW)})
        self.check_rows(4)

    def test_objects_are_changed_in_every_way(self) -> None:
        with self.database.write() as transaction:
            transaction.create(Odd).update(**dict(zip(NAMES, ROW)))
            one, other = transaction.create(Odd), transaction.create(Odd)
            for name, value in zip(NAMES, ROW):
                one[name] = value
                setattr(other, name, value)
        self.check_rows(3)

    def test_classes_are_made_of_them(self) -> None:
        with self.database.write() as transaction:
            transaction.create_class("Strange", self=str, name=str, cls=int, embedded=bool)
            transaction.create_class("Inner", embedded=True, self=int)
            self.assertEqual(list(transaction.classes["Strange"].places), ["self", "name", "cls", "embedded"])
            self.assertEqual([transaction.classes[name].embedded for name in ("Strange", "Inner")], [False, True])
            made = transaction.create("Strange", self="x", name="n", embedded=True, cls=1)
            self.assertEqual(made.values(), {"self": "x", "name": "n", "embedded": True, "cls": 1})

    def test_queries_and_groups_use_them(self) -> None:
        with self.database.write() as transaction:
            transaction.add(Odd(*ROW))
        with self.database.read() as snapshot:
            odd = snapshot.objects(Odd)
            found = odd.where("`self` = $self AND text = $text AND cls = $cls", self=1, text="t", cls="c")
            self.assertEqual(len(found), 1)
            self.assertEqual(odd.group("text", self="@count", by="`self`.@sum"), [{"text": "t", "self": 1, "by": 1}])
            self.assertEqual(list(odd.grouped("text", self="@count")), [{"text": "t", "self": 1}])


if __name__ == "__main__":
    unittest.main()
