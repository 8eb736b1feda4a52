"""One file and its life: programs work on it slot by slot while things happen to them; after each life all of it is compared."""

from __future__ import annotations

import collections
import contextlib
import os
import random
import resource
import shutil
import signal
import sqlite3
import struct
import subprocess
import threading
import time
from pathlib import Path

from .account import Account
from .members import Failure, Gone, Member, Programs

SLOTS = 4
#: Codes by what makes them legitimate. Swift's are those of Realm, from 9000.
BUSY = {"3001", "3007", "2", "3"}
FULL = {"1002", "9014"}
NAMELESS = {"1003", "1009", "1010", "9002", "9005", "9012"}
LOST = {"3006", "1001", "1013", "9002", "9019", "1", "0", "3002"}


class World:
    def __init__(self, programs: Programs, folder: Path, seed: str, tally: collections.Counter, is_root: bool,
                 without: set[str] = frozenset()) -> None:
        self.programs, self.folder, self.seed, self.tally = programs, folder, seed, tally
        self.chance = random.Random(seed)
        self.path = folder / "world.freehold"
        self.image = folder.with_name(f"{folder.name}.image")
        self.key = self.chance.randbytes(64).hex() if self.chance.random() < 1 / 3 else "-"
        self.accounts = [Account(slot, random.Random(f"{seed} slot {slot}")) for slot in range(SLOTS)]
        self.storms: dict[str, tuple[int, int]] = {}
        self.is_root, self.without = is_root, without
        self.is_small = is_root and self.chance.random() < 1 / 3 and self.mount()
        self.members: list[Member] = []
        self.children: list[int] = []
        self.guard = threading.Lock()
        # Held while the file has no name, and by whom a missing file is made anew.
        self.naming = threading.RLock()
        self.failures: list[str] = []
        # What is the case now, and makes some errors legitimate.
        self.tolerated: collections.Counter = collections.Counter()
        # What each slot was told and has answered, for who looks into a failure.
        self.journals = [open(folder.parent / f"{seed}-slot-{slot}.journal", "w", buffering=1) for slot in range(SLOTS)]
        self.is_ending = threading.Event()
        self.is_to_end = False
        # A program of another namespace makes the session use byte locks, which belong to processes: a write whose thread has ended keeps one.
        self.uses_bytes = False
        if self.key != "-":
            (folder / "key").write_text(self.key)
            (folder / "key").chmod(0o600)

    def mount(self) -> bool:
        """A disk of its own, that can get full: memory, or a file system with a journal in a file."""
        size, kind = self.chance.choice((200, 400)), self.chance.choice(("tmpfs", "ext4"))
        image = self.image
        if kind == "ext4" and shutil.which("mkfs.ext4"):
            with open(image, "wb") as file:
                file.truncate(size << 20)
            if subprocess.run(["mkfs.ext4", "-q", str(image)], capture_output=True).returncode == 0 and subprocess.run(
                    ["mount", "-o", "loop", str(image), str(self.folder)], capture_output=True).returncode == 0:
                self.tally["disks of ext4"] += 1
                return True
            image.unlink()
        return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}m", "torture", str(self.folder)], capture_output=True).returncode == 0

    def dispose(self) -> None:
        for journal in self.journals:
            journal.close()
        if self.is_small:
            subprocess.run(["umount", "-l", str(self.folder)], check=False)
            self.image.unlink(missing_ok=True)

    # --- programs

    def start(self, chance: random.Random, language: str | None = None) -> Member:
        limits, prefix = {}, []
        if chance.random() < 0.1:
            limits[resource.RLIMIT_NOFILE] = 64
        if chance.random() < 0.08:
            limits[resource.RLIMIT_FSIZE] = max(self.length() + chance.randrange(1 << 18), 1 << 16)
        if self.is_root and chance.random() < 0.1:
            prefix = chance.choice((["unshare", "--pid", "--fork", "--kill-child"], ["unshare", "--time", "--monotonic", "500000", "--boottime", "500000", "--fork", "--kill-child"]))
        self.uses_bytes = self.uses_bytes or bool(prefix)
        member = Member(self.programs, language or chance.choice(sorted(self.programs.members)), prefix, limits)
        member.may_be_full, member.is_elsewhere = resource.RLIMIT_FSIZE in limits, bool(prefix)
        with self.guard:
            self.members.append(member)
        self.tally[f"{member.language} started"] += 1
        return member

    def stop_member(self, member: Member) -> None:
        with self.guard:
            if member in self.members:
                self.members.remove(member)
        member.kill()
        complaint = member.complaints()
        member.process.wait()
        member.close()
        if "forked child" in complaint:
            raise Failure(complaint)

    def length(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def open(self, member: Member, mode: str = "rw", path: Path | None = None) -> str:
        with contextlib.ExitStack() as stack:
            if member.language == "swift":
                stack.enter_context(self.naming)
            return member.ask(f"open\t{path or self.path}\t{self.key}\t{mode}")

    def legitimate(self, member: Member, answer: str) -> bool:
        """Whether an error has its reason."""
        code = answer.split()[1]
        if code in BUSY and self.tolerated["stop"]:
            return True
        is_unflushed = "is committed, but not flushed" in answer
        if (code in FULL or is_unflushed) and (self.tolerated["full"] or member.may_be_full):
            return True
        return code in NAMELESS and bool(self.tolerated["name"])

    # --- the beginning

    def found(self) -> None:
        """Makes the classes, by the program whose models they are, and the bank."""
        member = Member(self.programs, "swift")
        member.may_be_full = False
        answer = member.ask(f"make\t{self.path}\t{self.key}\trw")
        if not answer.startswith("ok"):
            raise Failure(f"the file is not made: {answer}")
        member.ask("close")
        member.kill()

    # --- a slot's work

    def work(self, slot: int, life: int) -> None:
        account = self.accounts[slot]
        chance = random.Random(f"{self.seed} life {life} work {slot}")
        while not self.is_ending.is_set():
            member = self.start(chance)
            try:
                self.live(member, account, chance, life)
            except Gone:
                self.tally["members killed"] += 1
            finally:
                self.stop_member(member)

    def live(self, member: Member, account: Account, chance: random.Random, life: int) -> None:
        answer = self.open(member)
        if answer.startswith("E"):
            if self.legitimate(member, answer) or self.is_ending.is_set():
                time.sleep(0.05)
                return
            raise Failure(f"{member.language} cannot open: {answer}")
        self.settle(member, account)
        for _ in range(chance.choice((3, 20, 100, 400))):
            if self.is_ending.is_set():
                break
            self.transact(member, account)
            self.look(member, account, chance)
            if chance.random() < 0.03 and not self.do_more(member, account, chance, life):
                return
        if chance.random() < 0.7:
            member.ask("close")

    def settle(self, member: Member, account: Account) -> None:
        """Finds out whether the transaction that a death cut off happened. A durable commit that is not yet flushed is shown to nobody; a writer
        sees it, and its own durable commit, though empty, waits for it."""
        if account.pending is not None:
            self.wait_for_flush(member)
        word = self.counter(member, account)
        count = 0 if word == "-" else int(word)
        if account.pending is None and count < account.made:
            # Committed on top of another program's durable commit, which is being flushed: seen by all once that is.
            self.tally["commits that others saw later"] += 1
            self.wait_for_flush(member)
            word = self.counter(member, account)
            count = 0 if word == "-" else int(word)
        allowed = {account.made, account.made + 1} if account.pending is not None else {account.made}
        if count not in allowed:
            raise Failure(f"slot {account.slot} has {count} transactions, {sorted(allowed)} are right ({member.language})")
        self.journals[account.slot].write(f"  {member.language} {member.process.pid}: counter {word}, made {account.made}, pending {account.pending is not None}\n")
        account.settle(count == account.made + 1)

    def wait_for_flush(self, member: Member) -> None:
        member.send(["begin\tfull", "commit"])
        answer = member.answer()
        if not answer.startswith("A"):
            if self.legitimate(member, answer):
                raise Gone
            raise Failure(f"{member.language}: an empty transaction: {answer}")

    def counter(self, member: Member, account: Account) -> str:
        answer = member.ask(f"counter\tslot-{account.slot}")
        if not answer.startswith("V"):
            if self.legitimate(member, answer):
                raise Gone
            raise Failure(f"{member.language}: counter: {answer}")
        return answer[2:]

    def transact(self, member: Member, account: Account) -> None:
        commands = account.transaction()
        journal = self.journals[account.slot]
        journal.write("\n".join(command[:200] for command in commands) + "\n")
        member.send(commands)
        answer = member.answer()
        journal.write(f"  {member.language} {member.process.pid}: {answer}\n")
        if answer.startswith("A "):
            account.settle(True)
            self.tally["transactions"] += 1
            self.tally["operations"] += len(commands) - 2
            return
        if not self.legitimate(member, answer):
            raise Failure(f"{member.language}: {answer} at {commands[:3]} … of {len(commands)}")
        self.tally["transactions refused for a reason"] += 1
        # Whether it happened is for the file to say, once it can be asked: of what is not yet durable it did.
        code = answer.split()[1]
        while not self.is_ending.is_set():
            try:
                before = account.made
                self.settle(member, account)
                if code not in BUSY and "is committed" not in answer and account.made != before:
                    raise Failure(f"{member.language}: a transaction was refused ({answer}), and happened")
                return
            except Gone:
                if member.is_killed:
                    raise
                time.sleep(0.05)
        raise Gone

    def look(self, member: Member, account: Account, chance: random.Random) -> None:
        if chance.random() < 0.3 and account.things:
            number = chance.choice(sorted(account.things))
            thing = account.things[number]
            self.compare(member, number, thing, chance.choice(thing.names))
        if chance.random() < 0.1:
            self.look_at_bank(member)
        if chance.random() < 0.05:
            self.expect(member, "same", ("V same", "V none"))
            self.expect(member, chance.choice(("hold", "drop")), ("ok",))

    def expect(self, member: Member, command: str, wanted: tuple[str, ...]) -> str:
        answer = member.ask(command)
        self.tally["looks"] += 1
        if not any(answer.startswith(one) for one in wanted) and not (answer.startswith("E") and self.legitimate(member, answer)):
            raise Failure(f"{member.language}: {command}: {answer[:400]}; {wanted} are right")
        return answer

    def compare(self, member: Member, number: int, thing, name: str) -> None:
        wanted = f"V {thing.word(name)}"
        answer = member.ask(f"get\t{thing.name}\t{number}\t{name}")
        self.tally["values compared"] += 1
        if answer != wanted and not (answer.startswith("E") and self.legitimate(member, answer)):
            raise Failure(f"{member.language}: {thing.name} {number} {name} is\n  {answer[:600]}\nand must be\n  {wanted[:600]}")

    def look_at_bank(self, member: Member) -> None:
        answer = self.expect(member, "bank", ("V",))
        if answer.startswith("V"):
            balance, counted, moves = map(int, answer[2:].split())
            if balance != 16_000 or counted != moves:
                raise Failure(f"{member.language}: the bank has {balance}, {moves} moves and {counted} transactions")

    def do_more(self, member: Member, account: Account, chance: random.Random, life: int) -> bool:
        """What a program does now and then; False if that is its end."""
        what = chance.choice(("storm", "storm", "compact", "backup", "fork", "lose", "closefrom"))
        # Reading a live object of Swift cannot throw: a process that has lost its lease ends there, with a message.
        languages = {"fork": ("c", "python"), "lose": ("c", "python"), "closefrom": ("c", "python")}
        if what in self.without or member.language not in languages.get(what, (member.language,)):
            return True
        if what == "lose" and self.uses_bytes:
            return True
        if what == "fork" and member.is_elsewhere:  # its child's number means nothing here
            return True
        self.tally[f"member: {what}"] += 1
        if what == "storm":
            return self.storm(member, chance, f"storm-{life}-{account.slot}-{self.tally['member: storm']}")
        if what == "fork":
            child = self.expect(member, "fork", ("ok",))
            if child.startswith("ok"):
                member.child_pids.append(int(child.split()[1]))
                self.children.append(int(child.split()[1]))
            return True
        if what == "closefrom":
            member.ask("closefrom")
            for command in (["bank"], account.transaction(), ["close"]):
                member.send(command)
                answer = member.answer()
                if answer.startswith("A "):
                    account.settle(True)
            return False
        if what == "backup":
            target = self.folder / f"backup-{account.slot}"
            target.unlink(missing_ok=True)
            self.expect(member, f"backup\t{target}", ("ok",))
            target.unlink(missing_ok=True)
            return True
        self.expect(member, what, ("ok",))
        return True

    def storm(self, member: Member, chance: random.Random, name: str) -> bool:
        threads, rounds = chance.randint(2, 6), chance.randint(1, 40)
        self.storms[name] = (0, threads * rounds)
        answer = self.expect(member, f"storm\t{name}\t{threads}\t{rounds}\t{chance.choice(('full', 'fast'))}", ("ok",))
        made = int(answer.split()[1])
        self.storms[name] = (made, threads * rounds)
        self.tally["transactions"] += made
        return True

    # --- the end of a life

    def end(self, is_gentle: bool) -> None:
        self.is_ending.set()
        if not is_gentle:
            with self.guard:
                members = list(self.members)
            for member in members:
                member.kill()

    def examine(self, chance: random.Random) -> None:
        """Compares everything there is, by programs of all languages and the command line."""
        for child in self.children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.children = []
        self.run_verb("check", self.path)
        members = [Member(self.programs, language) for language in sorted(self.programs.members)]
        for member in members:
            member.may_be_full = False
        try:
            for number, member in enumerate(members):
                # The first one ends what the dead have left; who may only read cannot.
                answer = self.open(member, "rw" if number == 0 else chance.choice(("rw", "ro")))
                if not answer.startswith("ok"):
                    raise Failure(f"{member.language} cannot open what is left: {answer}")
            for account in self.accounts:
                self.examine_slot(members, account, chance)
            for name, (least, most) in self.storms.items():
                word = members[0].ask(f"counter\t{name}")[2:]
                count = 0 if word == "-" else int(word)
                if not least <= count <= most:
                    raise Failure(f"storm {name} made {count} transactions, acknowledged {least} of {most}")
            if members[0].ask("counter\tlost") != "V -":
                raise Failure("a transaction whose thread ended was committed")
            for member in members:
                self.look_at_bank(member)
                member.ask("close")
        finally:
            for member in members:
                member.kill()
                member.process.wait()
                member.close()

    def examine_slot(self, members: list[Member], account: Account, chance: random.Random) -> None:
        self.settle(members[0], account)
        wanted = "V " + " ".join(map(str, sorted(account.things)))
        for member in members:
            answer = member.ask(f"keys\t{account.slot}")
            if answer != wanted:
                raise Failure(f"{member.language}: slot {account.slot} has the things\n  {answer[:2000]}\nand must have\n  {wanted[:2000]}")
        for number, thing in account.things.items():
            member = chance.choice(members)
            names = thing.names if len(account.things) < 200 else chance.sample(thing.names, 5)
            member.send([f"get\t{thing.name}\t{number}\t{name}" for name in names])
            for name in names:
                answer, word = member.answer(), f"V {thing.word(name)}"
                self.tally["values compared"] += 1
                if answer != word:
                    raise Failure(f"{member.language}: {thing.name} {number} {name} is\n  {answer[:600]}\nand must be\n  {word[:600]}")
        self.ask_queries(members, account, chance)

    def ask_queries(self, members: list[Member], account: Account, chance: random.Random) -> None:
        """Counts by conditions, as SQLite counts them."""
        database = sqlite3.connect(":memory:")
        database.execute("CREATE TABLE thing (number INTEGER, real REAL, flag INTEGER, text BLOB, special INTEGER)")
        for thing in account.things.values():
            number, real = thing.plain["number"], struct.unpack(">d", bytes.fromhex(thing.plain["real"][1:]))[0]
            database.execute("INSERT INTO thing VALUES (?, ?, ?, ?, ?)", (
                None if number == "n" else int(number[1:]), real, thing.plain["flag"] == "t1", bytes.fromhex(thing.plain["text"][1:]),
                thing.name == "Special"))
        bound, real = chance.randrange(-50, 100), chance.random()
        for text, sql in (
            (f"number > {bound}", f"number > {bound}"), (f"number = {bound} OR flag = true", f"number = {bound} OR flag"),
            (f"real >= {real} AND flag = false", f"real >= {real} AND NOT flag"), ("text BEGINSWITH 'caf'", "substr(text, 1, 3) = x'636166'"),
            ("number = nil", "number IS NULL"), ("NOT number < 3", "NOT ifnull(number < 3, 0)"),
        ):
            name = chance.choice(("Thing", "Special"))
            count = database.execute(f"SELECT count(*) FROM thing WHERE ({sql}) AND special >= ?", (name == "Special",)).fetchone()[0]
            condition = f"slot = {account.slot} AND ({text})"
            for member in members:
                answer = member.ask(f"count\t{name}\t{condition}")
                self.tally["queries compared"] += 1
                if answer != f"V {count}":
                    raise Failure(f"{member.language}: {name} {condition}: {answer}, and SQLite counts {count}")
        database.close()

    def run_verb(self, verb: str, path: Path, *arguments: str, codes: tuple[int, ...] = (0,), patience: int = 300) -> subprocess.CompletedProcess:
        """The command line; whatever it says, it must not die or hang."""
        key = ["--encryption-key-file", str(self.folder / "key")] if self.key != "-" else []
        try:
            done = subprocess.run([self.programs.command_line, verb, str(path), *arguments, *key], capture_output=True, timeout=patience)
        except subprocess.TimeoutExpired:
            raise Failure(f"freehold {verb} hangs") from None
        self.tally[f"freehold {verb}"] += 1
        if done.returncode < 0 or (codes and done.returncode not in codes):
            raise Failure(f"freehold {verb} {' '.join(arguments)} ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:].decode(errors='replace')}")
        return done
