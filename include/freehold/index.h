/* Look-ups through the ordered indexes of properties, and links followed backwards. */
#ifndef FREEHOLD_INDEX_H
#define FREEHOLD_INDEX_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* How many objects have this value in an indexed property; FREEHOLD_ERROR_INVALID_ARGUMENT if it is not indexed. */
FREEHOLD_API freehold_error_code_t freehold_index_count(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property,
    const freehold_value_t *value, uint64_t *count);

/* The keys of the objects that have this value, ascending. At most `capacity` of them are written; `*count` tells how many
 * there are. */
FREEHOLD_API freehold_error_code_t freehold_index_equal(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property,
    const freehold_value_t *value, size_t capacity, freehold_key_t *keys, uint64_t *count);

/* The keys of the objects whose value is at least `*from` and below `*to` (NULL: no limit), ordered by value, then by key.
 * At most `capacity` are written; `*count` tells how many. There is no way to go on: a cursor does that.
 *
 *     freehold_value_t from = freehold_int(18), to = freehold_int(65);
 *     freehold_index_range(reader, person, age, &from, &to, false, 100, keys, &count);
 */
FREEHOLD_API freehold_error_code_t freehold_index_range(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property,
    const freehold_value_t *from, const freehold_value_t *to, bool descending, size_t capacity, freehold_key_t *keys,
    uint64_t *count);

/* A cursor over those objects, in that order or from the end: for ranges of any size. `*from` and `*to` are copied. Of a property that is the
 * object's own key no index is needed. Errors: those of freehold_index_range. */
FREEHOLD_API freehold_error_code_t freehold_index_cursor_open(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property,
    const freehold_value_t *from, const freehold_value_t *to, bool descending, freehold_index_cursor_t **cursor);

/* Fills `keys` with the next objects, at most `capacity`; `*filled` is less only at the end. Where to go on is found by the index, however
 * many objects have one value; some hundred at a time are best. An object comes as often as it is in the index: of a list or a set of links,
 * once for each object it links to.
 *
 *     freehold_index_cursor_t *cursor;
 *     freehold_key_t keys[256];
 *     size_t filled = 256;
 *     freehold_index_cursor_open(reader, person, age, &from, NULL, false, &cursor);
 *     while (filled == 256 && freehold_index_cursor_next(cursor, 256, keys, &filled) == FREEHOLD_OK)
 *         for (size_t i = 0; i < filled; i++) ...
 *     freehold_index_cursor_close(cursor);
 *
 * When its snapshot was refreshed, a cursor goes on behind the last object's place in the newer version: the value that it had, and its key.
 * Over a transaction it sees changes behind that place, so an object whose value was changed may come again, or not at all.
 * After an error the cursor stands where it stood; FREEHOLD_ERROR_TYPE_MISMATCH if the property has values of another type now. */
FREEHOLD_API freehold_error_code_t freehold_index_cursor_next(
    freehold_index_cursor_t *cursor, size_t capacity, freehold_key_t *keys, size_t *filled);

/* Ends the handle. */
FREEHOLD_API freehold_error_code_t freehold_index_cursor_close(freehold_index_cursor_t *cursor);

/* The keys of the objects of `origin` that link to the object `key` through `property`, a link of theirs; ascending. At
 * most `capacity` are written (none with 0, then `keys` may be NULL); `*count` tells how many there are. */
FREEHOLD_API freehold_error_code_t freehold_object_backlinks(
    const freehold_reader_t *reader, freehold_key_t key, freehold_class_t origin, freehold_property_t property,
    size_t capacity, freehold_key_t *keys, uint64_t *count);

FREEHOLD_END
#endif
