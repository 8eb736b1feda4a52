"""Which elements of lists were typed together in `sync_model.py`, for the judge of interleaving."""


class Runs:
    """A run is a number; an element of none is its own."""

    def __init__(self, world):
        self.world = world
        self.runs = {}              # identity -> run
        self.authors = {}           # run -> replica
        self.beside = {}            # run -> runs beside which it was put
        self.within = {}            # run -> the one that it stands within

    def note(self, identity, run):
        self.runs.setdefault(identity, run)

    def of(self, one):
        return self.runs.get(one.identity, one.identity)

    def run_at(self, elements, at, replica):
        """The run that an insertion continues, or a new one."""
        still = [one for one in elements if one.identity == one.node and one.identity]
        left = [self.chain(self.of(one)) for one in elements[:at] if one in still][-1:]
        right = [self.chain(self.of(one)) for one in elements[at:] if one in still][:1]
        near = {run for chain in left + right for run in chain}
        for one in elements[max(0, at - 1):at] + elements[at:at + 1]:
            run = self.of(one)
            if one.identity and one.identity == one.node and isinstance(run, int) and self.authors.get(run) == replica:
                self.put(run, near)             # what stands on its other side is seen, too
                return run
        made = self.world.unique()
        self.authors[made] = replica
        self.put(made, near)
        common = [run for run in right[0] if run in left[0]] if left and right else ()
        if common:
            self.within[made] = common[0]
        return made

    def put(self, run, near):
        self.beside.setdefault(run, set()).update(near)

    def move(self, neighbours, elements):
        """Positions have got other neighbours, as their own ones are gone. So their runs are beside those, as if they had been begun
        there; and where the list shows a run parted, its file has seen that: what stands together there is a run of its own."""
        for position, neighbour in neighbours:
            self.part(position, [one for one in elements if one.identity == one.node])
            if neighbour is not None:
                self.put(self.runs.get(position, position), self.chain(self.runs.get(neighbour, neighbour)))

    def part(self, position, still):
        known, places = self.runs.get(position), [one.node for one in still]
        if known is None or position not in places:
            return
        is_same = [self.runs.get(one.identity) == known for one in still]
        start = end = places.index(position)
        while start > 0 and is_same[start - 1]:
            start -= 1
        while end < len(still) and is_same[end]:
            end += 1
        if any(is_same[:start]) or any(is_same[end:]):
            made = self.world.unique()
            self.authors[made] = self.authors[known]
            if known in self.within:
                self.within[made] = self.within[known]
            self.put(made, {known})
            for one in still[start:end]:
                self.runs[one.identity] = made

    def chain(self, run):
        found = [run]
        while found[-1] in self.within:
            found.append(self.within[found[-1]])
        return found

    def are_in_order(self, order):
        """Whether elements inserted as one run are together, but for what was moved, or put between them by one who saw them."""
        places = {}
        for at, one in enumerate(order):
            places.setdefault(self.of(one), []).append(at)
        for run, found in places.items():
            for at in range(found[0], found[-1]):
                if not any(self.may_stand_in(other, run) for other in self.chain(self.of(order[at]))):
                    return False
        return True

    def may_stand_in(self, other, run):
        """One that was put beside the other was put there by one who saw it: the other may have gone on behind it."""
        return other == run or self.is_beside(other, run) or self.is_beside(run, other)

    def is_beside(self, run, other):
        """Whether a run was put beside another, or beside one that was."""
        found, waiting = {run}, [run]
        while waiting:
            near = self.beside.get(waiting.pop(), set()) - found
            if other in near:
                return True
            found |= near
            waiting += near
        return False
