"""What happens to the programs and to their files while they work."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
from pathlib import Path

from .members import Failure, Gone, Member
from .world import World


@contextlib.contextmanager
def tolerating(world: World, what: str):
    """Errors with this reason are legitimate within, and for a moment afterwards."""
    world.tolerated[what] += 1
    try:
        yield
    finally:
        world.is_ending.wait(0.3)
        world.tolerated[what] -= 1


def some_member(world: World, chance: random.Random) -> Member | None:
    with world.guard:
        return chance.choice(world.members) if world.members else None


def kill(world: World, chance: random.Random) -> None:
    if member := some_member(world, chance):
        member.kill()


def kill_many(world: World, chance: random.Random) -> None:
    with world.guard:
        members = chance.sample(world.members, len(world.members) // 2)
    for member in members:
        member.kill()


def stop(world: World, chance: random.Random) -> None:
    """Stopped for a while; half of them are killed before they go on."""
    member = some_member(world, chance)
    if member is None:
        return
    with tolerating(world, "stop"):
        member.signal(signal.SIGSTOP)
        world.is_ending.wait(chance.uniform(0.05, 1.5))
        if chance.random() < 0.5:
            member.kill()
        else:
            member.signal(signal.SIGCONT)


def end_a_child(world: World, chance: random.Random) -> None:
    if world.children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(world.children.pop(), signal.SIGKILL)


def visit(world: World, chance: random.Random) -> None:
    """A program that only reads for a while, often without permission to write."""
    member = world.start(chance)
    try:
        answer = world.open(member, chance.choice(("ro", "ro", "rw")))
        if not answer.startswith("ok"):
            if not world.legitimate(member, answer) and not world.is_ending.is_set():
                raise Failure(f"{member.language} cannot visit: {answer}")
            return
        world.expect(member, "hold", ("ok",))
        for _ in range(chance.randint(1, 30)):
            world.look_at_bank(member)
            world.is_ending.wait(0.01)
        world.expect(member, "same", ("V same",))
        member.ask("close")
    except Gone:
        world.tally["visitors killed"] += 1
    finally:
        world.stop_member(member)


def use_command_line(world: World, chance: random.Random) -> None:
    # What the command line is told while names are missing or the disk is full is its user's; that it neither dies nor hangs is ours.
    verb = chance.choice(("info", "check", "classes", "export", "list", "compact"))
    codes = () if any(world.tolerated.values()) or world.is_small else (0,)
    arguments = {"export": ["Thing", "--format", "jsonl"], "list": ["Account"], "compact": ["--in-place"]}.get(verb, [])
    done = world.run_verb(verb, world.path, *arguments, codes=())
    if codes and done.returncode != 0 and not any(world.tolerated.values()):
        raise Failure(f"freehold {verb} ended with {done.returncode}: {done.stderr[-800:].decode(errors='replace')}")


def copy_while_open(world: World, chance: random.Random) -> None:
    """A copy by `cp` is refused, or whole."""
    target = world.folder / "copied"
    try:
        shutil.copyfile(world.path, target)
    except OSError:
        target.unlink(missing_ok=True)
        return
    member = world.start(chance)
    try:
        if world.open(member, chance.choice(("rw", "ro")), target).startswith("ok"):
            world.tally["copies that were whole"] += 1
            world.look_at_bank(member)
            member.ask("close")
        else:
            world.tally["copies that were refused"] += 1
    except Gone:
        pass
    finally:
        world.stop_member(member)
        forget(target)


def forget(path: Path) -> None:
    for one in (path, Path(f"{path}.lock")):
        with contextlib.suppress(OSError):
            one.unlink()
    shutil.rmtree(f"{path}.management", ignore_errors=True)


def open_by_link(world: World, chance: random.Random) -> None:
    """Another name of the file: refused, or the same database with all it holds; never a second session beside the first."""
    target = world.folder / "linked"
    forget(target)
    try:
        os.link(world.path, target)
    except OSError:
        return
    member = world.start(chance)
    try:
        with tolerating(world, "name"):
            if world.open(member, chance.choice(("rw", "ro")), target).startswith("ok"):
                world.tally["opened by a link"] += 1
                world.look_at_bank(member)
                member.ask("close")
    except Gone:
        pass
    finally:
        world.stop_member(member)
        forget(target)


def move_away(world: World, chance: random.Random) -> None:
    """The file has another name for a while, by which some try to open it."""
    target = world.folder / "moved"
    forget(target)
    with world.naming, tolerating(world, "name"):
        try:
            world.path.rename(target)
        except OSError:
            return
        try:
            if chance.random() < 0.5:
                open_at(world, chance, target)
            world.is_ending.wait(chance.uniform(0.02, 0.3))
        finally:
            target.rename(world.path)
            forget(target)


def open_at(world: World, chance: random.Random, path: Path) -> None:
    member = world.start(chance)
    try:
        if world.open(member, chance.choice(("rw", "ro")), path).startswith("ok"):
            world.look_at_bank(member)
            member.ask("close")
    except Gone:
        pass
    finally:
        world.stop_member(member)


def delete_auxiliary_files(world: World, chance: random.Random) -> None:
    """Nobody gets in from here to the life's end, which comes at once; those inside go on."""
    world.tolerated["name"] += 1
    with contextlib.suppress(OSError):
        Path(f"{world.path}.lock").unlink()
    if chance.random() < 0.5:
        shutil.rmtree(f"{world.path}.management", ignore_errors=True)
    for mode in ("ro", "rw"):
        open_with(world, chance, mode)
    world.is_ending.wait(chance.uniform(0.2, 1.5))
    world.is_to_end = True


def open_with(world: World, chance: random.Random, mode: str) -> None:
    member = world.start(chance)
    try:
        if world.open(member, mode).startswith("ok"):
            world.look_at_bank(member)
    except Gone:
        pass
    finally:
        world.stop_member(member)


def fill_the_disk(world: World, chance: random.Random) -> None:
    if not world.is_small:
        return
    ballast = world.folder / "ballast"
    with tolerating(world, "full"):
        try:
            with open(ballast, "wb", buffering=0) as file:
                while True:
                    file.write(bytes(1 << 16))
        except OSError:
            pass
        world.is_ending.wait(chance.uniform(0.1, 1.0))
        ballast.unlink(missing_ok=True)


EVENTS = (
    (kill, 10), (kill_many, 2), (stop, 4), (end_a_child, 2), (visit, 5), (use_command_line, 4), (copy_while_open, 2), (open_by_link, 2),
    (move_away, 1), (fill_the_disk, 3),
)


def happen(world: World, chance: random.Random) -> None:
    """One event; how often, `EVENTS` says."""
    event = chance.choices([event for event, _ in EVENTS], [weight for _, weight in EVENTS])[0]
    if event.__name__ in world.without:
        return
    world.tally[f"event: {event.__name__}"] += 1
    event(world, chance)


# --- between two lives

def rest(world: World, chance: random.Random) -> None:
    """What is done to a file that nobody has open."""
    what = chance.choice(("nothing", "compact", "backup", "rename", "copy", "clean", "salvage"))
    if what in world.without:
        return
    world.tally[f"at rest: {what}"] += 1
    if what == "compact":
        world.run_verb("compact", world.path)
    elif what in ("backup", "copy", "salvage"):
        replaced = world.folder / "replacing"
        forget(replaced)
        world.run_verb(what, world.path, str(replaced))
        os.replace(replaced, world.path)
    elif what == "rename":
        moved = world.path.with_name(f"world-{chance.randrange(1000)}.freehold")
        if not moved.exists():
            world.path.rename(moved)
            world.path = moved
    elif what == "clean":
        forget_auxiliary(world.path)


def forget_auxiliary(path: Path) -> None:
    with contextlib.suppress(OSError):
        Path(f"{path}.lock").unlink()
    shutil.rmtree(f"{path}.management", ignore_errors=True)

