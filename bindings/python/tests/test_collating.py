"""Orders of languages, against another binding of ICU."""

from __future__ import annotations

import json
import os
import pathlib
import random
import subprocess
import sys

import freehold
from kit import Case

TAGS = [
    "de", "de-u-co-phonebk", "sv", "da", "cs", "es-u-co-trad", "tr", "fr-CA", "zh", "zh-u-co-stroke", "ja", "ko", "ar", "und", "en-u-kn",
    "en-u-kf-upper", "en-u-ks-level1", "en-u-ks-level2", "en-u-ks-identic", "en-u-ka-shifted-ks-level4", "en-u-kc",
    "und-u-kr-grek-latn-kn-kf-lower",
]
# Beginnings and ends of ranges of characters: Latin, combining, Greek, Cyrillic, Hebrew, Arabic, Indic, Thai, Hangul, kana, Han,
# signs, emoji, more Han, control characters.
SCRIPTS = [
    (0x20, 0x7F), (0x41, 0x7B), (0xA0, 0x250), (0x300, 0x345), (0x391, 0x3CA), (0x410, 0x450), (0x5D0, 0x5EB), (0x621, 0x64B),
    (0x904, 0x940), (0xE01, 0xE2F), (0x1100, 0x1113), (0xAC00, 0xAC40), (0x3041, 0x30FB), (0x4E00, 0x4E80), (0x2000, 0x2070),
    (0x1F300, 0x1F350), (0x20000, 0x20020), (0, 9),
]


@freehold.model
class Word:
    number: int = freehold.field(primary_key=True)
    text: str | None = None
    few: str = ""
    next: Word | None = None


def words(count: int, chance: random.Random) -> list[str]:
    """Random strings, many of which share a beginning or differ in one character."""
    made: list[str] = [""]
    while len(made) < count:
        start = chance.choice(made)[:chance.randrange(6)] if chance.random() < 0.6 else ""
        low, high = chance.choice(SCRIPTS)
        made.append(start + "".join(chr(chance.randrange(low, high)) for _ in range(chance.randrange(5))))
    return made


def python_with_icu() -> str:
    """The Python that has PyICU: this one, or the system's."""
    for python in [sys.executable, "/usr/bin/python3"]:
        if os.path.exists(python) and subprocess.run([python, "-c", "import icu"], capture_output=True, check=False).returncode == 0:
            return python
    raise AssertionError("no Python here has PyICU; as root: apt-get install python3-icu")


def sort_keys(questions: list[tuple[str, list[str]]]) -> list[list[str]]:
    oracle = pathlib.Path(__file__).with_name("icu_oracle.py")
    answer = subprocess.run([python_with_icu(), str(oracle)], input=json.dumps(questions), capture_output=True, text=True, check=True)
    answers: list[list[str]] = json.loads(answer.stdout)
    return answers


class Collating(Case):
    def test_orders_are_those_of_another_binding_of_icu(self) -> None:
        chance = random.Random(24)
        texts = words(1500, chance)
        few = chance.sample(texts, 12)
        database = freehold.open(self.path, [Word])
        with database.write(durable=False) as transaction:
            made = []
            for number, text in enumerate(texts):
                linked = made[number // 2] if number else None
                made.append(transaction.create(Word, number=number, text=text, few=chance.choice(few), next=linked))
        keys = sort_keys([(tag, texts) for tag in TAGS])
        with database.read() as snapshot:
            objects = snapshot.objects(Word)
            for tag, of_tag in zip(TAGS, keys):
                with self.subTest(tag=tag):
                    expected = sorted(range(len(texts)), key=lambda number, by=of_tag: (by[number], number))
                    self.assertEqual([word.number for word in objects.sorted(f'text COLLATE "{tag}"')], expected)
                    self.assertEqual([word.number for word in objects.where("SORT(text DESC COLLATE $0) LIMIT(9)", tag)],
                                     sorted(range(len(texts)), key=lambda number, by=of_tag: (by[number], -number), reverse=True)[:9])
                    key_of = dict(zip(texts, of_tag))
                    over_link = sorted(range(1, len(texts)), key=lambda number, by=of_tag: (by[number // 2], number)) + [0]
                    self.assertEqual([word.number for word in objects.sorted(f"next.text COLLATE '{tag}'")], over_link)
                    by_few = [(key_of[word.few], word.number) for word in objects.sorted(f"few COLLATE '{tag}'", "number")]
                    self.assertEqual(by_few, sorted(by_few))
            self.assertIn('COLLATE "de" is by ICU', objects.sorted('text COLLATE "de"').explain())
            with self.assertRaisesRegex(freehold.FreeholdError, "column 19: 'de_DE' is not a language tag"):
                len(objects.sorted("text COLLATE 'de_DE'"))

    def test_an_index_is_declared_and_used(self) -> None:
        database = freehold.open(self.path, [Word])
        with database.write(durable=False) as transaction:
            for number in range(900):
                transaction.create(Word, number=number, text=chance_text(number))
            transaction.add_collation_index(Word, "text", "DE-u-kn-true")
            for change in (transaction.add_collation_index, transaction.drop_collation_index):
                with self.assertRaisesRegex(freehold.ValueTypeError, "a string such as 'de', not 5"):
                    change(Word, "text", 5)  # type: ignore[arg-type]
            with self.assertRaisesRegex(freehold.ArgumentError, "property of type string"):
                transaction.add_collation_index(Word, "number", "de")
            with self.assertRaisesRegex(freehold.ArgumentError, "no index of 'few' in the collation"):
                transaction.drop_collation_index(Word, "few", "de")
            before = [word.number for word in transaction.objects(Word).sorted('-text COLLATE "de-u-kn"').limit(20)]
        database.build_indexes()
        with database.read() as snapshot:
            index, = snapshot.collation_indexes(Word)
            self.assertEqual((index.property, index.language, index.state, index.percent), ("text", "de-u-kn", "complete", 100))
            found = snapshot.objects(Word).sorted('-text COLLATE "de-u-kn"').limit(20)
            self.assertIn("in the order of the index of text", found.explain())
            self.assertEqual([word.number for word in found], before)
        with database.write(durable=False) as transaction:
            transaction.drop_collation_index(Word, "text", "de-u-kn")
        with database.read() as snapshot:
            self.assertEqual(snapshot.collation_indexes(Word), [])


def chance_text(number: int) -> str:
    """Strings that bytes order otherwise than a language."""
    return f"{['Ä', 'a', 'B', 'z'][number * 7 % 4]}file{number * 31 % 120}"
