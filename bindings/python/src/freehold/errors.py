"""Errors: one class for each error that a program may want to catch."""

from __future__ import annotations

from ctypes import byref, sizeof

from ._library import ErrorDetail, library


class FreeholdError(Exception):
    """Base class of all errors of the database. `code` is the error number, equal in all languages; `path` is the file
    concerned."""

    code = 0
    path = ""
    system_code = 0


class FileError(FreeholdError):
    """The file or the operating system failed. Codes from 1000."""


class NotFoundError(FileError, FileNotFoundError):
    """The file or folder does not exist."""


class WrongKeyError(FileError):
    """The encryption key is missing, wrong, or given for a file that is not encrypted."""


class ReadOnlyError(FileError):
    """The database or its medium is read-only."""


class InUseError(FileError):
    """Another process uses the file in a way that forbids this."""


class DamageError(FreeholdError):
    """Bytes are not what was written. Codes from 2000."""


class SourceDamageError(DamageError):
    """The file that was to be imported is damaged. The database is not."""


class StateError(FreeholdError):
    """The operation is not possible at this moment. Codes from 3000."""


class BusyError(StateError, TimeoutError):
    """Another writer held the lock during the whole timeout; the message names it."""


class ClosedError(StateError):
    """The object used has ended or was closed."""


class ForkedError(StateError):
    """The object used was created before the process forked; open the database in the child."""


class NotInWriteError(StateError):
    """Changes need an open transaction, on the thread that began it."""


class DeletedError(StateError):
    """The object was deleted."""


class ArgumentError(FreeholdError):
    """An argument does not fit. Codes from 4000."""


class ValueTypeError(ArgumentError, TypeError):
    """A value's type does not fit the property, or null was given for a required one."""


class UnknownNameError(ArgumentError, AttributeError):
    """The class or property does not exist."""


class DuplicateKeyError(ArgumentError):
    """An object with this value of a unique property exists."""


class SchemaError(ArgumentError):
    """The requested classes contradict those of the file."""


class QueryError(ArgumentError, ValueError):
    """A query or another text cannot be parsed; the message names the position."""


class LimitError(FreeholdError):
    """A value is too large, or memory is short. Codes from 5000."""


OK, ABSENT, TIMED_OUT, BUSY = range(4)
CLOSED = 3002

_BANDS = {1: FileError, 2: DamageError, 3: StateError, 4: ArgumentError, 5: LimitError}
_CODES = {
    1003: NotFoundError, 1007: WrongKeyError, 1010: InUseError, 1012: ReadOnlyError, 1014: WrongKeyError, 1015: WrongKeyError,
    3001: BusyError, CLOSED: ClosedError, 3003: ForkedError, 3004: NotInWriteError, 3008: DeletedError,
    4001: ValueTypeError, 4002: ValueTypeError, 4003: UnknownNameError, 4004: UnknownNameError, 4005: DuplicateKeyError,
    4008: SchemaError, 4009: QueryError,
}


def last_error() -> FreeholdError:
    """The last error of this thread."""
    detail = ErrorDetail(size=sizeof(ErrorDetail))
    library.last_error(byref(detail))
    error = error_of(detail.code, (detail.message or b"").decode("utf-8", "replace"))
    error.path = (detail.path or b"").decode("utf-8", "replace")
    error.system_code = detail.system_code
    return error


def error_of(code: int, message: str) -> FreeholdError:
    """The exception for an error code."""
    kind = _CODES.get(code) or _BANDS.get(code // 1000, FreeholdError)
    error = kind(message)
    error.code = code
    return error


def check(code: int) -> None:
    """Raises the thread's last error unless the call succeeded."""
    if code != OK:
        raise last_error()


def found(code: int) -> bool:
    """Whether the call found what it looked up; raises for errors."""
    if code == OK:
        return True
    if code == ABSENT:
        return False
    raise last_error()


def usable(descriptor: int) -> int:
    """Returns the file descriptor; raises if it is invalid."""
    if descriptor < 0:
        raise last_error()
    return descriptor


def in_time(code: int) -> bool:
    """Whether the call succeeded before its time was up; raises for errors."""
    if code == OK:
        return True
    if code == TIMED_OUT:
        return False
    raise last_error()
