"""Writes random SQLite databases with Python's sqlite3, and beside each what SQLite itself reads from it.

    make_databases.py FOLDER FIRST COUNT

writes FOLDER/SEED.sqlite, with its -wal if it has one, and FOLDER/SEED.dump for each seed. A dump has a line for each
table, `table NAME`, and after it one for each row in the order of its keys: the rowid, or the position in a table WITHOUT
ROWID, and the values. `n` is null, `i` an integer, `r` the bits of a double, `t` and `b` the bytes of a text (UTF-8) and a
blob; everything in hexadecimal but integers.
"""

import os
import random
import shutil
import sqlite3
import struct
import sys

from write_ahead_log import in_other_byte_order

VERSION = sqlite3.sqlite_version_info
TYPES = ["INTEGER", "INT", "BIGINT", "TEXT", "VARCHAR(40)", "CLOB", "REAL", "DOUBLE PRECISION", "FLOAT", "BLOB", "", "NUMERIC",
         "DECIMAL(10, 2)", "BOOLEAN", "DATE", "DATETIME", "UUID", "FLOATING POINT", "STRING", "unsigned big int"]
STRICT_TYPES = ["INT", "INTEGER", "REAL", "TEXT", "BLOB", "ANY"]
ODD_NAMES = ["select", "a b", "it's", 'say "hi"', "größe", "日本", "[x", "tick`", "x--y", "comma,name", "paren)", "PRIMARY", "1st"]
STARTS = ["i", "ab", "Zz", "long_name_"]


def main(folder, first, count):
    os.makedirs(folder, exist_ok=True)
    for seed in range(first, first + count):
        Maker(folder, seed).make()


class Maker:
    def __init__(self, folder, seed):
        self.random = random.Random(seed)
        self.path = os.path.join(folder, f"{seed}.sqlite")
        self.work = os.path.join(folder, f"{seed}.work")
        self.tables = []
        self.encoding = self.random.choice(["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"])
        self.page_size = self.random.choice([512, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536])
        self.journal = self.random.choice(["delete", "truncate", "persist", "memory", "wal", "wal", "wal"])

    def make(self):
        self.remove(self.work)
        self.remove(self.path)
        self.start()
        connection = self.connect(self.work)
        connection.execute(f"PRAGMA journal_mode = {self.journal}")
        if self.journal == "wal":
            connection.execute(f"PRAGMA wal_autocheckpoint = {self.random.choice([0, 0, 5, 1000])}")
        if self.random.random() < 0.5:
            connection.execute("PRAGMA cache_size = 10")
        for _ in range(self.random.choice([1, 1, 2, 3, 5])):
            self.create_table(connection)
        self.create_others(connection)
        for _ in range(self.random.randint(1, 6)):
            self.change(connection)
        whole = self.keep(connection)
        try:
            self.dump()
        except sqlite3.DatabaseError:
            # The log was cut before frames that had been copied to the database.
            self.remove(self.work)
            with open(self.path + "-wal", "wb") as file:
                file.write(whole)
            self.dump()
        self.remove(self.work)

    def start(self):
        """A database of one page, with the features that pragmas cannot ask for put in by hand."""
        connection = self.connect(self.work)
        connection.execute(f"PRAGMA page_size = {self.page_size}")
        connection.execute(f"PRAGMA encoding = '{self.encoding}'")
        connection.execute(f"PRAGMA auto_vacuum = {self.random.choice([0, 0, 1, 2])}")
        connection.execute("PRAGMA user_version = 7")
        connection.close()
        reserved = self.random.choice([0, 0, 0, 8, 32]) if self.page_size > 512 else self.random.choice([0, 0, 32])
        form = self.random.choice([1, 2, 3, 4, 4, 4, 4])
        with open(self.work, "r+b") as file:
            file.seek(20)
            file.write(bytes([reserved]))
            file.seek(47)
            file.write(bytes([form]))
            file.seek(105)
            file.write(struct.pack(">H", (self.page_size - reserved) & 0xFFFF))

    def connect(self, path):
        connection = sqlite3.connect(path, isolation_level=None)
        connection.text_factory = Text
        connection.execute("PRAGMA synchronous = OFF")
        # SQLite's own random numbers cannot be given a seed.
        connection.create_function("one_in", 1, lambda count: self.random.randrange(count) == 0)
        return connection

    # Schemas

    def name(self, taken):
        while True:
            name = self.random.choice(STARTS) + str(self.random.randint(0, 999))
            if self.random.random() < 0.15:
                name = self.random.choice(ODD_NAMES)
            if name.lower() not in taken:
                taken.add(name.lower())
                return name

    def quoted(self, name):
        ways = ['"' + name.replace('"', '""') + '"', "`" + name.replace("`", "``") + "`"]
        if "]" not in name:
            ways.append(f"[{name}]")
        if name.isascii() and name.replace("_", "").isalnum() and name[0].isalpha() and name not in ODD_NAMES:
            ways += [name] * 4
        return self.random.choice(ways)

    def blank(self):
        return self.random.choice([" "] * 12 + ["\n  ", " /* a, b) */ ", " -- (note,\n "])

    def create_table(self, connection):
        taken = {"rowid", "oid", "_rowid_"}
        name = self.name({table["name"].lower() for table in self.tables} | {"v"})
        columns = [self.name(taken) for _ in range(self.random.choice([1, 2, 3, 3, 5, 8, 40]))]
        kind = self.random.choice(["plain", "alias", "alias", "key", "composite", "without", "without"])
        strict = VERSION >= (3, 37) and self.random.random() < 0.1
        lines, values = [], []
        for index, column in enumerate(columns):
            kind_of = self.random.choice(STRICT_TYPES if strict else TYPES)
            text = self.quoted(column) + self.blank()
            if index == 0 and kind == "alias":
                text += "INTEGER" + self.blank() + "PRIMARY" + self.blank() + "KEY"
                text += self.random.choice(["", " AUTOINCREMENT", " ASC", " NOT NULL"])
            elif index == 0 and kind == "key":
                text += (kind_of or "TEXT") + self.blank() + "PRIMARY KEY" + self.random.choice(["", " DESC"])
                if kind_of == "INTEGER":
                    text += " ON CONFLICT REPLACE"
            else:
                text += kind_of + self.column_constraints(kind_of, index)
            values.append(kind_of)
            lines.append(text)
        generated = []
        if VERSION >= (3, 31) and self.random.random() < 0.25 and kind != "composite":
            for place in range(self.random.randint(1, 2)):
                new = self.name(taken)
                expression = self.random.choice(["1 + 1", "'a' || 'b)'", f"typeof({self.double_quoted(columns[0])})"])
                stored = self.random.choice([" STORED", " VIRTUAL", ""])
                at = self.random.randint(1, len(lines))
                text = f"{self.quoted(new)} {'ANY' if strict else self.random.choice(['', 'TEXT', 'INT'])} "
                lines.insert(at, text + self.random.choice(["GENERATED ALWAYS AS", "AS"]) + f" ({expression}){stored}")
                columns.insert(at, new)
                values.insert(at, None)
                generated.append((new, stored))
        key = []
        usable = [column for column, value in zip(columns, values) if value is not None]
        if kind in ("composite", "without"):
            key = self.random.sample(usable, min(len(usable), self.random.randint(1, 3)))
            terms = [self.quoted(column) + self.random.choice(["", "", " DESC", " COLLATE NOCASE"]) for column in key]
            if kind == "without" and self.random.random() < 0.2:
                terms.append(self.quoted(key[0]) + " COLLATE RTRIM")
            lines.append(self.random.choice(["", "CONSTRAINT pk "]) + f"PRIMARY KEY ({', '.join(terms)})")
        if self.random.random() < 0.2:
            lines.append(f"CHECK (1 > 0 OR 'x,)' IS NULL)")
        ends = [part for part in ["WITHOUT ROWID" if kind == "without" else "", "STRICT" if strict else ""] if part]
        separator = "," + self.blank()
        connection.execute(f"CREATE TABLE {self.quoted(name)}{self.blank()}({separator.join(lines)}) {', '.join(ends)}")
        self.tables.append(
            {"name": name, "columns": columns, "types": values, "kind": kind, "strict": strict, "generated": dict(generated)})
        if self.random.random() < 0.3:
            column = self.double_quoted(self.random.choice(usable))
            connection.execute(f"CREATE INDEX \"index {len(self.tables)}\" ON {self.double_quoted(name)} ({column})")

    def double_quoted(self, name):
        return '"' + name.replace('"', '""') + '"'

    def column_constraints(self, kind_of, index):
        text = ""
        if self.random.random() < 0.1:
            text += self.blank() + "CONSTRAINT c CHECK (1 OR (2, 3) = (4, 5))"
        if self.random.random() < 0.1:
            literals = ["7", "-1.5", "'it''s'", "NULL", "(1 + 2)", "x'00ff'", "CURRENT_TIMESTAMP", "TRUE"]
            text += self.blank() + "DEFAULT " + self.random.choice(literals)
        if self.random.random() < 0.1:
            text += self.blank() + "COLLATE " + self.random.choice(["NOCASE", "RTRIM", "BINARY"])
        if self.random.random() < 0.1:
            text += self.blank() + "REFERENCES other (a) ON DELETE SET NULL ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED"
        return text

    def create_others(self, connection):
        if self.random.random() < 0.3:
            connection.execute("CREATE VIEW v AS SELECT 1 AS a, 2 AS b")
        if self.random.random() < 0.2:
            name = self.double_quoted(self.tables[0]["name"])
            connection.execute(f"CREATE TRIGGER t AFTER DELETE ON {name} BEGIN SELECT 1; END")
        if self.random.random() < 0.2:
            connection.execute("CREATE VIRTUAL TABLE vt USING rtree(id, low, high)")

    # Contents

    def change(self, connection):
        what = self.random.random()
        table = self.random.choice(self.tables)
        connection.execute("BEGIN")
        if what < 0.62:
            self.insert(connection, table, self.random.choice([1, 5, 20, 60, 200]))
        elif what < 0.75:
            self.update(connection, table)
        elif what < 0.9:
            connection.execute(f"DELETE FROM {self.double_quoted(table['name'])} WHERE one_in({self.random.choice([2, 3, 10])})")
        else:
            self.alter(connection, table)
        connection.execute("ROLLBACK" if self.random.random() < 0.05 and what < 0.9 else "COMMIT")
        if self.random.random() < 0.1:
            try:
                connection.execute("VACUUM" if self.random.random() < 0.5 else "PRAGMA incremental_vacuum(3)").fetchall()
            except sqlite3.OperationalError:
                pass  # Some versions of SQLite fail on generated columns.
        if self.journal == "wal" and self.random.random() < 0.2:
            connection.execute(f"PRAGMA wal_checkpoint({self.random.choice(['PASSIVE', 'FULL', 'RESTART', 'TRUNCATE'])})").fetchall()

    def writable(self, table):
        return [(column, kind) for column, kind in zip(table["columns"], table["types"]) if kind is not None]

    def insert(self, connection, table, count):
        columns = self.writable(table)
        names = ", ".join(self.double_quoted(column) for column, _ in columns)
        casts = self.encoding == "UTF-8" and not table["strict"]
        marks = ", ".join("CAST(? AS TEXT)" if casts and self.random.random() < 0.03 else "?" for _ in columns)
        large = self.random.random() < 0.1
        for _ in range(count):
            row = [self.value(kind, table["strict"], large) for _, kind in columns]
            if table["kind"] == "alias":
                row[0] = self.random.choice([None, None, self.random.randint(-(2**63), 2**63 - 1), self.random.randint(-300, 300)])
            try:
                connection.execute(f"INSERT OR REPLACE INTO {self.double_quoted(table['name'])} ({names}) VALUES ({marks})", row)
            except (sqlite3.IntegrityError, sqlite3.OperationalError):
                pass

    def update(self, connection, table):
        column, kind = self.random.choice(self.writable(table))
        if table["kind"] == "alias" and column == table["columns"][0]:
            return
        value = self.value(kind, table["strict"], self.random.random() < 0.2)
        name = self.double_quoted(table["name"])
        try:
            connection.execute(f"UPDATE OR IGNORE {name} SET {self.double_quoted(column)} = ? WHERE one_in(3)", (value,))
        except sqlite3.IntegrityError:
            pass  # The column is another name of the rowid.

    def alter(self, connection, table):
        name = self.double_quoted(table["name"])
        what = self.random.random()
        if what < 0.8 or VERSION < (3, 25):
            new = self.name({column.lower() for column in table["columns"]} | {"rowid", "oid", "_rowid_"})
            kind = self.random.choice(STRICT_TYPES if table["strict"] else TYPES)
            fallback = "" if table["strict"] else self.random.choice(
                ["", " DEFAULT 5", " DEFAULT -7.25", " DEFAULT 'text'", " DEFAULT '12'", " DEFAULT '1e3'", " DEFAULT ' 4.5 '",
                 " DEFAULT x'0102'",
                 " DEFAULT NULL", " DEFAULT TRUE", " DEFAULT 3000000000", " DEFAULT 0x1F", " DEFAULT 1e100", " DEFAULT (8)",
                 " DEFAULT word", " DEFAULT \"quoted\"", " DEFAULT +3", " DEFAULT (-2.5)", " DEFAULT 0.1 NOT NULL", " DEFAULT 4.0",
                 " DEFAULT '9223372036854775808'",
                 " DEFAULT 9223372036854775808", " DEFAULT -9223372036854775808", " DEFAULT 123456789012345680", " DEFAULT 1e-7"])
            if any(part in kind for part in ("CHAR", "CLOB", "TEXT")):
                # Versions of SQLite differ in whether that becomes text.
                fallback = fallback.replace(" DEFAULT TRUE", "")
            connection.execute(f"ALTER TABLE {name} ADD COLUMN {self.quoted(new)} {kind}{fallback}")
            table["columns"].append(new)
            table["types"].append(kind)
        elif what < 0.9:
            place = self.random.randrange(len(table["columns"]))
            old, new = table["columns"][place], self.name({column.lower() for column in table["columns"]} | {"rowid", "oid", "_rowid_"})
            if any(True for _ in table["generated"]):
                return
            connection.execute(f"ALTER TABLE {name} RENAME COLUMN {self.double_quoted(old)} TO {self.double_quoted(new)}")
            table["columns"][place] = new
        elif VERSION >= (3, 35) and len(table["columns"]) > 2:
            place = len(table["columns"]) - 1
            try:
                connection.execute(f"ALTER TABLE {name} DROP COLUMN {self.double_quoted(table['columns'][place])}")
            except sqlite3.OperationalError:
                return
            del table["columns"][place], table["types"][place]

    def value(self, kind, strict, large):
        if strict and kind != "ANY":
            choice = {"INT": "i", "INTEGER": "i", "REAL": "r", "TEXT": "t", "BLOB": "b"}[kind]
        else:
            choice = self.random.choice("niirrttbb")
        if choice == "n":
            return None
        if choice == "i":
            bits = self.random.choice([0, 1, 1, 7, 8, 15, 16, 23, 24, 31, 32, 47, 48, 63])
            number = self.random.randrange(2**bits) if bits else 0
            return self.random.choice([number, -number, -number - 1])
        if choice == "r":
            return self.random.choice([
                0.0, -0.0, 1.0, -3.0, 1.5, 1e300, -1e-300, 5e-324, float("inf"), float("-inf"), 2.0**53, 2.0**62, 1e18,
                self.random.random(), self.random.uniform(-1e9, 1e9),
                struct.unpack("<d", struct.pack("<Q", self.random.getrandbits(64)))[0]])
        length = self.random.choice([0, 1, 3, 8, 20, 60])
        if self.random.random() < (0.1 if large else 0.01):
            length = self.page_size // self.random.choice([1, 4, 4, 8])
        if large and self.random.random() < 0.01:
            length = self.random.choice([self.page_size * 3, 20_000, 100_000])
        if choice == "t":
            alphabet = self.random.choice(["abcXYZ 019", "aé€😀\0\u07ff\uffff", "日本語𝄞"])
            unit = "".join(self.random.choices(alphabet, k=min(length, 40)))
            return (unit * (length // 40 + 1))[:length]
        return self.random.randbytes(length)

    # Files

    def keep(self, connection):
        """Copies the database as it lies, perhaps in the middle of a transaction, with the log as it lies."""
        unfinished = self.journal == "wal" and self.random.random() < 0.3
        if unfinished:
            connection.execute("PRAGMA cache_size = 1")
            connection.execute("BEGIN")
            self.insert(connection, self.tables[0], 200)
        elif self.random.random() < 0.4:
            connection.close()
        shutil.copy(self.work, self.path)
        whole = self.keep_log() if os.path.exists(self.work + "-wal") else None
        if self.journal == "persist" and os.path.exists(self.work + "-journal"):
            shutil.copy(self.work + "-journal", self.path + "-journal")
        connection.close()
        return whole

    def keep_log(self):
        with open(self.work + "-wal", "rb") as file:
            log = whole = file.read()
        what = self.random.random()
        if what < 0.2:
            log += self.random.randbytes(self.random.randint(1, 2 * self.page_size))
        elif what < 0.35:
            log = log[: self.random.randint(0, len(log))]
        elif what < 0.45 and len(log) > 100:
            log = bytearray(log)
            log[self.random.randrange(len(log))] ^= 1 << self.random.randrange(8)
        elif what < 0.65 and len(log) < 400_000:
            log = in_other_byte_order(log)
        with open(self.path + "-wal", "wb") as file:
            file.write(log)
        return whole

    def dump(self):
        """What SQLite reads from a copy of what was kept."""
        self.remove(self.work)
        for end in ("", "-wal", "-journal"):
            if os.path.exists(self.path + end):
                shutil.copy(self.path + end, self.work + end)
        connection = self.connect(self.work)
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0].startswith(b"***"):
            raise sqlite3.DatabaseError("malformed")
        names = connection.execute(
            "SELECT CAST(name AS TEXT), sql FROM sqlite_master WHERE type = 'table' AND rootpage > 0 "
            "AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'vt_%' ORDER BY rowid")
        names = names.fetchall()
        lines = [f"pages {self.page_size} {connection.execute('PRAGMA page_count').fetchone()[0]}"]
        # SQLite would take the rows from an index that has all columns, in its order.
        indexes = "SELECT CAST(name AS TEXT) FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        for (index,) in connection.execute(indexes).fetchall():
            connection.execute(f"DROP INDEX {self.double_quoted(index.decode())}")
        for name, sql in names:
            lines.append("table " + name.hex())
            lines += self.rows(connection, name.decode(), b"WITHOUT ROWID" in sql.rsplit(b")", 1)[-1])
        with open(self.path[: -len("sqlite")] + "dump", "w") as file:
            file.write("\n".join(lines) + "\n")
        connection.close()

    def rows(self, connection, name, has_no_rowid):
        columns = connection.execute(f"PRAGMA table_xinfo({self.double_quoted(name)})").fetchall()
        # Virtual columns are not stored, and not read.
        names = ["NULL" if column[6] == 2 else self.double_quoted(column[1].decode()) for column in columns]
        order = "" if has_no_rowid else "ORDER BY rowid"
        query = f"SELECT {'NULL' if has_no_rowid else 'rowid'}, {', '.join(names)} FROM {self.double_quoted(name)} NOT INDEXED {order}"
        for place, row in enumerate(connection.execute(query)):
            key = place if has_no_rowid else row[0]
            yield " ".join([str(key)] + [text_of(value) for value in row[1:]])

    @staticmethod
    def remove(path):
        for end in ("", "-wal", "-shm", "-journal"):
            if os.path.exists(path + end):
                os.remove(path + end)


class Text(bytes):
    """The bytes of a text; a blob is plain bytes."""


def text_of(value):
    if value is None:
        return "n"
    if isinstance(value, int):
        return f"i{value}"
    if isinstance(value, float):
        return "r" + struct.pack(">d", value).hex()
    return ("t" if isinstance(value, Text) else "b") + value.hex()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
