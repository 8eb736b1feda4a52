/* Long strings and data: parts of them, and values of up to 4 GiB written piece by piece while others commit. */
#ifndef FREEHOLD_LARGE_VALUE_H
#define FREEHOLD_LARGE_VALUE_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* Passed as an offset: the value's end. */
#define FREEHOLD_AT_END UINT64_MAX

/* Overwrites a part of a string or data property, and extends the value past its end if needed. `offset` is at most
 * the value's present length, or FREEHOLD_AT_END to append. Only the blocks that hold the part are written. A null
 * property becomes the bytes written. FREEHOLD_ABSENT if there is no such object.
 *
 * Errors: FREEHOLD_ERROR_VALUE_TOO_LARGE beyond 4 GiB, FREEHOLD_ERROR_TYPE_MISMATCH for other types,
 * FREEHOLD_ERROR_INVALID_ARGUMENT for an offset after the end, and for a write that would cut a character of a string
 * in two. */
FREEHOLD_API freehold_error_code_t freehold_object_write_part(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_key_t key, freehold_property_t property,
    uint64_t offset, const void *bytes, size_t count);

/* Truncates a string or data property to its first `length` bytes; it must have at least as many. Outcomes and errors
 * are those of freehold_object_write_part. */
FREEHOLD_API freehold_error_code_t freehold_object_truncate(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_key_t key, freehold_property_t property,
    uint64_t length);

/* Opens a value of up to 4 GiB, to be written piece by piece. Its bytes go into the file outside the writer lock, so
 * others commit meanwhile; no reader sees them before a transaction sets a property to the value. `expected_length`
 * is a hint of the final length, or 0.
 *
 *     freehold_large_value_t *value;
 *     freehold_error_code_t code = freehold_large_value_open(database, length, &value);
 *     while (code == FREEHOLD_OK && (count = fread(buffer, 1, sizeof buffer, file)) > 0)
 *         code = freehold_large_value_write(value, buffer, count);
 *     if (code == FREEHOLD_OK) code = freehold_large_value_finish(value);
 *     if (code == FREEHOLD_OK) code = freehold_transaction_begin(database, FREEHOLD_DEFAULT_TIMEOUT, &transaction);
 *     if (code == FREEHOLD_OK) code = freehold_object_set_large_value(transaction, film, key, frames, value);
 *     if (code == FREEHOLD_OK) code = freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL);
 *     freehold_large_value_close(value);
 *
 * Errors: FREEHOLD_ERROR_VALUE_TOO_LARGE, FREEHOLD_ERROR_READ_ONLY. */
FREEHOLD_API freehold_error_code_t freehold_large_value_open(
    const freehold_database_t *database, uint64_t expected_length, freehold_large_value_t **value);

/* Appends bytes to the value. Must not be called within a transaction of the same thread: occasionally it needs the
 * writer lock for a moment. After any error but FREEHOLD_ERROR_VALUE_TOO_LARGE the value is lost. */
FREEHOLD_API freehold_error_code_t freehold_large_value_write(freehold_large_value_t *value, const void *bytes, size_t count);

/* Completes the value and makes it durable; then a transaction can set a property to it. */
FREEHOLD_API freehold_error_code_t freehold_large_value_finish(freehold_large_value_t *value);

/* Ends the handle. If no committed transaction has set a property to the value, its space is freed. */
FREEHOLD_API freehold_error_code_t freehold_large_value_close(freehold_large_value_t *value);

/* Sets a string or data property to a finished value. The value is used up once the transaction is committed; if the
 * handle is closed before, the commit fails. The bytes of a string should be UTF-8. FREEHOLD_ABSENT if there is no
 * such object.
 *
 * Errors: FREEHOLD_ERROR_VALUE_TOO_LARGE for an indexed property, FREEHOLD_ERROR_TYPE_MISMATCH for other types,
 * FREEHOLD_ERROR_INVALID_ARGUMENT for a value that is not finished, was used, or belongs to another database. */
FREEHOLD_API freehold_error_code_t freehold_object_set_large_value(
    freehold_transaction_t *transaction, freehold_class_t object_class, freehold_key_t key, freehold_property_t property,
    const freehold_large_value_t *value);

FREEHOLD_END
#endif
