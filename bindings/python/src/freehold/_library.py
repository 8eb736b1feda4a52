"""The C library: its location, its structures and its functions."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path

from ._structures import *  # noqa: F403 - callers find structures where the functions are

ABI_VERSION = 1
NONE = 0xFFFFFFFF

_handle, _out = c_void_p, POINTER(c_void_p)
_class = _property = c_uint32
_key = c_int64
_text = (c_char_p, c_size_t)
_values = POINTER(Value)

#: The argument types of each function that returns an error code.
_FUNCTIONS = {
    "database_open": (*_text, POINTER(OpenOptions), _out),
    "database_close": (_handle,),
    "database_path": (_handle, POINTER(Text)),
    "database_copy": (_handle, *_text),
    "database_copy_under_key": (_handle, *_text, c_char_p, c_size_t),
    "database_change_key": (_handle, c_char_p, c_size_t),
    "database_backup": (_handle, *_text, POINTER(c_uint64)),
    "database_acknowledge_lost_version": (_handle,),
    "database_compact": (_handle, POINTER(c_uint64), POINTER(c_uint64)),
    "database_flush": (_handle,),
    "database_information": (_handle, POINTER(Information), c_void_p, c_void_p),
    "database_import": (_handle, POINTER(ImportSource), POINTER(ImportReport), RemarkCallback, c_void_p),
    "database_check": (_handle, POINTER(CheckReport), CheckCallback, c_void_p),
    "database_build_indexes": (_handle, IndexProgressCallback, c_void_p),
    "database_wait": (_handle, c_uint64, c_int64, POINTER(c_uint64)),
    "database_exists": (*_text, c_bool),
    "database_delete_files": (*_text, c_bool),
    "key_generate": (c_void_p, c_size_t),
    "listener_open": (_handle, _out),
    "listener_acknowledge": (_handle, POINTER(c_uint64)),
    "listener_wait": (_handle, c_int64, POINTER(c_uint64)),
    "listener_close": (_handle,),
    "snapshot_begin": (_handle, _out),
    "snapshot_refresh": (_handle, POINTER(c_bool)),
    "snapshot_another": (_handle, _out),
    "snapshot_end": (_handle,),
    "reader_version": (_handle, POINTER(c_uint64)),
    "transaction_begin": (_handle, c_int64, _out),
    "transaction_commit": (_handle, c_int32, POINTER(c_uint64)),
    "transaction_begin_async": (_handle, c_int64, _out),
    "transaction_commit_async": (_handle, POINTER(c_uint64), _out),
    "pending_wait": (_handle, c_int64),
    "pending_take": (_handle, _out),
    "pending_close": (_handle,),
    "transaction_rollback": (_handle,),
    "savepoint_make": (_handle, POINTER(c_uint64)),
    "savepoint_rollback": (_handle, c_uint64),
    "savepoint_release": (_handle, c_uint64),
    "class_count": (_handle, POINTER(c_uint32)),
    "class_info": (_handle, _class, POINTER(ClassDetail)),
    "class_drop": (_handle, _class),
    "class_rename": (_handle, _class, *_text),
    "class_add_index": (_handle, _class, c_size_t, POINTER(c_uint32), c_bool),
    "class_add_full_text_index": (_handle, _class, c_size_t, POINTER(IndexField)),
    "class_add_full_text_index_in": (_handle, _class, c_size_t, POINTER(IndexField), *_text),
    "class_drop_full_text_index": (_handle, _class, c_size_t, POINTER(IndexField)),
    "class_add_place_index": (_handle, _class, c_size_t, POINTER(IndexField)),
    "class_drop_place_index": (_handle, _class, c_size_t, POINTER(IndexField)),
    "class_add_vector_index": (_handle, _class, _property, c_size_t, c_uint32, c_uint32),
    "class_drop_vector_index": (_handle, _class, _property),
    "class_add_collation_index": (_handle, _class, _property, *_text),
    "class_drop_collation_index": (_handle, _class, _property, *_text),
    "class_derived_index": (_handle, _class, c_uint32, POINTER(DerivedIndexDetail)),
    "class_set_primary_key": (_handle, _class, _property),
    "classes_create": (_handle, c_size_t, POINTER(ClassDefinition)),
    "property_info": (_handle, _class, _property, POINTER(PropertyDetail)),
    "property_add": (_handle, _class, POINTER(PropertyDetail), POINTER(c_uint32)),
    "property_drop": (_handle, _class, _property),
    "property_rename": (_handle, _class, _property, *_text),
    "property_set_indexed": (_handle, _class, _property, c_bool),
    "property_set_nullable": (_handle, _class, _property, c_bool, _values),
    "property_set_type": (_handle, _class, _property, c_uint32, c_bool, ConvertCallback, c_void_p),
    "schema_adopt": (_handle, c_size_t, POINTER(ClassDefinition)),
    "schema_update": (_handle, c_uint64, c_size_t, POINTER(ClassDefinition), MigrationCallback, c_void_p),
    "schema_version": (_handle, POINTER(c_uint64)),
    "schema_set_version": (_handle, c_uint64),
    "class_unmark_synced": (_handle, _class),
    "sequence_next": (_handle, _class, *_text, POINTER(c_int64)),
    "object_count": (_handle, _class, POINTER(c_uint64)),
    "object_exists": (_handle, _class, _key),
    "object_find": (_handle, _class, _values, POINTER(_key)),
    "object_class": (_handle, _class, _key, POINTER(c_uint32)),
    "object_get": (_handle, _class, _key, c_size_t, POINTER(c_uint32), _values),
    "object_create": (_handle, _class, _values, c_size_t, POINTER(c_uint32), _values, POINTER(_key)),
    "object_set": (_handle, _class, _key, c_size_t, POINTER(c_uint32), _values),
    "sync_push": (_handle, TextCallback, c_void_p),
    "sync_set_settings": (_handle, POINTER(SyncSettingsDetail)),
    "sync_settings": (_handle, SyncSettingsCallback, c_void_p),
    "sync_suspend": (_handle, c_bool),
    "sync_state": (_handle, POINTER(SyncStateDetail)),
    "sync_issues": (_handle, SyncIssueCallback, c_void_p, POINTER(c_uint64)),
    "sync_download": (_handle, c_int64),
    "sync_pull": (_handle, TextCallback, c_void_p),
    "sync_apply": (_handle, c_char_p, c_size_t, SyncMergeCallback, SyncLossCallback, c_void_p, POINTER(SyncReportDetail)),
    "object_delete": (_handle, _class, _key),
    "object_increment": (_handle, _class, _key, _property, c_int64, POINTER(c_int64)),
    "object_embed": (_handle, _class, _key, _property, _class, c_size_t, POINTER(c_uint32), _values, POINTER(_key)),
    "object_backlinks": (_handle, _key, _class, _property, c_size_t, POINTER(_key), POINTER(c_uint64)),
    "objects_delete": (_handle, _class, c_size_t, POINTER(_key), POINTER(c_uint64)),
    "objects_create": (_handle, _class, c_size_t, c_size_t, POINTER(ColumnValues), POINTER(_key)),
    "query_prepare": (_handle, _class, *_text, c_size_t, _values, c_size_t, POINTER(Entry), _out),
    "query_text": (_handle, POINTER(Text)),
    "query_count": (_handle, POINTER(c_uint64)),
    "query_first": (_handle, POINTER(_key)),
    "query_matches": (_handle, _key),
    "query_scores": (_handle, c_size_t, POINTER(_key), POINTER(c_double)),
    "query_distances": (_handle, c_size_t, POINTER(_key), POINTER(c_double)),
    "query_found_texts": (_handle, _key, c_uint32, FoundTextCallback, c_void_p),
    "query_run": (_handle, _out),
    "query_run_among": (_handle, c_size_t, POINTER(_key), _out),
    "query_explain": (_handle, c_bool, POINTER(Text)),
    "query_groups": (_handle, _out),
    "query_close": (_handle,),
    "groups_count": (_handle, POINTER(c_uint64)),
    "groups_get": (_handle, c_uint64, POINTER(Elements), POINTER(Elements)),
    "groups_close": (_handle,),
    "results_keys": (_handle, POINTER(POINTER(_key)), POINTER(c_uint64)),
    "results_get": (_handle, c_uint64, c_size_t, c_size_t, POINTER(c_uint32), _values, POINTER(c_size_t)),
    "results_integers": (_handle, _property, c_uint64, c_size_t, c_void_p, c_void_p, POINTER(c_size_t)),
    "results_reals": (_handle, _property, c_uint64, c_size_t, c_void_p, c_void_p, POINTER(c_size_t)),
    "results_close": (_handle,),
    "column_integers": (_handle, _class, _property, POINTER(_key), c_size_t, c_void_p, c_void_p, c_void_p, POINTER(c_size_t)),
    "column_reals": (_handle, _class, _property, POINTER(_key), c_size_t, c_void_p, c_void_p, c_void_p, POINTER(c_size_t)),
    "collection_open": (_handle, _class, _key, _property, _out),
    "collection_inner": (_handle, _values, _out),
    "collection_kind": (_handle, POINTER(c_uint32)),
    "collection_count": (_handle, POINTER(c_uint64)),
    "collection_get": (_handle, c_uint64, c_size_t, POINTER(Text), _values, POINTER(c_size_t)),
    "collection_find": (_handle, _values, POINTER(c_uint64)),
    "collection_clear": (_handle,),
    "collection_embed": (_handle, _values, _class, c_size_t, POINTER(c_uint32), _values, POINTER(_key)),
    "collection_close": (_handle,),
    "list_insert": (_handle, c_uint64, c_size_t, _values),
    "list_set": (_handle, c_uint64, _values),
    "list_remove": (_handle, c_uint64, c_uint64),
    "list_move": (_handle, c_uint64, c_uint64),
    "set_insert": (_handle, c_size_t, _values),
    "set_remove": (_handle, c_size_t, _values),
    "map_set": (_handle, *_text, _values),
    "map_remove": (_handle, *_text),
    "changes_open": (_handle, _handle, *_text, _out),
    "changes_next": (_handle, POINTER(ObjectChange)),
    "changes_close": (_handle,),
    "watch_open": (_handle, _out),
    "watch_version": (_handle, POINTER(c_uint64)),
    "watch_query": (_handle, *_text, *_text, c_size_t, _values, POINTER(c_uint64)),
    "watch_query_observing": (_handle, *_text, *_text, c_size_t, _values, c_size_t, POINTER(Text), POINTER(c_uint64)),
    "watch_place": (_handle, _handle, c_size_t, POINTER(Text), POINTER(c_uint64)),
    "watch_query_among": (_handle, _handle, *_text, c_size_t, _values, c_size_t, POINTER(Text), POINTER(c_uint64)),
    "watch_object": (_handle, *_text, _key, POINTER(c_uint64)),
    "watch_database": (_handle, POINTER(c_uint64)),
    "watch_count": (_handle, c_uint64, POINTER(c_uint64)),
    "watch_keys": (_handle, c_uint64, c_uint64, c_size_t, POINTER(_key), POINTER(c_size_t)),
    "watch_stop": (_handle, c_uint64),
    "watch_deliver": (_handle, DeliveryCallback, c_void_p, POINTER(c_bool)),
    "watch_close": (_handle,),
    "json_object": (_handle, _class, _key, TextCallback, c_void_p),
    "json_results": (_handle, c_uint32, TextCallback, c_void_p),
    "json_import": (_handle, *_text, *_text, POINTER(JSONOptions), POINTER(JSONReport), c_void_p, c_void_p),
    "decimal_parse": (*_text, POINTER(DecimalBits)),
    "decimal_format": (DecimalBits, c_char_p, c_size_t),
}


def _candidates() -> list[str]:
    """The paths to try for the library, in order: FREEHOLD_LIBRARY alone if set; else beside this file, then the
    system's search path."""
    chosen = os.environ.get("FREEHOLD_LIBRARY")
    if chosen:
        return [chosen]
    return [str(Path(__file__).parent / "libfreehold.so.1"), "libfreehold.so.1"]


def _load() -> ctypes.CDLL:
    failures = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
        except OSError as failure:
            failures.append(str(failure))
            continue
        found = library.freehold_abi_version()
        if found != ABI_VERSION:
            raise ImportError(f"{path} has ABI version {found}; this package needs {ABI_VERSION}. Install the same version of both")
        return library
    raise ImportError("libfreehold was not found; install it, or set FREEHOLD_LIBRARY to its path: " + "; ".join(failures))


class Library:
    """The functions of the library, as attributes named without the `freehold_` prefix."""

    def __init__(self) -> None:
        library = _load()
        for name, arguments in _FUNCTIONS.items():
            function = getattr(library, "freehold_" + name)
            function.argtypes = arguments
            function.restype = c_int32
            setattr(self, name, function)
        self.snapshot_reader = library.freehold_snapshot_reader
        self.transaction_reader = library.freehold_transaction_reader
        for function in (self.snapshot_reader, self.transaction_reader):
            function.argtypes, function.restype = (c_void_p,), c_void_p
        for name in ("listener_descriptor", "watch_descriptor", "pending_descriptor"):
            function = getattr(library, "freehold_" + name)
            function.argtypes, function.restype = (c_void_p,), ctypes.c_int
            setattr(self, name, function)
        self.last_error = library.freehold_last_error
        self.last_error.argtypes, self.last_error.restype = (POINTER(ErrorDetail),), c_int32
        self.version = library.freehold_version
        self.version.argtypes, self.version.restype = (), c_char_p

    def __getattr__(self, name: str):
        raise AttributeError(f"libfreehold has no function freehold_{name} that this package knows")


library = Library()

__all__ = ["NONE", "byref", "library"]
