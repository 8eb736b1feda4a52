/* Transactions: changes that are taken as a whole or not at all. */
#ifndef FREEHOLD_TRANSACTION_H
#define FREEHOLD_TRANSACTION_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* What a commit promises when it returns. */
typedef int32_t freehold_durability_t;
enum {
    /* The changes survive a power cut. Commits of all processes share one flush. */
    FREEHOLD_DURABILITY_FULL = 0,
    /* The changes survive the death of any process; a power cut may lose them, never damage anything. */
    FREEHOLD_DURABILITY_PROCESS_CRASH = 1
};

/* Begins to write: waits until every other writer, of any process, has ended, at most so many milliseconds (0: try once;
 * FREEHOLD_DEFAULT_TIMEOUT: as the database was opened). FREEHOLD_BUSY when the time is up.
 *
 *     freehold_transaction_t *transaction;
 *     freehold_error_code_t code = freehold_transaction_begin(database, FREEHOLD_DEFAULT_TIMEOUT, &transaction);
 *     if (code != FREEHOLD_OK) return code;
 *     code = freehold_object_create(transaction, person, NULL, 1, &name, &value, &key);
 *     if (code == FREEHOLD_OK) return freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL);
 *     freehold_transaction_rollback(transaction);
 *     return code;
 */
FREEHOLD_API freehold_error_code_t freehold_transaction_begin(
    const freehold_database_t *database, int64_t timeout_milliseconds, freehold_transaction_t **transaction);

/* Takes the changes into the file and ends the handle, whatever it returns. `*version` is the version made, or the one
 * before if nothing was changed.
 *
 * Errors: with FREEHOLD_ERROR_NOT_YET_DURABLE the changes are committed and will be flushed later; after any other error
 * of band 1 to 5, save FREEHOLD_ERROR_IO from the flush itself, nothing was changed. On the wrong thread: an error, and the
 * handle lives on. */
FREEHOLD_API freehold_error_code_t freehold_transaction_commit(
    freehold_transaction_t *transaction, freehold_durability_t durability, freehold_version_t *version);

/* Discards the changes and ends the handle. On the wrong thread: an error, and the handle lives on. */
FREEHOLD_API freehold_error_code_t freehold_transaction_rollback(freehold_transaction_t *transaction);

/* What to read through, own changes included; NULL for a transaction that is none. Belongs to the transaction; the same
 * at every call. */
FREEHOLD_API const freehold_reader_t *freehold_transaction_reader(const freehold_transaction_t *transaction);

/* The version that the transaction began with, held by a snapshot of its own. */
FREEHOLD_API freehold_error_code_t freehold_transaction_snapshot_before(
    const freehold_transaction_t *transaction, freehold_snapshot_t **snapshot);

/* A point in a transaction that it can go back to: its number in the transaction, from 1 on. */
typedef uint64_t freehold_savepoint_t;

/* Marks such a point. Savepoints nest, and cost next to nothing until something is changed.
 *
 *     freehold_savepoint_t savepoint;
 *     freehold_savepoint_make(transaction, &savepoint);
 *     if (import(transaction, file) != FREEHOLD_OK) freehold_savepoint_rollback(transaction, savepoint);
 *     freehold_savepoint_release(transaction, savepoint);
 */
FREEHOLD_API freehold_error_code_t freehold_savepoint_make(freehold_transaction_t *transaction, freehold_savepoint_t *savepoint);

/* Takes back every change since the savepoint, classes and properties too. Savepoints made since are gone; this one stays, and can be gone
 * back to again. FREEHOLD_ERROR_INVALID_ARGUMENT if it is gone. */
FREEHOLD_API freehold_error_code_t freehold_savepoint_rollback(freehold_transaction_t *transaction, freehold_savepoint_t savepoint);

/* Forgets the savepoint and those made since, and keeps the changes. */
FREEHOLD_API freehold_error_code_t freehold_savepoint_release(freehold_transaction_t *transaction, freehold_savepoint_t savepoint);

FREEHOLD_END
#endif
