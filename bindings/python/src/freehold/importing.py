"""Moving in: objects of another database, once and resumable."""

from __future__ import annotations

import contextlib
import os
from ctypes import byref, c_char_p, c_void_p, cast, sizeof
from dataclasses import dataclass, field
from typing import Callable, Iterator, Sequence

from ._library import ImportCallback, RemarkCallback, Text, library
from ._library import ImportReport as GivenReport
from ._library import ImportSource as GivenSource
from .errors import QueryError, SourceDamageError, check

#: Called with the objects written, their number at the end, and whether another process imports and this one waits;
#: returning False stops the import.
Progress = Callable[[int, int, bool], object]


@dataclass(frozen=True)
class ImportSource:
    """A file of another database: a .realm file, a SQLite database, a Core Data or SwiftData store. The first process
    that opens the database imports it, in batches; the others wait until it is complete. It is done once for ever, and
    the source is never written.

        database = freehold.open("shop.freehold", importing=freehold.ImportSource("shop.realm"))

    key: the key of an encrypted file.
    name: tells imports into one database apart; an import of this name is done once. By default the source's file name.
    rules: what tables become: "map TABLE=CLASS", "type TABLE.COLUMN=TYPE", "link TABLE.COLUMN=TABLE", "join TABLE=PROPERTY".
    must_exist: whether it is an error if the file does not exist and was not imported before.
    progress: called every few thousand objects; if it returns False or raises, the import stops, and the next opening
        continues it.
    """

    path: str | os.PathLike[str]
    key: bytes | None = field(default=None, repr=False)
    name: str | None = None
    rules: Sequence[str] = ()
    must_exist: bool = False
    progress: Progress | None = None


@dataclass(frozen=True)
class ImportReport:
    """What an import brought, and what of the source is not as it was, a sentence each.

    missing_links: links whose target the source did not have; they are null.
    is_new: whether this call completed the import; False if that was done before, or if there is no source.
    """

    classes: int
    objects: int
    missing_links: int
    is_new: bool
    remarks: tuple[str, ...]


@contextlib.contextmanager
def given(source: ImportSource | str | os.PathLike[str] | None) -> Iterator[GivenSource | None]:
    """The source as the library takes it; raises afterwards what its `progress` raised."""
    if source is None:
        yield None
        return
    if not isinstance(source, ImportSource):
        source = ImportSource(source)
    path = os.fsencode(source.path)
    name = None if source.name is None else source.name.encode()
    key = None if source.key is None else bytes(memoryview(source.key))
    texts = [rule.encode() for rule in source.rules]
    rules = (Text * len(texts))()
    for place, text in enumerate(texts):
        rules[place].bytes, rules[place].length = _address(text), len(text)
    raised: list[BaseException] = []

    def progress(_: int | None, written: int, total: int, waiting: bool) -> bool:
        assert source is not None and source.progress is not None
        try:
            return source.progress(written, total, waiting) is not False
        except BaseException as error:  # noqa: BLE001 - raised again below
            raised.append(error)
            return False

    callback = ImportCallback(progress) if source.progress is not None else ImportCallback()
    try:
        yield GivenSource(
            sizeof(GivenSource), path, len(path), key, len(key) if key is not None else 0, name,
            len(name) if name is not None else 0, rules, len(texts), source.must_exist, callback, None)
    except QueryError as error:
        # The number is that of malformed input, and the input is the source.
        damage = SourceDamageError(*error.args)
        damage.code, damage.path, damage.system_code = error.code, error.path, error.system_code
        raise damage from None
    finally:
        if raised:
            raise raised[0]


def _address(text: bytes) -> c_void_p:
    """The address of bytes that live as long as the caller's reference."""
    return cast(c_char_p(text), c_void_p)


def imported(handle: int, source: ImportSource | str | os.PathLike[str]) -> ImportReport:
    """Imports into the database of a handle."""
    report = GivenReport(size=sizeof(GivenReport))
    remarks: list[str] = []
    note = RemarkCallback(lambda _, text: remarks.append((text or b"").decode()))
    with given(source) as importing:
        assert importing is not None
        check(library.database_import(handle, byref(importing), byref(report), note, None))
    return ImportReport(report.classes, report.objects, report.missing_links, report.is_new, tuple(remarks))
