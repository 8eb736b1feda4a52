"""Sort keys of strings by PyICU, a binding of ICU that Freehold does not use.

Reads [[tag, strings], …] as JSON and prints, for each, the sort keys in hexadecimal. A program of its own, because PyICU may be
installed for another Python than the one that runs the tests.
"""

from __future__ import annotations

import json
import sys

import icu

answers = []
for tag, strings in json.load(sys.stdin):
    collator = icu.Collator.createInstance(icu.Locale.forLanguageTag(tag))
    answers.append([collator.getSortKey(string).hex() for string in strings])
json.dump(answers, sys.stdout)
