/* Waiting for commits, of this and of every other process, and what they changed. */
#ifndef FREEHOLD_CHANGE_H
#define FREEHOLD_CHANGE_H

#include "base.h"
#include "error.h"
#include "value.h"

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
 * quickly are told at once. The descriptor gets readable four times a second also when there is nothing newer, so that a process
 * that dies between its commit and telling of it delays that by no more. */
FREEHOLD_API freehold_error_code_t freehold_listener_acknowledge(freehold_listener_t *listener, freehold_version_t *version);

/* Whether the descriptor gets readable four times a second in any case; it does until this says otherwise. Without that nothing wakes the process but
 * commits, and one whose process died before telling of it is told with the next one. */
FREEHOLD_API freehold_error_code_t freehold_listener_reread(freehold_listener_t *listener, bool rereads);

/* Waits until something is told, and acknowledges it; FREEHOLD_TIMED_OUT when the time is up. */
FREEHOLD_API freehold_error_code_t freehold_listener_wait(
    freehold_listener_t *listener, int64_t timeout_milliseconds, freehold_version_t *version);

/* Ends the handle and closes its descriptor. */
FREEHOLD_API freehold_error_code_t freehold_listener_close(freehold_listener_t *listener);

/* Positions, ascending. */
typedef struct {
    const uint64_t *positions;
    size_t count;
} freehold_positions_t;

/* Names, or keys of a map. */
typedef struct {
    const freehold_text_t *texts;
    size_t count;
} freehold_texts_t;

/* What became of an object between two snapshots. */
typedef uint32_t freehold_change_kind_t;
enum {
    /* Only the newer snapshot has it. */
    FREEHOLD_CHANGE_INSERTED = 1,
    /* Only the older snapshot has it. */
    FREEHOLD_CHANGE_DELETED = 2,
    /* Both have it, with different values. */
    FREEHOLD_CHANGE_CHANGED = 3,
    /* Both have an object under the key, but another one: the first was deleted, and one more was made. */
    FREEHOLD_CHANGE_REPLACED = 4
};

/* An object that differs. */
typedef struct {
    size_t size;
    freehold_key_t key;
    freehold_change_kind_t kind;
    /* Of a changed object, the properties whose values differ, by their numbers in the newer snapshot. */
    uint32_t property_count;
    const freehold_property_t *properties;
} freehold_object_change_t;

/* Begins to tell which objects of a class (and of those that extend it not: ask for these by their own names) differ between two
 * snapshots of one database, by whoever's commits, at a cost that follows the difference. Both must stay at their versions meanwhile, else
 * FREEHOLD_ERROR_CLOSED. `older` may also be the newer of the two: then it tells the way back.
 *
 *     freehold_changes_open(before, now, "Person", FREEHOLD_TERMINATED, &changes);
 *     freehold_object_change_t change = { .size = sizeof change };
 *     while (freehold_changes_next(changes, &change) == FREEHOLD_OK) ...
 *     freehold_changes_close(changes);
 */
FREEHOLD_API freehold_error_code_t freehold_changes_open(
    const freehold_snapshot_t *older, const freehold_snapshot_t *newer, const char *class_name, size_t class_name_length,
    freehold_changes_t **changes);

/* The same between what two readers of snapshots show, such as those of a delivery. */
FREEHOLD_API freehold_error_code_t freehold_changes_between(
    const freehold_reader_t *older, const freehold_reader_t *newer, const char *class_name, size_t class_name_length,
    freehold_changes_t **changes);

/* The next object that differs, in the order of keys, or FREEHOLD_ABSENT at the end. Its properties are valid until the next call. */
FREEHOLD_API freehold_error_code_t freehold_changes_next(freehold_changes_t *changes, freehold_object_change_t *change);

/* What differs between two versions of a list, set or map. Applied in this order it turns the older one into the newer: deletions from the last to
 * the first, insertions from the first to the last, and what is at `modified` read anew. Of a map keys are told, and no positions. */
typedef struct {
    size_t size;
    /* In the older one. */
    freehold_positions_t deletions;
    /* In the newer one. */
    freehold_positions_t insertions;
    /* Of a list, elements in whose places stand others, or collections that have changed: in the older one, and in the newer. */
    freehold_positions_t modifications;
    freehold_positions_t modified;
    /* Of a map: the keys that are gone, those that were not there, and those whose values changed. */
    freehold_texts_t deleted_keys;
    freehold_texts_t inserted_keys;
    freehold_texts_t modified_keys;
} freehold_collection_changes_t;

/* Tells what differs between two versions of a collection, as two readers of one database show it (freehold_collection_open with each, or
 * freehold_collection_another), at a cost that follows the difference. What it tells is valid until the next call for `newer`, or until that is closed.
 *
 *     freehold_collection_changes_t changes = { .size = sizeof changes };
 *     freehold_collection_changes(tags_before, tags_now, &changes);
 *
 * Errors: FREEHOLD_ERROR_INVALID_ARGUMENT if the two have elements of different types, _OBJECT_DELETED. */
FREEHOLD_API freehold_error_code_t freehold_collection_changes(
    const freehold_collection_t *older, freehold_collection_t *newer, freehold_collection_changes_t *changes);

/* Ends the handle. */
FREEHOLD_API freehold_error_code_t freehold_changes_close(freehold_changes_t *changes);

FREEHOLD_END
#endif
