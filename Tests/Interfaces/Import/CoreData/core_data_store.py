"""Stores: tables, rows and files as Core Data writes them.

The facts: Z_PRIMARYKEY numbers the entities; an inheritance tree is one table, Z and the name of its root in capitals, with
Z_PK, Z_ENT and Z_OPT; attributes and to-one relationships are columns, Z and the name in capitals, with 1, 2, … where
another entity of the tree, of a lower number, has a property of that name; dates count seconds from 2001; the order of an
ordered relationship is in Z_FOK_… beside the key; a many-to-many relationship is a table Z_<number><NAME>; Z_MODELCACHE is
a keyed archive of the model as raw deflate; large values of attributes with external storage are files.
"""

import decimal
import os
import plistlib
import sqlite3
import struct
import uuid

from core_data_model import TYPES, Attribute, Relationship
from keyed_archive import Opaque, archived


def quote(name):
    return '"' + name + '"'


def quoted(columns):
    return [(quote(name), kind) for name, kind in columns]


class Store:
    def __init__(self, model, path, style="proxy", cache=True, history=False, pragmas=()):
        self.model, self.path, self.style, self.cache, self.history, self.pragmas = model, path, style, cache, history, pragmas
        # By entity name, rows: key and values by attribute name.
        self.objects = {entity.name: {} for entity in model.entities}
        self.next_key = {}
        self.stored = {}
        model.number()

    def add(self, entity, values=None, skip=0):
        key = self.next_key.get(entity.root.name, 1) + skip
        self.next_key[entity.root.name] = key + 1
        self.objects[entity.name][key] = values or {}
        return key

    def members(self, entity):
        """Keys of all objects of an entity and those that inherit from it."""
        return sorted(key for heir in self.model.heirs(entity) for key in self.objects[heir.name])

    def link(self, relationship, owner, targets):
        """Sets the targets of an owner, and with them the other side."""
        relationship.links[owner] = list(targets)
        back = relationship.inverse
        if back is None:
            return
        for target in targets:
            known = back.links.setdefault(target, [])
            if owner not in known:
                known.append(owner)

    # The schema.

    def tables(self):
        columns = {}
        self.joins = {}
        for root in [e for e in self.model.entities if e.parent is None]:
            columns["Z" + root.name.upper()] = [("Z_PK", "INTEGER PRIMARY KEY"), ("Z_ENT", "INTEGER"), ("Z_OPT", "INTEGER")]
        for root in [e for e in self.model.entities if e.parent is None]:
            mine, taken = columns["Z" + root.name.upper()], {}
            for entity in sorted(self.model.heirs(root), key=lambda e: e.number):
                for prop in entity.own():
                    if isinstance(prop, Relationship) and prop.many or isinstance(prop, Attribute) and prop.transient:
                        continue
                    base = "Z" + prop.name.upper()
                    number = taken.get(base, 0)
                    taken[base] = number + 1
                    prop.column = base + (str(number) if number else "")
                    mine.append((prop.column, TYPES[prop.kind][1] if isinstance(prop, Attribute) else "INTEGER"))
                    if isinstance(prop, Relationship) and len(self.model.heirs(prop.destination)) > 1:
                        prop.entity_column = f"Z{entity.number}_{prop.name.upper()}"
                        mine.append((prop.entity_column, "INTEGER"))
        for entity in self.model.entities:
            for relationship in entity.relationships:
                if relationship.many:
                    self.place(relationship, columns)
        return columns

    def place(self, relationship, columns):
        back, number, name = relationship.inverse, relationship.entity.number, relationship.name.upper()
        target = columns["Z" + relationship.destination.root.name.upper()]
        if back is None:
            relationship.column = f"Z{number}{name}"
            target.append((relationship.column, "INTEGER"))
        elif not back.many:
            relationship.column = back.column
        else:
            self.join(relationship)
            return
        if relationship.ordered:
            relationship.order = "Z_FOK_" + relationship.column[1:]
            target.append((relationship.order, "INTEGER"))

    def join(self, relationship):
        back = relationship.inverse
        first = min(relationship, back, key=lambda r: (r.entity.number, r.name))
        if relationship is not first and back.table:
            return
        second = first.inverse
        table = f"Z_{first.entity.number}{first.name.upper()}"
        to_first = f"Z_{second.destination.number}{second.name.upper()}"
        to_second = f"Z_{first.destination.number}{first.name.upper()}"
        if first is second:
            to_first = "REFLEXIVE"
        orders = []
        for side, column in ((first, to_second), (second, to_first)):
            side.table = table
            if side.ordered and column != "REFLEXIVE":
                side.order = "Z_FOK_" + column[2:]
                if side.order not in orders:
                    orders.append(side.order)
        self.joins[table] = (first, to_first, to_second, orders)

    def write(self):
        for suffix in ("", "-wal", "-shm"):
            if os.path.exists(self.path + suffix):
                os.unlink(self.path + suffix)
        db = sqlite3.connect(self.path, isolation_level=None)
        for pragma in self.pragmas:
            db.execute(pragma)
        db.execute("BEGIN")
        columns = self.tables()
        for table, all_columns in columns.items():
            db.execute(f'CREATE TABLE "{table}" ( {", ".join(name + " " + kind for name, kind in quoted(all_columns))} )')
        for table, (first, to_first, to_second, orders) in self.joins.items():
            names = [to_first, to_second] + orders
            declared = ", ".join(quote(name) + " INTEGER" for name in names)
            db.execute(f'CREATE TABLE "{table}" ( {declared}, PRIMARY KEY ({quote(to_first)}, {quote(to_second)}) )')
        for entity in self.model.entities:
            for attribute in entity.attributes:
                if attribute.unique:
                    table = "Z" + entity.root.name.upper()
                    index = f"Z_{entity.name}_UNIQUE_{attribute.name}"
                    db.execute(f'CREATE UNIQUE INDEX "{index}" ON "{table}" ({quote(attribute.column)} COLLATE BINARY ASC)')
        self.write_meta(db)
        for entity in self.model.entities:
            for key, values in self.objects[entity.name].items():
                self.insert(db, entity, key, values)
        self.write_links(db)
        db.execute("COMMIT")
        self.read_back(db)
        if "PRAGMA journal_mode=WAL" in self.pragmas:
            db.execute("PRAGMA wal_autocheckpoint=0")
        return db

    def write_meta(self, db):
        db.execute("CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)")
        for entity in self.model.entities:
            row = (entity.number, entity.name, entity.parent.number if entity.parent else 0, self.next_key.get(entity.root.name, 1) - 1)
            db.execute("INSERT INTO Z_PRIMARYKEY VALUES (?,?,?,?)", row)
        db.execute("CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)")
        metadata = plistlib.dumps({"NSStoreType": "SQLite", "NSPersistenceFrameworkVersion": 1340}, fmt=plistlib.FMT_BINARY)
        db.execute("INSERT INTO Z_METADATA VALUES (1, ?, ?)", (str(uuid.UUID(int=1)).upper(), metadata))
        db.execute("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
        if self.cache:
            db.execute("INSERT INTO Z_MODELCACHE VALUES (?)", (self.model.archive(self.style),))
        if self.history:
            for number, name in enumerate(("CHANGE", "TRANSACTION", "TRANSACTIONSTRING")):
                db.execute("INSERT INTO Z_PRIMARYKEY VALUES (?,?,0,1)", (16001 + number, name))
                db.execute(f"CREATE TABLE A{name} ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZENTITY INTEGER )")
                db.execute(f"INSERT INTO A{name} VALUES (1, ?, 1, 1)", (16001 + number,))

    def insert(self, db, entity, key, values):
        row = {"Z_PK": key, "Z_ENT": entity.number, "Z_OPT": 1}
        for attribute in [p for e in entity.lineage() for p in e.attributes if not p.transient]:
            row[attribute.column] = self.cell(attribute, values.get(attribute.name))
        for relationship in [p for e in entity.lineage() for p in e.relationships if not p.many]:
            targets = relationship.links.get(key, [])
            row[relationship.column] = targets[0] if targets else None
            if relationship.entity_column and targets:
                row[relationship.entity_column] = self.entity_of(relationship.destination, targets[0]).number
        names = ", ".join(quote(name) for name in row)
        db.execute(f'INSERT INTO "Z{entity.root.name.upper()}" ({names}) VALUES ({", ".join("?" * len(row))})', list(row.values()))

    def entity_of(self, entity, key):
        return next(heir for heir in self.model.heirs(entity) if key in self.objects[heir.name])

    def cell(self, attribute, value):
        if value is None:
            return None
        kind = attribute.kind
        if kind == "date":
            return value.seconds
        if kind == "decimal":
            return str(value)
        if kind == "uuid":
            return value.bytes
        if kind == "uri":
            return value.text
        if kind == "float":
            return struct.unpack("f", struct.pack("f", value))[0]
        if kind == "transformable":
            value = value.content if isinstance(value, Opaque) else archived(value)
        return self.external(value) if attribute.external else value

    def external(self, content):
        """Values of an even number of bytes go to files."""
        if len(content) % 2:
            return b"\x01" + content
        folder = os.path.join(os.path.dirname(self.path), f".{os.path.splitext(os.path.basename(self.path))[0]}_SUPPORT", "_EXTERNAL_DATA")
        os.makedirs(folder, exist_ok=True)
        name = str(uuid.uuid4()).upper()
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
        return b"\x02" + name.encode() + b"\x00"

    def write_links(self, db):
        for entity in self.model.entities:
            for relationship in entity.relationships:
                if not relationship.many or relationship.table:
                    continue
                table = "Z" + relationship.destination.root.name.upper()
                for owner, targets in relationship.links.items():
                    for position, target in enumerate(targets):
                        if relationship.inverse is None:
                            self.update(db, table, relationship.column, owner, target)
                        if relationship.order:
                            self.update(db, table, relationship.order, position * 1024 + 2048, target)
        for table, (first, to_first, to_second, orders) in self.joins.items():
            second, rows = first.inverse, {}
            for owner, targets in first.links.items():
                for position, target in enumerate(targets):
                    if first is second and (target, owner) in rows:
                        continue
                    rows[owner, target] = {to_first: owner, to_second: target}
                    if first.order:
                        rows[owner, target][first.order] = position * 1024 + 2048
            if second.order and second is not first:
                for owner, targets in second.links.items():
                    for position, target in enumerate(targets):
                        rows[target, owner][second.order] = position * 1024 + 2048
            for row in rows.values():
                names = ", ".join(quote(name) for name in row)
                db.execute(f'INSERT INTO "{table}" ({names}) VALUES ({", ".join("?" * len(row))})', list(row.values()))

    def update(self, db, table, column, value, key):
        db.execute(f'UPDATE "{table}" SET {quote(column)} = ? WHERE Z_PK = ?', (value, key))

    def read_back(self, db):
        """What SQLite made of decimals, which are numbers if that loses little."""
        for entity in self.model.entities:
            for attribute in entity.attributes:
                if attribute.kind == "decimal" and not attribute.transient:
                    rows = db.execute(f'SELECT Z_PK, {quote(attribute.column)} FROM "Z{entity.root.name.upper()}"')
                    self.stored[attribute] = {key: None if value is None else decimal.Decimal(str(value)) for key, value in rows}
