"""What a program without the import does: reads a SQLite database row by row and creates the objects one by one, in one transaction.

    python3 -m importing.python_loop SOURCE TARGET
"""

import datetime
import sqlite3
import sys

import freehold


@freehold.model(name="place")
class Place:
    id: int = freehold.field(primary_key=True)
    name: str = ""


@freehold.model(name="person")
class Person:
    id: int = freehold.field(primary_key=True)
    name: str = ""
    city: str = freehold.field(default="", indexed=True)
    age: int = 0
    score: float = 0.0
    active: bool = False
    created: datetime.datetime = freehold.field(default=datetime.datetime.fromtimestamp(0, datetime.timezone.utc), indexed=True)
    note: str | None = None
    token: bytes | None = None
    home: Place | None = None


def main(source, target):
    rows = sqlite3.connect(f"file:{source}?mode=ro", uri=True)
    with freehold.open(target, [Place, Person]) as database, database.write() as transaction:
        places = {key: transaction.create(Place, id=key, name=name) for key, name in rows.execute("SELECT id, name FROM place")}
        columns = "id, name, city, age, score, active, created, note, token, home"
        for key, name, city, age, score, active, created, note, token, home in rows.execute(f"SELECT {columns} FROM person"):
            transaction.create(
                Person, id=key, name=name, city=city, age=age, score=score, active=bool(active),
                created=datetime.datetime.fromtimestamp(created, datetime.timezone.utc), note=note, token=token, home=places.get(home),
            )  # fmt: skip
    rows.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
