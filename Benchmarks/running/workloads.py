"""The workloads: what each is measured in, whether more is better, and what Freehold is to reach at a million objects."""

from dataclasses import dataclass

TARGET_SIZE = 1_000_000


@dataclass(frozen=True)
class Row:
    """One printed figure. `target` is a number, or a rule that `target_of` works out from the same run."""

    name: str
    unit: str
    target: float | str | None = None

    @property
    def higher_is_better(self):
        return self.unit.endswith("/s") or self.unit == "ratio"

    def nanoseconds(self, value):
        """The cost of one operation, or None for what is no time."""
        if self.unit.endswith("/s"):
            return 1e9 / value if value else None
        return value * {"us": 1e3, "ns": 1}[self.unit] if self.unit in ("us", "ns") else None


#: 64 MB, and 24 bytes for each object.
IMPORT_MEMORY = (64e6 + 24 * TARGET_SIZE) / 2**20
FLUSH_RULE = "0.8 × floor, and SQLite"

#: Workload names in the order of the table, each with the figures it prints.
WORKLOADS = {
    "bulk_insert": [Row("bulk_insert", "objects/s", 1.5e6)],
    "bulk_insert_columns": [Row("bulk_insert_columns", "objects/s")],
    "file_size": [Row("file_size", "bytes/object", 45)],
    "open": [Row("open", "us", 100)],
    "commit_durable": [Row("commit_durable", "tx/s", FLUSH_RULE)],
    "commit_fast": [Row("commit_fast", "tx/s", 150e3)],
    "commit_heard": [
        Row("commit_heard", "tx/s"),
        Row("commit_heard_ratio", "ratio", 0.85),
        Row("commit_heard_wakes", "wakes"),
        Row("commit_waited", "tx/s"),
        Row("commit_waited_ratio", "ratio", 0.85),
        Row("commit_waited_wakes", "wakes"),
    ],
    "pk_lookup": [Row("pk_lookup", "ops/s", 5e6)],
    "property_read": [
        Row("property_read", "ns", 15),
        Row("property_read_double", "ns", 15),
        Row("property_read_bool", "ns", 15),
        Row("property_read_string", "ns"),
    ],
    "traverse": [Row("traverse", "objects/s", 500e6), Row("traverse_rows", "objects/s"), Row("traverse_live", "objects/s", 60e6)],
    "scan_count": [Row("scan_count", "objects/s", 500e6)],
    "scan_prefix": [Row("scan_prefix", "objects/s", 200e6)],
    "scan_contains": [Row("scan_contains", "objects/s", 100e6)],
    "index_eq": [Row("index_eq", "queries/s", 2e6)],
    "sort_double": [Row("sort_double", "objects/s", 10e6)],
    "sort_string": [Row("sort_string", "objects/s", 4e6)],
    "query_by_index": [Row("range_by_index", "queries/s"), Row("prefix_by_index", "queries/s"), Row("top_by_index", "queries/s")],
    "top_by_scan": [Row("top_by_scan", "queries/s"), Row("top_filtered", "queries/s")],
    "link_path": [Row("link_path", "objects/s")],
    "groups": [Row("groups", "objects/s")],
    "aggregate": [Row("aggregate", "objects/s", 500e6)],
    "update": [Row("update", "objects/s", 2e6)],
    "savepoint": [Row("savepoint", "us", 2), Row("savepoint_undone", "us")],
    "commit_pauses": [Row("commit_pause_p50", "us"), Row("commit_pause_p99", "us"), Row("commit_pause_longest", "us", 20_000)],
    "link_walk": [Row("link_walk", "ops/s", 10e6)],
    "delete": [Row("delete", "objects/s", 3e6)],
    "change_feed": [Row("change_feed", "us", 100), Row("change_feed_p99", "us")],
    "changeset": [
        Row("changeset", "us", 200),
        Row("changeset_p99", "us"),
        Row("changeset_all", "us", 400),
        Row("changeset_all_p99", "us"),
    ],
    "observers": [Row("observers_0", "us"), Row("observers_1", "us"), Row("observers_10", "us")],
    "watched": [Row("watched", "us"), Row("watched_each", "us")],
    "list_append": [Row("list_append", "elements/s"), Row("list_bytes", "bytes/element")],
    "list_changes": [Row("list_changes", "us"), Row("list_changes_p99", "us")],
    "list_insert": [Row("list_insert", "us", 10)],
    "list_scan": [Row("list_scan", "elements/s")],
    "snapshot": [Row("snapshot", "ops/s", 70e6)],
    "snapshot_contended": [Row("snapshot_contended", "ops/s", 33e6), Row("snapshot_contended_writer", "tx/s", 100e3)],
    "notify": [
        Row("notify_p50", "us", 20),
        Row("notify_p99", "us", 200),
        Row("notify_poll_p50", "us", 20),
        Row("notify_poll_p99", "us", 200),
    ],
    "idle_watch": [
        Row("idle_waiter", "wakes", 45),
        Row("idle_listener", "wakes", 45),
        Row("idle_nobody", "wakes", 0),
        Row("idle_waiter_time", "%", 0.1),
        Row("idle_listener_time", "%", 0.1),
        Row("idle_nobody_time", "%", 0.1),
    ],
    "sleeping_watch": [Row("sleeping_nobody", "MiB"), Row("sleeping_bounded", "MiB"), Row("sleeping_unbounded", "MiB")],
    "mixed": [Row("mixed_reads", "reads/s", 4e6), Row("mixed_writes", "writes/s", 300e3)],
    "encrypted": [
        Row("encrypted_bulk_insert", "ratio", 0.9),
        Row("encrypted_pk_lookup", "ratio", 0.9),
        Row("encrypted_traverse", "ratio", 0.9),
        Row("encrypted_commit_durable", "ratio"),
        Row("encrypted_commit_fast", "ratio"),
        Row("encrypted_file_size", "bytes/object"),
    ],
    "blob": [
        Row("blob", "MB/s"),
        Row("blob_disk", "MB/s"),
        Row("blob_ratio", "ratio", 0.6),
        *(
            Row(f"blob_{kind}_{when}_{part}", "us")
            for kind in ("fast", "durable")
            for when in ("usual", "beside", "disk")
            for part in ("p50", "p99", "longest")
        ),
        Row("blob_fast_ratio", "ratio", 0.6),
        Row("blob_durable_ratio", "ratio"),
    ],
    "full_text": [
        Row("search_build", "MB/s", 15),
        Row("search_size", "%", 35),
        *(
            row
            for kind, target in (
                ("word", 500),
                ("rare", 500),
                ("words", 3000),
                ("any", None),
                ("prefix", 3000),
                ("fuzzy", 10_000),
                ("phrase", 5000),
                ("filtered", None),
            )
            for row in (Row(f"search_{kind}", "us", target), Row(f"search_{kind}_count", "us"))
        ),
        Row("search_commit", "us"),
        Row("search_commit_indexed", "us"),
    ],
    "geography": [
        Row("geo_build", "places/s"),
        Row("geo_size", "bytes/place"),
        Row("geo_circle", "us", 300),
        Row("geo_small_circle", "us"),
        Row("geo_box", "us"),
        Row("geo_filtered", "us"),
        Row("geo_nearest", "us", 200),
        Row("geo_nearest_filtered", "us"),
        Row("geo_commit", "us"),
        Row("geo_commit_indexed", "us"),
    ],
    "vectors": [
        Row("vector_insert", "vectors/s"),
        Row("vector_exact", "us"),
        Row("vector_build", "vectors/s", 200e3),
        Row("vector_size", "bytes/vector", 52),
        Row("vector_top", "us", 6000),
        Row("vector_top_recall", "ratio", 0.98),
        Row("vector_filtered", "us", 1000),
        Row("vector_filtered_recall", "ratio", 0.98),
    ],
    "collation": [
        Row("collation_sort", "objects/s"),
        Row("collation_sort_indexed", "objects/s"),
        Row("collation_top", "us"),
        Row("collation_top_indexed", "us"),
        Row("collation_top_filtered", "us"),
        Row("collation_build", "objects/s"),
        Row("collation_size", "bytes/object"),
        Row("collation_commit", "us"),
        Row("collation_commit_indexed", "us"),
    ],
    "synced": [
        Row("synced_bulk_insert", "ratio", 0.87),
        Row("synced_insert", "us", 5),
        Row("synced_update", "us", 5),
        Row("synced_list_size", "ratio", 1.2),
        Row("synced_list_typing", "us", 10),
        Row("synced_push", "objects/s"),
        Row("synced_merge", "objects/s"),
        Row("synced_apply", "objects/s"),
        Row("synced_answer", "bytes/object"),
    ],
    "import_sqlite": [
        Row("import_sqlite", "objects/s", TARGET_SIZE / 3),
        Row("import_sqlite_processor", "us"),
        Row("import_sqlite_memory", "MiB", IMPORT_MEMORY),
        Row("import_sqlite_own_memory", "MiB"),
    ],
    "import_realm": [
        Row("import_realm", "objects/s", TARGET_SIZE / 2),
        Row("import_realm_processor", "us"),
        Row("import_realm_memory", "MiB", IMPORT_MEMORY),
        Row("import_realm_own_memory", "MiB"),
    ],
}

ROWS = {row.name: row for rows in WORKLOADS.values() for row in rows}


def target_of(row, figures):
    """The number that Freehold's figure is held against, from the run's own floor where the rule says so, or None."""
    if row.target != FLUSH_RULE:
        return row.target
    floor, sqlite = figures.get(("floor", "floor_flush")), figures.get(("sqlite", row.name))
    known = [value for value in (floor and 0.8 * floor, sqlite) if value]
    return max(known) if known else None


def is_met(row, value, target):
    return value >= target if row.higher_is_better else value <= target
