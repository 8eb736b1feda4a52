// Loops over the rows of one leaf, compiled several times for different vector units; the best version for the
// processor is chosen when the program starts.
//
// *Packed data* is an array of little-endian 64-bit words; row r of width w (1, 2, 4, 8, 16, 32 or 64 bits) is at bit
// r·w and never crosses a word. A *bitmap* is an array of such words with one bit per row. The caller guarantees that
// the arrays hold `count` rows; nothing past the last word that holds one of them is accessed.
#ifndef FREEHOLD_KERNELS_H
#define FREEHOLD_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A 128-bit signed number: high · 2^64 + low.
typedef struct {
    uint64_t low;
    int64_t high;
} freehold_kernel_wide_t;

typedef struct {
    uint64_t minimum;
    uint64_t maximum;
} freehold_kernel_bounds_t;

typedef struct {
    double sum;
    // Over the values that are not NaN; minimum > maximum if there are none.
    double minimum;
    double maximum;
} freehold_kernel_real_t;

// Writes base + field for each row, wrapping. Width 0 writes base.
void freehold_kernel_unpack(const void *data, size_t count, unsigned width, int64_t base, int64_t *values);

// Packs value - base for each row; rows whose bit is set in `nulls` (which may be NULL) become 0. The differences must
// fit the width. Bits past the last row, up to the end of its word, become 0.
void freehold_kernel_pack(const int64_t *values, const uint64_t *nulls, size_t count, unsigned width, int64_t base, void *data);

// The minimum and maximum of the rows that are not null; returns the number of such rows (0: nothing is written).
size_t freehold_kernel_bounds_of(const int64_t *values, const uint64_t *nulls, size_t count, int64_t *minimum, int64_t *maximum);

// The sum of all fields; 64-bit fields are signed, narrower ones unsigned.
freehold_kernel_wide_t freehold_kernel_sum(const void *data, size_t count, unsigned width);

// The minimum and maximum field (as unsigned; 64-bit ones with the sign bit flipped) of rows that are not null; minimum
// > maximum if there are none.
freehold_kernel_bounds_t freehold_kernel_bounds(const void *data, const uint64_t *nulls, size_t count, unsigned width);

// The number of fields with field - low <= span, in the unsigned arithmetic of the width.
size_t freehold_kernel_count_range(const void *data, size_t count, unsigned width, uint64_t low, uint64_t span);

// Sets the bits of matching rows in `matches`, clears all others up to the end of the last word.
void freehold_kernel_select_range(const void *data, size_t count, unsigned width, uint64_t low, uint64_t span, uint64_t *matches);

// Sum, minimum and maximum of the rows that are not null, in one pass. The sum adds eight lanes (row modulo 8) in
// double precision and then the lanes in order, so it is the same on every processor.
freehold_kernel_real_t freehold_kernel_summary_double(const void *values, const uint64_t *nulls, size_t count);
freehold_kernel_real_t freehold_kernel_summary_float(const void *values, const uint64_t *nulls, size_t count);

// Selects rows with low <= value <= high (never NaN).
void freehold_kernel_select_double(const void *values, size_t count, double low, double high, uint64_t *matches);
void freehold_kernel_select_float(const void *values, size_t count, float low, float high, uint64_t *matches);

// The number of bits set in `left & right & ~nulls`; `right` and `nulls` may be NULL.
size_t freehold_kernel_count_bits(const uint64_t *left, const uint64_t *right, const uint64_t *nulls, size_t words);

// MARK: Membership in a set

// Sets the bits of rows with field - first in the bit set `members`, which has `limit` bits; fields of width 0 are 0. Clears
// all others up to the end of the last word, as all selections do.
void freehold_kernel_select_members(const void *data, size_t count, unsigned width, uint64_t first, const uint64_t *members, uint64_t limit, uint64_t *matches);

// Selects rows of 16 or 12 bytes between two bounds, in byte order; low is not after high.
void freehold_kernel_select_ids(const void *rows, size_t count, unsigned width, const uint8_t *low, const uint8_t *high, uint64_t *matches);

// MARK: Strings

// The values of all rows, concatenated in `blob`, with at least eight readable bytes before it; `table` as in a text
// leaf: groups of an offset and 16 lengths, or the offset after each row. The bytes of rows in other forms are treated
// as text.
typedef struct {
    const uint8_t *table;
    const uint8_t *blob;
    size_t blob_length;
    size_t count;
    bool is_short;
} freehold_kernel_texts_t;

// One bound of a range of strings; `bytes` is NULL for none.
typedef struct {
    const uint8_t *bytes;
    size_t count;
    bool is_excluded;
} freehold_kernel_bound_t;

// Selects rows that equal `wanted`, begin or end with it, or contain it; all rows if it is empty (except for `equal`).
// With `folds`, ASCII letters in the rows count as lower case, in which `wanted` must be given.
void freehold_kernel_texts_equal(const freehold_kernel_texts_t *texts, const uint8_t *wanted, size_t count, bool folds, uint64_t *matches);
void freehold_kernel_texts_prefix(const freehold_kernel_texts_t *texts, const uint8_t *wanted, size_t count, bool folds, uint64_t *matches);
void freehold_kernel_texts_suffix(const freehold_kernel_texts_t *texts, const uint8_t *wanted, size_t count, bool folds, uint64_t *matches);
void freehold_kernel_texts_containing(const freehold_kernel_texts_t *texts, const uint8_t *needle, size_t count, bool folds, uint64_t *matches);

// Selects rows between two bounds, by bytes, a string before its extensions.
void freehold_kernel_texts_between(const freehold_kernel_texts_t *texts, const freehold_kernel_bound_t *low, const freehold_kernel_bound_t *high, uint64_t *matches);

// Selects rows with a byte outside ASCII; returns whether there is any.
bool freehold_kernel_texts_beyond_ascii(const freehold_kernel_texts_t *texts, uint64_t *matches);

// MARK: Vectors

typedef struct {
    // The sum of the products of a vector's numbers and those of the wanted one, ...
    float product;
    // ... that of the squares of the vector's numbers, infinite or NaN if one of them is, or if they are too large, ...
    float squares;
    // ... and that of the squares of the differences.
    float gap;
} freehold_kernel_vector_t;

// Measures a vector of `count` little-endian numbers: floats of `width` 4, floats of half precision of width 2, signed
// bytes of width 1. The sums add 32 lanes (place modulo 32) in single precision and then the lanes in halves, without
// fused operations, so they are the same on every processor. Memory needs no alignment.
void freehold_kernel_vector(const void *values, unsigned width, const float *wanted, size_t count, freehold_kernel_vector_t *found);

// The signs of a vector's numbers after a rotation that looks random and is the same for all vectors: bit i mod 64 of word
// i / 64 is that of number i. There are as many as numbers, rounded up to 64. Returns the sum of the squares of the numbers.
//
// `values` has `count` numbers of `width` bytes, as above; `room` is for as many floats as there are signs.
float freehold_kernel_signs(const void *values, unsigned width, size_t count, float *room, uint64_t *signs);

// The maximum distance that freehold_kernel_hamming writes.
#define FREEHOLD_MOST_HAMMING 65534

// Writes the number of bits in which each row, of `words` words of 64 bits, differs from the wanted one, and counts the rows
// with each number, in room for 64 * words + 1 counts. Returns the least.
unsigned freehold_kernel_hamming(const void *rows, size_t count, size_t words, const uint64_t *wanted, uint16_t *distances,
                                 uint32_t *counts);

#endif
