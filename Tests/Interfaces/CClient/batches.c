/* Calls that change many things: all of it or, after an error, nothing. */
#include "check.h"

enum { NEXT, HALL, MARKS, TEXT, LINKS };
static freehold_class_t chain, cell;

static void make_chains(freehold_transaction_t *transaction)
{
    const freehold_property_info_t size[] = { property("size", FREEHOLD_TYPE_INT, 0) };
    freehold_property_info_t members[] = {
        link_property("next", "Chain"), link_property("hall", "Cell"),
        collection_property(property("marks", FREEHOLD_TYPE_MIXED, FREEHOLD_PROPERTY_NULLABLE), FREEHOLD_TYPE_SET),
        property("text", FREEHOLD_TYPE_STRING, 0),
    };
    members[NEXT].delete_rule = FREEHOLD_DELETE_DENY;
    const freehold_class_definition_t classes[] = {
        { .size = sizeof classes[0], .name = { "Chain", 5 }, .property_count = LINKS, .properties = members },
        { .size = sizeof classes[0], .name = { "Cell", 4 }, .property_count = 1, .properties = size, .embedded = true },
    };
    CHECK_OK(freehold_classes_create(transaction, 2, classes));
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    CHECK_OK(freehold_class_find(reader, "Chain", 5, &chain));
    CHECK_OK(freehold_class_find(reader, "Cell", 4, &cell));
}

static uint64_t chains(freehold_transaction_t *transaction)
{
    uint64_t count = 0;
    CHECK_OK(freehold_object_count(freehold_transaction_reader(transaction), chain, &count));
    return count;
}

static void test_deleting(freehold_transaction_t *transaction)
{
    freehold_key_t keys[3001];
    for (int place = 0; place < 3001; place++) CHECK_OK(freehold_object_create(transaction, chain, NULL, 0, NULL, NULL, &keys[place]));
    const freehold_property_t next = NEXT;
    const freehold_value_t last = freehold_link(keys[3000]), none = freehold_null();
    CHECK_OK(freehold_object_set(transaction, chain, keys[1500], 1, &next, &last));
    uint64_t deleted = 77;
    CHECK_CODE(FREEHOLD_ERROR_DELETE_DENIED, freehold_objects_delete(transaction, chain, 3000, keys, &deleted));
    CHECK(deleted == 77 && chains(transaction) == 3001);
    freehold_query_t *query = NULL;
    freehold_results_t *results = NULL;
    CHECK_OK(freehold_query_prepare(freehold_transaction_reader(transaction), chain, "TRUEPREDICATE", FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query));
    CHECK_OK(freehold_query_run(query, &results));
    freehold_key_t pair[] = { keys[3000], keys[1500] };
    CHECK_OK(freehold_objects_delete(transaction, chain, 2, pair, &deleted));
    CHECK(deleted == 2 && chains(transaction) == 2999);
    CHECK_OK(freehold_object_set(transaction, chain, keys[0], 1, &next, &none));
    CHECK_OK(freehold_results_delete(results, transaction, &deleted));
    CHECK(deleted == 2999 && chains(transaction) == 0);
    CHECK_OK(freehold_results_close(results));
    CHECK_OK(freehold_query_close(query));
}

/* What lives in a property is there again when a later one of the call is refused. */
static void test_setting(freehold_transaction_t *transaction)
{
    freehold_key_t key = 0, room = 0;
    CHECK_OK(freehold_object_create(transaction, chain, NULL, 0, NULL, NULL, &key));
    CHECK_OK(freehold_object_embed(transaction, chain, key, HALL, cell, 0, NULL, NULL, &room));
    const freehold_property_t properties[] = { HALL, TEXT };
    const freehold_value_t values[] = { freehold_null(), freehold_int(1) };
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_object_set(transaction, chain, key, 2, properties, values));
    freehold_value_t hall;
    CHECK_OK(freehold_object_get(freehold_transaction_reader(transaction), chain, key, 1, properties, &hall));
    CHECK(hall.type == FREEHOLD_TYPE_LINK && hall.as.link.key == room);
    CHECK_OK(freehold_object_exists(freehold_transaction_reader(transaction), cell, room));
}

static void test_sets(freehold_transaction_t *transaction)
{
    freehold_key_t key = 0;
    freehold_collection_t *marks = NULL;
    CHECK_OK(freehold_object_create(transaction, chain, NULL, 0, NULL, NULL, &key));
    CHECK_OK(freehold_collection_open(freehold_transaction_reader(transaction), chain, key, MARKS, &marks));
    const freehold_value_t some[] = { freehold_int(1), freehold_int(2) }, wrong[] = { freehold_int(1), freehold_list(some, 2) };
    CHECK_OK(freehold_set_insert(marks, 2, some));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_set_remove(marks, 2, wrong));
    uint64_t count = 0;
    CHECK_OK(freehold_collection_count(marks, &count));
    CHECK(count == 2);
    CHECK_OK(freehold_collection_close(marks));
}

void test_whole_batches(void)
{
    freehold_database_t *database = fresh_database("batches");
    freehold_transaction_t *transaction = begun(database);
    make_chains(transaction);
    test_deleting(transaction);
    test_setting(transaction);
    test_sets(transaction);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    CHECK_OK(freehold_database_close(database));
}
