/* Snapshots: one version of the whole database, held for reading. */
#ifndef FREEHOLD_SNAPSHOT_H
#define FREEHOLD_SNAPSHOT_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* Opens a snapshot of the newest version, without a lock or waiting; its contents never change. The space of the
 * version is kept while the snapshot is held, so refresh or end it in good time.
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

/* Moves the snapshot to the newest version; `*moved` says whether that is another one. After an error the snapshot
 * holds no version: refresh it again, or end it. */
FREEHOLD_API freehold_error_code_t freehold_snapshot_refresh(freehold_snapshot_t *snapshot, bool *moved);

/* Releases the version and ends the handle and its reader. Cursors over it return FREEHOLD_ERROR_CLOSED. */
FREEHOLD_API freehold_error_code_t freehold_snapshot_end(freehold_snapshot_t *snapshot);

/* Opens another snapshot of the same version. It stays when the original ends or moves on, and may be used by another
 * thread. freehold_results_another, freehold_query_another and freehold_collection_another carry over what was opened
 * with the original. */
FREEHOLD_API freehold_error_code_t freehold_snapshot_another(
    const freehold_snapshot_t *snapshot, freehold_snapshot_t **another);

/* Parks the snapshot: commits of any process may take its version away if it keeps too much of the file. Meant for
 * programs that hold a version for long and read it seldom. What was read from it must not be used until the next
 * call that takes the snapshot or its reader. That call holds the version again, or returns FREEHOLD_ERROR_REVOKED:
 * then refresh it. */
FREEHOLD_API freehold_error_code_t freehold_snapshot_park(freehold_snapshot_t *snapshot);

/* The snapshot's reader; NULL if the handle is invalid. Belongs to the snapshot; every call returns the same one. */
FREEHOLD_API const freehold_reader_t *freehold_snapshot_reader(const freehold_snapshot_t *snapshot);

/* The version that a snapshot holds, or that a transaction will create. */
FREEHOLD_API freehold_error_code_t freehold_reader_version(const freehold_reader_t *reader, freehold_version_t *version);

FREEHOLD_END
#endif
