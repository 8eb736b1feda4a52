// Packing and unpacking: between rows of int64 and fields of a width.
#include "kernels.h"

FREEHOLD_INLINE void unpack_narrow(const uint64_t *words, size_t count, unsigned width, int64_t base, int64_t *values) {
    const unsigned rows = 64 / width;
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    size_t row = 0;
    for (; row + rows <= count; row += rows) {
        const uint64_t word = *words++;
        for (unsigned at = 0; at < rows; at++)
            values[row + at] = (int64_t)((uint64_t)base + ((word >> (at * width)) & mask));
    }
    for (unsigned at = 0; row + at < count; at++)
        values[row + at] = (int64_t)((uint64_t)base + ((*words >> (at * width)) & mask));
}

#define UNPACK(TYPE)                                                                                                   \
    do {                                                                                                               \
        const TYPE *fields = data;                                                                                     \
        for (size_t row = 0; row < count; row++) values[row] = (int64_t)((uint64_t)base + fields[row]);                \
    } while (0)

FREEHOLD_KERNEL
void freehold_kernel_unpack(const void *restrict data, size_t count, unsigned width, int64_t base, int64_t *restrict values) {
    switch (width) {
    case 1: unpack_narrow(data, count, 1, base, values); break;
    case 2: unpack_narrow(data, count, 2, base, values); break;
    case 4: unpack_narrow(data, count, 4, base, values); break;
    case 8: UNPACK(uint8_t); break;
    case 16: UNPACK(uint16_t); break;
    case 32: UNPACK(uint32_t); break;
    case 64: UNPACK(uint64_t); break;
    default:
        for (size_t row = 0; row < count; row++) values[row] = base;
    }
}

FREEHOLD_INLINE void pack_narrow(const uint64_t *differences, size_t count, unsigned width, uint64_t *words) {
    const unsigned rows = 64 / width;
    for (size_t row = 0; row < count; row += rows) {
        uint64_t word = 0;
        const unsigned here = count - row < rows ? (unsigned)(count - row) : rows;
        for (unsigned at = 0; at < here; at++) word |= differences[row + at] << (at * width);
        *words++ = word;
    }
}

#define PACK(TYPE)                                                                                                     \
    do {                                                                                                               \
        TYPE *fields = (TYPE *)data + first;                                                                           \
        for (size_t at = 0; at < rows; at++) fields[at] = (TYPE)differences[at];                                       \
    } while (0)

FREEHOLD_KERNEL
void freehold_kernel_pack(const int64_t *restrict values, const uint64_t *restrict nulls, size_t count, unsigned width, int64_t base, void *restrict data) {
    if (width == 0 || count == 0) return;
    // The last word's spare bits; the rows then overwrite the rest of it.
    memset((uint8_t *)data + (count * width - 1) / 64 * 8, 0, 8);
    uint64_t differences[STRIP];
    for (size_t first = 0; first < count; first += STRIP) {
        const size_t rows = count - first < STRIP ? count - first : STRIP;
        for (size_t at = 0; at < rows; at++) differences[at] = (uint64_t)values[first + at] - (uint64_t)base;
        if (nulls && nulls[first / 64])
            for (size_t at = 0; at < rows; at++) differences[at] &= ((nulls[first / 64] >> at) & 1) - 1;
        uint64_t *words = (uint64_t *)data + first * width / 64;
        switch (width) {
        case 1: pack_narrow(differences, rows, 1, words); break;
        case 2: pack_narrow(differences, rows, 2, words); break;
        case 4: pack_narrow(differences, rows, 4, words); break;
        case 8: PACK(uint8_t); break;
        case 16: PACK(uint16_t); break;
        case 32: PACK(uint32_t); break;
        default: PACK(uint64_t); break;
        }
    }
}

FREEHOLD_KERNEL
size_t freehold_kernel_bounds_of(const int64_t *values, const uint64_t *nulls, size_t count, int64_t *minimum, int64_t *maximum) {
    int64_t smallest = INT64_MAX, largest = INT64_MIN;
    size_t present = 0;
    for (size_t first = 0; first < count; first += STRIP) {
        const size_t rows = count - first < STRIP ? count - first : STRIP;
        const uint64_t missing = (nulls ? nulls[first / 64] : 0) & low_bits(rows);
        present += rows - (size_t)__builtin_popcountll(missing);
        for (size_t at = 0; at < rows; at++) {
            const bool absent = (missing >> at) & 1;
            const int64_t low = absent ? INT64_MAX : values[first + at];
            const int64_t high = absent ? INT64_MIN : values[first + at];
            smallest = low < smallest ? low : smallest;
            largest = high > largest ? high : largest;
        }
    }
    if (present) {
        *minimum = smallest;
        *maximum = largest;
    }
    return present;
}
