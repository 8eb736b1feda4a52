/* Objects: count, find, read; create, set, delete. */
#ifndef FREEHOLD_OBJECT_H
#define FREEHOLD_OBJECT_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* How many objects a class has. */
FREEHOLD_API freehold_error_code_t freehold_object_count(
    const freehold_reader_t *reader, freehold_class_t object_class, uint64_t *count);

/* FREEHOLD_OK if the class has an object with this key, else FREEHOLD_ABSENT. */
FREEHOLD_API freehold_error_code_t freehold_object_exists(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_key_t key);

/* The key of the object with this primary key, or FREEHOLD_ABSENT.
 *
 *     freehold_value_t code = freehold_string("EUR", 3);
 *     freehold_key_t key;
 *     if (freehold_object_find(reader, currency, &code, &key) == FREEHOLD_OK) ...
 */
FREEHOLD_API freehold_error_code_t freehold_object_find(
    const freehold_reader_t *reader, freehold_class_t object_class, const freehold_value_t *primary_key, freehold_key_t *key);

/* Reads properties of an object, one or several at once, or FREEHOLD_ABSENT. With `properties` NULL the first `count` are
 * read, in the schema's order. After an error `values` may be half written.
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

/* Reads a part of a string or data property into `bytes`: up to `capacity` bytes from `offset` on. `count` gets how many
 * were read (0 at or behind the end), `length` how many the property has; a null one has none. FREEHOLD_ABSENT if there is
 * no such object. Of a long value only what holds the part is read, so a value of gigabytes needs no more memory than
 * `bytes`. With `capacity` 0 it tells the length alone.
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

/* Makes an object with these properties; the others are null, or the type's zero if required. `primary_key` is NULL
 * where the class has none, or where an integer is to be given by the class: the number after the greatest there was. With
 * `properties` NULL the first `count` are meant, in the schema's order; a primary key among them is passed over.
 *
 * Errors: FREEHOLD_ERROR_DUPLICATE_KEY, _NO_SUCH_OBJECT (a link's target), _TYPE_MISMATCH, _NOT_NULLABLE. */
FREEHOLD_API freehold_error_code_t freehold_object_create(
    freehold_transaction_t *transaction, freehold_class_t object_class, const freehold_value_t *primary_key, size_t count,
    const freehold_property_t *properties, const freehold_value_t *values, freehold_key_t *key);

/* Sets properties of an object, all of them or, after an error, none; FREEHOLD_ABSENT if there is no such object.
 * `properties` as for freehold_object_get. A primary key can't be changed. */
FREEHOLD_API freehold_error_code_t freehold_object_set(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_key_t key, size_t count,
    const freehold_property_t *properties, const freehold_value_t *values);

/* Deletes an object, or FREEHOLD_ABSENT. Links to it become null. */
FREEHOLD_API freehold_error_code_t freehold_object_delete(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_key_t key);

/* Deletes objects by their keys, all of them or, after an error, none; keys without an object are passed over. `*count` is how many there were.
 * FREEHOLD_ERROR_DELETE_DENIED if one of them links through a property that denies that to an object that is not deleted in the same call. */
FREEHOLD_API freehold_error_code_t freehold_objects_delete(
    freehold_transaction_t *transaction, freehold_class_t object_class, size_t key_count, const freehold_key_t *keys, uint64_t *count);

/* The class of an object: the one asked for, or one that extends it. FREEHOLD_ABSENT if there is no such object. */
FREEHOLD_API freehold_error_code_t freehold_object_class(
    const freehold_reader_t *reader, freehold_class_t object_class, freehold_key_t key, freehold_class_t *own_class);

/* Makes an object of an embedded class that a link property leads to, in the place of the one it has, or FREEHOLD_ABSENT.
 * `embedded_class` is the class the property leads to, or one that extends it. */
FREEHOLD_API freehold_error_code_t freehold_object_embed(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_key_t key, freehold_property_t property,
    freehold_class_t embedded_class, size_t count, const freehold_property_t *properties, const freehold_value_t *values,
    freehold_key_t *embedded_key);

FREEHOLD_END
#endif
