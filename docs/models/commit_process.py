"""One process at work, or one thread of it: reading, committing, waiting. Every `yield` names the point it stands at."""

import commit_blocks as blocks
from commit_blocks import Damaged, VolatileRecord, apply_delta, load_space, read_block
from commit_flush import PATIENCE, Flushing
from commit_planner import Planner
from commit_storage import TORN
from simulation import Process, Violation


class Home:
    """An operating-system process: what its threads share."""

    def __init__(self, number, trial):
        self.number = number
        self.descriptor = trial.storage.open_descriptor()
        self.opened_at = trial.memory.newest.version    # younger than every version up to this one
        self.is_syncing = False                         # one of its threads has the turn to flush
        self.has_failed = False                         # one of its threads was told of a failed flush

    def __repr__(self):
        return f"process {self.number}"


class EngineProcess(Flushing, Process):
    """A thread of a process; whoever is given no home is the only one of its own."""

    def __init__(self, number, trial, home=None):
        super().__init__(number)
        self.home = home or Home(number, trial)
        self.trial = trial
        self.rules = trial.rules
        self.random = trial.random
        self.storage = trial.storage
        self.memory = trial.memory
        self.last_commit = 0                            # a handle never sees less than its own last commit
        self.space = None                               # (version, map): only ever that of a complete commit
        self.steps = self.work()

    def __repr__(self):
        return repr(self.home) if self.rules.threads == 1 else f"thread {self.number} of {self.home}"

    def work(self):
        while True:
            draw = self.random.random()
            if draw < 0.2:
                yield from self.read()
            elif draw < 0.95:
                yield from self.commit(is_full=self.random.random() < self.trial.full_share)
            else:
                yield from self.wait_for_change()
            yield "idle"

    # Reading

    def read(self):
        root = yield from self.pin()
        if not self.rules.root_copies and root.version not in self.memory.ring:
            raise Violation("root of the visible version lost")
        try:
            for _ in blocks.walk(self.storage, root.top, -1):
                yield "read.walking"
        except Damaged as damage:
            self.report_damage(damage, "reader saw garbage")
            self.memory.pins.pop(self, None)
            return
        if root.version <= self.memory.visible().version:
            self.trial.note_read(root)
        self.memory.pins.pop(self, None)
        yield "read.unpinned"

    def pin(self):
        """Registers at `visible`, or at `newest` if this handle's own last commit is not visible yet."""
        while True:
            root = self.registrable()
            yield "read.chosen"
            self.memory.pins[self] = root.version
            yield "read.pinStored"
            if not self.rules.reader_rechecks or self.registrable() is root:
                yield "read.pinned"
                return root

    def registrable(self):
        visible = self.memory.visible()
        return visible if visible.version >= self.last_commit else self.memory.newest

    def report_damage(self, damage, kind):
        """A page that the kernel dropped after a failed write-back is an I/O error, anything else our fault."""
        if damage.page in self.storage.evicted:
            self.trial.counters["I/O error reported"] += 1
            return
        raise Violation(kind)

    # Committing

    def commit(self, is_full):
        if not (yield from self.begin_write()):
            return
        try:
            plan = yield from self.prepare(is_full)
        except Damaged as damage:
            self.report_damage(damage, "writer saw garbage")
            yield from self.poison_from_outside()    # a lost page of an undurable version is a failed flush nobody reported
            plan = None
        if plan is None or self.random.random() < 0.1:
            if plan is not None and not self.rules.space_is_overlay:
                self.space = (self.memory.newest.version, plan.space)
            self.trial.counters["rolled back"] += 1
            yield from self.end_write()
            return
        for page, cells in plan.pages.items():
            self.trial.check_overwrite(plan.space_before, page)
            self.storage.write(page, cells)
            yield "commit.segmentsWritten"
        yield from self.write_volatile_root(plan.root)
        yield from self.publish(plan.root)
        self.space = (plan.root.version, plan.space)
        self.last_commit = plan.root.version
        yield from self.end_write()
        if not is_full:
            self.trial.acknowledge(plan.root)
            return
        if (yield from self.wait_until_durable(plan.root.version)):
            self.trial.acknowledge(plan.root)

    def begin_write(self):
        for _ in range(PATIENCE):
            if self.memory.poisoned:
                return False
            if self.memory.writer_lock.try_acquire(self):
                break
            yield "begin.waiting"
        else:
            self.trial.counters["begin timed out"] += 1
            return False
        yield "begin.locked"
        previous = self.memory.writer_owner
        self.memory.writer_owner = self
        yield "begin.ownerSet"
        if previous is not None and self.rules.validates_after_dead_owner:
            yield from self.validate()
        return True

    def end_write(self):
        self.memory.writer_owner = None
        yield "commit.ownerCleared"
        self.memory.writer_lock.release(self)
        yield "commit.unlocked"

    def validate(self):
        """The last owner died inside: finish what its complete V record began."""
        root, _ = self.trial.newest_volatile()
        if root is not None and root.version > self.memory.newest.version:
            self.trial.counters["commit of a dead writer published"] += 1
            yield from self.publish(root)
        else:
            yield from self.raise_visible(self.memory.newest)

    def prepare(self, is_full):
        """Decides blocks and pages on an overlay of the space map. None when the file is full."""
        parent = self.memory.newest
        space = dict(self.current_space(parent))
        before = dict(space)
        held = yield from self.scan_held()
        planner = Planner(self, parent, space, held, is_full)
        if self.rules.reuse == "block":
            return planner.plan_beside_live_blocks()
        plan = planner.plan()
        if plan is not None:
            plan.space_before = before
        return plan

    def current_space(self, parent):
        top = read_block(self.storage, parent.top).payload
        fold_version, _ = read_block(self.storage, top.fold).payload
        if self.space is None or self.space[0] < fold_version:
            self.space = (parent.version, load_space(self.storage, parent))
        elif self.space[0] < parent.version:
            space = dict(self.space[1])
            for reference in top.log:
                delta = read_block(self.storage, reference).payload
                if delta.version > self.space[0]:
                    apply_delta(space, delta)
            self.space = (parent.version, space)
        return self.space[1]

    def scan_held(self):
        """Held = words and pins; every word is read before the words that its version can move to."""
        held = set()
        order = {
            "sources first": ("newest", "target", "rising", "durable", "visible", "pins"),
            "durable before target": ("newest", "durable", "target", "rising", "visible", "pins"),
            "visible before rising": ("newest", "target", "durable", "visible", "rising", "pins"),
            "pins before words": ("pins", "newest", "target", "rising", "durable", "visible"),
        }[self.rules.scan_order]
        for word in order:
            if word in self.rules.not_held:
                continue
            if word == "pins":
                for process in [process for process in self.memory.pins if not self.trial.is_alive(process)]:
                    del self.memory.pins[process]
                held.update(self.memory.pins.values())
                held.update(version for process, version in self.memory.leader_pins.items()
                            if self.trial.is_alive(process))
            elif word == "visible":
                held.add(self.memory.visible().version)
            else:
                root = getattr(self.memory, word)
                if root is not None:
                    held.add(root.version)
            yield f"commit.scanned.{word}"
        return held

    def write_volatile_root(self, root):
        newest, slot_of_newest = self.trial.newest_volatile()
        if self.rules.volatile_choice == "modulo":
            slot = root.version % self.rules.volatile_slots
        else:
            slot = (slot_of_newest + 1) % self.rules.volatile_slots
        self.storage.write(f"V{slot}", TORN)
        yield "commit.rootHalfWritten"
        self.storage.write(f"V{slot}", VolatileRecord(root, self.trial.boot))
        self.trial.note_complete(root)
        yield "commit.rootWritten"

    def publish(self, root):
        memory = self.memory
        if root.full and self.rules.last_full_before_newest:
            memory.last_full = root.version
            yield "publish.lastFullSet"
        memory.ring[root.version] = root
        if not self.rules.root_copies and len(memory.ring) > 4:
            del memory.ring[min(memory.ring)]
        yield "publish.ringWritten"
        memory.newest = root
        yield "publish.newestSet"
        if root.full and not self.rules.last_full_before_newest:
            memory.last_full = root.version
        yield from self.raise_visible(root)

    def raise_visible(self, root):
        memory = self.memory
        if memory.last_full <= memory.durable.version:
            yield "publish.visibleAllowed"
            if memory.visible_by_writer.version < root.version:
                memory.visible_by_writer = root
            yield "publish.visibleSet"

    # Waiting

    def wait_for_change(self):
        """The bounded re-read of a waiter: heals what a process that died before the bell left undone."""
        memory = self.memory
        yield "wait.armed"
        root, _ = self.trial.newest_volatile()
        if memory.poisoned:
            return
        is_ahead = root is not None and root.version > memory.newest.version
        is_unseen = memory.last_full <= memory.durable.version and memory.visible().version < memory.newest.version
        if (is_ahead or is_unseen) and memory.writer_lock.try_acquire(self):
            yield "begin.locked"
            memory.writer_owner = self
            yield "begin.ownerSet"
            yield from self.validate()
            yield from self.end_write()
        if memory.visible().version < memory.newest.version:
            yield from self.flush()
        yield "wait.woken"
