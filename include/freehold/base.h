/* Definitions that every other header uses: handles, numbers, text, and the library's own version. */
#ifndef FREEHOLD_BASE_H
#define FREEHOLD_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define FREEHOLD_BEGIN extern "C" {
#define FREEHOLD_END }
#else
#define FREEHOLD_BEGIN
#define FREEHOLD_END
#endif

/* Marks each function that the library exports; the list of exported names is generated from it. */
#define FREEHOLD_API extern __attribute__((visibility("default")))

FREEHOLD_BEGIN

/* A database file, open in this process. */
typedef struct freehold_database freehold_database_t;
/* One version of the database, held for reading. */
typedef struct freehold_snapshot freehold_snapshot_t;
/* A write transaction. */
typedef struct freehold_transaction freehold_transaction_t;
/* The reading side of a snapshot or of a transaction. */
typedef struct freehold_reader freehold_reader_t;
/* A position among the objects of a class, by ascending key. */
typedef struct freehold_cursor freehold_cursor_t;
/* A position in the order of an index. */
typedef struct freehold_index_cursor freehold_index_cursor_t;
/* A descriptor that becomes readable after commits. */
typedef struct freehold_listener freehold_listener_t;
/* A long value that is being written into the file. */
typedef struct freehold_large_value freehold_large_value_t;
/* A query over the objects of a class. */
typedef struct freehold_query freehold_query_t;
/* The objects that a query found, in its order. */
typedef struct freehold_results freehold_results_t;
/* The groups that a query found, with their aggregates. */
typedef struct freehold_groups freehold_groups_t;
/* A list, set or map of an object. */
typedef struct freehold_collection freehold_collection_t;
/* Queries, collections, objects and databases that are observed from version to version. */
typedef struct freehold_watch freehold_watch_t;
/* The objects of a class that differ between two snapshots. */
typedef struct freehold_changes freehold_changes_t;
/* A write request that waits for the writer lock, or a commit that waits for its flush. */
typedef struct freehold_pending freehold_pending_t;

/* 0, an outcome, or an error; see freehold/error.h. */
typedef int32_t freehold_error_code_t;
/* The number of a committed state of the whole database; a later state has a higher number. */
typedef uint64_t freehold_version_t;
/* A class, by number: from 0 to the number of classes, exclusive. The number changes only when a class is dropped, so
 * it is valid for one version of the schema: look it up again in a snapshot taken after such a change. */
typedef uint32_t freehold_class_t;
/* A property of a class, by number: from 0 to the number of its properties, exclusive. The number changes only when a
 * property of the class is dropped, and is valid as long as a class's number. */
typedef uint32_t freehold_property_t;
/* The key of an object within its class; an integer primary key is this key. */
typedef int64_t freehold_key_t;

/* Stands for no class or no property where its number is expected. */
#define FREEHOLD_NONE UINT32_MAX
/* Passed as the length of a text that ends with a zero byte. */
#define FREEHOLD_TERMINATED SIZE_MAX
/* Passed as a timeout: uses the one that the database was opened with. */
#define FREEHOLD_DEFAULT_TIMEOUT (-1)

/* Borrowed bytes; see "Text" in freehold.h. */
typedef struct {
    const char *bytes;
    size_t length;
} freehold_text_t;

/* The number of the library's binary interface; it changes when programs must be recompiled. */
#define FREEHOLD_ABI_VERSION 1

/* The FREEHOLD_ABI_VERSION that the library was built with; compare it with yours if you load the library by hand. */
FREEHOLD_API int32_t freehold_abi_version(void);

/* The library's version, as in "0.1.0"; terminated, valid for ever. */
FREEHOLD_API const char *freehold_version(void);

/* The library's version as numbers, for comparisons. */
FREEHOLD_API void freehold_version_numbers(int32_t *major, int32_t *minor, int32_t *patch);

FREEHOLD_END
#endif
