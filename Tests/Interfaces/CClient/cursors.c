/* Going through a class. */
#include "check.h"

static void test_batches(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    const freehold_property_t wanted[] = { AGE, NAME };
    static const size_t capacities[] = { 1, 7, 256, 999, 1000, 1001, 5000 };
    static freehold_key_t keys[5000];
    static freehold_value_t values[2 * 5000];
    for (size_t round = 0; round < sizeof capacities / sizeof capacities[0]; round++) {
        const size_t capacity = capacities[round];
        freehold_cursor_t *cursor;
        CHECK_OK(freehold_cursor_open(reader, PERSON, 2, wanted, &cursor));
        size_t filled = capacity, seen = 0;
        int64_t ages = 0;
        bool ascending = true;
        while (filled == capacity) {
            if (!CHECK_OK(freehold_cursor_next(cursor, capacity, keys, values, &filled))) break;
            for (size_t n = 0; n < filled; n++) {
                ascending = ascending && keys[n] == (freehold_key_t)(++seen);
                ages += values[2 * n].as.integer;
            }
        }
        CHECK(seen == 1000 && ascending);
        CHECK(ages == 1000 / 50 * (49 * 50 / 2));
        CHECK_OK(freehold_cursor_next(cursor, capacity, keys, values, &filled));
        CHECK(filled == 0);
        CHECK_OK(freehold_cursor_seek(cursor, 998));
        CHECK_OK(freehold_cursor_next(cursor, 1, NULL, values, &filled));
        CHECK(filled == 1);
        CHECK_TEXT("person 998", values[1].as.string);
        CHECK_OK(freehold_cursor_next(cursor, 1, keys, NULL, NULL));
        CHECK(keys[0] == 999);
        CHECK_OK(freehold_cursor_close(cursor));
    }
    CHECK_OK(freehold_snapshot_end(snapshot));
}

/* A cursor follows its reader: into newer versions, and no further than its end. */
static void test_movement(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    freehold_cursor_t *cursor;
    freehold_key_t keys[2000];
    size_t filled = 0;
    CHECK_OK(freehold_cursor_open(freehold_snapshot_reader(snapshot), PERSON, 0, NULL, &cursor));
    CHECK_OK(freehold_cursor_next(cursor, 500, keys, NULL, &filled));
    freehold_transaction_t *transaction = begun(database);
    for (freehold_key_t key = 501; key <= 600; key++) CHECK_OK(freehold_object_delete(transaction, PERSON, key));
    const freehold_value_t last = freehold_int(INT64_MAX);
    CHECK_OK(freehold_object_create(transaction, PERSON, &last, 0, NULL, NULL, NULL));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_cursor_next(cursor, 1, keys, NULL, &filled));
    CHECK(keys[0] == 501);
    CHECK_OK(freehold_snapshot_refresh(snapshot, NULL));
    CHECK_OK(freehold_cursor_next(cursor, 2000, keys, NULL, &filled));
    CHECK(filled == 401 && keys[0] == 601 && keys[400] == INT64_MAX);
    CHECK_OK(freehold_cursor_next(cursor, 2000, keys, NULL, &filled));
    CHECK(filled == 0);
    CHECK_OK(freehold_snapshot_end(snapshot));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_cursor_next(cursor, 1, keys, NULL, &filled));
    CHECK_OK(freehold_cursor_close(cursor));
}

/* Over a transaction, objects may be deleted as the cursor passes them. */
static void test_deleting(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    freehold_cursor_t *cursor;
    freehold_key_t keys[64];
    size_t filled = 64;
    uint64_t count = 1;
    CHECK_OK(freehold_cursor_open(freehold_transaction_reader(transaction), PERSON, 0, NULL, &cursor));
    while (filled == 64 && freehold_cursor_next(cursor, 64, keys, NULL, &filled) == FREEHOLD_OK)
        for (size_t n = 0; n < filled; n++) CHECK_OK(freehold_object_delete(transaction, PERSON, keys[n]));
    CHECK_OK(freehold_object_count(freehold_transaction_reader(transaction), PERSON, &count));
    CHECK(count == 0);
    CHECK_OK(freehold_transaction_rollback(transaction));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_cursor_next(cursor, 64, keys, NULL, &filled));
    CHECK_OK(freehold_cursor_close(cursor));
}

void test_cursors(void)
{
    freehold_database_t *database = fresh_database("cursors");
    make_people(database, 1000);
    test_batches(database);
    test_movement(database);
    test_deleting(database);
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    freehold_cursor_t *cursor;
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_cursor_open(reader, 9, 0, NULL, &cursor));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_cursor_open(reader, PERSON, 9, NULL, &cursor));
    CHECK(cursor == NULL);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_cursor_open(reader, PERSON, 0, NULL, NULL));
    CHECK_OK(freehold_snapshot_end(snapshot));
    CHECK_OK(freehold_database_close(database));
}
