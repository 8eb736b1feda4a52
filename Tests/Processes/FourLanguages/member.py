"""The Python program of the bank that four languages keep in one file; README.md tells the rules. member.py DATABASE NAME SEED"""

from __future__ import annotations

import random
import sys

import freehold

ACCOUNTS = 12
TOTAL = ACCOUNTS * 1000


def require(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"not so: {what}")


def check_total(reader: freehold.Snapshot) -> None:
    balances = reader.objects("Account").column("balance")
    require(len(balances) == ACCOUNTS and sum(balances) == TOTAL, "the balances add up")


class Observer:
    """Keeps a copy of the accounts' order by what it is told."""

    def __init__(self, database: freehold.Database) -> None:
        self.snapshot = database.read()
        self.order = self.snapshot.objects("Account").sorted("-balance", "id")
        self.stop = self.snapshot.objects("Control").where("stopped = true")
        self.following = database.follow(self.order, self.stop)
        self.copy = self.following.keys(self.order)
        self.stopped = self.following.count(self.stop)

    def note(self, told: freehold.AnswerChanges | None) -> bool:
        if told is None:
            return False
        if told.of is self.stop:
            self.stopped += len(told.insertions)
            return True
        for place in reversed(told.deletions):
            del self.copy[place]
        for place, key in zip(told.insertions, told.inserted_keys):
            self.copy.insert(place, key)
        # Of both answers all is told of a version before the next one begins.
        require(self.following.keys(self.order) == self.copy, "the copy by positions is what there is")
        return True

    def observe(self) -> None:
        while self.note(self.following.poll()):
            pass

    def last(self) -> int:
        """How many moves there were in the version that closed the bank."""
        while not self.stopped:
            require(self.note(self.following.wait(60)), "the watch is told")
        self.snapshot.refresh()
        require(self.snapshot.version == self.following.version, "nobody commits behind the last commit")
        return len(self.snapshot.objects("Move"))


def move_amount(database: freehold.Database, name: str, chance: random.Random) -> bool:
    """False when the bank is closed."""
    source, target = chance.sample(range(ACCOUNTS), 2)
    amount = chance.randint(1, 10)
    with database.write(durable=chance.randrange(16) == 0, timeout=60) as transaction:
        if transaction.get("Control", 1).stopped:
            return False
        transaction.get("Account", source).balance -= amount
        transaction.get("Account", target).balance += amount
        counter = transaction.get("Counter", name)
        number = counter.count + 1
        counter.count = number
        transaction.create("Move", by=name, number=number, amount=amount, source=source, target=target)
    print(number, flush=True)
    return True


def look(database: freehold.Database, name: str) -> None:
    with database.read() as snapshot:
        check_total(snapshot)
        require(len(snapshot.objects("Move").where("by = %@", name)) == snapshot.get("Counter", name).count, "the moves are as many as counted")


def main(path: str, name: str, seed: str) -> None:
    chance = random.Random(seed)
    with freehold.open(path, must_exist=True) as database:
        with database.write(durable=False, timeout=60) as transaction:
            transaction.create("Counter", name=name)
        observer = Observer(database)
        while move_amount(database, name, chance):
            if chance.randrange(4) == 0:
                observer.observe()
            if chance.randrange(8) == 0:
                look(database, name)
        last = observer.last()
        look(database, name)
        print("saw", last, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
