/* What one thread found, read by another: the same version through a snapshot of its own. */
#include "check.h"
#include <pthread.h>

struct handed {
    freehold_snapshot_t *snapshot;
    freehold_results_t *results;
    freehold_query_t *query;
    freehold_collection_t *tags;
    int64_t ages;
    uint64_t count, tag_count;
};

static void *read_there(void *context)
{
    struct handed *handed = context;
    int64_t ages[64];
    size_t filled = 0;
    CHECK_OK(freehold_results_integers(handed->results, AGE, 0, 64, ages, NULL, &filled));
    for (size_t n = 0; n < filled; n++) handed->ages += ages[n];
    CHECK_OK(freehold_query_count(handed->query, &handed->count));
    CHECK_OK(freehold_collection_count(handed->tags, &handed->tag_count));
    CHECK_OK(freehold_results_close(handed->results));
    CHECK_OK(freehold_query_close(handed->query));
    CHECK_OK(freehold_collection_close(handed->tags));
    CHECK_OK(freehold_snapshot_end(handed->snapshot));
    return NULL;
}

static freehold_property_t add_tags(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t tags = collection_property(property("tags", FREEHOLD_TYPE_STRING, 0), FREEHOLD_TYPE_LIST);
    freehold_property_t number = FREEHOLD_NONE;
    CHECK_OK(freehold_property_add(transaction, PERSON, &tags, &number));
    const freehold_value_t words[] = { freehold_string("a", 1), freehold_string("b", 1) };
    const freehold_value_t list = freehold_list(words, 2);
    CHECK_OK(freehold_object_set(transaction, PERSON, 1, 1, &number, &list));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    return number;
}

void test_handing_over(void)
{
    freehold_database_t *database = fresh_database("handing_over");
    make_people(database, 20);
    const freehold_property_t tags = add_tags(database);
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    freehold_query_t *query;
    freehold_results_t *results;
    freehold_collection_t *list;
    struct handed handed = { 0 };
    CHECK_OK(freehold_query_prepare(reader, PERSON, "age > 10", FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query));
    CHECK_OK(freehold_query_run(query, &results));
    CHECK_OK(freehold_collection_open(reader, PERSON, 1, tags, &list));
    CHECK_OK(freehold_snapshot_another(snapshot, &handed.snapshot));
    const freehold_reader_t *other = freehold_snapshot_reader(handed.snapshot);
    CHECK_OK(freehold_results_another(results, other, &handed.results));
    CHECK_OK(freehold_query_another(query, other, &handed.query));
    CHECK_OK(freehold_collection_another(list, other, &handed.tags));

    /* Later changes are not in it, and what it came from may go. */
    freehold_transaction_t *transaction = begun(database);
    freehold_collection_t *changing;
    CHECK_OK(freehold_collection_another(list, freehold_transaction_reader(transaction), &changing));
    const freehold_value_t word = freehold_string("c", 1);
    CHECK_OK(freehold_list_insert(changing, FREEHOLD_LAST, 1, &word));
    CHECK_OK(freehold_collection_close(changing));
    CHECK_OK(freehold_object_delete(transaction, PERSON, 1));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_collection_another(list, freehold_transaction_reader(transaction), &changing));
    CHECK_OK(freehold_object_delete(transaction, PERSON, 20));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_OK(freehold_snapshot_end(snapshot));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, read_there, &handed) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(handed.count == 10 && handed.ages == 155 && handed.tag_count == 2);
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_query_count(query, &handed.count));
    CHECK_OK(freehold_results_close(results));
    CHECK_OK(freehold_query_close(query));
    CHECK_OK(freehold_collection_close(list));
    CHECK_OK(freehold_database_close(database));
}
