"""The values of `sync_model.py`: pending changes, objects on a device, rows of an answer, and the two list algorithms.

A *register* is named by a path: "x", a property; ("map", key), an entry of a map; "emb", the embedded object, and ("emb", instance,
"f"), a property of it; ("set", element), membership; ("list", element, what), one element. Every write has a token of its own: the
judge follows it from the device where it was made to what the server made of it.
"""

from typing import NamedTuple

REPLACED, ADDED = "emb", "new"
LIST_KINDS = ("ins", "val", "mov", "del")
NOTHING = (None, None, None, None)          # a register that was never written: value, stamp, replica, token
EVERYONE = 0                                # whose views are those of all users


class View(NamedTuple):
    """Whether a user, or everyone, sees an object."""
    sees: bool = False
    since: int = 0          # the transaction since which it is so
    began: int = 0          # if it is not seen: since which it was

    def was_seen(self, cursor, remembers):
        if self.sees:
            return cursor.contains(self.since)
        return not cursor.contains(self.since) and (not remembers or cursor.contains(self.began))


class Item(NamedTuple):
    """One pending change: no value, which is read from the object when a batch is made."""
    stamp: int
    replica: int            # of the writer, and of the epoch
    epoch: int
    token: int
    node: object = None     # a list element's new position, and the positions beside it when it was made
    left: object = None
    right: object = None


class Element(NamedTuple):
    """An element of a list: its identity, the identity of its position, its value and that value's token."""
    identity: tuple
    node: tuple
    value: object
    token: int


class Pending:
    """What is pending of one object."""

    __slots__ = ("gone", "new", "items", "deltas")

    def __init__(self):
        self.gone = None        # Item: deleted
        self.new = None         # Item: created, after `gone` if that is set
        self.items = {}         # path -> Item
        self.deltas = {}        # (replica, epoch) -> (amount, ids of the increments)

    def is_empty(self):
        return not (self.gone or self.new or self.items or self.deltas)

    def copy(self):
        made = Pending()
        made.gone, made.new, made.items, made.deltas = self.gone, self.new, dict(self.items), dict(self.deltas)
        return made

    def tokens(self):
        found = [item.token for item in (self.gone, self.new, *self.items.values()) if item]
        return found + [one for _, ids in self.deltas.values() for one in ids]


class Object:
    """An object as a device has it: values with their tokens, no stamps."""

    __slots__ = ("born", "registers", "count", "members", "elements")

    def __init__(self, registers=(), count=0, members=frozenset(), elements=(), born=0):
        self.born = born                        # its incarnation on this device: another object under the same key has another
        self.registers = dict(registers)        # path -> (value, token)
        self.count = count
        self.members = members
        self.elements = tuple(elements)         # of Element

    def copy(self):
        return Object(self.registers, self.count, self.members, self.elements, self.born)

    def value(self, path):
        return self.registers.get(path, (None, None))[0]

    def shown(self):
        """The values alone, for comparisons. Properties of an embedded object that was replaced do not show."""
        instance = self.value(REPLACED)
        registers = {path: value for path, (value, _) in self.registers.items()
                     if value is not None and (path[0] != "emb" or path == REPLACED or path[1] == instance)}
        return registers, self.count, self.members, [(one.identity, one.value) for one in self.elements]


class Row(NamedTuple):
    """An object in an answer of the server. The device keeps its values, and no stamp of them."""
    registers: dict             # path -> (value, stamp, replica, token)
    count: int
    members: frozenset
    elements: tuple
    fresh: frozenset            # elements of the set added by others since the device's cursor
    others: bool                # whether another replica has changed it since then
    is_born: bool = False       # whether this life of it began since then
    birth: int = 0              # for the judge

    def object(self):
        return Object({path: (value, token) for path, (value, _, _, token) in self.registers.items()}, self.count, self.members,
                      self.elements)


EMPTY = Row({}, 0, frozenset(), (), frozenset(), False)


def is_register(path):
    return path[0] not in ("set", "list")


def overlay(row, pending, local, dropped=None):
    """State = server state ⊕ pending: the object that shows, or None. Values of what is pending are read from `local`.

    What the row has won is noted in `dropped` as paths. If nothing new has come, the result equals `local`: this is what
    `freehold check` compares."""
    if pending is None:
        return row.object() if row else None
    if pending.new and (pending.gone or row is None):
        row = EMPTY
    elif row is None or (pending.gone and not pending.new):
        return None
    made = row.object()
    lost = []
    for path, item in pending.items.items():
        if is_register(path):
            _, stamp, replica, _ = row.registers.get(path, NOTHING)
            if stamp is not None and (stamp, replica) > (item.stamp, item.replica):
                lost.append(path)
            else:
                made.registers[path] = local.registers.get(path, (None, None))
    instance = made.value(REPLACED)
    lost += [path for path in pending.items if path[0] == "emb" and path != REPLACED and path[1] != instance and path not in lost]
    members = set(made.members)
    for path in pending.items:
        if path[0] == "set":
            if path[1] in local.members:
                members.add(path[1])
            elif path[1] in row.fresh:
                lost.append(path)
            else:
                members.discard(path[1])
    made.members = frozenset(members)
    made.count += sum(amount for amount, _ in pending.deltas.values())
    made.elements = rebased(row.elements, pending, local.elements, lost)
    if dropped is not None:
        dropped += lost
    return made


def rebased(elements, pending, local, lost):
    """A list of the server with the pending changes of the local one: what is inserted or moved here follows its neighbour here."""
    if not any(path[0] == "list" for path in pending.items):
        return elements
    has = lambda identity, kind: ("list", identity, kind) in pending.items
    known = {one.identity for one in elements}
    here = {one.identity: one for one in local}
    made = []
    for one in elements:
        if has(one.identity, "del") or has(one.identity, "mov"):
            continue
        if has(one.identity, "val") and one.identity in here:
            one = one._replace(value=here[one.identity].value, token=here[one.identity].token)
        made.append(one)
    before = None
    placed = {one.identity for one in made}
    for one in local:
        is_new = has(one.identity, "ins") and one.identity not in known
        if is_new or (has(one.identity, "mov") and one.identity in known):
            at = 0 if before is None else next(i for i, other in enumerate(made) if other.identity == before) + 1
            made.insert(at, one)
            placed.add(one.identity)
        if one.identity in placed:
            before = one.identity
    for path in () if pending.new else pending.items:      # of a new object the server knows nothing, or what it knows is not here yet
        if path[0] == "list" and path[2] != "ins" and path[1] not in known and not has(path[1], "ins"):
            lost.append(path)           # the element was deleted by another
    return tuple(made)


def note_neighbours(pending, elements, own, names_shown=True):
    """What is inserted or moved stands between two elements that show and were there before it. If one of them goes, its neighbour
    stands for it: so a batch names no position that was never sent. `own`: the replicas that the file was, and is; what it made under an
    earlier one is older, and so is what others made. Returns positions that have got another neighbour, with that."""
    moved = []
    age = lambda node: (own.index(node[0]) if node[0] in own else -1, node[1])
    shown = {one.node for one in elements}
    fresh = {item.node: path for path, item in pending.items.items() if item.node}
    for node, path in fresh.items() if names_shown else ():
        if node not in shown:           # the element was moved on: nothing stands beside its first position
            pending.items[path] = pending.items[path]._replace(left=None, right=None)
    for at, one in enumerate(elements):
        if one.node not in fresh:
            continue
        path = fresh[one.node]
        item = pending.items[path]
        is_older = lambda other: age(other.node) < age(one.node) or age(other.node)[0] < 0 and other.node[0] != one.node[0]
        left, right = item.left, item.right
        if left == () or (left is not None and left not in shown and names_shown):
            left = next((other.node for other in reversed(elements[:at]) if is_older(other)), None)
        if item.left == () or (right is not None and right not in shown and names_shown):
            right = next((other.node for other in elements[at + 1:] if is_older(other)), None)
        if item.left != ():
            moved += [(one.node, new) for old, new in ((item.left, left), (item.right, right)) if old != new]
        pending.items[path] = item._replace(left=left, right=right)
    return moved


def hunks(old, new):
    """Pairs of equal positions of two short sequences: a longest common subsequence."""
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            lengths[i][j] = lengths[i + 1][j + 1] + 1 if old[i] == new[j] else max(lengths[i + 1][j], lengths[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


class Tree:
    """The positions of one list at the server: a Fugue tree. Deleted elements keep their positions."""

    def __init__(self):
        self.nodes = {}             # node -> (parent or None, side)
        self.children = {}          # (parent, side) -> nodes, ascending

    def order(self, at=None):
        for child in self.children.get((at, "left"), ()):
            yield from self.order(child)
        if at is not None:
            yield at
        for child in self.children.get((at, "right"), ()):
            yield from self.order(child)

    def is_below(self, node, above):
        while node is not None and node != above:
            node = self.nodes[node][0]
        return node == above

    def insert(self, node, left, right, is_tree=True):
        """Places a node between the two that its writer saw beside it: before the right one if that stands below the left one or alone
        is of the same replica, else below the left one. Devices keep no deleted elements: if one was between the two, the right one may
        stand elsewhere, and what others put there would part the two of one replica.

        Runs of different writers are different subtrees, whether they are typed forwards or backwards."""
        parent, side = left, "right"
        is_own = right is not None and right[0] == node[0] and (left is None or left[0] != node[0])
        if is_tree and right is not None and (is_own or self.is_below(right, left)):
            parent, side = right, "left"
        self.nodes[node] = parent, side
        siblings = self.children.setdefault((parent, side), [])
        siblings.append(node)
        if is_tree:
            siblings.sort(key=lambda one: (one[0], one[1] if side == "left" else -one[1]))
        else:
            siblings.insert(0, siblings.pop())
