/* JSON: objects as text, and text as objects, in the form of `freehold export` and `freehold import`. */
#ifndef FREEHOLD_JSON_H
#define FREEHOLD_JSON_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* Called with each piece of a text; `bytes` are valid until the callback returns. Returning false stops the output. */
typedef bool (*freehold_text_callback_t)(void *context, const char *bytes, size_t length);

/* A growable text; all zero at first. `bytes` is terminated, or NULL while nothing was added. */
typedef struct {
    char *bytes;
    size_t length;
    size_t capacity;
} freehold_buffer_t;

/* A freehold_text_callback_t that appends to the freehold_buffer_t passed as its context; returns false if memory is
 * short.
 *
 *     freehold_buffer_t text = { NULL, 0, 0 };
 *     if (freehold_json_object(reader, person, key, freehold_buffer_append, &text) == FREEHOLD_OK) puts(text.bytes);
 *     freehold_buffer_free(&text);
 */
FREEHOLD_API bool freehold_buffer_append(void *buffer, const char *bytes, size_t length);

/* Frees the bytes of a buffer and makes it empty. Does nothing if `buffer` is NULL. */
FREEHOLD_API void freehold_buffer_free(freehold_buffer_t *buffer);

/* How several objects are written. */
typedef uint32_t freehold_json_form_t;
enum {
    /* One array, with a line for each object. */
    FREEHOLD_JSON_ARRAY = 0,
    /* One object on each line, and nothing else. */
    FREEHOLD_JSON_LINES = 1
};

/* Writes an object as JSON; FREEHOLD_ABSENT if it does not exist. Links are written as the primary keys of their
 * targets (as object keys where the target has no primary key), embedded objects as objects, dates in ISO 8601, data
 * in Base64. A value of a mixed property that JSON has no type for is written with its type as an object,
 * {"$date": …}. For a class with subclasses, the object's own class comes first, as "$class".
 *
 * Errors of all functions that write JSON: FREEHOLD_ERROR_OUT_OF_MEMORY if the callback returns false;
 * FREEHOLD_ERROR_VALUE_TOO_LARGE for objects nested more than 256 levels deep, which no import reads either;
 * FREEHOLD_ERROR_CLOSED if the callback ended or moved the snapshot or transaction that is read. */
FREEHOLD_API freehold_error_code_t freehold_json_object(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_key_t key, freehold_text_callback_t callback, void *context);

/* Writes all objects of a class and its subclasses as JSON, in the order of their keys. */
FREEHOLD_API freehold_error_code_t freehold_json_class(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_json_form_t form, freehold_text_callback_t callback,
    void *context);

/* Writes the objects that a query found as JSON, in the query's order. FREEHOLD_ERROR_OBJECT_DELETED if one of them
 * was deleted. */
FREEHOLD_API freehold_error_code_t freehold_json_results(
    const freehold_results_t *results, freehold_json_form_t form, freehold_text_callback_t callback, void *context);

/* Options for an import. All zero but `size`: a bad record undoes the whole import. */
typedef struct {
    size_t size;
    /* The property that becomes the primary key of a class that the import creates; empty: none. */
    freehold_text_t primary_key;
    /* Skips bad records and reports them to the callback. */
    bool skip_bad_records;
} freehold_json_options_t;

/* The counts of an import. */
typedef struct {
    size_t size;
    /* The number of records that became objects. */
    uint64_t records;
    /* The number of objects created from values nested in records. */
    uint64_t nested;
    /* The number of skipped records, and of links without a target. */
    uint64_t bad;
} freehold_json_report_t;

/* Called for each bad record that is skipped: its line, from 1 (0: unknown), and what is wrong, terminated; `message`
 * is valid until the callback returns. */
typedef void (*freehold_json_bad_record_callback_t)(void *context, uint64_t line, const char *message);

/* Imports one array of JSON objects, or objects one after another, into a class. The class is created if it does not
 * exist, and the properties that it lacks are added, as `freehold import` does. `options`, `report` and `callback`
 * may be NULL.
 *
 *     const char text[] = "{\"id\": 1, \"name\": \"Ada\"}\n{\"id\": 2, \"name\": \"Charles\"}";
 *     freehold_json_import(transaction, "Person", 6, text, FREEHOLD_TERMINATED, NULL, NULL, NULL, NULL);
 *
 * Errors: FREEHOLD_ERROR_MALFORMED_INPUT, whose message names the line; _SCHEMA_MISMATCH. After an error nothing has
 * changed. */
FREEHOLD_API freehold_error_code_t freehold_json_import(
    freehold_transaction_t *transaction, const char *class_name, size_t class_name_length, const char *text, size_t text_length,
    const freehold_json_options_t *options, freehold_json_report_t *report, freehold_json_bad_record_callback_t callback, void *context);

/* Fills `buffer` with up to `capacity` next bytes of the text; returns their number, 0 at the end, or a negative
 * errno. */
typedef int64_t (*freehold_read_callback_t)(void *context, char *buffer, size_t capacity);

/* Imports as freehold_json_import does, from a text that `read` returns in pieces; both callbacks get `context`.
 *
 * Errors: also FREEHOLD_ERROR_IO if `read` fails; its errno is the error's `system_code`. */
FREEHOLD_API freehold_error_code_t freehold_json_import_from(
    freehold_transaction_t *transaction, const char *class_name, size_t class_name_length, freehold_read_callback_t read,
    const freehold_json_options_t *options, freehold_json_report_t *report, freehold_json_bad_record_callback_t callback, void *context);

FREEHOLD_END
#endif
