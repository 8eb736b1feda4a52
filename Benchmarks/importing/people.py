"""The objects of the databases that are imported: persons of ten properties, who link to a thousand places."""

import random
from array import array
from dataclasses import dataclass

PLACES = 1000
ROWS_AT_ONCE = 1 << 16
TOKEN_BYTES = 24
#: A multiple of these is exact in a double, and so is the sum of a million.
SCORE_STEPS = 1 << 14

FIRST = [
    "Alice", "Albert", "Bob", "Carol", "David", "Emma", "Frank", "Grace",
    "Henry", "Irene", "Jack", "Karen", "Liam", "Mona", "Nick", "Olive",
]  # fmt: skip
LAST = [
    "Smith", "Johnson", "Williams", "Brown", "Jones", "Miller", "Davis", "Wilson",
    "Anderson", "Thomson", "Jackson", "White", "Harris", "Martinson", "Young", "King",
]  # fmt: skip
THINGS = ["bicycle", "piano", "garden", "library", "dog", "boat", "telescope", "violin"]


@dataclass
class Persons:
    """Some persons, column by column; None is null. `homes` are the ids of places."""

    ids: range
    names: list
    cities: list
    ages: list
    scores: list
    actives: list
    created: list
    notes: list
    tokens: list
    homes: list

    def rows(self):
        return zip(*vars(self).values())


def places():
    """The id and the name of each place."""
    return [(number, f"place-{number}") for number in range(1, PLACES + 1)]


def persons(count):
    """All persons, some at a time; the same for every call."""
    stream = random.Random(42)
    for first in range(0, count, ROWS_AT_ONCE):
        yield _some(range(first, min(count, first + ROWS_AT_ONCE)), stream)


def _some(ids, stream):
    draws = array("Q", stream.randbytes(8 * 3 * len(ids)))
    words, numbers, choices = draws[0::3], draws[1::3], draws[2::3]
    names = [f"{FIRST[word & 15]} {LAST[word >> 4 & 15]}-{number}" for number, word in zip(ids, words)]
    cities = [f"city-{(word >> 8) % 1000}" for word in words]
    return Persons(
        ids=ids,
        names=names,
        cities=cities,
        ages=[number % 100 for number in numbers],
        scores=[(number >> 40) / SCORE_STEPS for number in numbers],
        actives=[choice & 1 for choice in choices],
        created=[1_600_000_000 + number for number in ids],
        notes=[_note(choice, city) if choice & 6 else None for choice, city in zip(choices, cities)],
        tokens=_tokens(choices, stream),
        homes=[1 + (choice >> 24) % PLACES if choice >> 16 & 15 else None for choice in choices],
    )


def _note(choice, city):
    return f"has a {THINGS[choice >> 8 & 7]} and a {THINGS[choice >> 12 & 7]} in {city}"


def _tokens(choices, stream):
    data = stream.randbytes(TOKEN_BYTES * len(choices))
    return [data[TOKEN_BYTES * row : TOKEN_BYTES * (row + 1)] if choice >> 20 & 7 else None for row, choice in enumerate(choices)]


@dataclass
class Answer:
    """What a database of these persons is asked: numbers that a lost, doubled or changed value changes."""

    count: int = 0
    ages: int = 0
    #: In steps.
    scores: int = 0
    actives: int = 0
    created: int = 0
    without_note: int = 0
    without_token: int = 0
    without_home: int = 0
    named: int = 0
    noted: int = 0
    #: Tokens that begin with a byte below 16.
    low_tokens: int = 0
    of_a_city: int = 0
    of_a_place: int = 0

    NAME_PART, NOTE_PART, CITY, PLACE = "son-9", "boat in", "city-7", "place-7"

    def __str__(self):
        return ":".join(str(value) for value in vars(self).values())

    def add(self, some):
        self.count += len(some.ids)
        self.ages += sum(some.ages)
        self.scores += int(sum(some.scores) * SCORE_STEPS)
        self.actives += sum(some.actives)
        self.created = max(self.created, some.created[-1])
        self.without_note += some.notes.count(None)
        self.without_token += some.tokens.count(None)
        self.without_home += some.homes.count(None)
        self.named += sum(self.NAME_PART in name for name in some.names)
        self.noted += sum(self.NOTE_PART in note for note in some.notes if note)
        self.low_tokens += sum(token[0] < 16 for token in some.tokens if token)
        self.of_a_city += some.cities.count(self.CITY)
        self.of_a_place += some.homes.count(int(self.PLACE.split("-")[1]))
