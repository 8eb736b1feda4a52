"""Reads an lcov report and prints the lines that were never reached, as ranges, with the text of each first line."""

import os
import sys


def ranges(lines):
    """Joins neighbouring numbers."""
    found = []
    for line in sorted(lines):
        if found and found[-1][1] >= line - 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found


def main():
    reached, present, path = {}, {}, ""
    for row in sys.stdin:
        name, _, rest = row.strip().partition(":")
        if name == "SF":
            path = os.path.relpath(rest)
        elif name == "DA":
            line, count = (int(part) for part in rest.split(",")[:2])
            present.setdefault(path, set()).add(line)
            if count:
                reached.setdefault(path, set()).add(line)
    total = missing = 0
    for path in sorted(present):
        never = present[path] - reached.get(path, set())
        total += len(present[path])
        missing += len(never)
        with open(path, encoding="utf-8") as file:
            text = file.read().split("\n")
        # A closing brace alone says nothing.
        for first, last in ranges(line for line in never if text[line - 1].strip(" })") != ""):
            print(f"{path}:{first}{'' if first == last else f'-{last}'}: {text[first - 1].strip()}")
    print(f"{missing} of {total} lines never reached")


if __name__ == "__main__":
    main()
