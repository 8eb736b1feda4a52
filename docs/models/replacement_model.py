#!/usr/bin/env python3
"""Model of files that get a name: compaction by rename, backups to one path, creation of a path, and closers.

    python3 docs/models/replacement_model.py --traces 300 --seed 1
    python3 docs/models/replacement_model.py --variant "version compared after copying" --show 0

What is in a file is left out: a commit is a number in a list, and a copy is a copy of that list. The power is cut: what was not flushed is
lost, and of the changes of names since the folder was synced some first ones stay. The exit code is 1 when the rules show a violation. See
docs/sharing-between-processes.md, "Files that get a name".
"""

import collections
import dataclasses

from replacement_files import BACKUP, DATA, SESSION, Inode, LockFile, Names
from replacement_process import Worker
from simulation import Scheduler, Variant, Violation, exit_with, main


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
