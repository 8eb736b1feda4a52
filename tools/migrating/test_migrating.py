"""Tests of tools/migrate-source. What becomes of samples/Zoo.swift is compiled and used by ObjectTests."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

from migrating.masking import masked  # noqa: E402
from migrating.sources import Tree  # noqa: E402


class MigrateSource(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def put(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, ROOT / "tools/migrate-source", *arguments], capture_output=True, text=True, check=False)

    def migrated(self, text):
        self.put("a.swift", text)
        return Tree(self.folder).sources[0].result

    def test_models_become_what_is_compiled_elsewhere(self):
        result = Tree(HERE / "samples/Zoo.swift")
        self.assertEqual(result.sources[0].result, (ROOT / "Tests/Swift/Objects/MigratedZoo.swift").read_text())
        self.assertEqual(result.remarks, [])

    def test_what_is_not_understood_stays_and_is_told_with_its_line(self):
        tree = Tree(HERE / "samples/Strange.swift")
        self.assertEqual(tree.sources[0].result, (HERE / "samples/StrangeAfter.swift").read_text())
        lines = sorted({int(remark.split("swift:")[1].split(":")[0]) for remark in tree.remarks})
        self.assertEqual(lines, [4, 5, 6, 7, 9, 12])

    def test_nothing_is_written_unless_asked_and_permissions_stay(self):
        path = self.put("deep/er/Zoo.swift", (HERE / "samples/Zoo.swift").read_bytes())
        path.chmod(0o640)
        before = path.read_bytes()
        shown = self.run_tool(self.folder)
        self.assertEqual(shown.returncode, 0)
        self.assertIn("-import RealmSwift\n", shown.stdout)
        self.assertIn("+import Freehold\n", shown.stdout)
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual(self.run_tool(self.folder, "--write").returncode, 0)
        self.assertEqual(path.read_text(), (ROOT / "Tests/Swift/Objects/MigratedZoo.swift").read_text())
        self.assertEqual(path.stat().st_mode & 0o777, 0o640)
        self.assertEqual([p.name for p in path.parent.iterdir()], ["Zoo.swift"])
        again = self.run_tool(self.folder, "--write")
        self.assertIn("0 of 1 files", again.stderr)

    def test_files_without_models_and_others_folders_are_left_alone(self):
        for name in ["Other.swift", ".build/checkouts/x/Zoo.swift", "Pods/Zoo.swift"]:
            self.put(name, "import Foundation\nclass A: Object { @objc dynamic var a = 1 }\n")
        self.put("Latin.swift", b"import RealmSwift // \xe4\n")
        tree = Tree(self.folder)
        self.assertEqual([source.path.name for source in tree.sources if source.is_changed], [])
        self.assertEqual(len(tree.remarks), 1)

    def test_a_class_that_extends_a_model_of_another_file_is_a_model(self):
        self.put("a.swift", "import RealmSwift\nclass Base: Object {}\n")
        self.put("b.swift", "import RealmSwift\nclass Sub: Base, Codable { @objc dynamic var a = 1 }\n")
        self.assertEqual(Tree(self.folder).sources[1].result, "import Freehold\nclass Sub: Base, Codable { @Persisted var a = 1 }\n")

    def test_line_ends_and_named_imports_stay_as_they_are(self):
        self.assertEqual(self.migrated("import class RealmSwift.Object\r\nclass A: Object {\r\n  @objc dynamic var a = 1\r\n}\r\n"),
                         "import class Freehold.Object\r\nclass A: Object {\r\n  @Persisted var a = 1\r\n}\r\n")

    def test_a_method_with_local_variables_is_not_a_property(self):
        text = "import RealmSwift\nclass A: Object {\n    func f() {\n        dynamic var a = 1\n    }\n}\n"
        self.assertEqual(self.migrated(text), text.replace("RealmSwift", "Freehold"))

    def test_what_linux_lacks_is_told(self):
        self.put("a.swift", "import RealmSwift\n@ObservedResults(A.self) var a\nlet k = #keyPath(A.b)\n")
        self.assertEqual(len(Tree(self.folder).remarks), 2)

    def test_masking_keeps_places_and_nested_texts(self):
        text = 'let a = "x\\("}" + #"y"#)" /* a /* b */ { */ let b = """\n } "\n""" // {\nlet c = #"\\"{"#'
        blank = masked(text)
        self.assertEqual(len(blank), len(text))
        self.assertNotIn("{", blank)
        self.assertNotIn("}", blank)
        self.assertEqual(blank.split()[:3], ["let", "a", "="])
        self.assertIn("let c =", blank)

    def test_a_wrong_call_is_told(self):
        self.assertEqual(self.run_tool(self.folder / "none").returncode, 2)


if __name__ == "__main__":
    unittest.main()
