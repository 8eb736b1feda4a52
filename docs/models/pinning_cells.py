"""The cells of `pinning_model.py` and all that is done to them, one access to shared memory after the other."""

import collections

from simulation import Process

Word = collections.namedtuple("Word", "generation is_parked version")


class Cell:
    """One line of the table: see `ReaderCell.swift`."""

    def __init__(self, index):
        self.index = index
        self.word = Word(0, False, 0)
        self.owner = 0
        self.kind = (0, "reader")
        self.idle = None


class Slot:
    """One life of a process slot; its token never comes again."""

    def __init__(self, token, home):
        self.token = token
        self.state = "live"                 # then "reaping", then "free"
        self.byte = home                    # who has locked it


class Home:
    """An operating-system process: what its threads share."""

    def __init__(self, number):
        self.number = number
        self.is_alive = True
        self.is_stopped = False
        self.state = "closed"
        self.slot = None
        self.free_cells = []                # snapshots that have ended
        self.own_cell = None
        self.own_root = self.own_commit = 0

    @property
    def is_valid(self):
        return self.is_alive and self.slot is not None and self.slot.state == "live"


class Snapshot:
    """A claimed cell and the generation it was claimed in."""

    def __init__(self, home, cell, mark):
        self.home = home
        self.cell = cell
        self.mark = mark
        self.version = 0
        self.moment = 0                     # when its version was the visible one; 0 if another way

    def word(self, version, is_parked=False):
        return Word(self.mark, is_parked, version)


class Thread(Process):
    def __init__(self, number, home):
        super().__init__(number)
        self.home = home
        self.buffer = []                    # stores that others do not see yet: (cell, name, value)

    def __repr__(self):
        return f"thread {self.number} of process {self.home.number}"


class CellOperations:
    """As in `ReaderCell.swift`, `ReaderCell+Parking.swift`, `ReaderCells.swift` and `HeldVersions.swift`."""

    # Words

    def drain(self, thread):
        for cell, name, value in thread.buffer:
            setattr(cell, name, value)
        thread.buffer.clear()

    def store(self, thread, cell, name, value):
        """No exchange: others see it at some time before the thread's next one."""
        thread.buffer.append((cell, name, value))

    def swap(self, thread, cell, name, seen, value):
        self.drain(thread)
        if getattr(cell, name) != seen:
            return False
        setattr(cell, name, value)
        return True

    # Cells

    def claim_cell(self, thread):
        """A cell for a reader, from the process's own or from all; None if there is none to have."""
        home = thread.home
        if not home.is_valid:
            return None
        yield "claim.valid"
        if home.free_cells and self.random.random() < 0.6:     # else others of its threads have them all
            return home.free_cells.pop()
        return (yield from self.claim(thread, "reader"))

    def claim(self, thread, kind):
        home, slot = thread.home, thread.home.slot
        for cell in self.cells:
            if not self.swap(thread, cell, "owner", 0, slot.token):
                continue
            yield "claim.ownerSet"
            self.cells_used = max(self.cells_used, cell.index + 1)
            yield "cell.claimed"
            mark = yield from self.change_hands(thread, cell, slot.token, self.rules.claim_looks)
            if mark is None:
                self.lose_cell(home)
                return None
            yield "claim.changedHands"
            if not (yield from self.set_kind(thread, cell, mark, kind)):
                self.lose_cell(home)
                return None
            yield "claim.kindSet"
            if self.rules.slot_after_claim and slot.state != "live":
                self.counters["cells given back"] += 1
                yield from self.give_back(thread, cell, slot.token)
                return None
            return Snapshot(home, cell, mark)
        return None

    def set_kind(self, thread, cell, mark, kind):
        if self.rules.kind_by == "store":
            self.store(thread, cell, "kind", (mark, kind))
            return True
        while True:
            seen = cell.kind
            yield "claim.kindSeen"
            if cell.word.generation != mark:
                return False
            yield "claim.wordSeen"
            if self.swap(thread, cell, "kind", seen, (mark, kind)):
                return True

    def change_hands(self, thread, cell, token, looks):
        """Unpins the cell and moves its generation; None if it is not the token's."""
        while True:
            seen = cell.word
            yield "hands.wordSeen"
            if looks and cell.owner != token:
                return None
            yield "hands.ownerSeen"
            if self.swap(thread, cell, "word", seen, Word(seen.generation + 1, False, 0)):
                return seen.generation + 1

    def give_back(self, thread, cell, token):
        if (yield from self.change_hands(thread, cell, token, self.rules.release_looks)) is not None:
            yield "reap.handed"
            self.swap(thread, cell, "owner", token, 0)

    def release_all(self, thread, token):
        for cell in self.cells[:self.cells_used]:
            if cell.owner == token:
                yield from self.give_back(thread, cell, token)
                yield "reap.cell"

    # Pins

    def hold(self, thread, snapshot, version):
        cell = snapshot.cell
        left = cell.word
        if left.generation != snapshot.mark:
            return False
        yield "hold.looked"
        if self.rules.idle_cleared == "before":
            self.store(thread, cell, "idle", None)
            yield "hold.idleCleared"
        is_held = self.swap(thread, cell, "word", left, snapshot.word(version))
        if not is_held:
            left = cell.word
            yield "hold.instead"
            is_held = left.generation == snapshot.mark and self.swap(thread, cell, "word", left, snapshot.word(version))
        if self.rules.idle_cleared == "after":
            yield "hold.wordWritten"
            self.store(thread, cell, "idle", None)
        return is_held

    def pin(self, thread, snapshot):
        """Pins the newest version that the process may see; False if the lease is lost."""
        home = thread.home
        if not home.is_valid:
            return False
        yield "read.valid"
        while True:
            moment = self.visible
            yield "read.moment"
            if moment < home.own_commit:
                if (yield from self.pin_own_commit(thread, snapshot, moment)):
                    return True
                if not home.is_valid:
                    return False
                continue
            yield "read.chosen"
            if not (yield from self.hold(thread, snapshot, moment)):
                self.lose_cell(home)
                return False
            yield "read.pinStored"
            if self.visible == moment or not self.rules.second_look:
                self.note_pinned(snapshot, moment)
                snapshot.moment = moment
                yield "read.pinned"
                return True

    def pin_own_commit(self, thread, snapshot, moment):
        own = thread.home.own_root
        yield "read.chosen"
        if not (yield from self.hold(thread, snapshot, own)):
            self.lose_cell(thread.home)
            return False
        yield "read.pinStored"
        if self.rules.own_second_look:
            if thread.home.own_root != own:
                return False
            yield "read.ownStill"
            if self.visible != moment:
                return False
        self.counters["own commits pinned"] += 1
        self.note_pinned(snapshot, own)
        snapshot.moment = 0
        yield "read.pinned"
        return True

    def pin_again(self, thread, snapshot):
        cell, version = snapshot.cell, snapshot.version
        if not thread.home.is_valid or self.visible != snapshot.moment or version < thread.home.own_commit:
            return False
        yield "read.chosen"
        if self.rules.again_clears == "exchange":
            self.drain(thread)
            cell.idle = None
        elif self.rules.again_clears == "store":
            self.store(thread, cell, "idle", None)
        yield "again.exchanged"
        if cell.word != snapshot.word(version):
            return False
        yield "read.pinStored"
        if self.rules.second_look and self.visible != snapshot.moment:
            return False
        self.counters["pinned again"] += 1
        self.note_pinned(snapshot, version)
        yield "read.pinned"
        return True

    def unpin(self, thread, snapshot):
        self.pins.pop(snapshot, None)
        cell = snapshot.cell
        if not thread.home.is_valid:
            return False
        yield "unpin.valid"
        seen = cell.word
        if seen.generation != snapshot.mark:
            self.lose_cell(thread.home)
            return False
        yield "unpin.looked"
        if self.rules.unpin_by == "word":
            cell.word = snapshot.word(0)
        elif not seen.is_parked:
            if cell.word.generation != snapshot.mark:
                self.counters["stale ends"] += 1
                self.counters["stale ends under a pin"] += any(
                    other.cell is cell and version == seen.version for other, version in self.pins.items())
            self.store(thread, cell, "idle", seen if self.rules.idle_names == "generation" else seen.version)
        elif not self.swap(thread, cell, "word", seen, snapshot.word(0)):
            yield "unpin.revoked"
            if not self.swap(thread, cell, "word", snapshot.word(0, is_parked=True), snapshot.word(0)):
                self.lose_cell(thread.home)
                return False
        yield "read.unpinned"
        return True

    def share(self, thread, snapshot):
        """The same version, held by a snapshot of its own, which another thread may get."""
        other = yield from self.claim_cell(thread)
        if other is None or not thread.home.is_valid:
            return
        yield "share.valid"
        while self.scan_waits and self.random.random() < 0.9:
            yield "share.makesWay"
        if not (yield from self.hold(thread, other, snapshot.version)):
            self.lose_cell(thread.home)
            return
        yield "read.shared"
        if self.rules.counts_shared:
            self.drain(thread)
            self.moved_pins += 1
        self.note_pinned(other, snapshot.version)
        other.moment = 0
        self.counters["shared"] += 1
        yield "share.counted"
        self.start(thread.home, self.reader, other)

    def rest(self, thread, snapshot):
        """Parks, and goes on; whether the version is held still, or None if the lease is lost."""
        cell, version = snapshot.cell, snapshot.version
        active, parked = snapshot.word(version), snapshot.word(version, is_parked=True)
        if not thread.home.is_valid:
            return None
        yield "park.valid"
        self.pins.pop(snapshot, None)
        if not self.swap(thread, cell, "word", active, parked):
            self.lose_cell(thread.home)
            return None
        for _ in range(self.random.choice((1, 2, 8, 20))):
            yield "read.parked"
        if self.random.random() < 0.3:
            return True                     # it ends, parked as it is
        if not thread.home.is_valid:
            return None
        yield "resume.valid"
        if self.rules.resume_by == "store":
            if cell.word == parked:
                yield "resume.looked"
                cell.word = active
                self.note_pinned(snapshot, version)
                return True
        elif self.swap(thread, cell, "word", parked, active):
            self.counters["resumed"] += 1
            self.note_pinned(snapshot, version)
            yield "read.resumed"
            return True
        if cell.word == snapshot.word(0, is_parked=True):
            self.counters["revoked"] += 1
            return False
        self.lose_cell(thread.home)
        return None

    # The scan

    def scan(self, thread, may_revoke):
        held = {self.newest}
        yield "scan.newestRead"
        held.add(self.rising)
        yield "scan.risingRead"
        visible = self.visible
        held.add(visible)
        yield "scan.visibleRead"
        passes = 0
        while True:
            moved = self.moved_pins
            yield "scan.begun"
            pins = set()
            for cell in self.cells[:self.cells_used]:
                if cell.word.version or self.random.random() < 0.3:
                    yield "scan.cell"
                pins.add((yield from self.look_at(thread, cell, visible, may_revoke)))
            passes += 1
            if not self.rules.scan_repeats or self.moved_pins == moved:
                break
            self.counters["scans repeated"] += 1
            self.scan_waits = self.scan_waits or passes == 2
        self.scan_waits = False
        return held | pins

    def standing(self, cell):
        """The word as a scan takes it: without a version if the pin has ended."""
        if self.rules.scan_reads_first == "idle":
            idle = cell.idle
            yield "scan.firstRead"
            word = cell.word
        else:
            word = cell.word
            if word.version == 0:
                return word
            yield "scan.firstRead"
            idle = cell.idle
        named = word if self.rules.idle_names == "generation" else word.version
        return Word(word.generation, False, 0) if idle == named else word

    def look_at(self, thread, cell, visible, may_revoke):
        """The version held in the cell, or 0."""
        word = yield from self.standing(cell)
        if word.version == 0:
            return 0
        yield "scan.secondRead"
        if cell.owner == 0:
            return 0
        version = word.version
        if word.is_parked and version < visible and may_revoke(version):
            yield "scan.judged"
            empty = Word(word.generation, True, 0)
            if self.rules.revoke_by == "store":
                cell.word = empty
                return 0
            if self.swap(thread, cell, "word", word, empty) or not self.rules.revoked_again:
                return 0
            version = (yield from self.standing(cell)).version
        if version < visible:
            kind = cell.kind
            if kind[1] == "own commit" and (kind[0] == word.generation or not self.rules.kind_tagged):
                return 0
        return version
