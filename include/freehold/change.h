/* Waiting for commits, of this and of every other process. */
#ifndef FREEHOLD_CHANGE_H
#define FREEHOLD_CHANGE_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* Waits until a version above `after` can be read, at most so many milliseconds; `*version` is then the newest.
 * FREEHOLD_TIMED_OUT when the time is up. */
FREEHOLD_API freehold_error_code_t freehold_database_wait(
    const freehold_database_t *database, freehold_version_t after, int64_t timeout_milliseconds,
    freehold_version_t *version);

/* Makes a descriptor tell of commits, for event loops.
 *
 *     freehold_listener_t *listener;
 *     freehold_listener_open(database, &listener);
 *     struct pollfd entry = { .fd = freehold_listener_descriptor(listener), .events = POLLIN };
 *     while (poll(&entry, 1, -1) > 0) {
 *         freehold_version_t version;
 *         freehold_listener_acknowledge(listener, &version);
 *         ...
 *     }
 */
FREEHOLD_API freehold_error_code_t freehold_listener_open(
    const freehold_database_t *database, freehold_listener_t **listener);

/* The descriptor to poll for reading; -1 for a listener that is none. It belongs to the listener: neither read from it nor
 * close it. */
FREEHOLD_API int freehold_listener_descriptor(const freehold_listener_t *listener);

/* Takes note of what was told, so that the descriptor is no longer readable; `*version` is the newest. Commits that come
 * quickly are told at once. */
FREEHOLD_API freehold_error_code_t freehold_listener_acknowledge(freehold_listener_t *listener, freehold_version_t *version);

/* Waits until something is told, and acknowledges it; FREEHOLD_TIMED_OUT when the time is up. */
FREEHOLD_API freehold_error_code_t freehold_listener_wait(
    freehold_listener_t *listener, int64_t timeout_milliseconds, freehold_version_t *version);

/* Ends the handle and closes its descriptor. */
FREEHOLD_API freehold_error_code_t freehold_listener_close(freehold_listener_t *listener);

FREEHOLD_END
#endif
