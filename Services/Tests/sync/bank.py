"""The classes of the tests of sync, and a program that writes them and logs what it does.

    python3 bank.py FILE NAME SEED LOG [COUNT]

It writes COUNT transactions, or until it is killed. Its log has a line before each one, `try`, and one after it, `did`: a program that is
killed leaves at most one that may or may not have been committed. It says `LOST` and ends if something that only it writes has another
value than it wrote.
"""

from __future__ import annotations

import os
import random
import sys
import time

import freehold

ACCOUNTS = [f"account-{number}" for number in range(8)]


@freehold.model(sync="update_wins")
class Account:
    id: str = freehold.field(primary_key=True)
    balance: int = freehold.field(counter=True, default=0)
    note: str = ""
    tags: set[str] = freehold.field(default_factory=set)
    items: list[str] = freehold.field(default_factory=list)


@freehold.model(sync="deletion_wins")
class Entry:
    """A payment: whoever adds an amount to an account adds one of these in the same transaction."""
    id: str = freehold.field(primary_key=True)
    account: str = ""
    amount: int = 0


@freehold.model(sync="deletion_wins")
class Page:
    """What one program alone writes."""
    id: str = freehold.field(primary_key=True)
    text: int = 0


MODELS = [Account, Entry, Page]


class Log:
    """A line is one write to the end of a file, so it stays when the process is killed."""

    def __init__(self, path):
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def say(self, *words):
        os.write(self._file, (" ".join(str(word) for word in words) + "\n").encode())


def read_log(path):
    """The transactions of a log, in order: [kind, …words] and whether it is known to be committed."""
    found = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as log:
            for line in log:
                word, *rest = line.split()
                if word == "try":
                    found.append([rest, False])
                elif word == "did":
                    found[-1][1] = True
    return found


class Writer:
    def __init__(self, path, name, seed, log):
        self.name, self.path, self.log_path = name, path, log
        self.random = random.Random(f"{seed} {name} {len(read_log(log))}")
        self.count = len(read_log(log))
        self.log = Log(log)
        self.database = freehold.open(path, models=MODELS)

    def step(self):
        """One transaction, after a look at what only this program writes."""
        self.count += 1
        kind = self.random.choices(["pay", "page", "note", "tag", "item"], [4, 3, 1, 2, 2])[0]
        with self.database.write(durable=False) as transaction:
            self.look(transaction)
            account = self.random.choice(ACCOUNTS)
            owner = transaction.get(Account, account) or transaction.add(Account(account, 0, "", set(), []))
            getattr(self, kind)(transaction, owner, account)
        self.log.say("did")

    def look(self, transaction):
        page = transaction.get(Page, self.name)
        known = pages(read_log(self.log_path))
        if (page.text if page else 0) not in known:
            self.log.say("LOST", "page", page.text if page else None, "expected", *known)
            sys.exit(f"{self.name}: its page has {page and page.text}, not one of {known}")

    def pay(self, transaction, owner, account):
        entry, amount = f"{self.name}-{self.count}", self.random.randint(-50, 100)
        self.log.say("try", "pay", entry, account, amount)
        transaction.add(Entry(entry, account, amount))
        transaction.increment(owner, "balance", amount)

    def page(self, transaction, owner, account):
        self.log.say("try", "page", self.count)
        page = transaction.get(Page, self.name) or transaction.add(Page(self.name, 0))
        page.text = self.count

    def note(self, transaction, owner, account):
        self.log.say("try", "note", account, f"{self.name}-{self.count}")
        owner.note = f"{self.name}-{self.count}"

    def tag(self, transaction, owner, account):
        tag = f"{self.name}-{self.random.randrange(3)}"
        if tag in owner.tags:
            self.log.say("try", "untag", account, tag)
            owner.tags.remove(tag)
        else:
            self.log.say("try", "tag", account, tag)
            owner.tags.add(tag)

    def item(self, transaction, owner, account):
        item = f"{self.name}-{self.count}"
        self.log.say("try", "item", account, item)
        owner.items.insert(self.random.randint(0, len(owner.items)), item)


def pages(log):
    """The values that a program's page may have: the last committed one, or one that was tried since."""
    known = [0]
    for (kind, *words), is_done in log:
        if kind == "page":
            known = [int(words[0])] if is_done else known + [int(words[0])]
    return known


def main(path, name, seed, log, count=None):
    writer = Writer(path, name, seed, log)
    done = 0
    while count is None or done < int(count):
        writer.step()
        done += 1
        time.sleep(writer.random.random() * 0.02)


if __name__ == "__main__":
    main(*sys.argv[1:])
