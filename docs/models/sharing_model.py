#!/usr/bin/env python3
"""Model of sharing: sessions, slots, reaping and the writer lock over two pid namespaces.

    python3 docs/models/sharing_model.py --traces 300 --seed 1
    python3 docs/models/sharing_model.py --variant "mutex in every namespace" --show 0

Durability is left out (commit_model.py has it): a version is one page, and a commit is one page and one V
record. The exit code is 1 when the rules show a violation. See docs/sharing-between-processes.md.
"""

import collections
import dataclasses

from sharing_process import LeaseLost, SharingProcess
from sharing_system import FREE, DataFile
from simulation import Scheduler, Variant, Violation, exit_with, main


@dataclasses.dataclass(frozen=True)
class Rules:
    """The protocol's switches; the defaults are the rules, every variant turns one of them off."""

    namespaces: int = 2
    processes: int = 5
    steps: int = 1500
    # Sessions
    fresh_lock_file: bool = True            # a first opener never starts a session in an inode that it found
    ends_old_session: bool = True
    refuses_foreign_lock_file: bool = True
    # Slots
    locks_byte: bool = True
    rechecks_generation: bool = True
    liveness: str = "byte lock"
    registers_always: bool = True
    pins_carry_generation: bool = True
    checks_lease_at_end: bool = True
    count_before_words: bool = False
    # Parked pins
    resumes_by_swap: bool = True
    revokes_by_swap: bool = True
    rereads_after_revoking: bool = True
    # Writer lock
    detects_namespaces: bool = True
    rereads_mode: bool = True
    swaps_owner: bool = True
    tests_owner: bool = True
    checks_owner_before_publish: bool = True


def variant(name, is_fixed=False, **changes):
    return Variant(name, Rules(**changes), is_fixed)


VARIANTS = (
    variant("the rules", is_fixed=True),
    variant("the rules, one namespace", is_fixed=True, namespaces=1),
    variant("mutex in every namespace", detects_namespaces=False),
    variant("owner word not looked at in byte mode", tests_owner=False),
    variant("owner word stored, not swapped; mode not re-read", swaps_owner=False, rereads_mode=False),
    variant("owner not checked before publishing", checks_owner_before_publish=False),
    variant("lock file started anew in place", fresh_lock_file=False),
    variant("old lock file not ended", ends_old_session=False),
    variant("fresh or foreign lock file accepted", refuses_foreign_lock_file=False),
    variant("claim without the byte", locks_byte=False),
    variant("claim without re-checking the generation", rechecks_generation=False),
    variant("reaper looks at the byte without locking it", liveness="look only"),
    variant("liveness by process number", liveness="process number"),
    variant("no slot, no registration", registers_always=False),
    variant("pins without generation", pins_carry_generation=False, checks_lease_at_end=False),
    variant("lease not checked at the end", checks_lease_at_end=False),
    variant("parked pin resumed by a store", resumes_by_swap=False),
    variant("parked pin revoked by a store", revokes_by_swap=False),
    variant("pin not looked at again after a failed revocation", rereads_after_revoking=False),
)

POINTS = ("open.start", "open.sessionLocked", "open.recovered", "open.renamed", "open.slotMarked", "open.slotLocked",
          "read.chosen", "read.pinStored", "read.walking", "read.ending", "begin.locked", "begin.ownerRead",
          "begin.ownerSet", "commit.scanning", "commit.scanned", "commit.segmentsWritten", "commit.rootWritten",
          "commit.ownerCleared", "reap.claimed", "reap.cleared", "close.start")


class Trial:
    def __init__(self, random_source, rules, log):
        self.random = random_source
        self.rules = rules
        self.log = log
        self.counters = collections.Counter()
        self.scheduler = Scheduler(random_source, log, POINTS)
        self.data = DataFile()              # what the path of the data file leads to
        self.lock = None                    # what the path of the lock file leads to
        self.process_number = 0
        self.everybody = []
        for _ in range(rules.processes):
            self.spawn()

    def spawn(self):
        """Small thread ids, unique in a namespace: every container's first process is number 1."""
        self.process_number += 1
        namespace = self.random.randrange(self.rules.namespaces)
        taken = {process.thread for process in self.scheduler.processes if process.namespace == namespace}
        thread = next(number for number in range(1, 99) if number not in taken)
        process = SharingProcess(self.process_number, self, namespace, thread, self.random.random() < 0.25)
        self.scheduler.processes.append(process)
        return process

    # What processes see, and what must never be

    def sees_process(self, observer, process_number):
        namespace, thread = process_number
        return any(process.namespace == observer.namespace and process.thread == thread
                   for process in self.scheduler.processes)

    def check_one_writer(self, data):
        if len([process for process in data.inside if self.scheduler.is_alive(process)]) > 1:
            raise Violation("two writers inside")

    def check_one_session(self, newcomer):
        for process in self.scheduler.processes:
            same_file = process is not newcomer and process.data is newcomer.data and process.lock is not None
            if same_file and process.can_write and process.index is not None and process.lock is not newcomer.lock:
                raise Violation("two sessions on one file")

    # Events

    def run(self):
        for _ in range(self.rules.steps):
            draw = self.random.random()
            if draw < 0.008:
                self.kill()
            elif draw < 0.025:
                self.scheduler.stop_or_continue()
            elif draw < 0.027:
                self.close_descriptors()
            elif draw < 0.0285:
                self.harm_lock_file()
            elif draw < 0.029:
                self.log("another data file renamed over")
                self.data = DataFile()
            else:
                if not self.scheduler.step() and not self.scheduler.processes:
                    self.spawn()
            while len(self.scheduler.processes) < self.rules.processes and self.random.random() < 0.2:
                self.spawn()
        self.settle()

    def kill(self, process=None):
        process = process or self.scheduler.victim()
        if process is None:
            return
        self.log(f"SIGKILL {process}")
        self.counters["killed"] += 1
        self.scheduler.processes.remove(process)
        if process.data is not None:
            process.data.release_all(process)
        if process.lock is not None:
            was_owner = process.lock.mutex_holder is process
            process.lock.mutex.process_died(process, was_owner)
            process.forget_mutex()

    def close_descriptors(self):
        """A daemon's closefrom(): the bytes are free, the mapping stays, the process goes on."""
        process = self.scheduler.victim()
        if process is not None and process.index is not None and process.can_write:
            self.log(f"closefrom in {process}")
            self.counters["closefrom"] += 1
            process.can_write = False
            process.data.release_all(process)

    def harm_lock_file(self):
        if self.lock is not None:
            self.lock.removed = True
        if self.lock is not None and self.random.random() < 0.5:
            self.log("lock file replaced by a copy")
            self.lock = self.lock.copy()
        else:
            self.log("lock file deleted")
            self.lock = None

    # Nobody waits for ever, nothing stays pinned

    def settle(self):
        for process in self.scheduler.processes:
            process.stopped = False
        for process in [process for process in self.scheduler.processes if not process.can_write]:
            self.kill(process)
        writer = self.find_writer()
        if writer is None:
            return
        before = writer.writes
        writer.steps = self.settling_work(writer)
        for _ in range(400):
            for process in list(self.scheduler.processes):
                self.scheduler.advance(process)
            if writer.writes > before or writer not in self.scheduler.processes:
                break
        if writer.writes == before and not self.counters["file full"]:
            raise Violation("a writer waits for ever")
        self.check_nothing_pinned(writer)

    def find_writer(self):
        """A process that is in the session now and not in the middle of anything that matters here."""
        for process in self.scheduler.processes:
            claimed = process.index is not None and process.locked_by is None and not process.is_reader_only
            claimed = claimed and process.lock.slots[process.index].generation == process.generation
            if claimed and process.lock.mutex_holder is not process and process.data is self.data:
                if not process.data.locks.get("writer", {}).get(process):
                    process.lock.mutex.waiters.discard(process)
                    return process
        return None

    def settling_work(self, process):
        before = process.writes
        try:
            for _ in range(10):
                yield from process.write()
                if process.writes > before:
                    return
        except LeaseLost:
            process.report_lease_lost()

    def check_nothing_pinned(self, writer):
        for _ in writer.reap():
            pass
        for index, slot in enumerate(writer.lock.slots):
            if index != writer.index and slot.state != FREE and index in writer.data.locks:
                if not writer.data.is_locked_by_another(writer, index):
                    raise Violation("a dead process's slot stays")


if __name__ == "__main__":
    exit_with(main("Model of sharing between processes.", Trial, VARIANTS))
