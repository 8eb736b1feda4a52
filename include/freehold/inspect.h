/* Looking into a database: sizes, who holds what, and whether everything is as it should be. */
#ifndef FREEHOLD_INSPECT_H
#define FREEHOLD_INSPECT_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* Sizes and versions. */
typedef struct {
    size_t size;
    /* The newest version that can be read. */
    freehold_version_t version;
    /* The newest version that a power cut can't take back. */
    freehold_version_t durable_version;
    /* Bytes of the file. */
    uint64_t file_length;
    /* Bytes of pages that hold the newest version. */
    uint64_t used_bytes;
    /* Bytes of pages that any commit may reuse now. */
    uint64_t free_bytes;
    /* Bytes of pages that only older versions, still held, keep. */
    uint64_t held_bytes;
    /* How many holders there are. */
    uint64_t holder_count;
    /* Bytes set apart for long values under way. */
    uint64_t reserved_bytes;
    /* 0, or a version that was durable once and whose root was destroyed: an older version opened. Reported until
       freehold_database_acknowledge_lost_version. */
    freehold_version_t lost_version;
} freehold_information_t;

/* A process that holds a version. */
typedef struct {
    size_t size;
    freehold_version_t version;
    int32_t process_id;
    /* How many of its readers hold it. */
    uint32_t readers;
    /* For how long it is known to have been held. */
    uint64_t held_milliseconds;
    freehold_text_t process_name;
    /* What the version keeps of the file that newer ones don't need, in bytes. */
    uint64_t kept_bytes;
    /* Commits may take the version away. */
    bool parked;
} freehold_holder_t;

/* Called for each holder, the oldest version first; `holder` lives until it returns. */
typedef void (*freehold_holder_callback_t)(void *context, const freehold_holder_t *holder);

/* Looks at sizes and versions, and calls back with everyone who holds one (`callback` may be NULL). */
FREEHOLD_API freehold_error_code_t freehold_database_information(
    const freehold_database_t *database, freehold_information_t *information, freehold_holder_callback_t callback,
    void *context);

/* What a check looked at, and how much was wrong. */
typedef struct {
    size_t size;
    freehold_version_t version;
    uint64_t classes;
    uint64_t objects;
    uint64_t blocks;
    /* Index entries compared with their objects. */
    uint64_t index_entries;
    /* Links whose target was looked up. */
    uint64_t links;
    uint64_t live_bytes;
    /* 0: the file is in order. At most 1,000 are told. */
    uint64_t problem_count;
    /* Lists, sets and maps, and their elements. */
    uint64_t collections;
    uint64_t elements;
} freehold_check_report_t;

/* One thing that is wrong. */
typedef struct {
    size_t size;
    /* As "damagedBlock", "brokenIndex"; terminated. */
    const char *kind;
    /* Where: a page, or a class and property; terminated. */
    const char *place;
    /* One sentence for a person; terminated. */
    const char *message;
} freehold_check_problem_t;

/* Called for each problem; `problem` lives until it returns. */
typedef void (*freehold_check_callback_t)(void *context, const freehold_check_problem_t *problem);

/* Checks the newest version completely, while others may write. Damage is what it is there to find: FREEHOLD_OK says that
 * it came to its end, `report->problem_count` what it found. `callback` may be NULL. */
FREEHOLD_API freehold_error_code_t freehold_database_check(
    const freehold_database_t *database, freehold_check_report_t *report, freehold_check_callback_t callback, void *context);

FREEHOLD_END
#endif
