"""The kernel's side of sharing: byte locks, the robust mutex, files as inodes, and the lock file's contents."""

FREE, CLAIMING, LIVE = "free", "claiming", "live"
MUTEX, BYTE = "mutex", "byte"


class DataFile:
    """One inode: pages, the newest V record, and the open-file-description locks on its bytes."""

    def __init__(self):
        self.locks = {}                 # byte -> {process: "read" or "write"}
        self.pages = [0, None]          # page -> version whose data it holds
        self.volatile = (0, 0)          # newest V: (version, page)
        self.issued = {0}
        self.inside = set()             # truth: processes in the write section that can still write

    def try_lock(self, process, byte, kind):
        holders = self.locks.setdefault(byte, {})
        others = [held for holder, held in holders.items() if holder is not process]
        if "write" in others or (kind == "write" and others):
            return False
        holders[process] = kind
        return True

    def unlock(self, process, byte):
        self.locks.get(byte, {}).pop(process, None)

    def is_locked_by_another(self, process, byte):
        return any(holder is not process for holder in self.locks.get(byte, {}))

    def release_all(self, process):
        """The process ended, or closed descriptors that it did not know (`closefrom`)."""
        for holders in self.locks.values():
            holders.pop(process, None)
        self.inside.discard(process)


class RobustMutex:
    """A process-shared robust mutex as Linux has it: the word holds a thread id *of the owner's namespace*."""

    def __init__(self):
        self.word = 0
        self.owner_died = False
        self.waiters = set()

    def try_lock(self, process):
        """"locked", "owner died" or "busy" (then the process waits in the kernel)."""
        if self.word != 0 and not self.owner_died:
            self.waiters.add(process)
            return "busy"
        result = "owner died" if self.owner_died else "locked"
        self.word, self.owner_died = process.thread, False
        self.waiters.discard(process)
        return result

    def unlock(self, process):
        if self.word == process.thread and not self.owner_died:
            self.word = 0

    def process_died(self, process, was_owner):
        """The kernel walks the dead thread's robust list and its pending lock; it compares thread ids only."""
        if (was_owner or process in self.waiters) and self.word == process.thread:
            self.owner_died = True
        self.waiters.discard(process)


class Slot:
    def __init__(self):
        self.generation = 0
        self.state = FREE
        self.cell = (0, None)           # (generation, version): a pin carries the generation it was stored under
        self.parked = False             # part of the cell: its owner rests, and a writer may take the pin away
        self.process_number = None      # only for the shortcut that believes in process numbers


class LockFile:
    """One inode of `x.freehold.lock`."""

    def __init__(self, data, namespace, newest):
        self.start(data, namespace, newest)

    def start(self, data, namespace, newest):
        self.recorded = (data, self)    # data inode, own inode
        self.namespace = namespace
        self.ready = False
        self.mode = MUTEX
        self.mutex = RobustMutex()
        self.mutex_holder = None        # truth, for the kernel's robust list
        self.owner = None               # `writerOwner`: (slot, generation)
        self.newest = newest
        self.slots = [Slot() for _ in range(max(2, len(getattr(self, "slots", ()))))]
        self.slot_count = len(self.slots)
        self.removed = False            # truth: deleted or replaced behind the session's back

    def copy(self):
        """`cp` of the lock file: the same bytes in another inode."""
        other = LockFile(self.recorded[0], self.namespace, self.newest)
        other.recorded = self.recorded
        other.ready = self.ready
        return other

    def end_session(self):
        """Whoever still maps this file learns at its next check that its slot is gone."""
        for slot in self.slots:
            slot.generation += 1
            slot.cell = (slot.generation, None)
            slot.state = FREE
        self.ready = False
