#!/usr/bin/env python3
"""Writes the tables that the engine's Text floor folds and composes terms with.

    tools/unicode/foldings.py [--data /usr/share/unicode] [--check]

The data is the Unicode Character Database as Debian's package `unicode-data` installs it. Each table is a list of numbers
in ascending order of scalars; `ScalarProperties.swift` reads it. With --check nothing is written; the exit code is 1 if
the file is not what would be written.
"""

import argparse
import re
import sys
from pathlib import Path

from word_breaks import literal

TARGET = Path(__file__).resolve().parents[2] / "Sources/FreeholdEngine/Text/FoldingTable.swift"


class Database:
    """What folding needs to know of the scalars."""

    def __init__(self, folder):
        self.category, self.combining, self.decomposition = {}, {}, {}
        self.upper, self.lower = {}, {}
        first = None
        for line in (folder / "UnicodeData.txt").read_text(encoding="utf-8").splitlines():
            fields = line.split(";")
            scalar = int(fields[0], 16)
            if fields[1].endswith(", First>"):
                first = scalar
                continue
            for number in range(first if first is not None else scalar, scalar + 1):
                self.category[number] = fields[2]
            first = None
            if fields[3] != "0":
                self.combining[scalar] = int(fields[3])
            if fields[5] and not fields[5].startswith("<"):
                self.decomposition[scalar] = [int(part, 16) for part in fields[5].split()]
            if fields[12]:
                self.upper[scalar] = [int(fields[12], 16)]
            if fields[13]:
                self.lower[scalar] = [int(fields[13], 16)]
        self._read_special_cases(folder)
        self.excluded = set()
        for line in (folder / "DerivedNormalizationProps.txt").read_text(encoding="utf-8").splitlines():
            match = re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*Full_Composition_Exclusion\b", line)
            if match:
                self.excluded.update(range(int(match[1], 16), int(match[2] or match[1], 16) + 1))
        head = (folder / "DerivedNormalizationProps.txt").read_text(encoding="utf-8").splitlines()[0]
        self.version = re.search(r"(\d+\.\d+\.\d+)", head)[1]

    def _read_special_cases(self, folder):
        for line in (folder / "SpecialCasing.txt").read_text(encoding="utf-8").splitlines():
            fields = [field.strip() for field in line.split("#")[0].split(";")]
            if len(fields) == 5:  # without a condition
                scalar = int(fields[0], 16)
                self.lower[scalar] = [int(part, 16) for part in fields[1].split()]
                self.upper[scalar] = [int(part, 16) for part in fields[3].split()]

    def folded(self, scalar):
        """The lower case of the upper case of the lower case."""
        lowers = self.lower.get(scalar, [scalar])
        uppers = [upper for lower in lowers for upper in self.upper.get(lower, [lower])]
        return [lower for upper in uppers for lower in self.lower.get(upper, [upper])]


def number(value):
    """Base 32, the lowest digit first, from `0` up; all digits but the last have 32 added."""
    text = ""
    while value > 31:
        text += chr(0x30 + 32 + (value & 31))
        value >>= 5
    return text + chr(0x30 + value)


def signed(value):
    return number(value * 2 if value >= 0 else -value * 2 - 1)


def runs(values):
    """Neighbouring scalars of equal value, as (first, length, value)."""
    found = []
    for scalar in sorted(values):
        if found and scalar == found[-1][0] + found[-1][1] and values[scalar] == found[-1][2]:
            found[-1][1] += 1
        else:
            found.append([scalar, 1, values[scalar]])
    return found


def encoded_runs(values, writes_value):
    text, end = "", 0
    for first, length, value in runs(values):
        text += number(first - end) + number(length) + (number(value) if writes_value else "")
        end = first + length
    return text


def cases(mapping):
    """Scalars that fold to one: the gap since the last run, how many, the step from one to the next, the difference."""
    found = []
    for scalar, target in sorted(mapping.items()):
        difference = target - scalar
        if found:
            run = found[-1]
            step = scalar - (run[0] + (run[1] - 1) * run[2])
            if run[3] == difference and (step == run[2] or run[1] == 1 and step in (1, 2)):
                run[1], run[2] = run[1] + 1, step
                continue
        found.append([scalar, 1, 1, difference])
    text, end = "", 0
    for first, count, step, difference in found:
        text += number(first - end) + number(count) + number(step) + signed(difference)
        end = first + (count - 1) * step + 1
    return text


def expansions(mapping):
    text, last = "", 0
    for scalar, targets in sorted(mapping.items()):
        text += number(scalar - last) + number(len(targets)) + "".join(number(target) for target in targets)
        last = scalar
    return text


def decompositions(database):
    """The gap since the last one, 0 for one scalar, 1 for two, 2 for two that are not composed again, and the scalars."""
    text, last = "", 0
    for scalar, parts in sorted(database.decomposition.items()):
        kind = 0 if len(parts) == 1 else 2 if scalar in database.excluded else 1
        assert kind or scalar in database.excluded
        text += number(scalar - last) + number(kind) + signed(parts[0] - scalar)
        text += "".join(number(part) for part in parts[1:])
        last = scalar
    return text


def swift(database):
    folded = {scalar: database.folded(scalar) for scalar in {**database.lower, **database.upper}}
    single = {scalar: targets[0] for scalar, targets in folded.items() if len(targets) == 1 and targets != [scalar]}
    several = {scalar: targets for scalar, targets in folded.items() if len(targets) > 1}
    marks = {scalar: 0 for scalar, category in database.category.items() if category == "Mn"}
    formats = {scalar: 0 for scalar, category in database.category.items() if category == "Cf"}
    tables = [
        ("cases", cases(single), "Runs of scalars that fold to one other: gap, count, step, signed difference."),
        ("expansions", expansions(several), "Scalars that fold to several: gap, count, these."),
        ("decompositions", decompositions(database),
         "Canonical decompositions: gap, kind (0 of one scalar, 1 of two, 2 of two that do not compose), first (signed), second."),
        ("marks", encoded_runs(marks, False), "Runs of nonspacing marks: gap, count."),
        ("combiningClasses", encoded_runs(database.combining, True), "Runs of scalars of one combining class: gap, count, class."),
        ("formats", encoded_runs(formats, False), "Runs of format characters: gap, count."),
    ]
    size = sum(len(text) for _, text, _ in tables)
    body = "\n".join(literal(*table) for table in tables)
    return f"""// Written by tools/unicode/foldings.py from the Unicode Character Database, © Unicode, Inc., used under the terms of
// https://www.unicode.org/terms_of_use.html: do not edit.

/// What folding and composing need to know of the scalars, for `ScalarProperties`. {size} bytes.
///
/// A number has base-32 digits from `0` up, the lowest first; all but its last have 32 added. A signed number is twice its
/// amount, less one if it is negative. A gap is the distance from the end of the previous run, or from the previous scalar.
enum FoldingTable {{
    /// The version of Unicode that the tables are made from.
    // Allowed: compared with that of the word breaks.
    static let unicodeVersion = "{database.version}"

{body}}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("/usr/share/unicode"))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not (options.data / "UnicodeData.txt").exists():
        sys.exit(f"{options.data} has no Unicode Character Database; install it: apt-get install unicode-data")
    text = swift(Database(options.data))
    if options.check:
        sys.exit(0 if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text else f"{TARGET} is not what {sys.argv[0]} writes")
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
