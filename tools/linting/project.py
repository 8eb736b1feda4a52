"""The files that the rules look at, and what a rule reports."""

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .source import Source

CODE = {".swift", ".c", ".h", ".hpp", ".cpp"}
TEXT = CODE | {".py", ".sh", ".md", ".txt", ".cmake", ".in", ""}
SKIPPED_FOLDERS = {".git", ".build", ".swiftpm", "build", "__pycache__"}

#: The declarations that give a file a type of its own.
TYPES = {"struct", "class", "enum", "protocol", "actor", "typealias"}

_PROGRAM = re.compile(r"^@main\b", re.MULTILINE)


@dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    rule: str
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


class Project:
    """One tree of files, each read once."""

    def __init__(self, root):
        self.root = Path(root)
        self._sources = {}
        #: What rules have measured, by their module.
        self.measured = {}

    @cached_property
    def paths(self):
        found = []
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS and not f.startswith((".build", "build-")))
            found += [Path(folder) / file for file in sorted(files)]
        return found

    def name(self, path):
        return str(path.relative_to(self.root))

    def source(self, path):
        if path not in self._sources:
            self._sources[path] = Source(self.root, path)
        return self._sources[path]

    def sources(self, *folders, suffixes=CODE):
        """The code files under the named folders ("" for all)."""
        for path in self.paths:
            name = self.name(path)
            if path.suffix in suffixes and (not folders or name.startswith(tuple(f"{folder}/" for folder in folders))):
                yield self.source(path)

    def texts(self):
        """Every file that people read, code or not."""
        for path in self.paths:
            if path.suffix in TEXT and path.name != "LICENSE":
                yield self.source(path)

    @cached_property
    def ratchets(self):
        from . import ratchets

        return ratchets.allowed(self)

    @cached_property
    def targets(self):
        """The folders directly in Sources."""
        folder = self.root / "Sources"
        return sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []

    @cached_property
    def programs(self):
        """The names of the targets that are programs, and of the test kit: nobody else's process runs them."""
        found = {"TestKit"}
        for source in self.sources("Sources", suffixes={".swift"}):
            if source.path.name == "main.swift" or _PROGRAM.search(source.code):
                found.add(target_of(source.name))
        return found


def target_of(name):
    parts = name.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "Sources" else None


def is_allowed(source, line):
    """Whether an `// Allowed: reason` of three words or more stands on the line or in the comment above it."""
    at = line
    while at >= 1:
        comment = source.comment(at)
        if "Allowed:" in comment and len(comment.split("Allowed:")[1].split()) >= 3:
            return True
        at -= 1
        if not source.comment(at) or source.code_at(at):
            return False
    return False
