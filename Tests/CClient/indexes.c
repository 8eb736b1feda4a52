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
        CHECK_OK(freehold_snapshot_end(snapshot));
        freehold_transaction_t *transaction = begun(database);
        look(freehold_transaction_reader(transaction), (uint64_t)people);
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
    CHECK_OK(freehold_database_close(database));
}
