"""The server of `sync_model.py`: rows, batches applied in transactions, answers, rights, retention, and restored backups.

Transactions have numbers that are taken when they begin; they end in any order. A snapshot is what has ended.
"""

import pickle

from simulation import Violation
from sync_merge import Merge
from sync_network import NEVER, Ack, Answer, Snapshot
from sync_types import EVERYONE, Element, Row, Tree, View

SQL = 0             # the replica of software that writes with SQL
LIMIT = 50          # how far a stamp may be ahead
TICKS = 16          # stamps a unit of time
USERS = (1, 2)
VIEWERS = (EVERYONE, *USERS)


class ServerRow:
    def __init__(self, transaction):
        self.is_alive = True
        self.last = transaction             # the transaction that changed it last
        self.birth = transaction
        self.births = set()                 # replicas whose creation this life has
        self.death = (0, 0)                 # transaction and replica
        self.changed = {}                   # replica -> its last transaction that changed the object
        self.wipe()

    def wipe(self):
        self.registers = {}                 # path -> (value, stamp, replica, token, transaction, epoch, stamp as it was given)
        self.members = {}                   # element -> {replica: transaction} of additions
        self.count, self.ids = 0, []
        self.tree = Tree()
        self.elements = {}                  # identity -> [register of the value, register of the position, whether deleted]

    def value(self, path):
        return self.registers.get(path, (None,))[0]


class Ledger:
    """What the server keeps of one replica."""

    def __init__(self):
        self.epoch = 0              # applied up to here
        self.clamped = 0            # the last stamp that was given in place of one too far ahead
        self.owed = {}              # key -> transaction: objects that the replica's batches named
        self.rejections = []        # (transaction, key, path, reason, token)


class State:
    """What is in the database, and so in a backup."""

    def __init__(self):
        self.rows = {}
        self.ledgers = {}
        self.claims = {}            # (replica, epoch, key, first increment, life) -> amount that a copied file has pushed
        self.replaced = {}          # (replica, stamp) -> what was given in place of a stamp too far ahead
        self.lineages = {}          # replica -> {what its file was before: (the epoch that was open, the last stamp)}
        self.views = {}             # (user or EVERYONE, key) -> View
        self.admins = set(USERS)    # who may change the restricted property
        self.horizon = 1            # tombstones of transactions below are gone
        self.fates = {}             # token -> what became of the write, for the judge
        self.refusers = {}          # token -> the replica that was refused, for the judge
        self.snapshots = []         # (time, watermark)

    def ledger(self, replica):
        return self.ledgers.setdefault(replica, Ledger())


class Server:
    def __init__(self, world):
        self.world = world
        self.rules = world.rules
        self.random = world.random
        self.state = State()
        self.history = 1
        self.next = 1
        self.running = {}           # transaction -> Push
        self.backup = None

    # Transactions

    def snapshot(self):
        return Snapshot(self.next, frozenset(self.running))

    def begin(self, push):
        self.running[self.next] = push
        self.next += 1

    def finish(self, transaction):
        """Commits: the rows are changed under their locks, all at once."""
        push = self.running.pop(transaction)
        ledger = self.state.ledger(push.replica)
        if self.rules.checks_history and push.history != self.history:
            return
        if push.epoch <= ledger.epoch and self.rules.applies_once:
            self.world.network.send(Ack(push.file, push.replica, push.epoch))
            return
        before = self.seen_keys()
        merge = Merge(self, push, transaction, before[EVERYONE] | before[push.user])
        merge.apply()
        ledger.epoch = max(ledger.epoch, push.epoch)
        self.note_views(before, transaction)
        self.world.judge.server_changed()
        self.world.network.send(Ack(push.file, push.replica, push.epoch))

    def sql(self, change):
        """A transaction of other software, and of the administrator."""
        transaction = self.next
        self.next += 1
        before = self.seen_keys()
        change(self.state, transaction)
        self.note_views(before, transaction)

    def write_sql(self, key, path, value):
        def change(state, transaction):
            row = state.rows.get(key)
            if row and row.is_alive:
                old = row.registers.get(path)
                stamp = max(self.world.time * TICKS, old[1] + 1 if old else 0)
                self.put(row, path, (value, stamp, SQL, self.world.judge.token(), transaction, 0, 0))
                row.last = row.changed[SQL] = transaction
        self.sql(change)

    def put(self, row, path, register):
        """Sets a register; what was there is overwritten."""
        old = row.registers.get(path)
        if old:
            self.state.fates[old[3]] = "overwritten"
        row.registers[path] = register
        if register[1] > (self.world.time + 2 * LIMIT) * TICKS:
            raise Violation("a stamp far ahead of the server's clock")
        self.state.fates[register[3]] = "won"
        if path == "emb":
            for inner in [inner for inner in row.registers if inner[0] == "emb" and inner != "emb" and inner[1] != register[0]]:
                self.state.fates[row.registers.pop(inner)[3]] = "overwritten"

    # Streams: an object is seen by its owner, or all; a part ("k…") by those who see an object that links to it

    def seen_keys(self):
        """What each user sees alone, and what everyone does."""
        rows = self.state.rows
        found = {}
        for user in VIEWERS:
            owner = None if user == EVERYONE else user
            own = {key for key, row in rows.items() if row.is_alive and key[0] != "k" and row.value("owner") == owner}
            linked = {rows[key].value("link") for key in own}
            found[user] = own | {key for key in linked if key and key[0] == "k" and key in rows and rows[key].is_alive}
        return found

    def visible_keys(self):
        found = self.seen_keys()
        return {user: found[EVERYONE] | found[user] for user in USERS}

    def note_views(self, before, transaction):
        """Materialises who has begun or ceased to see what: one view for each change, and one for all where everyone does."""
        after = self.seen_keys()
        for user in VIEWERS:
            for key in before[user] ^ after[user]:
                old = self.state.views.get((user, key), View())
                self.state.views[user, key] = View(key in after[user], transaction, old.since if old.sees else old.began)

    # Answers

    def answer(self, pull):
        state, snapshot = self.state, self.snapshot()
        ledger = state.ledger(pull.replica)
        cursor = pull.cursor
        is_full = cursor == NEVER or (self.rules.checks_history and pull.history != self.history)
        is_full |= self.rules.resets_late and cursor.oldest < state.horizon
        if is_full:
            cursor = NEVER
        if self.rules.feed == "watermark":
            is_new = lambda transaction: cursor.oldest <= transaction < snapshot.oldest
            after = Snapshot(snapshot.oldest, frozenset())
        elif self.rules.feed == "newest":
            is_new = lambda transaction: transaction >= cursor.next
            after = Snapshot(snapshot.next, frozenset())
        else:
            is_new = lambda transaction: not cursor.contains(transaction)
            after = snapshot
        keys = {key for key, row in state.rows.items() if is_new(row.last)}
        visible = self.visible_keys()[pull.user]
        keys |= {key for (user, key), view in state.views.items()
                 if user in (EVERYONE, pull.user) and is_new(view.since) and (self.rules.sends_leavings or key in visible)}
        if self.rules.owes:
            keys |= {key for key, transaction in ledger.owed.items() if is_new(transaction)}
        rows = {key: self.row(key, pull.replica, is_new) for key in keys & visible}
        gone = {}
        for key in keys - visible:
            row = state.rows.get(key)
            if row and not row.is_alive or self.rules.sends_leavings:
                gone[key] = "left" if row and row.is_alive else "deleted"
        rejections = [rejection[1:] for replica in (pull.replica, *pull.copied) for rejection in state.ledger(replica).rejections
                      if is_new(rejection[0])]
        self.forget(ledger, cursor)
        return Answer(pull.file, pull.replica, (pull.history, pull.cursor), self.history, after, is_full, ledger.epoch, rows, gone,
                      rejections, self.world.time, pull.sent, {key: self.row(key, pull.replica, is_new) for key in visible})

    def forget(self, ledger, cursor):
        """The replica has what its cursor contains: nothing of it need be kept."""
        if self.rules.forgets_told:
            ledger.rejections = []
        ledger.rejections = [one for one in ledger.rejections if not cursor.contains(one[0])]
        ledger.owed = {key: transaction for key, transaction in ledger.owed.items() if not cursor.contains(transaction)}

    def row(self, key, replica, is_new):
        row = self.state.rows[key]
        others = any(other != replica and is_new(transaction) for other, transaction in row.changed.items())
        fresh = frozenset(element for element, additions in row.members.items()
                          if any(other != replica and is_new(transaction) for other, transaction in additions.items()))
        return Row({path: register[:4] for path, register in row.registers.items()}, row.count, frozenset(row.members),
                   self.order(row), fresh, others, is_new(row.birth) and replica not in row.births, row.birth)

    @staticmethod
    def order(row):
        shown = {position[0]: (identity, value) for identity, (value, position, is_deleted) in row.elements.items() if not is_deleted}
        made = []
        for node in row.tree.order():
            if node in shown:
                identity, value = shown[node]
                made.append(Element(identity, node, value[0], value[3]))
        return tuple(made)

    # Operation

    def prune(self, retention):
        """Forgets tombstones and leavings older than the retention."""
        state = self.state
        while state.snapshots and state.snapshots[0][0] < self.world.time - retention:
            state.horizon = state.snapshots.pop(0)[1]
        state.snapshots.append((self.world.time, self.snapshot().oldest))
        for key in [key for key, row in state.rows.items() if not row.is_alive and row.last < state.horizon]:
            del state.rows[key]
            self.world.counters["tombstones pruned"] += 1
        for name in [name for name, view in state.views.items() if not view.sees and view.since < state.horizon]:
            del state.views[name]

    def back_up(self):
        self.backup = (self.next, pickle.dumps(self.state))

    def restore(self):
        """The cluster is restored: later transactions never were, and their numbers come again."""
        self.running = {}
        self.next, stored = self.backup
        self.state = pickle.loads(stored)
        self.history += 1
        self.world.counters["restored servers"] += 1

    def check(self):
        """What holds at the server after every transaction."""
        names = {}
        for key, row in self.state.rows.items():
            if not row.is_alive:
                continue
            name = row.value("name")
            if name is not None and names.setdefault(name, key) != key:
                raise Violation("a unique value twice at the server")
            if row.count != len(set(row.ids)) or len(row.ids) != len(set(row.ids)):
                raise Violation("a counter miscounts")
            shown = [one.value for one in self.order(row)]
            if len(shown) != len(set(shown)):
                raise Violation("an element of a list twice")
