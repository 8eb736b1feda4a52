"""A file's side of sync, for programs that carry its messages to a server and back."""

from __future__ import annotations

from ctypes import byref, sizeof
from dataclasses import dataclass
from typing import Any, Callable, NamedTuple

from ._library import SyncLossCallback, SyncMergeCallback, SyncReportDetail, library
from .errors import check, found
from .values import LINK, NULL, Encoder, decoded, text

_REASONS = ("beaten", "deleted", "updated", "not_visible", "not_allowed", "conflict", "not_unique", "unknown")


@dataclass(frozen=True)
class SyncLoss:
    """A change of this file that an answer has decided against. `property` is dotted within embedded objects, and empty for the
    object as a whole.

    The reason: "beaten" by a later write, "deleted" elsewhere, "updated" elsewhere though deleted here, "not_visible" or
    "not_allowed" to the user, "conflict" of a property that the application merges, "not_unique", or "unknown": the file
    cannot have the server's value, as its property has another type."""

    class_name: str
    primary_key: Any
    property: str
    reason: str


@dataclass(frozen=True)
class SyncReport:
    """What an answer has changed. After a `reset` the server has sent everything anew: what it does not name is gone."""

    losses: tuple[SyncLoss, ...]
    changed_objects: int
    reset: bool


class SyncLink(NamedTuple):
    """A link in a conflict, by the number of the object's class and its key. `merge` may return it, or an object."""

    class_number: int
    key: int

    @property
    def _freehold_link(self) -> tuple[int, int]:
        return (self.class_number, self.key)


@dataclass(frozen=True)
class SyncConflict:
    """A property with two values that were written at the same time: this file's, and the server's. A link is a
    `SyncLink`."""

    class_name: str
    primary_key: Any
    property: str
    mine: Any
    theirs: Any


#: Merges the two values of a property that is declared with `merged=True`; it may not write to the database.
SyncMerge = Callable[[SyncConflict], Any]


def applied(database: int, message: bytes, merge: SyncMerge | None) -> SyncReport | None:
    """Applies a message from the server."""
    losses: list[SyncLoss] = []
    failures: list[BaseException] = []
    kept: list[Encoder] = []

    def plain(value: Any) -> Any:
        return decoded(value, SyncLink, mixed=True)

    def merged(_: Any, place: Any, result: Any) -> bool:
        conflict = place.contents
        try:
            kept[:] = [Encoder()]
            made = merge(SyncConflict(text(conflict.class_name), plain(conflict.primary_key), text(conflict.property),
                                      plain(conflict.mine), plain(conflict.theirs)))
            wanted = conflict.mine.type if conflict.mine.type != NULL else conflict.theirs.type
            # A link says its class, as links of mixed properties need it.
            kept[0].fill(result.contents, made, wanted if wanted != LINK else None)
        except BaseException as failure:  # It must not leave a callback of the library.
            failures.append(failure)
            # No value has this type, so nothing is applied.
            result.contents.type = (1 << 32) - 1
        return True

    def lost(_: Any, place: Any) -> None:
        loss = place.contents
        try:
            losses.append(SyncLoss(text(loss.class_name), plain(loss.primary_key), text(loss.property), _REASONS[loss.reason]))
        except BaseException as failure:  # It must not leave a callback of the library.
            failures.append(failure)

    report = SyncReportDetail(size=sizeof(SyncReportDetail))
    code = library.sync_apply(database, message, len(message), SyncMergeCallback(merged) if merge is not None else SyncMergeCallback(),
                              SyncLossCallback(lost), None, byref(report))
    if failures:
        raise failures[0]
    return SyncReport(tuple(losses), report.changed_objects, report.reset) if found(code) else None
