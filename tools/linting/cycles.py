"""Cycles: the files of a target, or of one of its floors, that name one another's types in a circle. One has to be read with all."""

import re
from collections import Counter

from . import ratchets
from .floors import Floor, generic_parameters
from .project import TYPES

RULE = "cycles"
FILES = 3
_WORD = re.compile(r"(?<![\w])[A-Z]\w*")


def check(project):
    yield from ratchets.findings(project, measures(project))


@ratchets.once
def measures(project):
    for what, members in largest(project).items():
        advice = f"pass in what one of them needs of the others: {_some(members)}"
        yield ratchets.Measure(RULE, what, len(members), FILES, members[0], 1, advice)


def largest(project):
    """The files of the largest cycle of each target and of each floor, in the order of their names."""
    found = {}
    for target in project.targets:
        files = list(project.sources(project.name(target), suffixes={".swift"}))
        uses = _uses(files)
        found[target.name] = _largest(uses, set(uses))
        if (target / "layers.txt").is_file():
            floor = Floor(target)
            for name in floor.names:
                found[f"{target.name}/{name}"] = _largest(uses, {source.name for source in files if floor.of(source.path) == name})
    return {what: members for what, members in found.items() if members}


def _some(members):
    names = [member.rsplit("/", 1)[-1] for member in members]
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")


def _uses(files):
    """For each file, the files whose types it names; a name with two meanings in a target says nothing."""
    places, meanings = {}, Counter()
    for source in files:
        meanings.update(set(generic_parameters(source)))
        for declaration in source.declarations:
            if declaration.kind in TYPES | {"associatedtype"}:
                meanings[declaration.name] += 1
            if declaration.kind in TYPES and declaration.parent is None:
                places[declaration.name] = source.name
    owner = {name: place for name, place in places.items() if meanings[name] == 1}
    return {source.name: {owner[name] for name in _WORD.findall(source.code) if name in owner} - {source.name} for source in files}


def _largest(uses, files):
    """The largest set of files that all lead to one another, sorted."""
    best = []
    for component in _components({file: uses[file] & files for file in files}):
        if len(component) > len(best):
            best = component
    return sorted(best)


def _components(graph):
    """The strongly connected components of a graph (Tarjan), without recursion."""
    number, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(graph):
        if root in number:
            continue
        work = [(root, iter(sorted(graph[root])))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, following = work[-1]
            step = next((other for other in following if other not in number or other in on_stack), None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    at = stack.index(node)
                    found.append(stack[at:])
                    on_stack.difference_update(stack[at:])
                    del stack[at:]
            elif step in on_stack:
                low[node] = min(low[node], number[step])
            else:
                number[step] = low[step] = len(number)
                stack.append(step)
                on_stack.add(step)
                work.append((step, iter(sorted(graph[step]))))
    return found
