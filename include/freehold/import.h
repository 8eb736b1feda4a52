/* Moving in: objects of another database, once and resumable. */
#ifndef FREEHOLD_IMPORT_H
#define FREEHOLD_IMPORT_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* Called every few thousand objects, and now and then while another process imports. `written` of `total` objects are
 * written; those whose links are set in a second pass count twice. Returning false stops the import: the call returns
 * FREEHOLD_ERROR_IMPORT_STOPPED, and the next one continues it. */
typedef bool (*freehold_import_progress_callback_t)(void *context, uint64_t written, uint64_t total, bool waiting);

/* A file of another database: a .realm file of Realm (plain or encrypted), a SQLite database, a Core Data or SwiftData
 * store. The format is recognised by the file's bytes. All zero but `size` and `path`.
 *
 *     freehold_import_t old = { .size = sizeof old, .path = "shop.realm", .path_length = FREEHOLD_TERMINATED };
 *     freehold_open_options_t options = { .size = sizeof options, .importing = &old };
 *     freehold_error_code_t code = freehold_database_open("shop.freehold", FREEHOLD_TERMINATED, &options, &database);
 *
 * The first process that opens the database imports, in batches; others that open it wait until it is complete, and
 * see nothing of it before. Killed at any moment, the import continues where it stood. It is done once for ever, and
 * the source is never written. A database opened for reading only neither imports nor waits. */
typedef struct {
    size_t size;
    const char *path;
    size_t path_length;
    /* The key of an encrypted file, or NULL and 0. */
    const uint8_t *key;
    size_t key_length;
    /* Tells imports into one database apart: an import of this name is done once. NULL: the source's file name. */
    const char *name;
    size_t name_length;
    /* What tables become, a rule each: `map TABLE=CLASS`, `type TABLE.COLUMN=TYPE`, `link TABLE.COLUMN=TABLE`,
     * `join TABLE=PROPERTY`. A length may be FREEHOLD_TERMINATED. */
    const freehold_text_t *rules;
    size_t rule_count;
    /* It is an error if the file does not exist and was not imported before. Otherwise nothing is imported then. */
    bool must_exist;
    /* May be NULL. */
    freehold_import_progress_callback_t progress;
    void *context;
} freehold_import_t;

/* What an import brought. */
typedef struct {
    size_t size;
    uint64_t classes;
    uint64_t objects;
    /* Links whose target the source did not have; they are null. */
    uint64_t missing_links;
    /* This call completed the import; false if that was done before, or if there is no source. */
    bool is_new;
} freehold_import_report_t;

/* Called for everything that was renamed, converted or lost, with a sentence for a person; `text` is terminated and
 * valid until the callback returns. */
typedef void (*freehold_import_remark_callback_t)(void *context, const char *text);

/* Imports into an open database, or waits until another process has; what the member `importing` of
 * freehold_open_options_t does when a database is opened, but with a report. `report` and `remark` may be NULL. Not
 * within a transaction of the same thread.
 *
 * Errors: FREEHOLD_ERROR_NOT_FOUND (with `must_exist`), _UNSUPPORTED_FORMAT, _WRONG_KEY (the key is missing, wrong or
 * not needed), _MALFORMED_INPUT (the source is damaged), _IN_USE (it changed meanwhile), _SCHEMA_MISMATCH (a class of it
 * has objects already), _INVALID_ARGUMENT (a rule does not fit the source), _ALREADY_IN_WRITE, _IMPORT_STOPPED. Nothing
 * of the source is visible then. */
FREEHOLD_API freehold_error_code_t freehold_database_import(
    freehold_database_t *database, const freehold_import_t *source, freehold_import_report_t *report,
    freehold_import_remark_callback_t remark, void *context);

FREEHOLD_END
#endif
