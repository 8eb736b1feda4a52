// Rows whose value is in a set, or lies between two ids.
#include "kernels.h"

// Each field is tested in a bit set that begins at the value `first`.
#define MEMBERS(FIELD)                                                                                                 \
    do {                                                                                                               \
        const FIELD *fields = data;                                                                                    \
        for (size_t start = 0; start < count; start += STRIP) {                                                        \
            const size_t rows = count - start < STRIP ? count - start : STRIP;                                         \
            uint64_t word = 0;                                                                                         \
            for (size_t at = 0; at < rows; at++) word |= has_member(fields[start + at] - first, members, limit) << at; \
            matches[start / STRIP] = word;                                                                             \
        }                                                                                                              \
    } while (0)

FREEHOLD_INLINE uint64_t has_member(uint64_t member, const uint64_t *members, uint64_t limit) {
    return member < limit ? (members[member / 64] >> member % 64) & 1 : 0;
}

FREEHOLD_INLINE void select_narrow(const uint64_t *words, size_t count, unsigned width, uint64_t first, const uint64_t *members, uint64_t limit, uint64_t *matches) {
    const unsigned rows = 64 / width;
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    // The result for each possible field.
    uint64_t answers = 0;
    for (uint64_t field = 0; field <= mask; field++) answers |= has_member(field - first, members, limit) << field;
    for (size_t start = 0; start < count; start += STRIP) {
        const size_t here = count - start < STRIP ? count - start : STRIP;
        uint64_t word = 0;
        for (size_t at = 0; at < here; at++) word |= (answers >> ((words[(start + at) / rows] >> at % rows * width) & mask) & 1) << at;
        matches[start / STRIP] = word;
    }
}

FREEHOLD_KERNEL
void freehold_kernel_select_members(const void *data, size_t count, unsigned width, uint64_t first, const uint64_t *members, uint64_t limit, uint64_t *matches) {
    switch (width) {
    case 1: select_narrow(data, count, 1, first, members, limit, matches); break;
    case 2: select_narrow(data, count, 2, first, members, limit, matches); break;
    case 4: select_narrow(data, count, 4, first, members, limit, matches); break;
    case 8: MEMBERS(uint8_t); break;
    case 16: MEMBERS(uint16_t); break;
    case 32: MEMBERS(uint32_t); break;
    case 64: MEMBERS(uint64_t); break;
    default: {
        const uint64_t all = has_member(0 - first, members, limit) ? ~UINT64_C(0) : 0;
        for (size_t row = 0; row < count; row += STRIP) matches[row / STRIP] = all & low_bits(count - row);
    }
    }
}

// The bytes of an id as one number, so that numbers have the order of the bytes.
FREEHOLD_INLINE unsigned __int128 load_id(const uint8_t *at, unsigned width) {
    uint64_t high, low = 0;
    memcpy(&high, at, 8);
    if (width == 16) {
        memcpy(&low, at + 8, 8);
        low = __builtin_bswap64(low);
    } else {
        uint32_t rest;
        memcpy(&rest, at + 8, 4);
        low = __builtin_bswap32(rest);
    }
    return (unsigned __int128)__builtin_bswap64(high) << 64 | low;
}

FREEHOLD_INLINE void select_ids(const uint8_t *rows, size_t count, unsigned width, const uint8_t *low, const uint8_t *high, uint64_t *matches) {
    const unsigned __int128 least = load_id(low, width), span = load_id(high, width) - least;
    for (size_t start = 0; start < count; start += STRIP) {
        const size_t here = count - start < STRIP ? count - start : STRIP;
        uint64_t word = 0;
        for (size_t at = 0; at < here; at++) word |= (uint64_t)(load_id(rows + (start + at) * width, width) - least <= span) << at;
        matches[start / STRIP] = word;
    }
}

FREEHOLD_KERNEL
void freehold_kernel_select_ids(const void *rows, size_t count, unsigned width, const uint8_t *low, const uint8_t *high, uint64_t *matches) {
    if (width == 16) select_ids(rows, count, 16, low, high, matches);
    else select_ids(rows, count, 12, low, high, matches);
}
