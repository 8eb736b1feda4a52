/* Lists, sets and maps of objects, element by element; whole ones are values (freehold_list, freehold_set, freehold_map), which
 * freehold_object_get reads and freehold_object_set takes. */
#ifndef FREEHOLD_COLLECTION_H
#define FREEHOLD_COLLECTION_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* In the place of a position: behind the last element. */
#define FREEHOLD_LAST UINT64_MAX

/* Opens the collection that a property of an object is, or that a mixed property holds. The handle stands for the place, so it stays
 * good while other things change and its snapshot is refreshed; it can change the collection if `reader` is a transaction's.
 *
 *     freehold_collection_t *tags;
 *     freehold_collection_open(freehold_transaction_reader(transaction), person, key, tags_property, &tags);
 *     freehold_value_t tag = freehold_string("new", 3);
 *     freehold_list_insert(tags, FREEHOLD_LAST, 1, &tag);
 *     freehold_collection_close(tags);
 *
 * Errors: FREEHOLD_ABSENT if there is no such object; FREEHOLD_ERROR_TYPE_MISMATCH if the property is no collection. Every call
 * below gives FREEHOLD_ERROR_OBJECT_DELETED once the object is gone. */
FREEHOLD_API freehold_error_code_t freehold_collection_open(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_key_t key, freehold_property_t property,
    freehold_collection_t **collection);

/* Opens a collection within a collection: of a list that at position `at->as.integer`, of a map that under the key `at->as.string`.
 * Errors: FREEHOLD_ERROR_INVALID_ARGUMENT if there is a single value, or nothing. */
FREEHOLD_API freehold_error_code_t freehold_collection_inner(
    const freehold_collection_t *collection, const freehold_value_t *at, freehold_collection_t **inner);

/* The same collection through another reader of the database, a transaction's too: then it can be changed. FREEHOLD_ABSENT if there is no such
 * object; see freehold_results_another. */
FREEHOLD_API freehold_error_code_t freehold_collection_another(
    const freehold_collection_t *collection, const freehold_reader_t *reader, freehold_collection_t **another);

/* FREEHOLD_TYPE_LIST, _SET or _MAP. */
FREEHOLD_API freehold_error_code_t freehold_collection_kind(const freehold_collection_t *collection, freehold_type_t *kind);

/* How many elements there are. */
FREEHOLD_API freehold_error_code_t freehold_collection_count(const freehold_collection_t *collection, uint64_t *count);

/* Fills arrays with elements from position `first` on, at most `capacity`, and of a map with their keys; either array may be NULL. Sets
 * are in the order of their values, maps in that of their keys. `*filled` is less than `capacity` only at the end. Text, data and
 * collections are valid until the next call of this function, or until the collection is closed. */
FREEHOLD_API freehold_error_code_t freehold_collection_get(
    const freehold_collection_t *collection, uint64_t first, size_t capacity, freehold_text_t *keys, freehold_value_t *values,
    size_t *filled);

/* Where a value is, or, of a map, a key (a string): its first position, or FREEHOLD_ABSENT. Of a list every element may be looked at. */
FREEHOLD_API freehold_error_code_t freehold_collection_find(
    const freehold_collection_t *collection, const freehold_value_t *value, uint64_t *position);

/* Puts values into a list before the one at `position`, which may be the list's count or FREEHOLD_LAST.
 *
 * Errors, of all that change: FREEHOLD_ERROR_NOT_IN_WRITE if the collection was not opened with a transaction's reader,
 * FREEHOLD_ERROR_TYPE_MISMATCH for another kind of collection and for values that do not fit, _NOT_NULLABLE, _NO_SUCH_OBJECT,
 * _INVALID_ARGUMENT for a position that there is not. Then nothing has changed. */
FREEHOLD_API freehold_error_code_t freehold_list_insert(
    freehold_collection_t *list, uint64_t position, size_t count, const freehold_value_t *values);

/* Puts another value in an element's place. */
FREEHOLD_API freehold_error_code_t freehold_list_set(freehold_collection_t *list, uint64_t position, const freehold_value_t *value);

/* Takes elements out of a list, from a position on. */
FREEHOLD_API freehold_error_code_t freehold_list_remove(freehold_collection_t *list, uint64_t position, uint64_t count);

/* Takes an element of a list to another position, at which it stands afterwards. */
FREEHOLD_API freehold_error_code_t freehold_list_move(freehold_collection_t *list, uint64_t position, uint64_t target);

/* Exchanges two elements of a list. */
FREEHOLD_API freehold_error_code_t freehold_list_swap(freehold_collection_t *list, uint64_t one, uint64_t other);

/* Adds those values that the set does not have. */
FREEHOLD_API freehold_error_code_t freehold_set_insert(freehold_collection_t *set, size_t count, const freehold_value_t *values);

/* Takes those values out that the set has. */
FREEHOLD_API freehold_error_code_t freehold_set_remove(freehold_collection_t *set, size_t count, const freehold_value_t *values);

/* Sets the value under a key. */
FREEHOLD_API freehold_error_code_t freehold_map_set(
    freehold_collection_t *map, const char *key, size_t key_length, const freehold_value_t *value);

/* Takes a key out of a map, or FREEHOLD_ABSENT. */
FREEHOLD_API freehold_error_code_t freehold_map_remove(freehold_collection_t *map, const char *key, size_t key_length);

/* Takes everything out. */
FREEHOLD_API freehold_error_code_t freehold_collection_clear(freehold_collection_t *collection);

/* Makes an object of an embedded class in a list, before position `at->as.integer` (`at` NULL: at its end), or in a map under the
 * key `at->as.string`, in the place of the one there. `object_class` is the one that the collection leads to, or one that extends it. */
FREEHOLD_API freehold_error_code_t freehold_collection_embed(
    freehold_collection_t *collection, const freehold_value_t *at, freehold_class_t object_class, size_t count,
    const freehold_property_t *properties, const freehold_value_t *values, freehold_key_t *key);

/* Ends the handle. */
FREEHOLD_API freehold_error_code_t freehold_collection_close(freehold_collection_t *collection);

FREEHOLD_END
#endif
