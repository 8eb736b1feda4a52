/* A property of many results as one array: the same values as one by one, whatever order and density the objects have. */
#include "check.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER, SMALL, FLAG, REAL, SINGLE, MAYBE, MAYBE_REAL, DAY, NEXT, PLAIN, PROPERTIES, THINGS = 3000 };

/* The key of a thing: consecutive up to the middle, then with small gaps, then with great ones. */
static freehold_key_t key_of(int n)
{
    return n < THINGS / 2 ? n - 100 : n < THINGS * 3 / 4 ? (freehold_key_t)n * 3 : (freehold_key_t)n * 1000;
}

static void make_thing(freehold_transaction_t *transaction, freehold_class_t thing, int n, int *made)
{
    /* Null in some clusters, and in others not. */
    const bool has_nulls = n % 900 > 600;
    const freehold_value_t values[PROPERTIES] = {
        freehold_int(key_of(n)), freehold_int(n % 9 - 4), freehold_bool(n % 3 == 0), freehold_double(n / 7.0), freehold_float((float)n / 4),
        has_nulls && n % 5 == 0 ? freehold_null() : freehold_int(n * 1000000007ll),
        has_nulls && n % 7 == 0 ? freehold_null() : freehold_double(n * 0.5),
        n % 11 == 0 ? freehold_null() : freehold_date(n * 1000ll - 5, n), n % 900 > 800 ? freehold_null() : freehold_link(key_of(n / 2)),
        freehold_int(n % 2),
    };
    *made += freehold_object_create(transaction, thing, values, PROPERTIES, NULL, values, NULL) == FREEHOLD_OK;
}

static freehold_class_t make_things(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t properties[PROPERTIES] = {
        property("number", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_PRIMARY_KEY), property("small", FREEHOLD_TYPE_INT, 0),
        property("flag", FREEHOLD_TYPE_BOOL, 0), property("real", FREEHOLD_TYPE_DOUBLE, 0), property("single", FREEHOLD_TYPE_FLOAT, 0),
        property("maybe", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_NULLABLE), property("maybeReal", FREEHOLD_TYPE_DOUBLE, FREEHOLD_PROPERTY_NULLABLE),
        property("day", FREEHOLD_TYPE_DATE, FREEHOLD_PROPERTY_NULLABLE), link_property("next", "Thing"), property("plain", FREEHOLD_TYPE_INT, 0),
    };
    freehold_class_t thing = FREEHOLD_NONE;
    CHECK_OK(freehold_class_create(transaction, "Thing", FREEHOLD_TERMINATED, PROPERTIES, properties, &thing));
    int made = 0;
    for (int n = 0; n < THINGS; n++) make_thing(transaction, thing, n, &made);
    CHECK(made == THINGS);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    return thing;
}

/* What a value is as an integer and as a real. */
static bool is_same(const freehold_value_t *value, int64_t integer, double real, uint8_t is_null)
{
    switch (value->type) {
    case FREEHOLD_TYPE_NULL: return is_null == 1 && integer == 0 && isnan(real);
    case FREEHOLD_TYPE_BOOL: return is_null == 0 && integer == value->as.boolean && real == value->as.boolean;
    case FREEHOLD_TYPE_INT: return is_null == 0 && integer == value->as.integer && real == (double)value->as.integer;
    case FREEHOLD_TYPE_LINK: return is_null == 0 && integer == value->as.link.key;
    case FREEHOLD_TYPE_DATE: return is_null == 0 && integer == value->as.date.seconds * 1000000000 + value->as.date.nanoseconds;
    case FREEHOLD_TYPE_DOUBLE: return is_null == 0 && real == value->as.real;
    case FREEHOLD_TYPE_FLOAT: return is_null == 0 && real == (double)value->as.single;
    default: return false;
    }
}

/* One property of the objects from one on. */
static void compare(const freehold_results_t *results, freehold_property_t property, uint64_t first, size_t capacity)
{
    static freehold_value_t values[THINGS + 1];
    static int64_t integers[THINGS + 1];
    static double reals[THINGS + 1];
    static uint8_t nulls[THINGS + 1], others[THINGS + 1];
    const bool is_real = property == REAL || property == SINGLE || property == MAYBE_REAL, is_whole = property == DAY || property == NEXT;
    const freehold_key_t *keys;
    uint64_t count;
    size_t wanted = 0, filled = SIZE_MAX;
    CHECK_OK(freehold_results_keys(results, &keys, &count));
    CHECK_OK(freehold_results_get(results, first, capacity, 1, &property, values, &wanted));
    CHECK(wanted == (count <= first ? 0 : count - first < capacity ? count - first : capacity));
    /* What nobody writes to is seen to be so. */
    memset(nulls, 7, sizeof nulls);
    memset(others, 7, sizeof others);
    integers[wanted] = 7;
    reals[wanted] = 7;
    if (!is_real) {
        CHECK_OK(freehold_results_integers(results, property, first, capacity, integers, nulls, &filled));
        CHECK(filled == wanted && integers[wanted] == 7 && nulls[wanted] == 7);
    }
    if (!is_whole) {
        CHECK_OK(freehold_results_reals(results, property, first, capacity, reals, others, &filled));
        CHECK(filled == wanted && reals[wanted] == 7 && others[wanted] == 7);
    }
    size_t right = 0;
    for (size_t n = 0; n < wanted; n++)
        right += is_same(&values[n], is_real ? values[n].type == FREEHOLD_TYPE_NULL ? 0 : 1 : integers[n],
                     is_whole ? (double)NAN : reals[n], is_real ? others[n] : nulls[n]) && (is_real || is_whole || nulls[n] == others[n]);
    CHECK(right == wanted);
}

/* Every property of what a query finds: all, from the middle, and nothing. */
static void compare_query(const freehold_reader_t *reader, freehold_class_t thing, const char *text, uint64_t wanted)
{
    freehold_query_t *query;
    freehold_results_t *results;
    const freehold_key_t *keys;
    uint64_t count = 0;
    CHECK_OK(freehold_query_prepare(reader, thing, text, FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query));
    CHECK_OK(freehold_query_run(query, &results));
    CHECK_OK(freehold_results_keys(results, &keys, &count));
    if (!CHECK(count == wanted)) fprintf(stderr, "    %s: %llu\n", text, (unsigned long long)count);
    for (freehold_property_t property = 0; property < PROPERTIES; property++) {
        compare(results, property, 0, THINGS);
        compare(results, property, count / 3, count / 2);
        compare(results, property, count - 1, 100);
        compare(results, property, 17, 1);
        compare(results, property, count, 5);
        compare(results, property, 0, 0);
    }
    CHECK_OK(freehold_results_close(results));
    CHECK_OK(freehold_query_close(query));
}

static void compare_everything(const freehold_reader_t *reader, freehold_class_t thing)
{
    compare_query(reader, thing, "TRUEPREDICATE", THINGS);
    compare_query(reader, thing, "plain = 1", THINGS / 2);
    compare_query(reader, thing, "flag = true OR small = 1", 1333);
    compare_query(reader, thing, "TRUEPREDICATE SORT(number DESC)", THINGS);
    compare_query(reader, thing, "TRUEPREDICATE SORT(small ASC, number ASC)", THINGS);
    compare_query(reader, thing, "number >= 4500 AND number < 6750", THINGS / 4);
}

/* An object that was deleted since is found out in every cluster, and the others are not read in its place. */
static void test_deleted(freehold_database_t *database, freehold_class_t thing)
{
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    freehold_query_t *query;
    freehold_results_t *results;
    CHECK_OK(freehold_query_prepare(reader, thing, "TRUEPREDICATE", FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query));
    CHECK_OK(freehold_query_run(query, &results));
    for (int n = 700; n < THINGS; n += 800) {
        static int64_t integers[THINGS];
        size_t filled = 0;
        freehold_transaction_t *transaction = begun(database);
        CHECK_OK(freehold_object_delete(transaction, thing, key_of(n)));
        CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
        CHECK_OK(freehold_snapshot_refresh(snapshot, NULL));
        CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_results_integers(results, SMALL, 0, THINGS, integers, NULL, &filled));
        CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED,
            freehold_results_integers(results, SMALL, (uint64_t)n - 20, 30, integers, NULL, &filled));
        CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_results_integers(results, SMALL, (uint64_t)n, 1, integers, NULL, &filled));
        compare(results, SMALL, (uint64_t)n + 1, 30);
        compare(results, SMALL, (uint64_t)n - 30, 30);
    }
    CHECK_OK(freehold_results_close(results));
    CHECK_OK(freehold_query_close(query));
    CHECK_OK(freehold_snapshot_end(snapshot));
}

static void test_file(freehold_database_t *database)
{
    const freehold_class_t thing = make_things(database);
    freehold_snapshot_t *snapshot = taken(database);
    compare_everything(freehold_snapshot_reader(snapshot), thing);
    CHECK_OK(freehold_snapshot_end(snapshot));
    /* Through a transaction, while it changes. */
    freehold_transaction_t *transaction = begun(database);
    compare_everything(freehold_transaction_reader(transaction), thing);
    int set = 0;
    for (int n = 0; n < THINGS; n += 40) {
        const freehold_property_t small = SMALL;
        const freehold_value_t value = freehold_int(n * 100000ll + 10);
        set += freehold_object_set(transaction, thing, key_of(n), 1, &small, &value) == FREEHOLD_OK;
    }
    CHECK(set == THINGS / 40);
    compare_query(freehold_transaction_reader(transaction), thing, "TRUEPREDICATE", THINGS);
    CHECK_OK(freehold_transaction_rollback(transaction));
    test_deleted(database, thing);
    CHECK_OK(freehold_database_close(database));
}

void test_result_columns(void)
{
    test_file(fresh_database("result-columns"));
    uint8_t key[FREEHOLD_KEY_LENGTH];
    freehold_open_options_t options = { .size = sizeof options, .encryption_key = key, .encryption_key_length = sizeof key };
    freehold_database_t *database;
    CHECK_OK(freehold_key_generate(key, sizeof key));
    const char *path = path_in_folder("result-columns-encrypted");
    const freehold_error_code_t deleted = freehold_database_delete_files(path, FREEHOLD_TERMINATED, false);
    CHECK(deleted == FREEHOLD_OK || deleted == FREEHOLD_ABSENT);
    if (CHECK_OK(freehold_database_open(path, FREEHOLD_TERMINATED, &options, &database))) test_file(database);
}
