/* Columns: one property of many objects as one array, for reading and for creating objects. */
#ifndef FREEHOLD_COLUMN_H
#define FREEHOLD_COLUMN_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* Fills arrays with one property of the objects of a class by ascending key, from the first key that is at least
 * `*next`; `*next` is then the key to continue with. Any array may be NULL, but not all of them. `*filled` is less
 * than `capacity` only at the end. The values and the errors are those of freehold_results_integers.
 *
 *     int64_t *ages = malloc(count * sizeof *ages);
 *     freehold_key_t next = INT64_MIN;
 *     size_t filled;
 *     freehold_column_integers(reader, person, age, &next, count, NULL, ages, NULL, &filled);
 */
FREEHOLD_API freehold_error_code_t freehold_column_integers(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property, freehold_key_t *next,
    size_t capacity, freehold_key_t *keys, int64_t *values, uint8_t *nulls, size_t *filled);

/* Fills arrays as freehold_column_integers does, with the property as reals, as in freehold_results_reals. */
FREEHOLD_API freehold_error_code_t freehold_column_reals(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_property_t property, freehold_key_t *next,
    size_t capacity, freehold_key_t *keys, double *values, uint8_t *nulls, size_t *filled);

/* The values of one property for many objects. */
typedef struct {
    size_t size;
    freehold_property_t property;
    /* The type of the elements of `values`: FREEHOLD_TYPE_INT for int64_t (for int, link and date properties, dates
     * in nanoseconds since 1970), _DOUBLE for double, _FLOAT for float, _BOOL for uint8_t, _STRING and _DATA for
     * freehold_text_t, _MIXED for freehold_value_t (for any property). */
    freehold_type_t type;
    const void *values;
    /* One byte for each object: 1 where the property is null, whatever `values` holds there; or NULL. */
    const uint8_t *nulls;
} freehold_column_t;

/* Creates many objects from arrays of property values, all of them or none; several times as fast as one by one.
 * Properties without an array are null, or the type's zero if required; a class with a primary key needs its values.
 * `*first` is the first object's key, if there is an object; if the class assigns the keys, those of the other
 * objects follow it.
 *
 *     const int64_t ids[] = { 1, 2 };
 *     const freehold_text_t names[] = { { "Ada", 3 }, { "Charles", 7 } };
 *     const freehold_column_t columns[] = {
 *         { sizeof columns[0], id, FREEHOLD_TYPE_INT, ids, NULL }, { sizeof columns[0], name, FREEHOLD_TYPE_STRING, names, NULL },
 *     };
 *     freehold_objects_create(transaction, person, 2, 2, columns, NULL);
 *
 * Errors: those of freehold_object_create. */
FREEHOLD_API freehold_error_code_t freehold_objects_create(
    freehold_transaction_t *transaction, freehold_class_t object_class, size_t object_count, size_t column_count,
    const freehold_column_t *columns, freehold_key_t *first);

FREEHOLD_END
#endif
