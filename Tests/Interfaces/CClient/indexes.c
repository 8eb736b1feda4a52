/* Look-ups through indexes, and links followed backwards. */
#include "check.h"

static void look(const freehold_reader_t *reader, uint64_t people)
{
    freehold_value_t value = freehold_int(7);
    freehold_key_t keys[1000];
    uint64_t count = 0;
    CHECK_OK(freehold_index_count(reader, PERSON, AGE, &value, &count));
    CHECK(count == people / 50);
    CHECK_OK(freehold_index_equal(reader, PERSON, AGE, &value, 3, keys, &count));
    CHECK(count == people / 50 && keys[0] == 7 && keys[1] == 57 && keys[2] == 107);
    CHECK_OK(freehold_index_equal(reader, PERSON, AGE, &value, 0, NULL, &count));
    CHECK(count == people / 50);
    value = freehold_string("person 33", 9);
    CHECK_OK(freehold_index_equal(reader, PERSON, NAME, &value, 1, keys, &count));
    CHECK(count == 1 && keys[0] == 33);
    value = freehold_string("nobody", 6);
    CHECK_OK(freehold_index_count(reader, PERSON, NAME, &value, &count));
    CHECK(count == 0);
    value = freehold_int(20);
    CHECK_OK(freehold_index_count(reader, PERSON, ID, &value, &count));
    CHECK(count == 1);

    const freehold_value_t from = freehold_int(10), to = freehold_int(12);
    CHECK_OK(freehold_index_range(reader, PERSON, AGE, &from, &to, false, 1000, keys, &count));
    CHECK(count == 2 * people / 50 && keys[0] == 10 && keys[people / 50] == 11);
    CHECK_OK(freehold_index_range(reader, PERSON, AGE, &from, NULL, true, 1, keys, &count));
    CHECK(count == 1 && keys[0] % 50 == 49);
    CHECK_OK(freehold_index_range(reader, PERSON, AGE, NULL, NULL, false, 1000, keys, &count));
    CHECK(count == people);

    CHECK_OK(freehold_object_backlinks(reader, 40, PERSON, BOSS, 5, keys, &count));
    CHECK(count == 1 && keys[0] == 41);
    CHECK_OK(freehold_object_backlinks(reader, 40, PERSON, BOSS, 0, NULL, &count));
    CHECK(count == 1);
    CHECK_OK(freehold_object_backlinks(reader, (freehold_key_t)people, PERSON, BOSS, 5, keys, &count));
    CHECK(count == 0);
}

static void refuse(const freehold_reader_t *reader)
{
    const freehold_value_t value = freehold_int(7), link = freehold_link(7), text = freehold_string("7", 1);
    freehold_key_t key;
    uint64_t count;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_index_count(reader, PERSON, AGE, NULL, &count));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_index_count(reader, PERSON, 9, &value, &count));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_index_count(reader, PERSON, AGE, &text, &count));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_index_equal(reader, PERSON, AGE, &value, 3, NULL, &count));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_backlinks(reader, 1, PERSON, AGE, 1, &key, &count));
    CHECK_OK(freehold_index_count(reader, PERSON, BOSS, &link, &count));
    CHECK(count == 1);
}

/* Goes through an index in batches; tells how many there were, and whether the order was that of one look-up. */
static size_t go_through(const freehold_reader_t *reader, freehold_property_t property, const freehold_value_t *from,
    const freehold_value_t *to, bool descending, size_t capacity, bool *same)
{
    static freehold_key_t keys[5000], all[5000];
    uint64_t count = 0;
    size_t seen = 0, filled = capacity;
    freehold_index_cursor_t *cursor = NULL;
    CHECK_OK(freehold_index_range(reader, PERSON, property, from, to, descending, 5000, all, &count));
    CHECK_OK(freehold_index_cursor_open(reader, PERSON, property, from, to, descending, &cursor));
    *same = true;
    while (filled == capacity) {
        if (!CHECK_OK(freehold_index_cursor_next(cursor, capacity, keys, &filled))) break;
        for (size_t n = 0; n < filled; n++, seen++) *same = *same && seen < count && keys[n] == all[seen];
    }
    *same = *same && seen == count;
    CHECK_OK(freehold_index_cursor_next(cursor, capacity, keys, &filled));
    CHECK(filled == 0);
    CHECK_OK(freehold_index_cursor_close(cursor));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_index_cursor_next(cursor, capacity, keys, &filled));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_index_cursor_close(cursor));
    return seen;
}

static void go_through_all(const freehold_reader_t *reader, size_t people)
{
    static const size_t capacities[] = { 1, 7, 256, 5000 };
    const freehold_value_t ten = freehold_int(10), twelve = freehold_int(12);
    bool same = false;
    for (size_t round = 0; round < 2 * sizeof capacities / sizeof capacities[0]; round++) {
        const size_t capacity = capacities[round / 2];
        const bool descending = round % 2 == 1;
        CHECK(go_through(reader, AGE, NULL, NULL, descending, capacity, &same) == people && same);
        CHECK(go_through(reader, AGE, &ten, &twelve, descending, capacity, &same) == 2 * people / 50 && same);
        CHECK(go_through(reader, NAME, NULL, NULL, descending, capacity, &same) == people && same);
        CHECK(go_through(reader, ID, &ten, &twelve, descending, capacity, &same) == 2 && same);
        CHECK(go_through(reader, BOSS, NULL, NULL, descending, capacity, &same) == people - 1 && same);
    }
}

/* A cursor follows its reader as one over a class does. */
static void test_cursor_movement(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    freehold_index_cursor_t *cursor = NULL, *other = NULL;
    freehold_key_t keys[64];
    size_t filled = 0;
    const freehold_value_t seven = freehold_int(7), nine = freehold_int(9);
    CHECK_OK(freehold_index_cursor_open(freehold_snapshot_reader(snapshot), PERSON, AGE, &seven, &nine, true, &cursor));
    CHECK_OK(freehold_index_cursor_next(cursor, 2, keys, &filled));
    CHECK(filled == 2 && keys[0] == 958 && keys[1] == 908);
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_t age = AGE;
    CHECK_OK(freehold_index_cursor_open(freehold_transaction_reader(transaction), PERSON, AGE, &seven, NULL, false, &other));
    CHECK_OK(freehold_index_cursor_next(other, 1, keys, &filled));
    CHECK(filled == 1 && keys[0] == 7);
    CHECK_OK(freehold_object_delete(transaction, PERSON, 908));
    CHECK_OK(freehold_object_delete(transaction, PERSON, 858));
    CHECK_OK(freehold_object_set(transaction, PERSON, 57, 1, &age, &nine));
    CHECK_OK(freehold_object_set(transaction, PERSON, 3, 1, &age, &seven));
    CHECK_OK(freehold_index_cursor_next(other, 2, keys, &filled));
    CHECK(filled == 2 && keys[0] == 107 && keys[1] == 157);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_index_cursor_next(other, 2, keys, &filled));
    CHECK_OK(freehold_index_cursor_close(other));
    CHECK_OK(freehold_index_cursor_next(cursor, 1, keys, &filled));
    CHECK(filled == 1 && keys[0] == 858);
    CHECK_OK(freehold_snapshot_refresh(snapshot, NULL));
    CHECK_OK(freehold_index_cursor_next(cursor, 64, keys, &filled));
    CHECK(filled == 37 && keys[0] == 808 && keys[16] == 8 && keys[17] == 957 && keys[35] == 7 && keys[36] == 3);
    CHECK_OK(freehold_snapshot_end(snapshot));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_index_cursor_next(cursor, 64, keys, &filled));
    CHECK_OK(freehold_index_cursor_close(cursor));
    CHECK_OK(freehold_index_cursor_close(NULL));
}

/* An index that is none, values that do not fit, and a property whose type changes under a cursor. */
static void test_cursor_refusals(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    const freehold_property_info_t plain = property("plain", FREEHOLD_TYPE_INT, 0);
    const freehold_value_t text = freehold_string("7", 1), link = freehold_link(7);
    freehold_property_t added = FREEHOLD_NONE;
    freehold_index_cursor_t *cursor = NULL;
    freehold_key_t keys[4];
    size_t filled = 0;
    CHECK_OK(freehold_property_add(transaction, PERSON, &plain, &added));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_index_cursor_open(reader, PERSON, added, NULL, NULL, false, &cursor));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_index_cursor_open(reader, PERSON, AGE, &text, NULL, false, &cursor));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_index_cursor_open(reader, PERSON, AGE, NULL, &link, false, &cursor));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_index_cursor_open(reader, PERSON, 9, NULL, NULL, false, &cursor));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_index_cursor_open(reader, 9, AGE, NULL, NULL, false, &cursor));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_index_cursor_open(reader, PERSON, AGE, NULL, NULL, false, NULL));
    CHECK(cursor == NULL);
    CHECK_OK(freehold_index_cursor_open(reader, PERSON, AGE, NULL, NULL, false, &cursor));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_index_cursor_next(cursor, 4, NULL, &filled));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_index_cursor_next(cursor, SIZE_MAX, keys, &filled));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_cursor_next((freehold_cursor_t *)cursor, 4, keys, NULL, &filled));
    CHECK_OK(freehold_index_cursor_next(cursor, 0, NULL, &filled));
    CHECK(filled == 0);
    CHECK_OK(freehold_index_cursor_next(cursor, 4, keys, NULL));
    CHECK(keys[0] == 50);
    CHECK_OK(freehold_property_set_type(transaction, PERSON, AGE, FREEHOLD_TYPE_STRING, true, NULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_index_cursor_next(cursor, 4, keys, &filled));
    CHECK_OK(freehold_property_drop(transaction, PERSON, AGE));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_index_cursor_next(cursor, 4, keys, &filled));
    CHECK_OK(freehold_property_drop(transaction, PERSON, AGE));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_index_cursor_next(cursor, 4, keys, &filled));
    CHECK_OK(freehold_property_drop(transaction, PERSON, AGE));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_index_cursor_next(cursor, 4, keys, &filled));
    CHECK_OK(freehold_transaction_rollback(transaction));
    CHECK_OK(freehold_index_cursor_close(cursor));
}

void test_indexes(void)
{
    freehold_database_t *database = fresh_database("indexes");
    /* 200 people stay in the tail; 1000 are sealed. */
    for (int people = 200; people <= 1000; people += 800) {
        if (people == 1000) {
            CHECK_OK(freehold_database_close(database));
            database = fresh_database("indexes");
        }
        make_people(database, people);
        freehold_snapshot_t *snapshot = taken(database);
        look(freehold_snapshot_reader(snapshot), (uint64_t)people);
        refuse(freehold_snapshot_reader(snapshot));
        go_through_all(freehold_snapshot_reader(snapshot), (size_t)people);
        CHECK_OK(freehold_snapshot_end(snapshot));
        freehold_transaction_t *transaction = begun(database);
        look(freehold_transaction_reader(transaction), (uint64_t)people);
        go_through_all(freehold_transaction_reader(transaction), (size_t)people);
        CHECK_OK(freehold_transaction_rollback(transaction));
    }
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t plain = property("plain", FREEHOLD_TYPE_INT, 0);
    const freehold_value_t zero = freehold_int(0);
    freehold_property_t added;
    uint64_t count;
    CHECK_OK(freehold_property_add(transaction, PERSON, &plain, &added));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT,
        freehold_index_count(freehold_transaction_reader(transaction), PERSON, added, &zero, &count));
    CHECK_OK(freehold_transaction_rollback(transaction));
    test_cursor_refusals(database);
    test_cursor_movement(database);
    CHECK_OK(freehold_database_close(database));
}
