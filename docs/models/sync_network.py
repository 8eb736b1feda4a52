"""The network of `sync_model.py`: messages that are delayed, reordered, repeated and lost; snapshots that serve as cursors."""

from typing import NamedTuple


class Snapshot(NamedTuple):
    """Which transactions of the server an answer contains, as PostgreSQL's `pg_snapshot`: a cursor, and the context of a batch."""
    next: int                   # transactions from here on had not begun
    running: frozenset          # these had begun, and had not ended

    def contains(self, transaction):
        return transaction < self.next and transaction not in self.running

    @property
    def oldest(self):
        """The watermark: every transaction below has ended."""
        return min(self.running, default=self.next)


NEVER = Snapshot(1, frozenset())


class Push(NamedTuple):
    """A batch: everything pending at a seal."""
    file: int
    user: int
    replica: int
    epoch: int
    history: int
    cursor: Snapshot
    seen: int                   # the highest stamp that the device has seen
    copied: dict                # replica -> its epoch that was open when this file was copied from it, and its last stamp then
    changes: list               # of `Change`
    bases: dict                 # for the judge: key -> Row, what the device had of the server


class Change(NamedTuple):
    """What a batch says of one object."""
    key: str
    gone: object                # Item or None
    new: object
    registers: list             # (path, Item, value)
    members: list               # (element, Item, whether it is a member)
    elements: list              # (identity, kind, Item, value), in the order of their positions' numbers
    deltas: dict                # (replica, epoch) -> (amount, ids)


class Pull(NamedTuple):
    file: int
    user: int
    replica: int
    history: int
    cursor: Snapshot
    copied: dict
    sent: int                   # by the device's monotonic clock


class Ack(NamedTuple):
    file: int
    replica: int
    epoch: int


class Answer(NamedTuple):
    file: int
    replica: int
    asked: tuple                # the history and cursor that the device had
    history: int
    cursor: Snapshot
    is_full: bool               # a reset: whatever it does not name is not there
    known: int                  # the last epoch of this replica in the snapshot
    rows: dict                  # key -> Row
    gone: dict                  # key -> "deleted" or "left"
    rejections: list            # (key, path, reason, token)
    time: int                   # the server's clock
    sent: int                   # the device's monotonic clock, when it asked
    visible: dict               # for the judge: key -> Row, of all that the user sees in this snapshot


class Network:
    """Messages under way. `deliver` is called with one of them at a time, in any order."""

    def __init__(self, random_source, rules, counters):
        self.random = random_source
        self.rules = rules
        self.counters = counters
        self.messages = []

    def send(self, message):
        self.messages.append(message)

    def next(self, in_order=False):
        """One message to deliver, or None."""
        if not self.messages:
            return None
        if in_order:
            return self.messages.pop(0)
        at = self.random.randrange(len(self.messages)) if self.random.random() < self.rules.disorder else 0
        draw = self.random.random()
        if draw < self.rules.repeated:
            self.counters["repeated"] += 1
            return self.messages[at]
        message = self.messages.pop(at)
        if draw > 1 - self.rules.lost:
            self.counters["lost"] += 1
            return None
        return message
