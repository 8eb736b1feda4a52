#!/usr/bin/env python3
"""Model of how readers say which version they read: cells that are pinned, parked, shared, given on and taken from the dead.

    python3 docs/models/pinning_model.py --traces 300 --seed 1
    python3 docs/models/pinning_model.py --variant "idle without the generation" --show 3

Processes of several threads claim cells, pin, read, park and unpin; writers look at all cells and reuse what nobody holds. Processes are
killed, stopped, and *counted as dead while they live*: they notice at their next look at their slot, and every step before it may hit a cell
that is another process's by then. Stores that are no exchanges stay in their thread's store buffer for a while. See the comments of
`ReaderCell.swift`, decision 30 and docs/sharing-between-processes.md (L2, L5, L6, K1 to K3). What is done to a cell stands in
`pinning_cells.py`, what a thread does in `pinning_process.py`. The exit code is 1 when the rules that must hold show a violation.
"""

import collections
import dataclasses

from pinning_cells import Cell, Home, Slot, Thread
from pinning_process import Activities
from simulation import Scheduler, Variant, Violation, exit_with, main


SHORT, LONG = (5, 20, 60, 150), (60, 150, 400)      # turns for which a thread lingers


@dataclasses.dataclass(frozen=True)
class Rules:
    """The protocol's switches; the defaults are the rules, every variant turns one of them off."""
    homes: int = 3
    threads: int = 6                        # at once, that are started by themselves
    cells: int = 16
    writers: int = 38                       # of a hundred threads
    shared: float = 0.2                     # of snapshots, each time they are read
    parked: float = 0.25
    steps: int = 700
    wrong_deaths: float = 0.006             # of living processes that are counted as dead, a step
    linger_turns: tuple = SHORT
    aimed_at: tuple = ()                    # points to linger at, in place of two of all
    unpin_by: str = "idle"                  # or "word": the word itself is stored
    idle_cleared: str = "before"            # the word is written, or "after"
    idle_names: str = "generation"          # and version, or the "version" alone
    again_clears: str = "exchange"          # or "store", or "nothing"
    scan_reads_first: str = "word"          # or "idle"
    second_look: bool = True
    own_second_look: bool = True
    counts_shared: bool = True              # movedPins
    scan_repeats: bool = True
    claim_looks: bool = True                # at the owner, before the word is changed
    release_looks: bool = True
    slot_after_claim: bool = True           # looked at again once the cell's owner is set
    kind_tagged: bool = True
    kind_by: str = "swap"                   # or "store"
    revoke_by: str = "swap"                 # or "store"
    resume_by: str = "swap"                 # or "store"
    revoked_again: bool = True              # a pin that could not be taken away is looked at again


POINTS = ("claim.valid", "claim.ownerSet", "cell.claimed", "hands.wordSeen", "hands.ownerSeen", "claim.changedHands", "read.valid",
          "read.moment", "read.chosen", "hold.looked", "hold.idleCleared", "read.pinStored", "read.pinned", "again.exchanged",
          "unpin.valid", "unpin.looked", "read.unpinned", "read.shared", "share.counted", "read.parked", "read.walking", "scan.visibleRead",
          "scan.cell", "scan.firstRead", "scan.secondRead", "scan.judged", "commit.scanned", "publish.newestSet", "own.rootSet",
          "own.commitSet", "resume.looked", "read.resumed", "reap.claimed", "reap.handed")


def variant(name, is_fixed=False, **changes):
    return Variant(name, Rules(**changes), is_fixed)


CLAIM = ("cell.claimed", "hands.ownerSeen", "claim.changedHands")
END = ("unpin.looked",)
KIND = dict(aimed_at=("claim.changedHands",), linger_turns=LONG, homes=4)
PARK = dict(aimed_at=("scan.judged", "read.resumed", "read.parked"), parked=0.6)
SHARE = dict(aimed_at=("read.walking",), shared=0.35, writers=45)
VARIANTS = (
    variant("the rules", is_fixed=True),
    variant("the rules, nobody counted as dead wrongly", is_fixed=True, wrong_deaths=0),
    variant("the rules, lingering scans, many shared", is_fixed=True, aimed_at=("scan.cell", "scan.firstRead"), shared=0.35),
    variant("the rules, lingering claimers and ends", is_fixed=True, aimed_at=CLAIM + END),
    variant("the rules, many parked", is_fixed=True, **PARK),
    variant("unpinned by a store of the word", unpin_by="word", aimed_at=END),
    variant("idle cleared after the word is written", idle_cleared="after", aimed_at=("read.pinned",)),
    variant("idle without the generation", idle_names="version", aimed_at=END),
    variant("idle not cleared before pinning again", again_clears="nothing"),
    variant("idle cleared by a store before pinning again", again_clears="store", aimed_at=("read.pinned",)),
    variant("scan reads idle before the word", scan_reads_first="idle", aimed_at=("scan.firstRead", "read.walking")),
    variant("second look at visible left out", second_look=False),
    variant("second look at the own commit left out", own_second_look=False, aimed_at=("read.chosen", "hold.looked")),
    variant("pin taken over without counting", counts_shared=False, **SHARE),
    variant("scan not repeated", scan_repeats=False, **SHARE),
    variant("cell claimed without looking at the owner", claim_looks=False, aimed_at=CLAIM),
    variant("cell released without looking at the owner", release_looks=False, aimed_at=("hands.ownerSeen",)),
    variant("slot not looked at after claiming", slot_after_claim=False, aimed_at=("claim.valid",)),
    variant("kind without the generation", kind_tagged=False, kind_by="store", **KIND),
    variant("kind stored, not swapped", kind_by="store", **KIND),
    variant("parked pin resumed by a store", resume_by="store", aimed_at=("resume.looked", "read.parked"), parked=0.6),
    variant("parked pin revoked by a store", revoke_by="store", **PARK),
    variant("pin not looked at again after a failed revocation", revoked_again=False, **PARK),
)


class Trial(Activities):
    """One trace: the words of the lock file, the events, and the judge."""

    def __init__(self, random_source, rules, log):
        self.random = random_source
        self.rules = rules
        self.log = log
        self.counters = collections.Counter()
        self.scheduler = Scheduler(random_source, log, POINTS, rules.aimed_at)
        self.scheduler.linger_turns = rules.linger_turns
        self.cells = [Cell(index) for index in range(rules.cells)]
        self.cells_used = 0
        self.moved_pins = 0
        self.scan_waits = False
        self.newest = self.visible = 1
        self.rising = 0
        self.lock = None                # the thread that has the writer lock
        self.flusher = None             # and the flush lock
        self.slots = []                 # lives that have not ended
        self.tokens = 0
        self.threads = 0
        self.homes = [Home(number) for number in range(rules.homes)]
        self.whole = {1}                # versions of which nothing was reused
        self.pins = {}                  # snapshot -> version, from a pin's success to the begin of its end

    # Events

    def run(self):
        for _ in range(self.rules.steps):
            if len(self.scheduler.processes) < self.rules.threads and self.random.random() < 0.3:
                self.spawn()
            self.scheduler.step()
            current = self.scheduler.current
            if current is not None and current.buffer and (self.random.random() < 0.2 or not self.scheduler.is_alive(current)):
                self.drain(current)
            event = self.random.random()
            if event < 0.009:
                self.stop_or_continue()
            elif event < 0.01:
                self.kill()
            elif event > 1 - self.rules.wrong_deaths * (8 if self.scheduler.lingering.get(current) else 1):
                self.count_as_dead(current)
        self.settle()

    def start(self, home, act, *arguments):
        thread = Thread(self.threads, home)
        self.threads += 1
        thread.steps = act(thread, *arguments)
        self.scheduler.processes.append(thread)

    def spawn(self):
        self.scheduler.lingering = {thread: turns for thread, turns in self.scheduler.lingering.items() if turns}
        home = self.random.choice(self.homes)
        if home.is_stopped or home.state in ("opening", "closing"):
            return
        is_idle = not any(thread.home is home for thread in self.scheduler.processes)
        if home.state == "closed":
            home.state = "opening"
            self.start(home, self.opener)
        elif is_idle and not home.is_valid:
            self.forget(home)                   # it has been told that its lease is lost, and opens the database again
        elif is_idle and self.random.random() < 0.15:
            home.state = "closing"
            self.start(home, self.closer)
        else:
            weights = (84 - self.rules.writers, self.rules.writers, 10, 6)
            act = self.random.choices((self.reader, self.writer, self.leader, self.reaper), weights)[0]
            self.start(home, act)

    def forget(self, home):
        """Its process is gone, or has closed the database."""
        self.homes[self.homes.index(home)] = Home(home.number + 100)

    def threads_of(self, home):
        return [thread for thread in self.scheduler.processes if thread.home is home]

    def victim(self):
        """Mostly the process of a thread that lingers between two steps, or ran last."""
        lingering = [thread for thread, turns in self.scheduler.lingering.items() if turns and self.scheduler.is_alive(thread)]
        if lingering and self.random.random() < 0.7:
            return self.random.choice(lingering).home
        victim = self.scheduler.victim()
        return None if victim is None else victim.home

    def set_stopped(self, home, is_stopped):
        self.log(f"{'SIGSTOP' if is_stopped else 'SIGCONT'} process {home.number}")
        home.is_stopped = is_stopped
        for thread in self.threads_of(home):
            thread.stopped = is_stopped
            self.drain(thread)

    def stop_or_continue(self):
        stopped = [home for home in self.homes if home.is_stopped]
        if stopped and self.random.random() < 0.6:
            self.set_stopped(self.random.choice(stopped), False)
        elif len(stopped) < len(self.homes) - 1:
            home = self.victim()
            if home is not None and not home.is_stopped:
                self.set_stopped(home, True)

    def drop_bytes(self, home):
        for slot in self.slots:
            if slot.byte is home:
                slot.byte = None

    def kill(self):
        home = self.victim()
        if home is None:
            return
        self.log(f"SIGKILL process {home.number}")
        self.counters["kills"] += 1
        for thread in self.threads_of(home):
            self.drain(thread)
            self.scheduler.processes.remove(thread)
            self.scheduler.lingering.pop(thread, None)
        home.is_alive = False
        self.drop_bytes(home)
        self.pins = {snapshot: version for snapshot, version in self.pins.items() if snapshot.home is not home}
        self.forget(home)

    def count_as_dead(self, current):
        """Its locks are lost behind its back, so others take it for dead; often it is stopped for the time."""
        home = current.home if self.scheduler.lingering.get(current) else self.victim()
        if home is None or home.slot is None or home.slot.byte is not home:
            return
        self.log(f"process {home.number} loses its locks")
        self.counters["counted as dead"] += 1
        self.drop_bytes(home)
        others = [other for other in self.homes if other is not home and other.state == "open" and not other.is_stopped]
        if others and not home.is_stopped and self.random.random() < 0.7:
            self.set_stopped(home, True)
        if not others:
            return
        self.start(self.random.choice(others), self.reap_and_read)
        if self.scheduler.is_alive(current) and self.random.random() < 0.6:
            self.give_its_cells_away(current, self.scheduler.processes[-1])

    def give_its_cells_away(self, stale, reaper):
        """The reaper goes on until it has a pin of its own, which it keeps for long; then the one counted as dead does a few steps."""
        pins = self.counters["pins"]
        while self.scheduler.is_alive(reaper) and self.counters["pins"] == pins:
            self.scheduler.advance(reaper)
        self.drain(reaper)
        self.scheduler.lingering[reaper] = self.random.choice((20, 100, 300))
        if stale.stopped:
            self.set_stopped(stale.home, False)
        for _ in range(self.random.choice((1, 2, 4, 8))):
            if self.scheduler.is_alive(stale):
                self.scheduler.advance(stale)
        self.drain(stale)
        self.scheduler.lingering.pop(stale, None)

    # The judge

    def note_pinned(self, snapshot, version):
        if snapshot.home.is_valid and version not in self.whole:
            raise Violation("a version was pinned after it was reused")
        snapshot.version = self.pins[snapshot] = version
        self.counters["pins"] += 1

    def lose_cell(self, home):
        """A thread finds another's word in its cell."""
        if home.is_valid:
            raise Violation("a living process lost its cell")
        self.counters["leases lost"] += 1

    def reuse(self, held):
        """What a commit writes over: everything that its scan did not find held."""
        for version in self.whole - held:
            self.whole.remove(version)
            self.counters["reused"] += 1
        for snapshot, version in self.pins.items():
            if version not in self.whole and snapshot.home.is_valid:
                raise Violation("a reader's version was reused")
        for home in self.homes:
            if home.is_valid and home.own_commit > self.visible and home.own_commit not in self.whole:
                raise Violation("an own commit was reused")

    def settle(self):
        """All who live go on to their end, the dead are reaped, every cell is used once more; then nothing may be held."""
        for home in self.homes:
            if home.is_stopped:
                self.set_stopped(home, False)
        self.scheduler.slow_points = ()
        self.scheduler.lingering = {}
        while self.scheduler.processes:
            if not self.scheduler.step():
                continue
            if not self.scheduler.is_alive(self.scheduler.current):
                self.drain(self.scheduler.current)
        judge = Thread(self.threads, Home(-1))
        judge.home.slot = Slot(0, judge.home)
        self.finish(self.reaper(judge))
        for home in self.homes:
            thread = Thread(self.threads, home)
            for snapshot in home.free_cells if home.is_valid else ():
                self.finish(self.pin(thread, snapshot))
                self.finish(self.unpin(thread, snapshot))
                self.drain(thread)
        self.visible, self.rising = self.newest, 0      # as the next leader leaves them
        held = self.finish(self.scan(judge, lambda _: False))
        self.counters["cells lost"] += sum(cell.owner not in [0] + [slot.token for slot in self.slots] for cell in self.cells)
        if held - {0, self.newest}:
            raise Violation("a version stays held")

    def finish(self, steps):
        """Runs an activity alone, to its end."""
        while True:
            try:
                self.log(f"at the end {next(steps)}")
            except StopIteration as end:
                return end.value


if __name__ == "__main__":
    exit_with(main(__doc__, Trial, VARIANTS))
