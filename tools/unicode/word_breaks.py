#!/usr/bin/env python3
"""Writes the table of word-break classes that the engine's Text floor segments text with.

    tools/unicode/word_breaks.py [--data /usr/share/unicode] [--check]

The data is the Unicode Character Database as Debian's package `unicode-data` installs it. The table has two stages: the
upper bits of a scalar choose a block, the lower ones a class in it; equal blocks are stored once. Scalars at and above
0x20000 are not in the table but in the code that reads it. With --check nothing is written; the exit code is 1 if the
file is not what would be written.
"""

import argparse
import re
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "Sources/FreeholdEngine/Text/WordBreakTable.swift"
BLOCK = 32
LIMIT = 0x20000
COLUMNS = 128

#: The classes, in the order of their numbers in WordBreakClass.
CLASSES = [
    "other", "carriageReturn", "lineFeed", "newline", "extend", "vowelSign", "joiner", "format", "regionalIndicator", "katakana",
    "hebrewLetter", "letter", "hangul", "pictographLetter", "singleQuote", "doubleQuote", "midNumberLetter", "midLetter", "midNumber",
    "numeric", "connector", "space", "pictograph", "ideograph", "hiragana", "southEastAsian", "otherWord",
]
NUMBER = {name: number for number, name in enumerate(CLASSES)}

FROM_WORD_BREAK = {
    "CR": "carriageReturn", "LF": "lineFeed", "Newline": "newline", "Extend": "extend", "ZWJ": "joiner", "Format": "format",
    "Regional_Indicator": "regionalIndicator", "Katakana": "katakana", "Hebrew_Letter": "hebrewLetter", "ALetter": "letter",
    "Single_Quote": "singleQuote", "Double_Quote": "doubleQuote", "MidNumLet": "midNumberLetter", "MidLetter": "midLetter",
    "MidNum": "midNumber", "Numeric": "numeric", "ExtendNumLet": "connector", "WSegSpace": "space",
}

#: Scripts whose nonspacing marks are diacritics, points or tone marks, which the option [d] may remove. The marks of
#: the other scripts are vowels and parts of consonants.
SCRIPTS_WITH_DIACRITICS = {
    "Inherited", "Common", "Latin", "Greek", "Cyrillic", "Coptic", "Armenian", "Georgian", "Glagolitic", "Hebrew", "Arabic", "Syriac",
    "Hiragana", "Katakana", "Han", "Hangul", "Bopomofo", "Old_Permic", "Hanifi_Rohingya", "Adlam", "Nko", "Mende_Kikakui",
}


def ranges(path):
    """The lines `first..last ; value` of a file of the database."""
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*;\s*(\w+)", line)
        if match:
            yield int(match[1], 16), int(match[2] or match[1], 16), match[3]


def property_of(path, default):
    values = [default] * 0x110000
    for first, last, value in ranges(path):
        values[first : last + 1] = [value] * (last - first + 1)
    return values


def members(path, name):
    return {scalar for first, last, value in ranges(path) if value == name for scalar in range(first, last + 1)}


class Database:
    """The properties that the classes are made of."""

    def __init__(self, folder):
        self.word_break = property_of(folder / "auxiliary/WordBreakProperty.txt", "Other")
        self.script = property_of(folder / "Scripts.txt", "Unknown")
        self.category = property_of(folder / "extracted/DerivedGeneralCategory.txt", "Cn")
        self.line_break = property_of(folder / "LineBreak.txt", "XX")
        self.pictographs = members(folder / "emoji/emoji-data.txt", "Extended_Pictographic")
        self.ideographs = members(folder / "PropList.txt", "Ideographic")
        head = (folder / "auxiliary/WordBreakProperty.txt").read_text(encoding="utf-8").splitlines()[0]
        self.version = re.search(r"(\d+\.\d+\.\d+)", head)[1]

    def class_of(self, scalar):
        word_break = self.word_break[scalar]
        if word_break == "ALetter":
            if scalar in self.pictographs:
                return "pictographLetter"
            return "hangul" if self.script[scalar] == "Hangul" else "letter"
        if word_break == "Extend" and self.category[scalar] == "Mn" and self.script[scalar] not in SCRIPTS_WITH_DIACRITICS:
            return "vowelSign"
        return FROM_WORD_BREAK[word_break] if word_break != "Other" else self._other(scalar)

    def _other(self, scalar):
        if scalar in self.pictographs:
            return "pictograph"
        if self.category[scalar][0] not in "LN":
            return "other"
        if self.line_break[scalar] == "SA":
            return "southEastAsian"
        if scalar in self.ideographs:
            return "ideograph"
        return "hiragana" if self.script[scalar] == "Hiragana" else "otherWord"


def stages(classes):
    """The table: for each block of scalars its number, and the distinct blocks one after the other."""
    blocks, numbers, index = [], {}, []
    for start in range(0, LIMIT, BLOCK):
        block = tuple(classes[start : start + BLOCK])
        if block not in numbers:
            numbers[block] = len(blocks)
            blocks.append(block)
        index.append(numbers[block])
    return index, [value for block in blocks for value in block]


def rest_of(classes):
    """The ranges of equal class at and above LIMIT that are not `other`, as (first, last, class)."""
    found, start = [], LIMIT
    for scalar in range(LIMIT, 0x110001):
        if scalar == 0x110000 or classes[scalar] != classes[start]:
            if classes[start] != NUMBER["other"]:
                found.append((start, scalar - 1, CLASSES[classes[start]]))
            start = scalar
    return found


def literal(name, text, comment):
    lines = [text[at : at + COLUMNS] for at in range(0, len(text), COLUMNS)]
    body = "\\#\n".join(f"        {line}" for line in lines)
    return f'    /// {comment}\n    static let {name}: StaticString = #"""\n{body}\n        """#\n'


def swift(database):
    classes = [NUMBER[database.class_of(scalar)] for scalar in range(0x110000)]
    index, values = stages(classes)
    assert max(index) < 64 * 64 and len(CLASSES) <= 31
    # So that an ASCII byte is the position of its class.
    assert index[: 128 // BLOCK] == list(range(128 // BLOCK))
    first = "".join(chr(0x30 + (number >> 6)) + chr(0x30 + (number & 63)) for number in index)
    second = "".join(chr(0x60 + value) for value in values)
    cases = "".join(
        f"        case 0x{low:X}...0x{high:X}: .{name}\n" for low, high, name in rest_of(classes)
    )
    size = len(first) + len(second)
    return f"""// Written by tools/unicode/word_breaks.py from the Unicode Character Database, © Unicode, Inc., used under the terms of
// https://www.unicode.org/terms_of_use.html: do not edit.

/// The word-break classes of all scalars, for `WordBreakClass`. {size} bytes.
enum WordBreakTable {{
    /// The version of Unicode that the table is made from. An index made with another one is to be rebuilt.
    // Allowed: full-text indexes record it.
    static let unicodeVersion = "{database.version}"

{literal("blocks", first, f"The number of the block of each {BLOCK} scalars below 0x{LIMIT:X}: two base-64 digits, from `0` up.")}
{literal("classes", second, "The blocks: a class number for each scalar, in the lower five bits.")}
    /// The class of a scalar that is not in the table.
    static func classBeyond(_ scalar: UInt32) -> WordBreakClass {{
        switch scalar {{
{cases}        default: .other
        }}
    }}
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("/usr/share/unicode"))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not (options.data / "auxiliary/WordBreakProperty.txt").exists():
        sys.exit(f"{options.data} has no Unicode Character Database; install it: apt-get install unicode-data")
    text = swift(Database(options.data))
    if options.check:
        sys.exit(0 if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text else f"{TARGET} is not what {sys.argv[0]} writes")
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
