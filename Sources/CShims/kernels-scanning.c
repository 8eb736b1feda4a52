// Scanning packed fields: sums, bounds, comparisons.
#include "kernels.h"

typedef uint64_t words8_t __attribute__((ext_vector_type(8)));

// Copies `bytes` of data into `room`, zeros the rest, and clears the bits past `count` rows.
FREEHOLD_INLINE void load_tail(const void *data, size_t count, unsigned width, void *room, size_t size) {
    memset(room, 0, size);
    const size_t bits = count * width;
    memcpy(room, data, (bits + 63) / 64 * 8);
    if (bits % 64) ((uint64_t *)room)[bits / 64] &= low_bits(bits % 64);
}

// MARK: Sums. Fields are added to neighbours of twice their width until no sum of a leaf can overflow.

FREEHOLD_INLINE void add_pairs(words8_t *words, unsigned width, uint64_t mask) {
    *words = (*words & mask) + ((*words >> width) & mask);
}

// Makes 64 bytes of fields into sums of at least 16 bits each; `width` is a constant where this is inlined.
FREEHOLD_INLINE void widen(words8_t *words, unsigned width) {
    if (width == 1) add_pairs(words, 1, UINT64_C(0x5555555555555555));
    if (width <= 2) add_pairs(words, 2, UINT64_C(0x3333333333333333));
    if (width <= 4) add_pairs(words, 4, UINT64_C(0x0f0f0f0f0f0f0f0f));
    if (width <= 8) add_pairs(words, 8, UINT64_C(0x00ff00ff00ff00ff));
}

// After `widen`: sums of 16 bits hold 128 additions of at most 510, so they are emptied that often.
FREEHOLD_INLINE uint64_t sum_narrow(const uint8_t *data, size_t count, unsigned width) {
    const size_t rows = 512 / width;
    uint64_t total = 0;
    while (count) {
        words8_t sums = 0;
        for (unsigned turn = 0; turn < 128 && count; turn++) {
            words8_t words;
            if (count >= rows) {
                memcpy(&words, data, 64);
                data += 64;
                count -= rows;
            } else {
                load_tail(data, count, width, &words, 64);
                count = 0;
            }
            widen(&words, width);
            sums += words;
        }
        add_pairs(&sums, 16, UINT64_C(0x0000ffff0000ffff));
        sums = (sums & 0xffffffff) + (sums >> 32);
        total += __builtin_reduce_add(sums);
    }
    return total;
}

FREEHOLD_INLINE uint64_t sum_middle(const uint8_t *data, size_t count, unsigned width) {
    const size_t rows = 512 / width;
    words8_t sums = 0;
    for (; count; data += 64) {
        words8_t words;
        if (count >= rows) {
            memcpy(&words, data, 64);
            count -= rows;
        } else {
            load_tail(data, count, width, &words, 64);
            count = 0;
        }
        if (width == 16) add_pairs(&words, 16, UINT64_C(0x0000ffff0000ffff));
        sums += (words & 0xffffffff) + (words >> 32);
    }
    return __builtin_reduce_add(sums);
}

FREEHOLD_INLINE freehold_kernel_wide_t sum_wide(const int64_t *values, size_t count) {
    uint64_t low = 0;
    int64_t high = 0;
    for (size_t row = 0; row < count; row++) {
        low += (uint32_t)values[row];
        high += values[row] >> 32;
    }
    const __int128 total = ((__int128)high << 32) + (__int128)low;
    return (freehold_kernel_wide_t){(uint64_t)total, (int64_t)(total >> 64)};
}

FREEHOLD_KERNEL
freehold_kernel_wide_t freehold_kernel_sum(const void *data, size_t count, unsigned width) {
    switch (width) {
    case 1: return (freehold_kernel_wide_t){sum_narrow(data, count, 1), 0};
    case 2: return (freehold_kernel_wide_t){sum_narrow(data, count, 2), 0};
    case 4: return (freehold_kernel_wide_t){sum_narrow(data, count, 4), 0};
    case 8: return (freehold_kernel_wide_t){sum_narrow(data, count, 8), 0};
    case 16: return (freehold_kernel_wide_t){sum_middle(data, count, 16), 0};
    case 32: return (freehold_kernel_wide_t){sum_middle(data, count, 32), 0};
    case 64: return sum_wide(data, count);
    default: return (freehold_kernel_wide_t){0, 0};
    }
}

// MARK: Strips of 64 rows, fields of fewer than 8 bits widened to bytes.

typedef uint8_t bytes16_t __attribute__((ext_vector_type(16)));
typedef uint8_t bytes32_t __attribute__((ext_vector_type(32)));

#define INTERLEAVED_16                                                                                                 \
    0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define INTERLEAVED_32                                                                                                 \
    0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15,   \
        47, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55, 24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, \
        61, 30, 62, 31, 63

FREEHOLD_INLINE void load_strip_8(const void *data, unsigned width, lanes8_t *lanes) {
    if (width == 8) {
        memcpy(lanes, data, 64);
    } else if (width == 4) {
        bytes32_t packed;
        memcpy(&packed, data, 32);
        *lanes = __builtin_shufflevector(packed & 15, packed >> 4, INTERLEAVED_32);
    } else if (width == 2) {
        bytes16_t packed;
        memcpy(&packed, data, 16);
        const bytes32_t halves = __builtin_shufflevector(packed & 15, packed >> 4, INTERLEAVED_16);
        *lanes = __builtin_shufflevector(halves & 3, halves >> 2, INTERLEAVED_32);
    } else {
        strip_bits_t bits;
        memcpy(&bits, data, 8);
        *lanes = __builtin_convertvector(bits, lanes8_t);
    }
}

#define LOAD_LANES_8(DATA, WIDTH, LANES) load_strip_8(DATA, WIDTH, LANES)
#define LOAD_LANES(DATA, WIDTH, LANES) memcpy(LANES, DATA, sizeof *(LANES))

// Compares one strip: a word of matches. FIELD is the lane's type, LANES the vector's, LOAD how it is read.
#define MATCH_STRIP(FIELD, LANES, LOAD, WIDTH, DATA, WORD)                                                             \
    do {                                                                                                               \
        LANES lanes;                                                                                                   \
        LOAD(DATA, WIDTH, &lanes);                                                                                     \
        const strip_bits_t bits = __builtin_convertvector((lanes - (FIELD)low) <= (LANES)(FIELD)span, strip_bits_t);   \
        memcpy(&(WORD), &bits, 8);                                                                                     \
    } while (0)

// Compares every strip of the leaf, the last one padded, and passes each to USE as `word`.
#define MATCH_ALL(FIELD, LANES, LOAD, WIDTH, USE)                                                                      \
    do {                                                                                                               \
        uint64_t word;                                                                                                 \
        size_t strip = 0;                                                                                              \
        for (; (strip + 1) * STRIP <= count; strip++) {                                                                \
            MATCH_STRIP(FIELD, LANES, LOAD, WIDTH, (const uint8_t *)data + strip * 8 * WIDTH, word);                   \
            USE;                                                                                                       \
        }                                                                                                              \
        if (strip * STRIP < count) {                                                                                   \
            uint64_t tail[WIDTH];                                                                                      \
            load_tail((const uint8_t *)data + strip * 8 * WIDTH, count - strip * STRIP, WIDTH, tail, sizeof tail);     \
            MATCH_STRIP(FIELD, LANES, LOAD, WIDTH, tail, word);                                                        \
            word &= low_bits(count - strip * STRIP);                                                                   \
            USE;                                                                                                       \
        }                                                                                                              \
    } while (0)

#define MATCH_WIDTHS(USE)                                                                                              \
    switch (width) {                                                                                                   \
    case 1: MATCH_ALL(uint8_t, lanes8_t, LOAD_LANES_8, 1, USE); break;                                                 \
    case 2: MATCH_ALL(uint8_t, lanes8_t, LOAD_LANES_8, 2, USE); break;                                                 \
    case 4: MATCH_ALL(uint8_t, lanes8_t, LOAD_LANES_8, 4, USE); break;                                                 \
    case 8: MATCH_ALL(uint8_t, lanes8_t, LOAD_LANES_8, 8, USE); break;                                                 \
    case 16: MATCH_ALL(uint16_t, lanes16_t, LOAD_LANES, 16, USE); break;                                               \
    case 32: MATCH_ALL(uint32_t, lanes32_t, LOAD_LANES, 32, USE); break;                                               \
    case 64: MATCH_ALL(uint64_t, lanes64_t, LOAD_LANES, 64, USE); break;                                               \
    default: break;                                                                                                    \
    }

FREEHOLD_KERNEL
size_t freehold_kernel_count_range(const void *data, size_t count, unsigned width, uint64_t low, uint64_t span) {
    size_t matches = 0;
    MATCH_WIDTHS(matches += (size_t)__builtin_popcountll(word))
    return matches;
}

FREEHOLD_KERNEL
void freehold_kernel_select_range(const void *data, size_t count, unsigned width, uint64_t low, uint64_t span, uint64_t *matches) {
    MATCH_WIDTHS(matches[strip] = word)
}

// MARK: Bounds. A row that is null counts as all ones for the minimum and as zero for the maximum.

#define BOUND_STRIP(LANES, LOAD, WIDTH, DATA, MISSING, FLIP)                                                           \
    do {                                                                                                               \
        LANES lanes;                                                                                                   \
        LOAD(DATA, WIDTH, &lanes);                                                                                     \
        lanes ^= FLIP;                                                                                                 \
        const uint64_t missing = MISSING;                                                                              \
        if (missing) {                                                                                                 \
            strip_bits_t bits;                                                                                         \
            memcpy(&bits, &missing, 8);                                                                                \
            const LANES absent = -__builtin_convertvector(bits, LANES);                                                \
            smallest = __builtin_elementwise_min(smallest, lanes | absent);                                            \
            largest = __builtin_elementwise_max(largest, lanes & ~absent);                                             \
        } else {                                                                                                       \
            smallest = __builtin_elementwise_min(smallest, lanes);                                                     \
            largest = __builtin_elementwise_max(largest, lanes);                                                       \
        }                                                                                                              \
    } while (0)

#define BOUND_ALL(LANES, LOAD, WIDTH, FLIP)                                                                            \
    do {                                                                                                               \
        LANES smallest = ~(LANES)0, largest = (LANES)0;                                                                \
        size_t strip = 0;                                                                                              \
        for (; (strip + 1) * STRIP <= count; strip++)                                                                  \
            BOUND_STRIP(LANES, LOAD, WIDTH, (const uint8_t *)data + strip * 8 * WIDTH, nulls ? nulls[strip] : 0, FLIP); \
        if (strip * STRIP < count) {                                                                                   \
            uint64_t tail[WIDTH];                                                                                      \
            load_tail((const uint8_t *)data + strip * 8 * WIDTH, count - strip * STRIP, WIDTH, tail, sizeof tail);     \
            const uint64_t past = ~low_bits(count - strip * STRIP);                                                    \
            BOUND_STRIP(LANES, LOAD, WIDTH, tail, (nulls ? nulls[strip] : 0) | past, FLIP);                            \
        }                                                                                                              \
        return (freehold_kernel_bounds_t){__builtin_reduce_min(smallest), __builtin_reduce_max(largest)};              \
    } while (0)

// If all rows are null, minimum stays all ones and maximum 0, which means "none".
FREEHOLD_KERNEL
freehold_kernel_bounds_t freehold_kernel_bounds(const void *data, const uint64_t *nulls, size_t count, unsigned width) {
    switch (width) {
    case 1: BOUND_ALL(lanes8_t, LOAD_LANES_8, 1, (uint8_t)0);
    case 2: BOUND_ALL(lanes8_t, LOAD_LANES_8, 2, (uint8_t)0);
    case 4: BOUND_ALL(lanes8_t, LOAD_LANES_8, 4, (uint8_t)0);
    case 8: BOUND_ALL(lanes8_t, LOAD_LANES_8, 8, (uint8_t)0);
    case 16: BOUND_ALL(lanes16_t, LOAD_LANES, 16, (uint16_t)0);
    case 32: BOUND_ALL(lanes32_t, LOAD_LANES, 32, (uint32_t)0);
    case 64: BOUND_ALL(lanes64_t, LOAD_LANES, 64, UINT64_C(1) << 63);
    default: return (freehold_kernel_bounds_t){1, 0};
    }
}

FREEHOLD_KERNEL
size_t freehold_kernel_count_bits(const uint64_t *left, const uint64_t *right, const uint64_t *nulls, size_t words) {
    size_t total = 0;
    for (size_t at = 0; at < words; at++) {
        const uint64_t word = left[at] & (right ? right[at] : ~UINT64_C(0)) & ~(nulls ? nulls[at] : 0);
        total += (size_t)__builtin_popcountll(word);
    }
    return total;
}
