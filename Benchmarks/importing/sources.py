"""Writes the databases that are imported: the same persons as a SQLite database and as a `.realm` file."""

import json
import os
import sqlite3
from pathlib import Path

from .people import Answer, persons, places
from .realm_file import IS_INNER, RealmFile, tagged

TABLES = """
    CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT NOT NULL, age INTEGER NOT NULL, score REAL NOT NULL,
                        active BOOLEAN NOT NULL, created TIMESTAMP NOT NULL, note TEXT, token BLOB, home INTEGER REFERENCES place(id));
"""
INDEXES = "CREATE INDEX person_city ON person(city); CREATE INDEX person_created ON person(created);"


def source(folder, kind, count):
    """The path of the database of a kind, `sqlite` or `realm`, and its answer; writes it if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    path, answer = folder / f"people.{kind}", folder / f"{kind}.json"
    if not answer.exists():
        unfinished = folder / f"{kind}.unfinished"
        unfinished.unlink(missing_ok=True)
        given = {"sqlite": write_sqlite, "realm": write_realm}[kind](unfinished, count)
        # So that writing it back falls into nobody's timing.
        with open(unfinished, "rb+") as file:
            os.fsync(file.fileno())
        unfinished.rename(path)
        answer.write_text(json.dumps(vars(given)))
    return path, Answer(**json.loads(answer.read_text()))


def write_sqlite(path, count):
    """Writes the persons as a SQLite database; returns its answer."""
    answer = Answer()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.executescript(TABLES)
        database.executemany("INSERT INTO place VALUES(?, ?)", places())
        for some in persons(count):
            database.executemany("INSERT INTO person VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", some.rows())
            answer.add(some)
        database.executescript(INDEXES)
    database.close()
    return answer


#: Numbers of types, and bits of attributes.
INT, BOOL, STRING, DATA, DATE, DOUBLE, LINK, BACKLINK = 0, 1, 2, 4, 8, 10, 12, 14
INDEXED, NULLABLE = 1, 16
NO_TABLE = 0x7FFF_FFFF
PERSON_COLUMNS = [
    ("id", INT, INDEXED), ("name", STRING, 0), ("city", STRING, INDEXED), ("age", INT, 0), ("score", DOUBLE, 0), ("active", BOOL, 0),
    ("created", DATE, INDEXED), ("note", STRING, NULLABLE), ("token", DATA, NULLABLE), ("home", LINK, NULLABLE),
]  # fmt: skip
PLACE_COLUMNS = [("id", INT, INDEXED), ("name", STRING, 0)]
PERSON_KEY, PLACE_KEY, METADATA_KEY = 1, 2, 3
OBJECTS_IN_CLUSTER = 256


def write_realm(path, count):
    """Writes the persons as a `.realm` file as Realm leaves it, but for the trees of its indexes and the lists of backlinks, which
    an import does not read; returns its answer."""
    file, answer = RealmFile(path), Answer()
    leaves = []
    for some in persons(count):
        leaves += [_person_leaf(file, some, start) for start in range(0, len(some.ids), OBJECTS_IN_CLUSTER)]
        answer.add(some)
    columns = [[*column, PLACE_KEY if column[1] == LINK else None] for column in PERSON_COLUMNS]
    person = _table(file, PERSON_KEY, columns, _cluster_tree(file, leaves))
    # Places have a column of backlinks after their own.
    columns = [[*column, None] for column in PLACE_COLUMNS] + [["", BACKLINK, 0, PERSON_KEY]]
    place = _table(file, PLACE_KEY, columns, _cluster_tree(file, _place_leaves(file)))
    version = _cluster_tree(file, [(file.refs([tagged(1), file.ints([7])]), 1)])
    metadata = _table(file, METADATA_KEY, [["version", INT, 0, None]], version)
    names = file.strings(["metadata", "class_person", "class_place"])
    top = [names, file.refs([metadata, person, place]), tagged(0), file.ints([]), file.ints([]), file.ints([]), tagged(1)]
    file.finish(file.refs(top))
    return answer


def _person_leaf(file, some, start):
    """A cluster of persons: its reference, and how many they are."""
    rows = slice(start, start + OBJECTS_IN_CLUSTER)
    columns = [
        file.ints(some.ids[rows]),
        file.strings(some.names[rows]),
        file.short_strings(some.cities[rows]),
        file.ints(some.ages[rows]),
        file.doubles(some.scores[rows]),
        file.ints(some.actives[rows]),
        file.dates(some.created[rows]),
        file.strings(some.notes[rows]),
        file.values(some.tokens[rows]),
        # Links are the object's key and one, which is the id of the place; 0 is null.
        file.ints([home or 0 for home in some.homes[rows]]),
    ]
    count = len(some.ids[rows])
    return file.refs([tagged(count), *columns]), count


def _place_leaves(file):
    everything, leaves = places(), []
    for start in range(0, len(everything), OBJECTS_IN_CLUSTER):
        some = everything[start : start + OBJECTS_IN_CLUSTER]
        columns = [file.ints([number for number, _ in some]), file.short_strings([name for _, name in some]), file.refs([0] * len(some))]
        leaves.append((file.refs([tagged(len(some)), *columns]), len(some)))
    return leaves


def _cluster_tree(file, level):
    """The root of a tree over clusters of objects whose keys are 0, 1 and so on."""
    depth = 1
    while len(level) > 1:
        parts = [level[start : start + OBJECTS_IN_CLUSTER] for start in range(0, len(level), OBJECTS_IN_CLUSTER)]
        counts = [sum(count for _, count in part) for part in parts]
        level = [
            (file.refs([0, tagged(depth), tagged(count), *[reference for reference, _ in part]], IS_INNER), count)
            for part, count in zip(parts, counts)
        ]
        depth += 1
    return level[0][0]


def _table(file, key, columns, clusters):
    """The top array of a table of `[name, type, attributes, opposite table]` columns, of which the first is the primary key."""
    keys = [leaf | kind << 16 | attributes << 22 | leaf + 1 << 30 for leaf, (_, kind, attributes, _) in enumerate(columns)]
    named = file.strings([name for name, kind, _, _ in columns if kind != BACKLINK])
    kinds, attributes = file.ints([column[1] for column in columns]), file.ints([column[2] for column in columns])
    spec = file.refs([kinds, named, attributes, 0, 0, file.ints(keys)])
    opposite = file.ints([NO_TABLE if column[3] is None else column[3] for column in columns])
    indexes, opposite_columns = file.refs([0] * len(columns)), file.ints([0] * len(columns))
    primary_key = 0 if key == METADATA_KEY else tagged(keys[0])
    versions, sequence, collisions, flags = [tagged(1), tagged(1)], tagged(0), 0, tagged(0)
    links = [opposite, opposite_columns]
    return file.refs([spec, 0, clusters, tagged(key), indexes, *versions, *links, sequence, collisions, primary_key, flags])
