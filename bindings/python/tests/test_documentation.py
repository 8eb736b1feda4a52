"""The examples of docs/python.md: all of them compile, and those that stand for themselves run, one behind the other."""

from __future__ import annotations

import ast
import re
import unittest
from pathlib import Path
from typing import Any

import freehold
from kit import Case

PAGE = Path(__file__).parents[3] / "docs" / "python.md"


class Documentation(Case):
    def setUp(self) -> None:
        super().setUp()
        self.names: dict[str, Any] = {"freehold": freehold, "path": self.path, "print": lambda *_: None, "__name__": __name__}

    def example(self, beginning: str) -> Any:
        """The code of the example that begins so; in the text `…` stands for what the reader would do."""
        found = [block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if block.startswith(beginning)]
        self.assertEqual(len(found), 1, beginning)
        return compile(found[0].replace("…", "..."), str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)

    def run_example(self, beginning: str) -> None:
        exec(self.example(beginning), self.names)

    def test_models_writing_reading_and_migrating(self) -> None:
        self.run_example("@freehold.model\nclass Dog")
        self.names["database"] = freehold.open(self.path, [self.names["Person"], self.names["Dog"]])
        self.run_example("with database.write() as transaction:")
        self.run_example("with database.read() as snapshot:")
        with self.names["database"].read() as snapshot:
            text = self.names["adults"]._through(snapshot).text
        self.assertEqual(text, 'height >= 1.5 AND ANY dogs.name == "Rex" SORT(height DESC, name ASC)')
        self.names["database"].close()

        @freehold.model
        class Person:
            id: int = freehold.field(primary_key=True)
            full_name: str = freehold.field(indexed=True, default="")
            height: str = ""
            nick: str = ""

        self.names["Person"] = Person
        self.run_example("def migrate(transaction, file_version, version):")
        with self.names["database"] as database, database.read() as snapshot:
            self.assertEqual(list(snapshot.objects(Person).rows("full_name", "height", "nick")), [("Ada", "0 m", "A")])

    def test_opening_and_following_compile(self) -> None:
        self.example("import freehold")
        self.example("for version in database.commits()")


if __name__ == "__main__":
    unittest.main()
