"""The samples of the lint's self-test: small trees, and what each rule has to say about them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sample:
    rule: str
    name: str
    files: dict
    #: Pieces of the findings expected; empty when the sample is fine.
    caught: tuple = ()


def _floors(lower, upper, layers="Trees\nBlocks\n", door=True):
    files = {
        "Sources/Engine/layers.txt": layers,
        "Sources/Engine/Blocks/Block.swift": lower,
        "Sources/Engine/Trees/Tree.swift": upper,
        "Sources/Engine/Trees/README.md": "Trees of blocks.\n",
    }
    if door:
        files["Sources/Engine/Blocks/README.md"] = "Blocks.\n"
    return files


def _engine(text, target="FreeholdEngine"):
    return {f"Sources/{target}/Sample.swift": text}


def _function(lines, above=""):
    body = "\n".join(f"    let value{index} = {index}" for index in range(lines))
    return f"{above}func long() {{\n{body}\n}}\n"


_NOTE = "TO" + "DO"

FLOORS = [
    Sample("floors", "a reference downward is fine", _floors("struct Block { struct Kind {} }", "struct Tree { var root: Block; struct Kind {} }")),
    Sample("floors", "a type named upward", _floors("struct Block { var owner: Tree? }", "struct Tree {}"), ("Blocks/Block.swift:1: floors: Blocks names 'Tree'",)),
    Sample("floors", "a free function called upward", _floors("func block() { rebalance(3) }", "func rebalance(_ n: Int) {}"), ("'rebalance'",)),
    Sample("floors", "a type nested above in an extension of a lower type", _floors("struct Block {}\nfunc f(_ c: Block.TreeCursor) {}", "extension Block { struct TreeCursor {} }"), ("'TreeCursor'",)),
    Sample("floors", "a method added above, called below", _floors("struct Block { func f() { self.attachToTree() } }", "extension Block { func attachToTree() {} }"), ("'attachToTree'",)),
    Sample("floors", "an upper name in a comment or a string is fine", _floors('// The Tree above.\nlet text = "Tree"\nlet block = 1', "struct Tree { let x = block }")),
    Sample("floors", "an upper name in interpolated code", _floors('let text = "a \\(Tree.self) b"', "struct Tree {}"), ("'Tree'",)),
    Sample("floors", "a local name that hides an upper one is fine", _floors("struct Block { enum Tree { case a }; var t: Tree }", "struct Tree {}")),
    Sample("floors", "a generic parameter that hides an upper name is fine", _floors("final class Block<Tree: Hashable> { var t: Tree? }", "struct Tree {}")),
    Sample("floors", "neighbours on one line keep apart", _floors("struct Block { var t: Tree }", "struct Tree {}", layers="Trees Blocks\n"), ("'Tree'",)),
    Sample("floors", "a folder that is no floor", _floors("struct Block {}", "struct Tree {}", layers="Blocks\n"), ("Sources/Engine/Trees:1: floors: this folder is no floor",)),
    Sample("floors", "a floor without a door", _floors("struct Block {}", "struct Tree {}", door=False), ("Sources/Engine/Blocks:1: floors: the floor has no door",)),
    Sample("floors", "a line for no folder", _floors("struct Block {}", "struct Tree {}", layers="Trees\nBlocks\nBytes\n"), ("'Bytes' names no folder",)),
    Sample("floors", "a file beside the floors", _floors("struct A {}", "struct B {}") | {"Sources/Engine/Loose.swift": "let x = 1"}, ("Loose.swift:1",)),
]

SIZES = [
    Sample("sizes", "a function of forty lines is fine", _engine(_function(40))),
    Sample("sizes", "a function of fifty lines", _engine(_function(50)), ("50 lines of code in 'long'; split it, or say",)),
    Sample("sizes", "fifty lines with a reason are fine", _engine(_function(50, "// Long because it lists every field once.\n"))),
    Sample("sizes", "a function of seventy lines, whatever it says", _engine(_function(70, "// Long because I like it.\n")), ("at most 60",)),
    Sample("sizes", "comments do not count", _engine("func long() {\n" + "    // why\n" * 90 + "}\n")),
    Sample("sizes", "a computed property is a function", _engine("struct S {\n    var v: Int {\n" + "        f()\n" * 61 + "    }\n}\n"), ("'v' (at most 60)",)),
    Sample("sizes", "a file of 401 lines", _engine("// why\n" * 401), ("401 lines",)),
    Sample("sizes", "a long function of a test", {"Tests/A/B.swift": _function(61)}, ("function long lines: 61 (at most 60)",)),
    Sample("sizes", "fifty lines of a test are fine", {"Tests/A/B.swift": _function(50)}),
    Sample("sizes", "a long function in Python", {"bindings/p/a.py": "def f():\n    \"\"\"Does f.\"\"\"\n" + "    # why\n    a = 1\n" * 61}, ("function f lines: 61",)),
    Sample("sizes", "a long method in C++", {"bindings/p/a.hpp": "class A {\n    void f() {\n" + "        g();\n" * 5 + "    }\n" + "    int x;\n" * 90 + "};\n"}),
    Sample("sizes", "a long file of a test, as a ratchet allows", {"Tests/A/B.swift": "// why\n" * 401, "tools/linting/ratchets.txt": "sizes 401 Tests/A/B.swift lines\n"}),
    Sample("sizes", "a long C function", {"Sources/CShims/a.c": "int long_one(int a)\n{\n" + "    a += 1;\n" * 61 + "    return a;\n}\n"}, ("'long_one'",)),
]

SAFETY = [
    Sample("safety", "a pointer followed without a reason", _engine("func f(p: UnsafePointer<Int>) -> Int { p.pointee }"), ("'.pointee' follows a pointer",)),
    Sample("safety", "a reason on the line is enough", _engine("func f(p: UnsafePointer<Int>) -> Int { p.pointee } // Safe: p outlives the call.")),
    Sample("safety", "a reason above the function is enough", _engine("/// Reads.\n// Safe: p outlives the call.\n@inline(__always)\nfunc f(p: UnsafePointer<Int>) -> Int {\n    p.pointee\n}")),
    Sample("safety", "a reason in the function is enough", _engine("func f(a: Int) -> Int {\n    // Safe: the sum is a hash.\n    let b = a &+ 1\n    return b &* 3\n}")),
    Sample("safety", "a reason in one function does not cover the next", _engine("func f(a: Int) -> Int {\n    // Safe: a hash.\n    a &+ 1\n}\nfunc g(a: Int) -> Int {\n    a &+ 1\n}"), ("Sample.swift:6:",)),
    Sample("safety", "a reason on the type covers its members", _engine("// Safe throughout: offsets are checked by open.\nstruct Page {\n    func f(p: UnsafePointer<Int>) -> Int { p.pointee }\n}")),
    Sample("safety", "a reason at the head covers the file", _engine("// Safe throughout: hashing wraps by definition.\nimport CShims\nfunc f(a: Int) -> Int { a &+ 1 }\n")),
    Sample("safety", "a reason may say for what", _engine("/// A.\n///\n/// Safe to send: it never changes.\nstruct A: @unchecked Sendable {}")),
    Sample("safety", "an empty reason is none", _engine("// Safe:\nfunc f(a: Int) -> Int { a &+ 1 }\n"), ("'&+'",)),
    Sample("safety", "a checker turned off", _engine("final class Box: @unchecked Sendable {}"), ("'@unchecked Sendable'",)),
    Sample("safety", "a forced try", _engine("func f() { try! g() }\nfunc h(x: Any) -> Int { x as! Int }"), ("'try!'", "'as!'")),
    Sample("safety", "an atomic load is no raw load", _engine("func f() -> Int { word.load(ordering: .acquiring) }")),
    Sample("safety", "a raw load is", _engine("func f(p: UnsafeRawPointer) -> Int { p.load(as: Int.self) }"), ("'.load'",)),
    Sample("safety", "an unsafe word in a string or comment is fine", _engine('// see withUnsafeBytes\nlet text = "try! .pointee"\n')),
]

BANNED = [
    Sample("banned", "a library that prints", _engine("func f() { print(1) }"), ("'print('",)),
    Sample("banned", "a program may print", _engine("@main struct M { func f() { print(1) } }", "freehold")),
    Sample("banned", "a method called print is fine", _engine("func f() { pen.print(1) }")),
    Sample("banned", "a reason allows it", _engine("// Allowed: the last word before the process ends.\nfunc f() { print(1) }")),
    Sample("banned", "a fatal error without words", _engine("func f() { fatalError() }", "Freehold"), ("say what broke",)),
    Sample("banned", "a precondition without words", _engine("func f(a: Int) { precondition(a > max(1, 2)) }"), ("which invariant broke",)),
    Sample("banned", "a precondition with words is fine", _engine('func f(a: Int) { precondition(a > 0, "counts start at 1") }')),
    Sample("banned", "bytes of a file asserted", _engine('func f() { assert(p.load(as: Int.self) == 1, "magic") }'), ("throw .corrupt",)),
    Sample("banned", "Foundation in the engine", _engine("import CShims\nimport Foundation\n"), ("Sample.swift:2:",)),
    Sample("banned", "Foundation in the Swift layer is fine", _engine("import Foundation\n", "Freehold")),
    Sample("banned", "Glibc in the engine", _engine("import Glibc\n"), ("through Platform",)),
    Sample("banned", "a system asked about above Platform", _engine("#if os(Linux)\nlet a = 1\n#endif"), ("stay in Platform",)),
    Sample("banned", "a system asked about in Platform is fine", _engine("#if os(Linux)\nlet a = 1\n#endif", "Platform")),
    Sample("banned", "a test that sleeps", {"Tests/A/B.swift": "func f() { usleep(10) }\nfunc g() async { try await Task.sleep(nanoseconds: 1) }"}, ("'usleep('", "'Task.sleep'")),
    Sample("banned", "a seam that offers a sleep is fine", _engine("protocol P { func sleep(milliseconds: Int) }", "Platform")),
    Sample("banned", "POSIX locks", _engine("let a = F_SETLK", "Platform"), ("OFD locks",)),
    Sample("banned", "OFD locks are fine", _engine("let a = F_OFD_SETLK", "Platform")),
    Sample("banned", "a shared condition variable", {"Sources/CShims/a.c": "void f(void) { pthread_cond_wait(a, b); }"}, ("futex word",)),
    Sample("banned", "a dictionary by name", _engine("let known: [String: Int] = [:]\nlet other: Set<String> = []\n", "Freehold"), ("'[String:'", "'Set<String>'")),
    Sample("banned", "a dictionary made of names", _engine("let known = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })\nlet names = Set(all.map(\\.name))\n", "FreeholdC"), ("Sample.swift:1:", "Sample.swift:2:")),
    Sample("banned", "a map of exact texts is fine", _engine("let known: TextMap<Int> = [:]\nlet names = Set(exact: all.map(\\.name))\nlet given: [String: Any] = [:]\n", "FreeholdImport")),
    Sample("banned", "a mutex destroyed", {"Sources/CShims/a.c": "void f(void) { pthread_mutex_destroy(a); }"}, ("leave it",)),
    Sample("banned", "msync", _engine("func f() { msync(a, b, c) }", "Platform"), ("fdatasync",)),
    Sample("banned", "a library that exits", _engine("func f() { exit(1) }"), ("does not end",)),
    Sample("banned", "a checked atomic add", _engine("func f() { word.add(1, ordering: .relaxed) }"), ("wrappingAdd",)),
    Sample("banned", "the system's own randomness", _engine("func f() { Int.random(in: 0..<3) }"), ("simulation can replay",)),
    Sample("banned", "a macro that breaks Glibc's module", {"Sources/CShims/include/a.h": "#define _GNU_SOURCE\n"}, ("define it for .c files",)),
]

DEAD = [
    Sample("dead", "a file that is used is fine", {"Sources/A/B.swift": "struct Used {}", "Tests/C/D.swift": "func f() { Used() }\n@main struct M {}"}),
    Sample("dead", "a file that nothing names", {"Sources/A/B.swift": "struct Unused { func f() {} }", "Tests/C/D.swift": "let x = 1"}, ("B.swift:1: dead: nothing outside",)),
    Sample("dead", "a file of comments", {"Tests/A/B.swift": "// nothing\n"}, ("holds no code",)),
    Sample("dead", "a conformance is use enough", {"Sources/A/B.swift": "extension Used: Equatable {}"}),
    Sample("dead", "a main file is fine", {"Sources/A/main.swift": "run()"}),
    Sample("dead", "a room for anything", {"Sources/A/Utils/B.swift": "@main struct M {}"}, ("Sources/A/Utils:1",)),
    Sample("dead", "the folder of programs that tests start", {"Tests/Helpers/Killed/main.swift": "run()"}),
    Sample("dead", "a file for anything", {"Sources/A/Helpers.swift": "@main struct M {}"}, ("Helpers.swift:1",)),
]

DOCUMENTATION = [
    Sample("documentation", "a public function without a word", _engine("public func f() {}"), ("public 'f'",)),
    Sample("documentation", "with words it is fine", _engine("/// Does f.\n@inlinable\npublic func f() {}")),
    Sample("documentation", "an ordinary comment is no documentation", _engine("// Does f.\npublic func f() {}"), ("public 'f'",)),
    Sample("documentation", "what a protocol tells is told", _engine("extension A: Hashable {\n    public func hash(into h: inout Hasher) {}\n    public static func == (a: A, b: A) -> Bool { true }\n}")),
    Sample("documentation", "what the project's own protocol tells is told", _engine("protocol P {\n    /// Does f.\n    func f()\n}\nextension A: P {\n    public func f() {}\n}")),
    Sample("documentation", "an override is told above", _engine("/// B.\nopen class B: A {\n    public override func g() {}\n}")),
    Sample("documentation", "each member of a public type", _engine("/// A.\npublic struct A {\n    public var x = 1\n    public private(set) var y = 1\n}", "Freehold"), ("public 'x'", "public 'y'")),
    Sample("documentation", "plain fields within the engine are told by their type", _engine("/// A.\npublic struct A {\n    public var x: Int\n    public init(x: Int) {}\n}")),
    Sample("documentation", "a computed one is not", _engine("/// A.\npublic struct A {\n    public var x: Int { 1 }\n}"), ("public 'x'",)),
    Sample("documentation", "a function of the C ABI is told by its header", _engine("@c @implementation\npublic func f() {}")),
    Sample("documentation", "a C function without a word", {"include/a.h": "/* Opens. */\nint freehold_open(\n    int a);\n\nint freehold_close(void);\n"}, ("a.h:5:",)),
    Sample("documentation", "a group of C functions with one comment is fine", {"include/a.h": "/** Opens\n and closes. */\nint freehold_open(\n    int a);\nint freehold_close(void);\n"}),
    Sample("documentation", "a link that leads nowhere", {"docs/a.md": "[b](b.md)\n"}, ("docs/a.md:1:",)),
    Sample("documentation", "a link that leads somewhere is fine", {"docs/a.md": "[b](b.md#c) [w](https://example.org)\n", "docs/b.md": "b\n"}),
]

LEFTOVERS = [
    Sample("leftovers", "a note to oneself", _engine(f"// {_NOTE}: later\nlet a = 1\n"), (f"'{_NOTE}'",)),
    Sample("leftovers", "a note in a document", {"docs/a.md": f"{_NOTE}\n"}, ("docs/a.md:1",)),
    Sample("leftovers", "a longer word is fine", _engine(f"let {_NOTE}S = 1\n")),
    Sample("leftovers", "a function that is only promised", _engine('func f() { fatalError("not implemented") }'), ("take the way to it out",)),
    Sample("leftovers", "a test left out", {"Tests/A/B.swift": "@Test(.disabled())\nfunc f() {}"}, ("leaves a test out",)),
    Sample("leftovers", "a long test behind a switch is fine", {"Tests/A/B.swift": "@Test(.enabled(if: isLong))\nfunc f() {}"}),
    Sample("invariants", "an invariant and what holds it", {
        "docs/invariants.md": "## Space\n| 1 | Pages | asserted `Map.check` |\n", "Sources/FreeholdEngine/Space/README.md": "1. Pages.\n",
        "Sources/FreeholdEngine/Space/Map.swift": "func check() {}"}),
    Sample("invariants", "an invariant that the table lacks", {"Sources/FreeholdEngine/Space/README.md": "1. Pages.\n"}, ("invariant 1 is not in",)),
    Sample("invariants", "a row without an invariant, and a name that is gone", {
        "docs/invariants.md": "## Space\n| 2 | Pages | tested `pagesLive` |\n"}, ("'pagesLive' does not exist", "Space 2 is listed twice, or is no")),
]



def _package(lower, upper, layers="__init__\nupper\nlower\n"):
    return {"p/layers.txt": layers, "p/__init__.py": "from .upper import b\n", "p/upper.py": upper, "p/lower.py": lower}


IMPORTS = [
    Sample("imports", "imports downward are fine", _package("import os\n", "from . import lower\nfrom .lower import a\nimport p.lower\n")),
    Sample("imports", "an import upward", _package("from .upper import b\n", "b = 1\n"), ("p/lower.py:1: imports: lower imports upper",)),
    Sample("imports", "an import upward in a function", _package("def f():\n    from . import upper\n", "b = 1\n"), ("p/lower.py:2:",)),
    Sample("imports", "an import upward for types", _package("if TYPE_CHECKING:\n    from p.upper import b\n", "b = 1\n"), ("p/lower.py:2:",)),
    Sample("imports", "an import of the package itself", _package("import p\n", "b = 1\n"), ("lower imports __init__",)),
    Sample("imports", "neighbours on one line keep apart", _package("b = 1\n", "from .lower import b\n", "__init__\nupper, lower\n"), ("upper imports lower",)),
    Sample("imports", "a module in no layer", _package("b = 1\n", "b = 1\n", "__init__\nupper\n"), ("p/lower.py:1: imports: this module is in no layer",)),
    Sample("imports", "a layer of no module", _package("b = 1\n", "b = 1\n", "__init__\nupper\nlower\nlowest\n"), ("'lowest' names no module",)),
]



def _ratchet(line):
    return {"tools/linting/ratchets.txt": line + "\n"}


def _stored(count, extra=""):
    return _engine("struct Wide {\n" + "".join(f"    var field{index} = {index}\n" for index in range(count)) + extra + "}\n")


def _functions(count, extra=""):
    return _engine("struct Busy {}\nextension Busy {\n" + "".join(f"    func act{index}() {{}}\n" for index in range(count)) + "}\n" + extra)


def _circle(count):
    """Files each of which names the type of the next."""
    return {f"Sources/A/F{index}.swift": f"struct T{index} {{ func f(_ next: T{(index + 1) % count}) {{}} }}\n" for index in range(count)}


_LONG = "x" * 150

TYPES = [
    Sample("types", "fifteen stored properties are fine", _stored(15)),
    Sample("types", "sixteen are not", _stored(16), ("FreeholdEngine Wide stored properties: 16 (at most 15)",)),
    Sample("types", "what is computed, static or nested is not stored", _stored(15, "    static var shared = 1\n    var sum: Int { 1 }\n    struct Inner { var a = 1 }\n")),
    Sample("types", "what is observed or lazy is stored", _stored(14, "    var a: Int { didSet { f() } }\n    lazy var b = { 1 }()\n"), ("16 (at most 15)",)),
    Sample("types", "each name of a list is stored", _stored(14, "    var a, b: Int\n"), ("16 (at most 15)",)),
    Sample("types", "sixty functions are fine", _functions(60)),
    Sample("types", "more, over all extensions", _functions(60, "extension Busy { init(a: Int) {} }\n"), ("FreeholdEngine Busy functions: 61 (at most 60)",)),
    Sample("types", "what a ratchet allows is fine", _stored(20) | _ratchet("types 20 FreeholdEngine Wide stored properties")),
    Sample("types", "more than a ratchet allows is not", _stored(21) | _ratchet("types 20 FreeholdEngine Wide stored properties"), ("21 (at most 20)",)),
]

CYCLES = [
    Sample("cycles", "three files may name one another", _circle(3)),
    Sample("cycles", "four may not", _circle(4), ("A: 4 (at most 3)",)),
    Sample("cycles", "unless a ratchet allows it", _circle(4) | _ratchet("cycles 4 A")),
    Sample("cycles", "a chain is no cycle", _circle(6) | {"Sources/A/F5.swift": "struct T5 {}\n"}),
    Sample("cycles", "a name with two meanings says nothing", _circle(4) | {"Sources/A/G.swift": "struct G { struct T0 {} }\n"}),
]

WIDTH = [
    Sample("width", "140 columns of code are fine", {"Tests/A/B/c.swift": "// " + "x" * 137 + "\n"}),
    Sample("width", "more are not", {"Tests/A/B/c.swift": f"// {_LONG}\n", "Tests/A/B/d.py": f"# {_LONG}\n"}, ("Tests/A/B lines of code beyond 140 columns: 2 (at most 0)",)),
    Sample("width", "what a ratchet allows is fine", {"docs/a.md": f"{_LONG}\n"} | _ratchet("width 1 docs lines of prose beyond 120 columns")),
    Sample("width", "prose of 121 columns", {"docs/a.md": "x" * 121 + "\n"}, ("docs/a.md:1: width: docs lines of prose beyond 120 columns: 1",)),
    Sample("width", "tables, code and links may be wide", {"docs/a.md": f"| {_LONG} |\n```\n{_LONG}\n```\n[{_LONG}](https://example.org)\n    {_LONG}\n"}),
]

UNUSED = [
    Sample("unused", "what another file names is used", {"Sources/A/B.swift": "struct Used {}", "Sources/A/C.swift": "let x = Used()\nfunc f() { x }\nlet y = f()\nfunc g() { y }\n@main struct M { init() { g() } }"}),
    Sample("unused", "what only tests name is not", {"Sources/A/B.swift": "func spare() {}", "Tests/C/D.swift": "spare()"}, ("nothing but tests names 'spare'",)),
    Sample("unused", "a reason keeps it", {"Sources/A/B.swift": "// Allowed: tests count with it.\nfunc spare() {}"}),
    Sample("unused", "what a library offers is its users'", {"Sources/Freehold/B.swift": "/// B.\n@frozen\npublic struct B { public func spare() {} }"}),
    Sample("unused", "what a protocol asks for is called through it", {"Sources/A/B.swift": "protocol P { func spare() }\nstruct S: P { func spare() {} }\nlet s: any P = S()\nfunc f() { s }\n@main struct M { init() { f() } }"}),
]

WORDS = [
    Sample("words", "plain words are fine", _engine("/// The number of subclasses.\nlet a = 1\n")),
    Sample("words", "a private word in a doc comment", _engine("/// The number of heirs.\nlet a = 1\n"), ("the first is 'heirs'; write 'subclass'",)),
    Sample("words", "one in a message", _engine('let a = "asked anew"\n'), ("'asked anew'",)),
    Sample("words", "one in a name, in code or in another comment is fine", _engine("// The heirs.\nlet heirs = 1\n")),
    Sample("words", "one in a header", {"include/a.h": "/* Lent until the next call. */\n"}, ("'borrowed'",)),
    Sample("words", "one in a document", {"docs/a.md": "Whoever reads.\n"}, ("'Whoever'",)),
    Sample("words", "what a ratchet allows is fine", {"docs/a.md": "Whoever reads.\n"} | _ratchet("words 1 docs words")),
    Sample("words", "one in code of a document is fine", {"docs/a.md": "The table `heirs`.\n```\nheirs\n```\n"}),
    Sample("words", "a doc comment that leans on another", _engine("/// The same for strings.\nlet a = 1\n"), ("Sample.swift:1: words: a doc comment stands alone",)),
    Sample("words", "a later line of it may", _engine("/// Rows of a class.\n/// See the README.\nlet a = 1\n")),
]

TESTS = [
    Sample("tests", "a sentence in quotes is fine", {"Tests/A/B/c.swift": '@Test("it holds", arguments: [1])\nfunc f() {}\n@Test(\n    "it holds")\nfunc g() {}\n'}),
    Sample("tests", "a name alone is not", {"Tests/A/B/c.swift": "@Test func itHolds() {}\n@Test(arguments: [1])\nfunc g() {}\n"}, ("Tests/A/B tests without a sentence: 2 (at most 0)",)),
    Sample("tests", "unless a ratchet allows it", {"Tests/A/B/c.swift": "@Test func itHolds() {}\n"} | _ratchet("tests 1 Tests/A/B tests without a sentence")),
]

SAMPLES = TESTS + TYPES + CYCLES + WIDTH + UNUSED + WORDS + FLOORS + IMPORTS + SIZES + SAFETY + BANNED + DEAD + DOCUMENTATION + LEFTOVERS
