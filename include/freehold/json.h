/* JSON: objects as text, and text as objects, as `freehold export` and `freehold import` have them. */
#ifndef FREEHOLD_JSON_H
#define FREEHOLD_JSON_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* Called with each piece of a text; `bytes` live until it returns. False: it takes no more. */
typedef bool (*freehold_text_callback_t)(void *context, const char *bytes, size_t length);

/* A text that grows; all zero at first. `bytes` is terminated, or NULL while nothing was added. */
typedef struct {
    char *bytes;
    size_t length;
    size_t capacity;
} freehold_buffer_t;

/* A freehold_text_callback_t that adds to a freehold_buffer_t, its context; false if memory is short.
 *
 *     freehold_buffer_t text = { NULL, 0, 0 };
 *     if (freehold_json_object(reader, person, key, freehold_buffer_append, &text) == FREEHOLD_OK) puts(text.bytes);
 *     freehold_buffer_free(&text);
 */
FREEHOLD_API bool freehold_buffer_append(void *buffer, const char *bytes, size_t length);

/* Frees what the buffer holds, and makes it empty. NULL is left alone. */
FREEHOLD_API void freehold_buffer_free(freehold_buffer_t *buffer);

/* How several objects are written. */
typedef uint32_t freehold_json_form_t;
enum {
    /* One array, with a line for each object. */
    FREEHOLD_JSON_ARRAY = 0,
    /* An object a line, and nothing else. */
    FREEHOLD_JSON_LINES = 1
};

/* Writes an object, or FREEHOLD_ABSENT: links as the primary keys of their targets (as keys, where there are none), embedded objects as
 * objects, dates in ISO 8601, data in Base64; what JSON has no word for in mixed properties as an object with its type, {"$date": …}. Where
 * other classes extend the class, its own comes first, as "$class".
 *
 * Errors, of all that write: FREEHOLD_ERROR_OUT_OF_MEMORY if the callback takes no more; FREEHOLD_ERROR_VALUE_TOO_LARGE for objects within
 * one another deeper than 256 levels, which no import reads either; FREEHOLD_ERROR_CLOSED if the callback has ended or moved what is read. */
FREEHOLD_API freehold_error_code_t freehold_json_object(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_key_t key, freehold_text_callback_t callback, void *context);

/* Writes all objects of a class, and of those that extend it, in the order of their keys. */
FREEHOLD_API freehold_error_code_t freehold_json_class(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_json_form_t form, freehold_text_callback_t callback,
    void *context);

/* Writes the objects that a query found, in its order. FREEHOLD_ERROR_OBJECT_DELETED if one of them is gone. */
FREEHOLD_API freehold_error_code_t freehold_json_results(
    const freehold_results_t *results, freehold_json_form_t form, freehold_text_callback_t callback, void *context);

/* How to import. All zero but `size`: a bad record undoes everything. */
typedef struct {
    size_t size;
    /* The property that becomes the primary key of a class that is made; empty: none. */
    freehold_text_t primary_key;
    /* Bad records are left out, and told to the callback. */
    bool skip_bad_records;
} freehold_json_options_t;

/* What became of an import. */
typedef struct {
    size_t size;
    /* Records that became objects. */
    uint64_t records;
    /* Objects made from what stood within records. */
    uint64_t nested;
    /* Records left out, and links without a target. */
    uint64_t bad;
} freehold_json_report_t;

/* Called for each bad record that is left out: its line, from 1 (0: unknown), and what is wrong, terminated; both live until it returns. */
typedef void (*freehold_json_bad_record_callback_t)(void *context, uint64_t line, const char *message);

/* Reads one array of objects, or objects one after another, into a class: made if there is none, and given the properties it lacks, as
 * `freehold import` does. `options` and `report` may be NULL, `callback` too.
 *
 *     const char text[] = "{\"id\": 1, \"name\": \"Ada\"}\n{\"id\": 2, \"name\": \"Charles\"}";
 *     freehold_json_import(transaction, "Person", 6, text, FREEHOLD_TERMINATED, NULL, NULL, NULL, NULL);
 *
 * Errors: FREEHOLD_ERROR_MALFORMED_INPUT, whose message names the line; _SCHEMA_MISMATCH; then nothing has changed. */
FREEHOLD_API freehold_error_code_t freehold_json_import(
    freehold_transaction_t *transaction, const char *class_name, size_t class_name_length, const char *text, size_t text_length,
    const freehold_json_options_t *options, freehold_json_report_t *report, freehold_json_bad_record_callback_t callback, void *context);

/* Fills `buffer` with the text's next bytes, at most `capacity`: how many, 0 at the end, or a negative errno. */
typedef int64_t (*freehold_read_callback_t)(void *context, char *buffer, size_t capacity);

/* The same of a text that comes piece by piece; both callbacks get `context`.
 *
 * Errors: also FREEHOLD_ERROR_IO where `read` could not; its errno is the error's `system_code`. */
FREEHOLD_API freehold_error_code_t freehold_json_import_from(
    freehold_transaction_t *transaction, const char *class_name, size_t class_name_length, freehold_read_callback_t read,
    const freehold_json_options_t *options, freehold_json_report_t *report, freehold_json_bad_record_callback_t callback, void *context);

FREEHOLD_END
#endif
