"""Reads one Swift, C or C++ file: what is code, what is comment, which declarations it holds.

Not a parser: a scanner that knows strings, comments, brackets and the words that open a declaration.
That is enough to say which function a line is in, how long the function is and what stands above it.
"""

import bisect
import re
from dataclasses import dataclass, field
from pathlib import Path

TYPE_KINDS = {"struct", "class", "enum", "protocol", "actor"}
FUNCTION_KINDS = {"func", "init", "deinit", "subscript", "var"}
KEYWORDS = TYPE_KINDS | FUNCTION_KINDS | {"let", "extension", "typealias", "associatedtype", "case", "macro"}

_OPENING = re.compile(r'//|/\*|#*"""|#*"')
_OPENING_C = re.compile(r"//|/\*|\"|'")
_TOKEN = re.compile(r"`\w+`|[A-Za-z_]\w*|[{}()\[\]]|\n|=(?!=)|[^\s\w]")
_PLAIN_ASSIGNMENT = re.compile(r"(?<![=!<>+\-*/%&|^~?])=(?![=])")


@dataclass
class Declaration:
    kind: str
    name: str
    line: int
    prefix: str
    parent: "Declaration | None" = None
    body_start: int = 0
    body_end: int = 0
    inherits: bool = False
    children: list = field(default_factory=list)

    @property
    def is_function(self):
        return self.kind in FUNCTION_KINDS and self.body_start > 0

    @property
    def is_type(self):
        return self.kind in TYPE_KINDS or self.kind == "extension"

    def enclosing(self):
        """Itself and the declarations around it, innermost first."""
        at = self
        while at is not None:
            yield at
            at = at.parent


class Source:
    """One file, with `code` holding the text in which comments and string contents are blanks, offsets kept."""

    def __init__(self, root: Path, path: Path):
        self.path = path
        self.name = str(path.relative_to(root))
        self.text = path.read_text(encoding="utf-8", errors="replace")
        self.is_swift = path.suffix == ".swift"
        self.code, self.comment_text = _blank(self.text, self.is_swift)
        self.starts = [0] + [match.end() for match in re.finditer("\n", self.text)]
        self.code_lines = self.code.split("\n")
        self.comment_lines = self.comment_text.split("\n")
        if self.text.endswith("\n"):
            self.code_lines.pop()
            self.comment_lines.pop()
        self._declarations = None

    @property
    def line_count(self):
        return len(self.code_lines)

    def line_of(self, offset):
        """The line, counted from 1, that holds the character at `offset`."""
        return bisect.bisect_right(self.starts, offset)

    def comment(self, line):
        return self.comment_lines[line - 1].strip() if 1 <= line <= len(self.comment_lines) else ""

    def code_at(self, line):
        return self.code_lines[line - 1].strip() if 1 <= line <= len(self.code_lines) else ""

    def code_line_count(self, first, last):
        """How many lines from `first` to `last` hold code rather than nothing or a comment."""
        return sum(1 for line in range(first, last + 1) if self.code_at(line))

    def head_line(self, declaration):
        """The first line of a declaration, its attributes included."""
        line = declaration.line
        while line > 1 and re.match(r"@\w|(public|private|internal|static|final)\s*$", self.code_at(line - 1)):
            line -= 1
        return line

    def comment_above(self, declaration):
        """The comment that stands directly above a declaration, as one text."""
        line = self.head_line(declaration) - 1
        found = []
        while line >= 1 and self.comment(line) and not self.code_at(line):
            found.append(self.comment(line))
            line -= 1
        return "\n".join(reversed(found))

    def head_comment(self):
        """The comments before the first line of code other than imports."""
        found = []
        for line in range(1, self.line_count + 1):
            code = self.code_at(line)
            if code and not code.startswith(("import ", "@testable ", "#include", "#pragma", "// swift-tools")):
                break
            found.append(self.comment(line))
        return "\n".join(found)

    @property
    def declarations(self):
        if self._declarations is None:
            self._declarations = _declarations(self) if self.is_swift else _c_functions(self)
        return self._declarations

    def declaration_at(self, line):
        """The innermost declaration whose lines hold `line`, or None."""
        best = None
        for declaration in self.declarations:
            last = declaration.body_end or declaration.line
            if declaration.line <= line <= last and (best is None or declaration.line >= best.line):
                best = declaration
        return best

    def find(self, pattern):
        """Each match of a compiled pattern in the code, with its line."""
        for match in pattern.finditer(self.code):
            yield self.line_of(match.start()), match


def _blank(text, swift):
    """Splits a text into code and comments of the same length and the same lines."""
    code, comments = list(text), [c if c == "\n" else " " for c in text]
    opening = _OPENING if swift else _OPENING_C
    at = 0

    def hide(first, last, comment):
        for index in range(first, last):
            if text[index] != "\n":
                code[index] = " "
                if comment:
                    comments[index] = text[index]

    while match := opening.search(text, at):
        start, mark = match.start(), match.group()
        if mark == "//":
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            hide(start, end, True)
        elif mark == "/*":
            end = _block_end(text, start, swift)
            hide(start, end, True)
        else:
            end = _string_end(text, match, swift, hide)
        at = max(end, start + 1)
    return "".join(code), "".join(comments)


def _block_end(text, start, nested):
    depth, at = 0, start
    for match in re.finditer(r"/\*|\*/", text[start:]):
        depth += 1 if match.group() == "/*" and (nested or depth == 0) else -1 if match.group() == "*/" else 0
        at = start + match.end()
        if depth == 0:
            return at
    return len(text)


def _string_end(text, match, swift, hide):
    """Blanks one string literal's contents, leaving interpolated code in place; returns where it ends."""
    mark = match.group()
    if not swift:
        end = match.end()
        while end < len(text) and text[end] not in (mark, "\n"):
            end += 2 if text[end] == "\\" else 1
        hide(match.end(), min(end, len(text)), False)
        return end + 1
    hashes = len(mark) - len(mark.lstrip("#"))
    close = mark.lstrip("#") + "#" * hashes
    escape = "\\" + "#" * hashes
    at = piece = match.end()
    while at < len(text):
        if text.startswith(close, at):
            hide(piece, at, False)
            return at + len(close)
        if text.startswith(escape + "(", at):
            hide(piece, at + len(escape), False)
            at = piece = _interpolation_end(text, at + len(escape), hide)
        elif text.startswith(escape, at):
            at += len(escape) + 1
        elif text[at] == "\n" and len(close) == 1 + hashes:
            break
        else:
            at += 1
    hide(piece, min(at, len(text)), False)
    return at


def _interpolation_end(text, at, hide):
    depth = 0
    while at < len(text):
        if text[at] == '"':
            at = _string_end(text, _OPENING.match(text, at), True, hide)
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            break
    return at


def _declarations(source):
    """Walks the tokens of a Swift file and returns its declarations in order, nested ones with their parent."""
    found, scopes, pending, depth, previous = [], [], None, 0, ""
    tokens = [(match.group(), match.start()) for match in _TOKEN.finditer(source.code)]
    for index, (token, offset) in enumerate(tokens):
        if token in "([":
            depth += 1
        elif token in ")]":
            depth -= 1
        elif token == "{":
            opened = pending[0] if pending and pending[1] == depth else None
            if opened:
                opened.body_start = source.line_of(offset)
                pending = None
            scopes.append((opened, depth))
        elif token == "}" and scopes:
            opened, depth = scopes.pop()
            pending = None
            if opened:
                opened.body_end = source.line_of(offset)
        elif pending and pending[1] == depth and pending[0].kind in ("var", "let", "case", "typealias") and token in ("=", "\n"):
            pending = None
        elif pending and pending[1] == depth and token == ":":
            pending[0].inherits = True
        elif token in KEYWORDS and previous != ".":
            parent = next((scope for scope, _ in reversed(scopes) if scope), None)
            declaration = _declaration(source, tokens, index, parent, previous)
            if declaration:
                found.append(declaration)
                pending = (declaration, depth)
        if token != "\n":
            previous = token
    for declaration in found:
        if declaration.body_start and not declaration.body_end:
            declaration.body_end = source.line_count
        if declaration.parent:
            declaration.parent.children.append(declaration)
    return found


def _declaration(source, tokens, index, parent, previous):
    kind, offset = tokens[index]
    following = [token for token, _ in tokens[index + 1 : index + 10] if token != "\n"]
    line = source.line_of(offset)
    prefix = re.split(r"[{};]", source.code_lines[line - 1][: offset - source.starts[line - 1]])[-1]
    inside_function = parent is not None and parent.is_function
    if kind in ("init", "deinit", "subscript"):
        opens = following[:1] and following[0] in ("(", "?", "!", "<") or kind == "deinit"
        return Declaration(kind, kind, line, prefix, parent) if opens and not inside_function else None
    if not following or (kind == "class" and following[0] in ("func", "var", "let", "subscript")):
        return None
    name = following[0].strip("`") or source.text[offset:].split("`", 2)[1]  # A name between backticks may be a sentence.
    if kind in ("var", "let") and (previous in ("if", "guard", "while", "case", ",", "(", "for") or not name[0].isidentifier()):
        return None
    if kind == "case" and (parent is None or parent.kind != "enum"):
        return None
    if kind in TYPE_KINDS | {"extension", "typealias", "associatedtype"} and not name[0].isidentifier():
        return None
    if kind == "actor" and not name[0].isupper():
        return None
    if kind == "func" and not name[0].isidentifier():
        name = "".join(token for token, _ in _until_parenthesis(tokens, index + 1))
    if kind == "extension":
        name = "".join(token for token, _ in _dotted(tokens, index + 1))
    return Declaration(kind, name, line, prefix, parent)


def _until_parenthesis(tokens, index):
    while index < len(tokens) and tokens[index][0] not in ("(", "\n", "<") or tokens[index - 1][0] == "func":
        yield tokens[index]
        index += 1


def _dotted(tokens, index):
    while index < len(tokens) and (tokens[index][0] == "." or tokens[index][0][0].isidentifier() and tokens[index - 1][0] in (".", "extension")):
        yield tokens[index]
        index += 1


def _c_functions(source):
    """The functions of a C or C++ file that begin in column 1: a body that opens after a parameter list."""
    found = []
    for match in re.finditer(r"^[A-Za-z_][^;{}=#]*?\b(\w+)\s*\([^;{}]*\)[^;{}=]*\{", source.code, re.MULTILINE):
        end = _closing(source.code, match.end())
        declaration = Declaration("func", match.group(1), source.line_of(match.start()), "")
        declaration.body_start = source.line_of(match.end() - 1)
        declaration.body_end = source.line_of(end)
        found.append(declaration)
    return found


def _closing(code, at):
    """Where the bracket closes that was opened before `at`."""
    depth = 1
    for match in re.finditer(r"[{}]", code[at:]):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return at + match.start()
    return len(code) - 1
