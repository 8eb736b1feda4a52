"""The Swift of README.md and docs/ compiles against the library as it is.

Each block of a page is the body of a function, behind what SURROUNDINGS says stands around it for the reader. Types are
checked; nothing runs. FREEHOLD_MODULES is the folder with the compiled modules.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = Path(os.environ.get("FREEHOLD_MODULES", ROOT / ".build/debug/Modules")).resolve()
BLOCK = re.compile(r"^```swift\n(.*?)^```", re.MULTILINE | re.DOTALL)

# What a page takes for granted, at the top of its file or in front of a block: by page and number of the block.
SURROUNDINGS = {
    ("docs/collation.md", 1): """
        class Person: Object { @Persisted var name = ""; @Persisted var age = 0 }
        class Paper: Object { @Persisted var title = "" }
        let realm = try Realm()
    """,
    ("docs/encryption.md", 1): "import FreeholdEngine",
    ("docs/full-text.md", 1): "let realm = try Realm()",
    ("docs/full-text.md", 2): """
        class Author: Object { @Persisted var name = "" }
        let realm = try Realm()
    """,
    ("docs/geography.md", 1): "let realm = try Realm()",
    ("docs/geography.md", 2): """
        class Location: EmbeddedObject { @Persisted var type = "Point"; @Persisted var coordinates: List<Double> }
        class Town: Object { @Persisted var latitude: Double?; @Persisted var longitude: Double? }
    """,
    ("docs/moving-in.md", 1): """
        let new = URL(fileURLWithPath: "new"), old = URL(fileURLWithPath: "old"), key: Data? = nil
        let migrate: MigrationBlock = { _, _ in }
    """,
    ("docs/notifications.md", 1): """
        class Dog: Object { @Persisted var age = 0 }
        var rows: [String] = []
        let row = { (dog: Dog) in "" }, show = { (dogs: Results<Dog>) in }, mark = { (place: Int) in }
        let realm = try Realm()
    """,
    ("docs/notifications.md", 2): """
        class Dog: Object { @Persisted var age = 0 }
        let show = { (change: RealmCollectionChange<Results<Dog>>) in }
        struct Event {}
        let epoll: Int32 = 0, EPOLL_CTL_ADD: Int32 = 1
        var event = Event()
        func epoll_ctl(_ set: Int32, _ operation: Int32, _ descriptor: Int32, _ event: UnsafeMutablePointer<Event>) {}
        let realm = try Realm()
    """,
    ("docs/queries.md", 1): """
        import FreeholdEngine
        let people = try Database.open("people.freehold").snapshot().table("Person")
    """,
    ("docs/queries.md", 2): """
        class Dog: Object { @Persisted var name = "" }
        class Person: Object { @Persisted var name = ""; @Persisted var age = 0; @Persisted var dogs: List<Dog> }
        let realm = try Realm()
    """,
    ("docs/sync.md", 2): 'let server = URL(string: "https://sync.example.org")!, tokenFile = URL(fileURLWithPath: "token")',
    ("docs/vectors.md", 1): """
        struct Model { func embedding(of text: String) -> [Float] { [] } }
        let model = Model(), wanted: [Float] = [], realm = try Realm()
    """,
    ("docs/vectors.md", 2): """
        import FreeholdEngine
        let wanted: [Float] = [], products = try Database.open("products.freehold").snapshot().table("Product")
    """,
    ("docs/vectors.md", 3): """
        import FreeholdEngine
        let database = try Database.open("items.freehold")
    """,
    ("README.md", 1): 'let path = "people.freehold"',
}

# Not compiled here: a part of another module, and what a trait of the package brings.
ELSEWHERE = {"docs/extending.md", "docs/from-realm.md"}


def source(page, text):
    """One Swift file with a function for each block."""
    imports, functions = {"Foundation", "Freehold"}, []
    for number, block in enumerate(BLOCK.findall(text), 1):
        lines = [line.strip() for line in SURROUNDINGS.get((page, number), "").splitlines()]
        first = text[: text.index(block)].count("\n") + 1
        lines.append(f'#sourceLocation(file: "{page}", line: {first})')
        lines += block.splitlines() + ["#sourceLocation()"]
        imports.update(line.split()[1] for line in lines if line.startswith("import "))
        body = ["" if line.startswith("import ") else line for line in lines]
        functions.append("\n".join([f"func block{number}() async throws {{", *body, "}"]))
    return "\n".join([*(f"import {name}" for name in sorted(imports)), *functions, ""])


def errors(folder, page, text):
    """What the compiler has against the blocks of a page."""
    file = Path(folder, "Page.swift")
    file.write_text(source(page, text))
    shims = ROOT / "Sources/CShims/include", MODULES.parent / "CShims.build/module.modulemap"
    command = ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "5", "-package-name", "documents",
               "-I", str(MODULES), "-I", str(shims[0]), "-Xcc", f"-fmodule-map-file={shims[1]}", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    found = [line for line in done.stderr.splitlines() if ": error: " in line and not line.startswith(" ")]
    return found or ([done.stderr] if done.returncode else [])


class SwiftInDocuments(unittest.TestCase):
    maxDiff = None

    def test_every_block_compiles(self):
        pages = sorted(ROOT.glob("docs/*.md")) + [ROOT / "README.md"]
        compiled = 0
        with tempfile.TemporaryDirectory() as folder:
            for path in pages:
                page, text = str(path.relative_to(ROOT)), path.read_text()
                if page in ELSEWHERE or not BLOCK.search(text):
                    continue
                with self.subTest(page=page):
                    self.assertEqual(errors(folder, page, text), [])
                compiled += len(BLOCK.findall(text))
        self.assertGreater(compiled, 15)

    def test_a_wrong_block_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            found = errors(folder, "docs/sample.md", "One.\n\n```swift\nlet realm: Realm = 1\n```\n")
        self.assertEqual(len(found), 1)
        self.assertIn("docs/sample.md:4", found[0])

    def test_surroundings_belong_to_blocks(self):
        for page, number in SURROUNDINGS:
            with self.subTest(page=page, block=number):
                self.assertLessEqual(number, len(BLOCK.findall((ROOT / page).read_text())))


if __name__ == "__main__":
    unittest.main()
