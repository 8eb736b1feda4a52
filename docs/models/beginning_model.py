#!/usr/bin/env python3
"""Model of sessions begun by readers and writers under several names of one file, and of forked children that live on.

    python3 docs/models/beginning_model.py --traces 300 --seed 1
    python3 docs/models/beginning_model.py --variant "reader begins beside a living session" --show 0

The file is opened by hard links and after moves, its lock files are deleted while sessions live, processes are killed, stopped and
forked. Durability is left out: a version is one page. The exit code is 1 when the rules show a violation. See (S1) to (S6), (L1), (L2) and "fork"
in docs/sharing-between-processes.md.
"""

import collections
import dataclasses

from beginning_process import FREE, SLOT, Child, Inode, LockFile, Refused, Worker
from simulation import Scheduler, Variant, Violation, exit_with, main

PATHS = ("x", "y", "z")

Root = collections.namedtuple("Root", "version page serial parent")


@dataclasses.dataclass(frozen=True)
class Rules:
    """The protocol's switches; the defaults are the rules, every variant turns one of them off."""

    steps: int = 1000
    processes: int = 5
    kinds: tuple = ("writer", "writer", "reader", "reader", "reader", "lonely reader")
    slow_points: tuple = ()
    membership: str = "lock, then look"     # or "look, then lock", "lock only", "none"
    judges_as_member: bool = True
    lonely_byte: bool = True
    life: int = 12                          # reads and writes of a process, in the mean
    renames: bool = True                    # and deletes lock files
    forks: bool = True
    child_closes: bool = True


def variant(name, is_fixed=False, **changes):
    return Variant(name, Rules(**changes), is_fixed)


BEGINNERS = dict(slow_points=("open.lockFileMade", "member.looked"), kinds=("writer", "reader", "reader"), life=2, steps=2000)
JUDGES = dict(slow_points=("open.lockFileMade",), kinds=("writer", "reader"), life=3, processes=3, steps=2000)

VARIANTS = (
    variant("the rules", is_fixed=True),
    variant("the rules, lingering beginners", is_fixed=True, **BEGINNERS),
    variant("the rules, lingering judges", is_fixed=True, **JUDGES),
    variant("the rules, nobody forks", is_fixed=True, forks=False),
    variant("the rules, one name", is_fixed=True, renames=False),
    variant("reader begins beside a living session", membership="none"),
    variant("bytes of other sessions not looked at", membership="lock only", **BEGINNERS),
    variant("own byte taken after looking", membership="look, then lock", **BEGINNERS),
    variant("file judged before the own byte is taken", judges_as_member=False, **JUDGES),
    variant("reader without a lock file takes no byte", lonely_byte=False),
    variant("forked child keeps the descriptors", child_closes=False),
    variant("forked child keeps the descriptors, one name", child_closes=False, renames=False, kinds=("writer", "reader")),
)

POINTS = ("open.start", "open.sessionLocked", "open.looked", "open.lockFileFound", "open.beginLocked", "open.lockFileMade",
          "open.recovered", "open.installing", "open.ready", "join.inhabited", "join.judged", "member.locked", "member.looked",
          "open.slotMarked", "open.slotClaimed", "read.pinStored", "read.walking", "begin.ownerSet", "commit.scanning",
          "commit.segmentsWritten", "commit.rootWritten", "commit.ownerCleared", "close.slotReleased", "close.ending", "fork.child")


class DataFile(Inode):
    """The inode that all names lead to."""

    def __init__(self):
        super().__init__()
        self.volatile = Root(0, 0, 0, None)
        self.pages = [0, None, None, None]
        self.page_of = {0: 0}               # version -> page
        self.parents = {0: None}            # serial -> serial

    def commit(self, root):
        if root.version in self.page_of:
            raise Violation("version issued twice")
        self.page_of[root.version] = root.page
        self.parents[root.serial] = root.parent
        self.volatile = root


class Trial:
    def __init__(self, random_source, rules, log):
        self.random = random_source
        self.rules = rules
        self.log = log
        self.counters = collections.Counter()
        self.scheduler = Scheduler(random_source, log, POINTS, rules.slow_points)
        self.data = DataFile()
        self.names = {"x": self.data}
        self.number = 0                     # of processes and of inodes
        self.serial = 0
        self.acknowledged = []
        self.last_acknowledged = 0          # a version
        self.killed = []                    # their generators: what a killed process had in its hands stays as it is
        self.is_settling = False
        for _ in range(rules.processes):
            self.spawn()

    def spawn(self, kind=None):
        self.number += 1
        path = self.random.choice([path for path in PATHS if path in self.names])
        worker = Worker(self.number, self, path, kind or self.random.choice(self.rules.kinds))
        self.scheduler.processes.append(worker)
        return worker

    def new_root(self, parent, page):
        self.serial += 1
        return Root(parent.version + 1, page, self.serial, parent.serial)

    def check_opened(self, newcomer):
        if newcomer.lock.newest.version < self.last_acknowledged:
            raise Violation("an acknowledged commit is not seen")
        for other in self.scheduler.processes:
            if other is not newcomer and other.lock is not None and other.lock is not newcomer.lock:
                if other.lock.number or newcomer.lock.number:       # any number may read without a lock file
                    raise Violation("two sessions on one file")

    # Events

    def run(self):
        for _ in range(self.rules.steps):
            draw = self.random.random()
            if draw < 0.008:
                self.kill(self.scheduler.victim())
            elif draw < 0.018:
                self.scheduler.stop_or_continue()
            elif draw < 0.026 and self.rules.renames:
                self.delete_lock_file()
            elif draw < 0.034 and self.rules.renames:
                self.rename()
            elif draw < 0.040 and self.rules.forks:
                self.fork()
            else:
                self.scheduler.step()
            while len([process for process in self.scheduler.processes if process.kind != "child"]) < self.rules.processes:
                self.spawn()
        self.settle()

    def kill(self, process):
        if process is None:
            return
        self.log(f"SIGKILL {process}")
        self.counters["killed"] += 1
        self.scheduler.processes.remove(process)
        self.killed.append(process.steps)
        for description in {process.description, getattr(process, "inherited", None)} - {None}:
            description.close(process)

    def delete_lock_file(self):
        found = [name for name, file in self.names.items() if isinstance(file, LockFile)]
        if found:
            name = self.random.choice(found)
            self.log(f"{name} deleted")
            del self.names[name]

    def rename(self):
        """A hard link, a name removed, or a move, of the data file alone or with its lock file."""
        taken = [path for path in PATHS if path in self.names]
        free = [path for path in PATHS if path not in self.names]
        name = self.random.choice(taken)
        act = self.random.choice(("link", "move", "remove"))
        self.log(f"{act} {name}")
        if act == "remove" and len(taken) > 1:
            del self.names[name]
        elif act != "remove" and free:
            other = self.random.choice(free)
            self.names[other] = self.data
            if act == "move":
                del self.names[name]
                if name + ".lock" in self.names and self.random.random() < 0.3:
                    self.names[other + ".lock"] = self.names.pop(name + ".lock")

    def fork(self):
        parents = [process for process in self.scheduler.processes if process.description is not None and process.kind != "child"
                   and process.lock is not None]
        children = [process for process in self.scheduler.processes if process.kind == "child"]
        if parents and len(children) < 3:
            self.number += 1
            parent = self.random.choice(parents)
            self.log(f"{parent} forks {self.number}")
            self.counters["forks"] += 1
            self.scheduler.processes.append(Child(self.number, self, parent))
            if self.random.random() < 0.3:
                self.kill(parent)

    # Nobody waits for ever, nothing stays pinned, nothing is lost

    def settle(self):
        self.is_settling = True
        for process in list(self.scheduler.processes):
            process.stopped = False
            if process.kind != "child" and self.random.random() < 0.3:
                self.kill(process)
        self.drain("somebody never ends")
        for _ in range(2):
            writer = self.spawn("writer")
            writer.steps = self.last_work(writer)
            self.drain("somebody never comes in")
        self.judge()

    def last_work(self, writer):
        yield from writer.open()
        yield from writer.write()
        if not writer.writes:
            raise Violation("writers wait for ever")
        yield from writer.reap()
        for index, slot in enumerate(writer.lock.slots):
            if index != writer.index and slot.state != FREE:
                raise Violation("a dead process's slot stays")
        yield from writer.close()

    def drain(self, complaint):
        for _ in range(400):
            busy = [process for process in self.scheduler.processes if not getattr(process, "is_resting", False)]
            if not busy:
                return
            for process in busy:
                try:
                    self.scheduler.advance(process)
                except Refused as reason:
                    raise Violation(f"nobody comes in any more: {reason}") from None
        raise Violation(complaint)

    def judge(self):
        included, serial = set(), self.data.volatile.serial
        while serial is not None:
            included.add(serial)
            serial = self.data.parents[serial]
        if not set(self.acknowledged) <= included:
            raise Violation("acknowledged commits are lost")
        if self.data.pages[self.data.volatile.page] != self.data.volatile.serial:
            raise Violation("the newest version is damaged")
        if any(byte[0] == SLOT for byte, holders in self.data.locks.items() if holders):
            raise Violation("a dead process's byte stays")


if __name__ == "__main__":
    exit_with(main("Model of sessions begun under several names, and of forked children.", Trial, VARIANTS))
