"""What the threads of `pinning_model.py` do."""

from pinning_cells import CellOperations, Slot


class Activities(CellOperations):
    def reader(self, thread, snapshot=None):
        if snapshot is None:
            snapshot = yield from self.claim_cell(thread)
            if snapshot is None or not (yield from self.pin(thread, snapshot)):
                return
        rounds = self.random.choice((1, 2, 2, 4))
        while True:
            rounds -= 1
            is_held = True
            for _ in range(self.random.choice((0, 1, 3, 9))):
                yield "read.walking"
            choice = self.random.random()
            if choice < self.rules.shared:
                yield from self.share(thread, snapshot)
            elif choice < self.rules.shared + self.rules.parked:
                is_held = yield from self.rest(thread, snapshot)
                if is_held is None:
                    return
            if is_held and not (yield from self.unpin(thread, snapshot)):
                return
            if rounds == 0:
                break
            for _ in range(self.random.choice((0, 0, 2, 5))):
                yield "read.ended"
            if not (yield from self.pin_again(thread, snapshot)) and not (yield from self.pin(thread, snapshot)):
                return
        self.drain(thread)                  # the lock of the process's own cells
        thread.home.free_cells.append(snapshot)

    def opener(self, thread):
        home = thread.home
        self.tokens += 1
        home.slot = Slot(self.tokens, home)
        self.slots.append(home.slot)
        yield "open.slotLive"
        home.own_cell = yield from self.claim(thread, "own commit")
        home.state = "open"
        if home.own_cell is None:           # the lease is lost, or there is no cell
            yield from self.closer(thread)

    def closer(self, thread):
        home = thread.home
        home.state, home.own_commit = "closing", 0
        if home.is_valid:
            yield from self.release_all(thread, home.slot.token)
            if home.slot.state == "live":
                self.end_slot(home.slot)
        if home in self.homes:
            self.forget(home)

    def end_slot(self, slot):
        slot.state = "free"
        slot.byte = None
        if slot in self.slots:
            self.slots.remove(slot)

    def reaper(self, thread):
        for slot in list(self.slots):
            if slot is thread.home.slot or slot.state == "free" or slot.byte is not None:
                continue
            slot.byte = thread.home
            yield "reap.byteLocked"
            slot.state = "reaping"
            yield "reap.claimed"
            yield from self.release_all(thread, slot.token)
            self.counters["reaped"] += 1
            self.end_slot(slot)
            yield "reap.cleared"

    def reap_and_read(self, thread):
        """As who joins the session does."""
        yield from self.reaper(thread)
        if not thread.home.is_valid:
            return
        snapshot = None
        for _ in range(self.random.choice((1, 2, 3))):
            if snapshot is not None:
                thread.home.free_cells.append(snapshot)     # of a reader that has ended meanwhile
            snapshot = yield from self.claim(thread, "reader")
            if snapshot is None:
                return
        if (yield from self.pin(thread, snapshot)):
            yield from self.reader(thread, snapshot)

    def is_free(self, lock):
        return lock is None or not self.scheduler.is_alive(lock) or not lock.home.is_valid

    def leader(self, thread):
        """Makes newest visible, which `rising` holds meanwhile."""
        if not thread.home.is_valid or not self.is_free(self.flusher):
            return
        self.flusher = thread
        newest = self.newest
        yield "flush.newestSeen"
        if self.flusher is thread:
            self.rising = newest
        yield "flush.rising"
        if self.newest == newest:
            yield "flush.newestStill"
            if self.flusher is thread:
                self.visible = max(self.visible, newest)
        yield "flush.visibleSet"
        if self.flusher is thread:
            self.rising = 0
            self.flusher = None

    def writer(self, thread):
        for _ in range(self.random.choice((1, 3, 8))):
            for _ in range(6):
                if not thread.home.is_valid:
                    return
                if self.is_free(self.lock):
                    break
                yield "begin.waiting"
            else:
                return
            self.lock = thread
            yield "begin.locked"
            yield from self.commit(thread)
            if self.lock is thread:
                self.lock = None
            yield "commit.unlocked"

    def commit(self, thread):
        home = thread.home
        if self.random.random() < 0.2:
            yield from self.snapshot_before(thread)
        limit = self.newest - self.random.choice((0, 1, 100))
        held = yield from self.scan(thread, lambda version: version < limit)
        yield "commit.scanned"
        if self.lock is not thread:         # others have counted it as dead (W7)
            return
        self.reuse(held)
        yield "commit.reused"
        if self.lock is not thread or not home.is_valid:
            return
        self.newest += 1
        self.whole.add(self.newest)
        version = self.newest
        self.counters["commits"] += 1
        yield "publish.newestSet"
        if self.lock is not thread:
            return
        if self.random.random() < 0.6:
            self.visible = max(self.visible, version)
        else:
            home.own_root = version
            yield "own.rootSet"
            home.own_commit = version
            yield "own.commitSet"
            if not (yield from self.hold(thread, home.own_cell, version)):
                self.lose_cell(home)
        yield "publish.visibleSet"

    def snapshot_before(self, thread):
        """A snapshot of what the write began with: newest, which stands still as long as the lock is the thread's."""
        snapshot = yield from self.claim_cell(thread)
        if snapshot is None:
            return
        if not (yield from self.hold(thread, snapshot, self.newest)):
            self.lose_cell(thread.home)
            return
        if self.lock is thread:
            self.note_pinned(snapshot, self.newest)
            snapshot.moment = 0
        yield "before.held"
        self.start(thread.home, self.reader, snapshot)
