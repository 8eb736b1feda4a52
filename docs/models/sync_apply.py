"""How a file of `sync_model.py` takes an answer of the server: cursor, state and pending change in one commit."""

from sync_types import NOTHING, Item, Object, Pending, note_neighbours, overlay

REACH = 12          # a round trip longer than this says nothing about the device's clock


class Application:
    """One answer, applied to the newest version of a file."""

    def __init__(self, file, answer):
        self.file = file
        self.now = file.now
        self.answer = answer
        self.rules = file.rules
        self.judge = file.world.judge
        self.cleared = {}               # key -> paths that the server has processed

    def is_due(self):
        """Whether it answers what the file would ask now: another may have been applied meanwhile."""
        now, answer = self.now, self.answer
        if answer.replica != now.replica:
            return False
        return not self.rules.checks_cursor or answer.asked == (now.history, now.cursor)

    def apply(self):
        now, answer = self.now, self.answer
        now.commits += 1
        before = {key: here.copy() for key, here in now.objects.items()}
        self.shadowed = {key for key, pending in now.pending.items() if pending.gone}
        is_other_history = now.history not in (0, answer.history)
        if self.rules.clears_by == "answer":
            self.clear(answer.known)
        gone = dict(answer.gone)
        if answer.is_full:
            # A pending deletion stays: the object may have reached the server after its snapshot.
            gone.update((key, "left") for key in now.objects if key not in answer.rows and key not in gone)
            for key in [key for key in now.base if key not in answer.rows]:
                del now.base[key]
        for key, reason in gone.items():
            self.remove(key, reason)
        for key, row in answer.rows.items():
            self.update(key, row)
        for rejection in answer.rejections:
            self.take_rejection(*rejection)
        if self.rules.checks_unique:
            self.keep_unique()
        now.history, now.cursor = answer.history, answer.cursor
        self.set_clock()
        self.judge.applied(self.file, self.answer, before, is_other_history)

    # What the server has processed

    def clear(self, known):
        """Forgets what is pending of epochs that the answer contains."""
        for key, pending in list(self.now.pending.items()):
            # What a copied file has inherited went out with its first epoch.
            is_done = lambda replica, epoch: epoch <= known if replica == self.now.replica else known > 0
            done = [path for path, item in pending.items.items() if is_done(item.replica, item.epoch)]
            tokens = [pending.items[path].token for path in done]
            for path in done:
                self.cleared.setdefault(key, {})[path] = pending.items.pop(path)
            for name in [name for name in pending.deltas if is_done(*name)]:
                tokens += pending.deltas.pop(name)[1]
            for name in ("gone", "new"):
                item = getattr(pending, name)
                if item and is_done(item.replica, item.epoch):
                    tokens.append(item.token)
                    setattr(pending, name, None)
            self.judge.cleared(tokens, self.file)
            if pending.is_empty():
                del self.now.pending[key]

    # Objects

    def remove(self, key, reason):
        """Another has deleted the object, or it has left what the user sees. What is pending of it is dropped, and reported."""
        now = self.now
        now.base.pop(key, None)
        pending = now.pending.get(key)
        if pending and pending.new:
            if pending.gone:
                self.judge.excuse(pending.gone.token)
            pending.gone = None             # created here, and not sent yet: the object stays
        elif reason == "deleted" and key[0] == "u" and pending and pending.items and key in now.objects and self.rules.judges_again:
            self.create_again(key, pending)
        elif reason == "left" and pending and not self.rules.leaves_with_pending:
            return
        else:
            if pending:
                self.judge.report(self.file, pending.tokens(), reason)
                del now.pending[key]
            now.objects.pop(key, None)
            if not self.rules.keeps_links:
                for here in now.objects.values():
                    if here.value("link") == key:
                        here.registers["link"] = (None, here.registers["link"][1])
            return
        self.show(key, None)

    def create_again(self, key, pending):
        """The object was changed here and deleted elsewhere, and its class says that changes win: it is created anew, whole, since the
        next batch's cursor will say that this device knew of the deletion."""
        file, here, stamp = self.file, self.now.objects[key], self.file.stamp()
        self.judge.superseded(pending)
        pending.gone, pending.new = None, file.item(stamp, "new", key)
        pending.items = {}
        for path, (value, _) in here.registers.items():
            pending.items[path] = item = file.item(stamp, path, key)
            here.registers[path] = (value, item.token)
        for element in here.members:
            pending.items["set", element] = file.item(stamp, ("set", element), key)
        elements = []
        for one in here.elements:           # under the same identities: another device may create the object again too
            path = ("list", one.identity, "ins")
            pending.items[path] = item = file.item(stamp, path, key, one.node)
            elements.append(one._replace(token=item.token))
        here.elements = tuple(elements)
        self.file.world.runs.move(note_neighbours(pending, here.elements, self.file.own()), here.elements)
        self.file.world.counters["created again"] += 1

    def update(self, key, row):
        now = self.now
        pending = now.pending.get(key)
        if pending and self.rules.judges_again:
            # The next batch's cursor says that this device knows the row: what is pending has to mean the same then.
            if pending.gone and (row.is_born or (key[0] == "u" and row.others and not pending.new)):
                self.judge.report(self.file, [pending.gone.token], "updated")
                pending.gone = None
            if pending.new and not pending.gone:
                self.judge.excuse(pending.new.token)
                pending.new = None
        if not self.rules.judges_again:
            row = row._replace(fresh=frozenset())
        old = now.base.get(key)
        now.base[key] = row._replace(fresh=frozenset(), others=False, is_born=False)
        self.resolve(key, row, old)
        self.show(key, row)

    def resolve(self, key, row, old):
        """The application's function merges a property that was changed here and elsewhere; its result is a new local change."""
        pending = self.now.pending.get(key)
        here = self.now.objects.get(key)
        theirs = row.registers.get("z", NOTHING)
        item = pending and pending.items.get("z")
        lost = self.cleared.get(key, {}).get("z")
        refused = lost and any(rejection[3] == lost.token and rejection[2] == "conflict" for rejection in self.answer.rejections)
        if not self.rules.resolves or here is None or not (refused or item) or pending and pending.gone:
            return
        old = None if key in self.shadowed else old
        is_new = theirs[3] is not None and theirs[3] != (old.registers.get("z", NOTHING)[3] if old else None)
        mine = here.value("z") or frozenset()
        merged = mine | (theirs[0] or frozenset())
        if not refused and not is_new:
            return
        for replaced in filter(None, (item, lost if refused else None)):
            self.judge.report(self.file, [replaced.token], "resolved")
        if merged == theirs[0]:
            if item:
                del pending.items["z"]
            return
        self.now.clock = max(self.now.clock, theirs[1] or 0)
        pending = self.now.pending.setdefault(key, Pending())
        made = Item(self.file.stamp(), self.now.replica, self.now.epoch, self.judge.token())
        self.judge.written(made, self.file, key, "z", after=(theirs[3],))
        pending.items["z"] = made
        here.registers["z"] = (merged, made.token)

    def show(self, key, row):
        """The object is the row with what is pending."""
        now = self.now
        pending, here = now.pending.get(key), now.objects.get(key)
        dropped = []
        made = overlay(row, pending, here or Object(), dropped)
        for path in dropped:
            self.judge.report(self.file, [pending.items.pop(path).token], "beaten")
        if pending and pending.is_empty():
            del now.pending[key]
        if made is None:
            now.objects.pop(key, None)
        else:
            made.born = here.born if here else 0
            if pending:
                moved = note_neighbours(pending, made.elements, self.file.own(), self.rules.names_shown)
                self.file.world.runs.move(moved, made.elements)
            now.objects[key] = made

    def take_rejection(self, key, path, reason, token):
        """The program is told: object, property, reason."""
        self.judge.report(self.file, [token], reason)

    def keep_unique(self):
        """A value that the server has for another object wins over a pending one, which becomes null and is reported."""
        holders = {}
        for key, here in self.now.objects.items():
            if here.value("name") is not None:
                holders.setdefault(here.value("name"), []).append(key)
        for keys in holders.values():
            for key in keys if len(keys) > 1 else ():
                item = key in self.now.pending and self.now.pending[key].items.get("name")
                if not item:
                    continue
                self.judge.report(self.file, [item.token], "not unique")
                made = Item(self.file.stamp(), self.now.replica, self.now.epoch, self.judge.token())
                self.judge.written(made, self.file, key, "name", after=(item.token,))
                self.now.pending[key].items["name"] = made
                self.now.objects[key].registers["name"] = (None, made.token)

    # Clocks

    def set_clock(self):
        """Remembers the highest stamp seen, and learns how wrong the device's clock is: what is pending is stamped anew then."""
        from sync_server import LIMIT, TICKS
        now, answer, file = self.now, self.answer, self.file
        stamps = [register[1] for row in answer.rows.values() for register in row.registers.values()]
        if self.rules.reads_stamps:
            now.seen = max([now.seen, *stamps])
        now.clock = max(now.clock, now.seen)
        if not file.world.time - answer.sent <= REACH:
            return
        now.is_told = self.rules.judges_clocks
        if not self.rules.tells_offset:
            return
        offset = answer.time - file.wall_clock()
        if abs(offset - now.offset) > LIMIT // 2:
            now.offset = offset
            self.file.world.counters["offsets learned"] += 1
        limit = (answer.time + LIMIT) * TICKS
        if now.clock > limit and self.rules.sets_clock_back:
            now.clock = max(now.seen, answer.time * TICKS)
            self.stamp_anew(limit)
        file.process_clock = now.clock

    def stamp_anew(self, limit):
        """Stamps beyond what the server accepts are replaced, in their order, by ones above every stamp seen. Inherited ones stay: the
        server replaces them, alike for all files that have them."""
        items = [(pending, path, item) for pending in self.now.pending.values() for path, item in pending.items.items()
                 if item.stamp > limit and item.replica == self.now.replica]
        fresh = {stamp: self.file.stamp() for stamp in sorted({item.stamp for _, _, item in items})}
        for pending, path, item in items:
            pending.items[path] = item._replace(stamp=fresh[item.stamp])
            self.judge.stamped(pending.items[path])
        self.file.world.counters["stamped anew"] += len(items)
