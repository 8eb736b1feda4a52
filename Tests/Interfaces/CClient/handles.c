/* Handles that are none, of another kind, or ended: errors, never crashes. */
#include "check.h"

/* Calls everything that takes a reader with what is no reader. */
static void misuse_reader(const void *wrong, freehold_error_code_t code)
{
    const freehold_reader_t *reader = wrong;
    uint32_t classes;
    freehold_class_info_t class_info = { .size = sizeof class_info };
    freehold_property_info_t property_info = { .size = sizeof property_info };
    freehold_value_t value = freehold_int(1);
    freehold_key_t key;
    freehold_cursor_t *cursor;
    uint64_t count;
    freehold_version_t version;
    CHECK_CODE(code, freehold_reader_version(reader, &version));
    CHECK_CODE(code, freehold_class_count(reader, &classes));
    CHECK_CODE(code, freehold_class_find(reader, "Person", 6, &classes));
    CHECK_CODE(code, freehold_class_info(reader, 0, &class_info));
    CHECK_CODE(code, freehold_property_find(reader, 0, "name", 4, &classes));
    CHECK_CODE(code, freehold_property_info(reader, 0, 0, &property_info));
    CHECK_CODE(code, freehold_object_count(reader, 0, &count));
    CHECK_CODE(code, freehold_object_exists(reader, 0, 1));
    CHECK_CODE(code, freehold_object_find(reader, 0, &value, &key));
    CHECK_CODE(code, freehold_object_get(reader, 0, 1, 1, NULL, &value));
    CHECK_CODE(code, freehold_cursor_open(reader, 0, 0, NULL, &cursor));
    freehold_index_cursor_t *index_cursor;
    CHECK_CODE(code, freehold_index_cursor_open(reader, 0, 0, NULL, NULL, false, &index_cursor));
    CHECK(cursor == NULL && index_cursor == NULL);
    CHECK_CODE(code, freehold_index_count(reader, 0, 0, &value, &count));
    CHECK_CODE(code, freehold_index_equal(reader, 0, 0, &value, 1, &key, &count));
    CHECK_CODE(code, freehold_index_range(reader, 0, 0, NULL, NULL, false, 1, &key, &count));
    CHECK_CODE(code, freehold_object_backlinks(reader, 1, 0, BOSS, 1, &key, &count));
}

static void misuse_database(const void *wrong, freehold_error_code_t code)
{
    freehold_database_t *database = (freehold_database_t *)wrong;
    freehold_text_t text;
    freehold_snapshot_t *snapshot;
    freehold_transaction_t *transaction;
    freehold_listener_t *listener;
    CHECK_CODE(code, freehold_database_path(database, &text));
    CHECK_CODE(code, freehold_database_copy(database, "x", 1));
    CHECK_CODE(code, freehold_database_wait(database, 0, 0, NULL));
    CHECK_CODE(code, freehold_database_information(database, NULL, NULL, NULL));
    CHECK_CODE(code, freehold_database_check(database, NULL, NULL, NULL));
    CHECK_CODE(code, freehold_snapshot_begin(database, &snapshot));
    CHECK_CODE(code, freehold_transaction_begin(database, 0, &transaction));
    CHECK_CODE(code, freehold_listener_open(database, &listener));
    CHECK(snapshot == NULL && transaction == NULL && listener == NULL);
    if (wrong) CHECK_CODE(code, freehold_database_close(database));
}

static void misuse_transaction(const void *wrong, freehold_error_code_t code)
{
    freehold_transaction_t *transaction = (freehold_transaction_t *)wrong;
    const freehold_property_info_t info = property("x", FREEHOLD_TYPE_INT, 0);
    CHECK_CODE(code, freehold_class_create(transaction, "X", 1, 1, &info, NULL));
    CHECK_CODE(code, freehold_property_add(transaction, 0, &info, NULL));
    CHECK_CODE(code, freehold_object_create(transaction, 0, NULL, 0, NULL, NULL, NULL));
    CHECK_CODE(code, freehold_object_set(transaction, 0, 1, 0, NULL, NULL));
    CHECK_CODE(code, freehold_object_delete(transaction, 0, 1));
    CHECK_CODE(code, freehold_object_write_part(transaction, 0, 1, 1, 0, "x", 1));
    CHECK_CODE(code, freehold_object_truncate(transaction, 0, 1, 1, 0));
    CHECK_CODE(code, freehold_object_set_large_value(transaction, 0, 1, 1, NULL));
    CHECK_CODE(code, freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    CHECK(freehold_transaction_reader(transaction) == NULL);
    if (wrong) CHECK_CODE(code, freehold_transaction_rollback(transaction));
}

static void misuse_others(const void *wrong, freehold_error_code_t code)
{
    freehold_snapshot_t *snapshot = (freehold_snapshot_t *)wrong;
    freehold_cursor_t *cursor = (freehold_cursor_t *)wrong;
    freehold_listener_t *listener = (freehold_listener_t *)wrong;
    freehold_large_value_t *value = (freehold_large_value_t *)wrong;
    size_t filled;
    CHECK_CODE(code, freehold_large_value_write(value, "x", 1));
    CHECK_CODE(code, freehold_large_value_finish(value));
    CHECK_CODE(code, freehold_snapshot_refresh(snapshot, NULL));
    CHECK(freehold_snapshot_reader(snapshot) == NULL);
    CHECK_CODE(code, freehold_cursor_seek(cursor, 1));
    CHECK_CODE(code, freehold_cursor_next(cursor, 0, NULL, NULL, &filled));
    CHECK_CODE(code, freehold_index_cursor_next((freehold_index_cursor_t *)wrong, 0, NULL, &filled));
    CHECK(freehold_listener_descriptor(listener) == -1);
    CHECK_CODE(code, freehold_listener_acknowledge(listener, NULL));
    CHECK_CODE(code, freehold_listener_wait(listener, 0, NULL));
    if (!wrong) return;
    CHECK_CODE(code, freehold_snapshot_end(snapshot));
    CHECK_CODE(code, freehold_cursor_close(cursor));
    CHECK_CODE(code, freehold_index_cursor_close((freehold_index_cursor_t *)wrong));
    CHECK_CODE(code, freehold_listener_close(listener));
    CHECK_CODE(code, freehold_large_value_close(value));
}

static void test_wrong_kinds(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    static const uint64_t nothing[16] = { 42 };
    const freehold_error_code_t code = FREEHOLD_ERROR_INVALID_ARGUMENT;
    const void *const wrong[] = { NULL, nothing, (const char *)nothing + 1 };
    for (int n = 0; n < 3; n++) {
        misuse_reader(wrong[n], code);
        misuse_database(wrong[n], code);
        misuse_transaction(wrong[n], code);
        misuse_others(wrong[n], code);
    }
    misuse_reader(snapshot, code);
    misuse_database(snapshot, code);
    misuse_transaction(snapshot, code);
    misuse_others(database, code);
    CHECK_OK(freehold_snapshot_end(snapshot));
}

/* What has ended says so, for a good while; what it belonged to may have ended first. */
static void test_ends(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    CHECK(reader != NULL && reader == freehold_snapshot_reader(snapshot));
    freehold_listener_t *listener;
    CHECK_OK(freehold_listener_open(database, &listener));
    freehold_transaction_t *transaction = begun(database);
    CHECK_OK(freehold_database_close(database));
    uint64_t count = 0;
    CHECK_OK(freehold_object_count(reader, PERSON, &count));
    CHECK(count == 20);
    CHECK_OK(freehold_object_delete(transaction, PERSON, 20));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    CHECK_OK(freehold_listener_wait(listener, 60000, NULL));
    CHECK_OK(freehold_snapshot_refresh(snapshot, NULL));
    CHECK_OK(freehold_object_count(reader, PERSON, &count));
    CHECK(count == 19);
    CHECK_OK(freehold_snapshot_end(snapshot));
    CHECK_OK(freehold_listener_close(listener));
    misuse_reader(reader, FREEHOLD_ERROR_CLOSED);
    misuse_database(database, FREEHOLD_ERROR_CLOSED);
    misuse_transaction(transaction, FREEHOLD_ERROR_CLOSED);
    misuse_others(listener, FREEHOLD_ERROR_CLOSED);
}

/* No handle is given twice. */
static void test_turnover(freehold_database_t *database)
{
    freehold_snapshot_t *first = taken(database);
    CHECK_OK(freehold_snapshot_end(first));
    int ended = 0, told = 0;
    for (int n = 0; n < 5000; n++) {
        freehold_snapshot_t *snapshot;
        if (freehold_snapshot_begin(database, &snapshot) != FREEHOLD_OK) break;
        if (n < 400) told += snapshot != first && freehold_snapshot_end(first) == FREEHOLD_ERROR_CLOSED;
        ended += freehold_snapshot_end(snapshot) == FREEHOLD_OK;
    }
    CHECK(told == 400 && ended == 5000);
}

void test_handles(void)
{
    CHECK_OK(freehold_database_close(NULL));
    CHECK_OK(freehold_snapshot_end(NULL));
    CHECK_OK(freehold_transaction_rollback(NULL));
    CHECK_OK(freehold_cursor_close(NULL));
    CHECK_OK(freehold_listener_close(NULL));
    freehold_database_t *database = fresh_database("handles");
    make_people(database, 20);
    test_wrong_kinds(database);
    test_turnover(database);
    test_ends(database);
}
