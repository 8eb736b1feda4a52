"""Blocks, references, roots and free space of the simulated file.

The file holds one top block per version; it refers to one block per table (each of which refers to one leaf
per key) and to the space log (one folded map and a few chunks of deltas). So a commit always replaces blocks
of several trees: leaves, their table blocks, the log, the top. Parents vouch for children: a reference carries
the serial number of the block, which stands for its checksum.
"""

import collections

CELLS = 5               # blocks in a page

Block = collections.namedtuple("Block", "kind name birth serial payload")
Reference = collections.namedtuple("Reference", "page cell birth serial")
Top = collections.namedtuple("Top", "tables fold log")

# What one commit did to the space: pages it took [(page, blocks)], blocks it freed [(page, birth)].
Delta = collections.namedtuple("Delta", "version taken freed")

# One page in the space map: when written, how many blocks, how many of them dead, when the last one died.
PageState = collections.namedtuple("PageState", "birth blocks dead last_death")

# A root record: `identity` stands for the record's checksum and is unique over the whole trace.
Root = collections.namedtuple("Root", "version top length full identity")

SlotRecord = collections.namedtuple("SlotRecord", "root base")          # S0, S1
VolatileRecord = collections.namedtuple("VolatileRecord", "root boot")  # V0, V1
Confirmed = collections.namedtuple("Confirmed", "version identity")


class Damaged(Exception):
    """A block does not match the reference that led to it."""

    def __init__(self, page):
        super().__init__(page)
        self.page = page


def read_block(storage, reference):
    page = storage.read(reference.page)
    if isinstance(page, tuple) and reference.cell < len(page):
        block = page[reference.cell]
        if block is not None and block.serial == reference.serial:
            return block
    raise Damaged(reference.page)


def children(block):
    if block.kind == "top":
        return block.payload.tables + (block.payload.fold,) + block.payload.log
    if block.kind == "table":
        return block.payload
    return ()


def walk(storage, reference, base):
    """Yields every (reference, block) born after `base`. Raises Damaged."""
    if reference.birth <= base:
        return
    block = read_block(storage, reference)
    yield reference, block
    for child in children(block):
        yield from walk(storage, child, base)


def verifies(storage, root, base):
    try:
        for _ in walk(storage, root.top, base):
            pass
        return True
    except Damaged:
        return False


def rewrite_pages(storage, root, base, point):
    """Writes the same bytes again to every page that holds a block of `root` born after `base`. A generator;
    False if a block is gone (checked page by page, as it is read: the kernel may drop a page at any time)."""
    pages = {}
    try:
        for reference, _ in walk(storage, root.top, base):
            pages.setdefault(reference.page, []).append(reference)
        for page, references in sorted(pages.items()):
            for reference in references:
                read_block(storage, reference)
            storage.write(page, storage.read(page))
            yield point
    except Damaged:
        return False
    return True


# Free space

def apply_delta(space, delta):
    for page, blocks in delta.taken:
        space[page] = PageState(delta.version, blocks, 0, 0)
    for page, _ in delta.freed:
        state = space[page]
        space[page] = state._replace(dead=state.dead + 1, last_death=delta.version)


def load_space(storage, root):
    """Derives the space map of a version from the file alone: the fold, then the deltas after it."""
    top = read_block(storage, root.top).payload
    fold_version, states = read_block(storage, top.fold).payload
    space = dict(states)
    for reference in top.log:
        delta = read_block(storage, reference).payload
        if delta.version > fold_version:
            apply_delta(space, delta)
    return space


def is_reusable(space, page, held):
    """Rule: every block in it is dead, and no held version lies in [birth, last death)."""
    state = space.get(page)
    if state is None:
        return True
    if state.dead < state.blocks:
        return False
    return not any(state.birth <= version < state.last_death for version in held)
