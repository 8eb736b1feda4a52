/* Objects: counting, finding and reading; creating, changing and deleting. */
#ifndef FREEHOLD_OBJECT_H
#define FREEHOLD_OBJECT_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* The number of objects of a class. */
FREEHOLD_API freehold_error_code_t freehold_object_count(
    const freehold_reader_t *reader, freehold_class_t object_class, uint64_t *count);

/* Whether a class has an object with this key: FREEHOLD_OK or FREEHOLD_ABSENT. */
FREEHOLD_API freehold_error_code_t freehold_object_exists(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_key_t key);

/* Finds the key of the object with this primary key; FREEHOLD_ABSENT if there is none.
 *
 *     freehold_value_t code = freehold_string("EUR", 3);
 *     freehold_key_t key;
 *     if (freehold_object_find(reader, currency, &code, &key) == FREEHOLD_OK) ...
 */
FREEHOLD_API freehold_error_code_t freehold_object_find(
    const freehold_reader_t *reader, freehold_class_t object_class, const freehold_value_t *primary_key, freehold_key_t *key);

/* Reads one or several properties of an object; FREEHOLD_ABSENT if there is no such object. With `properties` NULL
 * the first `count` are read, in the schema's order. After an error `values` may be partly written.
 *
 *     freehold_property_t wanted[2] = { name, age };
 *     freehold_value_t values[2];
 *     if (freehold_object_get(reader, person, key, 2, wanted, values) == FREEHOLD_OK)
 *         printf("%.*s\n", (int)values[0].as.string.length, values[0].as.string.bytes);
 *
 * Collections are read whole; freehold/collection.h reads parts of them. */
FREEHOLD_API freehold_error_code_t freehold_object_get(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_key_t key, size_t count,
    const freehold_property_t *properties, freehold_value_t *values);

/* Reads up to `capacity` bytes of a string or data property, from `offset` on, into `bytes`. `*count` is the number
 * of bytes read (0 at or after the end), `*length` the number that the property has; a null one has none.
 * FREEHOLD_ABSENT if there is no such object. Of a long value only the blocks that hold the part are read, so a value
 * of gigabytes needs no more memory than `bytes`. With `capacity` 0 only the length is returned.
 *
 *     uint64_t offset = 0, length = 0;
 *     size_t count = 0;
 *     while (freehold_object_read_part(reader, image, key, bytes, offset, buffer, sizeof buffer, &count, &length) == FREEHOLD_OK
 *            && count > 0) {
 *         fwrite(buffer, 1, count, file);
 *         offset += count;
 *     }
 *
 * Errors: FREEHOLD_ERROR_TYPE_MISMATCH for a property of another type. */
FREEHOLD_API freehold_error_code_t freehold_object_read_part(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_key_t key, freehold_property_t property,
    uint64_t offset, void *bytes, size_t capacity, size_t *count, uint64_t *length);

/* Creates an object with these properties; the others are null, or the type's zero if required. `primary_key` is NULL
 * if the class has no primary key, or for the class to assign an integer: the number after the maximum there ever
 * was. A synced class assigns none (_NOT_NULLABLE), as other devices would assign the same. With `properties` NULL the
 * values are those of the first `count` properties, in the schema's order; a primary key among them is skipped.
 *
 * Errors: FREEHOLD_ERROR_DUPLICATE_KEY, _NO_SUCH_OBJECT (a link's target), _TYPE_MISMATCH, _NOT_NULLABLE. */
FREEHOLD_API freehold_error_code_t freehold_object_create(
    freehold_transaction_t *transaction, freehold_class_t object_class, const freehold_value_t *primary_key, size_t count,
    const freehold_property_t *properties, const freehold_value_t *values, freehold_key_t *key);

/* Sets properties of an object, all of them or, after an error, none; FREEHOLD_ABSENT if there is no such object.
 * `properties` may be NULL as in freehold_object_get. A primary key can't be changed. */
FREEHOLD_API freehold_error_code_t freehold_object_set(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_key_t key, size_t count,
    const freehold_property_t *properties, const freehold_value_t *values);

/* Adds to an integer property of an object, and gives the sum; FREEHOLD_ABSENT if there is no such object. `sum` may be
 * NULL. For a counter of a synced class the server adds up the increments of all devices; a transaction's increment is
 * the difference that it makes, however the value is set.
 *
 *     freehold_object_increment(transaction, item, key, stock, -1, &left);
 *
 * Errors: FREEHOLD_ERROR_TYPE_MISMATCH for another type, _NOT_NULLABLE if the value is null, _VALUE_TOO_LARGE if the sum
 * does not fit 64 bits; the value stays then. */
FREEHOLD_API freehold_error_code_t freehold_object_increment(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_key_t key, freehold_property_t property,
    int64_t amount, int64_t *sum);

/* Deletes an object; FREEHOLD_ABSENT if there is no such object. Links to it become null. */
FREEHOLD_API freehold_error_code_t freehold_object_delete(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_key_t key);

/* Deletes objects by their keys, all of them or, after an error, none; keys without an object are skipped. `*count`
 * is the number of objects deleted. FREEHOLD_ERROR_DELETE_DENIED if one of them links, through a property whose
 * delete rule denies it, to an object that is not deleted in the same call. */
FREEHOLD_API freehold_error_code_t freehold_objects_delete(
    freehold_transaction_t *transaction, freehold_class_t object_class, size_t key_count, const freehold_key_t *keys, uint64_t *count);

/* The class of an object: `object_class`, or a subclass of it. FREEHOLD_ABSENT if there is no such object. */
FREEHOLD_API freehold_error_code_t freehold_object_class(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_key_t key, freehold_class_t *own_class);

/* Creates an object of an embedded class as the target of a link property, in place of the present target;
 * FREEHOLD_ABSENT if there is no object `key`. `embedded_class` is the class that the property links to, or a
 * subclass of it. */
FREEHOLD_API freehold_error_code_t freehold_object_embed(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_key_t key, freehold_property_t property,
    freehold_class_t embedded_class, size_t count, const freehold_property_t *properties, const freehold_value_t *values,
    freehold_key_t *embedded_key);

FREEHOLD_END
#endif
