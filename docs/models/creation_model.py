#!/usr/bin/env python3
"""Model of creation: which files are created anew, over kills, power cuts, foreign files and files whose beginning reads as zeros.

    python3 docs/models/creation_model.py --traces 300 --seed 1
    python3 docs/models/creation_model.py --variant "every header of zeros is created anew" --show 0

A location is a header record or a page of blocks. A power cut keeps any of a location's unflushed values, or tears it; cutting the file
to nothing happens as a whole and before what is written later, as with a journal. A name that was not synced may vanish with its file. A
file may also be a backup, which has roots and blocks but no V and no "in use", and any of a file's pages may be damaged. The exit code is 1
when the rules show a violation. See docs/file-format.md and `UnfinishedCreation`.
"""

import collections
import dataclasses

from simulation import Process, Scheduler, Variant, Violation, exit_with, main

# In the order of the file. The first page has the header, its second copy and the keys; the second has S0 and the spares, and so on.
PAGES = (("H0", "K0", "H1", "K1"), ("S0", "spareH", "spareK"), ("S1",), ("V0", "V1", "confirmed", "inUse"), (0,), (1,), (2,), (3,))
LOCATIONS = tuple(location for page in PAGES for location in page)
USUAL = 6                               # pages of a new database: the header's and two of blocks
PLACES = ("H1", "spareH", "K0", "K1", "spareK", "S0", "confirmed")          # where a creation writes records, but for H0
KEYS = ("K0", "K1", "spareK")

# `kind` stands for the magic, `body` for all the rest; a torn record has zeros, or another one's bytes, in parts of its body.
Value = collections.namedtuple("Value", "kind body torn creation")


@dataclasses.dataclass(frozen=True)
class Rules:
    """The protocol's switches; the defaults are the rules, every variant turns one of them off."""

    steps: int = 500
    encrypted: bool = False
    evidence: str = "positive"              # or "header of zeros", the old rule
    looks_at_length: bool = True
    looks_at_volatile: bool = True          # and S1 and "in use"
    looks_at_confirmed: bool = True         # a whole one names version 1
    looks_at_blocks: bool = True
    header_last: bool = True
    flushes_keys: bool = True               # before sealed blocks are written
    accepts_torn: bool = True
    sealed_evidence: str = "all records"    # or "one record", the old rule: what lets sealed blocks count as a creation's
    names_first: str = "every first session"        # who makes the name durable; or "the creator", the old rule
    alone: bool = True                      # the session byte is held


def variant(name, is_fixed=False, **changes):
    return Variant(name, Rules(**changes), is_fixed)


VARIANTS = (
    variant("the rules", is_fixed=True),
    variant("the rules, encrypted", is_fixed=True, encrypted=True),
    variant("every header of zeros is created anew", evidence="header of zeros"),
    variant("length not looked at", looks_at_length=False),
    variant("V and in use not looked at", looks_at_volatile=False),
    variant("confirmed not looked at", looks_at_confirmed=False, sealed_evidence="one record", encrypted=True),
    variant("one record tells sealed blocks", sealed_evidence="one record", encrypted=True),
    variant("blocks not looked at", looks_at_blocks=False),
    variant("header written with the rest", header_last=False),
    variant("sealed blocks before the keys are durable", flushes_keys=False, encrypted=True),
    variant("torn records are no creation's", accepts_torn=False),
    variant("created without the session byte", alone=False),
    variant("only the creator makes the name durable", names_first="the creator"),
)

POINTS = ("open.start", "open.sessionLocked", "open.named", "create.cut", "create.written", "create.flushing", "create.flushed", "create.finished",
          "commit.written", "commit.flushed")


class File:
    """A page cache before a disk that loses power. `None` is zeros."""

    def __init__(self, random_source):
        self.random = random_source
        self.durable, self.length = {}, 0
        self.is_named = False               # whether the name is durable
        self.before_cut = None              # the disk's content and length, as long as the cut is not durable
        self.dirty = {}                     # location -> values, oldest first

    def read(self, location):
        return self.dirty[location][-1] if location in self.dirty else self.durable.get(location)

    def write(self, location, value):
        self.dirty.setdefault(location, []).append(value)

    def cut(self):
        if self.before_cut is None:
            self.before_cut = (self.durable, self.length)
        self.durable, self.dirty, self.length = {}, {}, 0

    def flush(self):
        self.durable.update({location: values[-1] for location, values in self.dirty.items()})
        self.dirty, self.before_cut = {}, None

    def power_cut(self):
        if self.before_cut is not None and self.random.random() < 0.5:
            self.durable, self.length = self.before_cut
        else:
            for location, values in self.dirty.items():
                self.durable[location] = self.after_power_cut([self.durable.get(location)] + values)
        self.dirty, self.before_cut = {}, None

    def after_power_cut(self, candidates):
        value = self.random.choice(candidates)
        if value is not None and self.random.random() < 0.25:
            return value._replace(kind=self.random.choice((value.kind, None)), torn=True)
        return value


class Refused(Exception):
    """An error that the opener reports: nothing was changed."""


class Opener(Process):
    def __init__(self, number, world):
        super().__init__(number)
        self.world, self.rules, self.file = world, world.rules, world.file
        self.steps = self.work()

    def work(self):
        yield "open.start"
        while self.rules.alone and self.world.holder not in (None, self):
            yield "begin.waiting"
        self.world.holder = self
        yield "open.sessionLocked"
        if self.file.length == 0 or self.is_unfinished():
            yield from self.create()
        try:
            yield from self.use()
        except Refused as reason:
            self.world.note_refusal(str(reason))
        self.world.holder = None

    # `UnfinishedCreation.isOne`

    def is_unfinished(self):
        read = self.file.read
        if read("H0") is not None:
            return False
        if self.rules.evidence == "header of zeros":
            return True
        if self.rules.looks_at_length and self.file.length > USUAL:
            return False
        if self.rules.looks_at_volatile and any(read(location) is not None for location in ("S1", "V0", "V1", "inUse")):
            return False
        records = {location: read(location) for location in PLACES}
        for location, value in records.items():
            if value is not None and value.kind not in (location, None):
                return False
            if value is not None and value.torn and not self.rules.accepts_torn:
                return False
        looked_at = ("S0", "confirmed") if self.rules.looks_at_confirmed else ("S0",)
        if any(self.is_whole(location) and records[location].body != 1 for location in looked_at):
            return False
        if not self.rules.looks_at_blocks:
            return True
        blocks = [read(0), read(1)]
        if all(block is None or block.kind == "empty" or block.torn and block.creation == "plain" for block in blocks):
            return True
        sealed = [self.is_whole(location) and records[location].body == "sealed" for location in ("H1", "spareH", *KEYS)]
        if self.rules.sealed_evidence == "one record":
            return any(sealed)
        # A creation makes all of them durable before it writes sealed blocks.
        return all(sealed) and self.is_whole("S0") and self.is_whole("confirmed")

    def is_whole(self, location):
        value = self.file.read(location)
        return value is not None and value.kind == location and not value.torn

    # `Creation.run`

    def create(self):
        self.world.check_destroys()
        self.file.cut()
        self.world.counters["created"] += 1
        self.world.slot = "S0"
        yield "create.cut"
        self.file.length = USUAL
        sealed = self.rules.encrypted
        body = "sealed" if sealed else "plain"
        for location, value in (("S0", 1), ("confirmed", 1)):
            yield from self.put(location, location, value, body)
        for location in (KEYS + ("spareH",) if sealed else ()):
            yield from self.put(location, location, body, body)
        yield from self.put("H1", "H1", body, body)
        if not self.rules.header_last:
            yield from self.put("H0", "H0", body, body)
        if sealed and self.rules.flushes_keys:
            yield from self.flush()
        for block in (0, 1):
            yield from self.put(block, "sealed" if sealed else "empty", self.world.next_serial() if sealed else block, body)
        yield from self.flush()
        if self.rules.header_last:
            yield from self.put("H0", "H0", body, body)
        yield "create.finished"
        if self.rules.names_first == "the creator":
            self.file.is_named = True

    def put(self, location, kind, body, creation):
        self.file.write(location, Value(kind, body, False, creation))
        yield "create.written"

    def flush(self):
        yield "create.flushing"
        self.file.flush()
        yield "create.flushed"

    # What a session does: V and "in use" first, then commits

    def use(self):
        self.require_whole()
        world, file = self.world, self.file
        if file.read("inUse") is None and self.rules.names_first == "every first session":
            file.is_named = True
            yield "open.named"
        file.write("V0", Value("V0", world.next_serial(), False, None))
        yield "commit.written"
        file.write("inUse", Value("inUse", True, False, None))
        yield "commit.written"
        for _ in range(world.random.randrange(3)):
            # Never over what the newest durable version needs.
            block = world.random.choice([block for block in (0, 1, 2, 3) if block not in world.acknowledged] if world.acknowledged else (2, 3))
            self.require_whole()
            file.write(block, Value("commit", world.next_serial(), False, None))
            file.length = max(file.length, 5 + block)
            yield "commit.written"
            file.write(world.random.choice(("V0", "V1")), Value("V", world.next_serial(), False, None))
            yield "commit.written"
            slot = "S0" if world.slot == "S1" else "S1"
            file.write(slot, Value(slot, world.next_serial() + 1, False, None))
            yield "commit.written"
            file.flush()
            world.slot = slot
            file.write("confirmed", Value("confirmed", world.serial, False, None))
            world.acknowledge(block)
            yield "commit.flushed"
        file.write("inUse", Value("inUse", False, False, None))
        yield "commit.written"

    def require_whole(self):
        """A header from either copy; then the roots and the blocks that the newest of them leads to."""
        file, world = self.file, self.world
        if not self.is_whole("H0") and not self.is_whole("H1"):
            raise Refused("not a database")
        for block, serial in world.acknowledged.items():
            if file.read(block) is None or file.read(block).body != serial:
                raise Refused("damaged")
        if not world.acknowledged and any(file.read(block) is None or file.read(block).torn for block in (0, 1)):
            raise Refused("damaged")
        if not self.is_whole("S0") and not self.is_whole("S1"):
            raise Refused("damaged")


class Trial:
    def __init__(self, random_source, rules, log):
        self.random = random_source
        self.rules = rules
        self.log = log
        self.counters = collections.Counter()
        self.scheduler = Scheduler(random_source, log, POINTS)
        self.serial = self.number = 1
        self.start()

    def start(self):
        self.file = File(self.random)
        self.holder = None
        self.slot = "S0"
        self.acknowledged = {}              # the block of the newest durable commit -> its body
        self.is_harmed = False              # foreign, or damaged: it may be refused
        self.refused = 0
        self.scheduler.processes = []
        draw = self.random.random()
        if draw < 0.25:
            self.make_foreign()
        elif draw < 0.45:
            self.make_backup()

    def make_foreign(self):
        """Somebody else's file, a device's image for one, with zeros at its beginning and wherever it likes."""
        self.counters["foreign files"] += 1
        self.is_harmed = True
        self.file.is_named = True
        self.file.length = self.random.choice((1, 3, 5, 6, 8))
        zeros = self.random.choice((0, 1, 1, 1, 3, 4, 5, 6, 7))
        for page in PAGES[:self.file.length]:
            for location in page:
                if PAGES.index(page) >= zeros and self.random.random() < 0.5:
                    self.file.durable[location] = Value("foreign", self.next_serial(), False, None)
        if zeros == 0 or self.random.random() < 0.7:
            self.file.durable.pop("H0", None)

    def make_backup(self):
        """A finished file that no session has been begun on."""
        self.counters["backups"] += 1
        body = "sealed" if self.rules.encrypted else "plain"
        self.file.is_named = True
        block = self.random.randrange(4)
        version = self.next_serial()
        for location in ("H0", "H1") + ((*KEYS, "spareH") if self.rules.encrypted else ()):
            self.file.durable[location] = Value(location, body, False, body)
        for location in ("S0", "confirmed"):
            self.file.durable[location] = Value(location, version, False, None)
        self.file.durable[block] = Value("commit", self.next_serial(), False, None)
        self.file.length = max(USUAL, 5 + block)
        self.acknowledge(block)

    def next_serial(self):
        self.serial += 1
        return self.serial

    def acknowledge(self, block):
        self.acknowledged = {block: self.file.read(block).body}
        self.counters["acknowledged"] += 1

    # The judge

    def check_destroys(self):
        if self.acknowledged and not self.is_harmed:
            raise Violation("a database with acknowledged commits is created anew")
        for location in LOCATIONS:
            value = self.file.read(location)
            if value is not None and value.creation is None and location not in ("confirmed", "S0"):
                if self.is_harmed:
                    raise Violation("bytes that are not a creation's are destroyed")

    def note_refusal(self, reason):
        self.counters[f"refused: {reason}"] += 1
        if not self.is_harmed:
            raise Violation("an unfinished or sound file is refused: " + reason)

    # Events

    def run(self):
        for _ in range(self.rules.steps):
            draw = self.random.random()
            if draw < 0.02 and self.scheduler.processes:
                self.kill(self.scheduler.victim())
            elif draw < 0.04:
                self.power_cut()
            elif draw < 0.05 and self.acknowledged:
                self.damage()
            elif draw < 0.06 and (self.is_harmed or self.acknowledged):
                self.start()
            elif draw < 0.07:
                self.scheduler.stop_or_continue()
            else:
                self.scheduler.step()
            if len(self.scheduler.processes) < 2:
                self.number += 1
                self.scheduler.processes.append(Opener(self.number, self))

    def kill(self, process):
        self.log(f"SIGKILL {process}")
        self.counters["killed"] += 1
        self.scheduler.processes.remove(process)
        if self.holder is process:
            self.holder = None

    def kill_all(self):
        for process in list(self.scheduler.processes):
            self.kill(process)

    def power_cut(self):
        self.log("power cut")
        self.counters["power cuts"] += 1
        self.kill_all()
        if not self.file.is_named and self.random.random() < 0.5:
            self.log("the name was not durable")
            if self.acknowledged:
                raise Violation("acknowledged commits vanish with the file's name")
            self.start()
            return
        self.file.power_cut()
        self.file.is_named = True

    def damage(self):
        """Parts of a database at rest read as zeros: its beginning, any pages, or any records and pages."""
        self.kill_all()
        self.file.flush()
        self.file.is_named = True
        self.is_harmed = True
        self.counters["damaged"] += 1
        draw = self.random.random()
        if draw < 0.4:
            lost = LOCATIONS[:self.random.randrange(1, 13)]
        elif draw < 0.8:
            lost = PAGES[0] + tuple(location for page in PAGES[1:] if self.random.random() < 0.4 for location in page)
        else:
            lost = ("H0",) + tuple(location for location in LOCATIONS if self.random.random() < 0.5)
        self.log(f"read as zeros: {lost}")
        for location in lost:
            self.file.durable.pop(location, None)


if __name__ == "__main__":
    exit_with(main("Model of creation, and of what is created anew.", Trial, VARIANTS))
