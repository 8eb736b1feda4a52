/* Watches: queries, collections, objects and whole databases that are observed from version to version, with their
 * changes. */
#ifndef FREEHOLD_WATCH_H
#define FREEHOLD_WATCH_H

#include "base.h"
#include "change.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* Identifies an observed query, collection, object or database within a watch; numbers from 1 on. */
typedef uint64_t freehold_answer_t;

/* Opens a watch at the newest version. Between two deliveries a watch holds its version parked, so it may sleep for
 * any time. If its version keeps too much of the file, the next delivery reports everything that stayed as possibly
 * changed.
 *
 *     freehold_watch_t *watch;
 *     freehold_answer_t adults;
 *     freehold_watch_open(database, &watch);
 *     freehold_watch_query(watch, "Person", 6, "age >= 18 SORT(name ASC)", FREEHOLD_TERMINATED, 0, NULL, &adults);
 *     struct pollfd entry = { .fd = freehold_watch_descriptor(watch), .events = POLLIN };
 *     while (poll(&entry, 1, -1) > 0) freehold_watch_deliver(watch, show, context, NULL);
 */
FREEHOLD_API freehold_error_code_t freehold_watch_open(const freehold_database_t *database, freehold_watch_t **watch);

/* The descriptor to poll for reading; -1 if the handle is invalid. The descriptor belongs to the watch: neither read
 * from it nor close it. */
FREEHOLD_API int freehold_watch_descriptor(const freehold_watch_t *watch);

/* The version that the watch's answers show. */
FREEHOLD_API freehold_error_code_t freehold_watch_version(const freehold_watch_t *watch, freehold_version_t *version);

/* Observes a query (see freehold_query_prepare), or, if it ends with GROUP(…) SELECT(…), its groups. The query is run
 * now, on the version that the other answers show; FREEHOLD_ERROR_REVOKED if that version was taken away: deliver
 * first. Links among the arguments carry no class.
 *
 * Errors: those of freehold_query_prepare. */
FREEHOLD_API freehold_error_code_t freehold_watch_query(
    freehold_watch_t *watch, const char *class_name, size_t class_name_length, const char *text, size_t text_length,
    size_t argument_count, const freehold_value_t *arguments, freehold_answer_t *answer);

/* Observes a query, where an object counts as modified only if one of `path_count` paths leads to a different value
 * than before. A path is names of properties joined by points, as in a query ("name", "boss.name", "dogs.age").
 * Without paths, objects are not compared: only insertions, deletions and moves are reported. freehold_watch_query
 * compares all of an object, and the objects it links to, four links deep.
 *
 * Errors: those of freehold_watch_query; for paths FREEHOLD_ERROR_MALFORMED_INPUT, _UNKNOWN_PROPERTY, _TYPE_MISMATCH;
 * _INVALID_ARGUMENT for a query with groups, of which only the aggregates are compared. */
FREEHOLD_API freehold_error_code_t freehold_watch_query_observing(
    freehold_watch_t *watch, const char *class_name, size_t class_name_length, const char *text, size_t text_length,
    size_t argument_count, const freehold_value_t *arguments, size_t path_count, const freehold_text_t *paths, freehold_answer_t *answer);

/* Observes a list, set or map of an object. An element that links to an object counts as modified when that object
 * is. Errors: FREEHOLD_ERROR_NOT_FOUND if there is no such object, _UNKNOWN_CLASS, _UNKNOWN_PROPERTY, _TYPE_MISMATCH
 * if the property is not a collection. */
FREEHOLD_API freehold_error_code_t freehold_watch_collection(
    freehold_watch_t *watch, const char *class_name, size_t class_name_length, freehold_key_t key, const char *property,
    size_t property_length, freehold_answer_t *answer);

/* Observes a collection, where an element counts as modified only if it is replaced, or if one of the paths from the
 * object that it links to leads to a different value than before (see freehold_watch_query_observing). Without paths,
 * objects are not compared. If the elements are not links to objects of one class, paths lead nowhere.
 *
 * Errors: those of freehold_watch_collection; for paths FREEHOLD_ERROR_MALFORMED_INPUT, and where they lead,
 * _UNKNOWN_PROPERTY, _TYPE_MISMATCH. */
FREEHOLD_API freehold_error_code_t freehold_watch_collection_observing(
    freehold_watch_t *watch, const char *class_name, size_t class_name_length, freehold_key_t key, const char *property,
    size_t property_length, size_t path_count, const freehold_text_t *paths, freehold_answer_t *answer);

/* Observes the collection of a handle, opened with any reader of the watch's database, also one within another
 * collection; the handle may be closed afterwards. With `paths` NULL it compares as freehold_watch_collection, else
 * as freehold_watch_collection_observing. */
FREEHOLD_API freehold_error_code_t freehold_watch_place(
    freehold_watch_t *watch, const freehold_collection_t *collection, size_t path_count, const freehold_text_t *paths,
    freehold_answer_t *answer);

/* Observes a query over the objects that a collection links to. The answer has the collection's order and its
 * duplicates, unless the query sorts; it is empty once the collection's object is deleted. `paths` as in
 * freehold_watch_place.
 *
 * Errors: those of freehold_watch_query_observing; FREEHOLD_ERROR_TYPE_MISMATCH if the elements are not links to
 * objects of one class. */
FREEHOLD_API freehold_error_code_t freehold_watch_query_among(
    freehold_watch_t *watch, const freehold_collection_t *collection, const char *text, size_t text_length, size_t argument_count,
    const freehold_value_t *arguments, size_t path_count, const freehold_text_t *paths, freehold_answer_t *answer);

/* Observes an object: which of its properties change, and whether it is deleted. A deleted object stays deleted, even
 * if another object gets its key. Errors: FREEHOLD_ERROR_NOT_FOUND if there is no such object, _UNKNOWN_CLASS. */
FREEHOLD_API freehold_error_code_t freehold_watch_object(
    freehold_watch_t *watch, const char *class_name, size_t class_name_length, freehold_key_t key, freehold_answer_t *answer);

/* Observes the whole database: every newer version is reported, with the classes in which something changed;
 * freehold_changes_between lists the changes. */
FREEHOLD_API freehold_error_code_t freehold_watch_database(freehold_watch_t *watch, freehold_answer_t *answer);

/* The number of objects, groups or elements of an answer; for an object 1, or 0 if it was deleted. Errors:
 * FREEHOLD_ERROR_INVALID_ARGUMENT if the answer is not observed any more, _TYPE_MISMATCH for the database. */
FREEHOLD_API freehold_error_code_t freehold_watch_count(const freehold_watch_t *watch, freehold_answer_t answer, uint64_t *count);

/* The keys of a query's objects from position `first` on, at most `capacity`; `*filled` is less than `capacity` only
 * at the end. FREEHOLD_ERROR_TYPE_MISMATCH for any other answer. */
FREEHOLD_API freehold_error_code_t freehold_watch_keys(
    const freehold_watch_t *watch, freehold_answer_t answer, uint64_t first, size_t capacity, freehold_key_t *keys, size_t *filled);

/* Stops observing an answer. */
FREEHOLD_API freehold_error_code_t freehold_watch_stop(freehold_watch_t *watch, freehold_answer_t answer);

/* The changes of an answer. An element that moved relative to the others is deleted and inserted. The changes turn
 * the old answer into the new one when applied in this order: deletions from last to first, insertions from first to
 * last, then the elements at `modified` read again. */
typedef struct {
    size_t size;
    freehold_answer_t answer;
    /* FREEHOLD_OK, or the reason why the answer is not observed any more: the newer version lacks something that it
     * needs. */
    freehold_error_code_t code;
    /* For a collection: its object was deleted, and all elements with it. For an object: it was deleted. */
    bool gone;
    /* Positions in the old answer. */
    freehold_positions_t deletions;
    /* Positions in the new answer. */
    freehold_positions_t insertions;
    /* For elements that stayed and changed: positions in the old answer, and in the new one. */
    freehold_positions_t modifications;
    freehold_positions_t modified;
    /* The older version; NULL if it was taken away while the watch slept. */
    const freehold_reader_t *before;
    /* The newer version. */
    const freehold_reader_t *after;
    /* For an object: the properties whose values differ. If the older version was taken away, all of them. */
    freehold_texts_t properties;
    /* For a map: the keys deleted, the keys inserted, and the keys whose values changed. */
    freehold_texts_t deleted_keys;
    freehold_texts_t inserted_keys;
    freehold_texts_t modified_keys;
    /* For the database: the classes whose objects or properties changed, and those created and dropped. If the older
     * version was taken away, all classes. */
    freehold_texts_t classes;
} freehold_delivery_t;

/* Called for each answer that changed, in the order in which they were registered; `delivery` is valid until the
 * callback returns. The callback may observe more and stop observing, but not deliver or close. */
typedef void (*freehold_delivery_callback_t)(void *context, const freehold_delivery_t *delivery);

/* Updates every answer to the newest version, and calls back with the changes. `*moved` says whether there was a
 * newer version. Call it when the descriptor is readable, or at any other time. */
FREEHOLD_API freehold_error_code_t freehold_watch_deliver(
    freehold_watch_t *watch, freehold_delivery_callback_t callback, void *context, bool *moved);

/* Ends the handle. */
FREEHOLD_API freehold_error_code_t freehold_watch_close(freehold_watch_t *watch);

FREEHOLD_END
#endif
