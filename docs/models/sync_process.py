"""The processes on one file of `sync_model.py`: programs that commit, and the agent that exchanges messages with the server."""

from sync_apply import Application
from sync_network import Ack, Answer, Pull, Push
from sync_types import Object

PAIR = ("p1", "p2")                     # always changed together, in one transaction
NAMES = ("red", "blue", "green")


class Agent:
    """It holds the file's sync lease. It can die at every `yield`; the next one takes over from what the file says."""

    def __init__(self, file):
        self.file = file
        self.world = file.world
        self.rules = file.rules
        self.inbox = []
        self.steps = self.live()
        file.lease = self

    def live(self):
        file = self.file
        file.open()
        yield "agent.opened"
        while True:
            if file.now.pending:
                yield from self.push()
            if self.rules.cursor_is_durable:
                file.flush()
            now = file.now
            self.world.network.send(Pull(file.number, file.user, now.replica, now.history, now.cursor, now.copied, self.world.time))
            for _ in range(self.world.random.randrange(2, 8)):
                yield "agent.waiting"
                while self.inbox:
                    yield from self.receive(self.inbox.pop(0))

    def push(self):
        file = self.file
        epoch = file.seal()
        changes, cursor = file.batch(epoch), file.now.cursor
        yield "agent.sealed"
        if not self.rules.reads_at_seal:
            changes, cursor = file.batch(epoch), file.now.cursor
        now = file.now
        self.world.network.send(Push(file.number, file.user, now.replica, epoch, now.history, cursor, now.seen, now.copied, changes,
                                     dict(now.base)))
        self.world.counters["batches"] += 1
        yield "agent.sent"

    def receive(self, message):
        if isinstance(message, Ack):
            if self.rules.clears_by == "ack" and message.replica == self.file.now.replica:
                application = Application(self.file, message)
                application.clear(message.epoch)
            return
        yield "agent.received"
        application = Application(self.file, message)
        if not application.is_due():
            return
        if not self.rules.applies_at_once:
            self.file.now.history, self.file.now.cursor = message.history, message.cursor
            yield "agent.cursorSet"
        application.apply()
        yield "agent.applied"


def deliver(world, message):
    """A message arrives: at the server, or at the agent that has the file's lease now."""
    if isinstance(message, Push):
        world.server.begin(message)
    elif isinstance(message, Pull):
        world.network.send(world.server.answer(message))
    elif isinstance(message, (Ack, Answer)):
        agents = [agent for agent in world.agents if agent.file.number == message.file]
        if agents:
            world.random.choice(agents).inbox.append(message)


class Program:
    """One transaction of a program, in any language."""

    def __init__(self, file):
        self.file = file
        self.world = file.world
        self.random = file.world.random
        self.changes = {}
        self.listed = set()         # keys of lists that it has changed
        self.runs = []              # (key, values of a run that is inserted, where)

    def run(self):
        file, random = self.file, self.random
        if self.world.rules.identity_at_open:
            file.open()
        for _ in range(random.choice((1, 1, 2, 3))):
            self.edit(random.choice(self.world.rules.keys))
        if random.random() < self.world.rules.pairs:
            random.choice((self.edit_pair, self.edit_bounds))()
        is_captured = self.world.rules.captures_all or random.random() > 0.1
        is_durable = random.random() < 0.5
        file.commit(self.changes, is_durable, is_captured)
        for key, first, run in self.runs:
            for one in file.now.objects[key].elements if key in file.now.objects else ():
                if one.value in first:
                    self.world.runs.note(one.identity, run)

    def object(self, key):
        if key in self.changes:
            return self.changes[key]
        here = self.file.now.objects.get(key)
        return here.copy() if here else None

    def edit(self, key):
        random = self.random
        here = self.object(key)
        if here is None:
            if key not in self.changes and random.random() > self.world.rules.creates:
                return
            here = Object(born=self.world.unique())
            self.set(here, "x", self.world.unique())
            if random.random() < 0.3:
                self.set(here, "owner", self.file.user)
            self.changes[key] = here
        elif random.random() < self.world.rules.deletes:
            self.changes[key] = None
            if random.random() < 0.3:
                self.edit(key)              # deleted and created again in one transaction
            return
        self.changes[key] = here
        edits = (self.edit_values, self.edit_values, self.edit_list, self.edit_list, self.edit_collections, self.edit_counter)
        random.choice(edits)(key, here)

    @staticmethod
    def set(here, path, value):
        here.registers[path] = (value, here.registers.get(path, (None, None))[1])

    def edit_pair(self):
        here = [self.object(key) for key in PAIR]
        if all(here):
            value = self.world.unique()
            for key, one in zip(PAIR, here):
                self.set(one, "pair", value)
                self.changes[key] = one

    def edit_bounds(self):
        """A lower bound in one object and an upper one in the other, which no other replica changes: one is never above the other."""
        here = [self.object(key) for key in PAIR]
        if all(here):
            value = self.world.unique()
            for key, one, path in zip(PAIR, here, ("low", "high")):
                if path == "high" or self.random.random() < 0.5:
                    self.set(one, (path, self.file.now.replica), value)
                    self.changes[key] = one

    def edit_values(self, key, here):
        random, unique = self.random, self.world.unique
        what = random.choice(("x", "y", "x", "r", "owner", "name", "link", "z", "emb", "inner"))
        if what in ("x", "y", "r"):
            self.set(here, what, unique())
        elif what == "owner":
            self.set(here, "owner", random.choice((None, None, 1, 2)))
        elif what == "name":
            taken = {self.object(other).value("name") for other in self.file.now.objects.keys() | self.changes.keys() if self.object(other)}
            free = [name for name in NAMES[:self.world.rules.names] if name not in taken]
            self.set(here, "name", random.choice(free) if free else None)
        elif what == "link":
            self.set(here, "link", random.choice((None, "k1", "a", "u1")))
        elif what == "z":
            self.set(here, "z", (here.value("z") or frozenset()) | {unique()})
        elif what == "emb" or here.value("emb") is None:
            self.set(here, "emb", unique())
        else:
            self.set(here, ("emb", here.value("emb"), "f"), unique())

    def edit_collections(self, key, here):
        random = self.random
        if random.random() < 0.5:
            self.set(here, ("map", random.choice("mn")), random.choice((None, self.world.unique())))
        else:
            here.members = here.members ^ {random.choice("st")}

    def edit_counter(self, key, here):
        here.count += 1

    def edit_list(self, key, here):
        random = self.random
        elements = list(here.elements)
        if key in self.listed:
            return None                         # one change of a list in a transaction, for the judge
        self.listed.add(key)
        if not elements or random.random() < 0.55:
            return self.insert_run(key, here, elements)
        at = random.randrange(len(elements))
        draw = random.random()
        if draw < 0.35:
            del elements[at]
        elif draw < 0.6:
            elements[at] = elements[at]._replace(value=self.world.unique())
        else:
            one = elements.pop(at)
            elements.insert(random.randrange(len(elements) + 1), one)
        here.elements = tuple(elements)
        return None

    def insert_run(self, key, here, elements):
        """Types a few elements: anywhere, or at the end or the beginning of what was typed here before."""
        from sync_types import Element
        world, random = self.world, self.random
        at = random.choice((0, len(elements), random.randrange(len(elements) + 1), random.randrange(len(elements) + 1)))
        run = world.runs.run_at(elements, at, self.file.now.replica)
        values = [world.unique() for _ in range(random.choice((1, 2, 3)))]
        here.elements = tuple(elements[:at] + [Element(None, None, value, None) for value in values] + elements[at:])
        self.runs.append((key, set(values), run))
