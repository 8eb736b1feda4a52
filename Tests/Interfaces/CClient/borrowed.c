/* What a transaction lends is good as an argument of the next call, also where that moves what was lent. */
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOCUMENT = 0, TITLE = 0, TEXT = 1, PAGES = 2, OBJECTS = 2000, LONG = 10000 };
static const char *const words = "pages >= 0";

/* What the text of an object begins with. */
static const char *beginning(int number)
{
    static char text[32];
    snprintf(text, sizeof text, "document %d ", number);
    return text;
}

/* Document { title, text, pages indexed }: none of them sealed, each text so many bytes long. */
static freehold_transaction_t *begin_with_documents(freehold_database_t *database, size_t length)
{
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t properties[] = {
        property("title", FREEHOLD_TYPE_STRING, 0), property("text", FREEHOLD_TYPE_STRING, 0),
        property("pages", FREEHOLD_TYPE_INT, FREEHOLD_PROPERTY_INDEXED),
    };
    freehold_class_t document = FREEHOLD_NONE;
    CHECK_OK(freehold_class_create(transaction, "Document", FREEHOLD_TERMINATED, 3, properties, &document));
    CHECK(document == DOCUMENT);
    char *text = malloc(length);
    int made = 0;
    for (int number = 0; number < OBJECTS; number++) {
        memset(text, 'x', length);
        memcpy(text, beginning(number), strlen(beginning(number)));
        const freehold_property_t set[] = { TEXT, PAGES };
        const freehold_value_t values[] = { freehold_string(text, length), freehold_int(number) };
        made += freehold_object_create(transaction, DOCUMENT, NULL, 2, set, values, NULL) == FREEHOLD_OK;
    }
    free(text);
    CHECK(made == OBJECTS);
    return transaction;
}

/* Has the transaction asked, which seals its objects or lets the next change do that. */
static void ask(freehold_transaction_t *transaction)
{
    freehold_query_t *query = NULL;
    uint64_t count = 0;
    CHECK_OK(freehold_query_prepare(freehold_transaction_reader(transaction), DOCUMENT, words, FREEHOLD_TERMINATED, 0, NULL, 0, NULL, &query));
    CHECK_OK(freehold_query_count(query, &count));
    CHECK(count >= OBJECTS);
    CHECK_OK(freehold_query_close(query));
}

static freehold_text_t text_of(freehold_transaction_t *transaction, freehold_key_t key)
{
    const freehold_property_t wanted = TEXT;
    freehold_value_t value = { 0 };
    CHECK_OK(freehold_object_get(freehold_transaction_reader(transaction), DOCUMENT, key, 1, &wanted, &value));
    CHECK(value.type == FREEHOLD_TYPE_STRING);
    return value.as.string;
}

static bool begins_with(freehold_text_t text, int number)
{
    return text.length >= strlen(beginning(number)) && memcmp(text.bytes, beginning(number), strlen(beginning(number))) == 0;
}

/* The first object's key. */
static freehold_key_t first_key(freehold_transaction_t *transaction)
{
    freehold_cursor_t *cursor = NULL;
    freehold_key_t key = -1;
    size_t filled = 0;
    CHECK_OK(freehold_cursor_open(freehold_transaction_reader(transaction), DOCUMENT, 0, NULL, &cursor));
    CHECK_OK(freehold_cursor_next(cursor, 1, &key, NULL, &filled));
    CHECK(filled == 1);
    CHECK_OK(freehold_cursor_close(cursor));
    return key;
}

/* An object made from the text of another one, behind a title for which the memory of both has to grow or to go. */
static void test_creating(freehold_database_t *database, size_t length, size_t title_length)
{
    freehold_transaction_t *transaction = begin_with_documents(database, length);
    const freehold_key_t first = first_key(transaction);
    char *title = malloc(title_length);
    memset(title, 't', title_length);
    for (int round = 0; round < 3; round++) {
        text_of(transaction, first + 5);
        ask(transaction);
        const freehold_property_t set[] = { TITLE, TEXT };
        const freehold_value_t values[] = {
            freehold_string(title, title_length),
            { .type = FREEHOLD_TYPE_STRING, .as.string = text_of(transaction, first + 5) },
        };
        freehold_key_t made = 0;
        CHECK_OK(freehold_object_create(transaction, DOCUMENT, NULL, 2, set, values, &made));
        const freehold_text_t text = text_of(transaction, made);
        CHECK(text.length == length && begins_with(text, 5));
        CHECK(begins_with(text_of(transaction, first), 0));
    }
    free(title);
    CHECK_OK(freehold_transaction_rollback(transaction));
}

/* As many objects again, from the texts that a cursor lends: they are taken a thousand at a time. */
static void test_columns(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begin_with_documents(database, LONG);
    const freehold_property_t wanted = TEXT;
    freehold_cursor_t *cursor = NULL;
    freehold_value_t *values = calloc(OBJECTS, sizeof *values);
    freehold_text_t *texts = calloc(OBJECTS, sizeof *texts);
    freehold_key_t first = -1;
    size_t filled = 0;
    CHECK_OK(freehold_cursor_open(freehold_transaction_reader(transaction), DOCUMENT, 1, &wanted, &cursor));
    CHECK_OK(freehold_cursor_next(cursor, OBJECTS, NULL, values, &filled));
    CHECK(filled == OBJECTS);
    for (int number = 0; number < OBJECTS; number++) texts[number] = values[number].as.string;
    const freehold_column_t column = { sizeof column, TEXT, FREEHOLD_TYPE_STRING, texts, NULL };
    CHECK_OK(freehold_objects_create(transaction, DOCUMENT, OBJECTS, 1, &column, &first));
    int same = 0;
    for (int number = 0; number < OBJECTS; number++) {
        const freehold_text_t text = text_of(transaction, first + number);
        same += text.length == LONG && begins_with(text, number);
    }
    CHECK(same == OBJECTS);
    free(values);
    free(texts);
    CHECK_OK(freehold_cursor_close(cursor));
    CHECK_OK(freehold_transaction_rollback(transaction));
}

/* A text written behind another one. */
static void test_part(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begin_with_documents(database, LONG);
    const freehold_key_t first = first_key(transaction);
    text_of(transaction, first + 5);
    ask(transaction);
    const freehold_text_t lent = text_of(transaction, first + 5);
    CHECK_OK(freehold_object_write_part(transaction, DOCUMENT, first + 7, TEXT, FREEHOLD_AT_END, lent.bytes, lent.length));
    freehold_text_t text = text_of(transaction, first + 7);
    CHECK(text.length == 2 * LONG && begins_with(text, 7));
    text.bytes += LONG;
    text.length -= LONG;
    CHECK(begins_with(text, 5));
    CHECK_OK(freehold_transaction_rollback(transaction));
}

enum { PILE_TEXT, NOTES, KINDS, NAMES };

/* A text of an object as an element of its collections: one so long that the library copied it to lend it. */
static void test_elements(freehold_database_t *database)
{
    enum { LENGTH = 40000 };
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t properties[] = {
        property("text", FREEHOLD_TYPE_STRING, 0), collection_property(property("notes", FREEHOLD_TYPE_STRING, 0), FREEHOLD_TYPE_LIST),
        collection_property(property("kinds", FREEHOLD_TYPE_STRING, 0), FREEHOLD_TYPE_SET),
        collection_property(property("names", FREEHOLD_TYPE_STRING, 0), FREEHOLD_TYPE_MAP),
    };
    freehold_class_t pile = FREEHOLD_NONE;
    CHECK_OK(freehold_class_create(transaction, "Pile", FREEHOLD_TERMINATED, 4, properties, &pile));
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    char *text = malloc(LENGTH);
    memset(text, 'x', LENGTH);
    memcpy(text, beginning(5), strlen(beginning(5)));
    const freehold_property_t set = PILE_TEXT;
    const freehold_value_t given = freehold_string(text, LENGTH);
    freehold_key_t key = 0;
    CHECK_OK(freehold_object_create(transaction, pile, NULL, 1, &set, &given, &key));
    free(text);
    freehold_collection_t *collections[3];
    for (int number = 0; number < 3; number++) CHECK_OK(freehold_collection_open(reader, pile, key, (freehold_property_t)(NOTES + number), &collections[number]));

    freehold_value_t lent;
    const freehold_property_t *wanted = &set;
    CHECK_OK(freehold_object_get(reader, pile, key, 1, wanted, &lent));
    CHECK_OK(freehold_list_insert(collections[0], UINT64_MAX, 1, &lent));
    const freehold_value_t other = freehold_string("other", 5);
    CHECK_OK(freehold_list_insert(collections[0], UINT64_MAX, 1, &other));
    CHECK_OK(freehold_object_get(reader, pile, key, 1, wanted, &lent));
    CHECK_OK(freehold_list_set(collections[0], 1, &lent));
    CHECK_OK(freehold_object_get(reader, pile, key, 1, wanted, &lent));
    CHECK_OK(freehold_set_insert(collections[1], 1, &lent));
    CHECK_OK(freehold_object_get(reader, pile, key, 1, wanted, &lent));
    CHECK_OK(freehold_map_set(collections[2], "name", 4, &lent));
    for (int number = 0; number < 3; number++) {
        uint64_t count = 0;
        CHECK_OK(freehold_collection_count(collections[number], &count));
        CHECK(count == (number == 0 ? 2 : 1));
        for (uint64_t position = 0; position < count; position++) {
            freehold_value_t got = { 0 };
            size_t filled = 0;
            CHECK_OK(freehold_collection_get(collections[number], position, 1, NULL, &got, &filled));
            CHECK(filled == 1 && got.type == FREEHOLD_TYPE_STRING && got.as.string.length == LENGTH && begins_with(got.as.string, 5));
        }
    }
    CHECK_OK(freehold_object_get(reader, pile, key, 1, wanted, &lent));
    CHECK_OK(freehold_set_remove(collections[1], 1, &lent));
    uint64_t left = 9;
    CHECK_OK(freehold_collection_count(collections[1], &left));
    CHECK(left == 0);
    for (int number = 0; number < 3; number++) CHECK_OK(freehold_collection_close(collections[number]));
    CHECK_OK(freehold_transaction_rollback(transaction));
}

/* Reads through the transaction that is taking records in. */
static void read_meanwhile(void *context, uint64_t line, const char *message)
{
    const freehold_reader_t *reader = context;
    const freehold_property_t wanted = 0;
    freehold_value_t value = { 0 };
    CHECK(line > 0 && message);
    for (int times = 0; times < 3; times++) CHECK_OK(freehold_object_get(reader, 0, 0, 1, &wanted, &value));
    CHECK(value.as.string.length > 1 << 19);
}

/* A text of records, lent by the transaction that takes them in, and asked for something by its callback meanwhile. */
static void test_records(freehold_database_t *database)
{
    enum { RECORDS = 8000, RECORD = 100 };
    freehold_transaction_t *transaction = begun(database);
    const freehold_property_info_t text_property = property("text", FREEHOLD_TYPE_STRING, 0);
    const freehold_property_info_t id = property("id", FREEHOLD_TYPE_INT, 0);
    freehold_class_t paper = FREEHOLD_NONE, record = FREEHOLD_NONE;
    CHECK_OK(freehold_class_create(transaction, "Paper", FREEHOLD_TERMINATED, 1, &text_property, &paper));
    CHECK_OK(freehold_class_create(transaction, "Record", FREEHOLD_TERMINATED, 1, &id, &record));
    CHECK(paper == 0);
    const freehold_reader_t *reader = freehold_transaction_reader(transaction);
    char *text = malloc(RECORDS * RECORD + 1);
    for (int number = 0; number < RECORDS; number++) {
        char start[RECORD];
        const int length = number % 1000 == 0 ? snprintf(start, sizeof start, "{\"id\": \"no number\"}") : snprintf(start, sizeof start, "{\"id\": %d}", number);
        memset(text + number * RECORD, ' ', RECORD);
        memcpy(text + number * RECORD, start, (size_t)length);
        text[(number + 1) * RECORD - 1] = '\n';
    }
    const freehold_property_t set = 0;
    const freehold_value_t given = freehold_string(text, RECORDS * RECORD);
    freehold_key_t key = -1;
    CHECK_OK(freehold_object_create(transaction, paper, NULL, 1, &set, &given, &key));
    CHECK(key == 0);
    free(text);
    freehold_value_t lent = { 0 };
    CHECK_OK(freehold_object_get(reader, paper, key, 1, &set, &lent));
    freehold_json_options_t options = { .size = sizeof options, .skip_bad_records = true };
    freehold_json_report_t report = { .size = sizeof report };
    CHECK_OK(freehold_json_import(transaction, "Record", 6, lent.as.string.bytes, lent.as.string.length, &options, &report, read_meanwhile, (void *)reader));
    CHECK(report.bad == RECORDS / 1000 && report.records == RECORDS - RECORDS / 1000);
    uint64_t count = 0;
    CHECK_OK(freehold_object_count(reader, record, &count));
    CHECK(count == RECORDS - RECORDS / 1000);
    CHECK_OK(freehold_transaction_rollback(transaction));
}

void test_borrowed(void)
{
    freehold_database_t *database = fresh_database("borrowed.freehold");
    test_creating(database, 64, 200);
    test_creating(database, 64, 1 << 20);
    test_creating(database, LONG, 200);
    test_columns(database);
    test_part(database);
    test_elements(database);
    test_records(database);
    CHECK_OK(freehold_database_close(database));
}
