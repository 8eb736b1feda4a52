"""Sets: made of any iterable, and those of `Any` told apart by the types of their values."""

from __future__ import annotations

import decimal
import json
import unittest
from typing import Any

import freehold
from kit import Case, Dog

MANY = [None, False, True, 0, 1, 0.0, 1.0, "1", b"1"]


def typed(values: Any) -> set[tuple[type, Any]]:
    return {(type(value), value) for value in values}


@freehold.model
class Bag:
    id: int = freehold.field(primary_key=True)
    many: set[Any] = freehold.field(default_factory=set)
    words: set[str] = freehold.field(default_factory=set)
    dogs: set[Dog] = freehold.field(default_factory=set)
    rows: list[set[int]] = freehold.field(default_factory=list)
    by: dict[str, set[str]] = freehold.field(default_factory=dict)


class Sets(Case):
    def setUp(self) -> None:
        super().setUp()
        self.database = freehold.open(self.path, [Bag, Dog])
        self.addCleanup(self.database.close)

    def test_values_of_several_types_are_kept_apart_each_way(self) -> None:
        ways: dict[str, Any] = {
            "create": lambda t: t.create(Bag, id=1, many=MANY),
            "tuple": lambda t: t.create(Bag, id=1, many=tuple(MANY)),
            "generator": lambda t: t.create(Bag, id=1, many=(value for value in MANY)),
            "add": lambda t: t.add(Bag(1, many=MANY)),
            "attribute": lambda t: setattr(t.create(Bag, id=1), "many", MANY),
            "update": lambda t: t.create(Bag, id=1).update(many=MANY),
            "rows": lambda t: t.create_many(Bag, [(1, MANY)], ["id", "many"]),
            "columns": lambda t: t.insert_columns(Bag, {"id": [1], "many": [MANY]}),
            "one by one": lambda t: [t.create(Bag, id=1).many.add(value) for value in MANY[:1]] + [t.get(Bag, 1).many.update(MANY)],
            "what was read": lambda t: t.create(Bag, id=1, many=t.create(Bag, id=2, many=MANY).values()["many"]),
            "a view": lambda t: t.create(Bag, id=1, many=t.create(Bag, id=2, many=MANY).many),
            "what was loaded": lambda t: t.create(Bag, id=1, many=t.create(Bag, id=2, many=MANY).load(Bag).many),
            "in place": lambda t: t.create(Bag, id=1).many.__ior__(freehold.AnySet(MANY)),
        }
        for way, make in ways.items():
            with self.subTest(way), self.database.write() as transaction:
                transaction.objects(Bag).delete()
                make(transaction)
                bag = transaction.get(Bag, 1)
                rows = [many for id, many in transaction.objects(Bag).rows("id", "many") if id == 1]
                for many in (bag.many, bag.values()["many"], bag.load(Bag).many, *rows):
                    self.assertEqual((len(many), typed(many)), (9, typed(MANY)))
                    self.assertEqual([value in many for value in (1, 1.0, True, 2, "1", b"x")], [True, True, True, False, True, False])

    def test_such_a_set_behaves_as_a_set(self) -> None:
        one, other = freehold.AnySet(MANY), freehold.AnySet(reversed(MANY))
        self.assertEqual(one, other)
        self.assertEqual((len(one), list(one)), (9, MANY))
        one.discard(1)
        self.assertEqual((1 in one, 1.0 in one, True in one), (False, True, True))
        self.assertNotEqual(one, other)
        self.assertTrue(one < other and not other <= one)
        self.assertEqual(typed(other - one), {(int, 1)})
        self.assertIsInstance(other & one, freehold.AnySet)
        self.assertEqual(one | [1], other)
        one.add(1)
        one.add(1)
        self.assertEqual(one, other)
        with self.assertRaises(KeyError):
            one.remove(7)
        self.assertEqual(freehold.AnySet(["a", 1]), {"a", 1})
        self.assertEqual({"a", 1}, freehold.AnySet(["a", 1]))
        self.assertNotEqual(freehold.AnySet([1, True]), {1})
        self.assertEqual(freehold.AnySet([float("nan"), float("nan")]).__len__(), 1)
        self.assertEqual(len(freehold.AnySet([decimal.Decimal("1"), decimal.Decimal("1.0"), 1])), 2)
        self.assertEqual(repr(freehold.AnySet([1, True, 1.0])), "AnySet([1, True, 1.0])")
        with self.assertRaises(TypeError):
            hash(one)

    def test_what_views_give_when_they_are_joined_is_kept_apart_too(self) -> None:
        with self.database.write() as transaction:
            bag = transaction.create(Bag, id=1, many=[1, "a"], words=["x", "y"])
            self.assertEqual(typed(bag.many | [True, 1.0]), typed([1, "a", True, 1.0]))
            self.assertEqual(typed(bag.many & freehold.AnySet([True, "a"])), typed(["a"]))
            self.assertEqual(type(bag.words | {"z"}), set)
            bag.many |= [True, 1.0]
            self.assertEqual(typed(bag.many), typed([1, "a", True, 1.0]))
            bag.many.discard(1)
            self.assertEqual(typed(bag.many), typed(["a", True, 1.0]))

    def test_other_sets_are_pythons_and_are_made_of_any_iterable(self) -> None:
        with self.database.write() as transaction:
            for number, words in enumerate((["b", "a", "b"], ("a", "b"), {"a", "b"}, frozenset("ab"), iter("ab"), {"a": 1, "b": 2}.keys())):
                bag = transaction.create(Bag, id=number, words=words)
                self.assertEqual((bag.words, bag.values()["words"], type(bag.values()["words"])), ({"a", "b"}, {"a", "b"}, set))
            bag.words = ["c"]
            self.assertEqual(bag.words, {"c"})
            for wrong in ("ab", b"ab", 3, {"a": 1}):
                with self.assertRaises(freehold.ValueTypeError):
                    bag.words = wrong
            self.assertEqual(bag.words, {"c"})

    def test_sets_within_others_and_of_instances(self) -> None:
        rex = Dog("Rex")
        with self.database.write() as transaction:
            bag = transaction.create(Bag, id=1, rows=[[1, 2, 1], {3}], by={"a": ["x", "x"], "b": ()}, dogs=[rex, Dog("Fido"), rex])
            bag.rows.append([4, 4])
            bag.rows[0] = (5, 6)
            bag.by["c"] = ["y"]
            self.assertEqual([set(row) for row in bag.rows], [{5, 6}, {3}, {4}])
            self.assertEqual({key: set(words) for key, words in bag.by.items()}, {"a": {"x"}, "b": set(), "c": {"y"}})
            self.assertEqual(sorted(dog.name for dog in bag.dogs), ["Fido", "Rex"])
            added = transaction.add(Bag(2, dogs=[rex, Dog("Ace")], rows=[[7]]))  # type: ignore[arg-type]
            self.assertEqual(sorted(dog.name for dog in added.dogs), ["Ace", "Rex"])
            self.assertEqual([set(row) for row in added.rows], [{7}])
            json.loads(bag.json())


if __name__ == "__main__":
    unittest.main()
