/* Objects: created, found, read, set, deleted; transactions and snapshots around them. */
#include "check.h"
#include <string.h>

static void test_parts(const freehold_reader_t *reader)
{
    char part[8];
    size_t read = 0;
    uint64_t length = 0;
    CHECK_OK(freehold_object_read_part(reader, PERSON, 77, NAME, 3, part, 4, &read, &length));
    CHECK(read == 4 && length == 9 && memcmp(part, "son ", 4) == 0);
    CHECK_OK(freehold_object_read_part(reader, PERSON, 77, NAME, 7, part, sizeof part, &read, &length));
    CHECK(read == 2 && memcmp(part, "77", 2) == 0);
    CHECK_OK(freehold_object_read_part(reader, PERSON, 77, NAME, UINT64_MAX, part, sizeof part, &read, &length));
    CHECK(read == 0 && length == 9);
    CHECK_OK(freehold_object_read_part(reader, PERSON, 77, NAME, 0, NULL, 0, &read, NULL));
    CHECK(read == 0);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_read_part(reader, PERSON, 0, NAME, 0, part, 4, &read, &length));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_object_read_part(reader, PERSON, 77, AGE, 0, part, 4, &read, &length));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_read_part(reader, PERSON, 77, NAME, 0, NULL, 4, &read, &length));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_object_read_part(reader, PERSON, 77, 99, 0, part, 4, &read, &length));
}

static void test_reading(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    uint64_t count = 0;
    CHECK_OK(freehold_object_count(reader, PERSON, &count));
    CHECK(count == 1000);
    CHECK_OK(freehold_object_exists(reader, PERSON, 1000));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_exists(reader, PERSON, 1001));
    freehold_value_t wanted = freehold_int(77);
    freehold_key_t key = 0;
    CHECK_OK(freehold_object_find(reader, PERSON, &wanted, &key));
    CHECK(key == 77);
    wanted = freehold_int(-1);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_find(reader, PERSON, &wanted, &key));
    wanted = freehold_string("77", 2);
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_object_find(reader, PERSON, &wanted, &key));

    freehold_value_t values[4];
    CHECK_OK(freehold_object_get(reader, PERSON, 77, 4, NULL, values));
    CHECK(values[ID].type == FREEHOLD_TYPE_INT && values[ID].as.integer == 77);
    CHECK(values[NAME].type == FREEHOLD_TYPE_STRING);
    CHECK_TEXT("person 77", values[NAME].as.string);
    CHECK(values[AGE].as.integer == 27);
    CHECK(values[BOSS].type == FREEHOLD_TYPE_LINK && values[BOSS].as.link.key == 76);
    CHECK(values[BOSS].as.link.object_class == PERSON);
    const freehold_property_t listed[] = { BOSS, AGE };
    CHECK_OK(freehold_object_get(reader, PERSON, 1, 2, listed, values));
    CHECK(values[0].type == FREEHOLD_TYPE_NULL && values[1].as.integer == 1);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_get(reader, PERSON, 0, 2, listed, values));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_object_get(reader, PERSON, 1, 5, NULL, values));
    const freehold_property_t none = FREEHOLD_NONE;
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_object_get(reader, PERSON, 1, 1, &none, values));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_get(reader, PERSON, 1, 1, NULL, NULL));
    CHECK_OK(freehold_object_get(reader, PERSON, 1, 0, NULL, NULL));
    test_parts(reader);
    CHECK_OK(freehold_snapshot_end(snapshot));
}

static void test_creating(freehold_transaction_t *transaction)
{
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    const freehold_value_t key = freehold_int(5000);
    const freehold_property_t name = NAME;
    freehold_value_t value = freehold_string("Grace, or more", 5);
    freehold_key_t made = 0;
    CHECK_OK(freehold_object_create(transaction, PERSON, &key, 1, &name, &value, &made));
    CHECK(made == 5000);
    CHECK_CODE(FREEHOLD_ERROR_DUPLICATE_KEY, freehold_object_create(transaction, PERSON, &key, 1, &name, &value, &made));
    /* Without a key the class gives the next number. */
    CHECK_OK(freehold_object_create(transaction, PERSON, NULL, 1, &name, &value, &made));
    CHECK(made == 5001);
    CHECK_OK(freehold_object_delete(transaction, PERSON, made));
    const freehold_value_t other = freehold_int(5001);
    value = freehold_int(3);
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_object_create(transaction, PERSON, &other, 1, &name, &value, &made));
    value = freehold_null();
    CHECK_CODE(FREEHOLD_ERROR_NOT_NULLABLE, freehold_object_create(transaction, PERSON, &other, 1, &name, &value, &made));
    value = freehold_string("\xc3\x28", 2);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_create(transaction, PERSON, &other, 1, &name, &value, &made));
    const freehold_property_t boss = BOSS;
    value = freehold_link(999999);
    CHECK_CODE(FREEHOLD_ERROR_NO_SUCH_OBJECT, freehold_object_create(transaction, PERSON, &other, 1, &boss, &value, &made));
    value.as.link.object_class = 17;
    value.as.link.key = 5000;
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_object_create(transaction, PERSON, &other, 1, &boss, &value, &made));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_create(transaction, PERSON, &other, 1, &boss, NULL, &made));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_exists(reader, PERSON, 5001));

    freehold_value_t values[4];
    CHECK_OK(freehold_object_get(reader, PERSON, 5000, 4, NULL, values));
    CHECK_TEXT("Grace", values[NAME].as.string);
    CHECK(values[AGE].type == FREEHOLD_TYPE_INT && values[AGE].as.integer == 0);
    CHECK(values[BOSS].type == FREEHOLD_TYPE_NULL);
}

static void test_setting(freehold_transaction_t *transaction)
{
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    const freehold_property_t three[] = { NAME, AGE, BOSS };
    freehold_value_t values[4] = { freehold_string("Ada", 3), freehold_int(36), freehold_link(10) };
    CHECK_OK(freehold_object_set(transaction, PERSON, 5, 3, three, values));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_set(transaction, PERSON, 123456, 3, three, values));
    /* The last one is refused: none is set. */
    freehold_value_t wrong[] = { freehold_string("Eve", 3), freehold_int(1), freehold_link(999999) };
    CHECK_CODE(FREEHOLD_ERROR_NO_SUCH_OBJECT, freehold_object_set(transaction, PERSON, 5, 3, three, wrong));
    CHECK_OK(freehold_object_get(reader, PERSON, 5, 4, NULL, values));
    CHECK_TEXT("Ada", values[NAME].as.string);
    CHECK(values[AGE].as.integer == 36 && values[BOSS].as.link.key == 10);
    const freehold_property_t id = ID;
    const freehold_value_t key = freehold_int(6);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_set(transaction, PERSON, 5, 1, &id, &key));
    CHECK_OK(freehold_object_delete(transaction, PERSON, 10));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_delete(transaction, PERSON, 10));
    CHECK_OK(freehold_object_get(reader, PERSON, 5, 4, NULL, values));
    CHECK(values[BOSS].type == FREEHOLD_TYPE_NULL);
}

static void test_versions(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    freehold_version_t before = 0, promised = 0, made = 0, held = 0;
    CHECK_OK(freehold_reader_version(reader, &before));
    freehold_transaction_t *transaction = begun(database);
    CHECK_OK(freehold_reader_version(freehold_transaction_reader(transaction), &promised));
    test_creating(transaction);
    test_setting(transaction);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, &made));
    CHECK(made == promised && made > before);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_exists(reader, PERSON, 5000));
    CHECK_OK(freehold_object_exists(reader, PERSON, 10));
    bool moved = false;
    CHECK_OK(freehold_snapshot_refresh(snapshot, &moved));
    CHECK(moved);
    CHECK_OK(freehold_reader_version(reader, &held));
    CHECK(held == made);
    CHECK_OK(freehold_object_exists(reader, PERSON, 5000));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_exists(reader, PERSON, 10));
    CHECK_OK(freehold_snapshot_refresh(snapshot, &moved));
    CHECK(!moved);
    CHECK_OK(freehold_snapshot_end(snapshot));

    transaction = begun(database);
    CHECK_OK(freehold_object_delete(transaction, PERSON, 5000));
    CHECK_OK(freehold_transaction_rollback(transaction));
    transaction = begun(database);
    CHECK_OK(freehold_object_exists(freehold_transaction_reader(transaction), PERSON, 5000));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, &held));
    CHECK(held == made);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_transaction_commit(begun(database), 9, NULL));
}

void test_objects(void)
{
    freehold_database_t *database = fresh_database("objects");
    make_people(database, 1000);
    test_reading(database);
    test_versions(database);
    CHECK_OK(freehold_database_close(database));
}
