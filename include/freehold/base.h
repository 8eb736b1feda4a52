/* What every other header stands on: handles, numbers, text, and the library's own version. */
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

/* Stands before each function that the library exports; the list of exported names is made from it. */
#define FREEHOLD_API extern __attribute__((visibility("default")))

FREEHOLD_BEGIN

/* A database file, open in this process. */
typedef struct freehold_database freehold_database_t;
/* One version, held for reading. */
typedef struct freehold_snapshot freehold_snapshot_t;
/* Changes under way. */
typedef struct freehold_transaction freehold_transaction_t;
/* The reading side of a snapshot or of a transaction. */
typedef struct freehold_reader freehold_reader_t;
/* A place in the row of a class's objects. */
typedef struct freehold_cursor freehold_cursor_t;
/* A place in the order of an index. */
typedef struct freehold_index_cursor freehold_index_cursor_t;
/* A descriptor that becomes readable when somebody commits. */
typedef struct freehold_listener freehold_listener_t;
/* A long value on its way into the file. */
typedef struct freehold_large_value freehold_large_value_t;
/* A question about the objects of a class. */
typedef struct freehold_query freehold_query_t;
/* The objects that a query found, in its order. */
typedef struct freehold_results freehold_results_t;
/* Rows of figures that a query found. */
typedef struct freehold_groups freehold_groups_t;
/* A list, set or map of an object. */
typedef struct freehold_collection freehold_collection_t;
/* Queries and collections that are followed from version to version. */
typedef struct freehold_watch freehold_watch_t;
/* What became of a class's objects between two snapshots. */
typedef struct freehold_changes freehold_changes_t;
/* A transaction that waits for its turn, or a commit that waits for the disk. */
typedef struct freehold_pending freehold_pending_t;

/* 0, an outcome, or an error; see freehold/error.h. */
typedef int32_t freehold_error_code_t;
/* The number of a committed state of the whole database; later is higher. */
typedef uint64_t freehold_version_t;
/* A class, by number: 0 up to the number of classes. Its number changes only when a class is dropped, so numbers are good
 * for one version of the schema: look them up again in a snapshot taken after such a change. */
typedef uint32_t freehold_class_t;
/* A property of a class, by number: 0 up to the number of its properties. It changes only when a property of the class is
 * dropped, and is good as long as a class's. */
typedef uint32_t freehold_property_t;
/* What names an object within its class; where the primary key is an integer, it is that integer. */
typedef int64_t freehold_key_t;

/* Stands where a class or property number might stand and there is none. */
#define FREEHOLD_NONE UINT32_MAX
/* In the place of a text's length: it ends with a zero byte. */
#define FREEHOLD_TERMINATED SIZE_MAX
/* In the place of a time limit: what the database was opened with. */
#define FREEHOLD_DEFAULT_TIMEOUT (-1)

/* Borrowed bytes; see "Text" in freehold.h. */
typedef struct {
    const char *bytes;
    size_t length;
} freehold_text_t;

/* The number of the binary interface that the library offers: it changes when programs must be compiled anew. */
#define FREEHOLD_ABI_VERSION 1

/* The FREEHOLD_ABI_VERSION that the library was built with; compare it with your own where you load it by hand. */
FREEHOLD_API int32_t freehold_abi_version(void);

/* The library's version, as in "0.1.0"; terminated, valid for ever. */
FREEHOLD_API const char *freehold_version(void);

/* The library's version in numbers, to be compared. */
FREEHOLD_API void freehold_version_numbers(int32_t *major, int32_t *minor, int32_t *patch);

FREEHOLD_END
#endif
