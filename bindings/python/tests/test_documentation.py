"""The examples of docs/python.md: all of them compile, and those that stand for themselves run, one behind the other."""

from __future__ import annotations

import array
import ast
import re
import unittest
from pathlib import Path
from typing import Any

import freehold
from kit import Case

PAGE = Path(__file__).parents[3] / "docs" / "python.md"
VECTORS = PAGE.with_name("vectors.md")

try:
    import numpy
except ImportError:
    numpy = None


class Documentation(Case):
    def setUp(self) -> None:
        super().setUp()
        self.names: dict[str, Any] = {"freehold": freehold, "path": self.path, "print": lambda *_: None, "__name__": __name__}

    def example(self, beginning: str, page: Path = PAGE) -> Any:
        """The code of the example that begins so; in the text `…` stands for what the reader would do."""
        found = [block for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL) if block.startswith(beginning)]
        self.assertEqual(len(found), 1, beginning)
        return compile(found[0].replace("…", "..."), str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)

    def run_example(self, beginning: str, page: Path = PAGE) -> None:
        exec(self.example(beginning, page), self.names)

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

    @unittest.skipIf(numpy is None, "needs NumPy")
    def test_vectors(self) -> None:
        self.names["array"] = array
        source = VECTORS.read_text()
        model = source.index("```python\n@freehold.model")
        block = source[model + len("```python\n"):source.index("```", model + 3)].split("\nwith database.write()")
        exec(block[0], self.names)
        self.names["database"] = freehold.open(self.path, [self.names["Product"]])
        self.addCleanup(self.names["database"].close)
        exec("with database.write()" + block[1], self.names)
        self.assertEqual(self.names["score"], 1)
        self.names.update(names=["a", "b"], rows=numpy.ones((2, 384), numpy.float32))
        with self.names["database"].write() as transaction:
            transaction.objects("Product").delete()
        self.run_example("with database.write() as transaction:\n    transaction.insert_columns(Product", VECTORS)
        self.assertEqual((self.names["rows"].shape, self.names["missing"].tolist()), ((2, 384), [False, False]))

    def test_opening_and_following_compile(self) -> None:
        self.example("import freehold")
        self.example("for version in database.commits()")


if __name__ == "__main__":
    unittest.main()
