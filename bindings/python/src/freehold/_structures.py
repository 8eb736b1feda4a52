"""The structures of the C library, and the types of its callbacks."""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER, Structure, Union, c_bool, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p,
)


class Text(Structure):
    _fields_ = [("bytes", c_void_p), ("length", c_size_t)]


class Date(Structure):
    _fields_ = [("seconds", c_int64), ("nanoseconds", c_int32)]


class DecimalBits(Structure):
    _fields_ = [("low", c_uint64), ("high", c_uint64)]


class Link(Structure):
    _fields_ = [("key", c_int64), ("object_class", c_uint32)]


class Elements(Structure):
    """The elements of a list, a set or a map: an address and a count."""

    _fields_ = [("address", c_void_p), ("count", c_size_t)]


class ValueBits(Union):
    _fields_ = [
        ("boolean", c_bool), ("integer", c_int64), ("single", c_float), ("real", c_double), ("text", Text), ("date", Date),
        ("uuid", c_uint8 * 16), ("object_id", c_uint8 * 12), ("link", Link), ("decimal", DecimalBits), ("elements", Elements),
    ]


class Value(Structure):
    _anonymous_ = ["bits"]
    _fields_ = [("bits", ValueBits), ("type", c_uint32)]


class Entry(Structure):
    _fields_ = [("key", Text), ("value", Value)]


class ErrorDetail(Structure):
    _fields_ = [("size", c_size_t), ("code", c_int32), ("system_code", c_int32), ("message", c_char_p), ("path", c_char_p)]


ImportCallback = ctypes.CFUNCTYPE(c_bool, c_void_p, c_uint64, c_uint64, c_bool)
RemarkCallback = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class ImportSource(Structure):
    _fields_ = [
        ("size", c_size_t), ("path", c_char_p), ("path_length", c_size_t), ("key", c_char_p), ("key_length", c_size_t),
        ("name", c_char_p), ("name_length", c_size_t), ("rules", POINTER(Text)), ("rule_count", c_size_t), ("must_exist", c_bool),
        ("progress", ImportCallback), ("context", c_void_p),
    ]


class ImportReport(Structure):
    _fields_ = [
        ("size", c_size_t), ("classes", c_uint64), ("objects", c_uint64), ("missing_links", c_uint64), ("is_new", c_bool),
    ]


class OpenOptions(Structure):
    _fields_ = [
        ("size", c_size_t), ("read_only", c_bool), ("must_exist", c_bool), ("in_memory", c_bool), ("file_mode", c_uint32),
        ("lock_timeout_milliseconds", c_int64), ("encryption_key", c_char_p), ("encryption_key_length", c_size_t),
        ("decrypted_bytes_limit", c_uint64), ("flush_timeout_milliseconds", c_int64), ("parked_bytes_limit", c_uint64),
        ("thread_limit", c_uint32), ("parked_versions_limit", c_uint64),
        ("importing", POINTER(ImportSource)),
    ]


class PropertyDetail(Structure):
    _fields_ = [
        ("size", c_size_t), ("name", Text), ("type", c_uint32), ("flags", c_uint32), ("link_target", Text), ("delete_rule", c_uint32),
        ("collections", c_uint8 * 8),
    ]


class ClassDetail(Structure):
    _fields_ = [
        ("size", c_size_t), ("name", Text), ("property_count", c_uint32), ("primary_key", c_uint32), ("superclass", c_uint32),
        ("index_count", c_uint32), ("embedded", c_bool), ("sync", c_uint32),
    ]


class IndexField(Structure):
    _fields_ = [("path", Text), ("weight", c_double)]


class DerivedIndexDetail(Structure):
    _fields_ = [
        ("size", c_size_t), ("kind", c_uint32), ("state", c_uint32), ("percent", c_uint32), ("field_count", c_uint32),
        ("documents", c_uint64), ("words", c_uint64), ("fields", IndexField * 16),
        ("elements", c_uint32), ("metric", c_uint32), ("dimensions", c_uint64), ("language", Text),
    ]


class Range(Structure):
    _fields_ = [("start", c_size_t), ("end", c_size_t)]


class FoundTextDetail(Structure):
    _fields_ = [
        ("size", c_size_t), ("path", Text), ("text", Text), ("highlights", POINTER(Range)), ("highlight_count", c_size_t),
        ("snippet", Text), ("snippet_highlights", POINTER(Range)), ("snippet_highlight_count", c_size_t),
        ("cut_before", c_bool), ("cut_after", c_bool),
    ]


class ClassDefinition(Structure):
    _fields_ = [
        ("size", c_size_t), ("name", Text), ("superclass", Text), ("property_count", c_size_t),
        ("properties", POINTER(PropertyDetail)), ("embedded", c_bool), ("sync", c_uint32),
    ]


class SyncLossDetail(Structure):
    _fields_ = [("size", c_size_t), ("class_name", Text), ("primary_key", Value), ("property", Text), ("reason", c_uint32)]


class SyncConflictDetail(Structure):
    _fields_ = [
        ("size", c_size_t), ("class_name", Text), ("primary_key", Value), ("property", Text), ("mine", Value), ("theirs", Value),
    ]


class SyncReportDetail(Structure):
    _fields_ = [("size", c_size_t), ("losses", c_uint64), ("changed_objects", c_uint64), ("reset", c_bool)]


class SyncSettingsDetail(Structure):
    _fields_ = [("size", c_size_t), ("address", Text), ("token", Text), ("token_file", Text), ("suspended", c_bool)]


class SyncStateDetail(Structure):
    _fields_ = [
        ("size", c_size_t), ("connection", c_uint32), ("has_agent", c_bool), ("pending", c_bool), ("exchanged", c_bool),
        ("last_exchange", Date),
    ]


class SyncIssueDetail(Structure):
    _fields_ = [
        ("size", c_size_t), ("date", Date), ("code", Text), ("what", Text), ("place", Text), ("advice", Text), ("class_name", Text),
        ("primary_key", Text), ("property", Text),
    ]


class ColumnValues(Structure):
    _fields_ = [("size", c_size_t), ("property", c_uint32), ("type", c_uint32), ("values", c_void_p), ("nulls", c_void_p)]


class ObjectChange(Structure):
    _fields_ = [
        ("size", c_size_t), ("key", c_int64), ("kind", c_uint32), ("property_count", c_uint32), ("properties", POINTER(c_uint32)),
    ]


class Positions(Structure):
    _fields_ = [("positions", POINTER(c_uint64)), ("count", c_size_t)]


class Texts(Structure):
    _fields_ = [("texts", POINTER(Text)), ("count", c_size_t)]


class Delivery(Structure):
    _fields_ = [
        ("size", c_size_t), ("answer", c_uint64), ("code", c_int32), ("gone", c_bool), ("deletions", Positions), ("insertions", Positions),
        ("modifications", Positions), ("modified", Positions), ("before", c_void_p), ("after", c_void_p), ("properties", Texts),
        ("deleted_keys", Texts), ("inserted_keys", Texts), ("modified_keys", Texts), ("classes", Texts),
    ]


class JSONOptions(Structure):
    _fields_ = [("size", c_size_t), ("primary_key", Text), ("skip_bad_records", c_bool)]


class JSONReport(Structure):
    _fields_ = [("size", c_size_t), ("records", c_uint64), ("nested", c_uint64), ("bad", c_uint64)]


class Information(Structure):
    _fields_ = [("size", c_size_t)] + [(name, c_uint64) for name in (
        "version", "durable_version", "file_length", "used_bytes", "free_bytes", "held_bytes", "holder_count", "reserved_bytes",
        "lost_version")]


class CheckReport(Structure):
    _fields_ = [("size", c_size_t)] + [(name, c_uint64) for name in (
        "version", "classes", "objects", "blocks", "index_entries", "links", "live_bytes", "problem_count", "collections", "elements")]


class CheckProblem(Structure):
    _fields_ = [("size", c_size_t), ("kind", c_char_p), ("place", c_char_p), ("message", c_char_p)]


CheckCallback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(CheckProblem))
FoundTextCallback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(FoundTextDetail))
IndexProgressCallback = ctypes.CFUNCTYPE(c_bool, c_void_p, c_uint64, c_uint64)
TextCallback = ctypes.CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)
SyncMergeCallback = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(SyncConflictDetail), POINTER(Value))
SyncLossCallback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(SyncLossDetail))
SyncSettingsCallback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(SyncSettingsDetail))
SyncIssueCallback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(SyncIssueDetail))
ConvertCallback = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(Value))
MigrationCallback = ctypes.CFUNCTYPE(c_int32, c_void_p, c_void_p, c_uint64, c_uint64)
DeliveryCallback = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Delivery))
