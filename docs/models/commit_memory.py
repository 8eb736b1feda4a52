"""The lock file's words that commits and flushes share, and the locks that guard them.

Each word is a copy of a whole root record, written by holders of one lock only (so a seqlock with one writer is
enough), and read by anybody:

    newest, visible_by_writer       writer lock
    target, rising, durable, visible_by_leader       flush lock

A version moves along: newest -> target -> durable, newest -> rising -> visible, and from visible to a reader's
pin. Whoever collects the held versions reads every word before the words it can move to.
"""


class Lock:
    """A robust lock: the next one gets it when its holder died. A stopped holder keeps it."""

    def __init__(self, trial):
        self.trial = trial
        self.holder = None

    def try_acquire(self, process):
        if self.holder is not None and self.trial.scheduler.is_alive(self.holder):
            if not (self.trial.rules.steal_from_stopped and self.holder.stopped):
                return False
        self.holder = process
        return True

    def release(self, process):
        if self.holder is process:
            self.holder = None


class Memory:
    """Made by the first opener, gone with the last process."""

    def __init__(self, trial, newest, durable):
        self.newest = newest
        self.target = None              # F: the root a flush is for
        self.target_written = False     # its durable slot has been written
        self.attempt = 0                # raised when a younger process rewrites the target's pages
        self.rising = None              # the root the leader is about to make visible
        self.durable = durable          # D
        self.visible_by_writer = newest
        self.visible_by_leader = durable
        self.last_full = 0
        self.ring = {newest.version: newest}
        self.pins = {}                  # process -> version (a dead process's pins are dropped by the next scan)
        self.leader_pins = {}           # only for the shortcut that keeps `rising` in a pin
        self.writer_lock = Lock(trial)
        self.writer_owner = None
        self.flush_lock = Lock(trial)
        self.poisoned = False
        self.version_floor = 0          # no new version has this number or a lower one

    def visible(self):
        if self.visible_by_leader.version > self.visible_by_writer.version:
            return self.visible_by_leader
        return self.visible_by_writer
