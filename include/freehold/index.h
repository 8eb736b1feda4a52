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
 * At most `capacity` are written; `*count` tells how many.
 *
 *     freehold_value_t from = freehold_int(18), to = freehold_int(65);
 *     freehold_index_range(reader, person, age, &from, &to, false, 100, keys, &count);
 */
FREEHOLD_API freehold_error_code_t freehold_index_range(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property,
    const freehold_value_t *from, const freehold_value_t *to, bool descending, size_t capacity, freehold_key_t *keys,
    uint64_t *count);

/* The keys of the objects of `origin` that link to the object `key` through `property`, a link of theirs; ascending. At
 * most `capacity` are written (none with 0, then `keys` may be NULL); `*count` tells how many there are. */
FREEHOLD_API freehold_error_code_t freehold_object_backlinks(
    const freehold_reader_t *reader, freehold_key_t key, freehold_class_t origin, freehold_property_t property,
    size_t capacity, freehold_key_t *keys, uint64_t *count);

FREEHOLD_END
#endif
