/* Watches: queries, collections, objects and whole databases that are followed from version to version, with what changed in them. */
#ifndef FREEHOLD_WATCH_H
#define FREEHOLD_WATCH_H

#include "base.h"
#include "change.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* Tells what a watch follows from the rest of it: numbers from 1 on. */
typedef uint64_t freehold_answer_t;

/* Begins to watch, from the newest version on. Between two deliveries a watch holds its version parked, so it may sleep for as long as it
 * likes: if that keeps too much of the file, the next delivery tells that everything that stayed may have changed.
 *
 *     freehold_watch_t *watch;
 *     freehold_answer_t adults;
 *     freehold_watch_open(database, &watch);
 *     freehold_watch_query(watch, "Person", 6, "age >= 18 SORT(name ASC)", FREEHOLD_TERMINATED, 0, NULL, &adults);
 *     struct pollfd entry = { .fd = freehold_watch_descriptor(watch), .events = POLLIN };
 *     while (poll(&entry, 1, -1) > 0) freehold_watch_deliver(watch, show, context, NULL);
 */
FREEHOLD_API freehold_error_code_t freehold_watch_open(const freehold_database_t *database, freehold_watch_t **watch);

/* The descriptor to poll for reading; -1 for a watch that is none. It belongs to the watch: neither read from it nor close it. */
FREEHOLD_API int freehold_watch_descriptor(const freehold_watch_t *watch);

/* The version that the answers are of. */
FREEHOLD_API freehold_error_code_t freehold_watch_version(const freehold_watch_t *watch, freehold_version_t *version);

/* Follows a query (see freehold_query_prepare), or, if it ends with GROUP(…) SELECT(…), its groups. It is asked now, of the version that
 * the other answers are of; FREEHOLD_ERROR_REVOKED if that was taken away: deliver first. Links among the arguments are of no class.
 *
 * Errors: those of freehold_query_prepare. */
FREEHOLD_API freehold_error_code_t freehold_watch_query(
    freehold_watch_t *watch, const char *class_name, size_t class_name_length, const char *text, size_t text_length,
    size_t argument_count, const freehold_value_t *arguments, freehold_answer_t *answer);

/* The same, where an object counts as modified only if one of these paths leads to something else than before: names of properties joined by
 * points, as a query has them ("name", "boss.name", "dogs.age"), `path_count` of them. Without any, objects are not looked into: only what comes,
 * goes and moves is told. freehold_watch_query looks at all of an object, and at what it links to, four links deep.
 *
 * Errors: those of freehold_watch_query; of paths FREEHOLD_ERROR_MALFORMED_INPUT, _UNKNOWN_PROPERTY, _TYPE_MISMATCH;
 * _INVALID_ARGUMENT for a query with groups, whose figures are all there is to look at. */
FREEHOLD_API freehold_error_code_t freehold_watch_query_observing(
    freehold_watch_t *watch, const char *class_name, size_t class_name_length, const char *text, size_t text_length,
    size_t argument_count, const freehold_value_t *arguments, size_t path_count, const freehold_text_t *paths, freehold_answer_t *answer);

/* Follows a list, set or map of an object. An element that links to an object counts as modified when that is.
 * Errors: FREEHOLD_ERROR_NOT_FOUND if there is no such object, _UNKNOWN_CLASS, _UNKNOWN_PROPERTY, _TYPE_MISMATCH if it is no collection. */
FREEHOLD_API freehold_error_code_t freehold_watch_collection(
    freehold_watch_t *watch, const char *class_name, size_t class_name_length, freehold_key_t key, const char *property,
    size_t property_length, freehold_answer_t *answer);

/* The same, where an element counts as modified only if it is replaced, or if one of these paths from the object that it links to leads to something
 * else than before (see freehold_watch_query_observing). Without any, objects are not looked into. Where elements are no links to objects of one
 * class, paths lead nowhere.
 *
 * Errors: those of freehold_watch_collection; of paths FREEHOLD_ERROR_MALFORMED_INPUT, and where they lead, _UNKNOWN_PROPERTY, _TYPE_MISMATCH. */
FREEHOLD_API freehold_error_code_t freehold_watch_collection_observing(
    freehold_watch_t *watch, const char *class_name, size_t class_name_length, freehold_key_t key, const char *property,
    size_t property_length, size_t path_count, const freehold_text_t *paths, freehold_answer_t *answer);

/* Follows the collection that a handle stands for, of whatever reader of the watch's database, also one within another collection; the handle may be
 * closed. With NULL for `paths` it is as freehold_watch_collection, else as freehold_watch_collection_observing. */
FREEHOLD_API freehold_error_code_t freehold_watch_place(
    freehold_watch_t *watch, const freehold_collection_t *collection, size_t path_count, const freehold_text_t *paths,
    freehold_answer_t *answer);

/* Follows a query about the objects that a collection links to, in its order and as often as they are in it, unless the query sorts; an empty answer
 * once the collection's object is gone. `paths` as of freehold_watch_place.
 *
 * Errors: those of freehold_watch_query_observing; FREEHOLD_ERROR_TYPE_MISMATCH if the elements are no links to objects of one class. */
FREEHOLD_API freehold_error_code_t freehold_watch_query_among(
    freehold_watch_t *watch, const freehold_collection_t *collection, const char *text, size_t text_length, size_t argument_count,
    const freehold_value_t *arguments, size_t path_count, const freehold_text_t *paths, freehold_answer_t *answer);

/* Follows an object: which of its properties change, and whether it is deleted; then it is gone for good, also if another object gets its key.
 * Errors: FREEHOLD_ERROR_NOT_FOUND if there is no such object, _UNKNOWN_CLASS. */
FREEHOLD_API freehold_error_code_t freehold_watch_object(
    freehold_watch_t *watch, const char *class_name, size_t class_name_length, freehold_key_t key, freehold_answer_t *answer);

/* Follows the whole database: every newer version is told, with the classes in which something changed; freehold_changes_between tells what. */
FREEHOLD_API freehold_error_code_t freehold_watch_database(freehold_watch_t *watch, freehold_answer_t *answer);

/* How many objects, groups or elements an answer has; of an object 1, or 0 if it is gone. Errors: FREEHOLD_ERROR_INVALID_ARGUMENT
 * if it is followed no longer, _TYPE_MISMATCH for the database. */
FREEHOLD_API freehold_error_code_t freehold_watch_count(const freehold_watch_t *watch, freehold_answer_t answer, uint64_t *count);

/* The keys of a query's objects from position `first` on, at most `capacity`; `*filled` is less only at the end.
 * FREEHOLD_ERROR_TYPE_MISMATCH for everything else. */
FREEHOLD_API freehold_error_code_t freehold_watch_keys(
    const freehold_watch_t *watch, freehold_answer_t answer, uint64_t first, size_t capacity, freehold_key_t *keys, size_t *filled);

/* Follows an answer no longer. */
FREEHOLD_API freehold_error_code_t freehold_watch_stop(freehold_watch_t *watch, freehold_answer_t answer);

/* What changed in an answer. What has moved among the others is deleted and inserted. Applied in this order it turns the old answer into
 * the new one: deletions from the last to the first, insertions from the first to the last, and what is at `modified` read anew. */
typedef struct {
    size_t size;
    freehold_answer_t answer;
    /* FREEHOLD_OK, or why the answer is followed no longer: the newer version does not have what it asks for. */
    freehold_error_code_t code;
    /* Of a collection: its object, and all elements with it, is gone. Of an object: it was deleted. */
    bool gone;
    /* In the old answer. */
    freehold_positions_t deletions;
    /* In the new answer. */
    freehold_positions_t insertions;
    /* Of what stayed and changed: in the old answer, and in the new one. */
    freehold_positions_t modifications;
    freehold_positions_t modified;
    /* The older version; NULL if it was taken away while the watch slept. */
    const freehold_reader_t *before;
    /* The newer version. */
    const freehold_reader_t *after;
    /* Of an object: the properties whose values differ. If the older version was taken away, all of them. */
    freehold_texts_t properties;
    /* Of a map: the keys that are gone, those that were not there, and those whose values changed. */
    freehold_texts_t deleted_keys;
    freehold_texts_t inserted_keys;
    freehold_texts_t modified_keys;
    /* Of the database: the classes whose objects or properties changed, those made and those dropped. If the older version was taken away,
     * all that there are. */
    freehold_texts_t classes;
} freehold_delivery_t;

/* Called for each answer that has changed, in the order in which they were followed; what it is shown lives until it returns. It may follow
 * more, and stop, but not deliver or close. */
typedef void (*freehold_delivery_callback_t)(void *context, const freehold_delivery_t *delivery);

/* Brings every answer to the newest version, and calls back with what changed. `*moved` tells whether there was a newer version. Call it
 * when the descriptor is readable, or whenever you like. */
FREEHOLD_API freehold_error_code_t freehold_watch_deliver(
    freehold_watch_t *watch, freehold_delivery_callback_t callback, void *context, bool *moved);

/* Ends the handle. */
FREEHOLD_API freehold_error_code_t freehold_watch_close(freehold_watch_t *watch);

FREEHOLD_END
#endif
