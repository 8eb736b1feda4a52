/* Indexes in the order of a language. */
#include "check.h"
#include <string.h>

enum { COUNT = 600 };

static void make_words(freehold_database_t *database)
{
    static const char *const words[] = { "Zoo", "\xC3\xA4hre", "Apfel", "file10", "file9", "\xC3\x84rmel" };
    const freehold_property_info_t properties[] = { property("word", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_NULLABLE),
                                                    property("number", FREEHOLD_TYPE_INT, 0) };
    const freehold_property_t word = 0;
    freehold_transaction_t *transaction = begun(database);
    freehold_class_t item = FREEHOLD_NONE;
    CHECK_OK(freehold_class_create(transaction, "Item", FREEHOLD_TERMINATED, 2, properties, &item));
    for (size_t place = 0; place < COUNT; place++) {
        const freehold_value_t value = freehold_string(words[place % 6], strlen(words[place % 6]));
        CHECK_OK(freehold_object_create(transaction, item, NULL, 1, &word, &value, NULL));
    }
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
}

/* The first three objects in German order, and whether an index gives them. */
static void check_order(freehold_database_t *database, bool is_indexed)
{
    static const char text[] = "SORT(word DESC COLLATE 'de-u-kn') LIMIT(3)";
    freehold_snapshot_t *snapshot = taken(database);
    freehold_query_t *query = NULL;
    freehold_results_t *results = NULL;
    const freehold_key_t *keys = NULL;
    size_t count = 0;
    freehold_text_t explanation;
    CHECK_OK(freehold_query_prepare(freehold_snapshot_reader(snapshot), 0, text, FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query));
    CHECK_OK(freehold_query_run(query, &results));
    CHECK_OK(freehold_results_keys(results, &keys, &count));
    CHECK(count == 3 && keys[0] == 0 && keys[1] == 6 && keys[2] == 12);
    CHECK_OK(freehold_query_explain(query, false, &explanation));
    char plan[1024] = "";
    memcpy(plan, explanation.bytes, explanation.length < sizeof plan ? explanation.length : sizeof plan - 1);
    CHECK((strstr(plan, "in the order of the index of word") != NULL) == is_indexed);
    CHECK_OK(freehold_results_close(results));
    CHECK_OK(freehold_query_close(query));
    CHECK_OK(freehold_snapshot_end(snapshot));
}

void test_collations(void)
{
    freehold_database_t *database = fresh_database("collations");
    make_words(database);
    freehold_transaction_t *transaction = begun(database);
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_class_add_collation_index(transaction, 0, 7, "de", 2));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_drop_collation_index(transaction, 0, 0, "de", 2));
    const freehold_error_code_t added = freehold_class_add_collation_index(transaction, 0, 0, "DE-u-kn-true", FREEHOLD_TERMINATED);
    if (added == FREEHOLD_ERROR_SYSTEM) { /* This machine has no ICU. */
        CHECK_OK(freehold_transaction_rollback(transaction));
        CHECK_OK(freehold_database_close(database));
        return;
    }
    CHECK_OK(added);
    CHECK_OK(freehold_class_add_collation_index(transaction, 0, 0, "de-u-kn", 7));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_collation_index(transaction, 0, 1, "de", 2));
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_class_add_collation_index(transaction, 0, 0, "de-u-kn-yes", FREEHOLD_TERMINATED));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    freehold_snapshot_t *snapshot = taken(database);
    freehold_derived_index_info_t info = { .size = sizeof info };
    CHECK_OK(freehold_class_derived_index(freehold_snapshot_reader(snapshot), 0, 0, &info));
    CHECK(info.kind == FREEHOLD_INDEX_COLLATION && info.field_count == 1 && info.words == 0 && info.dimensions == 0);
    CHECK(info.state == FREEHOLD_INDEX_COMPLETE && info.percent == 100 && info.documents > COUNT - 256);
    CHECK_TEXT("word", info.fields[0].path);
    CHECK_TEXT("de-u-kn", info.language);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_class_derived_index(freehold_snapshot_reader(snapshot), 0, 1, &info));
    CHECK_OK(freehold_snapshot_end(snapshot));
    check_order(database, true);
    transaction = begun(database);
    CHECK_OK(freehold_class_drop_collation_index(transaction, 0, 0, "de-u-kn", 7));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    check_order(database, false);
    CHECK_OK(freehold_database_close(database));
}
