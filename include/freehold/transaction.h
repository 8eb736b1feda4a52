/* Transactions: changes that are applied as a whole or not at all. */
#ifndef FREEHOLD_TRANSACTION_H
#define FREEHOLD_TRANSACTION_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* What a commit guarantees when it returns. */
typedef int32_t freehold_durability_t;
enum {
    /* The changes survive a power cut. Commits of all processes share one flush. */
    FREEHOLD_DURABILITY_FULL = 0,
    /* The changes survive the death of any process; a power cut may lose them, but never damages the file. */
    FREEHOLD_DURABILITY_PROCESS_CRASH = 1
};

/* Begins a write transaction: waits until every other writer, of any process, has ended, at most
 * `timeout_milliseconds` (0: try once; FREEHOLD_DEFAULT_TIMEOUT: as the database was opened). Returns FREEHOLD_BUSY
 * when the time is up.
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

/* Commits the changes and ends the handle, whatever it returns. `*version` is the version created, or the one before
 * if nothing was changed.
 *
 * Errors: with FREEHOLD_ERROR_NOT_YET_DURABLE the changes are committed and will be flushed later; after any other
 * error of band 1 to 5, except FREEHOLD_ERROR_IO from the flush itself, nothing was changed. If a damaged block stopped
 * an earlier change half way, the commit returns that change's error. On the wrong thread it returns an error, and the
 * handle stays open. */
FREEHOLD_API freehold_error_code_t freehold_transaction_commit(
    freehold_transaction_t *transaction, freehold_durability_t durability, freehold_version_t *version);

/* Discards the changes and ends the handle. On the wrong thread it returns an error, and the handle stays open. */
FREEHOLD_API freehold_error_code_t freehold_transaction_rollback(freehold_transaction_t *transaction);

/* The transaction's reader, which sees its own changes; NULL if the handle is invalid. Belongs to the transaction;
 * every call returns the same one. */
FREEHOLD_API const freehold_reader_t *freehold_transaction_reader(const freehold_transaction_t *transaction);

/* Opens a snapshot of the version that the transaction began with. */
FREEHOLD_API freehold_error_code_t freehold_transaction_snapshot_before(
    const freehold_transaction_t *transaction, freehold_snapshot_t **snapshot);

/* A savepoint, a mark in a transaction that it can roll back to: its number in the transaction, from 1 on. */
typedef uint64_t freehold_savepoint_t;

/* Creates a savepoint. Savepoints nest, and cost almost nothing until something is changed.
 *
 *     freehold_savepoint_t savepoint;
 *     freehold_savepoint_make(transaction, &savepoint);
 *     if (import(transaction, file) != FREEHOLD_OK) freehold_savepoint_rollback(transaction, savepoint);
 *     freehold_savepoint_release(transaction, savepoint);
 */
FREEHOLD_API freehold_error_code_t freehold_savepoint_make(freehold_transaction_t *transaction, freehold_savepoint_t *savepoint);

/* Undoes every change since the savepoint, including classes and properties. Savepoints created since end; this one
 * stays, and can be rolled back to again. FREEHOLD_ERROR_INVALID_ARGUMENT if it has ended. */
FREEHOLD_API freehold_error_code_t freehold_savepoint_rollback(freehold_transaction_t *transaction, freehold_savepoint_t savepoint);

/* Ends the savepoint and those created since, and keeps the changes. */
FREEHOLD_API freehold_error_code_t freehold_savepoint_release(freehold_transaction_t *transaction, freehold_savepoint_t savepoint);

FREEHOLD_END
#endif
