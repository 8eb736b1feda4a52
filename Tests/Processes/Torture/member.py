"""The Python program of the torture; README.md tells the protocol."""

from __future__ import annotations

import datetime
import decimal
import hashlib
import os
import random
import signal
import struct
import sys
import threading
import uuid
from typing import Any

import freehold

ACCOUNTS = 16
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def pattern(length: int, seed: int) -> bytes:
    return bytes((seed + 7 * n + (n >> 8)) & 255 for n in range(length))


#: Properties that have 32 bits.
SINGLES = {"single"}


def text(word: str) -> str:
    return bytes.fromhex(word).decode()


class Member:
    def __init__(self) -> None:
        self.database: freehold.Database | None = None
        self.transaction: freehold.Transaction | None = None
        self.context: Any = None
        self.failure: str | None = None
        self.held: freehold.Snapshot | None = None
        self.held_digest = b""

    # --- values

    def parsed(self, reader: Any, word: str) -> Any:
        kind, rest = word[0], word[1:]
        if kind == "n":
            return None
        if kind == "t":
            return rest == "1"
        if kind == "i":
            return int(rest)
        if kind == "f":
            return struct.unpack(">f", bytes.fromhex(rest))[0]
        if kind == "d":
            return struct.unpack(">d", bytes.fromhex(rest))[0]
        if kind == "s":
            return text(rest)
        if kind == "b":
            return bytes.fromhex(rest)
        if kind == "D":
            seconds, micros = rest.split(".")
            return EPOCH + datetime.timedelta(seconds=int(seconds), microseconds=int(micros))
        if kind == "u":
            return uuid.UUID(bytes=bytes.fromhex(rest))
        if kind == "o":
            return freehold.ObjectId(bytes.fromhex(rest))
        if kind == "m":
            return decimal.Decimal(rest)
        if kind == "l":
            return reader.get("Thing", int(rest))
        length, seed = rest.split(":")
        return pattern(int(length), int(seed))

    def written(self, value: Any, single: bool = False) -> str:
        if value is None:
            return "n"
        if isinstance(value, bool):
            return "t1" if value else "t0"
        if isinstance(value, int):
            return f"i{value}"
        if isinstance(value, float):
            return "f" + struct.pack(">f", value).hex() if single else "d" + struct.pack(">d", value).hex()
        if isinstance(value, str):
            return "s" + value.encode().hex()
        if isinstance(value, (bytes, bytearray)):
            if len(value) > 1000 and value == pattern(len(value), value[0]):
                return f"P{len(value)}:{value[0]}"
            return "b" + bytes(value).hex()
        if isinstance(value, datetime.datetime):
            micros = (value - EPOCH) // datetime.timedelta(microseconds=1)
            return f"D{micros // 1_000_000}.{micros % 1_000_000}"
        if isinstance(value, uuid.UUID):
            return "u" + value.bytes.hex()
        if isinstance(value, freehold.ObjectId):
            return "o" + value.bytes.hex()
        if isinstance(value, decimal.Decimal):
            return f"m{value}"
        if isinstance(value, freehold.Object):
            if value.class_name == "Box":
                return f"{value['label'].encode().hex()}/{value['size']}"
            return f"l{value['id']}"
        if isinstance(value, (freehold.Map, dict)):
            return " ".join(f"{key.encode().hex()}={self.inner(element)}" for key, element in value.items())
        return " ".join(self.written(element) for element in value)

    def inner(self, value: Any) -> str:
        return f"[{self.written(value)}]" if isinstance(value, (freehold.List, list)) else self.written(value)

    # --- operations

    def object(self, words: list[str]) -> Any:
        found = self.transaction.get(words[1], int(words[2]))
        if found is None:
            raise LookupError(f"there is no {words[1]} {words[2]}")
        return found

    def operate(self, words: list[str]) -> None:
        what, writing = words[0], self.transaction
        if what == "new":
            writing.create(words[1], id=int(words[2]), slot=int(words[3]))
        elif what == "cnt":
            self.count_one(writing, words[1])
        elif what == "mov":
            self.move(writing, int(words[1]), int(words[2]), int(words[3]), words[4])
        elif what == "del":
            self.object(words).delete()
        elif what == "set":
            self.object(words)[words[3]] = self.parsed(writing, words[4])
        elif what == "box":
            self.object(words)[words[3]] = {"label": text(words[4]), "size": int(words[5])}
        else:
            self.change(what, self.object(words)[words[3]], words)

    def change(self, what: str, collection: Any, words: list[str]) -> None:
        writing = self.transaction
        if what == "clr":
            collection.clear()
        elif what == "ins":
            collection.insert(int(words[4]), self.parsed(writing, words[5]))
        elif what == "rep":
            collection[int(words[4])] = self.parsed(writing, words[5])
        elif what == "rem":
            del collection[int(words[4])]
        elif what == "sin":
            collection.add(self.parsed(writing, words[4]))
        elif what == "sre":
            collection.discard(self.parsed(writing, words[4]))
        elif what == "mse":
            collection[text(words[4])] = self.parsed(writing, words[5])
        elif what == "mde":
            del collection[text(words[4])]
        elif what == "nes":
            collection[text(words[4])] = [self.parsed(writing, word) for word in words[6:]]
        elif what == "bxa":
            collection.append({"label": text(words[4]), "size": int(words[5])})
        else:
            sys.exit(f"protocol: {words}")

    @staticmethod
    def count_one(writing: freehold.Transaction, name: str) -> None:
        counter = writing.get("Counter", name)
        if counter is None:
            counter = writing.create("Counter", name=name)
        counter.count = counter.count + 1

    @staticmethod
    def move(writing: freehold.Transaction, source: int, target: int, amount: int, name: str) -> None:
        writing.get("Account", source).balance -= amount
        writing.get("Account", target).balance += amount
        writing.create("Move", by=name, amount=amount, source=source, target=target)

    def begin(self, words: list[str]) -> None:
        self.failure, self.transaction = None, None
        self.transaction = self.database.write(durable=words[1] == "full", timeout=60).__enter__()

    def commit(self) -> str:
        ending, self.transaction = self.transaction, None
        if ending is None or self.failure is not None:
            if ending is not None:
                ending.rollback()
            return self.failure or "E 0 no transaction"
        return f"A {ending.commit()}"

    # --- looking

    def get(self, words: list[str]) -> str:
        with self.database.read() as snapshot:
            found = snapshot.get(words[1], int(words[2]))
            return "V -" if found is None else "V " + self.written(found[words[3]], words[3] in SINGLES)

    def bank(self) -> str:
        with self.database.read() as snapshot:
            balances, counts = snapshot.objects("Account").column("balance"), snapshot.objects("Counter").column("count")
            return f"V {sum(int(b) for b in balances)} {sum(int(c) for c in counts)} {len(snapshot.objects('Move'))}"

    def counter(self, name: str) -> str:
        with self.database.read() as snapshot:
            found = snapshot.get("Counter", name)
            return "V -" if found is None else f"V {found.count}"

    def keys(self, slot: str) -> str:
        with self.database.read() as snapshot:
            return "V " + " ".join(str(thing["id"]) for thing in snapshot.objects("Thing").where("slot = %@", int(slot)).sorted("id"))

    def count(self, name: str, condition: str) -> str:
        with self.database.read() as snapshot:
            return f"V {len(snapshot.objects(name).where(condition))}"

    @staticmethod
    def digest(snapshot: freehold.Snapshot) -> bytes:
        found = hashlib.blake2b()
        for name in ("Thing", "Account", "Counter"):
            found.update(snapshot.objects(name).json(lines=True).encode())
        return found.digest()

    # --- what a process does to others and to itself

    def storm(self, name: str, threads: int, rounds: int, durable: bool) -> str:
        made = [0] * threads

        def work(number: int) -> None:
            chance = random.Random(f"{os.getpid()} {number}")
            for _ in range(rounds):
                try:
                    with self.database.write(durable=durable, timeout=60) as writing:
                        source, target = chance.sample(range(ACCOUNTS), 2)
                        self.move(writing, source, target, chance.randint(1, 9), name)
                        self.count_one(writing, name)
                except freehold.FreeholdError:
                    return
                made[number] += 1

        workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return f"ok {sum(made)}"

    def lose(self) -> str:
        lost: list[Any] = []

        def begin() -> None:
            try:
                writing = self.database.write(timeout=10).__enter__()
                self.count_one(writing, "lost")
                lost.append(writing)
            except freehold.FreeholdError as error:
                lost.append(error)

        thread = threading.Thread(target=begin)
        thread.start()
        thread.join()
        if isinstance(lost[0], Exception):
            raise lost[0]
        self.lost = lost
        return "ok"

    def fork(self) -> str:
        sys.stdout.flush()
        child = os.fork()
        if child:
            return f"ok {child}"
        for attempt in (self.database.read, lambda: self.database.write(timeout=0).__enter__()):
            try:
                attempt()
                print("a forked child may go on", file=sys.stderr, flush=True)
            except freehold.ForkedError:
                pass
        os.close(0)
        os.close(1)
        while True:
            signal.pause()

    def open(self, path: str, key: str, mode: str) -> str:
        self.database = freehold.open(path, read_only=mode == "ro", must_exist=True, timeout=60, key=None if key == "-" else bytes.fromhex(key))
        return f"ok {os.getpid()}"

    def close(self) -> str:
        self.drop()
        if self.database is not None:
            self.database.close()
        self.database = None
        return "ok"

    def drop(self) -> str:
        if self.held is not None:
            self.held.close()
        self.held = None
        return "ok"

    def hold(self) -> str:
        self.drop()
        self.held = self.database.read()
        self.held_digest = self.digest(self.held)
        return "ok"

    def same(self) -> str:
        if self.held is None:
            return "V none"
        return "V same" if self.digest(self.held) == self.held_digest else "V different"

    def obey(self, words: list[str]) -> str | None:
        what = words[0]
        if what == "begin":
            return self.begin(words)
        if what == "commit":
            return self.commit()
        if what == "get":
            return self.get(words)
        if what == "storm":
            return self.storm(words[1], int(words[2]), int(words[3]), words[4] == "full")
        if what == "compact":
            self.database.compact()
            return "ok"
        if what == "backup":
            self.database.backup(words[1])
            return "ok"
        if what == "check":
            return f"ok {len(self.database.check().problems)}"
        if what == "closefrom":
            os.closerange(3, 4096)
            return "ok"
        if what in ("open", "close", "hold", "same", "drop", "bank", "fork", "lose", "count", "counter", "keys"):
            return getattr(self, what)(*words[1:])
        if self.transaction is not None and self.failure is None:
            self.operate(words)
        return None


def described(error: Exception) -> str:
    return f"E {getattr(error, 'code', 0)} {type(error).__name__}: {error}".replace("\n", " ")


def main() -> None:
    member = Member()
    for line in sys.stdin:
        words = line.rstrip("\n").split("\t")
        try:
            answer = member.obey(words)
        except (freehold.FreeholdError, LookupError) as error:
            if words[0] == "begin" or member.transaction is not None:
                member.failure, answer = described(error), None
            else:
                answer = described(error)
        if answer is not None:
            print(answer, flush=True)


if __name__ == "__main__":
    main()
