/* Results: the objects that a query found, as keys, and their properties in bulk. */
#ifndef FREEHOLD_RESULTS_H
#define FREEHOLD_RESULTS_H

#include "base.h"
#include "error.h"
#include "value.h"

FREEHOLD_BEGIN

/* The keys of all objects, in the query's order: valid until the results are closed, even if the objects change or
 * are deleted. */
FREEHOLD_API freehold_error_code_t freehold_results_keys(
    const freehold_results_t *results, const freehold_key_t **keys, uint64_t *count);

/* Fills `values` with properties of the objects from number `first` on, object by object (room for capacity × count;
 * `properties` NULL means the first `count`). `*filled` is the number of objects read: less than `capacity` only at
 * the end.
 *
 *     freehold_value_t values[256];
 *     size_t filled = 256;
 *     for (uint64_t first = 0; filled == 256; first += filled) {
 *         if (freehold_results_get(results, first, 256, 1, &name, values, &filled) != FREEHOLD_OK) break;
 *         for (size_t i = 0; i < filled; i++) ...
 *     }
 *
 * Errors: FREEHOLD_ERROR_OBJECT_DELETED if one of them was deleted, in the version that the reader shows now. */
FREEHOLD_API freehold_error_code_t freehold_results_get(
    const freehold_results_t *results, uint64_t first, size_t capacity, size_t count, const freehold_property_t *properties,
    freehold_value_t *values, size_t *filled);

/* Reads one property of the objects from number `first` on, as an array of integers: ints, bools (0 and 1), links
 * (the key), and dates (nanoseconds since 1970). Where the property is null the value is 0, and `nulls` (may be NULL)
 * has 1, else 0.
 *
 * Errors: FREEHOLD_ERROR_OBJECT_DELETED as in freehold_results_get, FREEHOLD_ERROR_TYPE_MISMATCH for other types,
 * FREEHOLD_ERROR_VALUE_TOO_LARGE for a date that is not between the years 1678 and 2262. */
FREEHOLD_API freehold_error_code_t freehold_results_integers(
    const freehold_results_t *results, freehold_property_t property, uint64_t first, size_t capacity, int64_t *values, uint8_t *nulls,
    size_t *filled);

/* Reads one property as freehold_results_integers does, as an array of reals: doubles, floats, ints and bools. Where
 * the property is null the value is NaN. */
FREEHOLD_API freehold_error_code_t freehold_results_reals(
    const freehold_results_t *results, freehold_property_t property, uint64_t first, size_t capacity, double *values, uint8_t *nulls,
    size_t *filled);

/* Opens the same objects through another reader of the database, whatever version it shows. So one thread can find
 * objects that other threads read, each with a snapshot of its own. Call it on the thread that uses `results`, and
 * hand the other reader over afterwards. */
FREEHOLD_API freehold_error_code_t freehold_results_another(
    const freehold_results_t *results, const freehold_reader_t *reader, freehold_results_t **another);

/* Deletes the objects that still exist, all of them or, after an error, none; the results must belong to the
 * transaction's reader. `*count` is the number of objects deleted. */
FREEHOLD_API freehold_error_code_t freehold_results_delete(
    const freehold_results_t *results, freehold_transaction_t *transaction, uint64_t *count);

/* Ends the handle. */
FREEHOLD_API freehold_error_code_t freehold_results_close(freehold_results_t *results);

FREEHOLD_END
#endif
