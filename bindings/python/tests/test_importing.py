"""Databases of other kinds become objects, once."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import freehold

from kit import Case


class ImportTests(Case):
    def place(self, name: str) -> str:
        return os.path.join(os.path.dirname(self.path), name)

    def source(self, name: str = "shop.sqlite", rows: int = 3) -> Path:
        path = Path(self.place(name))
        database = sqlite3.connect(path)
        database.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, next INTEGER REFERENCES item)")
        database.executemany("INSERT INTO item VALUES (?, ?, ?)", [(n, f"item {n}", n + 1) for n in range(rows)])
        database.commit()
        database.close()
        return path

    def test_an_import_is_declared_where_a_database_is_opened(self) -> None:
        calls: list[tuple[int, int, bool]] = []
        source = freehold.ImportSource(self.source(), rules=["map item=Item"], progress=lambda *call: calls.append(call))
        with freehold.open(self.place("d"), importing=source) as database, database.read() as snapshot:
            items = list(snapshot.objects("Item"))
            self.assertEqual([item.name for item in items], ["item 0", "item 1", "item 2"])
            self.assertEqual(items[0].next.name, "item 1")
            self.assertIsNone(items[2].next)
            self.assertTrue(calls and all(written <= total and not waiting for written, total, waiting in calls))
            self.assertFalse(database.import_from(source).is_new)

    def test_an_import_tells_what_it_brought(self) -> None:
        with freehold.open(self.place("d")) as database:
            report = database.import_from(freehold.ImportSource(self.source(), name="mine"))
            self.assertEqual((report.classes, report.objects, report.missing_links, report.is_new), (1, 3, 1, True))

    def test_a_path_is_a_source(self) -> None:
        path = self.source()
        with freehold.open(self.place("d"), importing=path) as database, database.read() as snapshot:
            self.assertEqual(len(snapshot.objects("item")), 3)
            self.assertFalse(database.import_from(str(path)).is_new)

    def test_a_damaged_source_is_no_damage_of_the_database(self) -> None:
        path = self.source(rows=2000)
        whole = path.read_bytes()
        path.write_bytes(whole[:len(whole) // 2])
        with self.assertRaises(freehold.SourceDamageError) as raised:
            freehold.open(self.place("d"), importing=path)
        self.assertIsInstance(raised.exception, freehold.DamageError)
        self.assertIn("; what can still be read: the first ", str(raised.exception))
        self.assertEqual(os.fspath(raised.exception.path), os.fspath(path))
        path.write_bytes(whole)
        with freehold.open(self.place("d"), importing=path) as database, database.read() as snapshot:
            self.assertEqual(len(snapshot.objects("item")), 2000)

    def test_the_programs_own_connection_keeps_its_locks(self) -> None:
        path = self.source()
        script = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None).execute('BEGIN IMMEDIATE')"

        def others_can_write() -> bool:
            return subprocess.run([sys.executable, "-c", script, path], capture_output=True, check=False).returncode == 0

        def open_descriptors() -> int:
            links = (f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd"))
            return sum(os.path.exists(link) and os.path.samefile(link, path) for link in links)

        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        self.assertFalse(others_can_write())
        for name in ("one", "two"):
            with freehold.open(self.place("d"), importing=freehold.ImportSource(path, name=name, rules=[f"map item={name}"])):
                self.assertFalse(others_can_write())
        self.assertLess(open_descriptors(), 4)
        connection.execute("INSERT INTO item VALUES (100, 'last', NULL)")
        connection.execute("COMMIT")
        self.assertTrue(others_can_write())
        connection.close()
        with freehold.open(self.place("d"), importing=freehold.ImportSource(path, name="three")) as database, database.read() as snapshot:
            self.assertEqual(len(snapshot.objects("item")), 4)
        self.assertEqual(open_descriptors(), 0)

    def test_a_stopped_import_continues(self) -> None:
        source = self.source(rows=200)

        def stop(*_: object) -> bool:
            raise KeyError("stop")

        with self.assertRaises(KeyError):
            freehold.open(self.place("d"), importing=freehold.ImportSource(source, progress=stop))
        with freehold.open(self.place("d")) as database, database.read() as snapshot:
            self.assertEqual(list(snapshot.classes), [])
        with freehold.open(self.place("d"), importing=freehold.ImportSource(source)) as database, database.read() as snapshot:
            self.assertEqual(len(snapshot.objects("item")), 200)

    def test_a_missing_source_is_nothing_to_import_unless_it_must_exist(self) -> None:
        with freehold.open(self.place("d"), importing=freehold.ImportSource(self.place("none"))) as database:
            with self.assertRaises(freehold.NotFoundError):
                database.import_from(freehold.ImportSource(self.place("none"), must_exist=True))
            with self.assertRaises(freehold.ArgumentError):
                database.import_from(freehold.ImportSource(self.source(), rules=["colour"]))
            with self.assertRaises(freehold.ArgumentError):
                database.import_from(self.place("shop.sqlite") + "\0other")
