#!/usr/bin/env python3
"""Model of who may change the file: several threads in a process, writes whose thread ends, cutting and holes.

    python3 docs/models/holding_model.py --traces 300 --seed 1
    python3 docs/models/holding_model.py --variant "cut before newest moves" --show 3

Processes have threads that begin writes, hand them to another thread of theirs and mostly end then; readers pin versions;
whole processes are killed at every step. Versions are sets of pages; commits take reusable ones, cut the file and make holes.
The exit code is 1 when the rules that must hold show a violation. See docs/sharing-between-processes.md (W6, W7) and
docs/commit-and-recovery.md (C7).
"""

import collections
import dataclasses

from simulation import Process, Scheduler, Variant, Violation, exit_with, main

Root = collections.namedtuple("Root", "version pages length serial parent")     # pages: page -> serial of the root that wrote it


@dataclasses.dataclass(frozen=True)
class Rules:
    """The protocol's switches; the defaults are the rules, every variant turns one of them off."""
    homes: int = 3
    steps: int = 900
    largest: int = 12                   # pages of a version
    hand_over: str = "swap"             # or: a look before the first page ("look"), or only when publishing ("publish")
    cut_when: str = "published"         # or "committed"
    cut_keeps: str = "held"             # or "newest"
    holes: str = "reusable"             # or "freed": what the commit itself has freed


POINTS = ("begin.locked", "begin.judged", "commit.takenOver", "commit.pageWritten", "commit.segmentsWritten", "commit.rootWritten",
          "publish.newestSet", "shrink.cut", "shrink.hole", "commit.ownerCleared", "read.pinStored", "read.walking")


def variant(name, is_fixed=False, **changes):
    return Variant(name, Rules(**changes), is_fixed)


VARIANTS = (
    variant("the rules", is_fixed=True),
    variant("the rules, two processes", is_fixed=True, homes=2),
    variant("the rules, many small versions", is_fixed=True, largest=4),
    variant("owner compared only when publishing", hand_over="publish"),
    variant("owner looked at, not swapped", hand_over="look"),
    variant("cut before newest moves", cut_when="committed"),
    variant("cut by newest alone", cut_keeps="newest"),
    variant("holes in what the commit has freed", holes="freed"),
)


class Home:
    """An operating-system process: what its threads share."""

    def __init__(self, number):
        self.number = number
        self.is_alive = True


class Thread(Process):
    def __init__(self, number, home):
        super().__init__(number)
        self.home = home

    def __repr__(self):
        return f"thread {self.number} of process {self.home.number}"


class Trial:
    """One trace: the file, the words of the lock file, and the judge."""

    def __init__(self, random_source, rules, log):
        self.random = random_source
        self.rules = rules
        self.log = log
        self.counters = collections.Counter()
        self.scheduler = Scheduler(random_source, log, POINTS)
        self.homes = [Home(number) for number in range(rules.homes)]
        self.threads = 0
        self.serial = 1
        first = Root(1, {0: 1}, 1, 1, 0)
        self.file = {0: 1}              # page -> serial; a page beyond the end, or a hole, has none
        self.length = 1
        self.record = first             # V
        self.newest = first
        self.roots = {1: first}         # by version, as readers find them
        self.pins = {}                  # thread -> version
        self.mutex = None               # the thread that has it
        self.mutex_died = False
        self.owner = None               # the process inside
        self.hold = (0, False)          # number, kept

    # Events

    def run(self):
        for _ in range(self.rules.steps):
            if len(self.scheduler.processes) < 5 and self.random.random() < 0.3:
                self.spawn()
            self.scheduler.step()
            self.collect_ended()
            if self.random.random() < 0.004:
                self.kill()
        self.require_whole(self.newest, "the newest version is damaged")

    def start(self, home, act, *arguments):
        thread = Thread(self.threads, home)
        self.threads += 1
        thread.steps = act(thread, *arguments)
        self.scheduler.processes.append(thread)

    def spawn(self):
        home = self.random.choice(self.homes)
        self.start(home, self.reader if self.random.random() < 0.35 else self.writer)

    def collect_ended(self):
        """A robust mutex goes to the next one when its thread has ended."""
        if self.mutex is not None and not self.scheduler.is_alive(self.mutex):
            self.mutex, self.mutex_died = None, True

    def kill(self):
        victim = self.scheduler.victim()
        if victim is None:
            return
        home = victim.home
        self.log(f"SIGKILL process {home.number}")
        self.counters["kills"] += 1
        home.is_alive = False
        for thread in [one for one in self.scheduler.processes if one.home is home]:
            self.scheduler.processes.remove(thread)
            self.pins.pop(thread, None)
        self.collect_ended()
        self.homes[self.homes.index(home)] = Home(home.number + 100)

    # The judge

    def require_whole(self, root, what):
        if any(page >= self.length or self.file.get(page) != serial for page, serial in root.pages.items()):
            raise Violation(what)

    # The writer lock

    def writer(self, thread):
        while True:
            if self.mutex is not None:
                yield "begin.waiting"
                continue
            self.mutex, after_death, self.mutex_died = thread, self.mutex_died, False
            yield "begin.locked"
            previous, (number, is_kept) = self.owner, self.hold
            if previous is not None and is_kept and previous.is_alive:
                self.mutex = None                       # the door is closed: byte mode waits here
                yield "begin.waiting"
                continue
            yield "begin.judged"
            if previous is not None and self.rules.hand_over == "swap" and self.hold != (number, is_kept):
                self.mutex = None
                continue
            self.hold, self.owner = (number + 1, False), thread.home
            break
        if self.record.version > self.newest.version:   # its owner died behind the commit point
            self.publish(self.record)
        lease = (self.hold[0], self.newest)
        yield "begin.ownerSet"
        if self.random.random() < 0.4:
            self.counters["handed over"] += 1
            self.start(thread.home, self.finish, lease, False)
            while self.random.random() < 0.5:           # the thread that began it lives on for a while
                yield "thread.other"
            return
        yield from self.finish(thread, lease, True)

    def has(self, thread, lease):
        return self.owner is thread.home and self.hold[0] == lease[0]

    def finish(self, thread, lease, is_own):
        """The commit, on the thread that began the write or on another one, which may be the only one left."""
        yield "commit.begun"
        if not is_own and self.rules.hand_over == "swap":
            if self.owner is not thread.home or self.hold != (lease[0], False):
                self.counters["lost with their thread"] += 1
                return
            self.hold = (lease[0], True)
        elif not is_own and self.rules.hand_over == "look" and not self.has(thread, lease):
            return
        yield "commit.takenOver"
        newest = lease[1]
        held = self.held()
        used = {page for version in held for page in self.roots[version].pages}
        free = [page for page in range(max(self.length, max(used) + 1) + self.rules.largest) if page not in used]
        # Mostly near the start, at times at the end: the file grows, and can be cut again.
        count = self.random.choice((1, 2, self.rules.largest))
        place = 0 if self.random.random() < 0.6 else self.random.randrange(0, max(1, min(len(free) - count, self.length)))
        pages = free[place:place + count]
        self.serial += 1
        serial = self.serial
        kept = {} if self.random.random() < 0.6 else dict(list(newest.pages.items())[:2])
        for page in pages:
            self.file[page] = serial
            self.length = max(self.length, page + 1)
            yield "commit.pageWritten"
        contents = {**kept, **{page: serial for page in pages}}
        root = Root(newest.version + 1, contents, max(contents) + 1, serial, newest.serial)
        yield "commit.segmentsWritten"
        if not self.has(thread, lease):
            if self.rules.hand_over == "swap":
                raise Violation("a write lost the lock at its end")
            return
        self.record = root
        yield "commit.rootWritten"
        if self.rules.cut_when == "committed":
            self.cut()
            yield "shrink.cut"
        self.publish(root)
        yield "publish.newestSet"
        if self.rules.cut_when == "published":
            self.cut()
            yield "shrink.cut"
        reusable = set(free) - set(contents) if self.rules.holes == "reusable" else set(newest.pages) - set(contents)
        for page in sorted(reusable):
            if page < self.length and self.random.random() < 0.3:
                self.file.pop(page, None)
                self.counters["holes"] += 1
        yield "shrink.hole"
        self.owner = None
        yield "commit.ownerCleared"
        if self.mutex is thread:                        # else it goes with the thread that took it
            self.mutex = None
        self.counters["commits"] += 1

    def publish(self, root):
        if root.parent != self.newest.serial:
            raise Violation("a commit was lost")
        self.require_whole(root, "a damaged version was published")
        self.newest = root
        self.roots[root.version] = root

    # Held, cutting, reading

    def held(self):
        return {self.newest.version} | set(self.pins.values())

    def cut(self):
        versions = self.held() if self.rules.cut_keeps == "held" else {self.newest.version}
        longest = max(self.roots[version].length for version in versions)
        if self.length > longest + 1 and self.random.random() < 0.5:
            self.length = longest + 1
            self.file = {page: serial for page, serial in self.file.items() if page < self.length}
            self.counters["cuts"] += 1

    def reader(self, thread):
        while True:
            version = self.newest.version
            self.pins[thread] = version
            yield "read.pinStored"
            if self.newest.version == version:
                break
        for page, serial in list(self.roots[version].pages.items()):
            yield "read.walking"
            if page >= self.length or self.file.get(page) != serial:
                raise Violation("a reader sees garbage")
        del self.pins[thread]
        self.counters["reads"] += 1


if __name__ == "__main__":
    exit_with(main(__doc__, Trial, VARIANTS))
