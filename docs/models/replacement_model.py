#!/usr/bin/env python3
"""Model of files that get a name: compaction by rename, backups to one path, creation of a path, and closers.

    python3 docs/models/replacement_model.py --traces 300 --seed 1
    python3 docs/models/replacement_model.py --variant "version compared after copying" --show 0

What is in a file is left out: a commit is a number in a list, and a copy is a copy of that list. The power is cut: what was not flushed is
lost, and of the changes of names since the folder was synced some first ones stay. The exit code is 1 when the rules show a violation. See docs/sharing-between-processes.md, "Files that get a name".
"""

import collections
import dataclasses

from simulation import Process, Scheduler, Variant, Violation, exit_with, main

SESSION, CLOSING, MAKING = "session", "closing", "making"
DATA, BACKUP = "x", "b"


@dataclasses.dataclass(frozen=True)
class Rules:
    """The protocol's switches; the defaults are the rules, every variant turns one of them off."""

    processes: int = 5
    steps: int = 900
    kills: bool = True
    power_cuts: bool = True
    lingers: tuple = ()                     # points at which processes are stopped for long
    # Compaction by rename
    compares_copied_version: bool = True
    stays_alone: bool = True                # holds the session byte from the comparison to the rename
    clears_before_rename: bool = True
    # Openers
    checks_name_first: bool = True          # under the byte, before the lock file is made
    # Unfinished files
    own_names: bool = True
    locks_unfinished: bool = True
    looks_again: bool = True                # the maker, at the name, once it has the lock
    refuses_taken_name: bool = True
    # Names
    names_first: bool = True                # who begins a file's first session syncs the folder before it leaves its mark
    clears_mark: bool = True                # a file that gets a name shows no session
    # Closers
    closes_in_turn: bool = True
    asks_again: bool = True                 # whether it is last, once its share of the session byte is given up
    compares_session: bool = True           # before it ends one then


def variant(name, is_fixed=False, **changes):
    return Variant(name, Rules(**changes), is_fixed)


LEAVING = ("close.asked", "close.left")
NAMING = ("replace.renamed", "make.named", "open.created", "open.named")

VARIANTS = (
    variant("the rules", is_fixed=True),
    variant("the rules, nobody killed", is_fixed=True, kills=False, power_cuts=False),
    variant("the rules, lingering closers", is_fixed=True, kills=False, power_cuts=False, lingers=LEAVING),
    variant("the rules, lingering makers", is_fixed=True, lingers=NAMING),
    variant("version compared after copying", compares_copied_version=False),
    variant("byte given back before the rename", stays_alone=False),
    variant("lock file removed after the rename", clears_before_rename=False),
    variant("opener does not look at the name first", checks_name_first=False),
    variant("one name for all unfinished files", own_names=False, locks_unfinished=False),
    variant("leftovers removed without their lock", locks_unfinished=False),
    variant("maker does not look at the name again", looks_again=False),
    variant("rename replaces a file", refuses_taken_name=False),
    variant("only the maker syncs the folder", names_first=False, lingers=NAMING),
    variant("copies keep the mark of a session", clears_mark=False, lingers=NAMING),
    variant("closers not in turn", closes_in_turn=False, asks_again=False, kills=False, power_cuts=False),
    variant("closer does not ask again", asks_again=False, kills=False, power_cuts=False, lingers=LEAVING),
    variant("closer asks again of any session", compares_session=False, kills=False, power_cuts=False, lingers=LEAVING),
)

POINTS = ("open.start", "open.sessionLocked", "open.recovered", "open.ready", "open.refused", "commit.begun", "commit.done",
          "close.slotReleased", "close.asked", "close.left", "close.ending", "replace.copying", "replace.copied", "replace.alone", "replace.cleared",
          "replace.renamed", "open.created", "open.named", "commit.flushed", "make.named", "leftover.found", "leftover.locked", "make.created", "make.locked", "make.filled")


class Names(dict):
    """A folder in the page cache, and every state of it since it was synced last."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.states = [dict(self)]

    def changed(self):
        self.states.append(dict(self))

    def __setitem__(self, name, found):
        super().__setitem__(name, found)
        self.changed()

    def __delitem__(self, name):
        super().__delitem__(name)
        self.changed()

    def pop(self, name, *default):
        found = super().pop(name, *default)
        self.changed()
        return found

    def rename(self, name, path):
        super().__setitem__(path, super().pop(name))
        self.changed()

    def sync(self):
        self.states = [dict(self)]


class Inode:
    """A data file: its commits, how many of them are durable, and the locks on its bytes."""

    def __init__(self):
        self.commits = []
        self.durable = 0
        self.mark = None                # "in use": the session that is or was the last one
        self.locks = {}                 # byte -> {process: "read" or "write"}

    def try_lock(self, process, byte, kind):
        holders = self.locks.setdefault(byte, {})
        others = [held for holder, held in holders.items() if holder is not process]
        if "write" in others or (kind == "write" and others):
            return False
        holders[process] = kind
        return True

    def unlock(self, process, byte):
        self.locks.get(byte, {}).pop(process, None)

    def release_all(self, process):
        for holders in self.locks.values():
            holders.pop(process, None)


class LockFile:
    """A session of one data file, and who lives in it."""

    def __init__(self, data):
        self.data = data
        self.members = set()


class Refused(Exception):
    """An error that the caller is told: nothing was promised."""


class Worker(Process):
    def __init__(self, number, world, role):
        super().__init__(number)
        self.world = world
        self.rules = world.rules
        self.role = role
        self.steps = self.live()

    def __repr__(self):
        return f"{self.role} {self.number}"

    def live(self):
        try:
            if self.role == "writer":
                yield from self.write(DATA)
            elif self.role == "creator":
                yield from self.write(BACKUP)
            elif self.role == "compactor":
                yield from self.compact()
            else:
                yield from self.back_up()
        except Refused as reason:
            self.world.log(f"{self} refused: {reason}")

    # Sessions

    def open(self, path):
        """Takes part in the session of the file that the path leads to; returns (file, lock file)."""
        names = self.world.names
        while True:
            is_new = path not in names
            if is_new:
                names[path] = Inode()
            data = names[path]
            yield "open.start"
            if data.try_lock(self, SESSION, "write"):
                yield "open.sessionLocked"
                if self.rules.checks_name_first and names.get(path) is not data:
                    data.unlock(self, SESSION)
                    continue
                if is_new and not self.rules.names_first:
                    yield "open.created"
                    names.sync()
                lock = LockFile(data)
                yield "open.recovered"
                data.durable = len(data.commits)
                if data.mark is None and self.rules.names_first:
                    names.sync()
                    yield "open.named"
                data.mark = lock
                lock.members.add(self)
                names[path + ".lock"] = lock
                yield "open.ready"
                if names.get(path) is not data:
                    lock.members.discard(self)
                    data.unlock(self, SESSION)
                    continue
                data.try_lock(self, SESSION, "read")
                return data, lock
            if data.try_lock(self, SESSION, "read"):
                lock = names.get(path + ".lock")
                if lock is not None and lock.data is data and lock.members:
                    lock.members.add(self)
                    return data, lock
                data.unlock(self, SESSION)
            yield "open.refused"

    def close(self, path, data, lock):
        names = self.world.names
        lock.members.discard(self)
        yield "close.slotReleased"
        for _ in range(30):             # the wait is bounded
            if not self.rules.closes_in_turn or data.try_lock(self, CLOSING, "write"):
                break
            yield "open.refused"
        if data.try_lock(self, SESSION, "write"):
            yield from self.end(path, data, lock)
        else:
            yield "close.asked"
            data.unlock(self, SESSION)
            yield "close.left"
            if self.rules.asks_again and data.try_lock(self, SESSION, "write"):
                if not self.rules.compares_session or data.mark is lock:
                    yield from self.end(path, data, lock)
        data.release_all(self)

    def end(self, path, data, lock):
        names = self.world.names
        yield "close.ending"
        if data.mark is not lock:
            raise Violation("a session is ended that is not under way")
        data.durable = len(data.commits)
        data.mark = "ended"
        if names.get(path) is data and names.get(path + ".lock") is lock:
            del names[path + ".lock"]

    def write(self, path):
        data, lock = yield from self.open(path)
        for _ in range(self.world.random.randrange(1, 4)):
            yield "commit.begun"
            if self.world.names.get(path) is not data:
                raise Refused("the file was replaced")
            if self.world.names.get(path + ".lock") is not lock:
                raise Violation("the lock file of a living session is gone")
            commit = self.world.next_commit()
            data.commits.append(commit)
            yield "commit.done"
            is_full = self.world.random.random() < 0.5
            if is_full:
                data.durable = max(data.durable, data.commits.index(commit) + 1)
                yield "commit.flushed"
            self.world.promise(path, commit, is_full)
        yield from self.close(path, data, lock)

    # Files that get a name

    def make_unfinished(self, path):
        names = self.world.names
        yield from self.remove_leftovers(path)
        while True:
            name = f"{path}.unfinished" + (f"-{self.world.next_commit()}" if self.rules.own_names else "")
            data = names[name] = Inode()
            yield "make.created"
            if self.rules.locks_unfinished and not data.try_lock(self, MAKING, "write"):
                continue
            yield "make.locked"
            if not self.rules.looks_again or names.get(name) is data:
                return name, data

    def remove_leftovers(self, path):
        names = self.world.names
        for name in [name for name in names if name.startswith(path + ".unfinished")]:
            data = names.get(name)
            yield "leftover.found"
            if data is None or (self.rules.locks_unfinished and not data.try_lock(self, MAKING, "write")):
                continue
            yield "leftover.locked"
            if names.get(name) is data:
                del names[name]
            data.unlock(self, MAKING)

    def rename(self, name, path):
        names = self.world.names
        if name not in names:
            raise Violation("an unfinished file was taken from its maker")
        if self.rules.clears_mark:
            names[name].mark = None
        names.rename(name, path)

    def end_unfinished(self, name, data):
        if self.world.names.get(name) is data:
            del self.world.names[name]
        data.release_all(self)

    def compact(self):
        for _ in range(3):
            name, new = yield from self.make_unfinished(DATA)
            try:
                if (yield from self.replace(name, new)):
                    self.world.counters["compactions"] += 1
                    return
            finally:
                self.end_unfinished(name, new)
        raise Refused("others write")

    def replace(self, name, new):
        """True if the copy has got the name; false if others have committed meanwhile."""
        names = self.world.names
        source, lock = yield from self.open(DATA)
        version = len(source.commits)
        yield "replace.copying"
        new.commits = source.commits[:version]
        new.mark = "ended"              # it was filled in a session of its own
        if not self.rules.compares_copied_version:
            yield "replace.copying"
            version = len(source.commits)
        yield from self.close(DATA, source, lock)
        yield "replace.copied"
        old = names[DATA]
        if not old.try_lock(self, SESSION, "write"):
            raise Refused("in use")
        try:
            if names[DATA] is not old:
                raise Refused("in use")
            yield "replace.alone"
            if old is not source or len(old.commits) != version:
                return False
            if not self.rules.stays_alone:
                old.unlock(self, SESSION)
            if self.rules.clears_before_rename:
                names.pop(DATA + ".lock", None)
            yield "replace.cleared"
            new.durable = len(new.commits)
            self.rename(name, DATA)
            yield "replace.renamed"
            names.sync()
            if not self.rules.clears_before_rename:
                names.pop(DATA + ".lock", None)
            return True
        finally:
            old.unlock(self, SESSION)

    def back_up(self):
        names = self.world.names
        source, lock = yield from self.open(DATA)
        if BACKUP not in names:
            name, new = yield from self.make_unfinished(BACKUP)
            copy = self.world.next_commit()
            new.commits = [copy]
            new.mark = "ended"
            yield "make.filled"
            if BACKUP not in names or not self.rules.refuses_taken_name:
                new.durable = 1
                self.rename(name, BACKUP)
                yield "make.named"
                names.sync()
                # Unless its owner has taken it away meanwhile.
                if names.get(BACKUP) is new:
                    self.world.promise(BACKUP, copy, True)
                self.world.counters["backups"] += 1
            self.end_unfinished(name, new)
        yield from self.close(DATA, source, lock)


class Trial:
    ROLES = ("writer", "writer", "compactor", "backup", "backup", "creator")

    def __init__(self, random_source, rules, log):
        self.random = random_source
        self.rules = rules
        self.log = log
        self.counters = collections.Counter()
        self.scheduler = Scheduler(random_source, log, POINTS, rules.lingers)
        self.names = Names({DATA: Inode()})
        self.promised = {DATA: [], BACKUP: []}          # (commit, whether it is to survive power cuts)
        self.number = 0
        self.commit = 0
        self.has_killed = False
        for _ in range(rules.processes):
            self.spawn()

    def spawn(self, role=None):
        self.number += 1
        self.scheduler.processes.append(Worker(self.number, self, role or self.random.choice(self.ROLES)))

    def next_commit(self):
        self.commit += 1
        return self.commit

    def promise(self, path, commit, is_full):
        self.promised[path].append((commit, is_full))
        self.counters["commits"] += 1

    def run(self):
        for _ in range(self.rules.steps):
            draw = self.random.random()
            if draw < 0.008 and self.rules.kills:
                self.kill()
            elif draw < 0.012:
                self.scheduler.stop_or_continue()
            elif draw < 0.0125 and self.rules.power_cuts:
                self.power_cut()
            elif draw < 0.014 and BACKUP in self.names and not self.names[BACKUP].locks.get(SESSION):
                # Its owner has taken it away: the path is free again.
                del self.names[BACKUP]
                self.names.pop(BACKUP + ".lock", None)
                # That too is on the disk before the path is used again.
                self.names.sync()
                self.promised[BACKUP].clear()
            else:
                self.scheduler.step()
            while len(self.scheduler.processes) < self.rules.processes:
                self.spawn()
        self.drain()
        self.judge()

    def drain(self):
        """Everybody goes on to the end; then one of each looks at what was left."""
        for role in (None, "writer", "compactor"):
            if role:
                self.spawn(role)
            for process in self.scheduler.processes:
                process.stopped = False
            for _ in range(20_000):
                if not self.scheduler.processes:
                    break
                self.scheduler.step()
            if self.scheduler.processes:
                raise Violation("somebody never comes in, or never ends")
            if role is None and not self.has_killed:
                self.judge_rest()

    def judge_rest(self):
        for path in (DATA, BACKUP):
            data = self.names.get(path)
            if data and (data.durable < len(data.commits) or path + ".lock" in self.names):
                raise Violation("the last closer has not ended the session")

    def judge(self):
        for path, promised in self.promised.items():
            data = self.names.get(path)
            if promised and (data is None or not {commit for commit, _ in promised} <= set(data.commits)):
                raise Violation("acknowledged commits are lost")
        if any(name.startswith(DATA + ".unfinished") for name in self.names):
            raise Violation("a killed run's file stays for ever")

    def power_cut(self):
        self.log("power cut")
        self.counters["power cuts"] += 1
        while self.scheduler.processes:
            self.kill(self.scheduler.processes[0])
        inodes = {id(found): found for state in self.names.states for found in state.values() if isinstance(found, Inode)}
        for data in inodes.values():
            del data.commits[data.durable:]
            data.locks = {}
        self.names = Names(self.random.choice(self.names.states))
        for path, promised in self.promised.items():
            promised[:] = [(commit, True) for commit, is_full in promised if is_full]
            data = self.names.get(path)
            if promised and (data is None or not {commit for commit, _ in promised} <= set(data.commits)):
                raise Violation("a power cut takes acknowledged commits")
            for commit in (data.commits if data else ()):
                if (commit, True) not in promised:
                    promised.append((commit, True))

    def kill(self, process=None):
        process = process or self.scheduler.victim()
        if process is None:
            return
        self.log(f"SIGKILL {process}")
        self.has_killed = True
        self.counters["kills"] += 1
        self.scheduler.processes.remove(process)
        # What it had in its hands stays as it is: no `finally` of a generator runs in a killed process.
        self.killed_steps = getattr(self, "killed_steps", []) + [process.steps]
        files = {id(found): found for found in self.names.values()}
        for found in list(files.values()):
            if isinstance(found, LockFile):
                found.members.discard(process)
                found.data.release_all(process)
            else:
                found.release_all(process)
        for other in self.everybody_files(process):
            other.release_all(process)

    def everybody_files(self, process):
        """Files without a name that a process has open: of the frames of its generator."""
        found = []
        steps = process.steps
        while steps is not None:
            frame = steps.gi_frame
            if frame is not None:
                found += [value for value in frame.f_locals.values() if isinstance(value, Inode)]
                found += [value.data for value in frame.f_locals.values() if isinstance(value, LockFile)]
            steps = steps.gi_yieldfrom
        return found


if __name__ == "__main__":
    exit_with(main(__doc__.splitlines()[0], Trial, VARIANTS))
