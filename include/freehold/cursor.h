/* Cursors: all objects of a class, many at a time. */
#ifndef FREEHOLD_CURSOR_H
#define FREEHOLD_CURSOR_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* Opens a cursor over the objects of a class by ascending key, which reads the given properties of each object
 * (`count` may be 0; `properties` NULL means the first `count`). */
FREEHOLD_API freehold_error_code_t freehold_cursor_open(
    const freehold_reader_t *reader, freehold_class_t object_class, size_t count, const freehold_property_t *properties,
    freehold_cursor_t **cursor);

/* Moves the cursor to the first object whose key is at least `key`. */
FREEHOLD_API freehold_error_code_t freehold_cursor_seek(freehold_cursor_t *cursor, freehold_key_t key);

/* Fills arrays with up to `capacity` next objects: their keys and the cursor's properties, object by object (`values`
 * has room for capacity × count). Either array may be NULL. `*filled` is less than `capacity` only at the end. A few
 * hundred objects per call are best. After its snapshot was refreshed, a cursor continues after its last key in the
 * newer version; over a transaction it sees changes after that key.
 *
 *     freehold_cursor_t *cursor;
 *     freehold_key_t keys[256];
 *     freehold_value_t names[256];
 *     size_t filled = 256;
 *     freehold_cursor_open(reader, person, 1, &name, &cursor);
 *     while (filled == 256 && freehold_cursor_next(cursor, 256, keys, names, &filled) == FREEHOLD_OK)
 *         for (size_t i = 0; i < filled; i++) ...
 *     freehold_cursor_close(cursor);
 *
 * After an error the cursor keeps its position. */
FREEHOLD_API freehold_error_code_t freehold_cursor_next(
    freehold_cursor_t *cursor, size_t capacity, freehold_key_t *keys, freehold_value_t *values, size_t *filled);

/* Ends the handle. */
FREEHOLD_API freehold_error_code_t freehold_cursor_close(freehold_cursor_t *cursor);

FREEHOLD_END
#endif
