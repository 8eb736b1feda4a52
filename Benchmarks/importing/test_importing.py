"""Tests of the databases that are imported, and of how imports are measured: python3 -m unittest discover Benchmarks"""

import itertools
import os
import shutil
import sqlite3
import struct
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from importing import answers, measuring
from importing.measuring import Failure, measure
from importing.people import ROWS_AT_ONCE, persons
from importing.realm_file import HEADER_BYTES, RealmFile, _packed
from importing.sources import source
from importing.workloads import Importing
from running.workloads import WORKLOADS as TABLE

#: Of each column, a statement that changes a value of it.
CHANGES = {
    "name": "name = 'Nobody' WHERE instr(name, 'son-9')",
    "city": "city = 'city-7' WHERE city <> 'city-7'",
    "age": "age = age + 1",
    "score": "score = score + 1.0 / 16384",
    "active": "active = 1 - active",
    "created": "created = created + 1",
    "note": "note = NULL WHERE note IS NOT NULL",
    "token": "token = NULL WHERE token IS NOT NULL",
    "home": "home = NULL WHERE home IS NOT NULL",
}


class SourceTests(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def test_persons_are_the_same_for_every_call_and_do_not_depend_on_how_many_are_read(self):
        some = [row for part in persons(100) for row in part.rows()]
        self.assertEqual(some, [row for part in persons(100) for row in part.rows()])
        count = ROWS_AT_ONCE + 5
        rows = list(itertools.chain.from_iterable(part.rows() for part in persons(count)))
        self.assertEqual([row[0] for row in rows], list(range(count)))
        self.assertEqual({len(row) for row in rows}, {10})
        self.assertEqual([place for place in range(10) if any(row[place] is None for row in rows)], [7, 8, 9])

    def test_both_databases_have_the_answer_that_the_database_gives(self):
        path, answer = source(self.folder, "sqlite", 3000)
        self.assertEqual(answers.of_sqlite(path), answer)
        self.assertEqual(answer.count, 3000)
        self.assertTrue(all(vars(answer).values()), answer)
        self.assertEqual(source(self.folder, "realm", 3000)[1], answer)

    def test_a_change_of_any_column_changes_the_answer(self):
        path, answer = source(self.folder, "sqlite", 3000)
        database = sqlite3.connect(path, isolation_level=None)
        self.addCleanup(database.close)
        columns = [row[1] for row in database.execute("PRAGMA table_info(person)")]
        self.assertEqual(set(columns), {"id", *CHANGES})
        for column, change in CHANGES.items():
            database.execute("BEGIN")
            self.assertGreater(database.execute(f"UPDATE person SET {change}").rowcount, 0, column)
            changed = answers.Answer(*database.execute(answers.OF_SQLITE).fetchone())
            database.execute("ROLLBACK")
            self.assertNotEqual(changed, answer, column)

    def test_a_source_is_written_once(self):
        path, answer = source(self.folder, "sqlite", 10)
        path.write_bytes(b"")
        self.assertEqual(source(self.folder, "sqlite", 10), (path, answer))
        self.assertEqual(path.read_bytes(), b"")

    def test_a_realm_file_begins_with_the_reference_to_its_top_array(self):
        path, _ = source(self.folder, "realm", 1000)
        content = path.read_bytes()
        top, other, mark, formats = struct.unpack_from("<QQ4s4s", content)
        self.assertEqual((other, mark, formats[3] & 1), (0, b"T-DB", 0))
        self.assertEqual((top % 8, len(content) % 8), (0, 0))
        self.assertEqual(content[top + 4] & 0x40, 0x40)
        self.assertEqual(content[top + 5 : top + 8], b"\0\0\x07")

    def test_integers_are_as_narrow_as_they_allow(self):
        self.assertEqual(_packed([1, 0, 1, 1, 0, 0, 0, 0, 1], 1), bytes([0b1101, 1]))
        self.assertEqual(_packed([3, 1, 2], 2), bytes([0b100111]))
        self.assertEqual(_packed([9, 15, 1], 4), bytes([0xF9, 1]))
        file = RealmFile(self.folder / "ints")
        for number, code in [(0, 0), (1, 1), (3, 2), (15, 3), (-1, 4), (127, 4), (128, 5), (1 << 20, 6), (1 << 40, 7)]:
            reference = file.ints([0, number])
            file._file.flush()
            header = (self.folder / "ints").read_bytes()[reference : reference + 8]
            self.assertEqual((header[4], int.from_bytes(header[5:8], "big")), (code, 2), number)
        self.assertGreater(reference, HEADER_BYTES)
        file.finish(reference)


class MeasuringTests(unittest.TestCase):
    def test_commands_read_one_from_the_other_and_their_memory_is_added_up(self):
        hold = "import sys; held = bytearray(b'1') * (32 << 20); open(sys.argv[1]).read(); "
        with tempfile.TemporaryDirectory() as name:
            waiting = [Path(name, "first"), Path(name, "second")]
            for pipe in waiting:
                os.mkfifo(pipe)
            memory, seen = measuring._memory, set()

            def sample(process):
                """Lets each command end when its memory has been seen."""
                found = memory(process)
                if min(found) > 32 << 20 and process not in seen:
                    seen.add(process)
                    if len(seen) == 2:
                        for pipe in waiting:
                            pipe.write_text("go on")
                return found

            commands = [[sys.executable, "-c", hold + end, pipe] for end, pipe in zip(("print(7)", "assert input() == '7'"), waiting)]
            with mock.patch.object(measuring, "_memory", sample):
                measured = measure(*commands)
        self.assertGreater(measured.own_bytes, 64 << 20)
        self.assertGreater(measured.peak_bytes, measured.own_bytes)
        self.assertGreater(measured.seconds, 0)
        self.assertGreater(measured.processor_seconds, 0)

    def test_a_command_that_fails_is_told_with_what_it_said(self):
        with self.assertRaisesRegex(Failure, "ended with 3: no room"):
            measure([sys.executable, "-c", "import sys; print('no room', file=sys.stderr); sys.exit(3)"])

    @unittest.skipUnless(shutil.which("sqlite3"), "the program sqlite3 is not installed")
    def test_sqlite_copies_and_answers_and_reads_no_realm_file(self):
        with tempfile.TemporaryDirectory() as name:
            importing = Importing("sqlite", 1000, Path(name), Path(name, "sources"))
            lines = importing.run("import_sqlite")
            figures = [row.name for row in TABLE["import_sqlite"]]
            self.assertEqual([line.split()[0] for line in lines], [*figures, "check"])
            self.assertEqual([line.split()[2] for line in lines[:-1]], [row.unit for row in TABLE["import_sqlite"]])
            self.assertEqual([line.split()[0] for line in importing.run("import_realm")], ["skip"])
            self.assertEqual([line.split()[0] for line in importing.run("bulk_insert")], ["skip"])

    @unittest.skipUnless(shutil.which("sqlite3"), "the program sqlite3 is not installed")
    def test_a_copy_with_another_answer_is_an_error(self):
        with tempfile.TemporaryDirectory() as name:
            importing = Importing("sqlite", 1000, Path(name), Path(name, "sources"))
            source(importing.sources, "sqlite", 1000)
            database = sqlite3.connect(importing.sources / "people.sqlite")
            with database:
                database.execute("UPDATE person SET age = 1 - age WHERE id = 500")
            database.close()
            with self.assertRaisesRegex(Failure, "should answer"):
                importing.run("import_sqlite")


if __name__ == "__main__":
    unittest.main()
