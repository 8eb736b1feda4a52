"""Sells at a market's stalls, at a file that an agent keeps in sync with a server: python3 stall.py DATABASE NAME LOG

Each line of the input is a number of sales to make; the program ends with its input. A sale adds to a counter, and each
tenth one writes a note. It is logged once it is committed. The agent is a process of its own, so nothing here knows of a
network. Stall.swift and stall.c are the same program in Swift and C, and demo.py runs all three.
"""

import random
import sys
import time

import freehold

STALLS = ["apples", "bread", "cheese", "honey"]


@freehold.model(sync="deletion_wins")
class Stall:
    id: str = freehold.field(primary_key=True)
    #: Pieces sold: what all files add is added up.
    sold: int = freehold.field(counter=True, default=0)
    #: Of two notes the later one stays.
    note: str = ""


def sell(database: freehold.Database, name: str, sale: int) -> str:
    """One sale, in one transaction. Returns what to log."""
    key, pieces = random.choice(STALLS), random.randint(1, 3)
    logged = f"sold {key} {pieces}\n"
    with database.write() as transaction:
        stall = transaction.get(Stall, key) or transaction.add(Stall(key))
        transaction.increment(stall, "sold", pieces)
        if sale % 10 == 0:
            stall.note = f"{name}, sale {sale}"
            logged += f"note {key} {name}, sale {sale}\n"
    return logged


def main(path: str, name: str, log_path: str) -> None:
    sale = 0
    with freehold.open(path, [Stall]) as database, open(log_path, "w", encoding="utf-8") as log:
        for line in sys.stdin:
            for _ in range(int(line)):
                sale += 1
                log.write(sell(database, name, sale))
                log.flush()
                time.sleep(0.005)  # customers come one by one


if __name__ == "__main__":
    main(*sys.argv[1:])
