/* Inspection of a database: sizes, holders of versions, and a complete check. */
#ifndef FREEHOLD_INSPECT_H
#define FREEHOLD_INSPECT_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* Sizes and versions of a database. */
typedef struct {
    size_t size;
    /* The newest version that can be read. */
    freehold_version_t version;
    /* The newest version that a power cut can't undo. */
    freehold_version_t durable_version;
    /* The length of the file, in bytes. */
    uint64_t file_length;
    /* Bytes of pages that hold the newest version. */
    uint64_t used_bytes;
    /* Bytes of pages that any commit may reuse. */
    uint64_t free_bytes;
    /* Bytes of pages kept only for older versions that are still held. */
    uint64_t held_bytes;
    /* The number of holders. */
    uint64_t holder_count;
    /* Bytes reserved for long values that are being written. */
    uint64_t reserved_bytes;
    /* 0, or a version that was durable and whose root was destroyed, so that an older version was opened. Reported
     * until freehold_database_acknowledge_lost_version. */
    freehold_version_t lost_version;
} freehold_information_t;

/* A process that holds a version. */
typedef struct {
    size_t size;
    freehold_version_t version;
    int32_t process_id;
    /* The number of its readers that hold the version. */
    uint32_t readers;
    /* The time for which the version is known to have been held. */
    uint64_t held_milliseconds;
    freehold_text_t process_name;
    /* The bytes of the file that the version keeps and newer ones don't need. */
    uint64_t kept_bytes;
    /* Commits may take the version away. */
    bool parked;
} freehold_holder_t;

/* Called for each holder, the oldest version first; `holder` is valid until the callback returns. */
typedef void (*freehold_holder_callback_t)(void *context, const freehold_holder_t *holder);

/* Reads the sizes and versions of a database, and calls `callback` (may be NULL) for each process that holds a
 * version. */
FREEHOLD_API freehold_error_code_t freehold_database_information(
    const freehold_database_t *database, freehold_information_t *information, freehold_holder_callback_t callback,
    void *context);

/* What a check read, and how many problems it found. */
typedef struct {
    size_t size;
    freehold_version_t version;
    uint64_t classes;
    uint64_t objects;
    uint64_t blocks;
    /* Index entries compared with their objects. */
    uint64_t index_entries;
    /* The number of links whose targets were looked up. */
    uint64_t links;
    uint64_t live_bytes;
    /* The number of problems; 0: the file is intact. At most 1,000 are reported. */
    uint64_t problem_count;
    /* The number of lists, sets and maps, and of their elements. */
    uint64_t collections;
    uint64_t elements;
} freehold_check_report_t;

/* A problem that a check found. */
typedef struct {
    size_t size;
    /* The kind of the problem, such as "damagedBlock" or "brokenIndex"; terminated. */
    const char *kind;
    /* The place of the problem: a page, or a class and property; terminated. */
    const char *place;
    /* One sentence for a person; terminated. */
    const char *message;
} freehold_check_problem_t;

/* Called for each problem; `problem` is valid until the callback returns. */
typedef void (*freehold_check_callback_t)(void *context, const freehold_check_problem_t *problem);

/* Checks the newest version completely, while other writers may commit. Damage is not an error of this function:
 * FREEHOLD_OK means that the check ran to its end, and `report->problem_count` how many problems it found. `callback`
 * may be NULL. */
FREEHOLD_API freehold_error_code_t freehold_database_check(
    const freehold_database_t *database, freehold_check_report_t *report, freehold_check_callback_t callback, void *context);

FREEHOLD_END
#endif
