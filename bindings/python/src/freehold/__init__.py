"""Freehold: objects in one file, shared by any number of processes of any language.

    import freehold

    @freehold.model
    class Person:
        id: int = freehold.field(primary_key=True)
        name: str = ""

    database = freehold.open("people.freehold", [Person])
    with database.write() as transaction:
        transaction.add(Person(1, "Ada"))
    with database.read() as snapshot:
        for person in snapshot.objects(Person).where("name BEGINSWITH %@", "A"):
            print(person.name)
"""

from ._library import library as _library
from .database import KEY_LENGTH, Database, Problem, Report, Sizes, delete, exists, generate_key, open
from .elements import List, Map, Set
from .errors import (
    ArgumentError, BusyError, ClosedError, DamageError, DeletedError, DuplicateKeyError, FileError, ForkedError, FreeholdError, InUseError,
    LimitError, NotFoundError, NotInWriteError, QueryError, ReadOnlyError, SchemaError, SourceDamageError, StateError, UnknownNameError,
    ValueTypeError, WrongKeyError,
)
from .finding import FoundText
from .following import AnswerChanges, Following
from .importing import ImportReport, ImportSource
from .indexing import CollationIndex, FullTextIndex, PlaceIndex, VectorIndex
from .objects import Object
from .reading import Snapshot
from .results import Groups, Results
from .schema import Float32, Property, field, model
from .sets import AnySet
from .sync_state import Sync, SyncIssue, SyncSettings, SyncState
from .syncing import SyncConflict, SyncLink, SyncLoss, SyncReport
from .values import ObjectId
from .watching import Changes, Commits, Watch, changes
from .writing import Transaction

#: The library's version.
__version__ = _library.version().decode()

__all__ = [
    "AnswerChanges", "AnySet", "ArgumentError", "BusyError", "Changes", "ClosedError", "CollationIndex", "Commits", "DamageError",
    "Database", "DeletedError", "DuplicateKeyError", "FileError", "Float32", "Following", "ForkedError", "FoundText", "FreeholdError",
    "FullTextIndex", "Groups", "ImportReport", "ImportSource", "InUseError", "KEY_LENGTH", "LimitError", "List", "Map", "NotFoundError",
    "NotInWriteError", "Object", "ObjectId", "PlaceIndex", "Problem", "Property", "QueryError", "ReadOnlyError", "Report", "Results",
    "SchemaError", "Set", "Sizes", "Snapshot", "SourceDamageError", "StateError", "Sync", "SyncConflict",
    "SyncIssue", "SyncLink", "SyncLoss", "SyncReport", "SyncSettings", "SyncState", "Transaction", "UnknownNameError",
    "ValueTypeError", "VectorIndex", "Watch", "WrongKeyError", "changes", "delete", "exists", "field", "generate_key", "model", "open",
]
