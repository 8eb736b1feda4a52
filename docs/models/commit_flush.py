"""How a flush leader makes versions durable, then visible. A part of EngineProcess."""

import commit_blocks as blocks
from commit_blocks import Confirmed, SlotRecord
from simulation import Violation

PATIENCE = 60           # steps a bounded wait lasts before it gives up


class Flushing:
    def wait_until_durable(self, version):
        """Another process may flush for us; after some patience we flush, or finish a flush, ourselves."""
        for attempt in range(PATIENCE):
            if self.memory.durable.version >= version:
                return True
            if self.memory.poisoned:
                return False
            pending = self.memory.target is not None and self.memory.target_written
            if not pending or attempt % 20 == 19:
                yield from self.flush()
            yield "wait.armed"
        self.trial.counters["committed, not yet durable"] += 1
        return False

    def flush(self):
        """One flush of a process at a time: its threads share one descriptor, and each write-back error is told to one call."""
        if not self.take_turn():
            return
        begun = yield from self.begin_flush()
        if begun is None:
            self.end_turn()
            return
        succeeded = yield from self.synchronize()
        self.end_turn()
        yield "flush.synced"
        yield from self.conclude(*begun, succeeded)

    def take_turn(self):
        """Whoever finds it taken waits and looks again, as if another process led."""
        if self.home.is_syncing and self.rules.one_flush_a_process:
            self.trial.counters["turn to flush taken"] += 1
            return False
        self.home.is_syncing = True
        return True

    def end_turn(self):
        self.home.is_syncing = False

    def synchronize(self):
        """What any thread was told counts for all, for ever: later calls succeed, and the pages are lost."""
        succeeded = yield from self.storage.synchronize(self.home.descriptor)
        if self.rules.threads > 1:      # else nobody can tell this point from the next one
            yield "flush.told"
        if not succeeded:
            self.home.has_failed = True
        elif self.home.has_failed and self.rules.failed_flush_is_kept:
            self.trial.counters["sync failed for another thread"] += 1
            return False
        return succeeded

    def begin_flush(self):
        """(target, attempt), or None if there is nothing to wait for."""
        memory = self.memory
        if not (yield from self.lock_flush()):
            return None
        yield "flush.locked"
        if memory.poisoned:
            memory.flush_lock.release(self)
            return None
        yield from self.repair_durable()
        if self.is_pending():
            self.trial.counters["flush finished by another"] += 1
        else:
            yield from self.choose_target()
        target = memory.target
        if target is None:
            raise Violation("two flush leaders at once")
        if target.version <= memory.durable.version:
            memory.flush_lock.release(self)
            return None
        young = memory.durable.version < self.home.opened_at
        if young and self.rules.rewrites_when_young and not (yield from self.rewrite_pages(target)):
            yield from self.poison()
            memory.flush_lock.release(self)
            return None
        if not memory.target_written or young:
            if not self.is_refused():
                self.storage.write(self.trial.slot_without(memory.durable), SlotRecord(target, memory.durable.version))
            elif self.rules.refused_flush_is_left:
                memory.flush_lock.release(self)
                return None
            memory.target_written = True
            yield "flush.rootWritten"
        attempt = memory.attempt
        memory.flush_lock.release(self)
        yield "flush.unlocked"
        return target, attempt

    def is_refused(self):
        """The system has no room for a write of this process, or allows it none: nothing is changed, and the flush is left to the next one."""
        chance = self.rules.refusal_probability
        if chance == 0 or self.trial.random.random() >= chance:
            return False
        self.trial.counters["write of a flush refused"] += 1
        return True

    def lock_flush(self):
        for _ in range(PATIENCE):
            if self.memory.flush_lock.try_acquire(self):
                return True
            yield "flush.waiting"
        return False

    def is_pending(self):
        memory = self.memory
        return (self.rules.pending_target_kept and memory.target is not None and memory.target_written
                and memory.target.version > memory.durable.version)

    def choose_target(self):
        memory = self.memory
        memory.target_written = False
        while True:
            candidate = memory.newest
            yield "flush.chosen"
            memory.target = candidate
            yield "flush.targetPublished"
            if not self.rules.target_rechecked or memory.newest is candidate:
                return

    def repair_durable(self):
        """A leader died between `confirmed` and D: D = max(D, confirmed). And visible is at least D."""
        memory = self.memory
        confirmed = self.storage.read("confirmed")
        if self.rules.repairs_durable and isinstance(confirmed, Confirmed) and memory.target is not None:
            if confirmed.version > memory.durable.version and confirmed.identity == memory.target.identity:
                memory.durable = memory.target
                self.trial.counters["durable word repaired"] += 1
        yield "flush.repaired"
        if memory.visible().version < memory.durable.version:
            memory.visible_by_leader = memory.durable

    def rewrite_pages(self, target):
        """Our descriptor may not be told of an error of before it was opened: write the same bytes again.
        A power cut can tear what is being rewritten, so no sync that began earlier may confirm it any more."""
        self.memory.attempt += 1
        yield "flush.attemptRaised"
        if not (yield from blocks.rewrite_pages(self.storage, target, self.memory.durable.version,
                                                "flush.rewriting")):
            return False
        self.trial.counters["flush by a younger process"] += 1
        return True

    def conclude(self, target, attempt, succeeded):
        memory = self.memory
        if not succeeded:
            yield from self.poison_from_outside()
            return
        if not (yield from self.lock_flush()):
            return
        yield "flush.relocked"
        if memory.poisoned:
            pass
        elif memory.attempt != attempt and self.rules.rewriting_voids_older_syncs:
            self.trial.counters["sync voided by a rewrite"] += 1
        elif memory.target is target and memory.durable.version < target.version and not self.is_refused():
            yield from self.confirm(target)
            yield from self.make_visible(target)
            memory.target = None
        memory.flush_lock.release(self)
        yield "flush.done"

    def confirm(self, target):
        steps = [(self.set_confirmed, "flush.confirmed"), (self.set_durable, "flush.durableSet")]
        if not self.rules.confirmed_before_durable:
            steps.reverse()
        for step, point in steps:
            step(target)
            yield point

    def set_confirmed(self, target):
        self.storage.write("confirmed", Confirmed(target.version, target.identity))

    def set_durable(self, target):
        self.memory.durable = target

    def make_visible(self, target):
        memory = self.memory
        if memory.visible().version < target.version:
            memory.visible_by_leader = target
        yield "flush.visibleSet"
        candidate = memory.newest
        yield "flush.risingChosen"
        if self.rules.rising_is_held == "word":
            memory.rising = candidate
        elif self.rules.rising_is_held == "pin":
            memory.leader_pins[self] = candidate.version
        yield "flush.risingHeld"
        still_newest = memory.newest is candidate or self.rules.rising_is_held == "not"
        if still_newest and memory.last_full <= memory.durable.version:
            yield "flush.risingAllowed"
            if memory.visible().version < candidate.version:
                memory.visible_by_leader = candidate
            yield "flush.visibleSet"
        memory.rising = None
        memory.leader_pins.pop(self, None)

    def poison_from_outside(self):
        """Poisons under the flush lock: another leader may be about to write `confirmed`. If the lock cannot be had, `confirmed` stays as it is."""
        if not self.rules.poisons_under_flush_lock:
            yield from self.poison()
            return
        is_locked = yield from self.lock_flush()
        yield from self.poison(confirms=is_locked)
        if is_locked:
            self.memory.flush_lock.release(self)

    def poison(self, confirms=True):
        """A failed flush ends the session for writers: the kernel has called lost pages clean."""
        self.trial.counters["session poisoned"] += 1
        durable = self.memory.durable
        yield "flush.poisonChosen"
        if confirms and self.trial.has_slot(durable):
            # The sector that says what is confirmed may have been dropped with the rest.
            self.set_confirmed(durable)
            yield "flush.poisonConfirmed"
        if self.rules.poison_in_file:
            self.storage.write("poison", self.trial.boot)
            yield "flush.poisonWritten"
        self.memory.poisoned = True
        yield "flush.poisoned"
