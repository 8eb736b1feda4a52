"""Judges a run from the logs of its programs, its files and its tables: shares no code with the engine's merge.

What must hold when everything has been exchanged:
1. All files show the same, and the tables too.
2. A committed payment is in the files; one that is in the files was tried; each balance is the sum of the payments that are there.
3. A program's page has what the program wrote last, or a transaction that was killed in the middle did.
4. A tag is there if its last committed change put it there; an item is there once.
5. A note is one that a program has tried to write.
"""

from collections import Counter, defaultdict

import bank
import freehold


def read_file(path):
    """What a file shows, as dictionaries by class and key."""
    with freehold.open(path, models=bank.MODELS) as database, database.read() as snapshot:
        return {
            "Account": {one.id: (one.balance, one.note, frozenset(one.tags), tuple(one.items)) for one in snapshot.objects(bank.Account)},
            "Entry": {one.id: (one.account, one.amount) for one in snapshot.objects(bank.Entry)},
            "Page": {one.id: one.text for one in snapshot.objects(bank.Page)},
        }


def differences(found, other, name):
    """Where two dictionaries by class and key differ, in words."""
    said = []
    for class_name in found:
        mine, theirs = found[class_name], other[class_name]
        for key in sorted(set(mine) | set(theirs)):
            if mine.get(key) != theirs.get(key):
                said.append(f"{class_name} {key}: {mine.get(key)}, {name} {theirs.get(key)}")
    return said


class Verdict:
    def __init__(self, logs):
        """`logs` are paths by the names of programs."""
        self.logs = {name: bank.read_log(path) for name, path in logs.items()}

    def problems(self, shown):
        """What is wrong with what all files show."""
        said = []
        tried, payments, tags, items, notes = {}, set(), defaultdict(lambda: {False}), defaultdict(list), {""}
        for name, log in self.logs.items():
            for (kind, *words), is_done in log:
                if kind == "pay":
                    tried[words[0]] = (words[1], int(words[2]))
                    if is_done:
                        payments.add(words[0])
                elif kind in ("tag", "untag"):
                    place, is_there = (words[0], words[1]), kind == "tag"
                    tags[place] = {is_there} if is_done else tags[place] | {is_there}
                elif kind == "item":
                    items[words[0]].append((words[1], is_done))
                elif kind == "note":
                    notes.add(words[1])
            page = shown["Page"].get(name, 0)
            if page not in bank.pages(log):
                said.append(f"page of {name}: {page}, expected one of {bank.pages(log)}")
        entries = shown["Entry"]
        said += [f"payment {one} is lost" for one in sorted(payments - set(entries))]
        said += [f"payment {one} is {entries[one]}, tried was {tried.get(one)}" for one in entries if tried.get(one) != entries[one]]
        sums = Counter()
        for account, amount in entries.values():
            sums[account] += amount
        for account, (balance, note, has, list_) in shown["Account"].items():
            if balance != sums[account]:
                said.append(f"balance of {account}: {balance}, payments {sums[account]}")
            if note not in notes:
                said.append(f"note of {account}: {note}, which nobody wrote")
            counts = Counter(list_)
            said += [f"item {one} {count} times in {account}" for one, count in counts.items() if count > 1]
            known = dict(items[account])
            said += [f"item {one} of {account} is lost" for one, is_done in known.items() if is_done and one not in counts]
            said += [f"item {one} in {account}, which nobody wrote" for one in counts if one not in known]
            for (place, tag), may_be in tags.items():
                if place == account and (tag in has) not in may_be:
                    said.append(f"tag {tag} of {account}: {tag in has}, expected {may_be}")
        return said
