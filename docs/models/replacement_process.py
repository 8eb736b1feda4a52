"""What a process of `replacement_model.py` does: it writes, compacts or backs up."""

from replacement_files import BACKUP, CLOSING, DATA, MAKING, SESSION, Inode, LockFile
from simulation import Process, Violation


class Refused(Exception):
    """An error that the caller is told: nothing was promised."""


class Worker(Process):
    def __init__(self, number, world, role):
        super().__init__(number)
        self.world = world
        self.rules = world.rules
        self.role = role
        self.steps = self.live()

    def __repr__(self):
        return f"{self.role} {self.number}"

    def live(self):
        try:
            if self.role == "writer":
                yield from self.write(DATA)
            elif self.role == "creator":
                yield from self.write(BACKUP)
            elif self.role == "compactor":
                yield from self.compact()
            else:
                yield from self.back_up()
        except Refused as reason:
            self.world.log(f"{self} refused: {reason}")

    # Sessions

    def open(self, path):
        """Takes part in the session of the file that the path leads to; returns (file, lock file)."""
        names = self.world.names
        while True:
            is_new = path not in names
            if is_new:
                names[path] = Inode()
            data = names[path]
            yield "open.start"
            if data.try_lock(self, SESSION, "write"):
                yield "open.sessionLocked"
                if self.rules.checks_name_first and names.get(path) is not data:
                    data.unlock(self, SESSION)
                    continue
                if is_new and not self.rules.names_first:
                    yield "open.created"
                    names.sync()
                lock = LockFile(data)
                yield "open.recovered"
                data.durable = len(data.commits)
                if data.mark is None and self.rules.names_first:
                    names.sync()
                    yield "open.named"
                data.mark = lock
                lock.members.add(self)
                names[path + ".lock"] = lock
                yield "open.ready"
                if names.get(path) is not data:
                    lock.members.discard(self)
                    data.unlock(self, SESSION)
                    continue
                data.try_lock(self, SESSION, "read")
                return data, lock
            if data.try_lock(self, SESSION, "read"):
                lock = names.get(path + ".lock")
                if lock is not None and lock.data is data and lock.members:
                    lock.members.add(self)
                    return data, lock
                data.unlock(self, SESSION)
            yield "open.refused"

    def close(self, path, data, lock):
        names = self.world.names
        lock.members.discard(self)
        yield "close.slotReleased"
        for _ in range(30):             # the wait is bounded
            if not self.rules.closes_in_turn or data.try_lock(self, CLOSING, "write"):
                break
            yield "open.refused"
        if data.try_lock(self, SESSION, "write"):
            yield from self.end(path, data, lock)
        else:
            yield "close.asked"
            data.unlock(self, SESSION)
            yield "close.left"
            if self.rules.asks_again and data.try_lock(self, SESSION, "write"):
                if not self.rules.compares_session or data.mark is lock:
                    yield from self.end(path, data, lock)
        data.release_all(self)

    def end(self, path, data, lock):
        names = self.world.names
        yield "close.ending"
        if data.mark is not lock:
            raise Violation("a session is ended that is not under way")
        data.durable = len(data.commits)
        data.mark = "ended"
        if names.get(path) is data and names.get(path + ".lock") is lock:
            del names[path + ".lock"]

    def write(self, path):
        data, lock = yield from self.open(path)
        for _ in range(self.world.random.randrange(1, 4)):
            yield "commit.begun"
            if self.world.names.get(path) is not data:
                raise Refused("the file was replaced")
            if self.world.names.get(path + ".lock") is not lock:
                raise Violation("the lock file of a living session is gone")
            commit = self.world.next_commit()
            data.commits.append(commit)
            yield "commit.done"
            is_full = self.world.random.random() < 0.5
            if is_full:
                data.durable = max(data.durable, data.commits.index(commit) + 1)
                yield "commit.flushed"
            self.world.promise(path, commit, is_full)
        yield from self.close(path, data, lock)

    # Files that get a name

    def make_unfinished(self, path):
        names = self.world.names
        yield from self.remove_leftovers(path)
        while True:
            name = f"{path}.unfinished" + (f"-{self.world.next_commit()}" if self.rules.own_names else "")
            data = names[name] = Inode()
            yield "make.created"
            if self.rules.locks_unfinished and not data.try_lock(self, MAKING, "write"):
                continue
            yield "make.locked"
            if not self.rules.looks_again or names.get(name) is data:
                return name, data

    def remove_leftovers(self, path):
        names = self.world.names
        for name in [name for name in names if name.startswith(path + ".unfinished")]:
            data = names.get(name)
            yield "leftover.found"
            if data is None or (self.rules.locks_unfinished and not data.try_lock(self, MAKING, "write")):
                continue
            yield "leftover.locked"
            if names.get(name) is data:
                del names[name]
            data.unlock(self, MAKING)

    def rename(self, name, path):
        names = self.world.names
        if name not in names:
            raise Violation("an unfinished file was taken from its maker")
        if self.rules.clears_mark:
            names[name].mark = None
        names.rename(name, path)

    def end_unfinished(self, name, data):
        if self.world.names.get(name) is data:
            del self.world.names[name]
        data.release_all(self)

    def compact(self):
        for _ in range(3):
            name, new = yield from self.make_unfinished(DATA)
            try:
                if (yield from self.replace(name, new)):
                    self.world.counters["compactions"] += 1
                    return
            finally:
                self.end_unfinished(name, new)
        raise Refused("others write")

    def replace(self, name, new):
        """True if the copy has got the name; false if others have committed meanwhile."""
        names = self.world.names
        source, lock = yield from self.open(DATA)
        version = len(source.commits)
        yield "replace.copying"
        new.commits = source.commits[:version]
        new.mark = "ended"              # it was filled in a session of its own
        if not self.rules.compares_copied_version:
            yield "replace.copying"
            version = len(source.commits)
        yield from self.close(DATA, source, lock)
        yield "replace.copied"
        old = names[DATA]
        if not old.try_lock(self, SESSION, "write"):
            raise Refused("in use")
        try:
            if names[DATA] is not old:
                raise Refused("in use")
            yield "replace.alone"
            if old is not source or len(old.commits) != version:
                return False
            if not self.rules.stays_alone:
                old.unlock(self, SESSION)
            if self.rules.clears_before_rename:
                names.pop(DATA + ".lock", None)
            yield "replace.cleared"
            new.durable = len(new.commits)
            self.rename(name, DATA)
            yield "replace.renamed"
            names.sync()
            if not self.rules.clears_before_rename:
                names.pop(DATA + ".lock", None)
            return True
        finally:
            old.unlock(self, SESSION)

    def back_up(self):
        names = self.world.names
        source, lock = yield from self.open(DATA)
        if BACKUP not in names:
            name, new = yield from self.make_unfinished(BACKUP)
            copy = self.world.next_commit()
            new.commits = [copy]
            new.mark = "ended"
            yield "make.filled"
            if BACKUP not in names or not self.rules.refuses_taken_name:
                new.durable = 1
                self.rename(name, BACKUP)
                yield "make.named"
                names.sync()
                # Unless its owner has taken it away meanwhile.
                if names.get(BACKUP) is new:
                    self.world.promise(BACKUP, copy, True)
                self.world.counters["backups"] += 1
            self.end_unfinished(name, new)
        yield from self.close(DATA, source, lock)
