"""Asks a database of the persons for their answer, however it came by them."""

import datetime
import json
import sqlite3
import subprocess

from .measuring import Failure
from .people import SCORE_STEPS, Answer

OF_SQLITE = f"""
    SELECT count(*), sum(age), CAST(sum(score) * {SCORE_STEPS} AS INTEGER), sum(active), max(created), sum(note IS NULL),
        sum(token IS NULL), sum(home IS NULL), sum(instr(name, '{Answer.NAME_PART}') > 0), sum(instr(note, '{Answer.NOTE_PART}') > 0),
        sum(token < x'10'), sum(city = '{Answer.CITY}'), sum(home = (SELECT id FROM place WHERE name = '{Answer.PLACE}')) FROM person
"""
#: What the fields of `Answer` after the aggregates count.
COUNTED = {
    "actives": "active == true",
    "without_note": "note == nil",
    "without_token": "token == nil",
    "without_home": "home == nil",
    "named": f"name CONTAINS '{Answer.NAME_PART}'",
    "noted": f"note CONTAINS '{Answer.NOTE_PART}'",
    "low_tokens": "token < data(10)",
    "of_a_city": f"city == '{Answer.CITY}'",
    "of_a_place": f"home.name == '{Answer.PLACE}'",
}


def of_sqlite(path):
    database = sqlite3.connect(path)
    try:
        return Answer(*database.execute(OF_SQLITE).fetchone())
    finally:
        database.close()


def of_freehold(program, path):
    """The answer of a Freehold file, which the command line `program` gives."""

    def query(*words):
        done = subprocess.run([program, "query", path, "person", *words], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failure(f"freehold query {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    [all_together] = json.loads(query("GROUP() SELECT(@count, age.@sum, score.@sum, created.@max)", "--format", "json"))
    newest = datetime.datetime.fromisoformat(all_together["created.@max"].replace("Z", "+00:00"))
    return Answer(
        count=all_together["@count"],
        ages=all_together["age.@sum"],
        scores=int(all_together["score.@sum"] * SCORE_STEPS),
        created=int(newest.timestamp()),
        **{field: int(query(condition, "--count").strip().replace(",", "")) for field, condition in COUNTED.items()},
    )
