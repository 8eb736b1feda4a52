"""The files of a folder, and what becomes of them."""

import difflib
import os
import re
from pathlib import Path

from .masking import masked
from .models import ROOTS, classes

SKIPPED = {".git", ".build", "Pods", "Carthage", "DerivedData", "node_modules"}
_IMPORT = re.compile(r"^(?P<before>[ \t]*(?:@\w+\s+)*(?:public\s+|internal\s+|private\s+)?import\s+)(?P<module>RealmSwift|Realm)[ \t]*$", re.MULTILINE)
_IMPORTS = re.compile(r"^[ \t]*(?:@\w+\s+)*(?:\w+\s+)?import\s+(?:RealmSwift|Realm|Freehold)\b", re.MULTILINE)
_NAMED_IMPORT = re.compile(r"\bimport\s+\w+\s+RealmSwift\.\w+")
#: What Linux or this library does not have, and what to do instead.
_FOREIGN = [
    (re.compile(r"\b(?:NSDate|NSData|NSString|NSNumber|CGFloat)\b"), "is no type of a property; use Date, Data, String, Int or Double"),
]
_ELSEWHERE = [
    (re.compile(r"@objc\b(?!Members)"), "'@objc' does not exist on Linux; take it away, or keep it within #if canImport(ObjectiveC)"),
    (re.compile(r"#keyPath\("), "'#keyPath' does not exist on Linux; write the name as a text, or a key path"),
    (re.compile(r"\bSyncConfiguration\b|\bsyncConfiguration\b|\bSyncUser\b|\bApp\(id:"),
     "Freehold's sync has a server and a token, and an agent at the file: SyncConfiguration(serverURL:tokenFile:); see docs/sync.md"),
    (re.compile(r"@ObservedResults\b|@ObservedRealmObject\b|@StateRealmObject\b|\bRealmPublishers\b|\.objectWillChange\b|\bcollectionPublisher\b"),
     "SwiftUI and Combine do not exist on Linux; observe the object or collection"),
]


class Tree:
    """Every Swift file below a folder."""

    def __init__(self, root):
        self.sources = [Source(path, root) for path in _swift_files(Path(root))]
        bases = set(ROOTS)
        # A class that extends a model is a model, in whatever file it stands.
        while True:
            found = {model.name for source in self.sources for model in source.models(bases)} - bases
            if not found:
                break
            bases |= found
        for source in self.sources:
            source.rewrite(bases)
        self.remarks = [remark for source in self.sources for remark in source.remarks]


def _swift_files(root):
    if root.is_file():
        return [root]
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("."))
        found += [Path(folder) / name for name in sorted(files) if name.endswith(".swift")]
    return found


class Source:
    """One file."""

    def __init__(self, path, root):
        self.path = path
        self.name = str(path)
        self.remarks = []
        self.edits = []
        try:
            self.text = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            self.text = ""
            self.remarks.append(f"{self.name}:1: is not UTF-8; left as it is")
        self.code = masked(self.text)
        self.uses_realm = bool(_IMPORTS.search(self.code) or _NAMED_IMPORT.search(self.code))
        self.all_classes = classes(self.text, self.code) if self.uses_realm else []

    def models(self, bases):
        return [model for model in self.all_classes if model.parents and model.parents[0] in bases]

    def remark(self, place, what):
        self.remarks.append(f"{self.name}:{self.text.count(chr(10), 0, place) + 1}: {what}")

    def edit(self, start, end, replacement):
        self.edits.append((start, end, replacement))

    def rewrite(self, bases):
        if not self.uses_realm:
            return
        self._imports()
        for model in self.models(bases):
            self._model(model)
        self._names()
        self._elsewhere()

    # What becomes of each part.

    def _imports(self):
        has_one = re.search(r"^[ \t]*import\s+Freehold\b", self.code, re.MULTILINE) is not None
        for match in _IMPORT.finditer(self.code):
            if has_one:
                end = match.end() + (self.text[match.end():match.end() + 1] == "\n")
                self.edit(match.start(), end, "")
            else:
                self.edit(match.start("module"), match.end("module"), "Freehold")
            has_one = True
        for match in _NAMED_IMPORT.finditer(self.code):
            start = match.group().rindex("RealmSwift") + match.start()
            self.edit(start, start + len("RealmSwift"), "Freehold")

    def _model(self, model):
        for attribute, place in model.attributes:
            if attribute == "@objcMembers" or attribute == "@objc":
                self._remove(place, len(attribute))
            elif attribute.startswith("@objc("):
                self.remark(place, f"'{attribute}' names the class in old files; write 'override class func className() -> String' in its place")
        if model.strange_list is not None:
            self.remark(model.strange_list, "ignoredProperties() is not a plain list of names; look that none of them is marked with @Persisted")
        is_exposed = any(attribute == "@objcMembers" for attribute, _ in model.attributes)
        for member in model.members:
            if member.kind == "var":
                self._variable(member, model, is_exposed)
            elif member.kind == "init" and re.match(r"init\s*\(\s*\)", member.head) and "override" in member.names:
                self._initializer(member)

    def _initializer(self, member):
        for word, place in member.words:
            if word == "override":
                if "required" in member.names:
                    return
                self.edit(place, place + len(word), "required")

    def _variable(self, member, model, is_exposed):
        names = member.names
        if "dynamic" not in names and "@objc" not in names:
            if is_exposed and not names & {"static", "class", "lazy"} and not _is_computed(member.head) and not any(n.startswith("@") for n in names):
                self.remark(member.start, f"'{_name(member.head)}' of '{model.name}' is not dynamic; if the file is to keep it, put @Persisted before it")
            return
        if names & {"static", "class", "lazy", "weak", "unowned"}:
            return self.remark(member.start, f"cannot tell what is to become of '{_name(member.head)}' of '{model.name}'; left as it is")
        if _declares_several(member.head):
            return self.remark(member.start, "several properties in one declaration; write one each, then run this again")
        for pattern, what in _FOREIGN:
            if match := pattern.search(_first_line(member.head)):
                return self.remark(member.start, f"'{match.group()}' {what}; left as it is")
        keeps = not _is_computed(member.head) and _name(member.head) not in model.ignored and not any(n == "@Persisted" for n in names)
        if any(n.startswith("@objc(") for n in names):
            return self.remark(member.start, f"'{_name(member.head)}' has a name of its own in Objective-C; left as it is")
        marks = [(word, place) for word, place in member.words if word in ("@objc", "dynamic")]
        if keeps:
            word, place = marks[0]
            self.edit(place, place + len(word), "@Persisted")
            marks = marks[1:]
        for word, place in marks:
            self._remove(place, len(word))

    def _names(self):
        for match in re.finditer(r"\bRealmOptional\s*<\s*(\w+)\s*>", self.code):
            self.edit(match.start(), match.end(), f"RealmProperty<{match[1]}?>")
        for match in re.finditer(r"\bRealmEnum\b", self.code):
            self.edit(match.start(), match.end(), "PersistableEnum")
        for match in re.finditer(r"(?<![\w.])RealmSwift(?=\.\w)", self.code):
            if not _NAMED_IMPORT.search(self.code, max(0, match.start() - 40), match.end() + 40):
                self.edit(match.start(), match.end(), "Freehold")
        # An enumeration of a file's numbers.
        for match in re.finditer(r"@objc\s+(?=(?:\w+\s+)*enum\s+\w+\s*:[^{]*\bRealmEnum\b)", self.code):
            self.edit(match.start(), match.end(), "")

    def _elsewhere(self):
        taken = [(start, end) for start, end, _ in self.edits]
        for pattern, what in _ELSEWHERE:
            for match in pattern.finditer(self.code):
                if not any(start <= match.start() < end for start, end in taken):
                    self.remark(match.start(), what)

    def _remove(self, place, length):
        """A word, and the blank behind it; its line, if nothing else stands there."""
        end = place + length
        while end < len(self.text) and self.text[end] in " \t":
            end += 1
        start = self.text.rfind("\n", 0, place) + 1
        if end < len(self.text) and self.text[end] == "\n" and not self.text[start:place].strip():
            place, end = start, end + 1
        self.edit(place, end, "")

    # The result.

    @property
    def result(self):
        text = self.text
        for start, end, replacement in sorted(set(self.edits), reverse=True):
            text = text[:start] + replacement + text[end:]
        return text

    @property
    def is_changed(self):
        return self.result != self.text

    def diff(self):
        lines = difflib.unified_diff(self.text.splitlines(True), self.result.splitlines(True), self.name, self.name + " (for Freehold)")
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)

    def write(self):
        """The file is whole at any moment, and keeps its permissions."""
        new = self.path.with_name(self.path.name + ".migrating")
        new.write_bytes(self.result.encode("utf-8"))
        os.chmod(new, self.path.stat().st_mode & 0o7777)
        os.replace(new, self.path)


def _name(head):
    match = re.match(r"(?:var|let)\s+`?(\w+)", head)
    return match[1] if match else "?"


def _declares_several(head):
    """Whether a comma outside of all brackets is followed by another name."""
    line, depth = _first_line(head), 0
    for place, character in enumerate(line):
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0 and re.match(r",\s*\w+\s*[:=]", line[place:]):
            return True
    return False


def _first_line(head):
    return head.split("\n")[0]


def _is_computed(head):
    """Whether braces follow that are neither a value's nor those of observers."""
    opening = head.find("{")
    if opening < 0 or "=" in head[:opening]:
        return False
    return not re.match(r"\{\s*(?:didSet|willSet)\b", head[opening:])
