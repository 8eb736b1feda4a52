/* Every type of value there and back, from memory and from sealed leaves; long values; what is refused. */
#include "check.h"
#include <stdlib.h>
#include <string.h>

enum { FLAG, WHOLE, SINGLE, REAL, WORDS, BYTES, MOMENT, UUID, OBJECT_ID, FRIEND, PRICE, ANY, TYPES };

static const uint8_t uuid[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255 };
static const uint8_t object_id[12] = { 200, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 128 };

static freehold_class_t make_thing(freehold_transaction_t *transaction)
{
    const freehold_property_info_t properties[TYPES] = {
        property("flag", FREEHOLD_TYPE_BOOL, FREEHOLD_PROPERTY_NULLABLE),
        property("whole", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_NULLABLE),
        property("single", FREEHOLD_TYPE_FLOAT, FREEHOLD_PROPERTY_NULLABLE),
        property("real", FREEHOLD_TYPE_DOUBLE, FREEHOLD_PROPERTY_NULLABLE),
        property("words", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_NULLABLE),
        property("bytes", FREEHOLD_TYPE_DATA, FREEHOLD_PROPERTY_NULLABLE),
        property("moment", FREEHOLD_TYPE_DATE, FREEHOLD_PROPERTY_NULLABLE),
        property("uuid", FREEHOLD_TYPE_UUID, FREEHOLD_PROPERTY_NULLABLE),
        property("object_id", FREEHOLD_TYPE_OBJECT_ID, FREEHOLD_PROPERTY_NULLABLE),
        link_property("friend", "Thing"),
        property("price", FREEHOLD_TYPE_DECIMAL, FREEHOLD_PROPERTY_NULLABLE),
        property("any", FREEHOLD_TYPE_MIXED, 0),
    };
    freehold_class_t thing = FREEHOLD_NONE;
    CHECK_OK(freehold_class_create(transaction, "Thing", FREEHOLD_TERMINATED, TYPES, properties, &thing));
    return thing;
}

static void all_types(freehold_value_t values[TYPES])
{
    values[FLAG] = freehold_bool(true);
    values[WHOLE] = freehold_int(INT64_MIN);
    values[SINGLE] = freehold_float(1.5f);
    values[REAL] = freehold_double(-0.1);
    values[WORDS] = freehold_string("gr\xc3\xbc\xc3\x9f\0e", 8);
    values[BYTES] = freehold_data("\0\xff\0", 3);
    values[MOMENT] = freehold_date(-5, 999999999);
    values[UUID] = freehold_uuid(uuid);
    values[OBJECT_ID] = freehold_object_id(object_id);
    values[FRIEND] = freehold_null();
    freehold_decimal_t price;
    CHECK_OK(freehold_decimal_parse("19.90", FREEHOLD_TERMINATED, &price));
    values[PRICE] = freehold_decimal(price);
    values[ANY] = freehold_string("any", 3);
}

static void check_decimals(freehold_value_t price)
{
    char text[FREEHOLD_DECIMAL_TEXT];
    CHECK(price.type == FREEHOLD_TYPE_DECIMAL && price.as.decimal.low == 1990 && price.as.decimal.high == 0x303cull << 48);
    CHECK_OK(freehold_decimal_format(price.as.decimal, text, sizeof text));
    CHECK(strcmp(text, "19.90") == 0);
    CHECK(freehold_decimal_format(price.as.decimal, text, 5) == FREEHOLD_ERROR_INVALID_ARGUMENT);
    CHECK(freehold_decimal_parse("19,90", FREEHOLD_TERMINATED, &price.as.decimal) == FREEHOLD_ERROR_MALFORMED_INPUT);
    CHECK_OK(freehold_decimal_parse("-9.999999999999999999999999999999999E-6143", FREEHOLD_TERMINATED, &price.as.decimal));
    CHECK_OK(freehold_decimal_format(price.as.decimal, text, sizeof text));
    CHECK(strcmp(text, "-9.999999999999999999999999999999999E-6143") == 0);
}

static void check_all_types(const freehold_reader_t *reader, freehold_class_t thing, freehold_key_t key)
{
    freehold_value_t values[TYPES];
    if (!CHECK_OK(freehold_object_get(reader, thing, key, TYPES, NULL, values))) return;
    CHECK(values[FLAG].type == FREEHOLD_TYPE_BOOL && values[FLAG].as.boolean);
    CHECK(values[WHOLE].type == FREEHOLD_TYPE_INT && values[WHOLE].as.integer == INT64_MIN);
    CHECK(values[SINGLE].type == FREEHOLD_TYPE_FLOAT && values[SINGLE].as.single == 1.5f);
    CHECK(values[REAL].type == FREEHOLD_TYPE_DOUBLE && values[REAL].as.real == -0.1);
    CHECK(values[WORDS].type == FREEHOLD_TYPE_STRING && values[WORDS].as.string.length == 8);
    CHECK(memcmp(values[WORDS].as.string.bytes, "gr\xc3\xbc\xc3\x9f\0e", 8) == 0);
    CHECK(values[BYTES].type == FREEHOLD_TYPE_DATA && values[BYTES].as.data.length == 3);
    CHECK(memcmp(values[BYTES].as.data.bytes, "\0\xff\0", 3) == 0);
    CHECK(values[MOMENT].type == FREEHOLD_TYPE_DATE);
    CHECK(values[MOMENT].as.date.seconds == -5 && values[MOMENT].as.date.nanoseconds == 999999999);
    CHECK(values[UUID].type == FREEHOLD_TYPE_UUID && memcmp(values[UUID].as.uuid, uuid, 16) == 0);
    CHECK(values[OBJECT_ID].type == FREEHOLD_TYPE_OBJECT_ID && memcmp(values[OBJECT_ID].as.object_id, object_id, 12) == 0);
    CHECK(values[ANY].type == FREEHOLD_TYPE_STRING && values[ANY].as.string.length == 3);
    CHECK(memcmp(values[ANY].as.string.bytes, "any", 3) == 0);
    check_decimals(values[PRICE]);
}

static void check_nulls(const freehold_reader_t *reader, freehold_class_t thing, freehold_key_t key)
{
    freehold_value_t values[TYPES];
    if (!CHECK_OK(freehold_object_get(reader, thing, key, TYPES, NULL, values))) return;
    for (int type = 0; type < TYPES; type++) CHECK(values[type].type == FREEHOLD_TYPE_NULL);
}

static void refuse_values(freehold_transaction_t *transaction, freehold_class_t thing, freehold_key_t key)
{
    const freehold_property_t moment = MOMENT, words = WORDS, real = REAL;
    freehold_value_t value = freehold_date(0, 1000000000);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_set(transaction, thing, key, 1, &moment, &value));
    value = freehold_string(NULL, 3);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_set(transaction, thing, key, 1, &words, &value));
    value = freehold_data("x", 1);
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_object_set(transaction, thing, key, 1, &words, &value));
    value.type = 99;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_set(transaction, thing, key, 1, &words, &value));
    value = freehold_string("x", SIZE_MAX / 2);
    CHECK_CODE(FREEHOLD_ERROR_VALUE_TOO_LARGE, freehold_object_set(transaction, thing, key, 1, &words, &value));
    /* Widened where nothing is lost. */
    value = freehold_int(3);
    CHECK_OK(freehold_object_set(transaction, thing, key, 1, &real, &value));
    value = freehold_int(INT64_MAX);
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_object_set(transaction, thing, key, 1, &real, &value));
    value = freehold_double(-0.1);
    CHECK_OK(freehold_object_set(transaction, thing, key, 1, &real, &value));
    /* An empty text is not null. */
    freehold_value_t read;
    const freehold_key_t empty = key + 1;
    value = freehold_string(NULL, 0);
    CHECK_OK(freehold_object_set(transaction, thing, empty, 1, &words, &value));
    CHECK_OK(freehold_object_get(freehold_transaction_reader(transaction), thing, empty, 1, &words, &read));
    CHECK(read.type == FREEHOLD_TYPE_STRING);
    CHECK_TEXT("", read.as.string);
    value = freehold_null();
    CHECK_OK(freehold_object_set(transaction, thing, empty, 1, &words, &value));
}

static bool is_filled(const freehold_value_t *value, size_t length, int byte)
{
    if (value->type != FREEHOLD_TYPE_DATA || value->as.data.length != length) return false;
    for (size_t place = 0; place < length; place++)
        if (value->as.data.bytes[place] != byte) return false;
    return true;
}

/* Values around the size of a block, and of many; all of them read before any is looked at. */
static void test_long_values(freehold_database_t *database, freehold_class_t thing)
{
    enum { LONG = 6 };
    static const size_t lengths[LONG] = { 30 * 1024, 30 * 1024 + 1, 60 * 1024, 60 * 1024 + 1, 200000, 1000000 };
    freehold_key_t keys[LONG];
    freehold_value_t values[LONG];
    const freehold_property_t bytes = BYTES;
    uint8_t *text = malloc(lengths[LONG - 1]);
    for (int sealed = 0; sealed < 2; sealed++) {
        freehold_transaction_t *transaction = begun(database);
        for (int n = 0; n < LONG; n++) {
            memset(text, 'a' + n, lengths[n]);
            const freehold_value_t value = freehold_data(text, lengths[n]);
            CHECK_OK(freehold_object_create(transaction, thing, NULL, 1, &bytes, &value, &keys[n]));
            CHECK_OK(freehold_object_get(freehold_transaction_reader(transaction), thing, keys[n], 1, &bytes, &values[n]));
            CHECK(is_filled(&values[n], lengths[n], 'a' + n));
        }
        /* Enough others that the rows leave the tail. */
        int made = 0;
        for (int n = 0; n < 1000 * sealed; n++)
            made += freehold_object_create(transaction, thing, NULL, 0, NULL, NULL, NULL) == FREEHOLD_OK;
        CHECK(made == 1000 * sealed);
        CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
        freehold_snapshot_t *snapshot = taken(database);
        const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
        for (int n = 0; n < LONG; n++) CHECK_OK(freehold_object_get(reader, thing, keys[n], 1, &bytes, &values[n]));
        for (int n = 0; n < LONG; n++) CHECK(is_filled(&values[n], lengths[n], 'a' + n));
        CHECK_OK(freehold_snapshot_end(snapshot));
    }
    free(text);
}

/* What a transaction lends may be handed back to it, though its rows move meanwhile. */
static void test_own_text(freehold_database_t *database, freehold_class_t thing)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    const freehold_property_t words = WORDS;
    freehold_key_t key;
    freehold_value_t value = freehold_string("a text that is copied again and again", FREEHOLD_TERMINATED);
    for (int n = 0; n < 2000; n++) {
        if (freehold_object_create(transaction, thing, NULL, 1, &words, &value, &key) != FREEHOLD_OK) break;
        if (freehold_object_get(reader, thing, key, 1, &words, &value) != FREEHOLD_OK) break;
    }
    CHECK_TEXT("a text that is copied again and again", value.as.string);
    CHECK_OK(freehold_transaction_rollback(transaction));
}

void test_values(void)
{
    CHECK(sizeof(freehold_value_t) == 24);
    freehold_database_t *database = fresh_database("values");
    freehold_transaction_t *transaction = begun(database);
    freehold_class_t thing = make_thing(transaction);
    freehold_value_t values[TYPES];
    all_types(values);
    freehold_key_t first, second;
    CHECK_OK(freehold_object_create(transaction, thing, NULL, TYPES, NULL, values, &first));
    CHECK_OK(freehold_object_create(transaction, thing, NULL, 0, NULL, NULL, &second));
    CHECK(second == first + 1);
    const freehold_value_t key = freehold_int(3);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_create(transaction, thing, &key, 0, NULL, NULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT,
        freehold_object_find(freehold_transaction_reader(transaction), thing, &key, NULL));
    refuse_values(transaction, thing, first);
    check_all_types(freehold_transaction_reader(transaction), thing, first);
    check_nulls(freehold_transaction_reader(transaction), thing, second);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    for (int round = 0; round < 2; round++) {
        freehold_snapshot_t *snapshot = taken(database);
        check_all_types(freehold_snapshot_reader(snapshot), thing, first);
        check_nulls(freehold_snapshot_reader(snapshot), thing, second);
        CHECK_OK(freehold_snapshot_end(snapshot));
        if (round == 0) test_long_values(database, thing);
    }
    test_own_text(database, thing);
    CHECK_OK(freehold_database_close(database));
}
