"""Databases with every kind of property, made with the Python binding."""

import datetime
import decimal
import uuid
from typing import Any

import freehold

UTC = datetime.timezone.utc
DATE = datetime.datetime(2024, 2, 29, 12, 34, 56, 789012, UTC)
IDENTIFIER = uuid.UUID("12345678-9abc-def0-1234-56789abcdef0")
OBJECT_ID = "0123456789abcdef01234567"


@freehold.model(embedded=True)
class Address:
    street: str = ""
    number: int = 0


@freehold.model
class Target:
    id: int = freehold.field(primary_key=True)
    name: str = freehold.field(indexed=True, default="")


@freehold.model
class Plain:
    """Without a primary key."""

    text: str = ""
    number: int = 0


@freehold.model
class Kinds:
    id: int = freehold.field(primary_key=True)
    whole: int | None = None
    flag: bool | None = None
    small: freehold.Float32 | None = None
    real: float | None = None
    exact: decimal.Decimal | None = None
    text: str | None = None
    bytes_: bytes | None = None
    at: datetime.datetime | None = None
    unique: uuid.UUID | None = None
    mark: freehold.ObjectId | None = None
    link: Target | None = None
    home: Address | None = None
    any: Any = None
    numbers: list[int] = freehold.field(default_factory=list)
    words: set[str] = freehold.field(default_factory=set)
    counts: dict[str, int] = freehold.field(default_factory=dict)
    links: list[Target] = freehold.field(default_factory=list)
    homes: list[Address] = freehold.field(default_factory=list)
    maybe: list[str | None] = freehold.field(default_factory=list)
    nested: list[list[int]] = freehold.field(default_factory=list)
    byName: dict[str, list[str]] = freehold.field(default_factory=dict)
    anything: list[Any] = freehold.field(default_factory=list)


MODELS = [Address, Target, Plain, Kinds]

#: Strings that a page could take for something else.
EVIL = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' OR 1=1 --", "a\r\nSet-Cookie: x=y", "\u2028\u2029", "\u202eabc",
    "\x01\x7f", "𝒳😀👩‍👩‍👧", "e\u0301", "é", "%s%n", "../../etc/passwd", "data: x\n\nevent: y", "",
]


def make_kinds(path):
    """A file with objects that have everything, nothing, and the empty of everything."""
    with freehold.open(path, MODELS) as database, database.write() as transaction:
        targets = [transaction.add(Target(number, f"target {number}")) for number in range(1, 6)]
        target = targets[0]
        transaction.add(
            Kinds(1,
                  whole=-(2**63),
                  flag=True,
                  small=0.5,
                  real=0.1,
                  exact=decimal.Decimal("12345678901234567890.123456789"),
                  text="text",
                  bytes_=bytes(range(40)),
                  at=DATE,
                  unique=IDENTIFIER,
                  mark=freehold.ObjectId(OBJECT_ID),
                  link=target,
                  home=Address("Main Street", 7),
                  any=5,
                  numbers=[1, 2, 3, 4, 5],
                  words={"b", "a"},
                  counts={"x": 1, "y": 2},
                  links=targets,
                  homes=[Address("One", 1), Address("Two", 2)],
                  maybe=["a", None, ""],
                  nested=[[1, 2], [], [3]],
                  byName={"p": ["q", "r"], "": []},
                  anything=[1, "two", None, True, 2.5, target, [1, [2]], {"a": 1}]))
        transaction.add(Kinds(2))
        transaction.add(
            Kinds(3,
                  whole=0,
                  flag=False,
                  small=0.0,
                  real=0.0,
                  exact=decimal.Decimal(0),
                  text="",
                  bytes_=b"",
                  at=datetime.datetime(1970, 1, 1, tzinfo=UTC),
                  unique=uuid.UUID(int=0),
                  any=""))
        for key, value in enumerate([
                None, True, 2**62, 1.5, "text", b"\x00\xff", DATE, IDENTIFIER,
                decimal.Decimal("1.50"), target, [1, "a", [None]], {"k": [1]}, "x" * 300
        ], 10):
            transaction.add(Kinds(key, any=value))
        for key, value in enumerate(EVIL, 100):
            transaction.add(Kinds(key, text=value, words={value}, maybe=[value]))
        for number, value in enumerate(EVIL):
            transaction.create("Plain", text=value, number=number)
    return path


def make_rows(path, count, keyed=True):
    """A file with so many objects of `Row` (with a primary key) or `Free` (without)."""
    with freehold.open(path) as database, database.write() as transaction:
        if keyed:
            transaction.create_class("Row", id=freehold.Property.declared("id", int, primary_key=True), value=int, name=str)
        else:
            transaction.create_class("Row", id=int, value=int, name=str)
        if count:
            transaction.insert_columns(
                "Row", {"id": list(range(count)), "value": [n % 7 for n in range(count)], "name": [f"row {n}" for n in range(count)]})
    return path
