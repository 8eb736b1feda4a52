#!/usr/bin/env python3
"""Writes stores that are sound as databases, and damaged as stores.

    damaged_stores.py FOLDER SEED COUNT     SEED.sqlite …
"""

import os
import plistlib
import random
import shutil
import sqlite3
import sys
import zlib

from core_data_store import quote
from random_stores import random_store

NAMES = ["", "$x", "Person", "Note", "Größe", "NSCKEvent", "x" * 300, "Z_PK", "a.b"]


def any_value(rnd):
    return rnd.choice([
        None, 0, 1, -1, 2**62, -(2**63), 0.5, 1e308, -1e300, float("inf"), "", "text", "1.5e400", "NaN", "x" * 5000, b"", b"\x01", b"\x02",
        b"\x02" + b"../../../../../../etc/passwd".ljust(36, b"/"), b"\x02" + b"0" * 36, b"bplist00", rnd.randbytes(16), rnd.randbytes(40),
    ])


def damage_model(rnd, content):
    """Changes bytes of the archive, then compresses it again; or leaves compressed data damaged."""
    choice = rnd.randrange(6)
    if choice == 0:
        return mutated(rnd, content)
    if choice == 1:
        return any_value(rnd)
    archive = zlib.decompress(content, -15)
    if choice == 2:
        archive = mutated(rnd, archive)
    else:
        archive = rewired(rnd, archive)
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return packer.compress(archive) + packer.flush() if choice < 5 else archive


def mutated(rnd, content):
    content = bytearray(content)
    for _ in range(rnd.randrange(1, 8)):
        place = rnd.randrange(len(content)) if content else 0
        if rnd.random() < 0.7 and content:
            content[place] = rnd.choice([0, 1, 255, 0x80, rnd.randrange(256)])
        else:
            del content[place:place + rnd.randrange(1, 9)]
    return bytes(content)


def rewired(rnd, archive):
    """Lets references of the archive lead elsewhere, and fields have other values."""
    root = plistlib.loads(archive)
    objects = root["$objects"]
    for _ in range(rnd.randrange(1, 10)):
        instance = rnd.choice([o for o in objects if isinstance(o, dict)])
        key = rnd.choice(list(instance))
        values = [plistlib.UID(rnd.randrange(len(objects) + 2)), rnd.randrange(-2, 2200), "text", [], True, {}, b"x", rnd.choice(objects)]
        if isinstance(instance[key], list) and instance[key] and rnd.random() < 0.7:
            instance[key][rnd.randrange(len(instance[key]))] = rnd.choice(values)
        else:
            instance[key] = rnd.choice(values)
    return plistlib.dumps(root, fmt=plistlib.FMT_BINARY, sort_keys=False)


def damage_tables(rnd, db):
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for _ in range(rnd.randrange(0, 8)):
        table = rnd.choice(tables)
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({quote(table)})")]
        column, choice = rnd.choice(columns), rnd.randrange(8)
        try:
            if choice < 4:
                some = f"SELECT rowid FROM {quote(table)} ORDER BY rowid * {rnd.randrange(1, 101)} % 101 LIMIT 2"
                where = "" if rnd.random() < 0.2 else f"WHERE rowid IN ({some})"
                db.execute(f"UPDATE {quote(table)} SET {quote(column)} = ? {where}", (any_value(rnd),))
            elif choice == 4:
                other = rnd.choice(["ZNAME", "Z_FOK_A", "Z9X", "x"])
                db.execute(f"ALTER TABLE {quote(table)} RENAME COLUMN {quote(column)} TO {quote(other)}")
            elif choice == 5:
                other = "Z" + rnd.choice(NAMES).upper()
                db.execute(f"ALTER TABLE {quote(table)} ADD COLUMN {quote(other)} {rnd.choice(['BLOB', 'INTEGER', ''])}")
            elif choice == 6:
                db.execute(f"ALTER TABLE {quote(table)} DROP COLUMN {quote(column)}")
            else:
                db.execute(f"ALTER TABLE {quote(table)} RENAME TO {quote(rnd.choice(['ZPERSON', 'Z_1X', 'Z_2TO1X', 'ACHANGE']))}")
                tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        except sqlite3.Error:
            # What the database does not allow is no damage.
            pass


def damage_entities(rnd, db):
    for _ in range(rnd.randrange(0, 4)):
        column = rnd.choice(["Z_NAME", "Z_SUPER", "Z_ENT"])
        value = rnd.choice(NAMES) if column == "Z_NAME" else rnd.choice([0, 1, 2, 3, 99, 16001, -1, None, "x"])
        try:
            some = f"SELECT rowid FROM Z_PRIMARYKEY ORDER BY rowid * {rnd.randrange(1, 101)} % 101 LIMIT 1"
            db.execute(f"UPDATE Z_PRIMARYKEY SET {column} = ? WHERE rowid IN ({some})", (value,))
        except sqlite3.Error:
            pass


def damage_files(rnd, path):
    folder = os.path.join(os.path.dirname(path), f".{os.path.splitext(os.path.basename(path))[0]}_SUPPORT", "_EXTERNAL_DATA")
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        file, choice = os.path.join(folder, name), rnd.randrange(4)
        if choice < 3:
            os.unlink(file)
        if choice == 1:
            os.mkdir(file)
        if choice == 2:
            os.symlink("/dev/zero", file)


def main(folder, first, count):
    for seed in range(first, first + count):
        store, rnd = random_store(seed, folder), random.Random(f"damage {seed}")
        store.pragmas = ["PRAGMA page_size=1024"]
        db = store.write()
        content = db.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()[0]
        choice = rnd.randrange(4)
        if choice < 2:
            db.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", (damage_model(rnd, content),))
        elif choice == 2 and rnd.random() < 0.5:
            db.execute("DROP TABLE Z_MODELCACHE")
        damage_entities(rnd, db)
        damage_tables(rnd, db)
        damage_files(rnd, store.path)
        db.close()
        if not store.path.endswith(".sqlite"):
            shutil.move(store.path, os.path.join(folder, f"{seed}.sqlite"))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
