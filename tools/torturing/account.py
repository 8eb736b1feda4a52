"""The independent account: what a slot's things must be, by plain dictionaries, and chance's choice of what to do next.

Values are the protocol's words (Tests/Processes/Torture/README.md), so that what is expected is compared as text.
"""

from __future__ import annotations

import copy
import random
import struct

SPECIAL = {"extra": "s", "weight": "n"}
PLAIN = {
    "flag": "t0", "number": "n", "real": "d0000000000000000", "single": "f00000000", "north": "d0000000000000000",
    "east": "d0000000000000000", "text": "s", "note": "n", "bytes": "b", "moment": "n", "mark": "n", "oid": "n", "amount": "n", "any": "n",
    "next": "n", "inner": "n",
}
LISTS = ("ints", "words", "maybe", "things", "boxes")
SETS = ("tags", "marks")
MAPS = ("table", "names", "lists")
# Some are canonically equivalent and yet different; some are long, or of the length at which strings change their form.
TEXTS = ("", "a", "caf\u00e9", "cafe\u0301", "\u212b", "\u00c5", "x" * 15, "y" * 16, "z" * 300, "\U0001f600", "with\nline", "\u0000nul")


def hexadecimal(text: str) -> str:
    return text.encode().hex()


def real(value: float) -> str:
    return "d" + struct.pack(">d", value).hex()


class Thing:
    """One object as it must be."""

    def __init__(self, name: str, slot: int) -> None:
        self.name, self.slot = name, slot
        self.plain = dict(PLAIN, **(SPECIAL if name == "Special" else {}))
        self.lists: dict[str, list[str]] = {name: [] for name in LISTS}
        self.sets: dict[str, set[str]] = {name: set() for name in SETS}
        self.maps: dict[str, dict[str, str]] = {name: {} for name in MAPS}

    def word(self, name: str) -> str:
        if name in self.lists:
            return " ".join(self.lists[name])
        if name in self.sets:
            order = (lambda word: int(word[1:])) if name == "marks" else None
            return " ".join(sorted(self.sets[name], key=order))
        if name in self.maps:
            return " ".join(f"{key}={value}" for key, value in sorted(self.maps[name].items()))
        return f"i{self.slot}" if name == "slot" else self.plain[name]

    @property
    def names(self) -> list[str]:
        return ["slot", *self.plain, *self.lists, *self.sets, *self.maps]

    def forget(self, gone: str) -> None:
        """What the deletion of an object that it links to leaves."""
        for name in ("next", "any"):
            if self.plain[name] == gone:
                self.plain[name] = "n"
        self.lists["things"] = [word for word in self.lists["things"] if word != gone]


class Account:
    """A slot's things, how many transactions have been made, and the one under way."""

    def __init__(self, slot: int, chance: random.Random) -> None:
        self.slot, self.chance = slot, chance
        self.things: dict[int, Thing] = {}
        self.made = 0
        self.next_id = slot * 1_000_000
        self.pending: dict[int, Thing] | None = None

    def settle(self, happened: bool) -> None:
        """Ends the transaction under way."""
        if happened and self.pending is not None:
            self.things = self.pending
            self.made += 1
        self.pending = None

    def transaction(self) -> list[str]:
        """The commands of the next transaction; `settle` tells whether it happened."""
        changed = self.pending = copy.copy(self.things)
        copied: set[int] = set()
        chance, commands = self.chance, [f"begin\t{'full' if self.chance.random() < 0.2 else 'fast'}"]

        def own(number: int) -> Thing:
            if number not in copied:
                copied.add(number)
                changed[number] = copy.deepcopy(changed[number])
            return changed[number]

        kind = chance.random()
        if kind < 0.03 and len(changed) < 1500:
            commands += [self.create(changed) for _ in range(chance.choice((255, 256, 257, 300, 600)))]
        elif kind < 0.06 and len(changed) > 20:
            for number in chance.sample(sorted(changed), chance.randint(len(changed) // 2, len(changed) - 1)):
                commands.append(self.delete(changed, own, number))
        else:
            for _ in range(chance.choice((1, 1, 1, 2, 3, 8, 20))):
                if not changed or chance.random() < 0.25:
                    commands.append(self.create(changed))
                elif chance.random() < 0.12:
                    commands.append(self.delete(changed, own, chance.choice(sorted(changed))))
                else:
                    number = chance.choice(sorted(changed))
                    commands.append(self.change(changed, number, own(number)))
        commands += [f"cnt\tslot-{self.slot}", self.move(f"slot-{self.slot}"), "commit"]
        return commands

    def move(self, name: str) -> str:
        source, target = self.chance.sample(range(16), 2)
        return f"mov\t{source}\t{target}\t{self.chance.randint(1, 20)}\t{name}"

    def create(self, things: dict[int, Thing]) -> str:
        self.next_id += self.chance.choice((1, 1, 1, 7))
        name = "Special" if self.chance.random() < 0.3 else "Thing"
        things[self.next_id] = Thing(name, self.slot)
        return f"new\t{name}\t{self.next_id}\t{self.slot}"

    @staticmethod
    def delete(things: dict[int, Thing], own, number: int) -> str:
        name, gone = things.pop(number).name, f"l{number}"
        for other, thing in list(things.items()):
            if gone in (thing.plain["next"], thing.plain["any"]) or gone in thing.lists["things"]:
                own(other).forget(gone)
        return f"del\t{name}\t{number}"

    def text(self) -> str:
        chance = self.chance
        return hexadecimal(chance.choice(TEXTS) + (str(chance.randrange(100)) if chance.random() < 0.5 else ""))

    def value(self, kind: str, things: dict[int, Thing]) -> str:
        chance = self.chance
        if kind == "flag":
            return f"t{chance.randrange(2)}"
        if kind in ("number", "weight", "int"):
            return f"i{chance.choice((0, 1, -1, chance.randrange(100), chance.randrange(-2**63, 2**63), 2**63 - 1))}"
        if kind == "real":
            return real(chance.choice((0.0, 0.5, 1e300, float("inf"), chance.random())))
        if kind in ("north", "east"):  # Degrees; those of no place on Earth too.
            return real(chance.choice((0.0, 90.0, -180.0, 400.0, chance.uniform(-90, 90), chance.uniform(-90, 90))))
        if kind == "single":
            return "f" + struct.pack(">f", chance.random()).hex()
        if kind in ("text", "note", "extra", "string"):
            return "s" + self.text()
        if kind == "bytes":
            if chance.random() < 0.15:
                return f"P{chance.choice((1_500, 4_096, 20_000, 60_000, 61_441, 200_000, 400_000))}:{chance.randrange(256)}"
            # Those of 8 bytes are vectors.
            length = 8 if chance.random() < 0.4 else chance.randrange(40)
            return "b" + chance.randbytes(length).hex()
        if kind == "moment":
            return f"D{chance.randrange(-10**9, 4 * 10**9)}.{chance.randrange(64) * 15625}"
        if kind == "mark":
            return "u" + chance.randbytes(16).hex()
        if kind == "oid":
            return "o" + chance.randbytes(12).hex()
        if kind == "amount":
            return f"m{chance.randrange(-10**6, 10**6)}.{chance.randrange(1, 10)}"
        if kind == "next":
            return f"l{chance.choice(sorted(things))}"
        return self.value(chance.choice(("flag", "int", "real", "string", "bytes", "moment", "mark", "oid", "amount", "next")), things)

    def change(self, things: dict[int, Thing], number: int, thing: Thing) -> str:
        chance = self.chance
        place = f"{thing.name}\t{number}"
        kind = chance.random()
        if kind < 0.45:
            name = chance.choice([name for name in thing.plain if name != "inner"])
            word = self.value(name, things)
            if PLAIN.get(name, SPECIAL.get(name)) == "n" and chance.random() < 0.2:
                word = "n"
            thing.plain[name] = word
            return f"set\t{place}\t{name}\t{word}"
        if kind < 0.52:
            return self.change_box(thing, place)
        if kind < 0.75:
            return self.change_list(things, thing, place)
        return self.change_set(thing, place) if kind < 0.85 else self.change_map(thing, place)

    def change_box(self, thing: Thing, place: str) -> str:
        label, size = self.text(), self.chance.randrange(1000)
        if self.chance.random() < 0.2:
            thing.plain["inner"] = "n"
            return f"set\t{place}\tinner\tn"
        if self.chance.random() < 0.5:
            thing.plain["inner"] = f"{label}/{size}"
            return f"box\t{place}\tinner\t{label}\t{size}"
        thing.lists["boxes"].append(f"{label}/{size}")
        return f"bxa\t{place}\tboxes\t{label}\t{size}"

    def change_list(self, things: dict[int, Thing], thing: Thing, place: str) -> str:
        chance, name = self.chance, self.chance.choice(LISTS)
        words, what = thing.lists[name], chance.random()
        if what < 0.05:
            words.clear()
            return f"clr\t{place}\t{name}"
        if words and (what < 0.25 or name == "boxes"):
            index = chance.randrange(len(words))
            del words[index]
            return f"rem\t{place}\t{name}\t{index}"
        if name == "boxes":
            return self.change_box(thing, place)
        kind = {"ints": "int", "words": "string", "maybe": "real", "things": "next"}[name]
        word = "n" if name == "maybe" and chance.random() < 0.3 else self.value(kind, things)
        if words and what < 0.4:
            index = chance.randrange(len(words))
            words[index] = word
            return f"rep\t{place}\t{name}\t{index}\t{word}"
        index = chance.randint(0, len(words))
        words.insert(index, word)
        return f"ins\t{place}\t{name}\t{index}\t{word}"

    def change_set(self, thing: Thing, place: str) -> str:
        name = self.chance.choice(SETS)
        words = thing.sets[name]
        if words and self.chance.random() < 0.3:
            word = self.chance.choice(sorted(words))
            words.remove(word)
            return f"sre\t{place}\t{name}\t{word}"
        word = self.value("int" if name == "marks" else "string", {})
        words.add(word)
        return f"sin\t{place}\t{name}\t{word}"

    def change_map(self, thing: Thing, place: str) -> str:
        chance, name = self.chance, self.chance.choice(MAPS)
        entries, key = thing.maps[name], self.text()
        if entries and chance.random() < 0.3:
            key = chance.choice(sorted(entries))
            del entries[key]
            return f"mde\t{place}\t{name}\t{key}"
        if name == "lists":
            words = [self.value("string", {}) for _ in range(chance.randrange(4))]
            entries[key] = f"[{' '.join(words)}]"
            return "\t".join(["nes", place, name, key, str(len(words)), *words])
        word = self.value("int" if name == "table" else "string", {})
        entries[key] = word
        return f"mse\t{place}\t{name}\t{key}\t{word}"
