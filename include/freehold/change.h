/* Waiting for commits of this and every other process, and what the commits changed. */
#ifndef FREEHOLD_CHANGE_H
#define FREEHOLD_CHANGE_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* Waits until a version above `after` can be read, at most `timeout_milliseconds`; `*version` is then the newest.
 * Returns FREEHOLD_TIMED_OUT when the time is up. */
FREEHOLD_API freehold_error_code_t freehold_database_wait(
    const freehold_database_t *database, freehold_version_t after, int64_t timeout_milliseconds,
    freehold_version_t *version);

/* Opens a listener, whose descriptor becomes readable after commits, for event loops.
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

/* The descriptor to poll for reading; -1 if the handle is invalid. The descriptor belongs to the listener: neither
 * read from it nor close it. */
FREEHOLD_API int freehold_listener_descriptor(const freehold_listener_t *listener);

/* Acknowledges pending notifications and makes the descriptor unreadable again; `*version` is the newest version.
 * Commits in quick succession are notified as one. The descriptor also becomes readable four times a second when
 * there is nothing newer, so a process that dies between its commit and its notification delays the notification by
 * no more than that. */
FREEHOLD_API freehold_error_code_t freehold_listener_acknowledge(freehold_listener_t *listener, freehold_version_t *version);

/* Sets whether the descriptor becomes readable four times a second even without a commit; the default is true. With
 * false only commits wake the process, and a commit whose process died before it notified is notified together with
 * the next one. */
FREEHOLD_API freehold_error_code_t freehold_listener_reread(freehold_listener_t *listener, bool rereads);

/* Waits until a notification is pending, and acknowledges it; returns FREEHOLD_TIMED_OUT when the time is up. */
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

/* How an object differs between two snapshots. */
typedef uint32_t freehold_change_kind_t;
enum {
    /* Only the newer snapshot has it. */
    FREEHOLD_CHANGE_INSERTED = 1,
    /* Only the older snapshot has it. */
    FREEHOLD_CHANGE_DELETED = 2,
    /* Both have it, with different values. */
    FREEHOLD_CHANGE_CHANGED = 3,
    /* Both have an object under the key, but not the same one: the first was deleted, and another was created. */
    FREEHOLD_CHANGE_REPLACED = 4
};

/* An object that differs between two snapshots. */
typedef struct {
    size_t size;
    freehold_key_t key;
    freehold_change_kind_t kind;
    /* For FREEHOLD_CHANGE_CHANGED: the properties whose values differ, by their numbers in the newer snapshot. */
    uint32_t property_count;
    const freehold_property_t *properties;
} freehold_object_change_t;

/* Opens a cursor over the objects of a class that differ between two snapshots of one database, whichever process
 * committed the changes. The cost is proportional to the difference. Objects of subclasses are not included: open a
 * cursor with each subclass's name. Both snapshots must stay at their versions meanwhile, else FREEHOLD_ERROR_CLOSED.
 * `older` may also be the newer of the two: then the cursor reports the changes in reverse.
 *
 *     freehold_changes_open(before, now, "Person", FREEHOLD_TERMINATED, &changes);
 *     freehold_object_change_t change = { .size = sizeof change };
 *     while (freehold_changes_next(changes, &change) == FREEHOLD_OK) ...
 *     freehold_changes_close(changes);
 */
FREEHOLD_API freehold_error_code_t freehold_changes_open(
    const freehold_snapshot_t *older, const freehold_snapshot_t *newer, const char *class_name, size_t class_name_length,
    freehold_changes_t **changes);

/* Opens a cursor as freehold_changes_open does, between two readers of snapshots, such as those of a delivery. */
FREEHOLD_API freehold_error_code_t freehold_changes_between(
    const freehold_reader_t *older, const freehold_reader_t *newer, const char *class_name, size_t class_name_length,
    freehold_changes_t **changes);

/* Reads the next object that differs, in the order of keys; FREEHOLD_ABSENT at the end. `change->properties` is valid
 * until the next call. */
FREEHOLD_API freehold_error_code_t freehold_changes_next(freehold_changes_t *changes, freehold_object_change_t *change);

/* The differences between two versions of a list, set or map. They turn the older version into the newer one when
 * applied in this order: deletions from last to first, insertions from first to last, then the elements at `modified`
 * read again. A map reports keys and no positions. */
typedef struct {
    size_t size;
    /* Positions in the older version. */
    freehold_positions_t deletions;
    /* Positions in the newer version. */
    freehold_positions_t insertions;
    /* For a list: elements that were replaced, and collections that changed; `modifications` are positions in the
     * older version, `modified` in the newer one. */
    freehold_positions_t modifications;
    freehold_positions_t modified;
    /* For a map: the keys deleted, the keys inserted, and the keys whose values changed. */
    freehold_texts_t deleted_keys;
    freehold_texts_t inserted_keys;
    freehold_texts_t modified_keys;
} freehold_collection_changes_t;

/* Compares two versions of a collection, read through two readers of one database (freehold_collection_open with
 * each, or freehold_collection_another). The cost is proportional to the difference. `*changes` is valid until the
 * next call for `newer`, or until `newer` is closed.
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
