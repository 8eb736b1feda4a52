"""One process of beginning_model.py: opening under one of the file's names, reading, writing, closing; and a forked child.

The steps follow `SessionOpener` (for writing) and `SessionOpener+ReadOnly` (for reading only), `becomeMember` included.
"""

from simulation import Process, Violation

FREE, CLAIMING, LIVE = "free", "claiming", "live"
SESSION, WRITER, BEGIN, MEMBER, SLOT = "session", "writer", "begin", "member", "slot"
LONELY = (MEMBER, 0)
PATIENCE = 30


class Refused(Exception):
    """An error that the opener reports: nothing was promised."""


class Inode:
    """The open-file-description locks on the bytes of a file."""

    def __init__(self):
        self.locks = {}                     # byte -> {description: "read" or "write"}

    def try_lock(self, description, byte, kind):
        holders = self.locks.setdefault(byte, {})
        others = [held for holder, held in holders.items() if holder is not description]
        if "write" in others or (kind == "write" and others):
            return False
        holders[description] = kind
        description.files.add(self)
        return True

    def unlock(self, description, byte):
        self.locks.get(byte, {}).pop(description, None)

    def is_locked(self, description, is_meant):
        """Whether another description holds any of the bytes that are meant."""
        return any(is_meant(byte) and any(holder is not description for holder in holders)
                   for byte, holders in self.locks.items())


class Description:
    """An open file description. Its locks last until the last process that has a copy of it closes it or dies."""

    def __init__(self, process):
        self.processes = {process}
        self.files = set()

    def close(self, process):
        self.processes.discard(process)
        if not self.processes:
            for file in self.files:
                for holders in file.locks.values():
                    holders.pop(self, None)


class Slot:
    def __init__(self):
        self.generation = 0
        self.state = FREE
        self.pin = None


class LockFile(Inode):
    """One inode of a lock file: `number` is its inode number, which names the byte of its session on the data file."""

    def __init__(self, number, data):
        super().__init__()
        self.number = number
        self.data = data
        self.ready = False
        self.newest = None
        self.owner = None                   # (slot, generation)
        self.slots = [Slot() for _ in range(8)]

    @property
    def member(self):
        return (MEMBER, self.number)

    def end_session(self):
        for slot in self.slots:
            slot.generation, slot.state, slot.pin = slot.generation + 1, FREE, None
        self.ready = False


class Worker(Process):
    def __init__(self, number, world, path, kind):
        super().__init__(number)
        self.world, self.rules, self.random = world, world.rules, world.random
        self.path = path
        self.kind = kind                    # "writer", "reader", or "lonely reader": one that cannot have a lock file
        self.description = None
        self.data = self.lock = self.index = self.generation = None
        self.writes = 0
        self.steps = self.work()

    def __repr__(self):
        return f"{self.kind} {self.number}"

    def work(self):
        try:
            yield from self.open()
        except Refused as reason:
            self.world.log(f"{self} refused: {reason}")
            self.world.counters["opens refused"] += 1
            self.end()
            return
        self.world.counters[f"opened, {self.kind}"] += 1
        while not self.world.is_settling and self.random.random() > 1 / self.rules.life:
            yield from self.write() if self.kind == "writer" and self.random.random() < 0.6 else self.read()
            yield "idle"
        yield from self.close()

    def end(self):
        if self.description:
            self.description.close(self)
        self.lock = None

    # What stands under the names

    @property
    def lock_path(self):
        return self.path + ".lock"

    def named_lock(self):
        return self.world.names.get(self.lock_path)

    def make_lock_file(self, name):
        self.world.number += 1
        lock = LockFile(self.world.number, self.data)
        self.world.names[name] = lock
        return lock

    def discard(self, lock):
        for name in (self.lock_path + ".new", self.lock_path):
            if self.world.names.get(name) is lock and not (name == self.lock_path and lock.ready):
                del self.world.names[name]

    def install(self):
        new = self.lock_path + ".new"
        if new not in self.world.names:
            raise Refused("the new lock file is gone")
        self.world.names[self.lock_path] = self.world.names.pop(new)

    # Opening

    def open(self):
        self.data = self.world.names.get(self.path)
        if self.data is None:
            raise Refused("no such file")
        self.description = Description(self)
        for _ in range(PATIENCE):
            yield "open.start"
            if self.kind == "writer" and self.data.try_lock(self.description, SESSION, "write"):
                lock = yield from self.begin()
            elif self.data.try_lock(self.description, SESSION, "read"):
                lock = yield from (self.join() if self.kind == "writer" else self.open_beside_readers())
            else:
                continue
            if lock:
                self.lock = lock
                self.world.check_opened(self)
                return
            self.data.unlock(self.description, SESSION)
        raise Refused("in use")

    def require_named(self):
        if self.world.names.get(self.path) is not self.data:
            raise Refused("the file was replaced")

    def begin(self):
        """The session byte is held exclusively."""
        yield "open.sessionLocked"
        self.require_named()
        newest = self.data.volatile
        yield "open.recovered"
        old, name = self.named_lock(), self.lock_path
        if old is not None:
            self.end_old(old)
            name += ".new"
        lock = self.make_lock_file(name)
        lock.newest = newest
        yield "open.lockFileMade"
        if not (yield from self.become_member(lock)):
            self.discard(lock)
            return None
        yield from self.claim(lock)
        lock.ready = True
        if name != self.lock_path:
            self.install()
        yield "open.ready"
        if self.world.names.get(self.path) is not self.data:
            lock.slots[self.index].state = FREE
            raise Refused("the file was replaced")
        self.data.try_lock(self.description, SESSION, "read")
        self.world.counters["sessions begun by writers"] += 1
        return lock

    def end_old(self, old):
        if old.data is self.data:
            old.end_session()

    def join(self):
        lock = self.named_lock()
        if lock is None or not lock.ready or lock.data is not self.data:
            return None
        if self.rules.membership != "none":
            if not self.data.is_locked(self.description, lambda byte: byte == lock.member):
                return None
            yield "join.inhabited"
            if not (yield from self.become_member(lock)):
                return None
        if not self.has_live_process(lock):
            self.data.unlock(self.description, lock.member)
            return None
        yield "join.judged"
        yield from self.claim(lock)
        return lock

    def has_live_process(self, lock):
        return any(slot.state != FREE and self.data.is_locked(self.description, lambda byte, index=index: byte == (SLOT, index))
                   for index, slot in enumerate(lock.slots))

    def become_member(self, lock):
        """(S5): the own byte first, then a look at those of all others, below and above."""
        mine = lock.member
        if self.rules.membership == "none":
            return True
        if self.rules.membership == "look, then lock":
            alone = not self.data.is_locked(self.description, lambda byte: byte[0] == MEMBER and byte != mine)
            yield "member.looked"
            if alone:
                self.data.try_lock(self.description, mine, "read")
            return alone
        if not self.data.try_lock(self.description, mine, "read"):
            return False
        yield "member.locked"
        if self.rules.membership == "lock only":
            return True
        alone = not self.data.is_locked(self.description, lambda byte: byte[0] == MEMBER and byte < mine)
        yield "member.looked"
        alone = alone and not self.data.is_locked(self.description, lambda byte: byte[0] == MEMBER and byte > mine)
        if not alone:
            self.data.unlock(self.description, mine)
        return alone

    # Opening for reading only: the session byte is held shared

    def open_beside_readers(self):
        yield "open.sessionLocked"
        self.require_named()
        if self.rules.membership != "none":
            sharing = self.is_anybody_sharing()
            yield "open.looked"
            if sharing:
                if self.named_lock() is None:
                    return None
            elif self.kind == "lonely reader" or self.is_anybody_inside():
                return (yield from self.open_alone())
        elif self.kind == "lonely reader":
            return (yield from self.open_alone())
        lock = self.named_lock() or self.make_lock_file(self.lock_path)
        yield "open.lockFileFound"
        if not lock.try_lock(self.description, BEGIN, "write"):
            return None
        try:
            yield "open.beginLocked"
            if self.named_lock() is not lock:
                return None
            joined = yield from self.join()
            if joined:
                return joined
            if self.rules.membership != "none" and self.is_anybody_inside():
                return None
            return (yield from self.begin_read_only())
        finally:
            if self in self.world.scheduler.processes:      # a killed process runs nothing more
                lock.unlock(self.description, BEGIN)

    def is_anybody_sharing(self):
        return self.data.is_locked(self.description, lambda byte: byte[0] == SLOT or byte[0] == MEMBER and byte != LONELY)

    def is_anybody_inside(self):
        return self.data.is_locked(self.description, lambda byte: byte[0] in (SLOT, MEMBER))

    def begin_read_only(self):
        self.world.names.pop(self.lock_path + ".new", None)
        lock = self.make_lock_file(self.lock_path + ".new")
        lock.newest = self.data.volatile
        yield "open.lockFileMade"
        if not (yield from self.become_member(lock)):
            self.discard(lock)
            return None
        if self.rules.judges_as_member:
            lock.newest = self.data.volatile
        yield "open.recovered"
        old = self.named_lock()
        if old is not None:
            self.end_old(old)
        yield from self.claim(lock)
        lock.ready = True
        yield "open.installing"
        self.install()
        yield "open.ready"
        if self.named_lock() is not lock:
            lock.slots[self.index].state = FREE
            raise Refused("the lock file was replaced")
        self.world.counters["sessions begun by readers"] += 1
        return lock

    def open_alone(self):
        """Memory of its own in the place of a lock file; its byte keeps sessions from beginning (S6)."""
        lock = LockFile(0, self.data)
        if self.rules.lonely_byte:
            self.data.try_lock(self.description, LONELY, "read")
        yield "member.locked"
        if self.rules.membership != "none" and self.is_anybody_sharing():
            self.data.unlock(self.description, LONELY)
            return None
        lock.newest = self.data.volatile
        self.index, self.generation = 0, 0
        lock.slots[0].state = LIVE
        self.world.counters["read without a lock file"] += 1
        return lock

    def claim(self, lock):
        kind = "write" if self.kind == "writer" else "read"
        for index, slot in enumerate(lock.slots):
            if slot.state != FREE:
                continue
            slot.state, slot.generation = CLAIMING, slot.generation + 1
            mine = slot.generation
            yield "open.slotMarked"
            if not self.data.try_lock(self.description, (SLOT, index), kind):
                if (slot.state, slot.generation) == (CLAIMING, mine):
                    slot.state = FREE
                continue
            if (slot.state, slot.generation) != (CLAIMING, mine):
                self.data.unlock(self.description, (SLOT, index))
                continue
            slot.state, slot.pin = LIVE, None
            self.index, self.generation = index, mine
            yield "open.slotClaimed"
            return
        raise Refused("no slot is free")

    # In the session

    def check_lease(self):
        if self.lock.slots[self.index].generation != self.generation:
            raise Violation("slot taken from a living process")

    def read(self):
        slot = self.lock.slots[self.index]
        while True:
            newest = self.lock.newest
            yield "read.chosen"
            slot.pin = newest.version
            yield "read.pinStored"
            if self.lock.newest == newest:
                break
        for _ in range(self.random.choice((2, 2, 12))):
            yield "read.walking"
            if self.data.pages[newest.page] != newest.serial:
                raise Violation("reader saw garbage")
        self.check_lease()
        slot.pin = None
        self.world.counters["snapshots read"] += 1

    def write(self):
        for _ in range(PATIENCE):
            if self.data.try_lock(self.description, WRITER, "write"):
                if self.lock.owner is None or not self.owner_lives(*self.lock.owner):
                    break
                self.data.unlock(self.description, WRITER)
            yield "begin.waiting"
        else:
            return
        died, self.lock.owner = self.lock.owner is not None, (self.index, self.generation)
        yield "begin.ownerSet"
        self.check_lease()
        if died and self.data.volatile.version > self.lock.newest.version:
            self.lock.newest = self.data.volatile
        page = yield from self.find_page()
        if page is not None:
            yield from self.commit(page)
        self.lock.owner = None
        yield "commit.ownerCleared"
        self.data.unlock(self.description, WRITER)

    def owner_lives(self, index, generation):
        slot = self.lock.slots[index]
        return slot.generation == generation and self.data.is_locked(self.description, lambda byte: byte == (SLOT, index))

    def find_page(self):
        for attempt in range(2):
            held = {self.lock.newest.version}
            yield "commit.scanning"
            held |= {slot.pin for slot in self.lock.slots if slot.pin is not None}
            kept = {self.data.page_of[version] for version in held}
            free = [page for page in range(len(self.data.pages)) if page not in kept]
            if free:
                return self.random.choice(free)
            yield from self.reap()
        self.world.counters["file full"] += 1
        return None

    def commit(self, page):
        root = self.world.new_root(self.lock.newest, page)
        self.data.pages[page] = root.serial
        yield "commit.segmentsWritten"
        self.data.commit(root)
        yield "commit.rootWritten"
        self.lock.newest = root
        self.writes += 1
        self.world.acknowledged.append(root.serial)
        self.world.last_acknowledged = root.version
        self.world.counters["commits"] += 1
        yield "publish.newestSet"

    def reap(self):
        for index, slot in enumerate(self.lock.slots):
            seen = (slot.generation, slot.state)
            if index == self.index or slot.state == FREE or not self.data.try_lock(self.description, (SLOT, index), "write"):
                continue
            yield "reap.claimed"
            if (slot.generation, slot.state) == seen:
                slot.generation, slot.state, slot.pin = slot.generation + 1, FREE, None
            self.data.unlock(self.description, (SLOT, index))

    def close(self):
        yield "close.start"
        lock, slot = self.lock, self.lock.slots[self.index]
        self.check_lease()
        slot.generation, slot.state, slot.pin = slot.generation + 1, FREE, None
        yield "close.slotReleased"
        if self.kind == "writer" and self.data.try_lock(self.description, SESSION, "write"):
            lock.end_session()
            yield "close.ending"
            if self.world.names.get(self.path) is self.data and self.named_lock() is lock:
                del self.world.names[self.lock_path]
        self.end()


class Child(Worker):
    """A forked child: it has copies of the parent's descriptors until its fork handler has run. Then it lives on."""

    def __init__(self, number, world, parent):
        super().__init__(number, world, parent.path, "reader")
        self.kind = "child"
        self.inherited = parent.description
        self.inherited.processes.add(self)
        self.description = self.inherited
        self.steps = self.live()

    def live(self):
        yield "fork.child"
        if self.rules.child_closes:
            self.inherited.close(self)
        yield "fork.closed"
        if self.random.random() < 0.4:
            self.kind = "writer"            # it opens the database itself
            yield from self.work()
            self.kind = "child"
        self.is_resting = True
        while True:
            self.world.scheduler.lingering[self] = 1_000_000
            yield "idle"
