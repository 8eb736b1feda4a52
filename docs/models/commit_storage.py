"""The data file as the operating system really keeps it: a page cache before a disk that loses power.

A *location* is a header record (one 512-byte sector: S0, S1, V0, V1, confirmed, poison) or a 4 KiB page (its
number). The cache shows every process the newest value at once. The disk gets any of them, in any order, until
an `fdatasync` returns. What a failed write-back does is modelled after Linux: the page is marked clean, so the
cache still shows it, a later `fdatasync` "succeeds", and it may be dropped from the cache at any time. The
error is told once to each descriptor that was open before it, and to a younger one only if nobody was told.
"""

TORN = "torn"


class Descriptor:
    """An open file description: remembers which write-back errors it has been told."""

    def __init__(self, told):
        self.told = told


class Storage:
    def __init__(self, random_source, failure_probability):
        self.random = random_source
        self.failure_probability = failure_probability
        self.durable = {}
        self.dirty = {}             # location -> [(sequence, value)], oldest first, not yet on the disk
        self.lost = {}              # location -> value that only the cache holds and the kernel calls clean
        self.evicted = set()        # lost locations whose cached value is gone
        self.sequence = 0
        self.errors = 0             # write-back errors so far
        self.last_error_told = True
        self.failures = 0

    # Reading and writing

    def read(self, location):
        if location in self.dirty:
            return self.dirty[location][-1][1]
        if location in self.lost:
            return self.lost[location]
        return self.durable.get(location)

    def write(self, location, value):
        self.sequence += 1
        self.dirty.setdefault(location, []).append((self.sequence, value))
        self.lost.pop(location, None)
        self.evicted.discard(location)

    # Flushing

    def open_descriptor(self):
        return Descriptor(self.errors if self.last_error_told else self.errors - 1)

    def synchronize(self, descriptor):
        """`fdatasync`: a generator; its value says whether the call succeeded."""
        mark = self.sequence
        yield "flush.syncing"
        yield "flush.syncing"
        if self.random.random() < self.failure_probability:
            self.fail_write_back(mark)
        else:
            for location in list(self.dirty):
                self.write_back(location, mark)
        return self.report_error(descriptor)

    def report_error(self, descriptor):
        if descriptor.told != self.errors:
            descriptor.told = self.errors
            self.last_error_told = True
            return False
        return True

    def write_back(self, location, mark):
        values = self.dirty.get(location)
        if not values or values[0][0] > mark:
            return
        reached = [entry for entry in values if entry[0] <= mark]
        self.durable[location] = reached[-1][1]
        self.keep_dirty(location, values[len(reached):])

    def fail_write_back(self, mark):
        """Some of the pages reach the disk; the others are marked clean all the same."""
        for location in list(self.dirty):
            values = self.dirty[location]
            reached = [entry for entry in values if entry[0] <= mark]
            if not reached:
                continue
            if self.random.random() < 0.5:
                self.durable[location] = reached[-1][1]
            elif len(reached) == len(values):
                self.lost[location] = reached[-1][1]
            self.keep_dirty(location, values[len(reached):])
        self.errors += 1
        self.failures += 1
        self.last_error_told = False

    def keep_dirty(self, location, rest):
        if rest:
            self.dirty[location] = rest
        else:
            del self.dirty[location]

    # What happens from outside

    def foreign_synchronize(self):
        """A backup tool calls `fsync` on the file and swallows the error that a younger process would need."""
        for location in list(self.dirty):
            self.write_back(location, self.sequence)
        self.last_error_told = True

    def evict_one(self):
        candidates = sorted((location for location in self.lost if isinstance(location, int)))
        if candidates:
            location = self.random.choice(candidates)
            del self.lost[location]
            self.evicted.add(location)

    def power_cut(self):
        """Each location keeps any one of its unflushed values, the old one, a mixture, or rubbish."""
        for location, values in self.dirty.items():
            candidates = [self.durable.get(location)] + [value for _, value in values]
            self.durable[location] = self.after_power_cut(location, candidates)
        self.dirty = {}
        self.lost = {}
        self.evicted = set()
        self.last_error_told = True

    def after_power_cut(self, location, candidates):
        draw = self.random.random()
        if draw < 0.12:
            return TORN
        if draw < 0.3 and isinstance(location, int):
            width = max((len(value) for value in candidates if isinstance(value, tuple)), default=0)
            sectors = []
            for cell in range(width):
                page = self.random.choice(candidates)
                sectors.append(page[cell] if isinstance(page, tuple) and cell < len(page) else None)
            return tuple(sectors)
        return self.random.choice(candidates)

    def clean_shutdown(self):
        """The machine goes down in order: all that is dirty is written. False if something had been lost."""
        whole = not self.lost and not self.evicted
        for location in list(self.dirty):
            self.write_back(location, self.sequence)
        self.lost = {}
        self.evicted = set()
        self.last_error_told = True
        return whole
