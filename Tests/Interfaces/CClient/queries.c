/* Queries, their results and groups, and columns in both directions. */
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static freehold_query_t *prepared(const freehold_reader_t *reader, const char *text, size_t count, const freehold_value_t *arguments)
{
    freehold_query_t *query = NULL;
    CHECK_OK(freehold_query_prepare(reader, PERSON, text, FREEHOLD_TERMINATED, count, arguments, 0, NULL, &query));
    return query;
}

static uint64_t counted(const freehold_reader_t *reader, const char *text, size_t count, const freehold_value_t *arguments)
{
    freehold_query_t *query = prepared(reader, text, count, arguments);
    uint64_t found = UINT64_MAX;
    CHECK_OK(freehold_query_count(query, &found));
    CHECK_OK(freehold_query_close(query));
    return found;
}

static void test_arguments(const freehold_reader_t *reader)
{
    const freehold_value_t thirty = freehold_int(30), ages[] = { freehold_int(1), freehold_int(2), freehold_double(3.0) };
    const freehold_value_t list = freehold_list(ages, 3), boss = freehold_link(7), half[] = { thirty, freehold_string("person 1", 8) };
    CHECK(counted(reader, "age = %@", 1, &thirty) == 20);
    CHECK(counted(reader, "age IN %@", 1, &list) == 60);
    CHECK(counted(reader, "boss = %@", 1, &boss) == 1);
    CHECK(counted(reader, "age < $0 AND name BEGINSWITH $1", 2, half) == 1 + 10 + 60 + 1);
    freehold_query_t *query = NULL;
    const freehold_entry_t named = { { "age", 3 }, freehold_int(49) };
    CHECK_OK(freehold_query_prepare(reader, PERSON, "age >= $age", FREEHOLD_TERMINATED, 0, NULL, 1, &named, &query));
    uint64_t count = 0;
    CHECK_OK(freehold_query_count(query, &count));
    CHECK(count == 20);
    freehold_text_t text;
    CHECK_OK(freehold_query_text(query, &text));
    CHECK_TEXT("age >= 49", text);
    CHECK_OK(freehold_query_close(query));
    CHECK_OK(freehold_query_close(NULL));
}

static void test_mistakes(const freehold_reader_t *reader)
{
    freehold_query_t *query = (freehold_query_t *)1;
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_query_prepare(reader, PERSON, "age >", 5, 0, NULL, 0, NULL, &query));
    CHECK(query == NULL);
    freehold_error_t error = { .size = sizeof error };
    freehold_last_error(&error);
    CHECK(strstr(error.message, "column") != NULL);
    /* A zero byte does not end the message. */
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_query_prepare(reader, PERSON, "`a\0ge` > 1", 10, 0, NULL, 0, NULL, &query));
    freehold_last_error(&error);
    CHECK(strstr(error.message, "'a\\0ge' not found in Person") != NULL);
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_query_prepare(reader, PERSON, "agee > 1", 8, 0, NULL, 0, NULL, &query));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_query_prepare(reader, PERSON, "age > 'x'", 9, 0, NULL, 0, NULL, &query));
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_query_prepare(reader, PERSON, "age > %@", 8, 0, NULL, 0, NULL, &query));
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_CLASS, freehold_query_prepare(reader, 9, "age > 1", 7, 0, NULL, 0, NULL, &query));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_query_prepare(reader, PERSON, NULL, 0, 0, NULL, 0, NULL, &query));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_query_prepare(reader, PERSON, "age > %@", 8, 1, NULL, 0, NULL, &query));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_query_prepare(reader, PERSON, "\xff", 1, 0, NULL, 0, NULL, &query));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_query_prepare(reader, PERSON, "age > 1", 7, 0, NULL, 0, NULL, NULL));
    freehold_query_t *groups = prepared(reader, "GROUP(age) SELECT(@count)", 0, NULL);
    freehold_results_t *results;
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_query_run(groups, &results));
    CHECK(results == NULL);
    CHECK_OK(freehold_query_close(groups));
    query = prepared(reader, "age > 1", 0, NULL);
    freehold_groups_t *none;
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_query_groups(query, &none));
    CHECK_OK(freehold_query_close(query));
}

static void test_results(const freehold_reader_t *reader)
{
    const freehold_value_t limit = freehold_int(10);
    freehold_query_t *query = prepared(reader, "age < %@ SORT(age DESC, id ASC) LIMIT(30)", 1, &limit);
    freehold_results_t *results;
    CHECK_OK(freehold_query_run(query, &results));
    const freehold_key_t *keys;
    uint64_t count = 0;
    CHECK_OK(freehold_results_keys(results, &keys, &count));
    CHECK(count == 30 && keys[0] == 9 && keys[1] == 59 && keys[29] == 8 + 9 * 50);
    freehold_key_t first = 0;
    CHECK_OK(freehold_query_first(query, &first));
    CHECK(first == 9);
    CHECK_OK(freehold_query_matches(query, 3));
    CHECK_CODE(FREEHOLD_ABSENT, freehold_query_matches(query, 30));
    const freehold_property_t wanted[] = { NAME, AGE };
    freehold_value_t values[32 * 2];
    size_t filled = 0;
    CHECK_OK(freehold_results_get(results, 28, 32, 2, wanted, values, &filled));
    CHECK(filled == 2 && values[1].as.integer == 8 && values[3].as.integer == 8);
    CHECK_TEXT("person 458", values[2].as.string);
    CHECK_OK(freehold_results_get(results, 30, 32, 2, wanted, values, &filled));
    CHECK(filled == 0);
    CHECK_CODE(FREEHOLD_ERROR_UNKNOWN_PROPERTY, freehold_results_get(results, 0, 1, 9, NULL, values, &filled));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_results_get(results, 0, 1, 2, wanted, NULL, &filled));

    int64_t ages[32], bosses[32];
    uint8_t nulls[32];
    double reals[32];
    CHECK_OK(freehold_results_integers(results, AGE, 0, 32, ages, nulls, &filled));
    CHECK(filled == 30 && ages[0] == 9 && ages[29] == 8 && nulls[0] == 0);
    CHECK_OK(freehold_results_integers(results, BOSS, 0, 32, bosses, NULL, &filled));
    CHECK(bosses[0] == 8);
    CHECK_OK(freehold_results_reals(results, AGE, 5, 2, reals, NULL, &filled));
    CHECK(filled == 2 && reals[0] == 9.0);
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_results_integers(results, NAME, 0, 32, ages, NULL, &filled));
    CHECK_OK(freehold_query_close(query));
    CHECK_OK(freehold_results_close(results));

    const freehold_key_t among[] = { 300, 3, 12345, 4 };
    query = prepared(reader, "age < 10", 0, NULL);
    CHECK_OK(freehold_query_run_among(query, 4, among, &results));
    CHECK_OK(freehold_results_keys(results, &keys, &count));
    CHECK(count == 3 && keys[0] == 300 && keys[1] == 3 && keys[2] == 4);
    CHECK_OK(freehold_results_close(results));
    CHECK_OK(freehold_query_run_among(query, 0, NULL, &results));
    CHECK_OK(freehold_results_close(results));
    CHECK_OK(freehold_results_close(NULL));
    CHECK_OK(freehold_query_close(query));
}

static void test_groups(const freehold_reader_t *reader)
{
    freehold_query_t *query = prepared(reader, "age < 3 GROUP(age) SELECT(@count, id.@max, name.@min)", 0, NULL);
    freehold_groups_t *groups;
    CHECK_OK(freehold_query_groups(query, &groups));
    uint64_t count = 0;
    CHECK_OK(freehold_groups_count(groups, &count));
    CHECK(count == 3);
    freehold_values_t values, figures;
    CHECK_OK(freehold_groups_get(groups, 2, &values, &figures));
    CHECK(values.count == 1 && values.values[0].as.integer == 2);
    CHECK(figures.count == 3 && figures.values[0].as.integer == 20 && figures.values[1].as.integer == 952);
    CHECK_TEXT("person 102", figures.values[2].as.string);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_groups_get(groups, 3, NULL, NULL));
    freehold_text_t text;
    CHECK_OK(freehold_query_explain(query, false, &text));
    CHECK(text.length > 0);
    CHECK_OK(freehold_query_explain(query, true, &text));
    CHECK(strstr(text.bytes, "found: 3") != NULL);
    CHECK_OK(freehold_query_close(query));
    CHECK_OK(freehold_groups_close(groups));
    CHECK_OK(freehold_groups_close(NULL));
}

/* A query follows its snapshot, and what its transaction changes. */
static void test_following(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    freehold_query_t *query = prepared(reader, "age = 7", 0, NULL);
    freehold_results_t *results;
    CHECK_OK(freehold_query_run(query, &results));
    freehold_transaction_t *transaction = begun(database);
    freehold_query_t *own = prepared(freehold_transaction_reader(transaction), "age = 7", 0, NULL);
    freehold_results_t *mine;
    CHECK_OK(freehold_query_run(own, &mine));
    uint64_t count = 0;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_results_delete(results, transaction, &count));
    const freehold_key_t keys[] = { 7, 57, 7, 123456 };
    CHECK_OK(freehold_objects_delete(transaction, PERSON, 4, keys, &count));
    CHECK(count == 2);
    CHECK_OK(freehold_query_count(own, &count));
    CHECK(count == 18);
    freehold_value_t value;
    size_t filled;
    CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_results_get(mine, 0, 1, 1, NULL, &value, &filled));
    const freehold_key_t twice[] = { 107, 157, 107, 7 };
    freehold_results_t *some;
    CHECK_OK(freehold_query_run_among(own, 4, twice, &some));
    CHECK_OK(freehold_results_delete(some, transaction, &count));
    CHECK(count == 2);
    CHECK_OK(freehold_results_close(some));
    CHECK_OK(freehold_results_delete(mine, transaction, &count));
    CHECK(count == 16);
    CHECK_OK(freehold_query_count(own, &count));
    CHECK(count == 0);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_query_count(own, &count));
    CHECK_OK(freehold_query_close(own));
    CHECK_OK(freehold_results_close(mine));
    CHECK_OK(freehold_query_count(query, &count));
    CHECK(count == 20);
    CHECK_OK(freehold_snapshot_refresh(snapshot, NULL));
    CHECK_OK(freehold_query_count(query, &count));
    CHECK(count == 0);
    CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, freehold_results_get(results, 0, 1, 1, NULL, &value, &filled));
    CHECK_OK(freehold_results_close(results));
    CHECK_OK(freehold_query_close(query));
    CHECK_OK(freehold_snapshot_end(snapshot));
}

enum { WHOLE, REAL, FLAG, DAY, WORDS, SINGLE, ANY, MEASURES };

static freehold_class_t make_measure(freehold_transaction_t *transaction)
{
    const freehold_property_info_t properties[MEASURES] = {
        property("whole", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_NULLABLE), property("real", FREEHOLD_TYPE_DOUBLE, 0),
        property("flag", FREEHOLD_TYPE_BOOL, 0), property("day", FREEHOLD_TYPE_DATE, FREEHOLD_PROPERTY_NULLABLE),
        property("words", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_NULLABLE), property("single", FREEHOLD_TYPE_FLOAT, 0),
        property("any", FREEHOLD_TYPE_MIXED, 0),
    };
    freehold_class_t measure = FREEHOLD_NONE;
    CHECK_OK(freehold_class_create(transaction, "Measure", FREEHOLD_TERMINATED, MEASURES, properties, &measure));
    return measure;
}

enum { ROWS = 5000 };
static int64_t wholes[ROWS], days[ROWS];
static double reals[ROWS];
static float singles[ROWS];
static uint8_t flags[ROWS], nulls[ROWS];
static freehold_text_t words[ROWS];
static freehold_value_t anything[ROWS];

static void fill_columns(freehold_transaction_t *transaction, freehold_class_t measure)
{
    for (int n = 0; n < ROWS; n++) {
        wholes[n] = n * 3 - 7000;
        reals[n] = n / 4.0;
        singles[n] = (float)n / 2;
        flags[n] = n % 3 == 0;
        days[n] = n * 86400000000001ll - 5;
        nulls[n] = n % 10 == 9;
        words[n].bytes = "two words";
        words[n].length = n % 9;
        anything[n] = n % 2 ? freehold_int(n) : freehold_bool(true);
    }
    const freehold_column_t columns[] = {
        { sizeof columns[0], WHOLE, FREEHOLD_TYPE_INT, wholes, nulls }, { sizeof columns[0], REAL, FREEHOLD_TYPE_DOUBLE, reals, NULL },
        { sizeof columns[0], FLAG, FREEHOLD_TYPE_BOOL, flags, NULL }, { sizeof columns[0], DAY, FREEHOLD_TYPE_INT, days, nulls },
        { sizeof columns[0], WORDS, FREEHOLD_TYPE_STRING, words, nulls }, { sizeof columns[0], SINGLE, FREEHOLD_TYPE_FLOAT, singles, NULL },
        { sizeof columns[0], ANY, FREEHOLD_TYPE_MIXED, anything, NULL },
    };
    freehold_key_t first = -1;
    CHECK_OK(freehold_objects_create(transaction, measure, ROWS, MEASURES, columns, &first));
    CHECK(first == 1 || first == 0);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_objects_create(transaction, measure, 5, 0, NULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_objects_create(transaction, measure, 5, 2, NULL, NULL));
    freehold_column_t wrong = columns[0];
    wrong.type = 99;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_objects_create(transaction, measure, 5, 1, &wrong, NULL));
    wrong = columns[0];
    wrong.values = NULL;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_objects_create(transaction, measure, 5, 1, &wrong, NULL));
    /* A character is not divided between two texts. */
    const freehold_text_t divided[] = { { "a\xc3", 2 }, { "\xa9", 1 } }, cut[] = { { "ok", 2 }, { "a\xc3", 2 } };
    wrong = columns[4];
    wrong.nulls = NULL;
    wrong.values = divided;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_objects_create(transaction, measure, 2, 1, &wrong, NULL));
    wrong.values = cut;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_objects_create(transaction, measure, 2, 1, &wrong, NULL));
    wrong.type = FREEHOLD_TYPE_DATA;
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_objects_create(transaction, measure, 2, 1, &wrong, NULL));
}

/* What was put in column by column comes out so, from whichever reader, in pieces of whatever size. */
static void read_columns(const freehold_reader_t *reader, freehold_class_t measure, size_t piece)
{
    static int64_t got[ROWS], dates[ROWS], keys[ROWS];
    static double numbers[ROWS], halves[ROWS];
    static uint8_t missing[ROWS];
    freehold_key_t next[4] = { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN };
    size_t filled = piece, read = 0;
    while (filled == piece && read < ROWS) {
        const size_t room = ROWS - read < piece ? ROWS - read : piece;
        CHECK_OK(freehold_column_integers(reader, measure, WHOLE, &next[0], room, keys + read, got + read, missing + read, &filled));
        CHECK_OK(freehold_column_reals(reader, measure, REAL, &next[1], room, NULL, numbers + read, NULL, NULL));
        CHECK_OK(freehold_column_integers(reader, measure, DAY, &next[2], room, NULL, dates + read, NULL, NULL));
        CHECK_OK(freehold_column_reals(reader, measure, SINGLE, &next[3], room, NULL, halves + read, NULL, NULL));
        read += filled;
    }
    CHECK(read == ROWS && next[0] == keys[ROWS - 1] + 1 && next[3] == next[0]);
    int right = 0;
    for (int n = 0; n < ROWS; n++)
        right += missing[n] == nulls[n] && got[n] == (nulls[n] ? 0 : wholes[n]) && numbers[n] == reals[n] && halves[n] == singles[n]
            && dates[n] == (nulls[n] ? 0 : days[n]) && keys[n] == keys[0] + n;
    CHECK(right == ROWS);
    CHECK_OK(freehold_column_integers(reader, measure, WHOLE, &next[0], 1, NULL, got, NULL, &filled));
    CHECK(filled == 0);
}

static void misuse_columns(const freehold_reader_t *reader, freehold_class_t measure)
{
    freehold_key_t next = INT64_MIN;
    int64_t integer;
    double real = 0;
    uint8_t missing = 7;
    size_t filled;
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_column_integers(reader, measure, REAL, &next, 1, NULL, &integer, NULL, &filled));
    CHECK_CODE(FREEHOLD_ERROR_TYPE_MISMATCH, freehold_column_reals(reader, measure, WORDS, &next, 1, NULL, &real, NULL, &filled));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_column_reals(reader, measure, REAL, NULL, 1, NULL, &real, NULL, &filled));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_column_reals(reader, measure, REAL, &next, 1, NULL, NULL, NULL, &filled));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_column_reals(reader, measure, REAL, &next, SIZE_MAX, NULL, &real, NULL, &filled));
    CHECK_OK(freehold_column_reals(reader, measure, WHOLE, &next, 1, NULL, &real, &missing, &filled));
    CHECK(real == -7000.0 && missing == 0 && filled == 1);
    freehold_key_t tenth = next + 8;
    CHECK_OK(freehold_column_reals(reader, measure, WHOLE, &tenth, 1, NULL, &real, &missing, &filled));
    CHECK(isnan(real) && missing == 1);
}

static void test_columns(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_class_t measure = make_measure(transaction);
    fill_columns(transaction, measure);
    read_columns(freehold_transaction_reader(transaction), measure, 1000);
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    read_columns(reader, measure, ROWS);
    read_columns(reader, measure, 7);
    misuse_columns(reader, measure);
    transaction = begun(database);
    const freehold_value_t far = freehold_date(INT64_MAX / 2, 0);
    freehold_key_t key;
    const freehold_property_t day = DAY;
    CHECK_OK(freehold_object_create(transaction, measure, NULL, 1, &day, &far, &key));
    int64_t integer;
    CHECK_CODE(FREEHOLD_ERROR_VALUE_TOO_LARGE, freehold_column_integers(
        freehold_transaction_reader(transaction), measure, DAY, &key, 1, NULL, &integer, NULL, NULL));
    CHECK_OK(freehold_transaction_rollback(transaction));
    CHECK_OK(freehold_snapshot_end(snapshot));
}

void test_queries(void)
{
    freehold_database_t *database = fresh_database("queries");
    make_people(database, 1000);
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    test_arguments(reader);
    test_mistakes(reader);
    test_results(reader);
    test_groups(reader);
    CHECK_OK(freehold_snapshot_end(snapshot));
    test_following(database);
    test_columns(database);
    CHECK_OK(freehold_database_close(database));
}
