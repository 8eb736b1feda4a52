"""Whole files: their classes, copies, keys, and what lives in memory."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import unittest
from pathlib import Path

import freehold
from kit import Case, Dog


class Files(Case):
    @unittest.skipUnless(sys.platform == "linux", "descriptors are closed as on Linux")
    def test_what_a_program_without_standard_output_prints_does_not_reach_the_file(self) -> None:
        self.people(3).close()
        program = (
            "import os, sys\n"
            "os.close(0), os.close(1), os.close(2)\n"
            "import freehold\n"
            "database = freehold.open(sys.argv[1])\n"
            "wrote = 0\n"
            "for descriptor in range(3):\n"
            "    try: wrote += os.pwrite(descriptor, b'x' * 4096, 0)\n"
            "    except OSError: pass\n"
            "with database.write(durable=False) as transaction: transaction.set_schema_version(7)\n"
            "database.close()\n"
            "sys.exit(42 if wrote == 0 else 43)\n"
        )
        result = subprocess.run([sys.executable, "-B", "-c", program, str(self.path)], check=False, timeout=60)
        self.assertEqual(result.returncode, 42, "no descriptor of 0 to 2 is a file of the database")
        with freehold.open(self.path) as database, database.read() as snapshot:
            self.assertEqual((len(snapshot.objects("Person")), database.check().problems), (3, ()))

    def test_classes_grow_and_differences_are_told(self) -> None:
        self.people(2)

        @freehold.model(name="Person")
        class Wider:
            id: int = freehold.field(primary_key=True)
            city: str = ""

        database = freehold.open(self.path, [Wider])
        with database.write() as transaction:
            transaction.get(Wider, 1).city = "Oslo"
            self.assertIn("city", transaction.classes["Person"].places)
            transaction.rename_property(Wider, "city", "town")
            transaction.set_indexed(Wider, "town")
            transaction.drop_property(Wider, "notes")
            transaction.set_schema_version(3)
            self.assertEqual((transaction.get("Person", 1).town, transaction.schema_version), ("Oslo", 3))

        @freehold.model(name="Person")
        class Other:
            id: str = freehold.field(primary_key=True)

        with self.assertRaisesRegex(freehold.SchemaError, "Property 'Person.id' has been changed from 'int' to 'string'"):
            freehold.open(self.path, [Other])

    def test_a_destroyed_root_is_told(self) -> None:
        database = self.people(50)
        with database.write() as transaction:
            transaction.get("Person", 1).name = "newest"
        version = database.sizes().durable_version
        self.assertIsNone(database.sizes().lost_version)
        database.close()
        whole, told = Path(self.path).read_bytes(), []
        for slot in (4096, 8192):
            damaged = bytearray(whole)
            for place in (slot, 12288, 12800):
                damaged[place:place + 120] = bytes(120)
            Path(self.path).write_bytes(damaged)
            with freehold.open(self.path) as opened:
                told.append(opened.sizes().lost_version)
                kinds = [problem.kind for problem in opened.check().problems]
                self.assertEqual(kinds, [] if told[-1] is None else ["lostVersion"])
            # It is reported until somebody says that he knows.
            with freehold.open(self.path) as opened:
                self.assertEqual(opened.sizes().lost_version, told[-1])
                opened.acknowledge_lost_version()
                self.assertIsNone(opened.sizes().lost_version)
            with freehold.open(self.path) as opened:
                self.assertIsNone(opened.sizes().lost_version)
        self.assertEqual(set(told), {None, version})

    def test_care(self) -> None:
        database = self.people(50)
        database.flush()
        database.copy(self.path + "-copy")
        self.assertGreater(database.backup(self.path + "-backup"), 0)
        before, after = database.compact()
        self.assertGreaterEqual(before, after)
        report = database.check()
        self.assertEqual((report.objects, report.problems), (50, ()))
        self.assertGreaterEqual(database.sizes().holders, 0)
        for name in ("-copy", "-backup"):
            with freehold.open(self.path + name, read_only=True) as other, other.read() as snapshot:
                self.assertEqual(len(snapshot.objects("Person")), 50)
                with self.assertRaises(freehold.ReadOnlyError):
                    other.write()
        with self.assertRaises(freehold.InUseError):
            freehold.delete(self.path)
        database.close()
        self.assertTrue(freehold.delete(self.path))
        self.assertFalse(freehold.delete(self.path) or freehold.exists(self.path))
        with self.assertRaises(FileNotFoundError):
            freehold.open(self.path, must_exist=True)

    def test_encryption(self) -> None:
        key = freehold.generate_key()
        with freehold.open(self.path, [Dog], key=key) as database:
            with database.write() as transaction:
                transaction.add(Dog("Rex"))
            with self.assertRaises(TypeError):
                multiprocessing.reduction.ForkingPickler.dumps(database)
            database.copy(self.path + "-plain", same_key=False)
        with self.assertRaises(freehold.WrongKeyError):
            freehold.open(self.path)
        with self.assertRaises(freehold.WrongKeyError):
            freehold.open(self.path, key=freehold.generate_key())
        with freehold.open(self.path + "-plain") as plain, plain.read() as snapshot:
            self.assertEqual(snapshot.objects("Dog")[0].name, "Rex")

    def test_in_memory(self) -> None:
        name = f"freehold-python-{os.getpid()}"
        first, second = (freehold.open(name, [Dog], in_memory=True) for _ in range(2))
        with first.write() as transaction:
            transaction.add(Dog("Rex"))
        with second.read() as snapshot:
            self.assertEqual(len(snapshot.objects(Dog)), 1)

    def test_the_example_runs(self) -> None:
        example = Path(__file__).parents[3] / "Examples" / "python" / "sensors.py"
        done = subprocess.run([sys.executable, str(example), self.path], check=True, capture_output=True, text=True)
        self.assertIn("kitchen", done.stdout)


if __name__ == "__main__":
    unittest.main()
