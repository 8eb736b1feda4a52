/* Snapshots: one version of everything, held for reading. */
#ifndef FREEHOLD_SNAPSHOT_H
#define FREEHOLD_SNAPSHOT_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* Holds the newest version: no lock, no waiting, and what it shows never changes. The space of that version is kept
 * while it is held, so refresh or end it in good time.
 *
 *     freehold_snapshot_t *snapshot;
 *     if (freehold_snapshot_begin(database, &snapshot) == FREEHOLD_OK) {
 *         const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
 *         ...
 *         freehold_snapshot_end(snapshot);
 *     }
 */
FREEHOLD_API freehold_error_code_t freehold_snapshot_begin(
    const freehold_database_t *database, freehold_snapshot_t **snapshot);

/* Moves to the newest version; `*moved` tells whether that is another one. After an error the snapshot holds no version:
 * refresh again, or end it. */
FREEHOLD_API freehold_error_code_t freehold_snapshot_refresh(freehold_snapshot_t *snapshot, bool *moved);

/* Lets the version go and ends the handle and its reader. Cursors over it give FREEHOLD_ERROR_CLOSED. */
FREEHOLD_API freehold_error_code_t freehold_snapshot_end(freehold_snapshot_t *snapshot);

/* The same version, held by a snapshot of its own: it stays when the other one goes or moves on, and another thread may have it. What was
 * opened with the one goes over to the other with freehold_results_another, freehold_query_another and freehold_collection_another. */
FREEHOLD_API freehold_error_code_t freehold_snapshot_another(
    const freehold_snapshot_t *snapshot, freehold_snapshot_t **another);

/* Lets commits of any process take the version away if it keeps too much of the file: for who holds a version for long and reads it
 * seldom. What was read from it must not be used until the next call that takes the snapshot or its reader, which holds the
 * version again by itself, or gives FREEHOLD_ERROR_REVOKED: then refresh it. */
FREEHOLD_API freehold_error_code_t freehold_snapshot_park(freehold_snapshot_t *snapshot);

/* What to read through; NULL for a snapshot that is none. Belongs to the snapshot; the same at every call. */
FREEHOLD_API const freehold_reader_t *freehold_snapshot_reader(const freehold_snapshot_t *snapshot);

/* The version a snapshot holds, or that a transaction will make. */
FREEHOLD_API freehold_error_code_t freehold_reader_version(const freehold_reader_t *reader, freehold_version_t *version);

FREEHOLD_END
#endif
