/* Lookups in the ordered indexes of properties, and backlinks. */
#ifndef FREEHOLD_INDEX_H
#define FREEHOLD_INDEX_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* The number of objects that have this value in an indexed property; FREEHOLD_ERROR_INVALID_ARGUMENT if it is not
 * indexed. */
FREEHOLD_API freehold_error_code_t freehold_index_count(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property,
    const freehold_value_t *value, uint64_t *count);

/* The keys of the objects that have this value in an indexed property, ascending. At most `capacity` keys are
 * written; `*count` is the number of objects. */
FREEHOLD_API freehold_error_code_t freehold_index_equal(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property,
    const freehold_value_t *value, size_t capacity, freehold_key_t *keys, uint64_t *count);

/* The keys of the objects whose value is at least `*from` and below `*to` (NULL: no limit), ordered by value, then by
 * key. At most `capacity` keys are written; `*count` is the number of objects. This function cannot continue after
 * `capacity` keys: use a cursor.
 *
 *     freehold_value_t from = freehold_int(18), to = freehold_int(65);
 *     freehold_index_range(reader, person, age, &from, &to, false, 100, keys, &count);
 */
FREEHOLD_API freehold_error_code_t freehold_index_range(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property,
    const freehold_value_t *from, const freehold_value_t *to, bool descending, size_t capacity, freehold_key_t *keys,
    uint64_t *count);

/* Opens a cursor over the objects of freehold_index_range, in the same order or descending, for ranges of any size.
 * `*from` and `*to` are copied. A property that is the object key needs no index. Errors: those of
 * freehold_index_range. */
FREEHOLD_API freehold_error_code_t freehold_index_cursor_open(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property,
    const freehold_value_t *from, const freehold_value_t *to, bool descending, freehold_index_cursor_t **cursor);

/* Fills `keys` with up to `capacity` next objects; `*filled` is less than `capacity` only at the end. The index finds
 * the position to continue at, however many objects have the same value; a few hundred objects per call are best. An
 * object is returned as often as it is in the index: for a list or a set of links, once for each object it links to.
 *
 *     freehold_index_cursor_t *cursor;
 *     freehold_key_t keys[256];
 *     size_t filled = 256;
 *     freehold_index_cursor_open(reader, person, age, &from, NULL, false, &cursor);
 *     while (filled == 256 && freehold_index_cursor_next(cursor, 256, keys, &filled) == FREEHOLD_OK)
 *         for (size_t i = 0; i < filled; i++) ...
 *     freehold_index_cursor_close(cursor);
 *
 * After its snapshot was refreshed, a cursor continues after the last object's position in the newer version: the
 * value that it had, and its key. Over a transaction it sees changes after that position, so an object whose value
 * was changed may be returned again, or not at all. After an error the cursor keeps its position;
 * FREEHOLD_ERROR_TYPE_MISMATCH if the property now has values of another type. */
FREEHOLD_API freehold_error_code_t freehold_index_cursor_next(
    freehold_index_cursor_t *cursor, size_t capacity, freehold_key_t *keys, size_t *filled);

/* Ends the handle. */
FREEHOLD_API freehold_error_code_t freehold_index_cursor_close(freehold_index_cursor_t *cursor);

/* The keys of the objects of `origin` that link to the object `key` through their property `property`, ascending. At
 * most `capacity` keys are written (with 0 none, and `keys` may be NULL); `*count` is the number of objects. */
FREEHOLD_API freehold_error_code_t freehold_object_backlinks(
    const freehold_reader_t *reader, freehold_key_t key, freehold_class_t origin, freehold_property_t property,
    size_t capacity, freehold_key_t *keys, uint64_t *count);

FREEHOLD_END
#endif
