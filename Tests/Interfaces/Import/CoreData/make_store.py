#!/usr/bin/env python3
"""Writes stores as Core Data does, and what is in them. It knows nothing of the reader that is tested with them.

    make_store.py FOLDER SEED COUNT     SEED.sqlite … with random models and objects, and what they hold as SEED.dump
    make_store.py FOLDER NAME           one of the stores below: NAME.sqlite, and NAME.dump

The facts: Z_PRIMARYKEY numbers the entities; an inheritance tree is one table, Z and the name of its root in capitals, with
Z_PK, Z_ENT and Z_OPT; attributes and to-one relationships are columns, Z and the name in capitals, with 1, 2, … where
another entity of the tree, of a lower number, has a property of that name; dates count seconds from 2001; the order of an
ordered relationship is in Z_FOK_… beside the key; a many-to-many relationship is a table Z_<number><NAME>; Z_MODELCACHE is
a keyed archive of the model as raw deflate; large values of attributes with external storage are files.

Lines of a dump:

    class NAME SUPERCLASS COUNT
    property CLASS NAME TYPE NULLABLE COLLECTION TARGET RULE UNIQUE
    object CLASS KEY VALUE VALUE …
"""

import decimal
import os
import plistlib
import random
import sqlite3
import struct
import sys
import uuid
import zlib

UID = plistlib.UID
REFERENCE_DATE = 978307200


# --- Keyed archives ---------------------------------------------------------------------------------------------------

class Archive:
    def __init__(self):
        self.objects = ["$null"]
        self.classes = {}

    def add(self, value):
        self.objects.append(value)
        return UID(len(self.objects) - 1)

    def kind(self, name, *parents):
        if name not in self.classes:
            self.classes[name] = self.add({"$classname": name, "$classes": [name, *parents, "NSObject"]})
        return self.classes[name]

    def dictionary(self, pairs, name="NSDictionary"):
        return self.add({"$class": self.kind(name), "NS.keys": [key for key, _ in pairs], "NS.objects": [value for _, value in pairs]})

    def array(self, values, name="NSArray"):
        return self.add({"$class": self.kind(name), "NS.objects": values})

    def value(self, value):
        """A plain value as the archiver writes it."""
        if value is None:
            return UID(0)
        if isinstance(value, (bool, int, float, str)):
            return self.add(value)
        if isinstance(value, bytes):
            return self.add(value) if len(value) % 2 else self.add({"$class": self.kind("NSMutableData", "NSData"), "NS.data": value})
        if isinstance(value, Date):
            return self.add({"$class": self.kind("NSDate"), "NS.time": value.seconds})
        if isinstance(value, uuid.UUID):
            return self.add({"$class": self.kind("NSUUID"), "NS.uuidbytes": value.bytes})
        if isinstance(value, Url):
            return self.add({"$class": self.kind("NSURL"), "NS.base": UID(0), "NS.relative": self.add(value.text)})
        if isinstance(value, decimal.Decimal):
            return self.decimal(value)
        if isinstance(value, dict):
            return self.dictionary([(self.value(key), self.value(inner)) for key, inner in value.items()])
        name = {list: "NSArray", tuple: "NSMutableArray", frozenset: "NSSet"}[type(value)]
        return self.array([self.value(inner) for inner in value], name)

    def decimal(self, value):
        sign, digits, exponent = value.as_tuple()
        mantissa = int("".join(map(str, digits)))
        words = [mantissa >> (16 * i) & 0xFFFF for i in range(8)]
        length = max([i + 1 for i in range(8) if words[i]], default=0)
        return self.add({
            "$class": self.kind("NSDecimalNumber", "NSNumber", "NSValue"), "NS.exponent": exponent, "NS.length": length,
            "NS.negative": bool(sign), "NS.compact": True, "NS.mantissa.bo": 1, "NS.mantissa": struct.pack("<8H", *words),
        })

    def bytes(self, root):
        return plistlib.dumps(
            {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": root}, "$objects": self.objects},
            fmt=plistlib.FMT_BINARY, sort_keys=False)


class Date:
    def __init__(self, seconds):
        self.seconds = float(seconds)


class Url:
    def __init__(self, text):
        self.text = text


class Opaque:
    """Bytes that are no property list."""

    def __init__(self, content):
        self.content = content


def archived(value):
    archive = Archive()
    return archive.bytes(archive.value(value))


# --- Models -----------------------------------------------------------------------------------------------------------

TYPES = {
    "int16": (100, "INTEGER", "int"), "int32": (200, "INTEGER", "int"), "int64": (300, "INTEGER", "int"),
    "decimal": (400, "DECIMAL", "decimal"), "double": (500, "FLOAT", "double"), "float": (600, "FLOAT", "float"),
    "string": (700, "VARCHAR", "string"), "bool": (800, "INTEGER", "bool"), "date": (900, "TIMESTAMP", "date"),
    "data": (1000, "BLOB", "data"), "uuid": (1100, "BLOB", "uuid"), "uri": (1200, "VARCHAR", "string"),
    "transformable": (1800, "BLOB", "mixed"),
}
CLASSES = {"uuid": "NSUUID", "uri": "NSURL", "string": "NSString", "date": "NSDate", "data": "NSData", "decimal": "NSDecimalNumber"}
RULES = {"noaction": 0, "nullify": 1, "cascade": 2, "deny": 3}


class Attribute:
    def __init__(self, name, kind, optional=True, external=False, unique=False, transient=False):
        self.name, self.kind, self.optional, self.external, self.unique = name, kind, optional, external, unique
        self.transient = transient
        self.column = None


class Relationship:
    def __init__(self, name, destination, many=False, ordered=False, rule="nullify", optional=True):
        self.name, self.destination, self.many, self.ordered, self.rule, self.optional = name, destination, many, ordered, rule, optional
        self.entity = None
        self.inverse = None
        self.column = self.order = self.entity_column = None
        self.table = None
        # By owner, the targets in their order.
        self.links = {}

    def pair(self, other):
        self.inverse, other.inverse = other, self
        return self


class Entity:
    def __init__(self, name, parent=None, abstract=False):
        self.name, self.parent, self.abstract = name, parent, abstract
        self.number = 0
        self.attributes, self.relationships = [], []

    def lineage(self):
        return [self] + (self.parent.lineage() if self.parent else [])

    @property
    def root(self):
        return self.lineage()[-1]

    def own(self):
        return sorted(self.attributes + self.relationships, key=lambda p: p.name.encode())

    def inherited(self):
        return self.parent.all() if self.parent else []

    def all(self):
        return self.inherited() + self.own()


class Model:
    def __init__(self):
        self.entities = []

    def entity(self, name, parent=None, abstract=False):
        self.entities.append(Entity(name, parent, abstract))
        return self.entities[-1]

    def relate(self, entity, relationship, inverse=None):
        relationship.entity = entity
        entity.relationships.append(relationship)
        if inverse is relationship:
            relationship.inverse = relationship
        elif inverse:
            inverse.entity = relationship.destination
            relationship.destination.relationships.append(inverse)
            relationship.pair(inverse)
        return relationship

    def number(self):
        """Numbers the entities: siblings by name, each before those that inherit from it."""
        count = 0

        def visit(parent):
            nonlocal count
            for entity in sorted((e for e in self.entities if e.parent is parent), key=lambda e: e.name):
                count += 1
                entity.number = count
                visit(entity)

        visit(None)
        self.entities.sort(key=lambda e: e.number)

    def heirs(self, entity):
        return [e for e in self.entities if entity in e.lineage()]

    def archive(self, style, level=6):
        archive = Archive()
        slots = {entity.name: archive.add({}) for entity in self.entities}
        descriptions = {}

        def description(prop):
            fields = {"NSPropertyName": archive.add(prop.name), "NSEntity": slots[owners[prop].name], "NSUserInfo": UID(0), "_P": 0}
            if prop.optional:
                fields["NSIsOptional"] = True
            if isinstance(prop, Attribute):
                fields["$class"] = archive.kind("NSAttributeDescription", "NSPropertyDescription")
                fields["NSAttributeType"] = TYPES[prop.kind][0]
                if prop.transient:
                    fields["NSIsTransient"] = True
                if prop.kind in CLASSES:
                    fields["NSAttributeValueClassName"] = archive.add(CLASSES[prop.kind])
                return archive.add(fields)
            fields.update({
                "$class": archive.kind("NSRelationshipDescription", "NSPropertyDescription"), "NSMaxCount": 0 if prop.many else 1,
                "NSMinCount": 0 if prop.many or prop.optional else 1, "NSDeleteRule": RULES[prop.rule],
                "NSDestinationEntity": slots[prop.destination.name], "_NSDestinationEntityName": archive.add(prop.destination.name),
                "_NSInverseRelationshipName": archive.add(prop.inverse.name) if prop.inverse else UID(0),
            })
            if prop.ordered:
                fields["NSIsOrdered"] = True
            return archive.add(fields)

        owners = {prop: entity for entity in self.entities for prop in entity.own()}
        for prop in owners:
            descriptions[prop] = description(prop)
        for entity in self.entities:
            pairs = [(archive.add(prop.name), descriptions[prop]) for prop in entity.own()]
            for prop in entity.inherited():
                inner = descriptions[prop]
                if style == "proxy":
                    inner = archive.add({
                        "$class": archive.kind("_NSPropertyDescriptionProxy"), "NSUnderlyingProperty": inner,
                        "NSEntityDescription": slots[entity.name]})
                pairs.append((archive.add(prop.name), inner))
            heirs = [e for e in self.entities if e.parent is entity]
            fields = {
                "$class": archive.kind("NSEntityDescription"), "NSEntityName": archive.add(entity.name),
                "NSClassNameForEntity": archive.add(entity.name), "NSProperties": archive.dictionary(pairs, "NSMutableDictionary"),
                "NSSuperentity": slots[entity.parent.name] if entity.parent else UID(0),
                "NSSubentities": archive.dictionary([(archive.add(e.name), slots[e.name]) for e in heirs], "NSMutableDictionary"),
            }
            if entity.abstract:
                fields["NSIsAbstract"] = True
            archive.objects[slots[entity.name].data] = fields
        root = archive.add({
            "$class": archive.kind("NSManagedObjectModel"),
            "NSEntities": archive.dictionary([(archive.add(e.name), slots[e.name]) for e in self.entities], "NSMutableDictionary"),
            "NSFetchRequestTemplates": archive.dictionary([]), "NSVersionIdentifiers": archive.array([archive.add("")], "NSSet")})
        packer = zlib.compressobj(level, zlib.DEFLATED, -15)
        return packer.compress(archive.bytes(root)) + packer.flush()


# --- Stores -----------------------------------------------------------------------------------------------------------

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
            db.execute(f'CREATE TABLE "{table}" ( {", ".join(quote(n) + " INTEGER" for n in names)}, PRIMARY KEY ({quote(to_first)}, {quote(to_second)}) )')
        for entity in self.model.entities:
            for attribute in entity.attributes:
                if attribute.unique:
                    table = "Z" + entity.root.name.upper()
                    db.execute(f'CREATE UNIQUE INDEX "Z_{entity.name}_UNIQUE_{attribute.name}" ON "{table}" ({quote(attribute.column)} COLLATE BINARY ASC)')
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
                            db.execute(f'UPDATE "{table}" SET {quote(relationship.column)} = ? WHERE Z_PK = ?', (owner, target))
                        if relationship.order:
                            db.execute(f'UPDATE "{table}" SET {quote(relationship.order)} = ? WHERE Z_PK = ?', (position * 1024 + 2048, target))
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
                db.execute(f'INSERT INTO "{table}" ({", ".join(quote(n) for n in row)}) VALUES ({", ".join("?" * len(row))})', list(row.values()))

    def read_back(self, db):
        """What SQLite made of decimals, which are numbers if that loses little."""
        for entity in self.model.entities:
            for attribute in entity.attributes:
                if attribute.kind == "decimal" and not attribute.transient:
                    rows = db.execute(f'SELECT Z_PK, {quote(attribute.column)} FROM "Z{entity.root.name.upper()}"')
                    self.stored[attribute] = {key: None if value is None else decimal.Decimal(str(value)) for key, value in rows}

    # What should be read.

    def dump(self):
        lines = []
        for entity in self.model.entities:
            lines.append(f"class {entity.name} {entity.parent.name if entity.parent else '-'} {len(self.objects[entity.name])}")
            for prop in self.kept(entity.own()):
                lines.append(self.property_line(entity, prop))
            lineage = list(reversed(entity.lineage()))
            props = [prop for e in lineage for prop in self.kept(e.own())]
            for key in sorted(self.objects[entity.name]):
                values = self.objects[entity.name][key]
                lines.append(" ".join([f"object {entity.name} {key}"] + [self.value_text(prop, key, values) for prop in props]))
        return lines

    def kept(self, props):
        return [p for p in props if (keeps(p) if isinstance(p, Relationship) else not p.transient)]

    def property_line(self, entity, prop):
        if isinstance(prop, Attribute):
            kind = TYPES[prop.kind][2]
            missing = any(values.get(prop.name) is None for e in self.model.heirs(entity) for values in self.objects[e.name].values())
            nullable = prop.optional or missing or kind == "mixed"
            return f"property {entity.name} {escaped(prop.name)} {kind} {int(nullable)} - - nullify {int(prop.unique)}"
        rule = "nullify" if prop.rule == "noaction" else prop.rule
        collection = ("list" if prop.ordered else "set") if prop.many else "-"
        return f"property {entity.name} {escaped(prop.name)} link {0 if prop.many else 1} {collection} {prop.destination.name} {rule} 0"

    def value_text(self, prop, key, values):
        if isinstance(prop, Relationship):
            targets = prop.links.get(key, [])
            if not prop.many:
                return f">{targets[0]}" if targets else "-"
            if prop.ordered and not (prop.inverse is prop):
                return "[" + ",".join(f">{t}" for t in targets) + "]"
            return ("[{}]" if prop.ordered else "({})").format(",".join(f">{t}" for t in sorted(targets)))
        if prop.kind == "decimal":
            return text(self.stored[prop][key])
        value = values.get(prop.name)
        if value is None:
            return "-"
        if prop.kind == "float":
            return "f:" + struct.pack(">f", value).hex()
        if prop.kind == "bool":
            return f"b:{int(value)}"
        return text(value)


def keeps(relationship):
    """Whether a relationship stays: the ordered one, then the one with a strong delete rule, the single, the required one."""
    back = relationship.inverse
    if back is None or back is relationship:
        return True

    def merits(side):
        return [side.many and side.ordered, side.rule in ("cascade", "deny"), not side.many, not side.optional]

    mine, other = merits(relationship), merits(back)
    if mine[0] and other[0]:
        return True
    if mine != other:
        return mine > other
    return (relationship.entity.number, relationship.name.encode()) < (back.entity.number, back.name.encode())


def quote(name):
    return '"' + name + '"'


def quoted(columns):
    return [(quote(name), kind) for name, kind in columns]


def escaped(string):
    return "".join(c if 33 <= ord(c) < 127 and c not in '\\[](){},=' else "\\%x;" % ord(c) for c in string)


def text(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return f"b:{int(value)}"
    if isinstance(value, int):
        return f"i:{value}"
    if isinstance(value, float):
        return "d:" + struct.pack(">d", value).hex()
    if isinstance(value, str):
        return "s:" + escaped(value)
    if isinstance(value, Url):
        return "s:" + escaped(value.text)
    if isinstance(value, Opaque):
        return text(value.content)
    if isinstance(value, bytes):
        return "x:" + value.hex() if len(value) <= 64 else f"X:{len(value)}:{zlib.adler32(value)}"
    if isinstance(value, uuid.UUID):
        return "u:" + value.hex
    if isinstance(value, Date):
        whole = int(value.seconds // 1)
        return f"t:{whole + REFERENCE_DATE}.{round((value.seconds - whole) * 1e9):09d}"
    if isinstance(value, decimal.Decimal):
        sign, digits, exponent = value.as_tuple()
        digits = "".join(map(str, digits)).lstrip("0")
        while digits.endswith("0"):
            digits, exponent = digits[:-1], exponent + 1
        return "m:" + (("-" if sign else "") + digits + f"E{exponent}" if digits else "0")
    if isinstance(value, dict):
        return "{" + ",".join(escaped(key) + "=" + text(value[key]) for key in sorted(value, key=str.encode)) + "}"
    return "[" + ",".join(text(inner) for inner in value) + "]"


# --- Random stores ----------------------------------------------------------------------------------------------------

ENTITIES = ["Person", "Address", "Note", "Album", "Tag", "Folder", "Größe", "ZItem", "Message", "Account2"]
ATTRIBUTES = ["title", "name", "createdAt", "count", "größe", "isOn", "payload", "URL", "z", "value2", "Title2"]
WORDS = ["", "a", "Anna", "a b", "naïve", "日本語", "😀", "line\nbreak", "nul\0nul", "x" * 300, "[list]", "ﬁ"]


def random_value(rnd, attribute):
    kind = attribute.kind
    if kind in ("int16", "int32", "int64"):
        bits = {"int16": 15, "int32": 31, "int64": 63}[kind]
        return rnd.choice([0, 1, -1, 2**bits - 1, -(2**bits), rnd.randrange(-(2**bits), 2**bits)])
    if kind == "decimal":
        return decimal.Decimal(rnd.randrange(-10**rnd.randrange(1, 30), 10**rnd.randrange(1, 30))).scaleb(-rnd.randrange(0, 8))
    if kind == "double":
        return rnd.choice([0.0, 1.5, 1e300, -1e-300, 3.0, rnd.random(), float("inf")])
    if kind == "float":
        return struct.unpack("f", struct.pack("f", rnd.choice([0.0, 1.5, -3.25, 1e30, rnd.random()])))[0]
    if kind == "string":
        return rnd.choice(WORDS)
    if kind == "bool":
        return rnd.random() < 0.5
    if kind == "date":
        return Date(rnd.choice([0.0, -1.0, rnd.randrange(-2**40, 2**40) / 512]))
    if kind == "data":
        return rnd.randbytes(rnd.choice([0, 1, 2, 15, 16, 40, 1000, 5001]))
    if kind == "uuid":
        return uuid.UUID(bytes=rnd.randbytes(16))
    if kind == "uri":
        return Url(rnd.choice(["https://example.org/a?b=c", "file:///tmp/x", "mailto:a@b"]))
    return random_plain(rnd, 0) if rnd.random() < 0.8 else Opaque(b"\x00\xff" + rnd.randbytes(rnd.randrange(30)))


def random_plain(rnd, depth):
    choice = rnd.randrange(12 if depth < 3 else 9)
    if choice == 0:
        return rnd.choice([0, 1, -5, 255, 256, 65536, 2**31, 2**63 - 1, -(2**63)])
    if choice == 1:
        return rnd.choice([True, False])
    if choice == 2:
        return rnd.choice([0.5, -1e100, 3.25])
    if choice == 3:
        return rnd.choice(WORDS)
    if choice == 4:
        return rnd.randbytes(rnd.randrange(20))
    if choice == 5:
        return Date(rnd.randrange(-10**9, 10**9) / 512)
    if choice == 6:
        return uuid.UUID(bytes=rnd.randbytes(16))
    if choice == 7:
        return Url("https://example.org/")
    if choice == 8:
        return decimal.Decimal(rnd.randrange(-10**20, 10**20)).scaleb(-rnd.randrange(0, 10))
    if choice == 9:
        return {rnd.choice(WORDS) + str(i): random_plain(rnd, depth + 1) for i in range(rnd.randrange(4))}
    kind = list if choice == 10 else tuple
    return kind(random_plain(rnd, depth + 1) for _ in range(rnd.randrange(5)))


def random_model(rnd):
    model = Model()
    for name in rnd.sample(ENTITIES, rnd.randrange(1, 7)):
        parent = rnd.choice(model.entities) if model.entities and rnd.random() < 0.45 else None
        model.entity(name, parent, abstract=rnd.random() < 0.15)
    for entity in model.entities:
        family = {p.name for e in model.entities if entity in e.lineage() or e in entity.lineage() for p in e.own()}
        for name in rnd.sample(ATTRIBUTES, rnd.randrange(0, 8)):
            if name in family or name.upper() in {n.upper() for n in family}:
                continue
            kind = rnd.choice(list(TYPES))
            external = kind in ("data", "transformable") and rnd.random() < 0.4
            entity.attributes.append(Attribute(
                name, kind, optional=rnd.random() < 0.7, external=external, transient=rnd.random() < 0.05))
    for number in range(rnd.randrange(0, 7)):
        random_relationship(rnd, model, number)
    return model


def random_relationship(rnd, model, number):
    source, destination = rnd.choice(model.entities), rnd.choice(model.entities)

    def side(name, target, many):
        return Relationship(
            f"{name}{number}x", target, many=many, ordered=many and rnd.random() < 0.4, rule=rnd.choice(list(RULES)),
            optional=rnd.random() < 0.7)

    choice = rnd.randrange(7)
    if choice == 0:
        model.relate(source, side("one", destination, False))
    elif choice == 1:
        model.relate(source, side("many", destination, True))
    elif choice == 2:
        relationship = side("friends", source, True)
        relationship.ordered = False
        model.relate(source, relationship, relationship)
    else:
        many, back_many = rnd.choice([(False, False), (True, False), (False, True), (True, True)])
        model.relate(source, side("to", destination, many), side("back", source, back_many))


def random_store(seed, folder):
    rnd = random.Random(seed)
    model = random_model(rnd)
    pragmas = [f"PRAGMA page_size={rnd.choice([512, 1024, 4096, 65536])}"] + (["PRAGMA journal_mode=WAL"] if rnd.random() < 0.4 else [])
    store = Store(
        model, os.path.join(folder, f"{seed}.{rnd.choice(['sqlite', 'store'])}"), style=rnd.choice(["proxy", "copy"]), history=rnd.random() < 0.3,
        pragmas=pragmas)
    for entity in model.entities:
        many = 1500 if rnd.random() < 0.02 else rnd.randrange(0, 12)
        for _ in range(0 if entity.abstract else many):
            values = {}
            for attribute in [p for e in entity.lineage() for p in e.attributes]:
                if not attribute.optional or rnd.random() < 0.8:
                    values[attribute.name] = random_value(rnd, attribute)
            store.add(entity, values, skip=rnd.choice([0, 0, 0, 1, 5]))
    for attribute in [a for e in model.entities for a in e.attributes if a.external]:
        ensure_file(store, attribute)
    for relationship in [r for e in model.entities for r in e.relationships]:
        random_links(rnd, store, relationship)
    return store


def ensure_file(store, attribute):
    """External storage shows by a value in a file, or by an archive after the first byte; lets one value go to a file."""
    owners = [values for entity in store.model.entities if attribute in entity.attributes
              for heir in store.model.heirs(entity) for values in store.objects[heir.name].values()]
    rows = [values for values in owners if values.get(attribute.name) is not None]
    if rows:
        rows[0][attribute.name] = b"even" if attribute.kind == "data" else Opaque(b"even")


def random_links(rnd, store, relationship):
    back = relationship.inverse
    owners, targets = store.members(relationship.entity), store.members(relationship.destination)
    if not targets or relationship.links or back and back is not relationship and back.links:
        return
    free = list(targets)
    rnd.shuffle(free)
    for owner in owners:
        if relationship.many:
            count = rnd.randrange(0, 5)
        else:
            count = rnd.randrange(0, 2)
        if back is relationship:
            for target in rnd.sample(targets, min(count, len(targets))):
                for one, other in ((owner, target), (target, owner)):
                    if other not in relationship.links.setdefault(one, []):
                        relationship.links[one].append(other)
        elif relationship.many and (back is None or not back.many) or not relationship.many and back and not back.many:
            chosen, free = free[:count], free[count:]
            store.link(relationship, owner, chosen)
        else:
            store.link(relationship, owner, rnd.sample(targets, min(count, len(targets))))
    if back and back is not relationship and back.ordered:
        for sources in back.links.values():
            rnd.shuffle(sources)


# --- Stores of one purpose --------------------------------------------------------------------------------------------

def every_type(store_path, external):
    model = Model()
    thing = model.entity("Thing")
    for kind in TYPES:
        thing.attributes.append(Attribute(f"{kind}Value", kind, external=external and kind in ("data", "transformable")))
    thing.attributes.append(Attribute("required", "string", optional=False))
    thing.attributes.append(Attribute("identifier", "uuid", optional=False, unique=True))
    store = Store(model, store_path)
    rnd = random.Random(1)
    for row in range(200):
        values = {f"{kind}Value": random_value(rnd, Attribute("", kind)) for kind in TYPES if rnd.random() < 0.9}
        store.add(thing, {**values, "required": f"r{row}", "identifier": uuid.UUID(int=row)})
    for attribute in thing.attributes:
        if attribute.external:
            ensure_file(store, attribute)
    return store


def library(path, cache=True):
    """Departments with employees (cascade), ordered chapters, ordered tags of two sides, friends, a manager."""
    model = Model()
    party = model.entity("Party", abstract=True)
    party.attributes.append(Attribute("name", "string", optional=False))
    person, company = model.entity("Person", party), model.entity("Company", party)
    person.attributes.append(Attribute("title", "string"))
    company.attributes.append(Attribute("title", "int32"))
    employee = model.entity("Employee", person)
    employee.attributes.append(Attribute("salary", "decimal"))
    tag = model.entity("Tag")
    tag.attributes.append(Attribute("label", "string"))
    employees = model.relate(company, Relationship("employees", employee, many=True, rule="cascade"), Relationship("employer", company))
    tags = model.relate(person, Relationship("tags", tag, many=True, ordered=True), Relationship("people", person, many=True))
    friends = Relationship("friends", person, many=True)
    model.relate(person, friends, friends)
    owner = model.relate(company, Relationship("owner", party))
    notes = model.relate(tag, Relationship("notes", tag, many=True, ordered=True))
    store = Store(model, path, cache=cache)
    people = [store.add(person, {"name": f"p{i}", "title": f"t{i}"}) for i in range(4)]
    workers = [store.add(employee, {"name": f"e{i}", "salary": decimal.Decimal(f"{i}.5")}) for i in range(4)]
    firms = [store.add(company, {"name": f"c{i}", "title": i}) for i in range(2)]
    labels = [store.add(tag, {"label": f"l{i}"}) for i in range(5)]
    store.link(employees, firms[0], workers[:3])
    store.link(employees, firms[1], workers[3:])
    store.link(tags, people[0], [labels[2], labels[0], labels[1]])
    store.link(tags, workers[0], [labels[1], labels[2]])
    store.link(friends, people[0], [people[1], workers[1]])
    store.link(owner, firms[0], [workers[2]])
    store.link(owner, firms[1], [firms[0]])
    store.link(notes, labels[0], [labels[4], labels[3]])
    return store


def named(name, folder):
    path = os.path.join(folder, f"{name}.sqlite")
    if name in ("types", "external"):
        return every_type(path, name == "external")
    if name in ("library", "uncached"):
        return library(path, cache=name == "library")
    raise SystemExit(f"no store is called {name}")


def finish(store, name, folder, keep):
    keep.append(store.write())
    with open(os.path.join(folder, f"{name}.dump"), "w", encoding="utf-8") as file:
        file.write(f"{os.path.basename(store.path)}\n" + "\n".join(store.dump()) + "\n")


def main(arguments):
    folder, keep = arguments[0], []
    if len(arguments) == 2:
        finish(named(arguments[1], folder), arguments[1], folder, keep)
    else:
        first, count = int(arguments[1]), int(arguments[2])
        for seed in range(first, first + count):
            finish(random_store(seed, folder), seed, folder, keep)
    sys.stdout.flush()
    # Connections stay open, so that write-ahead logs stay.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
