/* Transactions and commits without waiting: write requests that wait for the writer lock, and commits that wait for
 * their flush. */
#ifndef FREEHOLD_PENDING_H
#define FREEHOLD_PENDING_H

#include "base.h"
#include "error.h"
#include "transaction.h"

FREEHOLD_BEGIN

/* Requests a transaction and returns at once. When the request holds the writer lock, within `timeout_milliseconds`
 * (FREEHOLD_DEFAULT_TIMEOUT: as the database was opened), the descriptor becomes readable; then take the transaction.
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
 * Requests through one database handle hold the lock in the order in which they were made. If the transaction is not
 * taken within a quarter of a second, the writer lock is released, so that a busy event loop does not block other
 * writers. */
FREEHOLD_API freehold_error_code_t freehold_transaction_begin_async(
    const freehold_database_t *database, int64_t timeout_milliseconds, freehold_pending_t **pending);

/* Commits and ends the handle, as freehold_transaction_commit does: the changes are visible to all readers when this
 * function returns. The descriptor becomes readable when the changes survive a power cut; commits share a flush.
 *
 * Errors: those of freehold_transaction_commit; nothing is pending then. The handle stays open, with nothing
 * committed, if `pending` is NULL (FREEHOLD_ERROR_INVALID_ARGUMENT), or if no descriptor (FREEHOLD_ERROR_SYSTEM) or
 * no handle (FREEHOLD_ERROR_OUT_OF_MEMORY) is available. So after any error roll it back: if it has ended, that only
 * returns FREEHOLD_ERROR_CLOSED. */
FREEHOLD_API freehold_error_code_t freehold_transaction_commit_async(
    freehold_transaction_t *transaction, freehold_version_t *version, freehold_pending_t **pending);

/* The descriptor to poll for reading; -1 if the handle is invalid. The descriptor belongs to the handle: neither read
 * from it nor close it. */
FREEHOLD_API int freehold_pending_descriptor(const freehold_pending_t *pending);

/* Waits until the request holds the writer lock, or the commit is durable; 0 milliseconds only tests. Returns
 * FREEHOLD_TIMED_OUT when the time is up.
 *
 * Errors: the error that the request or commit ended with: FREEHOLD_BUSY if the lock was not free in time, and those
 * of freehold_transaction_begin and of freehold_database_flush; FREEHOLD_ERROR_OUT_OF_MEMORY if no thread could be
 * created to wait for the lock, or for the disk (the changes are committed: freehold_database_flush). */
FREEHOLD_API freehold_error_code_t freehold_pending_wait(const freehold_pending_t *pending, int64_t timeout_milliseconds);

/* Takes the transaction, which belongs to the calling thread from then on; the pending handle may be closed. Returns
 * FREEHOLD_TIMED_OUT if the request does not hold the writer lock yet, or lost it because the transaction was not
 * taken in time: then the lock is requested again, before all later requests, and the descriptor becomes readable
 * again.
 *
 * Errors: those of freehold_pending_wait; FREEHOLD_ERROR_INVALID_ARGUMENT for a commit, and if the transaction was
 * taken before. */
FREEHOLD_API freehold_error_code_t freehold_pending_take(freehold_pending_t *pending, freehold_transaction_t **transaction);

/* Ends the handle and closes its descriptor. A transaction that was not taken is given up; the file stays open for it
 * for a quarter of a second at most. A commit is flushed all the same. */
FREEHOLD_API freehold_error_code_t freehold_pending_close(freehold_pending_t *pending);

FREEHOLD_END
#endif
