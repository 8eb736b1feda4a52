"""The same events as a Freehold database and as a SQLite one."""

import sqlite3
import sys
from pathlib import Path

KINDS = ["login", "logout", "view", "click", "buy", "return"]
STEP = 200_000


def columns(first, last):
    """The columns of the events from first to last."""
    numbers = range(first, last + 1)
    return {
        "id": list(numbers),
        "name": [f"event {number}" for number in numbers],
        "kind": [KINDS[number * 7 % 6] for number in numbers],
        "value": [number * 37 % 10000 / 8 for number in numbers],
        "user": [number * 31 % 50000 for number in numbers],
        "note": [None if number % 3 else "note" for number in numbers],
    }


def steps(count):
    for first in range(1, count + 1, STEP):
        yield columns(first, min(first + STEP - 1, count))


def make_freehold(path: Path, count: int, bindings: Path):
    if path.exists():
        return
    sys.path.insert(0, str(bindings))
    import freehold

    temporary = path.with_suffix(".making")
    with freehold.open(str(temporary), [event_class(freehold)]) as database:
        for step in steps(count):
            with database.write() as transaction:
                transaction.insert_columns("Event", step)
    temporary.rename(path)


def event_class(freehold):
    """The model of an event."""
    @freehold.model
    class Event:
        id: int = freehold.field(primary_key=True)
        name: str = ""
        kind: str = freehold.field(indexed=True, default="")
        value: float = 0.0
        user: int = freehold.field(indexed=True, default=0)
        note: str | None = None

    return Event


def make_sqlite(path: Path, count: int):
    if path.exists():
        return
    temporary = path.with_suffix(".making")
    temporary.unlink(missing_ok=True)
    database = sqlite3.connect(temporary)
    database.execute("CREATE TABLE Event (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, value REAL, user INTEGER, note TEXT)")
    for step in steps(count):
        database.executemany("INSERT INTO Event VALUES (?, ?, ?, ?, ?, ?)", zip(*step.values()))
        database.commit()
    database.execute("CREATE INDEX event_kind ON Event (kind)")
    database.execute("CREATE INDEX event_user ON Event (user)")
    database.commit()
    database.close()
    temporary.rename(path)
