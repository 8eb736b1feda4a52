/* Sequences: named counters of a class, independent of the keys of its objects. */
#ifndef FREEHOLD_SEQUENCE_H
#define FREEHOLD_SEQUENCE_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* Takes the next number of a sequence: 1 at first, then always one more than the last. No two committed transactions,
 * of any process, get the same number, and none is left out. Taking its first number, or freehold_sequence_set, creates
 * a sequence.
 *
 * Errors: FREEHOLD_ERROR_INVALID_ARGUMENT for an empty name or one of more than 63 bytes, and for more than 64
 * sequences. */
FREEHOLD_API freehold_error_code_t freehold_sequence_next(
    freehold_transaction_t *transaction, freehold_class_t object_class, const char *name, size_t name_length, int64_t *number);

/* Sets the last number of a sequence, so that it continues after `last`, which must not be below its present last
 * number. */
FREEHOLD_API freehold_error_code_t freehold_sequence_set(
    freehold_transaction_t *transaction, freehold_class_t object_class, const char *name, size_t name_length, int64_t last);

/* The last number of a sequence; FREEHOLD_ABSENT if there is none. */
FREEHOLD_API freehold_error_code_t freehold_sequence_last(
    const freehold_reader_t *reader, freehold_class_t object_class, const char *name, size_t name_length, int64_t *last);

FREEHOLD_END
#endif
