"""A shop's database with every kind of property, in data that people like to look at; the same each time."""

import datetime
import decimal
import random
import typing
import uuid
from typing import Any, Optional

import freehold

UTC = datetime.timezone.utc
CUSTOMERS, PRODUCTS, ORDERS = 300, 240, 2000


@freehold.model(embedded=True)
class Address:
    street: str = ""
    city: str = ""
    zip: str = ""


@freehold.model
class Category:
    id: int = freehold.field(primary_key=True)
    name: str = freehold.field(indexed=True, default="")
    parent: Optional["Category"] = None


@freehold.model
class Product:
    id: int = freehold.field(primary_key=True)
    name: str = freehold.field(indexed=True, default="")
    category: Optional[Category] = None
    price: float = 0.0
    stock: int = 0
    organic: Optional[bool] = None
    added: Optional[datetime.datetime] = None
    tags: set[str] = freehold.field(default_factory=set)
    notes: Optional[str] = None
    photo: Optional[bytes] = None
    sizes: list[float] = freehold.field(default_factory=list)
    extra: Any = None


@freehold.model
class Customer:
    email: str = freehold.field(primary_key=True)
    name: str = freehold.field(indexed=True, default="")
    home: Optional[Address] = None
    vip: bool = False
    since: Optional[datetime.datetime] = None
    invitedBy: Optional["Customer"] = None


@freehold.model
class Order:
    id: int = freehold.field(primary_key=True)
    customer: Optional[Customer] = None
    state: str = freehold.field(indexed=True, default="open")
    total: float = 0.0
    paid: Optional[decimal.Decimal] = None
    placed: Optional[datetime.datetime] = None
    items: list[Product] = freehold.field(default_factory=list)
    quantities: dict[str, int] = freehold.field(default_factory=dict)
    parcels: list[list[str]] = freehold.field(default_factory=list)
    reference: Optional[uuid.UUID] = None


@freehold.model
class Note:
    """Without a primary key; has no objects at first."""

    text: str = ""


MODELS = [Address, Category, Product, Customer, Order, Note]

CATEGORIES = [("Pantry", None), ("Drinks", None), ("Bakery", None), ("Fruit", None), ("Dairy", None), ("Tea", "Drinks"),
              ("Coffee", "Drinks"), ("Spices", "Pantry")]
ADJECTIVES = ["Green", "Black", "White", "Dark", "Light", "Royal", "Wild", "Fresh", "Smoked", "Spiced", "Sweet", "Roasted"]
NOUNS = [("tea", "Tea"), ("coffee", "Coffee"), ("honey", "Pantry"), ("rye bread", "Bakery"), ("olive oil", "Pantry"),
         ("sea salt", "Spices"), ("pepper", "Spices"), ("cheddar", "Dairy"), ("apples", "Fruit"), ("plums", "Fruit"), ("almonds", "Pantry"),
         ("rice", "Pantry"), ("lentils", "Pantry"), ("chocolate", "Pantry")]
FIRST = [
    "Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Margaret", "Dennis", "Radia", "Ken", "Frances", "Niklaus", "Jürgen", "Zoë",
    "André"
]
LAST = [
    "Lovelace", "Hopper", "Turing", "Dijkstra", "Liskov", "Knuth", "Hamilton", "Ritchie", "Perlman", "Thompson", "Allen", "Wirth",
    "Schmidhuber", "Müller", "Ångström"
]
STREETS = ["Rua Augusta", "Karl Johans gate", "Bahnhofstrasse", "Mariahilfer Straße", "Rue de Rivoli", "Veldstraat", "Rua das Flores"]
CITIES = ["Lisbon", "Oslo", "Zürich", "Vienna", "Paris", "Gent", "Porto"]
LONG = "Sells well in winter. Ask the supplier about the next delivery before the autumn; the last one came two weeks late. " * 8


def make(path, orders=ORDERS):
    """Writes the file, in one commit."""
    random_ = random.Random(11)
    with freehold.open(path, MODELS) as database, database.write() as transaction:
        categories: dict[str, Any] = {}
        for number, (name, parent) in enumerate(CATEGORIES, 1):
            categories[name] = transaction.add(Category(number, name, categories.get(parent or "")))
        products = [add_product(transaction, random_, number, categories) for number in range(1, PRODUCTS + 1)]
        customers: list[Any] = []
        for number in range(CUSTOMERS):
            customers.append(add_customer(transaction, random_, number, customers))
        for number in range(1, orders + 1):
            add_order(transaction, random_, number, customers, products)
    return path


def add_product(transaction, random_, number, categories):
    noun, category = random_.choice(NOUNS)
    added = datetime.datetime(2023, 1, 1, 8, tzinfo=UTC) + datetime.timedelta(minutes=15 * random_.randrange(0, 90000))
    extra = random_.choice([None, None, "fragile", 12, 2.5, True, {"origin": "Peru", "grade": 2}, ["A", 1, None]])
    return transaction.add(
        Product(number, f"{random_.choice(ADJECTIVES)} {noun}", categories[category], round(random_.triangular(1.2, 48, 9), 2),
                random_.randrange(0, 500), random_.choice([True, False, None]), added,
                set(random_.sample(["local", "vegan", "sale", "new", "gift"], random_.randrange(0, 4))),
                random_.choice([None, "", "Sells well in winter.", LONG]),
                random_.randbytes(random_.choice([0, 40, 9000])) if number % 3 == 0 else None,
                [round(random_.uniform(0.1, 2), 2) for _ in range(random_.randrange(0, 4))], extra))


def add_customer(transaction, random_, number, customers):
    name = f"{random_.choice(FIRST)} {random_.choice(LAST)}"
    place = random_.randrange(len(CITIES))
    since = datetime.datetime(2021, 3, 1, tzinfo=UTC) + datetime.timedelta(days=random_.randrange(0, 1500))
    home = Address(f"{STREETS[place]} {random_.randrange(1, 120)}", CITIES[place], str(random_.randrange(1000,
                                                                                                         9900))) if number % 9 else None
    return transaction.add(
        Customer(f"{name.lower().replace(' ', '.')}.{number}@example.org", name, home,
                 random_.random() < 0.1, since,
                 random_.choice(customers) if customers and number % 3 == 0 else None))


def add_order(transaction, random_, number, customers, products):
    items = random_.sample(products, random_.randrange(1, 6))
    total = round(sum(item.price for item in items), 2)
    names = [typing.cast(str, item.name) for item in items]
    transaction.add(
        Order(number,
              random_.choice(customers) if number % 40 else None,
              random_.choice(["open", "paid", "paid", "shipped", "shipped", "shipped", "returned"]), total,
              decimal.Decimal(str(total)) if number % 4 else None,
              datetime.datetime(2024, 1, 1, tzinfo=UTC) + datetime.timedelta(minutes=10 * number + random_.randrange(0, 9)), items,
              {name: random_.randrange(1, 9)
               for name in names}, [names[:2], names[2:]] if number % 2 else [], uuid.UUID(int=random_.getrandbits(128))))
