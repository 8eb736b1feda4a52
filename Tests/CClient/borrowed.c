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

void test_borrowed(void)
{
    freehold_database_t *database = fresh_database("borrowed.freehold");
    test_creating(database, 64, 200);
    test_creating(database, 64, 1 << 20);
    test_creating(database, LONG, 200);
    test_columns(database);
    test_part(database);
    CHECK_OK(freehold_database_close(database));
}
