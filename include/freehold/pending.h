/* What is under way: transactions that wait for the writer lock and commits that wait for the disk, while the caller waits for neither. */
#ifndef FREEHOLD_PENDING_H
#define FREEHOLD_PENDING_H

#include "base.h"
#include "error.h"
#include "transaction.h"

FREEHOLD_BEGIN

/* Asks for a transaction and returns at once. When it is its turn, within so many milliseconds (FREEHOLD_DEFAULT_TIMEOUT: as the database was
 * opened), the descriptor becomes readable; then take it.
 *
 *     freehold_pending_t *pending;
 *     freehold_transaction_begin_async(database, FREEHOLD_DEFAULT_TIMEOUT, &pending);
 *     struct pollfd entry = { .fd = freehold_pending_descriptor(pending), .events = POLLIN };
 *     ... once it is readable:
 *     freehold_transaction_t *transaction;
 *     if (freehold_pending_take(pending, &transaction) == FREEHOLD_OK) {
 *         ...
 *         freehold_transaction_commit_async(transaction, NULL, &flush);
 *     }
 *
 * A turn that is not taken within a quarter of a second goes back, so that a busy event loop keeps nobody from writing. */
FREEHOLD_API freehold_error_code_t freehold_transaction_begin_async(
    const freehold_database_t *database, int64_t timeout_milliseconds, freehold_pending_t **pending);

/* Takes the changes into the file and ends the handle, as freehold_transaction_commit does: everybody sees them when this returns. The
 * descriptor becomes readable when they survive a power cut; commits share a flush.
 *
 * Errors: those of freehold_transaction_commit; nothing is pending then. The handle lives on, with nothing committed, if `pending` is NULL
 * (FREEHOLD_ERROR_INVALID_ARGUMENT), no descriptor can be had (FREEHOLD_ERROR_SYSTEM) or no handle (FREEHOLD_ERROR_OUT_OF_MEMORY); so after any
 * error roll it back: where it has ended, FREEHOLD_ERROR_CLOSED is all that does. */
FREEHOLD_API freehold_error_code_t freehold_transaction_commit_async(
    freehold_transaction_t *transaction, freehold_version_t *version, freehold_pending_t **pending);

/* The descriptor to poll for reading; -1 for a handle that is none. It belongs to the handle: neither read from it nor close it. */
FREEHOLD_API int freehold_pending_descriptor(const freehold_pending_t *pending);

/* Waits until the turn has come, or the commit is durable; 0 milliseconds only ask. FREEHOLD_TIMED_OUT when the time is up.
 *
 * Errors: what it ended with: FREEHOLD_BUSY if the turn did not come in time, and those of freehold_transaction_begin and of
 * freehold_database_flush; FREEHOLD_ERROR_OUT_OF_MEMORY if no thread could be made to wait for the disk (the changes are committed:
 * freehold_database_flush). */
FREEHOLD_API freehold_error_code_t freehold_pending_wait(const freehold_pending_t *pending, int64_t timeout_milliseconds);

/* Takes the transaction, which belongs to the calling thread from then on; the pending handle may be closed. FREEHOLD_TIMED_OUT if its turn
 * has not come yet, or went back because nobody took it: then it is asked for again, and the descriptor tells again.
 *
 * Errors: as of freehold_pending_wait; FREEHOLD_ERROR_INVALID_ARGUMENT for a commit, and if it was taken. */
FREEHOLD_API freehold_error_code_t freehold_pending_take(freehold_pending_t *pending, freehold_transaction_t **transaction);

/* Ends the handle and closes its descriptor. A transaction that was not taken is given up, and the file stays open for it for a quarter
 * of a second at most; a commit is flushed all the same. */
FREEHOLD_API freehold_error_code_t freehold_pending_close(freehold_pending_t *pending);

FREEHOLD_END
#endif
