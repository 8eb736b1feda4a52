#!/usr/bin/env python3
"""Writes Unicode's own test cases of word boundaries as a Swift file, in a compact form.

    tools/unicode/word_break_cases.py [--data /usr/share/unicode]

The cases are made of few scalars, so each of these gets a letter; `|` is a boundary.
"""

import argparse
import re
from pathlib import Path

TARGET = Path(__file__).resolve().parents[2] / "Tests/Engine/Text/WordBreakCases.swift"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
COLUMNS = 128


def cases(folder):
    for line in (folder / "auxiliary/WordBreakTest.txt").read_text(encoding="utf-8").splitlines():
        text = line.split("#")[0].strip()
        if text:
            yield text.split()


def swift(folder):
    scalars, compact = [], []
    for case in cases(folder):
        text = ""
        for part in case[1:-1]:
            if re.fullmatch("[0-9A-F]+", part):
                if part not in scalars:
                    scalars.append(part)
                text += LETTERS[scalars.index(part)]
            elif part == "÷":
                text += "|"
        compact.append(text)
    text = " ".join(compact)
    lines = [text[at : at + COLUMNS] for at in range(0, len(text), COLUMNS)]
    body = "\n".join(f"        {line}\\" for line in lines[:-1]) + f"\n        {lines[-1]}"
    names = [", ".join(f"0x{scalar}" for scalar in scalars[at : at + 12]) for at in range(0, len(scalars), 12)]
    numbers = "".join(f"\n        {line}," for line in names)
    return f"""// Written by tools/unicode/word_break_cases.py from WordBreakTest.txt of Unicode 15.0, © 2022 Unicode, Inc., used under the
// terms of https://www.unicode.org/terms_of_use.html: do not edit.

/// Unicode's {len(compact)} test cases of word boundaries.
enum WordBreakCases {{
    /// The letters that stand for scalars in `text`, in the order of `scalars`.
    static let letters = "{LETTERS[:len(scalars)]}"
    static let scalars: [UInt32] = [{numbers}
    ]
    /// The cases, separated by spaces; `|` is a boundary within one.
    static let text = \"\"\"
{body}
        \"\"\"
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path("/usr/share/unicode"))
    TARGET.write_text(swift(parser.parse_args().data), encoding="utf-8")


if __name__ == "__main__":
    main()
