#!/usr/bin/env python3
"""Model of sessions that a reader began: it writes nothing, so the first writer binds V to the boot (R4).

    python3 docs/models/boot_model.py --traces 300 --seed 1
    python3 docs/models/boot_model.py --variant "nobody binds V to the boot" --show 0

The world of commit_model.py, with power cuts, reboots and kills of everybody in quick succession, and mostly readers as first openers.
The exit code is 1 when the rules show a violation. See (R4) in docs/commit-and-recovery.md.
"""

import dataclasses

import commit_model
from commit_blocks import Confirmed, SlotRecord, VolatileRecord, verifies
from commit_process import EngineProcess
from commit_recovery import SLOTS, Opener
from simulation import Variant, Violation, exit_with, main


@dataclasses.dataclass(frozen=True)
class Rules(commit_model.Rules):
    processes: int = 3
    binds: str = "first"                # when the first writer of a reader's session binds V to the boot: or "after a flush", "never"
    confirms: bool = True               # it writes `confirmed` for D before that


def variant(name, is_fixed=False, **changes):
    return Variant(name, Rules(**changes), is_fixed)


FLUSHES = dict(slow_points=("flush.rootWritten", "flush.syncing"))

VARIANTS = (
    variant("the rules", is_fixed=True),
    variant("the rules, lingering flushes", is_fixed=True, **FLUSHES),
    variant("the rules, little space", is_fixed=True, **commit_model.TIGHT),
    variant("nobody binds V to the boot", binds="never", **FLUSHES),
    variant("V bound to the boot after the first flush", binds="after a flush", **FLUSHES),
    variant("V bound to the boot without confirmed", confirms=False, **FLUSHES),
)


class Reader(Opener):
    """Begins a session for reading only: the judgement of `Opener`, and not one write."""

    def work(self):
        yield "open.sessionLocked"
        same_boot = self.boot_of_volatile() == self.trial.boot
        confirmed = [record for record in self.slot_records() if self.is_confirmed(record)]
        if same_boot and (not confirmed or confirmed[0] is not self.slot_records()[0]):
            return                      # refused: somebody died in a flush, and the file is to be opened for writing
        if self.storage.read("poison") == self.trial.boot:
            return
        durable = confirmed[0].root if same_boot else self.newest_sound_slot()
        newest = durable
        records = [record for record in self.volatile_records() if not same_boot or record.boot == self.trial.boot]
        for record in sorted(records, key=lambda record: -record.root.version):
            if record.root.version > durable.version and verifies(self.storage, record.root, durable.version):
                newest = record.root
                break
        yield "open.chosen"
        self.trial.judge(newest, self.kind)
        self.result = (newest, durable)
        yield "open.recovered"


class Worker(EngineProcess):
    """Joins a session; if a reader began it, binds it to the boot before anything else."""

    def work(self):
        if self.rules.binds == "first":
            yield from self.bind()
        elif self.rules.binds == "after a flush":
            yield from self.flush()
            yield from self.bind()
        if self.random.random() < 0.5:
            yield from self.flush()
        yield from super().work()

    def repair_durable(self):
        confirmed = self.storage.read("confirmed")
        if self.memory.target is None and isinstance(confirmed, Confirmed) and confirmed.version > self.memory.durable.version:
            raise Violation("the session began below what is confirmed")
        yield from super().repair_durable()

    def bind(self):
        if self.memory.is_bound or not (yield from self.begin_write()):
            return
        if not self.memory.is_bound:
            if self.rules.confirms:
                yield from self.confirm_durable()
            slot = Opener.free_volatile_slot(self)
            self.storage.write(f"V{slot}", VolatileRecord(self.memory.newest, self.trial.boot))
            yield "open.volatileWritten"
            self.memory.is_bound = True
            self.trial.counters["bound by the first writer"] += 1
        yield from self.end_write()

    def confirm_durable(self):
        durable = self.memory.durable
        for name in SLOTS:
            record = self.storage.read(name)
            if isinstance(record, SlotRecord) and record.root.identity == durable.identity:
                self.storage.write("confirmed", Confirmed(durable.version, durable.identity))
        yield "open.confirmed"


class Trial(commit_model.Trial):
    def open_session(self, kind):
        if self.random.random() < 0.3:
            super().open_session(kind)
        else:
            self.process_number += 1
            self.opener = Reader(self.process_number, self, kind)

    def finish_opening(self):
        opener, self.opener = self.opener, None
        if opener.result is None:
            if isinstance(opener, Reader):
                super().open_session(opener.kind)
            else:
                self.open_session("same boot")
            return
        self.start_session(*opener.result)
        if isinstance(opener, Reader):
            self.counters["sessions begun by readers"] += 1
            newest, durable = opener.result
            self.memory.is_bound = False
            self.memory.version_floor = opener.highest_version()
            if self.has_full_commit(newest, durable):
                self.memory.last_full = newest.version
                self.memory.visible_by_writer = durable
            self.completed |= {record.root.version for record in opener.slot_records() + opener.volatile_records()}

    def has_full_commit(self, newest, durable):
        """Whether a `.full` commit lies above D: then nothing above D is visible until it is durable."""
        identity = newest.identity
        while identity is not None and identity != durable.identity:
            if identity in self.full_identities:
                return True
            identity = self.parents[identity]
        return False

    def start_session(self, newest, durable):
        super().start_session(newest, durable)
        self.memory.is_bound = True

    def spawn(self):
        self.process_number += 1
        process = Worker(self.process_number, self)
        self.scheduler.processes.append(process)
        return process

    def step_session(self):
        draw = self.random.random()
        if draw < 0.010:
            self.kill_all("same boot")
        elif draw < 0.018:
            self.power_cut()
        elif draw < 0.026:
            self.clean_reboot()
        else:
            super().step_session()


if __name__ == "__main__":
    exit_with(main("Model of sessions begun by readers, over power cuts and reboots.", Trial, VARIANTS))
