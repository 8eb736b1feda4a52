"""Stores with random models and objects."""

import decimal
import os
import random
import struct
import uuid

from core_data_model import TYPES, RULES, Attribute, Model, Relationship
from core_data_store import Store
from keyed_archive import Date, Opaque, Url

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
        model, os.path.join(folder, f"{seed}.{rnd.choice(['sqlite', 'store'])}"), style=rnd.choice(["proxy", "copy"]),
        history=rnd.random() < 0.3, pragmas=pragmas)
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
