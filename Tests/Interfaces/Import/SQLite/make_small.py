"""Writes small databases that have everything, for tests that damage them: `make_small.py FOLDER`."""

import os
import random
import shutil
import sqlite3
import sys

SCHEMA = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT, height REAL, photo BLOB, active BOOLEAN, born DATE);
    CREATE TABLE pair(a INT, b TEXT, c BLOB, PRIMARY KEY(b, a)) WITHOUT ROWID;
    CREATE TABLE child(id INTEGER PRIMARY KEY, parent INT REFERENCES person(id), code DECIMAL(9, 2), u UUID);
    CREATE TABLE person_child(person INT REFERENCES person, child INT REFERENCES child);
    CREATE INDEX by_age ON person(age, name);
    CREATE VIEW v AS SELECT name FROM person;
"""


def main(folder):
    for name, page_size, encoding, vacuum, journal, rows in [
        ("plain", 512, "UTF-8", 0, "DELETE", 150),
        ("utf16", 1024, "UTF-16be", 0, "DELETE", 150),
        ("log", 512, "UTF-16le", 0, "WAL", 120),
        ("vacuum", 512, "UTF-8", 2, "DELETE", 150),
        ("large", 4096, "UTF-8", 1, "DELETE", 80),
    ]:
        make(os.path.join(folder, name + ".sqlite"), page_size, encoding, vacuum, journal, rows)


def make(path, page_size, encoding, vacuum, journal, rows):
    chance = random.Random(path.rsplit("/", 1)[-1])
    work = path + ".work"
    connection = sqlite3.connect(work, isolation_level=None)
    for pragma in (f"page_size = {page_size}", f"encoding = '{encoding}'", f"auto_vacuum = {vacuum}", f"journal_mode = {journal}"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.executescript(SCHEMA)
    connection.execute("BEGIN")
    for row in range(rows):
        length = chance.choice([0, 3, 20, 60, page_size * 2])
        name, age = f"näme {row} " + "x" * (length // 2), chance.choice([None, row, 2**40])
        person = (row * 2, name, age, chance.random(), chance.randbytes(length), row % 2, 1e9 + row)
        connection.execute("INSERT INTO person VALUES(?, ?, ?, ?, ?, ?, ?)", person)
        pair = (row % 7, f"key {row}" * chance.choice([1, 1, 1, 40]), chance.randbytes(length // 4))
        connection.execute("INSERT INTO pair VALUES(?, ?, ?)", pair)
        connection.execute("INSERT INTO child VALUES(?, ?, ?, ?)", (None, row * 2, row / 4, chance.randbytes(16)))
        connection.execute("INSERT INTO person_child VALUES(?, ?)", (row * 2, row))
    connection.execute("COMMIT")
    connection.execute("ALTER TABLE person ADD COLUMN added TEXT DEFAULT 'new'")
    connection.execute("DELETE FROM person WHERE id % 6 = 0")
    shutil.copy(work, path)
    if os.path.exists(work + "-wal"):
        shutil.copy(work + "-wal", path + "-wal")
    connection.close()
    for end in ("", "-wal", "-shm"):
        if os.path.exists(work + end):
            os.remove(work + end)


if __name__ == "__main__":
    main(sys.argv[1])
