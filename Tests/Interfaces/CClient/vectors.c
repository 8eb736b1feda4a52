/* Vectors in properties of type data, and the nearest of them. */
#include "check.h"
#include <math.h>
#include <string.h>

static void make_items(freehold_database_t *database)
{
    static const float vectors[][2] = { { 0, 2 }, { 3, 0 }, { -1, 0 }, { 2, 2 } };
    const freehold_property_info_t properties[] = { property("embedding", FREEHOLD_TYPE_DATA, FREEHOLD_PROPERTY_NULLABLE) };
    const freehold_property_t embedding = 0;
    freehold_transaction_t *transaction = begun(database);
    freehold_class_t item = FREEHOLD_NONE;
    CHECK_OK(freehold_class_create(transaction, "Item", FREEHOLD_TERMINATED, 1, properties, &item));
    for (size_t place = 0; place < 4; place++) {
        const freehold_value_t vector = freehold_data(vectors[place], sizeof vectors[place]);
        CHECK_OK(freehold_object_create(transaction, item, NULL, 1, &embedding, &vector, NULL));
    }
    CHECK_OK(freehold_object_create(transaction, item, NULL, 0, NULL, NULL, NULL));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
}

static void declare(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    CHECK_OK(freehold_class_add_vector_index(transaction, 0, 0, 2, FREEHOLD_VECTOR_FLOAT16, FREEHOLD_VECTOR_EUCLIDEAN));
    CHECK_OK(freehold_class_add_vector_index(transaction, 0, 0, 2, FREEHOLD_VECTOR_FLOAT16, FREEHOLD_VECTOR_EUCLIDEAN));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_vector_index(transaction, 0, 0, 2, FREEHOLD_VECTOR_INT8, 0));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_vector_index(transaction, 0, 0, 0, 0, 0));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_vector_index(transaction, 0, 0, 2, 3, 0));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_add_vector_index(transaction, 0, 0, 2, 0, 3));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_class_add_vector_index(transaction, 0, 7, 2, 0, 0));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    freehold_snapshot_t *snapshot = taken(database);
    freehold_derived_index_info_t info = { .size = sizeof info };
    CHECK_OK(freehold_class_derived_index(freehold_snapshot_reader(snapshot), 0, 0, &info));
    CHECK(info.kind == FREEHOLD_INDEX_VECTORS && info.field_count == 1 && info.dimensions == 2 && info.words == 0);
    CHECK(info.elements == FREEHOLD_VECTOR_FLOAT16 && info.metric == FREEHOLD_VECTOR_EUCLIDEAN && info.percent == 100);
    CHECK_TEXT("embedding", info.fields[0].path);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_class_derived_index(freehold_snapshot_reader(snapshot), 0, 1, &info));
    CHECK_OK(freehold_snapshot_end(snapshot));
    transaction = begun(database);
    CHECK_OK(freehold_class_drop_vector_index(transaction, 0, 0));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_class_drop_vector_index(transaction, 0, 0));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
}

void test_vectors(void)
{
    freehold_database_t *database = fresh_database("vectors");
    make_items(database);
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    const char *text = "NEAREST(embedding, $0, 2)";
    const float near[] = { 1, 0 };
    const freehold_value_t numbers[] = { freehold_int(1), freehold_float(0) };
    const freehold_value_t wanted[] = { freehold_data(near, sizeof near), freehold_list(numbers, 2) };
    for (size_t place = 0; place < 2; place++) {
        freehold_query_t *query = NULL;
        freehold_results_t *results = NULL;
        const freehold_key_t *keys = NULL;
        uint64_t count = 0;
        double scores[3] = { 0 };
        CHECK_OK(freehold_query_prepare(reader, 0, text, FREEHOLD_TERMINATED, 1, &wanted[place], 0, NULL, &query));
        CHECK_OK(freehold_query_run(query, &results));
        CHECK_OK(freehold_results_keys(results, &keys, &count));
        if (!CHECK(count == 2 && keys[0] == 1 && keys[1] == 3)) return;
        const freehold_key_t asked[] = { 1, 4, 0 };
        CHECK_OK(freehold_query_scores(query, 3, asked, scores));
        CHECK(scores[0] == 1 && isnan(scores[1]) && scores[2] == 0);
        CHECK_OK(freehold_results_close(results));
        CHECK_OK(freehold_query_close(query));
    }
    freehold_query_t *fused = NULL;
    const char *both = "FUSE(NEAREST(embedding, [-1, 0], 1), NEAREST(embedding, $0, 2) WEIGHT 2, 9)";
    const freehold_key_t asked[] = { 1, 3, 2, 4 };
    double sums[4] = { 0 };
    CHECK_OK(freehold_query_prepare(reader, 0, both, FREEHOLD_TERMINATED, 1, &wanted[0], 0, NULL, &fused));
    CHECK_OK(freehold_query_scores(fused, 4, asked, sums));
    CHECK(sums[0] == 2 / 61.0 && sums[1] == 2 / 62.0 && sums[2] == 1 / 61.0 && isnan(sums[3]));
    CHECK_OK(freehold_query_close(fused));
    const freehold_value_t odd = freehold_data(near, 7);
    freehold_query_t *none = NULL;
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_query_prepare(reader, 0, text, FREEHOLD_TERMINATED, 1, &odd, 0, NULL, &none));
    CHECK_OK(freehold_snapshot_end(snapshot));
    declare(database);
    CHECK_OK(freehold_database_close(database));
}
