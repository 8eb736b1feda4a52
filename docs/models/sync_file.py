"""A file with synced classes in `sync_model.py`: what its root and hidden class hold, and how commits change them.

    state = server state ⊕ pending          in every version; `base` is the server state, which the engine does not keep

A commit is atomic. It is durable after a flush; a power cut takes what was not flushed.
"""

import pickle

from sync_network import NEVER, Change
from sync_types import ADDED, Element, Item, Object, Pending, hunks, is_register, note_neighbours, overlay


class Contents:
    """One version of the file."""

    def __init__(self, replica):
        self.objects = {}
        self.pending = {}
        self.base = {}              # key -> Row: for the judge
        self.replica = replica
        self.home = None            # the inode that has this replica identity
        self.epoch = 1              # the open one
        self.clock = 0              # the hybrid logical clock: the highest stamp given or seen
        self.seen = 0               # the highest stamp seen
        self.offset = 0             # of the device's clock, as the server has told
        self.is_told = False        # for the judge
        self.commits = 0            # by programs and agents: the version
        self.history = 0
        self.cursor = NEVER
        self.copied = {}            # replica -> its epoch that was open when this file was copied from it, and its last stamp
        self.identities = 0         # of elements of lists


class File:
    def __init__(self, number, user, world, replica):
        self.number = number
        self.user = user
        self.world = world
        self.rules = world.rules
        self.inode = number
        self.now = Contents(replica)
        self.now.home = self.inode
        world.holders[replica] = number
        self.lease = None                   # the agent that has it
        self.marked = (replica, 0)          # the sidecar file: the last epoch sealed, written before it is sent,
        self.closed = 0                     # and the version, written by the last one that closes the file
        self.skew = world.random.choice((0, 0, 3, -7, 20, 45))
        self.process_clock = 0              # a clock kept outside of the file
        self.offline_until = 0
        self.copy = None                    # an older copy of it
        self.is_open = True
        self.has_lost = False               # commits, at a power cut
        self.flush()

    def flush(self):
        self.durable = pickle.dumps(self.now)

    def power_cut(self):
        self.now = pickle.loads(self.durable)
        self.process_clock = 0
        self.now.is_told = False
        if self.is_open:                    # a file that nobody has open loses nothing
            self.has_lost = self.rules.identity_after_power_cut
        self.is_open = False

    def take(self, contents, marked):
        """Another file's bytes, or older ones of this file."""
        self.now = pickle.loads(contents)
        self.marked = marked
        self.now.is_told = False
        self.process_clock = 0
        self.is_open = self.has_lost = False
        self.flush()

    def open(self):
        """The first process that opens the file reads whether it still is the file that has its replica identity."""
        if not self.is_open and self.needs_identity():
            self.take_identity()
        self.is_open = True

    # Stamps

    def wall_clock(self):
        return self.world.time + self.skew

    def stamp(self):
        from sync_server import TICKS
        now = self.now
        physical = (self.wall_clock() + now.offset) * TICKS
        last = now.clock if self.rules.keeps_clock else self.process_clock
        if self.rules.reads_stamps:
            last = max(last, now.seen)
        now.clock = self.process_clock = max(last + 1, physical)
        return now.clock

    # Capture

    def commit(self, changes, is_durable, is_captured=True):
        """A transaction of any program: objects by key before and after, compared. `changes`: key -> Object or None."""
        stamp = self.stamp()
        self.now.commits += 1
        for key, made in changes.items():
            old = self.now.objects.get(key)
            if is_captured:
                self.capture(key, old, made, stamp)
            if made is None:
                self.now.objects.pop(key, None)
            else:
                self.now.objects[key] = made
        if is_durable:
            self.flush()

    def item(self, stamp, path, key, node=None, replacing=None):
        """What is noted of one change: a stamp, the epoch, no value."""
        if replacing:
            self.world.judge.excuse(replacing.token)
        made = Item(stamp, self.now.replica, self.now.epoch, self.world.judge.token(), node, ())
        self.world.judge.written(made, self, key, path)
        return made

    def capture(self, key, old, made, stamp):
        pending = self.now.pending.setdefault(key, Pending())
        if old is not None and (made is None or made.born != old.born):
            self.capture_deletion(key, pending, stamp)
            old = None
        if made is not None:
            if old is None:
                pending.new = self.item(stamp, ADDED, key)
            self.capture_contents(key, pending, old or Object(), made, stamp)
        if pending.is_empty():
            del self.now.pending[key]

    def capture_deletion(self, key, pending, stamp):
        is_unsent = pending.new and pending.new.epoch == self.now.epoch and pending.new.replica == self.now.replica
        self.world.judge.superseded(pending)
        pending.items, pending.deltas, pending.new = {}, {}, None
        if not is_unsent:
            pending.gone = self.item(stamp, "gone", key)

    def capture_contents(self, key, pending, old, made, stamp):
        for path in old.registers.keys() | made.registers.keys():
            if old.value(path) != made.value(path):
                pending.items[path] = item = self.item(stamp, path, key, replacing=pending.items.get(path))
                made.registers[path] = (made.value(path), item.token)
        for element in old.members ^ made.members:
            path = ("set", element)
            pending.items[path] = self.item(stamp, path, key, replacing=pending.items.get(path))
        if made.count != old.count:
            name = (self.now.replica, self.now.epoch)
            amount, ids = pending.deltas.get(name, (0, ()))
            ids += tuple(self.world.judge.increment(self) for _ in range(made.count - old.count))
            pending.deltas[name] = (amount + made.count - old.count, ids)
        if [one.value for one in old.elements] != [one.value for one in made.elements]:
            made.elements = self.capture_list(key, pending, old.elements, [one.value for one in made.elements], stamp)
        for path in [path for path in pending.items if path[0] == "emb" and path != "emb" and path[1] != made.value("emb")]:
            self.world.judge.excuse(pending.items.pop(path).token)

    def capture_list(self, key, pending, old, values, stamp):
        """Elements keep their identities where the two lists agree. In a hunk, positions that both sides have are changed values;
        a value that went from one hunk to another was moved."""
        pairs = hunks([one.value for one in old], values)
        made, removed, inserted = [None] * len(values), [], []
        i = j = 0
        for a, b in pairs + [(len(old), len(values))]:
            removed += [(i, a, j, b)]
            i, j = a + 1, b + 1
        for a, b in pairs:
            made[b] = old[a]
        left = {one.value: one for i, a, _, _ in removed for one in old[i:a]}
        for i, a, j, b in removed:
            for at in range(j, b):
                inserted.append((at, old[i + at - j] if i + at - j < a else None))
        moved = {values[at] for at, _ in inserted} & left.keys()
        for at, replaced in inserted:
            if values[at] in moved:
                made[at] = self.move(key, pending, left[values[at]], stamp)
            elif replaced is not None and replaced.value not in moved:
                path = ("list", replaced.identity, "val")
                pending.items[path] = item = self.item(stamp, path, key, replacing=pending.items.get(path))
                made[at] = replaced._replace(value=values[at], token=item.token)
            else:
                made[at] = self.insert(key, pending, values[at], stamp)
        kept = {one.identity for one in made}
        for one in old:
            if one.identity not in kept:
                self.remove(key, pending, one, stamp)
        self.world.runs.move(note_neighbours(pending, made, self.own(), self.rules.names_shown), made)
        return tuple(made)

    def new_identity(self):
        self.now.identities += 1
        return self.now.replica, self.now.identities

    def insert(self, key, pending, value, stamp):
        name = self.new_identity()
        pending.items["list", name, "ins"] = item = self.item(stamp, ("list", name, "ins"), key, name)
        return Element(name, name, value, item.token)

    def move(self, key, pending, one, stamp):
        if not self.rules.moves_keep_identity:
            self.remove(key, pending, one, stamp)
            return self.insert(key, pending, one.value, stamp)
        node = self.new_identity()
        path = ("list", one.identity, "mov")
        pending.items[path] = self.item(stamp, path, key, node, pending.items.get(path))
        return one._replace(node=node)

    def remove(self, key, pending, one, stamp):
        inserted = pending.items.get(("list", one.identity, "ins"))
        for kind in ("val", "mov", "ins"):
            item = pending.items.pop(("list", one.identity, kind), None)
            if item:
                self.world.judge.excuse(item.token)
        if not inserted or inserted.epoch != self.now.epoch or inserted.replica != self.now.replica:
            pending.items["list", one.identity, "del"] = self.item(stamp, ("list", one.identity, "del"), key)

    # Sealing

    def seal(self):
        """Closes the epoch: later changes belong to the next one. Durable before anything of it is sent."""
        epoch = self.now.epoch
        if self.rules.seals:
            self.now.epoch += 1
            self.now.commits += 1
            if self.rules.seal_is_durable:
                self.flush()
        if self.rules.marks_seals:
            self.marked = (self.now.replica, epoch)
        return epoch

    def batch(self, epoch):
        """What is pending of all epochs up to one, with its values as they are in this version."""
        return [change for key, pending in self.now.pending.items()
                if (change := self.change(key, pending, self.now.objects.get(key) or Object(), epoch))]

    def change(self, key, pending, here, epoch):
        is_due = lambda item: item is not None and (item.replica != self.now.replica or item.epoch <= epoch)
        due = {path: item for path, item in pending.items.items() if is_due(item)}
        registers = [(path, item, here.value(path)) for path, item in due.items() if is_register(path)]
        members = [(path[1], item, path[1] in here.members) for path, item in due.items() if path[0] == "set"]
        values = {one.identity: one.value for one in here.elements}
        elements = [(path[1], path[2], item, values.get(path[1])) for path, item in due.items() if path[0] == "list"]
        elements.sort(key=self.place)
        deltas = {name: delta for name, delta in pending.deltas.items() if name[0] != self.now.replica or name[1] <= epoch}
        gone, new = (item if is_due(item) else None for item in (pending.gone, pending.new))
        if not (gone or new or registers or members or elements or deltas):
            return None
        return Change(key, gone, new, registers, members, elements, deltas)

    def place(self, entry):
        """In the order in which positions were made, of the files that this one was copied from first; then what needs none."""
        node = entry[2].node
        if node is None:
            return 1, 0, 0
        copied = list(self.now.copied)
        if node[0] != self.now.replica and node[0] not in copied:
            return 0, -1, 0             # of an object that was created again: in the order of the list
        return 0, copied.index(node[0]) if node[0] in copied else len(copied), node[1]

    def own(self):
        """The replicas that the file was, and is."""
        return [*self.now.copied, self.now.replica]

    # A copied file

    def needs_identity(self):
        """Whether this file is a copy: another inode, or one that has been put back to before an epoch that was sealed."""
        now = self.now
        is_elsewhere = self.rules.compares_inode and now.home != self.inode
        is_older = self.rules.marks_seals and (self.marked[0] != now.replica or self.marked[1] >= now.epoch or now.commits < self.closed)
        return is_elsewhere or is_older or self.has_lost

    def take_identity(self):
        """A new replica. What is pending keeps the replica and epoch that it was written under, which say whether it was applied."""
        now = self.now
        is_used = self.is_used()
        old, now.replica = now.replica, self.world.new_replica()
        now.commits += 1
        self.world.log(f"file {self.number} was replica {old}, is replica {now.replica}")
        self.world.holders[now.replica] = self.number
        if is_used:
            now.copied = {**now.copied, old: (now.epoch, now.clock)}
        now.home, now.epoch, now.identities = self.inode, 1, 0
        self.has_lost = False
        if not self.rules.keeps_origins:
            rename = lambda item: item and item._replace(replica=now.replica, epoch=1)
            for pending in now.pending.values():
                pending.gone, pending.new = rename(pending.gone), rename(pending.new)
                pending.items = {path: rename(item) for path, item in pending.items.items()}
                pending.deltas = {(now.replica, 1): (sum(amount for amount, _ in pending.deltas.values()),
                                                     sum((ids for _, ids in pending.deltas.values()), ()))} if pending.deltas else {}
        self.marked = (now.replica, 0)
        self.flush()
        self.world.counters["new identities"] += 1

    def is_used(self):
        """Whether something was written under the present identity; else nobody has to know of it."""
        now = self.now
        items = [item for pending in now.pending.values() for item in (pending.gone, pending.new, *pending.items.values()) if item]
        replicas = {item.replica for item in items} | {name[0] for pending in now.pending.values() for name in pending.deltas}
        return now.epoch > 1 or now.identities > 0 or now.replica in replicas

    # The check

    def violates(self):
        """Invariant: what is pending, replayed on the last state of the server, gives the local state."""
        now = self.now
        for key in now.base.keys() | now.pending.keys() | now.objects.keys():
            here = now.objects.get(key)
            made = overlay(now.base.get(key), now.pending.get(key), here or Object())
            if (made is None) != (here is None) or (here is not None and made.shown() != here.shown()):
                return key
        return None
