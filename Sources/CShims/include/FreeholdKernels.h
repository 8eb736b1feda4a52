// Loops over the rows of one leaf, compiled several times for the vector units that processors have; the best one is
// chosen when the program starts.
//
// *Packed data* is an array of little-endian 64-bit words; row r of width w (1, 2, 4, 8, 16, 32 or 64 bits) stands at
// bit r·w and never crosses a word. A *bitmap* is an array of such words with one bit a row. The caller promises that
// the arrays hold `count` rows; nothing past the last word that holds one of them is touched.
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
    // Over the values that are numbers; minimum > maximum when there are none.
    double minimum;
    double maximum;
} freehold_kernel_real_t;

// Writes base + field for each row, wrapping. Width 0 writes base.
void freehold_kernel_unpack(const void *data, size_t count, unsigned width, int64_t base, int64_t *values);

// Packs value - base for each row; rows whose bit is set in `nulls` (which may be NULL) become 0. The differences fit
// the width. Bits past the last row, up to the end of its word, become 0.
void freehold_kernel_pack(const int64_t *values, const uint64_t *nulls, size_t count, unsigned width, int64_t base, void *data);

// The smallest and largest value of the rows that are not null; returns how many those are (0: nothing is written).
size_t freehold_kernel_bounds_of(const int64_t *values, const uint64_t *nulls, size_t count, int64_t *minimum, int64_t *maximum);

// The sum of all fields; those of 64 bits are signed, narrower ones are not.
freehold_kernel_wide_t freehold_kernel_sum(const void *data, size_t count, unsigned width);

// The smallest and largest field (as unsigned; 64-bit ones with the sign bit flipped) of rows that are not null;
// minimum > maximum when there are none.
freehold_kernel_bounds_t freehold_kernel_bounds(const void *data, const uint64_t *nulls, size_t count, unsigned width);

// How many fields have field - low <= span, in the unsigned arithmetic of the width.
size_t freehold_kernel_count_range(const void *data, size_t count, unsigned width, uint64_t low, uint64_t span);

// Sets the bits of those rows in `matches`, clears all others up to the end of the last word.
void freehold_kernel_select_range(const void *data, size_t count, unsigned width, uint64_t low, uint64_t span, uint64_t *matches);

// Sum, minimum and maximum of the rows that are not null, in one pass. The sum adds eight lanes (row modulo 8) in
// double precision and then the lanes in order, so it is the same on every processor.
freehold_kernel_real_t freehold_kernel_summary_double(const void *values, const uint64_t *nulls, size_t count);
freehold_kernel_real_t freehold_kernel_summary_float(const void *values, const uint64_t *nulls, size_t count);

// Bits of rows with low <= value <= high (never one that is not a number).
void freehold_kernel_select_double(const void *values, size_t count, double low, double high, uint64_t *matches);
void freehold_kernel_select_float(const void *values, size_t count, float low, float high, uint64_t *matches);

// The number of bits set in `left & right & ~nulls`; `right` and `nulls` may be NULL.
size_t freehold_kernel_count_bits(const uint64_t *left, const uint64_t *right, const uint64_t *nulls, size_t words);

// MARK: One of many

// Sets the bits of rows with field - first in the bit set `members`, which has `limit` bits; fields of width 0 are 0. Clears
// all others up to the end of the last word, as all selections do.
void freehold_kernel_select_members(const void *data, size_t count, unsigned width, uint64_t first, const uint64_t *members, uint64_t limit, uint64_t *matches);

// Rows of 16 or 12 bytes that lie between two such, as bytes are ordered; low is not behind high.
void freehold_kernel_select_ids(const void *rows, size_t count, unsigned width, const uint8_t *low, const uint8_t *high, uint64_t *matches);

// MARK: Texts

// The values of all rows behind one another in `blob`, with at least eight readable bytes in front of it; `table` as in a text
// leaf: groups of an offset and 16 lengths, or the offset behind each row. What rows of other forms hold is as good as text.
typedef struct {
    const uint8_t *table;
    const uint8_t *blob;
    size_t blob_length;
    size_t count;
    bool is_short;
} freehold_kernel_texts_t;

// One end of a range of texts; `bytes` is NULL for none.
typedef struct {
    const uint8_t *bytes;
    size_t count;
    bool is_excluded;
} freehold_kernel_bound_t;

// Rows that are `wanted`, begin or end with it, or hold it somewhere; all rows if it is empty (but for `equal`). With `folds`
// the letters of ASCII in the rows count as small ones, as which those of `wanted` are given.
void freehold_kernel_texts_equal(const freehold_kernel_texts_t *texts, const uint8_t *wanted, size_t count, bool folds, uint64_t *matches);
void freehold_kernel_texts_prefix(const freehold_kernel_texts_t *texts, const uint8_t *wanted, size_t count, bool folds, uint64_t *matches);
void freehold_kernel_texts_suffix(const freehold_kernel_texts_t *texts, const uint8_t *wanted, size_t count, bool folds, uint64_t *matches);
void freehold_kernel_texts_containing(const freehold_kernel_texts_t *texts, const uint8_t *needle, size_t count, bool folds, uint64_t *matches);

// Rows between two bounds, by bytes, a text before its continuations.
void freehold_kernel_texts_between(const freehold_kernel_texts_t *texts, const freehold_kernel_bound_t *low, const freehold_kernel_bound_t *high, uint64_t *matches);

// Rows with a byte that is not of ASCII; whether there is any.
bool freehold_kernel_texts_beyond_ascii(const freehold_kernel_texts_t *texts, uint64_t *matches);

#endif
