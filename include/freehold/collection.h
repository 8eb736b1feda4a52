/* Lists, sets and maps of objects, element by element. Whole collections are values (freehold_list, freehold_set,
 * freehold_map), which freehold_object_get reads and freehold_object_set writes. */
#ifndef FREEHOLD_COLLECTION_H
#define FREEHOLD_COLLECTION_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* Passed as a position: after the last element. */
#define FREEHOLD_LAST UINT64_MAX

/* Opens the collection that a property of an object is, or that a mixed property holds. The handle stands for the
 * collection's place, so it stays valid while other things change and while its snapshot is refreshed. It can change
 * the collection if `reader` is a transaction's.
 *
 *     freehold_collection_t *tags;
 *     freehold_collection_open(freehold_transaction_reader(transaction), person, key, tags_property, &tags);
 *     freehold_value_t tag = freehold_string("new", 3);
 *     freehold_list_insert(tags, FREEHOLD_LAST, 1, &tag);
 *     freehold_collection_close(tags);
 *
 * Errors: FREEHOLD_ABSENT if there is no such object; FREEHOLD_ERROR_TYPE_MISMATCH if the property is not a
 * collection. Every call below returns FREEHOLD_ERROR_OBJECT_DELETED once the object is deleted, and while there is no
 * collection of the same kind at the place: an element that held it was removed, or a mixed value replaced. */
FREEHOLD_API freehold_error_code_t freehold_collection_open(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_key_t key, freehold_property_t property,
    freehold_collection_t **collection);

/* Opens a collection within a collection: in a list the one at position `at->as.integer`, in a map the one under the
 * key `at->as.string`. In a transaction the map need not have the key yet, if the property declares collections there:
 * the first change creates it. Errors: FREEHOLD_ERROR_INVALID_ARGUMENT if there is a single value, or nothing. */
FREEHOLD_API freehold_error_code_t freehold_collection_inner(
    const freehold_collection_t *collection, const freehold_value_t *at, freehold_collection_t **inner);

/* Opens the same collection through another reader of the database; through a transaction's reader it can be changed.
 * FREEHOLD_ABSENT if there is no such object, or no collection of the same kind at the place. See
 * freehold_results_another. */
FREEHOLD_API freehold_error_code_t freehold_collection_another(
    const freehold_collection_t *collection, const freehold_reader_t *reader, freehold_collection_t **another);

/* The kind of a collection: FREEHOLD_TYPE_LIST, _SET or _MAP. */
FREEHOLD_API freehold_error_code_t freehold_collection_kind(const freehold_collection_t *collection, freehold_type_t *kind);

/* The number of elements. */
FREEHOLD_API freehold_error_code_t freehold_collection_count(const freehold_collection_t *collection, uint64_t *count);

/* Fills arrays with up to `capacity` elements from position `first` on, and for a map with their keys; either array
 * may be NULL. Sets are in the order of their values, maps in the order of their keys. `*filled` is less than
 * `capacity` only at the end. Text, data and collections are valid until the next call of this function, or until the
 * collection is closed. */
FREEHOLD_API freehold_error_code_t freehold_collection_get(
    const freehold_collection_t *collection, uint64_t first, size_t capacity, freehold_text_t *keys, freehold_value_t *values,
    size_t *filled);

/* Finds the first position of a value or, in a map, of a key (a string); FREEHOLD_ABSENT if there is none. In a list
 * this may read every element. */
FREEHOLD_API freehold_error_code_t freehold_collection_find(
    const freehold_collection_t *collection, const freehold_value_t *value, uint64_t *position);

/* Inserts values into a list before the element at `position`, which may be the list's count or FREEHOLD_LAST.
 *
 * Errors of all functions that change a collection: FREEHOLD_ERROR_NOT_IN_WRITE if the collection was not opened with
 * a transaction's reader, FREEHOLD_ERROR_TYPE_MISMATCH for another kind of collection and for values that do not fit,
 * _NOT_NULLABLE, _NO_SUCH_OBJECT, _INVALID_ARGUMENT for a position that does not exist. After an error nothing has
 * changed. */
FREEHOLD_API freehold_error_code_t freehold_list_insert(
    freehold_collection_t *list, uint64_t position, size_t count, const freehold_value_t *values);

/* Replaces the element of a list at `position`. */
FREEHOLD_API freehold_error_code_t freehold_list_set(freehold_collection_t *list, uint64_t position, const freehold_value_t *value);

/* Removes `count` elements from a list, from `position` on. */
FREEHOLD_API freehold_error_code_t freehold_list_remove(freehold_collection_t *list, uint64_t position, uint64_t count);

/* Moves an element of a list from `position` to `target`, its position afterwards. */
FREEHOLD_API freehold_error_code_t freehold_list_move(freehold_collection_t *list, uint64_t position, uint64_t target);

/* Swaps two elements of a list. */
FREEHOLD_API freehold_error_code_t freehold_list_swap(freehold_collection_t *list, uint64_t one, uint64_t other);

/* Adds the values that the set does not contain. */
FREEHOLD_API freehold_error_code_t freehold_set_insert(freehold_collection_t *set, size_t count, const freehold_value_t *values);

/* Removes the values that the set contains. */
FREEHOLD_API freehold_error_code_t freehold_set_remove(freehold_collection_t *set, size_t count, const freehold_value_t *values);

/* Sets the value under a key of a map. */
FREEHOLD_API freehold_error_code_t freehold_map_set(
    freehold_collection_t *map, const char *key, size_t key_length, const freehold_value_t *value);

/* Removes a key from a map; FREEHOLD_ABSENT if the map does not have it. */
FREEHOLD_API freehold_error_code_t freehold_map_remove(freehold_collection_t *map, const char *key, size_t key_length);

/* Removes all elements. */
FREEHOLD_API freehold_error_code_t freehold_collection_clear(freehold_collection_t *collection);

/* Creates an object of an embedded class in a collection. In a list the object is inserted before position
 * `at->as.integer` (`at` NULL: at the end); in a map it is set under the key `at->as.string` and replaces the object
 * there. `object_class` is the class that the collection links to, or a subclass of it. */
FREEHOLD_API freehold_error_code_t freehold_collection_embed(
    freehold_collection_t *collection, const freehold_value_t *at, freehold_class_t object_class, size_t count,
    const freehold_property_t *properties, const freehold_value_t *values, freehold_key_t *key);

/* Ends the handle. */
FREEHOLD_API freehold_error_code_t freehold_collection_close(freehold_collection_t *collection);

FREEHOLD_END
#endif
