"""What an agent shall do for a file, and how it goes."""

from __future__ import annotations

import datetime
import os
from ctypes import byref, c_uint64, sizeof
from dataclasses import dataclass
from typing import Any, Callable

from ._library import SyncIssueCallback, SyncSettingsCallback, SyncSettingsDetail, SyncStateDetail, Text, library
from .errors import check, found
from .values import Encoder, moment, text

_WORDS = ("code", "what", "place", "advice", "class_name", "primary_key", "property")
_CONNECTIONS = ("stopped", "connecting", "connected", "refused")


@dataclass(frozen=True)
class SyncSettings:
    """What a file says about its sync: the server's address, `https://host:port`; the token that it asks for, which everybody
    who can read the file can read, or a file with it; and whether agents shall pause."""

    address: str
    token: str | None = None
    token_file: str | None = None
    suspended: bool = False


@dataclass(frozen=True)
class SyncState:
    """How the sync of a file is going.

    The connection: "stopped" without an agent, "connecting" while the server is out of reach, "connected", or "refused" until
    something is changed; the last issue says what. `pending` says whether the file has changes that are not known to be at
    the server; `last_exchange` is when it last sent or received one."""

    connection: str
    has_agent: bool
    pending: bool
    last_exchange: datetime.datetime | None


@dataclass(frozen=True)
class SyncIssue:
    """A change that was lost, or an error. The code is a reason as in `SyncLoss`, or an error's, such as "unauthorized"; what
    happened, the place, and what to do. The last three are empty for errors, and the property for a whole object."""

    date: datetime.datetime
    code: str
    what: str
    place: str
    advice: str
    class_name: str
    primary_key: str
    property: str


class Sync:
    """The sync of a file: what an agent shall do, and how it goes.

        database.sync.configure("https://sync.example.org", token_file="token")
        database.sync.download(timeout=60)
        print(database.sync.state().pending, database.sync.issues())
    """

    def __init__(self, database: Callable[[], int]) -> None:
        self._open = database

    def configure(self, address: str, *, token: str | None = None, token_file: str | os.PathLike[str] | None = None,
                  suspended: bool = False) -> None:
        """Says where the file's server is (`https://HOST`), and whether agents shall pause; they notice at once. Settings that the file
        has already are no commit. Raises `ArgumentError` for what is no address of a server."""
        encoder = Encoder()
        # An agent may have another working directory.
        place = None if token_file is None else os.path.abspath(os.fspath(token_file))
        given = [Text() if words is None else encoder.text(words) for words in (address, token, place)]
        check(library.sync_set_settings(self._open(), byref(SyncSettingsDetail(sizeof(SyncSettingsDetail), *given, suspended))))

    def settings(self) -> SyncSettings | None:
        """What the file says about its sync; None if nothing."""
        heard: list[SyncSettings] = []

        def hear(_: Any, place: Any) -> None:
            detail = place.contents
            heard.append(SyncSettings(text(detail.address), _optional(detail.token), _optional(detail.token_file), detail.suspended))

        return heard[0] if found(library.sync_settings(self._open(), SyncSettingsCallback(hear), None)) else None

    def suspend(self) -> None:
        """Lets agents pause, until `resume`. The rest of the settings stays."""
        check(library.sync_suspend(self._open(), True))

    def resume(self) -> None:
        """Lets agents go on."""
        check(library.sync_suspend(self._open(), False))

    def state(self) -> SyncState:
        """How the sync of the file is going. `database.watch("FreeholdSyncState")` reports changes of it."""
        detail = SyncStateDetail(size=sizeof(SyncStateDetail))
        check(library.sync_state(self._open(), byref(detail)))
        return SyncState(_CONNECTIONS[detail.connection], detail.has_agent, detail.pending,
                         moment(detail.last_exchange) if detail.exchanged else None)

    def issues(self) -> list[SyncIssue]:
        """Changes that were lost and errors, oldest first: objects of the class `FreeholdSyncIssue`, at most 1,000. A program
        deletes those that it has dealt with."""
        issues: list[SyncIssue] = []
        failures: list[BaseException] = []

        def hear(_: Any, place: Any) -> None:
            detail = place.contents
            try:
                issues.append(SyncIssue(moment(detail.date), *(text(getattr(detail, name)) for name in _WORDS)))
            except BaseException as failure:  # It must not leave a callback of the library.
                failures.append(failure)

        check(library.sync_issues(self._open(), SyncIssueCallback(hear), None, byref(c_uint64())))
        if failures:
            raise failures[0]
        return issues

    def download(self, *, timeout: float = 30.0) -> None:
        """Waits until the file has all that the server had when this was called. An agent has to work at it, in any process.
        `BusyError`, a `TimeoutError`, says what was missing: an agent, the server, or the rest of an answer. `FileError` if the
        server refuses."""
        check(library.sync_download(self._open(), round(timeout * 1000)))


def _optional(value: Text) -> str | None:
    return None if value.bytes is None else text(value)
