/* Objects as JSON, and JSON as objects. */
#include "check.h"
#include <errno.h>
#include <string.h>

static bool is_text(const freehold_buffer_t *buffer, const char *expected)
{
    const freehold_text_t text = { buffer->bytes, buffer->length };
    return check_text(expected, text, "the text", __FILE__, __LINE__) && buffer->bytes[buffer->length] == 0;
}

static freehold_class_t found(const freehold_reader_t *reader, const char *name)
{
    freehold_class_t number = FREEHOLD_NONE;
    CHECK_OK(freehold_class_find(reader, name, FREEHOLD_TERMINATED, &number));
    return number;
}

static const char *const cities = "[{\"name\": \"Oslo\", \"people\": 709037, \"mayor\": {\"name\": \"Anne \\\"A\\\"\"}},\n"
                                  " {\"name\": \"Bergen\", \"people\": 291189, \"tags\": [\"rain\", \"fjord\"]}]";

static void test_import(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    freehold_json_options_t options = { .size = sizeof options, .primary_key = { "name", 4 } };
    freehold_json_report_t report = { .size = sizeof report };
    CHECK_OK(freehold_json_import(transaction, "City", 4, cities, FREEHOLD_TERMINATED, &options, &report, NULL, NULL));
    CHECK(report.records == 2 && report.nested == 1 && report.bad == 0);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    const freehold_class_t city = found(reader, "City");
    const freehold_value_t oslo = freehold_string("Oslo", 4);
    freehold_key_t key = 0;
    CHECK_OK(freehold_object_find(reader, city, &oslo, &key));
    freehold_buffer_t text = { NULL, 0, 0 };
    CHECK_OK(freehold_json_class(reader, city, FREEHOLD_JSON_LINES, freehold_buffer_append, &text));
    CHECK(strstr(text.bytes, "{\"name\":\"Oslo\",\"people\":709037,") == text.bytes && strstr(text.bytes, "\"tags\":[\"rain\",\"fjord\"]"));
    freehold_buffer_free(&text);
    CHECK(text.bytes == NULL && text.length == 0);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_json_class(reader, city, 7, freehold_buffer_append, &text));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_json_class(reader, city, FREEHOLD_JSON_LINES, NULL, NULL));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
}

struct complaints {
    const char *text;
    size_t at;
    int count;
    uint64_t line;
};

static void complain(void *context, uint64_t line, const char *message)
{
    struct complaints *complaints = context;
    complaints->count++;
    complaints->line = line;
    CHECK(strlen(message) > 0);
}

/* A few bytes at a time. */
static int64_t give(void *context, char *buffer, size_t capacity)
{
    struct complaints *source = context;
    size_t left = strlen(source->text + source->at), count = left < 3 ? left : 3;
    if (count > capacity) count = capacity;
    memcpy(buffer, source->text + source->at, count);
    source->at += count;
    return (int64_t)count;
}

static int64_t fail(void *context, char *buffer, size_t capacity)
{
    (void)context, (void)buffer, (void)capacity;
    return -EIO;
}

/* A bad record undoes everything, or is left out. */
static void test_bad_records(freehold_database_t *database)
{
    const char lines[] = "{\"id\": 1001, \"name\": \"Ada\", \"age\": 36}\n{\"id\": \"none\", \"name\": \"Bad\", \"age\": 1}\n"
                         "{\"id\": 1002, \"name\": \"Charles\", \"age\": 44, \"boss\": 1001}\n";
    freehold_transaction_t *transaction = begun(database);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    uint64_t count = 0;
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT,
        freehold_json_import(transaction, "Person", 6, lines, FREEHOLD_TERMINATED, NULL, NULL, NULL, NULL));
    freehold_error_t error = { .size = sizeof error };
    freehold_last_error(&error);
    CHECK(strstr(error.message, "line 2") != NULL);
    CHECK_CODE(FREEHOLD_ERROR_MALFORMED_INPUT, freehold_json_import(transaction, "Person", 6, "[{", 2, NULL, NULL, NULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_IO, freehold_json_import_from(transaction, "Person", 6, fail, NULL, NULL, NULL, NULL));
    freehold_last_error(&error);
    CHECK(error.system_code == EIO);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_json_import_from(transaction, "Person", 6, NULL, NULL, NULL, NULL, NULL));
    CHECK_OK(freehold_object_count(reader, PERSON, &count));
    CHECK(count == 20);
    freehold_json_options_t options = { .size = sizeof options, .skip_bad_records = true };
    freehold_json_report_t report = { .size = sizeof report };
    struct complaints complaints = { lines, 0, 0, 0 };
    CHECK_OK(freehold_json_import_from(transaction, "Person", 6, give, &options, &report, complain, &complaints));
    CHECK(report.records == 2 && report.bad == 1 && complaints.count == 1 && complaints.line == 2);
    freehold_buffer_t text = { NULL, 0, 0 };
    CHECK_OK(freehold_json_object(reader, PERSON, 1002, freehold_buffer_append, &text));
    CHECK(is_text(&text, "{\"id\":1002,\"name\":\"Charles\",\"age\":44,\"boss\":1001}"));
    freehold_buffer_free(&text);
    CHECK_OK(freehold_transaction_rollback(transaction));
}

static bool refuse(void *context, const char *bytes, size_t length)
{
    (void)bytes;
    *(size_t *)context += length;
    return false;
}

static void test_export(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    freehold_buffer_t text = { NULL, 0, 0 };
    CHECK_OK(freehold_json_object(reader, PERSON, 2, freehold_buffer_append, &text));
    CHECK(is_text(&text, "{\"id\":2,\"name\":\"person 2\",\"age\":2,\"boss\":1}"));
    freehold_buffer_free(&text);
    CHECK_CODE(FREEHOLD_ABSENT, freehold_json_object(reader, PERSON, 12345, freehold_buffer_append, &text));
    freehold_query_t *query;
    freehold_results_t *results;
    CHECK_OK(freehold_query_prepare(reader, PERSON, "id < 3 SORT(id DESC)", FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query));
    CHECK_OK(freehold_query_run(query, &results));
    CHECK_OK(freehold_json_results(results, FREEHOLD_JSON_ARRAY, freehold_buffer_append, &text));
    CHECK(is_text(&text, "[\n{\"id\":2,\"name\":\"person 2\",\"age\":2,\"boss\":1},\n"
                         "{\"id\":1,\"name\":\"person 1\",\"age\":1,\"boss\":null}\n]\n"));
    freehold_buffer_free(&text);
    size_t shown = 0;
    CHECK_CODE(FREEHOLD_ERROR_OUT_OF_MEMORY, freehold_json_results(results, FREEHOLD_JSON_LINES, refuse, &shown));
    CHECK(shown > 0);
    CHECK_OK(freehold_results_close(results));
    CHECK_OK(freehold_query_run_among(query, 0, NULL, &results));
    CHECK_OK(freehold_json_results(results, FREEHOLD_JSON_ARRAY, freehold_buffer_append, &text));
    CHECK(is_text(&text, "[]\n"));
    freehold_buffer_free(&text);
    freehold_buffer_free(NULL);
    CHECK(!freehold_buffer_append(NULL, "x", 1));
    CHECK(freehold_buffer_append(&text, "x", 1) && !freehold_buffer_append(&text, "x", PTRDIFF_MAX) && !freehold_buffer_append(&text, "x", SIZE_MAX));
    CHECK(is_text(&text, "x"));
    freehold_buffer_free(&text);
    CHECK_OK(freehold_results_close(results));
    CHECK_OK(freehold_query_close(query));
    CHECK_OK(freehold_snapshot_end(snapshot));
}

/* Objects within objects, and classes that extend others, are read back as they were. */
static void test_round_trip(freehold_database_t *database)
{
    freehold_property_info_t name = property("name", FREEHOLD_TYPE_STRING, FREEHOLD_PROPERTY_PRIMARY_KEY);
    freehold_property_info_t street = property("street", FREEHOLD_TYPE_STRING, 0), home = link_property("home", "Address");
    freehold_property_info_t any = property("any", FREEHOLD_TYPE_MIXED, FREEHOLD_PROPERTY_NULLABLE), rank = property("rank", FREEHOLD_TYPE_INT, 0);
    freehold_property_info_t things[] = { name, home, any };
    freehold_class_definition_t classes[] = {
        { .size = sizeof classes[0], .name = { "Address", 7 }, .property_count = 1, .properties = &street, .embedded = true },
        { .size = sizeof classes[0], .name = { "Thing", 5 }, .property_count = 3, .properties = things },
        { .size = sizeof classes[0], .name = { "Special", 7 }, .superclass = { "Thing", 5 }, .property_count = 1, .properties = &rank },
    };
    const char text[] = "{\"$class\":\"Thing\",\"name\":\"a\",\"home\":{\"street\":\"Main\"},\"any\":{\"$date\":\"2024-05-01T00:00:00Z\"}}\n"
                        "{\"$class\":\"Special\",\"name\":\"b\",\"home\":null,\"any\":{\"$link\":{\"class\":\"Thing\",\"key\":\"a\"}},\"rank\":3}\n";
    freehold_transaction_t *transaction = begun(database);
    CHECK_OK(freehold_classes_create(transaction, 3, classes));
    CHECK_OK(freehold_json_import(transaction, "Thing", 5, text, FREEHOLD_TERMINATED, NULL, NULL, NULL, NULL));
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    freehold_buffer_t written = { NULL, 0, 0 };
    CHECK_OK(freehold_json_class(reader, found(reader, "Thing"), FREEHOLD_JSON_LINES, freehold_buffer_append, &written));
    CHECK(is_text(&written, text));
    freehold_buffer_free(&written);
    CHECK_OK(freehold_transaction_rollback(transaction));
}

/* Objects within one another are written as deep as they can be read back. */
static void test_deep(freehold_database_t *database)
{
    freehold_property_info_t next = link_property("next", "Node");
    const freehold_class_definition_t classes[] = {
        { .size = sizeof classes[0], .name = { "Node", 4 }, .property_count = 1, .properties = &next, .embedded = true },
        { .size = sizeof classes[0], .name = { "Root", 4 }, .property_count = 1, .properties = &next },
    };
    freehold_transaction_t *transaction = begun(database);
    CHECK_OK(freehold_classes_create(transaction, 2, classes));
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    const freehold_class_t node = found(reader, "Node"), root = found(reader, "Root");
    freehold_key_t first = 0, last = 0;
    CHECK_OK(freehold_object_create(transaction, root, NULL, 0, NULL, NULL, &first));
    CHECK_OK(freehold_object_embed(transaction, root, first, 0, node, 0, NULL, NULL, &last));
    freehold_buffer_t text = { NULL, 0, 0 };
    for (int depth = 2; depth < 256; depth++) CHECK_OK(freehold_object_embed(transaction, node, last, 0, node, 0, NULL, NULL, &last));
    CHECK_OK(freehold_json_object(reader, root, first, freehold_buffer_append, &text));
    CHECK(strstr(text.bytes, "{\"next\":null}}") != NULL);
    freehold_json_report_t report = { .size = sizeof report };
    CHECK_OK(freehold_json_import(transaction, "Root", 4, text.bytes, text.length, NULL, &report, NULL, NULL));
    CHECK(report.records == 1);
    CHECK_OK(freehold_object_embed(transaction, node, last, 0, node, 0, NULL, NULL, &last));
    CHECK_CODE(FREEHOLD_ERROR_VALUE_TOO_LARGE, freehold_json_object(reader, root, first, freehold_buffer_append, &text));
    CHECK_CODE(FREEHOLD_ERROR_VALUE_TOO_LARGE, freehold_json_class(reader, root, FREEHOLD_JSON_LINES, freehold_buffer_append, &text));
    freehold_buffer_free(&text);
    CHECK_OK(freehold_transaction_rollback(transaction));
}

/* What a callback does to what is being written, and how often it was called. */
struct meddling {
    enum { END, REFRESH, ROLL_BACK, DELETE, CLOSE_RESULTS, PARK, DROP_CLASS } act;
    freehold_snapshot_t *snapshot;
    freehold_transaction_t *transaction;
    freehold_results_t *results;
    int calls;
    size_t lines;
};

enum { MANY = 4000 };

static bool meddle(void *context, const char *bytes, size_t length)
{
    struct meddling *meddling = context;
    for (size_t n = 0; n < length; n++) meddling->lines += bytes[n] == '\n';
    if (meddling->calls++ > 0) return true;
    switch (meddling->act) {
    case END: CHECK_OK(freehold_snapshot_end(meddling->snapshot)); break;
    case REFRESH: CHECK_OK(freehold_snapshot_refresh(meddling->snapshot, NULL)); break;
    case PARK: CHECK_OK(freehold_snapshot_park(meddling->snapshot)); break;
    case ROLL_BACK: CHECK_OK(freehold_transaction_rollback(meddling->transaction)); break;
    case CLOSE_RESULTS: CHECK_OK(freehold_results_close(meddling->results)); break;
    case DROP_CLASS: CHECK_OK(freehold_class_drop(meddling->transaction, PERSON)); break;
    case DELETE: {
        int deleted = 0;
        for (int id = MANY; id > MANY / 2; id--) deleted += freehold_object_delete(meddling->transaction, PERSON, id) == FREEHOLD_OK;
        CHECK(deleted == MANY / 2);
    }
    }
    return true;
}

static freehold_results_t *everybody(const freehold_reader_t *reader)
{
    freehold_query_t *query;
    freehold_results_t *results = NULL;
    CHECK_OK(freehold_query_prepare(reader, PERSON, "TRUEPREDICATE", FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query));
    CHECK_OK(freehold_query_run(query, &results));
    CHECK_OK(freehold_query_close(query));
    return results;
}

static freehold_error_code_t written(const freehold_reader_t *reader, struct meddling *meddling)
{
    meddling->calls = 0;
    meddling->lines = 0;
    return meddling->results ? freehold_json_results(meddling->results, FREEHOLD_JSON_LINES, meddle, meddling)
                             : freehold_json_class(reader, PERSON, FREEHOLD_JSON_LINES, meddle, meddling);
}

/* Callbacks that end, move or change what is being written: it ends with an error, or goes on with what is there. */
static void test_meddling_snapshots(freehold_database_t *database)
{
    struct meddling meddling = { .act = END };
    for (int round = 0; round < 2; round++) {
        for (int act = 0; act < 2; act++) {
            meddling.snapshot = taken(database);
            const freehold_reader_t *reader = freehold_snapshot_reader(meddling.snapshot);
            meddling.results = round ? everybody(reader) : NULL;
            meddling.act = act ? PARK : END;
            CHECK_CODE(FREEHOLD_ERROR_CLOSED, written(reader, &meddling));
            CHECK(meddling.calls == 1 && meddling.lines > 0 && meddling.lines < MANY);
            CHECK_OK(freehold_results_close(meddling.results));
            if (act) CHECK_OK(freehold_snapshot_end(meddling.snapshot));
        }
        meddling.snapshot = taken(database);
        const freehold_reader_t *reader = freehold_snapshot_reader(meddling.snapshot);
        meddling.results = round ? everybody(reader) : NULL;
        meddling.act = REFRESH;
        CHECK_OK(written(reader, &meddling));
        CHECK(meddling.calls > 1 && meddling.lines == MANY);
        freehold_transaction_t *transaction = begun(database);
        const freehold_property_t age = AGE;
        const freehold_value_t old = freehold_int(99 + round);
        CHECK_OK(freehold_object_set(transaction, PERSON, MANY, 1, &age, &old));
        CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
        CHECK_CODE(FREEHOLD_ERROR_CLOSED, written(reader, &meddling));
        CHECK(meddling.calls == 1);
        CHECK_OK(written(reader, &meddling));
        CHECK_OK(freehold_results_close(meddling.results));
        meddling.results = everybody(reader);
        meddling.act = CLOSE_RESULTS;
        CHECK_OK(written(reader, &meddling));
        CHECK(meddling.calls > 1 && meddling.lines == MANY);
        CHECK_OK(freehold_snapshot_end(meddling.snapshot));
    }
}

static void test_meddling_transactions(freehold_database_t *database)
{
    struct meddling meddling = { .transaction = begun(database), .act = DELETE };
    const freehold_reader_t *reader = freehold_transaction_reader(meddling.transaction);
    CHECK_OK(written(reader, &meddling));
    CHECK(meddling.calls > 1 && meddling.lines == MANY / 2);
    CHECK_OK(freehold_transaction_rollback(meddling.transaction));
    meddling.transaction = begun(database);
    reader = freehold_transaction_reader(meddling.transaction);
    meddling.results = everybody(reader);
    CHECK_CODE(FREEHOLD_ERROR_OBJECT_DELETED, written(reader, &meddling));
    meddling.act = ROLL_BACK;
    CHECK_OK(freehold_results_close(meddling.results));
    meddling.results = NULL;
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, written(reader, &meddling));
    CHECK(meddling.calls == 1);
    meddling.transaction = begun(database);
    reader = freehold_transaction_reader(meddling.transaction);
    meddling.act = DROP_CLASS;
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, written(reader, &meddling));
    CHECK_OK(freehold_transaction_rollback(meddling.transaction));
}

/* An import's own transaction may be read by what gives it the text, not changed or ended. */
static int64_t give_and_meddle(void *context, char *buffer, size_t capacity)
{
    struct meddling *meddling = context;
    uint64_t count = 0;
    CHECK(capacity > 2);
    if (meddling->calls++ > 0) return 0;
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_transaction_rollback(meddling->transaction));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_object_delete(meddling->transaction, PERSON, 1));
    CHECK_OK(freehold_object_count(freehold_transaction_reader(meddling->transaction), PERSON, &count));
    CHECK(count == MANY);
    memcpy(buffer, "[]", 2);
    return 2;
}

static void test_meddling(void)
{
    freehold_database_t *database = fresh_database("json-callbacks");
    make_people(database, MANY);
    test_meddling_snapshots(database);
    test_meddling_transactions(database);
    struct meddling meddling = { .transaction = begun(database) };
    CHECK_OK(freehold_json_import_from(meddling.transaction, "Person", 6, give_and_meddle, NULL, NULL, NULL, &meddling));
    CHECK(meddling.calls > 1);
    CHECK_OK(freehold_object_delete(meddling.transaction, PERSON, 1));
    CHECK_OK(freehold_transaction_rollback(meddling.transaction));
    CHECK_OK(freehold_database_close(database));
}

void test_json(void)
{
    freehold_database_t *database = fresh_database("json");
    make_people(database, 20);
    test_import(database);
    test_bad_records(database);
    test_export(database);
    test_round_trip(database);
    test_deep(database);
    CHECK_OK(freehold_database_close(database));
    test_meddling();
}
