"""Banned: calls that are wrong here, each with what to write instead."""

import re
from dataclasses import dataclass

from .project import Finding, is_allowed, target_of

RULE = "banned"
WITHOUT_FOUNDATION = ("CShims", "Platform", "FreeholdEngine", "FreeholdImport", "FreeholdTools", "FreeholdC")


@dataclass(frozen=True)
class Ban:
    pattern: re.Pattern
    where: object
    instead: str


def _in_targets(*targets):
    return lambda project, name: target_of(name) in targets


def _outside(*targets):
    return lambda project, name: name.startswith("Sources/") and target_of(name) not in targets


def _code(project, name):
    return name.startswith(("Sources/", "Tests/"))


def _header(project, name):
    return _code(project, name) and name.endswith(".h") or name.startswith("include/")


def _library(project, name):
    return target_of(name) is not None and target_of(name) not in project.programs


_engine = _in_targets("FreeholdEngine", "Platform")

_NAMED = r"\\?\.(?:\w+\.)*(?:name|storedName|className|label)\b"

BANS = [
    Ban(re.compile(r"(?<![.\w])(?<!func )(?:print|debugPrint|dump)\("), _library, "a library does not write to its user's terminal; return the text or throw an error"),
    Ban(re.compile(r"(?<![.\w])(?:fatalError|preconditionFailure|assertionFailure)\(\s*\)"), _library, "say what broke: pass a message, or throw an error"),
    Ban(re.compile(r"(?<![.\w])(?:precondition|assert)\([^,()]*(?:\([^()]*\)[^,()]*)*\)"), _library, "add a message that says which invariant broke"),
    Ban(re.compile(r"(?<![.\w])(?:precondition|assert|require)\([^\n]*(?:\bbytes\[|\.load\(|\.loadUnaligned\()"), _engine, "bytes from a file are input; throw .corrupt instead of stopping"),
    Ban(re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)?(?:public |internal |private )?import (?:Foundation|FoundationEssentials|Dispatch)\b", re.MULTILINE), _in_targets(*WITHOUT_FOUNDATION), "the engine and the C ABI do without Foundation; use Platform, or write the few lines"),
    Ban(re.compile(r"^\s*(?:public )?import (?:Glibc|Musl|Darwin)\b", re.MULTILINE), _in_targets("FreeholdEngine"), "the system is reached through Platform; add the call to its seam"),
    Ban(re.compile(r"#(?:if|elseif)[^\n]*\b(?:os|canImport)\("), _outside("Platform", "TestKit"), "differences between systems stay in Platform; add a call there that hides them"),
    Ban(re.compile(r"(?<![.\w])(?<!func )(?:u?sleep|nanosleep)\(|\b(?:Thread|Task)\.sleep\b"), _code, "wait for the event itself: a named point, a pipe, a futex word with a time limit"),
    Ban(re.compile(r"\bF_(?:SETLKW?|GETLK)\b|(?<![.\w])lockf\("), _code, "POSIX record locks vanish at any close; use the OFD locks of Platform"),
    Ban(re.compile(r"\bpthread_cond\w*"), _code, "shared condition variables hang when a waiter is killed; use a futex word"),
    Ban(re.compile(r"\bpthread_mutex_destroy\b"), _code, "another process may still use the mutex; leave it, the lock file is rebuilt"),
    Ban(re.compile(r"(?<![.\w])(?<!func )msync\("), _code, "data enters the file by pwrite and is flushed by fdatasync; call the flush of Platform"),
    Ban(re.compile(r"(?<![.\w])(?<!func )(?:exit|_exit|quick_exit)\("), _library, "a library does not end its user's process; throw an error"),
    Ban(re.compile(r"\.add\([^()\n]*ordering:"), _code, "a checked add is a compare-and-swap loop; use wrappingAdd"),
    Ban(re.compile(r"\bSystemRandomNumberGenerator\b|\.random\(in:|\b(?:Continuous|Suspending)Clock\b"), _in_targets("FreeholdEngine"), "clock and randomness go through Platform, so that the simulation can replay them"),
    Ban(re.compile(rf"\[String ?:(?! ?Any\b)|\bSet<String>|\bDictionary\((?!grouping:[^\n]*ExactText)[^\n]*{_NAMED}|(?<![.\w])Set\((?!exact:)[^\n)]*\(?{_NAMED}"), _in_targets("Freehold", "FreeholdC", "FreeholdImport", "FreeholdTools"), "names and keys are told apart by their bytes, which a String is not; use TextMap, or a set of ExactText"),
    Ban(re.compile(r"#\s*define\s+_GNU_SOURCE"), _header, "it breaks Glibc's module for whoever imports the header; define it for .c files in Package.swift"),
]


def check(project):
    for source in project.sources():
        for ban in BANS:
            if not ban.where(project, source.name):
                continue
            for line, match in source.find(ban.pattern):
                line += match.group().count("\n", 0, len(match.group()) - len(match.group().lstrip()))
                if not is_allowed(source, line):
                    what = " ".join(match.group().split())[:40]
                    yield Finding(source.name, line, RULE, f"'{what}': {ban.instead}")
