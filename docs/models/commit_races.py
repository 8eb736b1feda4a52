#!/usr/bin/env python3
"""The narrow races of commits and flushes, each played out on purpose: too narrow to wait for by chance.

    python3 docs/models/commit_races.py [--seeds 40]

Each race is a script that runs processes to named points in turn, once under the rules and once under each
shortcut. The exit code is 1 if a race hurts under the rules, or if a shortcut survives it.
"""

import argparse
import random
import sys

from commit_model import Rules, Trial
from simulation import Violation

# One leaf, one page a version: a page dies as soon as the next version is there.
WORLD = dict(tables=1, keys=1, log_chunks=0, maximum_pages=8, processes=0)
THREADS = dict(threads=2)           # there is a point between what the kernel tells a thread and what its process knows


class Stage:
    """Runs processes to named points."""

    def __init__(self, seed, rules):
        self.trial = Trial(random.Random(seed), Rules(**WORLD, **rules), lambda _: None)

    def begin(self, act, beside=None, **arguments):
        """A process of its own, or another thread of the one that `beside` is a thread of."""
        process = self.trial.start_thread(beside.home if beside else self.trial.make_home())
        process.steps = getattr(process, act)(**arguments)
        return process

    def run(self, process, until=None):
        for point in process.steps:
            if point == until:
                return
        if until is not None:
            raise Retry()

    def commit(self, is_full=False):
        """A whole commit, up to the moment when the writer lock is free again."""
        before = self.trial.memory.newest
        self.run(self.begin("commit", is_full=is_full), until="commit.unlocked")
        if self.trial.memory.newest is before:
            raise Retry()


class Retry(Exception):
    """The dice rolled a transaction back: this seed does not play the race."""


def raise_behind_the_scan(stage):
    """
    leader                          writers
    flush of F synced
                                    F+1 … F+2 (.processCrash; not visible: F is not durable)
    newest = F+2 chosen, held
                                    F+3 (.full), not visible
                                    next one: scan has read `visible` (F)
    visible = F+2, hold let go
                                    scan ends; writes to a page of F+2
    """
    leader = stage.begin("commit", is_full=True)
    stage.run(leader, until="flush.synced")
    stage.commit()
    stage.commit()
    stage.run(leader, until="flush.risingAllowed")
    stage.commit(is_full=True)
    writer = stage.begin("commit", is_full=False)
    stage.run(writer, until="commit.scanned.visible")
    stage.run(leader, until="flush.done")
    stage.run(writer)


def durable_moves_behind_the_scan(stage):
    """
    leader                          writers
    flush of F synced
                                    F+1
                                    next one: scan has read D (0)
    D = F, visible = F+1, F cleared
                                    scan ends; writes to a page of F
    """
    leader = stage.begin("commit", is_full=True)
    stage.run(leader, until="flush.synced")
    stage.commit()
    writer = stage.begin("commit", is_full=False)
    stage.run(writer, until="commit.scanned.durable")
    stage.run(leader, until="flush.done")
    stage.run(writer)


def reader_pins_behind_the_scan(stage):
    """
    leader                          writer                      reader
    flush of F synced
                                    scan has read the pins
                                                                pins 0 = visible, re-checks
    D = F, visible = F
                                    scan ends; writes
                                                                reads a page of 0
    """
    leader = stage.begin("commit", is_full=True)
    stage.run(leader, until="flush.synced")
    writer = stage.begin("commit", is_full=False)
    stage.run(writer, until="commit.scanned.pins")
    reader = stage.begin("read")
    stage.run(reader, until="read.pinned")
    stage.run(leader, until="flush.done")
    stage.run(writer)
    stage.run(reader)


def poison_behind_the_confirmation(stage):
    """
    leader                          another leader
    flush of F synced
                                    its flush fails; reads D (0)
    confirmed = F, D = F
                                    confirmed = 0, poison
    all are killed, and one opens in the same boot
    """
    trial = stage.trial
    stage.commit()
    failing, leader = stage.begin("commit", is_full=True), stage.begin("commit", is_full=True)
    # Neither of them is younger than what is flushed.
    failing.home.opened_at = leader.home.opened_at = 0
    stage.run(leader, until="flush.synced")
    trial.storage.failure_probability = 1.0
    stage.run(failing, until="flush.syncing")
    is_locked = trial.rules.poisons_under_flush_lock
    stage.run(failing, until="flush.synced" if is_locked else "flush.poisonChosen")
    stage.run(leader)
    stage.run(failing)
    trial.storage.failure_probability = 0.0
    trial.kill_all("same boot")
    for _ in trial.opener.steps:
        pass


def seen_before_it_is_flushed(stage):
    """
    leader                          writer                      reader
    flush of F synced
                                    F+1 (.full): newest = F+1
    newest = F+1 chosen, held;
    visible = F+1 if lastFull <= F
                                                                reads visible
    the power is cut
    """
    trial = stage.trial
    leader = stage.begin("commit", is_full=True)
    stage.run(leader, until="flush.synced")
    writer = stage.begin("commit", is_full=True)
    stage.run(writer, until="publish.newestSet")
    stage.run(leader, until="flush.done")
    stage.run(stage.begin("read"))
    trial.power_cut()
    for _ in trial.opener.steps:
        pass


def target_replaced_after_confirmation(stage):
    """
    leader                          another leader              writer
    flush of F synced
    confirmed = F; killed
                                    D = F, or forgotten;
                                    F+1 is the new target,
                                    its root stands where
                                    F's did, if D is older
                                                                F+2, by pages of F
                                                                if nobody holds it
    the power is cut
    """
    trial = stage.trial
    leader = stage.begin("commit", is_full=True)
    stage.run(leader, until="flush.confirmed")
    trial.scheduler.processes.remove(leader)
    other = stage.begin("commit", is_full=True)
    other.home.opened_at = 0
    stage.run(other, until="flush.rootWritten")
    stage.commit()
    stage.commit()
    trial.power_cut()
    for _ in trial.opener.steps:
        pass


def error_not_noted_yet(stage):
    """
    thread                          another thread of the process
    flush of F fails; it is told
                                    flushes F by the same descriptor:
                                    told of nothing; confirmed = F, D = F
    notes the failure, poisons
    the power is cut
    """
    play_failed_flush(stage, "flush.told")


def error_not_poisoned_yet(stage):
    """
    thread                          another thread of the process
    flush of F fails; notes it
                                    flushes F by the same descriptor:
                                    told of nothing; confirmed = F, D = F
    poisons
    the power is cut
    """
    play_failed_flush(stage, "flush.synced")


def play_failed_flush(stage, point):
    """The flush of one thread has failed, and it stands at `point`; then another one makes its own commit durable, if it may."""
    trial = stage.trial
    told = stage.begin("commit", is_full=True)
    other = stage.begin("commit", beside=told, is_full=True)
    told.home.opened_at = 0
    stage.run(other, until="commit.unlocked")
    stage.run(told, until="flush.unlocked")
    trial.storage.failure_probability = 1.0
    stage.run(told, until=point)
    trial.storage.failure_probability = 0.0
    stage.run(other)
    stage.run(told)
    trial.power_cut()
    for _ in trial.opener.steps:
        pass


RACES = (
    (raise_behind_the_scan, {}, {
        "leader raises visible without a hold": dict(rising_is_held="not"),
        "leader holds 'rising' in a pin": dict(rising_is_held="pin"),
        "scan reads visible before rising": dict(scan_order="visible before rising")}),
    (durable_moves_behind_the_scan, {}, {"scan reads D before F": dict(scan_order="durable before target")}),
    (reader_pins_behind_the_scan, {}, {"scan reads pins before words": dict(scan_order="pins before words")}),
    (seen_before_it_is_flushed, {}, {"lastFull set after newest": dict(last_full_before_newest=False)}),
    (target_replaced_after_confirmation, {}, {"D not repaired": dict(pending_target_kept=False, repairs_durable=False)}),
    (poison_behind_the_confirmation, {}, {"session poisoned without the flush lock": dict(poisons_under_flush_lock=False)}),
    (error_not_noted_yet, THREADS, {"threads of a process flush at once": dict(one_flush_a_process=False)}),
    (error_not_poisoned_yet, THREADS, {"a failed flush is not kept": dict(failed_flush_is_kept=False)}),
)


def play(race, rules, seeds):
    """(races played, violations)"""
    played, outcomes = 0, []
    for seed in range(seeds):
        stage = Stage(seed, rules)
        try:
            race(stage)
            played += 1
        except Retry:
            continue
        except Violation as violation:
            played += 1
            outcomes.append(str(violation))
    return played, outcomes


def main():
    parser = argparse.ArgumentParser(description="The narrow races, played out.")
    parser.add_argument("--seeds", type=int, default=40)
    seeds = parser.parse_args().seeds
    failed = False
    for race, world, shortcuts in RACES:
        print(race.__name__.replace("_", " "))
        for name, shortcut in {"the rules": {}, **shortcuts}.items():
            played, outcomes = play(race, {**world, **shortcut}, seeds)
            kinds = ", ".join(sorted(set(outcomes)))
            is_right = played > 0 and bool(outcomes) == bool(shortcut)
            verdict = ("caught" if shortcut else "holds") if is_right else "SURVIVES" if shortcut else "BROKEN"
            print(f"    {name:<40} {verdict:<8} {len(outcomes):>4} of {played} bad  {kinds}")
            failed = failed or not is_right
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
