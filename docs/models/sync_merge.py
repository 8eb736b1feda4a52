"""How the server of `sync_model.py` merges one batch: lives, registers, sets, counters, lists, unique values, rights."""

from simulation import Violation
from sync_types import EVERYONE, View


class Merge:
    """One batch, in one transaction.

    The batch's cursor says what its writer had seen: `knows` is how the server tells concurrent changes from later ones. No version
    vector, no count of lives and no stamp of an acknowledged value is kept on devices."""

    def __init__(self, server, push, transaction, visible):
        self.server = server
        self.rules = server.rules
        self.state = server.state
        self.push = push
        self.transaction = transaction
        self.visible = visible
        self.ledger = self.state.ledger(push.replica)
        self.applied = {replica: ledger.epoch for replica, ledger in self.state.ledgers.items()}
        # A copied file pushes what the first one had pending: its writes are the copy's too.
        self.selves = {push.replica} | {item[0] for change in push.changes for item in self.origins(change)}
        self.stamps = {}
        self.set_names = []             # keys whose name this batch has set

    @staticmethod
    def origins(change):
        items = [change.gone, change.new] + [one[1] for one in change.registers + change.members] + [one[2] for one in change.elements]
        return {(item.replica, item.epoch) for item in items if item} | set(change.deltas)

    def is_applied(self, replica, epoch):
        """Each entry is applied once: its epoch says whether it was, whatever batch brings it. Of an epoch that was open when the
        file was copied, the two files may have made different things: it is applied again, to the same effect."""
        if replica != self.push.replica and self.applied.get(self.push.replica, 0) > 0:
            return True                 # what a copy has inherited is in its first batch
        return self.rules.applies_once and epoch <= self.applied.get(replica, 0) and self.push.copied.get(replica, (None,))[0] != epoch

    def has_seen(self, key, transaction):
        """Whether the writer's device had what a transaction made of an object. A cursor says nothing of what its user did not see."""
        views = [self.state.views.get((viewer, key), View()) for viewer in (EVERYONE, self.push.user)]
        if self.rules.asks_views and not any(view.was_seen(self.push.cursor, self.rules.remembers_views) for view in views):
            return False
        return self.push.cursor.contains(transaction)

    def knows(self, key, transaction, replica):
        if replica == self.push.replica:
            return True
        has_seen = self.has_seen(key, transaction)
        if has_seen and key not in self.push.bases:
            raise Violation("a device is taken to have seen what its user did not see")
        return has_seen

    def note(self, item, fate):
        if self.state.fates.get(item.token) in (None, "refused"):       # one copy's may be refused, and another's taken
            self.state.fates[item.token] = fate

    def reject(self, change, path, item, reason):
        if self.state.fates.get(item.token) is None:
            self.state.fates[item.token] = "refused"
            self.state.refusers[item.token] = self.push.replica
        self.ledger.rejections.append((self.transaction, change.key, path, reason, item.token))

    # Stamps

    def assign_stamps(self):
        """Clamps what is ahead of the server's clock, but not below what its writer had seen; keeps the order within the batch."""
        from sync_server import LIMIT, TICKS
        items = [one[1] for change in self.push.changes for one in change.registers]
        items += [one[2] for change in self.push.changes for one in change.elements]
        ledgers = [self.state.ledger(replica) for replica in self.selves]
        now, last = self.server.world.time * TICKS, 0
        if self.rules.raises_stamps:
            now = max([now] + [ledger.clamped + 1 for ledger in ledgers])
        for stamp, replica in sorted({(item.stamp, item.replica) for item in items}):
            # One that was replaced before is replaced alike, also when it is not ahead any more.
            given = self.state.replaced.get((replica, stamp)) if self.rules.replaces_once else None
            if given is None and (not self.rules.clamps or stamp <= (self.server.world.time + LIMIT) * TICKS):
                self.stamps[replica, stamp] = last = stamp
                continue
            self.server.world.counters["stamps clamped"] += 1
            if given is None:
                given = max(now, self.push.seen + 1, last + 1) if self.rules.clamps_above_seen else max(now, last + 1)
                self.state.replaced[replica, stamp] = given
            self.stamps[replica, stamp] = given
            last = max(last, given)
            for ledger in ledgers:
                ledger.clamped = max(ledger.clamped, last)

    def note_lineage(self):
        """What the writer's file was before; each of these was what stands before it."""
        before = {}
        for replica, known in self.push.copied.items():
            if before:
                self.state.lineages.setdefault(replica, dict(before))
            before[replica] = known
        if before:
            self.state.lineages[self.push.replica] = before

    def lineage(self, item, old):
        """1 if the file made the item after the write that is there, -1 if before, 0 if that is not known: by the epochs of its
        identities, since stamps ahead are replaced by the server and on devices."""
        _, _, replica, _, transaction, epoch, given = old
        if not self.rules.reads_lineage:
            return int(item.replica == self.push.replica == replica and item.epoch > epoch)
        if item.replica == replica:
            if item.epoch != epoch:
                return 1 if item.epoch > epoch else -1
            if item.replica == self.push.replica:
                return 1                    # a copied file has brought a part of the epoch
            if transaction == self.transaction:
                return 0                    # an element that was inserted and moved
            return -1 if item.epoch <= self.applied.get(replica, 0) else 0
        has = lambda known, at, stamp: known is not None and (at < known[0] or (at == known[0] and stamp <= known[1]))
        if has(self.state.lineages.get(item.replica, {}).get(replica), epoch, given):
            return 1
        return -1 if has(self.state.lineages.get(replica, {}).get(item.replica), item.epoch, item.stamp) else 0

    def stamp(self, item, old):
        """A file's later write is above its earlier one, whatever its clock said then."""
        stamp = self.stamps[item.replica, item.stamp]
        is_later = old and self.rules.raises_stamps and self.lineage(item, old) > 0
        return max(stamp, old[1] + 1) if is_later else stamp

    def is_later(self, stamp, item, old):
        if self.rules.raises_stamps and self.lineage(item, old) < 0:
            return False
        return (stamp, item.replica) > (old[1], old[2])

    # Objects

    def apply(self):
        self.note_lineage()
        self.assign_stamps()
        changes = self.push.changes
        touched = []
        for change in changes:              # lives first: an object may link to one that comes later, and values need their owner
            self.ledger.owed[change.key] = self.transaction
            if self.admit(change):
                touched.append(change)
        for change in touched:
            self.apply_contents(change)
        self.keep_unique()

    def admit(self, change):
        """Applies deletion and creation. Whether there is an object that the contents are for."""
        row = self.state.rows.get(change.key)
        is_hidden = row is not None and row.is_alive and change.key not in self.visible
        if is_hidden and self.rules.checks_rights:
            self.void(change, "not visible")
            return False
        for item, act in ((change.gone, self.delete), (change.new, self.create)):
            if item and not self.is_applied(item.replica, item.epoch):
                act(change.key, item)
        row = self.state.rows.get(change.key)
        if row is not None and not row.is_alive and self.updates_win(change.key) and self.has_contents(change):
            self.resurrect(change.key, row)
        if row is not None and row.is_alive:
            self.server.world.judge.check_life(self, change, row)
        if row is None or not row.is_alive or not self.means_this_life(change.key, row):
            self.void(change, "deleted")
            return False
        return True

    @staticmethod
    def updates_win(key):
        return key[0] == "u"

    def has_contents(self, change):
        return any(not self.is_applied(*origin) for origin in self.origins(change._replace(gone=None, new=None)))

    def means_this_life(self, key, row):
        """Whether the writer had this life of the object, or has created it."""
        return not self.rules.checks_lives or self.has_seen(key, row.birth) or bool(self.selves & row.births)

    def delete(self, key, item):
        row = self.state.rows.get(key)
        self.note(item, "won")
        if row is None or not row.is_alive or not self.means_this_life(key, row):
            return
        if self.updates_win(key) and any(not self.knows(key, transaction, replica) for replica, transaction in row.changed.items()):
            self.state.fates[item.token] = "beaten"
            return
        row.is_alive = False
        row.death = (self.transaction, item.replica)
        row.last = row.changed[self.push.replica] = self.transaction
        for register in row.registers.values():
            self.state.fates[register[3]] = "overwritten"
        for value, _, _ in row.elements.values():
            self.state.fates[value[3]] = "overwritten"
        if not self.updates_win(key):
            row.wipe()

    def create(self, key, item):
        """A creation that meets a deleted object begins a new life; one that meets another creation joins it."""
        from sync_server import ServerRow
        row = self.state.rows.get(key)
        self.note(item, "won")
        if row is None or not row.is_alive:
            row = self.state.rows[key] = ServerRow(self.transaction)
        row.births.add(item.replica)
        row.births.add(self.push.replica)
        row.last = row.changed[self.push.replica] = self.transaction

    def resurrect(self, key, row):
        """A change that did not know of the deletion ends it, if the class says so."""
        if not self.knows(key, *row.death) and self.means_this_life(key, row):
            row.is_alive = True
            row.last = row.changed[self.push.replica] = self.transaction
            self.server.world.counters["resurrected"] += 1
            if self.rules.unique_after_all and row.value("name") is not None:
                self.set_names.append(key)

    def void(self, change, reason):
        items = [(path, item) for path, item, _ in change.registers] + [(("set", e), item) for e, item, _ in change.members]
        items += [(("list", identity, kind), item) for identity, kind, item, _ in change.elements]
        items += [("gone", change.gone), ("new", change.new)]
        for path, item in items:
            if item and not self.is_applied(item.replica, item.epoch) and self.state.fates.get(item.token) in (None, "refused"):
                self.reject(change, path, item, reason)
        for (replica, epoch), (_, ids) in change.deltas.items():
            if not self.is_applied(replica, epoch):
                self.state.fates.update((one, "void") for one in ids)

    # Contents

    def apply_contents(self, change):
        row = self.state.rows[change.key]
        before = row.last
        for path, item, value in sorted(change.registers, key=lambda one: one[0] != "emb"):
            if not self.is_applied(item.replica, item.epoch):
                self.set_register(change, row, path, item, value)
        for element, item, is_member in change.members:
            if not self.is_applied(item.replica, item.epoch):
                self.set_member(row, change.key, element, item, is_member)
        self.beside = {item.node: (item.left, item.right) for _, _, item, _ in change.elements if item.node}
        for identity, kind, item, value in change.elements:
            if not self.is_applied(item.replica, item.epoch):
                self.change_element(row, change.key, identity, kind, item, value)
        for (replica, epoch), delta in change.deltas.items():
            if not self.is_applied(replica, epoch) and (epoch > self.applied.get(replica, 0) or not self.rules.applies_once):
                self.count(row, change.key, replica, epoch, *delta)
        if row.last != before or row.last == self.transaction:
            row.changed[self.push.replica] = self.transaction

    def set_register(self, change, row, path, item, value):
        old = row.registers.get(path)
        if path == "r" and self.rules.checks_rights and self.push.user not in self.state.admins:
            return self.reject(change, path, item, "not allowed")
        if path == "z" and old and self.rules.resolves and not self.knows(change.key, old[4], old[2]):
            return self.reject(change, path, item, "conflict")
        stamp = self.stamp(item, old)
        is_inside_other = path[0] == "emb" and path != "emb" and path[1] != row.value("emb")
        if is_inside_other or (old and not self.is_later(stamp, item, old) and path != "z"):
            if old and not is_inside_other and (old[2] == self.push.replica or old[2] not in self.selves):
                self.server.world.judge.check_beaten(item, old[3])
            return self.note(item, "beaten")
        self.server.world.judge.check_win(self.push, change, item, old, path, value)
        self.server.put(row, path, (value, stamp, item.replica, item.token, self.transaction, item.epoch, item.stamp))
        row.last = self.transaction
        if path == "name" and value is not None:
            self.set_names.append(change.key)
        return None

    def set_member(self, row, key, element, item, is_member):
        """Additions that the remover did not know of stay."""
        additions = row.members.setdefault(element, {})
        self.note(item, "won")
        if is_member:
            additions[self.push.replica] = self.transaction
        else:
            known = [replica for replica, transaction in additions.items() if self.knows(key, transaction, replica)]
            for replica in known if self.rules.adds_win else list(additions):
                del additions[replica]
                self.server.world.judge.check_removed(self, key, element, replica)
        if not additions:
            del row.members[element]
        row.last = self.transaction

    def count(self, row, key, replica, epoch, amount, ids):
        """Adds an epoch's sum. What a copied file has pushed of the same epoch before is not added again."""
        # After a deletion another sum begins in the same epoch, and another life of the object owes nothing to the one before.
        name = (replica, epoch, key, ids[0], row.birth) if self.rules.claims_by_life else (replica, epoch, key)
        claimed, claimed_ids = self.state.claims.get(name, (0, ()))
        if not self.rules.claims:
            claimed, claimed_ids = 0, ()
        if len(ids) > len(claimed_ids):             # both are sums of the beginning of one epoch: the longer one contains the other
            row.count += amount - claimed
            row.ids += [one for one in ids if one not in row.ids]
            if replica != self.push.replica:
                self.state.claims[name] = (amount, ids)
        self.state.fates.update((one, "won") for one in ids)
        row.last = self.transaction

    def change_element(self, row, key, identity, kind, item, value):
        found = row.elements.get(identity)
        stamp = self.stamp(item, found and found[kind == "mov"])
        register = (value, stamp, item.replica, item.token, self.transaction, item.epoch, item.stamp)
        position = (item.node, *register[1:])
        if kind == "ins":
            self.note(item, "won")
            if found is None:
                self.place(row, key, item)
                row.elements[identity] = [register, position, False]
                row.last = self.transaction
            return
        if kind == "mov":
            self.place(row, key, item)                   # even if the move loses: what was inserted there later names it
        if found is None or found[2]:
            self.note(item, "beaten")               # deleting wins
            return
        row.last = self.transaction
        if kind == "del":
            found[2] = True
            self.note(item, "won")
            self.state.fates[found[0][3]] = "overwritten"
        elif kind == "val" and self.is_later(stamp, item, found[0]):
            self.state.fates[found[0][3]] = "overwritten"
            found[0] = register
            self.note(item, "won")
        elif kind == "mov" and self.is_later(stamp, item, found[1]):
            found[1] = position
            self.note(item, "won")
        else:
            self.note(item, "beaten")

    def place(self, row, key, item):
        """Between its neighbours. What was refused, or belongs to a file that was copied, is not here: what is beside it is meant."""
        tree, sides = row.tree, []
        for side, node in enumerate((item.left, item.right)):
            while self.rules.skips_unknown and node is not None and node not in tree.nodes and node in self.beside:
                node = self.beside[node][side]
            if node is not None and node not in tree.nodes:
                base = self.push.bases.get(key)
                if base is not None and base.birth == row.birth:
                    raise Violation("a position beside one that the server does not know")
                node = None                     # of an earlier life of the object
            sides.append(node)
        if item.node not in tree.nodes:
            tree.insert(item.node, *sides, self.rules.lists_by_tree)

    # Unique values

    def keep_unique(self):
        """The first that has reached the server keeps a value; a later one becomes null, and its writer is sent the reason."""
        if not self.rules.checks_unique:
            return
        holders = {}
        for key, row in self.state.rows.items():
            if row.is_alive and row.value("name") is not None:
                holders.setdefault(row.value("name"), []).append(key)
        for keys in holders.values():
            stays = [key for key in keys if key not in self.set_names] or [min(keys)]
            for key in keys:
                if key not in stays:
                    row = self.state.rows[key]
                    _, stamp, replica, token, _, epoch, given = row.registers["name"]
                    row.registers["name"] = (None, stamp, replica, token, self.transaction, epoch, given)
                    row.last = row.changed[self.push.replica] = self.transaction
                    self.state.fates[token] = "refused"
                    self.state.refusers[token] = self.push.replica
                    self.ledger.rejections.append((self.transaction, key, "name", "not unique", token))
                    self.ledger.owed[key] = self.transaction
