"""What the first opener of a session does: after a reboot, and when everybody was killed in the same boot."""

from commit_blocks import Confirmed, Root, SlotRecord, VolatileRecord, rewrite_pages, verifies
from simulation import Process, Violation

SLOTS = ("S0", "S1")


class Opener(Process):
    """`result` is (newest, durable) when it is done, None when the flush of the opening failed."""

    def __init__(self, number, trial, kind):
        super().__init__(number)
        self.trial = trial
        self.rules = trial.rules
        self.storage = trial.storage
        self.descriptor = trial.storage.open_descriptor()
        self.kind = kind            # "power cut", "clean reboot", "same boot"
        self.result = None
        self.steps = self.work()

    def work(self):
        yield "open.sessionLocked"
        if self.boot_of_volatile() == self.trial.boot:
            yield from self.recover_same_boot()
        else:
            yield from self.recover_after_reboot()

    # What stands in the header

    def volatile_records(self):
        names = [f"V{slot}" for slot in range(self.rules.volatile_slots)]
        records = [self.storage.read(name) for name in names]
        return [record for record in records if isinstance(record, VolatileRecord)]

    def boot_of_volatile(self):
        return max((record.boot for record in self.volatile_records()), default=None)

    def slot_records(self):
        records = [self.storage.read(name) for name in SLOTS]
        valid = [record for record in records if isinstance(record, SlotRecord)]
        return sorted(valid, key=lambda record: record.root.version, reverse=True)

    def is_confirmed(self, record):
        confirmed = self.storage.read("confirmed")
        if not self.rules.confirmed_carries_checksum:
            if isinstance(confirmed, Confirmed):
                return confirmed.version >= record.root.version
            return confirmed is not None and self.trial.random.random() < 0.5   # a torn number reads as anything
        return (isinstance(confirmed, Confirmed) and confirmed.version == record.root.version
                and confirmed.identity == record.root.identity)

    def highest_version(self):
        versions = [record.root.version for record in self.slot_records() + self.volatile_records()]
        return max(versions)

    # After a reboot

    def recover_after_reboot(self):
        durable = self.newest_sound_slot()
        highest = self.highest_version()
        newest = durable
        if self.rules.after_reboot != "ignore V":
            candidates = [record.root for record in self.volatile_records() if record.root.version > durable.version]
            for root in sorted(candidates, key=lambda root: root.version, reverse=True):
                if self.rules.after_reboot == "trust V" or verifies(self.storage, root, durable.version):
                    newest = root
                    self.trial.counters["V adopted after a reboot"] += 1
                    break
        yield from self.finish(newest, durable, highest)

    def newest_sound_slot(self):
        """Newest first: confirmed needs no walk; else the blocks born after its base must verify."""
        for record in self.slot_records():
            if self.is_confirmed(record) or verifies(self.storage, record.root, record.base):
                return record.root
            self.trial.counters["fell back to the base"] += 1
        raise Violation("no root left")

    # Everybody was killed, the machine goes on

    def recover_same_boot(self):
        durable = self.confirmed_slot()
        roots = [record.root for record in self.volatile_records() if record.boot == self.trial.boot]
        newest = max(roots + [durable], key=lambda root: root.version)  # an opener may have died after its S
        poisoned = self.storage.read("poison") == self.trial.boot and self.rules.poison_in_file
        yield "open.chosen"
        if not poisoned and self.rules.rewrites_when_young:
            poisoned = not (yield from rewrite_pages(self.storage, newest, durable.version, "open.rewriting"))
        if poisoned:
            self.trial.counters["opened after a failed flush"] += 1
            self.kind = "failed flush"
            newest = durable
        yield from self.finish(newest, durable, self.highest_version())

    def confirmed_slot(self):
        for record in self.slot_records():
            if self.is_confirmed(record):
                return record.root
        return self.newest_sound_slot()

    # Both

    def finish(self, newest, durable, highest):
        self.trial.judge(newest, self.kind)
        root = newest
        if highest > newest.version:
            root = Root(highest + 1, newest.top, newest.length, False, self.trial.next_identity(newest))
        if self.rules.opener_binds_boot_first:
            yield from self.bind_boot(root, durable)
        if root.version > durable.version:
            yield from self.flush(root, durable)
            if self.result == "failed":
                self.result = None
                return
            durable = root
        if not self.rules.opener_binds_boot_first:
            yield from self.bind_boot(root, durable)
        self.storage.write("poison", 0)
        yield "open.recovered"
        self.result = (root, durable)

    def bind_boot(self, root, durable):
        """The first writes of a boot. What was read until now came from the disk; what is read after an S
        record has been written may be in the cache only. A later opener of this boot can tell by this V."""
        self.set_confirmed(durable)
        yield "open.confirmed"
        slot = self.free_volatile_slot()
        self.storage.write(f"V{slot}", VolatileRecord(root, self.trial.boot))
        yield "open.volatileWritten"

    def flush(self, root, durable):
        self.storage.write(self.trial.slot_without(durable), SlotRecord(root, durable.version))
        yield "open.rootWritten"
        succeeded = yield from self.storage.synchronize(self.descriptor)
        yield "open.synced"
        if not succeeded:
            if self.rules.poison_in_file:
                self.storage.write("poison", self.trial.boot)
            self.result = "failed"
            return
        self.set_confirmed(root)
        yield "open.confirmed"

    def set_confirmed(self, root):
        self.storage.write("confirmed", Confirmed(root.version, root.identity))

    def free_volatile_slot(self):
        """Any slot but the one that holds the newest valid V, of whatever boot."""
        versions = []
        for slot in range(self.rules.volatile_slots):
            record = self.storage.read(f"V{slot}")
            versions.append(record.root.version if isinstance(record, VolatileRecord) else -1)
        return versions.index(min(versions))
