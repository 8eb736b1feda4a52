"""Lays the new blocks of one commit into pages."""

import commit_blocks as blocks
from commit_blocks import Block, Delta, Reference, Root, Top, apply_delta, is_reusable, read_block


class Plan:
    def __init__(self, root, pages, space):
        self.root = root
        self.pages = pages
        self.space = space
        self.space_before = {}


class Planner:
    """Lays the new blocks of one commit into whole free pages."""

    def __init__(self, process, parent, space, held, is_full):
        self.process = process
        self.trial = process.trial
        self.random = process.random
        self.storage = process.storage
        self.parent = parent
        self.space = space
        self.held = held
        self.is_full = is_full
        self.version = max(parent.version, process.memory.version_floor) + 1
        self.old_top = read_block(self.storage, parent.top)

    def plan(self):
        changes = self.choose_changes()
        folds = len(self.old_top.payload.log) >= self.trial.rules.log_chunks
        count = sum(len(keys) for keys in changes.values()) + len(changes) + (3 if folds else 2)
        length, free = self.free_pages((count + blocks.CELLS - 1) // blocks.CELLS)
        if free is None:
            self.trial.counters["file full"] += 1
            return None
        places = [(page, cell) for page in free for cell in range(blocks.CELLS)][:count]
        return self.build(changes, folds, places, length)

    def choose_changes(self):
        """One to three leaves, often in more than one table."""
        tables = range(len(self.old_top.payload.tables))
        changes = {}
        for _ in range(self.random.choice((1, 1, 2, 3))):
            table = self.random.choice(tables)
            changes.setdefault(table, set()).add(self.random.randrange(self.trial.rules.keys))
        return changes

    def free_pages(self, need):
        length = self.parent.length
        free = [page for page in range(length) if is_reusable(self.space, page, self.held)]
        self.random.shuffle(free)
        if self.random.random() < 0.5:      # the page freed last first: the hardest test of `held`
            free.sort(key=lambda page: -self.space[page].last_death if page in self.space else 0)
        while len(free) < need and length < self.trial.rules.maximum_pages:
            free.append(length)
            length += 1
            self.trial.counters["file grown"] += 1
        return (length, sorted(free[:need])) if len(free) >= need else (length, None)

    def build(self, changes, folds, places, length):
        places = iter(places)
        pages = {}
        freed = [self.parent.top]

        def put(kind, name, payload):
            page, cell = next(places)
            block = Block(kind, name, self.version, self.trial.next_serial(), payload)
            cells = pages.setdefault(page, [])
            cells.append(block)
            return Reference(page, len(cells) - 1, self.version, block.serial)

        tables = list(self.old_top.payload.tables)
        for table, keys in sorted(changes.items()):
            leaves = list(read_block(self.storage, tables[table]).payload)
            freed.append(tables[table])
            for key in sorted(keys):
                freed.append(leaves[key])
                leaves[key] = put("leaf", (table, key), None)
            tables[table] = put("table", table, tuple(leaves))
        fold, log = self.old_top.payload.fold, self.old_top.payload.log
        if folds:
            freed.extend((fold,) + log)
            fold = put("fold", None, (self.parent.version, tuple(sorted(self.space.items()))))
            log = ()
        delta_place = next(places)
        top_place = next(places)
        for page, _ in (delta_place, top_place):
            pages.setdefault(page, [])
        used = {page: len(cells) for page, cells in pages.items()}
        for page, _ in (delta_place, top_place):
            used[page] += 1
        delta = Delta(self.version, tuple(sorted(used.items())),
                      tuple((reference.page, reference.birth) for reference in freed))
        places = iter((delta_place, top_place))
        log += (put("log", None, delta),)
        top = put("top", None, Top(tuple(tables), fold, log))
        apply_delta(self.space, delta)
        root = Root(self.version, top, length, self.is_full, self.trial.next_identity(self.parent))
        return Plan(root, {page: tuple(cells) for page, cells in pages.items()}, self.space)

    def plan_beside_live_blocks(self):
        """The shortcut: put single blocks into dead places of pages that still hold live ones."""
        live = set()
        for version in self.held:
            for reference, _ in blocks.walk(self.storage, self.trial.history[version].top, -1):
                live.add((reference.page, reference.cell))
        changes = self.choose_changes()
        count = sum(len(keys) for keys in changes.values()) + len(changes) + 2
        free = [(page, cell) for page in range(self.trial.rules.maximum_pages)
                for cell in range(blocks.CELLS) if (page, cell) not in live]
        self.random.shuffle(free)
        if len(free) < count:
            return None
        places = iter(free)
        pages = {}

        def put(kind, name, payload):
            page, cell = next(places)
            block = Block(kind, name, self.version, self.trial.next_serial(), payload)
            if page not in pages:
                old = self.storage.read(page)
                cells = list(old) if isinstance(old, tuple) else []
                pages[page] = cells + [None] * (blocks.CELLS - len(cells))
            pages[page][cell] = block
            return Reference(page, cell, self.version, block.serial)

        tables = list(self.old_top.payload.tables)
        for table, keys in sorted(changes.items()):
            leaves = list(read_block(self.storage, tables[table]).payload)
            for key in sorted(keys):
                leaves[key] = put("leaf", (table, key), None)
            tables[table] = put("table", table, tuple(leaves))
        fold = put("fold", None, (self.version, ()))
        top = put("top", None, Top(tuple(tables), fold, ()))
        root = Root(self.version, top, self.trial.rules.maximum_pages, self.is_full,
                    self.trial.next_identity(self.parent))
        return Plan(root, {page: tuple(cells) for page, cells in pages.items()}, self.space)
