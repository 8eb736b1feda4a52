/* Every function with handles that nobody made: NULL, numbers of every size, addresses, handles that have ended. All are refused, and
 * nothing is followed. */
#include "check.h"
#include <stdlib.h>
#include <string.h>

static long tried, refused;

static void tell(freehold_error_code_t code)
{
    tried++;
    refused += code == FREEHOLD_ERROR_INVALID_ARGUMENT || code == FREEHOLD_ERROR_CLOSED;
}

static void try_database(void *handle)
{
    freehold_database_t *database = handle;
    void *out = handle;
    freehold_text_t text;
    const uint8_t key[FREEHOLD_KEY_LENGTH] = { 0 };
    const freehold_sync_settings_t settings = { .size = sizeof settings, .address = { "x", 1 } };
    tell(freehold_database_path(database, &text));
    tell(freehold_database_copy(database, "x", 1));
    tell(freehold_database_copy_under_key(database, "x", 1, NULL, 0));
    tell(freehold_database_change_key(database, key, sizeof key));
    tell(freehold_snapshot_copy(database, handle, "x", 1));
    tell(freehold_database_backup(database, "x", 1, NULL));
    tell(freehold_database_import(database, NULL, NULL, NULL, NULL));
    tell(freehold_database_compact(database, NULL, NULL));
    tell(freehold_database_acknowledge_lost_version(database));
    tell(freehold_database_flush(database));
    tell(freehold_sync_push(database, freehold_buffer_append, NULL));
    tell(freehold_sync_pull(database, freehold_buffer_append, NULL));
    tell(freehold_sync_apply(database, "x", 1, NULL, NULL, NULL, NULL));
    tell(freehold_sync_set_settings(database, &settings));
    tell(freehold_sync_settings(database, NULL, NULL));
    tell(freehold_sync_suspend(database, true));
    tell(freehold_sync_state(database, NULL));
    tell(freehold_sync_issues(database, NULL, NULL, NULL));
    tell(freehold_sync_download(database, 0));
    tell(freehold_database_information(database, NULL, NULL, NULL));
    tell(freehold_database_check(database, NULL, NULL, NULL));
    tell(freehold_database_build_indexes(database, NULL, NULL));
    tell(freehold_database_wait(database, 0, 0, NULL));
    tell(freehold_snapshot_begin(database, (freehold_snapshot_t **)&out));
    tell(freehold_transaction_begin(database, 0, (freehold_transaction_t **)&out));
    tell(freehold_watch_open(database, (freehold_watch_t **)&out));
    tell(freehold_schema_update(database, 1, 0, NULL, NULL, NULL));
    tell(freehold_transaction_begin_async(database, 0, (freehold_pending_t **)&out));
    tell(freehold_listener_open(database, (freehold_listener_t **)&out));
    tell(freehold_large_value_open(database, 0, (freehold_large_value_t **)&out));
    CHECK(out == NULL);
}

static void try_reader(void *handle)
{
    const freehold_reader_t *reader = handle;
    void *out = handle;
    uint64_t count;
    int64_t number = 0;
    uint32_t small;
    size_t filled;
    const freehold_value_t value = freehold_int(1);
    freehold_value_t got;
    freehold_class_info_t class_info = { .size = sizeof class_info };
    freehold_property_info_t property_info = { .size = sizeof property_info };
    freehold_index_info_t index_info = { .size = sizeof index_info };
    freehold_derived_index_info_t derived_info = { .size = sizeof derived_info };
    tell(freehold_reader_version(reader, &count));
    tell(freehold_schema_version(reader, &count));
    tell(freehold_class_count(reader, &small));
    tell(freehold_class_find(reader, "x", 1, &small));
    tell(freehold_class_info(reader, 0, &class_info));
    tell(freehold_class_index(reader, 0, 0, &index_info));
    tell(freehold_class_derived_index(reader, 0, 0, &derived_info));
    tell(freehold_property_find(reader, 0, "x", 1, &small));
    tell(freehold_property_info(reader, 0, 0, &property_info));
    tell(freehold_object_count(reader, 0, &count));
    tell(freehold_object_exists(reader, 0, 1));
    tell(freehold_object_find(reader, 0, &value, &number));
    tell(freehold_object_get(reader, 0, 1, 1, NULL, &got));
    tell(freehold_object_read_part(reader, 0, 1, 0, 0, NULL, 0, NULL, NULL));
    tell(freehold_object_class(reader, 0, 1, &small));
    tell(freehold_object_backlinks(reader, 1, 0, 0, 0, NULL, &count));
    tell(freehold_index_count(reader, 0, 0, &value, &count));
    tell(freehold_index_equal(reader, 0, 0, &value, 0, NULL, &count));
    tell(freehold_index_range(reader, 0, 0, NULL, NULL, false, 0, NULL, &count));
    tell(freehold_cursor_open(reader, 0, 0, NULL, (freehold_cursor_t **)&out));
    tell(freehold_index_cursor_open(reader, 0, 0, NULL, NULL, false, (freehold_index_cursor_t **)&out));
    tell(freehold_query_prepare(reader, 0, "age > 1", 7, 0, NULL, 0, NULL, (freehold_query_t **)&out));
    tell(freehold_collection_open(reader, 0, 1, 0, (freehold_collection_t **)&out));
    tell(freehold_column_integers(reader, 0, 0, &number, 1, &number, NULL, NULL, &filled));
    tell(freehold_column_reals(reader, 0, 0, &number, 1, &number, NULL, NULL, &filled));
    tell(freehold_json_object(reader, 0, 1, freehold_buffer_append, NULL));
    tell(freehold_json_class(reader, 0, FREEHOLD_JSON_LINES, freehold_buffer_append, NULL));
    tell(freehold_sequence_last(reader, 0, "x", 1, &number));
    CHECK(out == NULL);
}

static void try_transaction(void *handle)
{
    freehold_transaction_t *transaction = handle;
    void *out = handle;
    const freehold_property_info_t info = property("x", FREEHOLD_TYPE_INT, 0);
    const freehold_class_definition_t definition = { .size = sizeof definition, .name = { "X", 1 } };
    const freehold_property_t zero = 0;
    const freehold_index_field_t field = { { "x", 1 }, 0 };
    uint64_t savepoint = 0;
    tell(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    tell(freehold_transaction_commit_async(transaction, NULL, (freehold_pending_t **)&out));
    tell(freehold_json_import(transaction, "x", 1, "{}", 2, NULL, NULL, NULL, NULL));
    tell(freehold_json_import_from(transaction, "x", 1, NULL, NULL, NULL, NULL, NULL));
    tell(freehold_transaction_snapshot_before(transaction, (freehold_snapshot_t **)&out));
    tell(freehold_savepoint_make(transaction, &savepoint));
    tell(freehold_savepoint_rollback(transaction, 1));
    tell(freehold_savepoint_release(transaction, 1));
    tell(freehold_class_create(transaction, "X", 1, 1, &info, NULL));
    tell(freehold_classes_create(transaction, 1, &definition));
    tell(freehold_property_add(transaction, 0, &info, NULL));
    tell(freehold_schema_set_version(transaction, 1));
    tell(freehold_class_unmark_synced(transaction, 0));
    tell(freehold_schema_adopt(transaction, 1, &definition));
    tell(freehold_class_rename(transaction, 0, "Y", 1));
    tell(freehold_class_drop(transaction, 0));
    tell(freehold_class_set_primary_key(transaction, 0, 0));
    tell(freehold_class_set_embedded(transaction, 0, false));
    tell(freehold_class_add_index(transaction, 0, 1, &zero, false));
    tell(freehold_class_add_full_text_index(transaction, 0, 1, &field));
    tell(freehold_class_add_full_text_index_in(transaction, 0, 1, &field, "english", 7));
    tell(freehold_class_drop_full_text_index(transaction, 0, 1, &field));
    tell(freehold_class_add_place_index(transaction, 0, 1, &field));
    tell(freehold_class_drop_place_index(transaction, 0, 1, &field));
    tell(freehold_class_add_vector_index(transaction, 0, 0, 3, 0, 0));
    tell(freehold_class_drop_vector_index(transaction, 0, 0));
    tell(freehold_class_add_collation_index(transaction, 0, 0, "de", 2));
    tell(freehold_class_drop_collation_index(transaction, 0, 0, "de", 2));
    tell(freehold_property_rename(transaction, 0, 0, "y", 1));
    tell(freehold_property_drop(transaction, 0, 0));
    tell(freehold_property_set_indexed(transaction, 0, 0, true));
    tell(freehold_property_end_uniqueness(transaction, 0, 0));
    tell(freehold_property_set_nullable(transaction, 0, 0, true, NULL));
    tell(freehold_property_set_type(transaction, 0, 0, FREEHOLD_TYPE_INT, true, NULL, NULL));
    tell(freehold_property_set_delete_rule(transaction, 0, 0, FREEHOLD_DELETE_DENY));
    tell(freehold_sequence_next(transaction, 0, "x", 1, NULL));
    tell(freehold_sequence_set(transaction, 0, "x", 1, 1));
    tell(freehold_object_create(transaction, 0, NULL, 0, NULL, NULL, NULL));
    tell(freehold_objects_create(transaction, 0, 0, 0, NULL, NULL));
    tell(freehold_object_set(transaction, 0, 1, 0, NULL, NULL));
    tell(freehold_object_increment(transaction, 0, 1, 0, 1, NULL));
    tell(freehold_object_delete(transaction, 0, 1));
    tell(freehold_objects_delete(transaction, 0, 0, NULL, NULL));
    tell(freehold_object_embed(transaction, 0, 1, 0, 0, 0, NULL, NULL, NULL));
    tell(freehold_object_write_part(transaction, 0, 1, 1, 0, "x", 1));
    tell(freehold_object_truncate(transaction, 0, 1, 1, 0));
    tell(freehold_object_set_large_value(transaction, 0, 1, 1, handle));
    tell(freehold_results_delete(handle, transaction, NULL));
    CHECK(freehold_transaction_reader(transaction) == NULL && out == NULL);
}

static void try_query(freehold_query_t *query)
{
    tell(freehold_query_matches(query, 1));
    tell(freehold_query_scores(query, 0, NULL, NULL));
    tell(freehold_query_distances(query, 0, NULL, NULL));
    tell(freehold_query_found_texts(query, 1, 10, NULL, NULL));
}

static void try_others(void *handle)
{
    void *out = handle;
    uint64_t count;
    int64_t number;
    double real;
    size_t filled;
    const freehold_key_t *keys;
    freehold_text_t text;
    freehold_value_t value = freehold_int(1);
    freehold_type_t kind;
    freehold_object_change_t change = { .size = sizeof change };
    tell(freehold_snapshot_refresh(handle, NULL));
    tell(freehold_snapshot_another(handle, (freehold_snapshot_t **)&out));
    tell(freehold_snapshot_park(handle));
    CHECK(freehold_snapshot_reader(handle) == NULL);
    tell(freehold_cursor_seek(handle, 1));
    tell(freehold_cursor_next(handle, 0, NULL, NULL, &filled));
    tell(freehold_index_cursor_next(handle, 0, NULL, &filled));
    CHECK(freehold_listener_descriptor(handle) == -1);
    tell(freehold_listener_acknowledge(handle, NULL));
    tell(freehold_listener_wait(handle, 0, NULL));
    tell(freehold_large_value_write(handle, "x", 1));
    tell(freehold_large_value_finish(handle));
    tell(freehold_query_text(handle, &text));
    tell(freehold_query_another(handle, handle, (freehold_query_t **)&out));
    tell(freehold_results_another(handle, handle, (freehold_results_t **)&out));
    tell(freehold_collection_another(handle, handle, (freehold_collection_t **)&out));
    tell(freehold_query_count(handle, &count));
    tell(freehold_query_first(handle, &number));
    try_query(handle);
    tell(freehold_query_run(handle, (freehold_results_t **)&out));
    tell(freehold_query_run_among(handle, 0, NULL, (freehold_results_t **)&out));
    tell(freehold_query_explain(handle, true, &text));
    tell(freehold_query_groups(handle, (freehold_groups_t **)&out));
    tell(freehold_groups_count(handle, &count));
    tell(freehold_groups_get(handle, 0, NULL, NULL));
    tell(freehold_results_keys(handle, &keys, &count));
    tell(freehold_results_get(handle, 0, 1, 1, NULL, &value, &filled));
    tell(freehold_results_integers(handle, 0, 0, 1, &number, NULL, &filled));
    tell(freehold_results_reals(handle, 0, 0, 1, &real, NULL, &filled));
    tell(freehold_collection_inner(handle, &value, (freehold_collection_t **)&out));
    tell(freehold_collection_kind(handle, &kind));
    tell(freehold_collection_count(handle, &count));
    tell(freehold_collection_get(handle, 0, 1, &text, &value, &filled));
    tell(freehold_collection_find(handle, &value, &count));
    tell(freehold_list_insert(handle, 0, 1, &value));
    tell(freehold_list_set(handle, 0, &value));
    tell(freehold_list_remove(handle, 0, 1));
    tell(freehold_list_move(handle, 0, 1));
    tell(freehold_list_swap(handle, 0, 1));
    tell(freehold_set_insert(handle, 1, &value));
    tell(freehold_set_remove(handle, 1, &value));
    tell(freehold_map_set(handle, "x", 1, &value));
    tell(freehold_map_remove(handle, "x", 1));
    tell(freehold_collection_clear(handle));
    tell(freehold_collection_embed(handle, NULL, 0, 0, NULL, NULL, NULL));
    CHECK(freehold_watch_descriptor(handle) == -1);
    tell(freehold_watch_version(handle, &count));
    tell(freehold_watch_query(handle, "x", 1, "age > 1", 7, 0, NULL, &count));
    tell(freehold_watch_collection(handle, "x", 1, 1, "x", 1, &count));
    tell(freehold_watch_query_observing(handle, "x", 1, "age > 1", 7, 0, NULL, 0, NULL, &count));
    tell(freehold_watch_collection_observing(handle, "x", 1, 1, "x", 1, 0, NULL, &count));
    CHECK(freehold_pending_descriptor(handle) == -1);
    tell(freehold_pending_wait(handle, 0));
    tell(freehold_pending_take(handle, (freehold_transaction_t **)&out));
    tell(freehold_json_results(handle, FREEHOLD_JSON_LINES, freehold_buffer_append, NULL));
    tell(freehold_watch_object(handle, "x", 1, 1, &count));
    tell(freehold_watch_database(handle, &count));
    tell(freehold_watch_count(handle, 1, &count));
    tell(freehold_watch_keys(handle, 1, 0, 1, &number, &filled));
    tell(freehold_watch_stop(handle, 1));
    tell(freehold_watch_deliver(handle, NULL, NULL, NULL));
    tell(freehold_changes_open(handle, handle, "x", 1, (freehold_changes_t **)&out));
    tell(freehold_changes_between(handle, handle, "x", 1, (freehold_changes_t **)&out));
    tell(freehold_changes_next(handle, &change));
    CHECK(out == NULL);
}

/* NULL may be ended; nothing else that is no handle. */
static void try_ends(void *handle)
{
    tell(freehold_database_close(handle));
    tell(freehold_snapshot_end(handle));
    tell(freehold_transaction_rollback(handle));
    tell(freehold_cursor_close(handle));
    tell(freehold_index_cursor_close(handle));
    tell(freehold_listener_close(handle));
    tell(freehold_large_value_close(handle));
    tell(freehold_query_close(handle));
    tell(freehold_groups_close(handle));
    tell(freehold_results_close(handle));
    tell(freehold_collection_close(handle));
    tell(freehold_changes_close(handle));
    tell(freehold_watch_close(handle));
    tell(freehold_pending_close(handle));
}

static void try_everything(void *handle)
{
    try_database(handle);
    try_reader(handle);
    try_transaction(handle);
    try_others(handle);
    if (handle) try_ends(handle);
}

void test_invented(void)
{
    freehold_database_t *database = fresh_database("invented");
    freehold_snapshot_t *ended = taken(database);
    CHECK_OK(freehold_snapshot_end(ended));
    try_everything(NULL);
    try_everything(ended);
    try_everything(&ended);
    try_everything((char *)ended + 8);
    for (int bit = 0; bit < 64; bit++) try_everything((void *)((uintptr_t)1 << bit));
    /* One rule of numbers, so that a failure comes again; those of living handles are left out. */
    uint64_t state = 88172645463325252u;
    for (int n = 0; n < 200; n++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const uintptr_t number = (uintptr_t)(state >> (n % 61));
        if (number >> 27 > 0 && number >> 27 < 64 && (number >> 3 & 0xffffff) < 4096 && (number & 7) == 0) continue;
        try_everything((void *)number);
    }
    CHECK(tried > 20000 && refused == tried);
    CHECK_OK(freehold_database_close(database));
}
