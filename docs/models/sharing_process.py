"""One process: opening, claiming a slot, reading, writing, reaping, closing."""

from sharing_system import BYTE, CLAIMING, FREE, LIVE, MUTEX, LockFile, Slot
from simulation import Process, Violation

PATIENCE = 40


class LeaseLost(Exception):
    """The slot has another generation: this process closed descriptors that it did not own."""


class SharingProcess(Process):
    def __init__(self, number, trial, namespace, thread, is_reader_only):
        super().__init__(number)
        self.trial = trial
        self.rules = trial.rules
        self.random = trial.random
        self.namespace = namespace
        self.thread = thread
        self.is_reader_only = is_reader_only
        self.can_write = True           # its descriptors are still open
        self.data = None
        self.lock = None
        self.index = None
        self.generation = None
        self.locked_by = None           # how it holds the writer lock now
        self.writes = 0
        self.steps = self.work()

    def work(self):
        if not (yield from self.open()):
            return
        try:
            while self.random.random() > 0.04:
                if self.is_reader_only or self.random.random() < 0.5:
                    yield from self.read()
                else:
                    yield from self.write()
                yield "idle"
            yield from self.close()
        except LeaseLost:
            self.report_lease_lost()

    def report_lease_lost(self):
        if self.can_write:
            raise Violation("slot taken from a living process")
        self.trial.counters["lease lost reported"] += 1

    # Opening

    def open(self):
        for _ in range(PATIENCE):
            self.data = self.trial.data
            yield "open.start"
            if self.data.try_lock(self, "session", "write"):
                lock = yield from self.start_session()
            elif self.data.try_lock(self, "session", "read"):
                lock = self.join_session()
            else:
                yield "open.waiting"
                continue
            if lock is None:
                self.data.unlock(self, "session")
                yield "open.waiting"
                continue
            self.lock = lock
            self.trial.check_one_session(self)
            if self.rules.detects_namespaces and lock.namespace != self.namespace:
                lock.mode = BYTE
            yield "open.ready"
            if (yield from self.claim()):
                return True
            self.data.unlock(self, "session")
        self.trial.counters["open refused"] += 1
        return False

    def start_session(self):
        yield "open.sessionLocked"
        old = self.trial.lock
        if self.rules.fresh_lock_file or old is None:
            if old is not None and old.recorded[0] is self.data and self.rules.ends_old_session:
                old.end_session()
            lock = LockFile(self.data, self.namespace, self.data.volatile)
            if old is None:
                self.trial.lock = lock                  # open(2), O_EXCL: under its name before it is ready
        else:
            lock = old
            lock.start(self.data, self.namespace, self.data.volatile)
        yield "open.recovered"
        lock.ready = True
        if old is not None:
            old.removed |= old.recorded[0] is not self.data  # of another file, which took our path while we were stopped
            self.trial.lock = lock                      # rename(2)
        yield "open.renamed"
        if self.trial.data is not self.data:            # another file stands under our name by now
            return None
        self.data.try_lock(self, "session", "read")     # the kernel downgrades at once
        self.trial.counters["sessions"] += 1
        return lock

    def join_session(self):
        lock = self.trial.lock
        fits = lock is not None and lock.ready and lock.recorded == (self.data, lock)
        if fits or (lock is not None and not self.rules.refuses_foreign_lock_file):
            return lock
        if self.rules.refuses_foreign_lock_file:
            return None
        lock = LockFile(self.data, self.namespace, self.data.volatile)
        lock.ready = True
        self.trial.lock = lock
        return lock

    # Slots

    def claim(self):
        """CAS free -> claiming; lock the byte; re-check the generation; live."""
        kind = "read" if self.is_reader_only else "write"
        for index in range(PATIENCE):
            if index >= self.lock.slot_count:
                if self.rules.registers_always:
                    self.grow(index)
                else:
                    self.index = None
                    return True
            slot = self.lock.slots[index]
            if slot.state != FREE:
                continue
            slot.state = CLAIMING
            slot.generation += 1
            mine = slot.generation
            yield "open.slotMarked"
            if self.rules.locks_byte and not self.data.try_lock(self, index, kind):
                continue                                # a reaper is at it: take another one
            yield "open.slotLocked"
            if self.rules.rechecks_generation and (slot.generation != mine or slot.state != CLAIMING):
                self.data.unlock(self, index)
                continue
            slot.cell = (slot.generation, None)
            slot.parked = False
            slot.state = LIVE
            slot.process_number = (self.namespace, self.thread)
            self.index, self.generation = index, slot.generation
            yield "open.slotClaimed"
            return True
        return False

    def grow(self, index):
        while len(self.lock.slots) <= index:
            self.lock.slots.append(Slot())
        self.lock.slot_count = len(self.lock.slots)
        self.trial.counters["slots grown"] += 1

    def reap(self):
        """Lock the byte; look at the slot again; clear. A byte that can be locked has no owner."""
        for index in range(self.lock.slot_count):
            slot = self.lock.slots[index]
            if index == self.index or slot.state == FREE:
                continue
            seen = (slot.generation, slot.state)
            if self.rules.liveness == "process number":
                dead = slot.process_number is not None and not self.trial.sees_process(self, slot.process_number)
            elif self.rules.liveness == "look only":
                dead = not self.data.is_locked_by_another(self, index)
            else:
                dead = self.data.try_lock(self, index, "write")
            if not dead:
                continue
            yield "reap.claimed"
            # A compare-and-swap from what was seen: the reaper may have lost its descriptors, and with them the byte.
            if slot.state != FREE and (self.rules.liveness != "byte lock" or (slot.generation, slot.state) == seen):
                slot.generation += 1
                slot.cell = (slot.generation, None)
                slot.state = FREE
                self.trial.counters["reaped"] += 1
            yield "reap.cleared"
            if self.rules.liveness == "byte lock":
                self.data.unlock(self, index)

    def check_lease(self):
        if self.index is not None and self.lock.slots[self.index].generation != self.generation:
            raise LeaseLost()

    # Reading

    def read(self):
        slot = self.lock.slots[self.index] if self.index is not None else None
        while True:
            version, page = newest = self.lock.newest
            yield "read.chosen"
            self.store_pin(slot, version)
            yield "read.pinStored"
            if self.lock.newest == newest:
                break
        yield "read.pinned"
        if slot is not None and self.random.random() < 0.5 and not (yield from self.rest(slot, version)):
            return
        garbage = False
        for _ in range(3):
            garbage = garbage or page >= len(self.data.pages) or self.data.pages[page] != version
            yield "read.walking"
        if slot is not None and self.rules.checks_lease_at_end:
            self.check_lease()
            if slot.cell != (self.generation, version):     # a process without lease stored into our cell
                self.trial.counters["pin disturbed, reported"] += 1
                return
        if garbage and self.lock.removed and not self.can_write:
            self.trial.counters["unreported: closefrom, and lock file deleted"] += 1
        elif garbage:
            raise Violation("reader saw garbage")
        self.trial.counters["snapshots read"] += 1
        yield "read.ending"
        if slot is not None:
            slot.cell = (self.generation, None)
        yield "read.unpinned"

    def rest(self, slot, version):
        """Parks the pin for a while; False if it was revoked meanwhile: the reader is told, and pins anew."""
        if slot.cell != (self.generation, version):
            return True                                 # disturbed already: told at the end
        slot.parked = True
        for _ in range(self.random.randrange(1, 6)):
            yield "read.parked"
        seen = slot.cell
        if not self.rules.resumes_by_swap:
            yield "read.resuming"
        if seen != (self.generation, version):
            self.check_lease()
            if slot.cell[0] == self.generation:
                slot.cell = (self.generation, None)
                slot.parked = False
            self.trial.counters["parked pin revoked, reported"] += 1
            return False
        slot.cell = (self.generation, version)          # one swap with the look above, if the rules hold
        slot.parked = False
        return True

    def store_pin(self, slot, version):
        """A compare-and-swap from what this process left there: a slot that was reaped does not match.
        Then the slot's own generation decides whether the lease or only the cell is gone."""
        if slot is None:
            return
        if self.rules.pins_carry_generation and slot.cell[0] != self.generation:
            self.check_lease()
        slot.cell = (slot.generation, version)
        slot.parked = False

    # Writing

    def write(self):
        self.check_lease()
        if not (yield from self.lock_writer()):
            self.trial.counters["begin timed out"] += 1
            return
        version = self.lock.newest[0] + 1
        page = yield from self.find_page()
        if page is not None:
            yield "commit.scanned"
            if not self.pwrite():
                yield from self.unlock_writer()
                raise LeaseLost()
            self.data.pages[page] = version
            yield "commit.segmentsWritten"
            if not self.pwrite():
                yield from self.unlock_writer()
                raise LeaseLost()
            if version in self.data.issued:
                raise Violation("version issued twice")
            self.data.issued.add(version)
            self.data.volatile = (version, page)
            yield "commit.rootWritten"
            if self.lock.owner != (self.index, self.generation) and self.rules.checks_owner_before_publish:
                yield from self.unlock_writer()
                raise LeaseLost()                       # the next owner has published our commit already
            self.lock.newest = (version, page)
            self.writes += 1
            self.trial.counters["commits"] += 1
            yield "publish.newestSet"
        yield from self.unlock_writer()

    def pwrite(self):
        """EBADF after closefrom(): a process that lost its lease cannot write."""
        return self.can_write

    def find_page(self):
        for attempt in range(2):
            held = yield from self.scan_held()
            for page, version in enumerate(self.data.pages):
                if version not in held:
                    return page
            if attempt == 0:
                yield from self.reap()
        if len(self.data.pages) < 12:
            self.data.pages.append(None)
            return len(self.data.pages) - 1
        self.trial.counters["file full"] += 1
        return None

    def scan_held(self):
        """Words, then the slot count, then the cells."""
        count = self.lock.slot_count if self.rules.count_before_words else None
        yield "commit.scanning"
        held = {self.lock.newest[0]}
        yield "commit.scanning"
        for slot in self.lock.slots[:self.lock.slot_count if count is None else count]:
            generation, version = slot.cell
            if version is not None and slot.parked and self.random.random() < 0.7:
                generation, version = yield from self.revoke(slot)
            if version is not None and (generation == slot.generation or not self.rules.pins_carry_generation):
                held.add(version)
        return held

    def revoke(self, slot):
        """Takes a parked pin away by a swap from what was seen; returns what the cell holds then."""
        seen = slot.cell
        yield "commit.revoking"
        yield "commit.revoking"
        if slot.cell == seen and slot.parked or not self.rules.revokes_by_swap:
            if not slot.parked and slot.cell[1] is not None:
                raise Violation("a pin in use taken away")
            slot.cell = (seen[0], None)
            self.trial.counters["parked pins revoked"] += 1
            return slot.cell
        return slot.cell if self.rules.rereads_after_revoking else (seen[0], None)

    # The writer lock: the mutex (or the byte) is the queue, the owner word is the door

    def lock_writer(self):
        for _ in range(PATIENCE):
            if self.lock.mode == MUTEX:
                entered = yield from self.lock_by_mutex()
            else:
                entered = yield from self.lock_by_byte()
            if entered:
                return True
            yield "begin.waiting"
        return False

    def lock_by_mutex(self):
        lock = self.lock
        result = lock.mutex.try_lock(self)
        if result == "busy":
            return False
        lock.mutex_holder = self
        yield "begin.locked"
        previous = lock.owner
        yield "begin.ownerRead"
        switched = lock.mode != MUTEX and self.rules.rereads_mode
        if switched or not self.swap_owner(previous):
            lock.mutex.unlock(self)
            self.forget_mutex()
            return False
        self.locked_by = MUTEX
        yield from self.enter(previous)
        return True

    def lock_by_byte(self):
        if not self.data.try_lock(self, "writer", "write"):
            return False
        yield "begin.locked"
        previous = self.lock.owner
        yield "begin.ownerRead"
        lives = previous is not None and self.rules.tests_owner and self.owner_lives(previous)
        if lives or not self.swap_owner(previous):
            self.data.unlock(self, "writer")
            return False
        self.locked_by = BYTE
        yield from self.enter(previous)
        return True

    def owner_lives(self, owner):
        index, generation = owner
        if index is None:                               # only in the shortcut without registration
            return True
        slot = self.lock.slots[index]
        return slot.generation == generation and self.data.is_locked_by_another(self, index)

    def swap_owner(self, previous):
        if self.lock.owner != previous and self.rules.swaps_owner:
            return False
        self.lock.owner = (self.index, self.generation)
        return True

    def enter(self, previous):
        if self.can_write:
            self.data.inside.add(self)
        self.trial.check_one_writer(self.data)
        yield "begin.ownerSet"
        if previous is not None and self.data.volatile[0] > self.lock.newest[0]:
            self.lock.newest = self.data.volatile
            self.trial.counters["commit of a dead writer published"] += 1
            yield "publish.newestSet"

    def unlock_writer(self):
        self.data.inside.discard(self)
        if self.lock.owner == (self.index, self.generation):
            self.lock.owner = None
        yield "commit.ownerCleared"
        if self.locked_by == MUTEX:
            self.lock.mutex.unlock(self)
            self.forget_mutex()
        else:
            self.data.unlock(self, "writer")
        self.locked_by = None
        yield "commit.unlocked"

    def forget_mutex(self):
        if self.lock.mutex_holder is self:
            self.lock.mutex_holder = None

    # Closing

    def close(self):
        yield "close.start"
        if self.index is not None:
            self.check_lease()
            slot = self.lock.slots[self.index]
            slot.generation += 1
            slot.cell = (slot.generation, None)
            slot.state = FREE
        yield "close.slotReleased"
        self.data.release_all(self)
