/* Sequences: numbers that a class counts by name, beside the keys of its objects. */
#ifndef FREEHOLD_SEQUENCE_H
#define FREEHOLD_SEQUENCE_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* The next number of a sequence: 1 at first, then always one more than the last. No two committed transactions, of any process,
 * get the same one, and none is left out. A sequence begins when its first number is asked for.
 *
 * Errors: FREEHOLD_ERROR_INVALID_ARGUMENT for an empty name or one of more than 63 bytes, and for more than 64 sequences. */
FREEHOLD_API freehold_error_code_t freehold_sequence_next(
    freehold_transaction_t *transaction, freehold_class_t object_class, const char *name, size_t name_length, int64_t *number);

/* Makes a sequence go on behind `last`, which is not below the last number given. */
FREEHOLD_API freehold_error_code_t freehold_sequence_set(
    freehold_transaction_t *transaction, freehold_class_t object_class, const char *name, size_t name_length, int64_t last);

/* The last number that a sequence has given, or FREEHOLD_ABSENT. */
FREEHOLD_API freehold_error_code_t freehold_sequence_last(
    const freehold_reader_t *reader, freehold_class_t object_class, const char *name, size_t name_length, int64_t *last);

FREEHOLD_END
#endif
