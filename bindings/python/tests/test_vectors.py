"""Vectors in properties of type `data`, and NEAREST."""

from __future__ import annotations

import array
import math
import unittest

import freehold
from kit import Case

try:
    import numpy
except ImportError:
    numpy = None


@freehold.model
class Item:
    number: int = freehold.field(primary_key=True)
    embedding: bytes | None = None


def floats(*numbers: float) -> array.array[float]:
    return array.array("f", numbers)


class Vectors(Case):
    def setUp(self) -> None:
        super().setUp()
        self.database = freehold.open(self.path, [Item])
        self.addCleanup(self.database.close)
        with self.database.write(durable=False) as transaction:
            # Around the circle in steps of 30 degrees.
            for number in range(7):
                angle = math.radians(30 * number)
                transaction.add(Item(number, floats(math.cos(angle), math.sin(angle)).tobytes()))
            transaction.add(Item(7))

    def fill(self, count: int) -> None:
        with self.database.write(durable=False) as transaction:
            for number in range(count):
                transaction.add(Item(10 + number, floats(math.cos(number), 3 * math.sin(number)).tobytes()))

    def test_the_nearest_come_first_with_their_scores(self) -> None:
        with self.database.read() as snapshot:
            for wanted in ([1, 0], [1.0, 0.0], (1, 0), floats(1, 0), floats(1, 0).tobytes()):
                found = snapshot.objects(Item).where("number > 0 NEAREST(embedding, %@, 3)", wanted)
                self.assertEqual([item.number for item in found], [1, 2, 3], wanted)
            for score, degrees in zip(found.scores(), (30, 60, 90)):
                self.assertAlmostEqual(score, math.cos(math.radians(degrees)), places=6)
            with self.assertRaisesRegex(freehold.QueryError, "column 5: NEAREST.* is no condition"):
                len(snapshot.objects(Item).where("NOT NEAREST(embedding, $0, 3)", [1, 0]))

    def test_several_orders_together(self) -> None:
        with self.database.read() as snapshot:
            items = snapshot.objects(Item).where("number != 1")
            found = items.where("FUSE(number > 3 SORT(number ASC) LIMIT(%@), NEAREST(embedding, %@, 2) WEIGHT 3, %@)", 2, [1, 0], 3)
            self.assertEqual([item.number for item in found], [0, 2, 4])
            self.assertEqual(found.scores(), [3 / 61, 3 / 62, 1 / 61])
            self.assertEqual([item.number for item in found.limit(1)], [0])

    def test_a_property_takes_an_array(self) -> None:
        with self.database.write(durable=False) as transaction:
            transaction.add(Item(8, floats(-3, -4)))  # type: ignore[arg-type]
            item = transaction.get(Item, 7)
            item.embedding = floats(-3, -2)  # type: ignore[assignment]
        with self.database.read() as snapshot:
            found = snapshot.objects(Item).where("NEAREST(embedding, %@, 2, euclidean)", [-3, -4])
            stored = [(item.number, item.embedding) for item in found]
            self.assertEqual(stored, [(8, floats(-3, -4).tobytes()), (7, floats(-3, -2).tobytes())])
            self.assertEqual(found.scores(), [0, -2])

    def test_an_index_is_declared_and_used(self) -> None:
        self.fill(6000)
        query = ("NEAREST(embedding, %@, 3, euclidean)", [1, 0])
        with self.database.read() as snapshot:
            before = [item.number for item in snapshot.objects(Item).where(*query)]
        with self.database.write(durable=False) as transaction:
            transaction.add_vector_index(Item, "embedding", 2, metric="euclidean")
            with self.assertRaisesRegex(freehold.ArgumentError, "elements of"):
                transaction.add_vector_index(Item, "embedding", 2, "double")  # type: ignore[arg-type]
            for wrong in (0, -1, 65_536, 2**64 + 3, True, "3", 3.0, None):
                with self.assertRaisesRegex(freehold.ValueTypeError, "1 to 65,535 dimensions, an int, not"):
                    transaction.add_vector_index(Item, "embedding", wrong)  # type: ignore[arg-type]
            with self.assertRaisesRegex(freehold.ArgumentError, "another index of vectors"):
                transaction.add_vector_index(Item, "embedding", 3)
        self.database.build_indexes()
        with self.database.read() as snapshot:
            index, = snapshot.vector_indexes(Item)
            self.assertEqual((index.property, index.dimensions, index.elements), ("embedding", 2, "float32"))
            self.assertEqual((index.metric, index.state, index.percent), ("euclidean", "complete", 100))
            found = snapshot.objects(Item).where(*query)
            self.assertIn("an index of sign bits", found.explain())
            self.assertEqual([item.number for item in found], before)
        with self.database.write(durable=False) as transaction:
            transaction.drop_vector_index(Item, "embedding")
        with self.database.read() as snapshot:
            self.assertEqual(snapshot.vector_indexes(Item), [])

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_arrays_of_numpy(self) -> None:
        with self.database.write(durable=False) as transaction:
            transaction.add(Item(8, numpy.array([-3, -4], numpy.int8)))
            transaction.add(Item(9, numpy.array([-3, 4.5], numpy.float16)))
        with self.database.read() as snapshot:
            items = snapshot.objects(Item)
            for dtype in (numpy.float32, numpy.float64, numpy.int64):
                found = items.where("NEAREST(embedding, %@, 2)", numpy.array([1, 0], dtype))
                self.assertEqual([item.number for item in found], [0, 1])
            wanted = numpy.array([-3, -4], numpy.float32)
            self.assertEqual([item.number for item in items.where("NEAREST(embedding, %@, 2, int8, dot)", wanted)], [8])
            half, = items.where("NEAREST(embedding, %@, 2, float16, euclidean)", wanted)
            self.assertEqual(numpy.frombuffer(half.embedding, numpy.float16).tolist(), [-3, 4.5])

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_masked_numbers_are_null_in_arguments_and_no_part_of_a_vector(self) -> None:
        masked = numpy.ma.masked_array
        with self.database.read() as snapshot:
            items = snapshot.objects(Item)
            self.assertEqual([item.number for item in items.where("number IN %@", masked([1, 2, 3], [0, 1, 0]))], [1, 3])
            self.assertEqual([item.number for item in items.where("embedding == %@", numpy.ma.masked)], [7])
            self.assertEqual([item.number for item in items.where("number == %@", numpy.array(5))], [5])
            with self.assertRaisesRegex(freehold.QueryError, "a list of numbers"):
                len(items.where("NEAREST(embedding, %@, 2)", masked([1, 0], [0, 1])))
            self.assertEqual(items.where("NEAREST(embedding, %@, 1)", masked([1, 0]))[0].number, 0)
        with self.database.write(durable=False) as transaction:
            item = transaction.get(Item, 0)
            item.embedding = masked(numpy.array([1, 2], numpy.float32), [1, 1])  # type: ignore[assignment]
            self.assertIsNone(item.embedding)
            item.embedding = masked(numpy.array([1, 2], numpy.float32), [0, 0])  # type: ignore[assignment]
            self.assertEqual(item.embedding, floats(1, 2).tobytes())
            with self.assertRaisesRegex(freehold.ValueTypeError, "has all its numbers or is missing"):
                item.embedding = masked(numpy.array([1, 2], numpy.float32), [0, 1])  # type: ignore[assignment]
            with self.assertRaisesRegex(freehold.FreeholdError, "required|null"):
                item.number = numpy.ma.masked

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_rows_of_an_array_are_inserted_and_read_as_vectors(self) -> None:
        for dtype in ("float32", "float16", "int8"):
            rows = numpy.arange(-300, 300, dtype=numpy.float32).reshape(300, 2) // 3
            with self.database.write(durable=False) as transaction:
                transaction.objects(Item).delete()
                # Every second column of a wider array, and big-endian numbers: what is not in the library's layout.
                wide = numpy.repeat(rows, 2, axis=1).astype(dtype)
                swapped = wide[:, ::2].astype(numpy.dtype(dtype).newbyteorder(">"))
                transaction.insert_columns(Item, {"number": range(300), "embedding": swapped})
                self.assertEqual(transaction.get(Item, 299).embedding, rows[299].astype(dtype).tobytes())
            with self.database.read() as snapshot:
                items = snapshot.objects(Item)
                read = items.vectors("embedding", dtype)
                self.assertEqual((read.dtype, read.tolist()), (numpy.dtype(dtype), rows.astype(dtype).tolist()))
                some = items.where("number >= 298").sorted("-number")
                self.assertEqual(some.vectors("embedding", dtype).tolist(), rows[:297:-1].astype(dtype).tolist())
                nearest, = items.where(f"NEAREST(embedding, %@, 1, {dtype}, euclidean)", rows[7])
                self.assertEqual(nearest.number in (6, 7, 8), True)

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_an_object_without_a_vector_has_a_row_without_numbers(self) -> None:
        with self.database.write(durable=False) as transaction:
            transaction.add(Item(8, b""))
            transaction.insert_columns(Item, {"number": [9, 10], "embedding": numpy.array([[1, 2], [3, 4]], numpy.float32)})
        with self.database.read() as snapshot:
            last = snapshot.objects(Item).where("number > 6")
            rows, missing = last.vectors("embedding", mask=True)
            self.assertEqual(missing.tolist(), [True, True, False, False])
            self.assertTrue(numpy.isnan(rows[:2]).all())
            self.assertEqual(rows[2:].tolist(), [[1, 2], [3, 4]])
            self.assertEqual(last.where("number < 9").vectors("embedding", "int8", 3).tolist(), [[0] * 3] * 2)
            self.assertEqual(last.where("number < 9").vectors("embedding").shape, (2, 0))
            self.assertEqual(last.where("number > 99").vectors("embedding", dimensions=5).shape, (0, 5))

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_mistakes_about_vectors_are_named(self) -> None:
        with self.database.write(durable=False) as transaction:
            with self.assertRaisesRegex(freehold.ValueTypeError, "'embedding': vectors are of .* not float64.*astype"):
                transaction.insert_columns(Item, {"number": [20, 21], "embedding": numpy.ones((2, 2))})
            transaction.add(Item(30, floats(1, 2, 3).tobytes()))
            transaction.add(Item(31, b"xyz"))
        with self.database.read() as snapshot:
            items = snapshot.objects(Item)
            with self.assertRaisesRegex(freehold.ValueTypeError, "vectors of 2 and of 3 numbers; name the dimensions"):
                items.vectors("embedding")
            rows, missing = items.vectors("embedding", dimensions=3, mask=True)
            self.assertEqual((rows[~missing].tolist(), int(missing.sum())), ([[1, 2, 3]], 9))
            for some in ("number = 31", "number >= 30", "number = 31 OR number = 3"):
                with self.assertRaisesRegex(freehold.ValueTypeError, "has a value of 3 bytes, which is no vector of float32; name the"):
                    items.where(some).vectors("embedding")
            with self.assertRaisesRegex(freehold.ValueTypeError, "'number' is int; vectors are in properties of type data"):
                items.vectors("number")
            with self.assertRaisesRegex(freehold.ArgumentError, "elements of vectors are 'float32', 'float16', 'int8', not 'double'"):
                items.vectors("embedding", "double")
            for wrong, text in ((0, "0"), (65_536, "65536"), (1 << 20_000, "an int of 20001 bits")):
                with self.assertRaisesRegex(freehold.ArgumentError, f"1 to 65,535 dimensions, not {text}$"):
                    items.vectors("embedding", dimensions=wrong)
            for name in (5, None, ["embedding"], {}):
                with self.assertRaisesRegex(freehold.ValueTypeError, "a property is named by a string, not"):
                    items.vectors(name)  # type: ignore[arg-type]
            for elements in (5, None, ["int8"], numpy.int8):
                with self.assertRaisesRegex(freehold.ValueTypeError, "elements of vectors are named by a string"):
                    items.vectors("embedding", elements)  # type: ignore[arg-type]
            for dimensions in ("3", 3.0, True, [3]):
                with self.assertRaisesRegex(freehold.ValueTypeError, "the dimensions of vectors are an int, not"):
                    items.vectors("embedding", dimensions=dimensions)  # type: ignore[arg-type]
            self.assertEqual(items.vectors("embedding", dimensions=numpy.int64(3)).shape, (10, 3))

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_vectors_are_no_longer_than_an_index_takes_them(self) -> None:
        with self.database.write(durable=False) as transaction:
            with self.assertRaisesRegex(freehold.ValueTypeError, r"'embedding': .*1 to 65,535 numbers.*\(2, 65536\) have 65,536"):
                transaction.insert_columns(Item, {"number": [20, 21], "embedding": numpy.zeros((2, 65_536), numpy.int8)})
            transaction.insert_columns(Item, {"number": [20, 21], "embedding": numpy.zeros((2, 65_535), numpy.int8)})
            transaction.add(Item(22, bytes(65_536)))
        with self.database.read() as snapshot:
            items = snapshot.objects(Item)
            self.assertEqual(items.where("number = 20").vectors("embedding", "int8").shape, (1, 65_535))
            with self.assertRaisesRegex(freehold.ValueTypeError, "a value of 65,536 bytes, which is no vector of int8"):
                items.where("number = 22").vectors("embedding", "int8")

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_a_masked_row_is_no_vector(self) -> None:
        rows = numpy.ma.masked_array(numpy.arange(6, dtype=numpy.float32).reshape(3, 2), [[0, 0], [1, 1], [0, 0]])
        with self.database.write(durable=False) as transaction:
            transaction.insert_columns(Item, {"number": [20, 21, 22], "embedding": rows})
            stored = [transaction.get(Item, number).embedding for number in (20, 21, 22)]
            self.assertEqual(stored, [floats(0, 1).tobytes(), None, floats(4, 5).tobytes()])
            rows.mask[2, 0] = True
            with self.assertRaisesRegex(freehold.ValueTypeError, "'embedding': row 2 of the array has masked numbers and others"):
                transaction.insert_columns(Item, {"number": [30, 31, 32], "embedding": rows})

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_arrays_of_another_shape_are_named(self) -> None:
        with self.database.write(durable=False) as transaction:
            for shape in ((2,), (2, 3, 4)):
                given = str(shape).replace("(", r"\(").replace(")", r"\)")
                with self.assertRaisesRegex(freehold.ValueTypeError, rf"'embedding' is .*of shape \(2, dimensions\), not {given}$"):
                    transaction.insert_columns(Item, {"number": [20, 21], "embedding": numpy.zeros(shape, numpy.float32)})
            with self.assertRaisesRegex(freehold.ValueTypeError, r"'number' is int: .*of shape \(2,\), not \(2, 1\)$"):
                transaction.insert_columns(Item, {"number": numpy.array([[20], [21]])})
            for value in (numpy.array(20), 20, None):
                with self.assertRaisesRegex(freehold.ValueTypeError, "the column 'number' is no list or array of values"):
                    transaction.insert_columns(Item, {"number": value})
            with self.assertRaisesRegex(freehold.ValueTypeError, "columns are a dictionary .*, not a list"):
                transaction.insert_columns(Item, [[20, 21]])  # type: ignore[arg-type]
            with self.assertRaisesRegex(freehold.ArgumentError, r"are a list: \['number'\]"):
                transaction.create_many(Item, [(20,)], "number")


if __name__ == "__main__":
    unittest.main()
