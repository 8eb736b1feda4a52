"""What both protocol models share: processes that can die or stop at every step, and the command line.

A simulated process is a Python generator. It yields the name of a *point* after every step that other
processes, a kill or a power cut could fall behind. The points carry the names that the engine's code uses,
so a trace reads like a log of the real thing. Between two points a step is atomic, as one store to shared
memory or one `pwrite` of one record is.

Every trace has its own random generator, seeded by (seed, variant, trace number): any trace can be run again
alone with `--show`, and adding traces never changes earlier ones.
"""

import argparse
import collections
import random
import sys
import time


class Violation(Exception):
    """A promise was broken. The message is the kind of breakage that the summary counts."""


class Process:
    """One operating-system process, or a thread of one: a generator that is running, stopped (SIGSTOP) or gone.
    Threads of one process have one `home`; a process without threads is its own."""

    def __init__(self, number):
        self.number = number
        self.home = self
        self.stopped = False
        self.steps = None

    def __repr__(self):
        return f"process {self.number}"


class Scheduler:
    """Picks who runs next. Bursts let one process run alone for a while. Each trace has two *slow points*, at
    which processes often linger while others run on: so the narrow windows get their turn too."""

    BURSTS = (0, 0, 1, 3, 10, 30, 60)
    WAITING = ("begin.waiting", "flush.waiting", "wait.armed")      # let others run for a while

    def __init__(self, random_source, log, points, aimed_at=()):
        self.random = random_source
        self.log = log
        self.slow_points = aimed_at or random_source.sample(points, 2)
        self.linger_turns = (60, 150, 400) if aimed_at else (5, 20, 60, 150)
        self.lingering = {}         # process -> turns of others still to come
        self.processes = []
        self.current = None
        self.burst = 0

    def is_alive(self, process):
        return process in self.processes

    def step(self):
        """Lets one process that is not stopped run to its next point. False if there is none."""
        runnable = [process for process in self.processes
                    if not process.stopped and self.lingering.get(process, 0) == 0]
        for process in self.lingering:
            self.lingering[process] = max(0, self.lingering[process] - 1)
        if not runnable:
            return False
        if self.current not in runnable or self.burst == 0:
            self.current = self.random.choice(runnable)
            self.burst = self.random.choice(self.BURSTS)
        else:
            self.burst -= 1
        self.advance(self.current)
        return True

    def advance(self, process):
        try:
            point = next(process.steps)
        except StopIteration:
            self.processes.remove(process)
            self.log(f"{process} ended")
            return
        self.log(f"{process} {point}")
        if point in self.WAITING:
            self.burst = 0
            self.lingering[process] = 6
        if point in self.slow_points and self.random.random() < 0.5:
            self.lingering[process] = self.random.choice(self.linger_turns)

    def threads(self, home):
        return [process for process in self.processes if process.home is home]

    def set_stopped(self, process, stopped):
        """Signals go to whole processes: to every thread that shares this one's home."""
        for thread in self.threads(process.home):
            thread.stopped = stopped

    def remove(self, process):
        """SIGKILL: every thread of it is gone."""
        for thread in self.threads(process.home):
            self.processes.remove(thread)

    def victim(self):
        """Mostly the process that ran last: it is in the middle of something."""
        if not self.processes:
            return None
        if self.current in self.processes and self.random.random() < 0.7:
            return self.current
        return self.random.choice(self.processes)

    def stop_or_continue(self):
        """SIGSTOP to one process, or SIGCONT to one that is stopped."""
        stopped = [process for process in self.processes if process.stopped]
        if stopped and self.random.random() < 0.5:
            process = self.random.choice(stopped)
            self.set_stopped(process, False)
            self.log(f"SIGCONT {process.home}")
            return
        process = self.victim()
        running = len({one.home for one in self.processes if not one.stopped})
        if process is not None and running > 1:
            self.set_stopped(process, True)
            self.log(f"SIGSTOP {process.home}")


class Variant:
    """A named set of rules. `expected` names the violations that a shortcut is known to cause."""

    def __init__(self, name, rules, is_fixed):
        self.name = name
        self.rules = rules
        self.is_fixed = is_fixed


def run_trace(make_trial, variant, seed, trace, log):
    """Runs one trace; returns (outcome, counters)."""
    random_source = random.Random(f"{seed}/{variant.name}/{trace}")
    trial = make_trial(random_source, variant.rules, log)
    try:
        trial.run()
        outcome = "ok"
    except Violation as violation:
        outcome = str(violation)
    log(f"outcome: {outcome}")
    return outcome, trial.counters


def run_variant(make_trial, variant, traces, seed, enough=None):
    """Runs all traces of one variant, prints its line and returns the number of traces with a violation. A shortcut ends
    after `enough` of them."""
    outcomes = collections.Counter()
    counters = collections.Counter()
    first_bad = None
    started = time.process_time()
    for trace in range(traces):
        outcome, trace_counters = run_trace(make_trial, variant, seed, trace, lambda _: None)
        outcomes[outcome] += 1
        counters.update(trace_counters)
        if outcome != "ok" and first_bad is None:
            first_bad = trace
        if enough and not variant.is_fixed and sum(outcomes.values()) - outcomes["ok"] >= enough:
            traces = trace + 1
            break
    seconds = time.process_time() - started
    bad = traces - outcomes["ok"]
    if variant.is_fixed:
        verdict = "holds" if bad == 0 else "BROKEN"
    else:
        verdict = "caught" if bad else "not caught"
    kinds = ", ".join(f"{kind} {count}" for kind, count in outcomes.most_common() if kind != "ok")
    detail = f" [{kinds}; first: --show {first_bad}]" if bad else ""
    print(f"{variant.name:<44} {verdict:<10} {bad:>6} of {traces} bad{detail} {seconds:.0f} s", flush=True)
    if variant.is_fixed:
        print("    " + ", ".join(f"{name} {count}" for name, count in sorted(counters.items())), flush=True)
    return bad


def main(description, make_trial, variants, traces=300, enough=None):
    """The command line of a model. Returns the exit code: 1 if rules that must hold did not."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--traces", type=int, default=traces, metavar="N", help="traces a variant")
    parser.add_argument("--seed", default="1", metavar="S")
    parser.add_argument("--variant", action="append", metavar="NAME", help="only this one (may be repeated)")
    parser.add_argument("--fixed", action="store_true", help="only the rules that must hold")
    parser.add_argument("--shortcuts", action="store_true", help="only the rules with something left out")
    if enough:
        parser.add_argument("--all", action="store_true", help=f"all traces of a shortcut, not only until {enough} are bad")
    parser.add_argument("--list", action="store_true", help="name the variants")
    parser.add_argument("--show", type=int, metavar="TRACE", help="print this one trace of one --variant, step by step")
    arguments = parser.parse_args()
    chosen = [variant for variant in variants
              if (not arguments.variant or variant.name in arguments.variant)
              and (variant.is_fixed or not arguments.fixed)
              and not (variant.is_fixed and arguments.shortcuts)]
    if arguments.list:
        for variant in chosen:
            print(("must hold  " if variant.is_fixed else "shortcut   ") + variant.name)
        return 0
    if not chosen:
        parser.error("no such variant; --list names them")
    if arguments.show is not None:
        outcome, _ = run_trace(make_trial, chosen[0], arguments.seed, arguments.show, print)
        return 1 if chosen[0].is_fixed and outcome != "ok" else 0
    broken = 0
    for variant in chosen:
        bad = run_variant(make_trial, variant, arguments.traces, arguments.seed, None if getattr(arguments, "all", True) else enough)
        if variant.is_fixed:
            broken += bad
    return 1 if broken else 0


def exit_with(code):
    sys.exit(code)
