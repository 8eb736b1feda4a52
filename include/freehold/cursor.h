/* Cursors: all objects of a class, many at a time. */
#ifndef FREEHOLD_CURSOR_H
#define FREEHOLD_CURSOR_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* A cursor over the objects of a class by ascending key, that reads these properties of each (`count` may be 0;
 * `properties` NULL means the first `count`). */
FREEHOLD_API freehold_error_code_t freehold_cursor_open(
    const freehold_reader_t *reader, freehold_class_t object_class, size_t count, const freehold_property_t *properties,
    freehold_cursor_t **cursor);

/* Goes on from the first object whose key is at least `key`. */
FREEHOLD_API freehold_error_code_t freehold_cursor_seek(freehold_cursor_t *cursor, freehold_key_t key);

/* Fills arrays with the next objects, at most `capacity`: their keys, and of each the cursor's properties, object by object
 * (`values` has room for capacity × count). Either array may be NULL. `*filled` is less than `capacity` only at the end.
 * Some hundred at a time are best. When its snapshot was refreshed, a cursor goes on after its last key in the newer
 * version; over a transaction it sees changes behind that key.
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
 * After an error the cursor stands where it stood. */
FREEHOLD_API freehold_error_code_t freehold_cursor_next(
    freehold_cursor_t *cursor, size_t capacity, freehold_key_t *keys, freehold_value_t *values, size_t *filled);

/* Ends the handle. */
FREEHOLD_API freehold_error_code_t freehold_cursor_close(freehold_cursor_t *cursor);

FREEHOLD_END
#endif
