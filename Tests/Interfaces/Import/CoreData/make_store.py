#!/usr/bin/env python3
"""Writes stores as Core Data does, and what is in them. It knows nothing of the reader that is tested with them.

    make_store.py FOLDER SEED COUNT     SEED.sqlite … with random models and objects, and what they hold as SEED.dump
    make_store.py FOLDER NAME           one of the stores below: NAME.sqlite, and NAME.dump

The first line of a dump names the store's file; store_dump.py has the others.
"""

import decimal
import os
import random
import sys
import uuid

from core_data_model import TYPES, Attribute, Model, Relationship
from core_data_store import Store
from odd_store import make_odd, odd_store
from random_stores import ensure_file, random_store, random_value
from store_dump import dump


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
    if name in ("library", "renumbered", "uncached"):
        return library(path, cache=name != "uncached")
    if name == "odd":
        return odd_store(path)
    raise SystemExit(f"no store is called {name}")


def renumber(db):
    """Gives the columns and the name of the table of people and tags numbers that no entity has."""
    table = next(name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE name LIKE 'Z_%TAGS' OR name LIKE 'Z_%PEOPLE'"))
    for column in [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]:
        digit = next(c for c in column if c.isdigit())
        db.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "{column.replace(digit, "9" + digit)}"')
    db.execute(f'ALTER TABLE "{table}" RENAME TO "{table.replace("Z_", "Z_9")}"')


def finish(store, name, folder, keep):
    keep.append(store.write())
    if name == "odd":
        make_odd(keep[-1], store.path)
    if name == "renumbered":
        renumber(keep[-1])
    with open(os.path.join(folder, f"{name}.dump"), "w", encoding="utf-8") as file:
        file.write(f"{os.path.basename(store.path)}\n" + "\n".join(dump(store)) + "\n")


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
