"""Figures of the Python package, each as a line NAME VALUE UNIT: python3 objects.py [OBJECTS]

The database is in memory and the best of several runs counts, so that what is measured is the package rather than a disk."""

from __future__ import annotations

import array
import gc
import os
import sys
import time
from typing import Any, Callable

import freehold

try:
    import numpy
except ImportError:
    numpy = None

RUNS = 5


@freehold.model
class Person:
    id: int = freehold.field(primary_key=True)
    name: str = ""
    city: str = ""
    age: int = 0
    score: float = 0.0


def best(name: str, unit: str, count: int, work: Callable[[], Any], prepare: Callable[[], Any] = lambda: None) -> None:
    fastest = float("inf")
    for _ in range(RUNS):
        prepare()
        gc.collect()
        start = time.perf_counter()
        work()
        fastest = min(fastest, time.perf_counter() - start)
    print(f"{name} {count / fastest:.0f} {unit}", flush=True)


def main(count: int) -> None:
    rows = [(number, f"person {number}", f"city {number % 100}", number % 90, number / 4) for number in range(count)]
    people = [Person(*row) for row in rows]
    names = ("id", "name", "city", "age", "score")
    columns = dict(zip(names, zip(*rows)))
    arrays = {"id": array.array("q", range(count)), "score": array.array("d", columns["score"])}
    with freehold.open(f"freehold-benchmark-{os.getpid()}", [Person], in_memory=True) as database:
        def clear() -> None:
            with database.write() as transaction:
                transaction.objects(Person).delete()

        def create() -> None:
            with database.write() as transaction:
                for number, name, city, age, score in rows:
                    transaction.create(Person, id=number, name=name, city=city, age=age, score=score)

        def add() -> None:
            with database.write() as transaction:
                for person in people:
                    transaction.add(person)

        def many() -> None:
            with database.write() as transaction:
                transaction.create_many(Person, rows)

        def insert(values: dict[str, Any]) -> Callable[[], None]:
            def inserted() -> None:
                with database.write() as transaction:
                    transaction.insert_columns(Person, values)
            return inserted

        best("create_one_by_one", "objects/s", count, create, clear)
        best("add_instances", "objects/s", count, add, clear)
        best("create_many_rows", "objects/s", count, many, clear)
        best("insert_columns", "objects/s", count, insert(columns), clear)
        best("insert_arrays", "objects/s", count, insert(arrays), clear)
        clear()
        insert(columns)()
        with database.read() as snapshot:
            found = snapshot.objects(Person)
            few = found.where("age < 45")
            best("read_objects", "values/s", 3 * count, lambda: [(person.name, person.age, person.score) for person in found])
            best("read_rows", "values/s", 3 * count, lambda: list(found.rows("name", "age", "score")))
            best("get_by_key", "objects/s", count, lambda: [snapshot.get(Person, number) for number in range(count)])
            best("read_column_ints", "values/s", count, lambda: found.column("age"))
            best("read_column_reals", "values/s", count, lambda: found.column("score"))
            best("read_column_of_results", "values/s", len(few), lambda: few.column("score"))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
