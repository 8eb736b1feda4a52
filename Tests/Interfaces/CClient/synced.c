/* Synced classes: declared, described, counted up, unmarked, refused. */
#include "check.h"
#include <string.h>

static freehold_property_info_t shelf[3], box[1];
static freehold_class_definition_t classes[2];

/* A synced class, and one that extends it with a counter of its own. */
static void define(freehold_sync_t sync)
{
    shelf[0] = property("id", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_PRIMARY_KEY);
    shelf[1] = property("stock", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_COUNTER);
    shelf[2] = property("tags", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_MERGED | FREEHOLD_PROPERTY_NULLABLE);
    box[0] = property("opened", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_COUNTER);
    const freehold_class_definition_t made[] = {
        { .size = sizeof made[0], .name = { "Box", 3 }, .superclass = { "Shelf", 5 }, .property_count = 1, .properties = box },
        { .size = sizeof made[0], .name = { "Shelf", 5 }, .property_count = 3, .properties = shelf, .sync = sync },
    };
    memcpy(classes, made, sizeof classes);
}

static uint32_t flags(const freehold_reader_t *reader, const char *class_name, const char *name)
{
    freehold_class_t number = FREEHOLD_NONE;
    freehold_property_t place = FREEHOLD_NONE;
    freehold_property_info_t info = { .size = sizeof info };
    CHECK_OK(freehold_class_find(reader, class_name, strlen(class_name), &number));
    CHECK_OK(freehold_property_find(reader, number, name, strlen(name), &place));
    CHECK_OK(freehold_property_info(reader, number, place, &info));
    return info.flags;
}

static freehold_sync_t sync_of(const freehold_reader_t *reader, const char *class_name)
{
    freehold_class_t number = FREEHOLD_NONE;
    freehold_class_info_t info = { .size = sizeof info };
    CHECK_OK(freehold_class_find(reader, class_name, strlen(class_name), &number));
    CHECK_OK(freehold_class_info(reader, number, &info));
    return info.sync;
}

static void describe(const freehold_reader_t *reader)
{
    CHECK(sync_of(reader, "Shelf") == FREEHOLD_SYNC_UPDATE_WINS && sync_of(reader, "Box") == FREEHOLD_SYNC_UPDATE_WINS);
    CHECK(flags(reader, "Shelf", "id") == FREEHOLD_PROPERTY_PRIMARY_KEY);
    CHECK(flags(reader, "Shelf", "stock") == FREEHOLD_PROPERTY_COUNTER);
    CHECK(flags(reader, "Shelf", "tags") == (FREEHOLD_PROPERTY_MERGED | FREEHOLD_PROPERTY_NULLABLE));
    CHECK(flags(reader, "Box", "stock") == FREEHOLD_PROPERTY_COUNTER && flags(reader, "Box", "opened") == FREEHOLD_PROPERTY_COUNTER);
}

static void increment(freehold_transaction_t *transaction)
{
    freehold_class_t number = FREEHOLD_NONE;
    freehold_key_t key = 0;
    int64_t sum = 0;
    const freehold_value_t id = freehold_string("b", 1);
    CHECK_OK(freehold_class_find(freehold_transaction_reader(transaction), "Box", 3, &number));
    CHECK_OK(freehold_object_create(transaction, number, &id, 0, NULL, NULL, &key));
    CHECK_OK(freehold_object_increment(transaction, number, key, 3, 5, &sum));
    CHECK(sum == 5);
    CHECK_OK(freehold_object_increment(transaction, number, key, 3, -7, NULL));
    CHECK_OK(freehold_object_increment(transaction, number, key, 3, 0, &sum));
    CHECK(sum == -2);
    CHECK_OK(freehold_object_increment(transaction, number, key, 1, INT64_MIN, &sum));
    CHECK_CODE(FREEHOLD_ERROR_VALUE_TOO_LARGE, freehold_object_increment(transaction, number, key, 1, -1, &sum));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_object_increment(transaction, number, key, 2, 1, &sum));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_object_increment(transaction, number, key, 9, 1, &sum));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_object_increment(transaction, number, key + 1, 3, 1, &sum));
    CHECK(sum == INT64_MIN);
}

static void add_counter(freehold_transaction_t *transaction)
{
    freehold_class_t number = FREEHOLD_NONE;
    CHECK_OK(freehold_class_find(freehold_transaction_reader(transaction), "Box", 3, &number));
    const freehold_property_info_t more = property("more", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_COUNTER);
    CHECK_OK(freehold_property_add(transaction, number, &more, NULL));
    CHECK(flags(freehold_transaction_reader(transaction), "Box", "more") == FREEHOLD_PROPERTY_COUNTER);
    /* Refused as a whole: a string is no counter. */
    const freehold_property_info_t wrong = property("wrong", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_COUNTER);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_property_add(transaction, number, &wrong, NULL));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_property_find(freehold_transaction_reader(transaction), number, "wrong", 5, NULL));
}

/* What a file says to a server, and what it refuses to take from one; tests in other languages have a server. */
static void exchange(const freehold_database_t *database, bool is_synced)
{
    freehold_buffer_t batch = { NULL, 0, 0 }, again = { NULL, 0, 0 }, question = { NULL, 0, 0 };
    freehold_sync_report_t report = { .size = sizeof report };
    CHECK_CODE(is_synced ? FREEHOLD_OK : FREEHOLD_ABSENT, freehold_sync_push(database, freehold_buffer_append, &batch));
    CHECK_CODE(is_synced ? FREEHOLD_OK : FREEHOLD_ABSENT, freehold_sync_push(database, freehold_buffer_append, &again));
    CHECK_CODE(is_synced ? FREEHOLD_OK : FREEHOLD_ERROR_INVALID_ARGUMENT,
               freehold_sync_pull(database, freehold_buffer_append, &question));
    CHECK(!is_synced || (batch.length > 40 && again.length == batch.length && question.length > 20));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sync_push(database, NULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sync_apply(database, NULL, 0, NULL, NULL, NULL, &report));
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_sync_apply(database, "\x04\x01nonsense", 10, NULL, NULL, NULL, &report));
    if (is_synced) {
        /* Those for a server, and one that is cut. */
        CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_sync_apply(database, batch.bytes, batch.length, NULL, NULL, NULL, &report));
        CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT,
                   freehold_sync_apply(database, question.bytes, question.length, NULL, NULL, NULL, &report));
        CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_sync_apply(database, batch.bytes, batch.length - 1, NULL, NULL, NULL, NULL));
    }
    freehold_buffer_free(&batch);
    freehold_buffer_free(&again);
    freehold_buffer_free(&question);
}

void test_synced(void)
{
    freehold_database_t *database = fresh_database("synced");
    freehold_transaction_t *transaction = begun(database);
    define(3);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_classes_create(transaction, 2, classes));
    define(FREEHOLD_SYNC_UPDATE_WINS);
    CHECK_OK(freehold_classes_create(transaction, 2, classes));
    describe(freehold_transaction_reader(transaction));
    increment(transaction);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    exchange(database, true);
    /* Definitions that do not say so leave it synced; other rules are refused. */
    transaction = begun(database);
    define(FREEHOLD_SYNC_NONE);
    CHECK_OK(freehold_schema_adopt(transaction, 2, classes));
    describe(freehold_transaction_reader(transaction));
    define(FREEHOLD_SYNC_DELETION_WINS);
    CHECK_CODE(FREEHOLD_ERROR_SCHEMA_MISMATCH, freehold_schema_adopt(transaction, 2, classes));
    define(FREEHOLD_SYNC_UPDATE_WINS);
    CHECK_OK(freehold_schema_adopt(transaction, 2, classes));
    add_counter(transaction);
    freehold_class_t number = FREEHOLD_NONE;
    CHECK_OK(freehold_class_find(freehold_transaction_reader(transaction), "Box", 3, &number));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_unmark_synced(transaction, number));
    CHECK_OK(freehold_class_find(freehold_transaction_reader(transaction), "Shelf", 5, &number));
    CHECK_OK(freehold_class_unmark_synced(transaction, number));
    CHECK(sync_of(freehold_transaction_reader(transaction), "Box") == FREEHOLD_SYNC_NONE);
    CHECK(flags(freehold_transaction_reader(transaction), "Box", "stock") == 0);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    exchange(database, false);
    /* A class without a key is refused, and so is the commit of a link to a class that is not synced. */
    transaction = begun(database);
    shelf[0].flags = 0;
    classes[1].name = (freehold_text_t){ "Keyless", 7 };
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_classes_create(transaction, 1, classes + 1));
    shelf[0].flags = FREEHOLD_PROPERTY_PRIMARY_KEY;
    shelf[2] = link_property("tags", "Shelf");
    CHECK_OK(freehold_classes_create(transaction, 1, classes + 1));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_transaction_rollback(transaction));
    CHECK_OK(freehold_database_close(database));
}
