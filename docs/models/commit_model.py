#!/usr/bin/env python3
"""Model of commits, flushes and recovery: several processes and threads, one file, kills, stops, power cuts, failing disks.

    python3 docs/models/commit_model.py --traces 300 --seed 1
    python3 docs/models/commit_model.py --list
    python3 docs/models/commit_model.py --variant "leader holds 'rising' in a pin" --show 17

The exit code is 1 when the rules that must hold show a violation. See docs/commit-and-recovery.md.
"""

import collections
import dataclasses

import commit_blocks as blocks
from commit_blocks import Block, Confirmed, Delta, PageState, Reference, Root, SlotRecord, Top, VolatileRecord
from commit_memory import Memory
from commit_process import EngineProcess, Home
from commit_recovery import Opener
from commit_storage import Storage
from simulation import Scheduler, Variant, Violation, exit_with, main


@dataclasses.dataclass(frozen=True)
class Rules:
    """The protocol's switches; the defaults are the rules, every variant turns one of them off."""

    # The world
    tables: int = 2
    keys: int = 3
    log_chunks: int = 3             # deltas before the space log is folded
    processes: int = 4
    threads: int = 1                # of a process; they share a descriptor
    steps: int = 1500
    maximum_pages: int = 20
    failure_probability: float = 0.0
    refusal_probability: float = 0.0    # of a write of a flush
    slow_points: tuple = ()         # where processes linger; none: two points drawn for each trace
    # Commits
    reuse: str = "page"
    space_is_overlay: bool = True
    not_held: tuple = ()
    scan_order: str = "sources first"
    volatile_slots: int = 2
    volatile_choice: str = "other"
    validates_after_dead_owner: bool = True
    last_full_before_newest: bool = True
    root_copies: bool = True
    # Readers
    reader_rechecks: bool = True
    # Flushes
    target_rechecked: bool = True
    pending_target_kept: bool = True
    rising_is_held: str = "word"
    confirmed_before_durable: bool = True
    repairs_durable: bool = True
    rewrites_when_young: bool = True
    rewriting_voids_older_syncs: bool = True
    one_flush_a_process: bool = True
    failed_flush_is_kept: bool = True   # in the process whose thread was told of it
    poison_in_file: bool = True
    poisons_under_flush_lock: bool = True
    refused_flush_is_left: bool = True
    # Recovery
    confirmed_carries_checksum: bool = True
    opener_binds_boot_first: bool = True
    after_reboot: str = "adopt V if it verifies"
    # Locks
    steal_from_stopped: bool = False


POINTS = (
    "begin.locked", "begin.ownerSet", "commit.ownerCleared", "commit.rootHalfWritten", "commit.rootWritten",
    "commit.scanned.durable", "commit.scanned.visible", "commit.segmentsWritten", "commit.unlocked", "flush.attemptRaised", "flush.chosen",
    "flush.confirmed", "flush.durableSet", "flush.locked", "flush.poisonChosen", "flush.poisonConfirmed", "flush.relocked", "flush.repaired", "flush.rewriting",
    "flush.risingAllowed", "flush.risingChosen", "flush.risingHeld", "flush.rootWritten", "flush.synced",
    "flush.syncing", "flush.targetPublished", "flush.unlocked", "flush.visibleSet", "publish.lastFullSet",
    "publish.newestSet", "publish.ringWritten", "publish.visibleAllowed", "publish.visibleSet", "read.chosen",
    "read.pinStored", "read.pinned", "read.walking", "wait.armed")

FAILING = dict(failure_probability=0.12)
TIGHT = dict(maximum_pages=14, keys=1, log_chunks=1)     # whole pages die quickly and are soon reused
LEADERS = dict(slow_points=("flush.chosen", "flush.risingAllowed"), steps=3000, **TIGHT)
SCANS = dict(slow_points=("commit.scanned.durable", "commit.scanned.visible", "flush.risingAllowed"), steps=3000, **TIGHT)
CONFIRMERS = dict(slow_points=("flush.confirmed", "flush.durableSet"), **FAILING)
CROWDED = dict(refusal_probability=0.2)
POISONERS = dict(slow_points=("flush.poisonChosen", "flush.synced"), **FAILING)
REWRITERS = dict(slow_points=("flush.syncing", "flush.rewriting"), **FAILING)
THREADS = dict(processes=2, threads=2)
FAILING_THREADS = dict(failure_probability=0.3, steps=3000, **THREADS)
TOLD = dict(slow_points=("flush.told",), **FAILING_THREADS)         # between a failed sync and its being noted in the process
NOTED = dict(slow_points=("flush.synced",), **FAILING_THREADS)      # between that and the poison


def variant(name, is_fixed=False, **changes):
    return Variant(name, Rules(**changes), is_fixed)


VARIANTS = (
    variant("the rules", is_fixed=True),
    variant("the rules, little space", is_fixed=True, **TIGHT),
    variant("the rules, failing disk", is_fixed=True, **FAILING),
    variant("the rules, failing disk, little space", is_fixed=True, **FAILING, **TIGHT),
    variant("the rules, lingering leaders", is_fixed=True, **LEADERS),
    variant("the rules, lingering scans", is_fixed=True, **SCANS),
    variant("the rules, lingering confirmers, failing disk", is_fixed=True, **CONFIRMERS),
    variant("the rules, lingering flushes, failing disk", is_fixed=True, **REWRITERS),
    variant("the rules, lingering poisoners", is_fixed=True, **POISONERS),
    variant("the rules, writes of flushes refused", is_fixed=True, **CROWDED),
    variant("the rules, pending target replaced", is_fixed=True, pending_target_kept=False, **CONFIRMERS),
    variant("the rules, two threads a process", is_fixed=True, **THREADS),
    variant("the rules, two threads a process, failing disk", is_fixed=True, **FAILING_THREADS),
    variant("the rules, lingering threads, error told", is_fixed=True, **TOLD),
    variant("the rules, lingering threads, error noted", is_fixed=True, **NOTED),
    variant("D not held", not_held=("durable",), **TIGHT),
    variant("F not held", not_held=("target",), **TIGHT),
    variant("visible not held", not_held=("visible",), **TIGHT),
    variant("pins not held", not_held=("pins",)),
    variant("F not re-checked", target_rechecked=False, **LEADERS),
    variant("reader does not re-check", reader_rechecks=False),
    variant("space changed before V is complete", space_is_overlay=False),
    variant("blocks reused beside live ones", reuse="block"),
    variant("one V slot", volatile_slots=1),
    variant("no validation after a dead owner", validates_after_dead_owner=False),
    variant("lastFull set after newest", last_full_before_newest=False),
    variant("ring of 4, words without root copies", root_copies=False),
    variant("opener writes S before it binds V to the boot", opener_binds_boot_first=False),
    variant("V ignored after a reboot", after_reboot="ignore V"),
    variant("V trusted after a reboot", after_reboot="trust V"),
    variant("confirmed without a checksum", confirmed_carries_checksum=False),
    variant("D set before confirmed", confirmed_before_durable=False, **CONFIRMERS),
    variant("D not repaired, pending target replaced", pending_target_kept=False, repairs_durable=False, **CONFIRMERS),
    variant("younger process does not rewrite", rewrites_when_young=False, **FAILING),
    variant("older sync confirms what is being rewritten", rewriting_voids_older_syncs=False, **REWRITERS),
    variant("poison only in the lock file", poison_in_file=False, rewrites_when_young=False, **FAILING),
    variant("a refused root counts as written", refused_flush_is_left=False, **CROWDED),
    variant("threads of a process flush at once", one_flush_a_process=False, **TOLD),
    variant("a failed flush is not kept", failed_flush_is_kept=False, **NOTED),
    variant("lock stolen from a stopped process", steal_from_stopped=True),
)


class Trial:
    """One trace: a world, its events, and the judge who knows what was promised to whom."""

    def __init__(self, random_source, rules, log):
        self.random = random_source
        self.rules = rules
        self.log = log
        self.counters = collections.Counter()
        self.storage = Storage(random_source, rules.failure_probability)
        points = POINTS if rules.threads == 1 else POINTS + ("flush.told",)
        self.scheduler = Scheduler(random_source, log, points, rules.slow_points)
        self.full_share = random_source.choice((0.1, 0.4, 0.8))     # of the commits of this trace
        self.boot = 1
        self.process_number = 0
        self.thread_number = 0
        self.serial = 0
        self.parents = {}               # identity of a root -> identity of the root it was made from
        self.full_identities = set()
        self.history = {}               # version -> root, of this session
        self.completed = set()          # versions whose V record was completed in this session
        self.acknowledged_full = []
        self.acknowledged_fast = []
        self.read_full = set()          # newest .full commit that some reader has seen
        self.opener = None
        root = self.make_empty_file()
        self.start_session(root, root)

    # Making things

    def next_serial(self):
        self.serial += 1
        return self.serial

    def next_identity(self, parent):
        identity = self.next_serial()
        self.parents[identity] = parent.identity if parent else None
        return identity

    def make_empty_file(self):
        pages, current = [], []

        def put(kind, name, payload):
            block = Block(kind, name, 0, self.next_serial(), payload)
            if not pages or len(pages[-1]) == blocks.CELLS:
                pages.append([])
            pages[-1].append(block)
            return Reference(len(pages) - 1, len(pages[-1]) - 1, 0, block.serial)

        for table in range(self.rules.tables):
            leaves = tuple(put("leaf", (table, key), None) for key in range(self.rules.keys))
            current.append(put("table", table, leaves))
        count = self.rules.tables * (self.rules.keys + 1) + 2
        states = tuple((page, PageState(0, min(blocks.CELLS, count - page * blocks.CELLS), 0, 0))
                       for page in range((count + blocks.CELLS - 1) // blocks.CELLS))
        fold = put("fold", None, (0, states))
        top = put("top", None, Top(tuple(current), fold, ()))
        for page, cells in enumerate(pages):
            self.storage.durable[page] = tuple(cells)
        root = Root(0, top, len(pages), False, self.next_identity(None))
        self.storage.durable.update({
            "S0": SlotRecord(root, 0), "S1": None, "confirmed": Confirmed(0, root.identity), "poison": 0,
            "V0": VolatileRecord(root, self.boot)})
        return root

    def start_session(self, newest, durable):
        self.memory = Memory(self, newest, durable)
        self.history = {newest.version: newest, durable.version: durable}
        self.completed = {newest.version}
        self.scheduler.processes = []
        for _ in range(self.rules.processes):
            self.spawn()

    def spawn(self):
        """A process with all its threads; returns the first one."""
        home = self.make_home()
        return [self.start_thread(home) for _ in range(self.rules.threads)][0]

    def make_home(self):
        self.process_number += 1
        return Home(self.process_number, self)

    def start_thread(self, home):
        self.thread_number += 1
        thread = EngineProcess(self.thread_number, self, home)
        self.scheduler.processes.append(thread)
        return thread

    # What processes ask

    def is_alive(self, process):
        return self.scheduler.is_alive(process)

    def newest_volatile(self):
        """(root, slot) of the newest valid V record of this boot."""
        best, best_slot = None, -1
        for slot in range(self.rules.volatile_slots):
            record = self.storage.read(f"V{slot}")
            if isinstance(record, VolatileRecord) and record.boot == self.boot:
                if best is None or record.root.version > best.version:
                    best, best_slot = record.root, slot
        return best, best_slot

    def slot_without(self, durable):
        record = self.storage.read("S0")
        holds = isinstance(record, SlotRecord) and record.root.identity == durable.identity
        return "S1" if holds else "S0"

    def has_slot(self, root):
        records = (self.storage.read("S0"), self.storage.read("S1"))
        return any(isinstance(record, SlotRecord) and record.root.identity == root.identity for record in records)

    # What was promised

    def note_complete(self, root):
        if root.version in self.completed:
            raise Violation("version issued twice")
        self.completed.add(root.version)
        self.history[root.version] = root
        if root.full:
            self.full_identities.add(root.identity)

    def acknowledge(self, root):
        self.counters["acknowledged"] += 1
        (self.acknowledged_full if root.full else self.acknowledged_fast).append(root.identity)

    def note_read(self, root):
        self.counters["snapshots read"] += 1
        identity = root.identity
        while identity is not None and identity not in self.full_identities:
            identity = self.parents[identity]
        if identity is not None:
            self.read_full.add(identity)

    def check_overwrite(self, space, page):
        """A page is about to be written: does a version that is promised at this moment live in it?"""
        memory = self.memory
        promised = {"D": memory.durable, "visible": memory.visible()}
        if memory.target is not None and memory.target_written:
            promised["F"] = memory.target
        for word, root in promised.items():
            if not blocks.is_reusable(space, page, {root.version}):
                raise Violation(f"page of {word} overwritten")

    def judge(self, root, kind):
        """A session is about to start at `root`: is everything there that was promised?"""
        if not blocks.verifies(self.storage, root, -1):
            raise Violation(f"corrupt after {kind}")
        included = set()
        identity = root.identity
        while identity is not None:
            included.add(identity)
            identity = self.parents[identity]
        if any(identity not in included for identity in self.acknowledged_full):
            raise Violation(f"acknowledged .full commit lost after {kind}")
        if any(identity not in included for identity in self.read_full):
            raise Violation(f".full commit read, then lost after {kind}")
        if kind in ("same boot", "clean reboot"):
            if any(identity not in included for identity in self.acknowledged_fast):
                raise Violation(f"acknowledged .processCrash commit lost after {kind}")
        self.acknowledged_fast = [identity for identity in self.acknowledged_fast if identity in included]

    # Events

    def run(self):
        for _ in range(self.rules.steps):
            self.disturb_disk()
            if self.opener is not None:
                self.step_opening()
            else:
                self.step_session()
        if self.opener is None and not self.memory.poisoned:
            self.settle()

    def disturb_disk(self):
        if self.rules.failure_probability == 0:
            return
        draw = self.random.random()
        if draw < 0.02:
            self.storage.evict_one()
        elif draw < 0.025:
            self.log("foreign fsync")
            self.storage.foreign_synchronize()

    def step_session(self):
        draw = self.random.random()
        if draw < 0.006:
            self.kill_one()
        elif draw < 0.0075:
            self.kill_all("same boot")
        elif draw < 0.0095:
            self.power_cut()
        elif draw < 0.0102:
            self.clean_reboot()
        elif draw < 0.025:
            self.scheduler.stop_or_continue()
        elif self.memory.poisoned and draw < 0.1:
            self.kill_all("same boot")
        else:
            self.scheduler.step()

    def step_opening(self):
        draw = self.random.random()
        if draw < 0.04:
            self.kill_all(self.opener.kind)
        elif draw < 0.08:
            self.power_cut()
        try:
            self.log(f"opener {next(self.opener.steps)}")
        except StopIteration:
            self.finish_opening()

    def finish_opening(self):
        opener, self.opener = self.opener, None
        if opener.result is None:
            self.open_session("same boot")
        else:
            self.counters["sessions opened"] += 1
            self.start_session(*opener.result)

    def open_session(self, kind):
        self.process_number += 1
        self.opener = Opener(self.process_number, self, kind)

    def kill_one(self):
        process = self.scheduler.victim()
        if process is not None:
            self.log(f"SIGKILL {process.home}")
            self.counters["killed"] += 1
            self.scheduler.remove(process)
        self.spawn()

    def kill_all(self, kind):
        self.log("SIGKILL everybody")
        self.counters["all killed"] += 1
        self.scheduler.processes = []
        self.open_session(kind)

    def power_cut(self):
        self.log("power cut")
        self.counters["power cuts"] += 1
        self.scheduler.processes = []
        self.storage.power_cut()
        self.boot += 1
        self.open_session("power cut")

    def clean_reboot(self):
        self.log("clean reboot")
        self.counters["clean reboots"] += 1
        self.scheduler.processes = []
        whole = self.storage.clean_shutdown()
        self.boot += 1
        self.open_session("clean reboot" if whole else "power cut")

    # Nobody waits for ever

    def settle(self):
        """Everybody goes on, nobody new dies: a `.full` commit of a fresh process must be acknowledged."""
        for process in self.scheduler.processes:
            process.stopped = False
        fresh = self.spawn()
        before = len(self.acknowledged_full)
        fresh.steps = self.settling_work(fresh)
        for _ in range(200 * len(self.scheduler.processes)):
            if self.memory.poisoned:
                return
            for process in list(self.scheduler.processes):
                self.scheduler.advance(process)
            if fresh not in self.scheduler.processes:
                break
        full_or_failed = self.counters["file full"] or self.memory.poisoned
        if len(self.acknowledged_full) == before and not full_or_failed:
            raise Violation("a .full commit is never acknowledged")

    def settling_work(self, process):
        before = len(self.acknowledged_full)
        for _ in range(20):
            yield from process.commit(is_full=True)
            if len(self.acknowledged_full) > before:
                return


if __name__ == "__main__":
    exit_with(main("Model of commits, flushes and recovery.", Trial, VARIANTS))
