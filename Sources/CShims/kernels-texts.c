// Searches the strings of a leaf: its lengths, and its blob with the concatenated values of all rows.
#include "kernels.h"

#define ONES UINT64_C(0x0101010101010101)

// MARK: Positions of rows. A group of the short form: blob offset of its first row (2 bytes), 16 lengths of a byte.

enum { GROUP_ROWS = 16, GROUP_BYTES = 18 };

FREEHOLD_INLINE size_t load_16(const uint8_t *at) {
    uint16_t value;
    memcpy(&value, at, 2);
    return value;
}

FREEHOLD_INLINE size_t row_length(const freehold_kernel_texts_t *texts, bool is_short, size_t row, size_t start) {
    if (is_short) return texts->table[row / GROUP_ROWS * GROUP_BYTES + 2 + row % GROUP_ROWS];
    return load_16(texts->table + row * 2) - start;
}

typedef struct {
    size_t row, start, end;
} place_t;

// Advances to the row that contains the blob's byte `position`.
FREEHOLD_INLINE void seek(const freehold_kernel_texts_t *texts, bool is_short, size_t position, place_t *place) {
    if (place->end > position) return;
    if (is_short) {
        size_t group = place->row / GROUP_ROWS;
        while ((group + 1) * GROUP_ROWS < texts->count && load_16(texts->table + (group + 1) * GROUP_BYTES) <= position) group++;
        if (group != place->row / GROUP_ROWS) {
            place->row = group * GROUP_ROWS;
            place->start = load_16(texts->table + group * GROUP_BYTES);
            place->end = place->start + row_length(texts, true, place->row, place->start);
        }
    }
    while (place->end <= position && place->row + 1 < texts->count) {
        place->start = place->end;
        place->row++;
        place->end = place->start + row_length(texts, is_short, place->row, place->start);
    }
}

// MARK: Comparing bytes

// Converts ASCII letters to lower case; other bytes are unchanged, whatever their neighbours.
FREEHOLD_INLINE uint64_t folded(uint64_t word, bool folds) {
    if (!folds) return word;
    const uint64_t low = word & 0x7f * ONES;
    const uint64_t letters = (low + (0x80 - 'A') * ONES) & ~(low + (0x7f - 'Z') * ONES) & ~word & 0x80 * ONES;
    return word | letters >> 2;
}

FREEHOLD_INLINE uint8_t folded_byte(uint8_t byte, bool folds) {
    return folds && byte >= 'A' && byte <= 'Z' ? byte | 32 : byte;
}

// Up to eight of the bytes before `end`, the rest zeros.
FREEHOLD_INLINE uint64_t load_head(const uint8_t *at, const uint8_t *end) {
    uint64_t word = 0;
    if (end - at >= 8) {
        memcpy(&word, at, 8);
        return word;
    }
    for (size_t place = 0; at + place < end; place++) word |= (uint64_t)at[place] << 8 * place;
    return word;
}

FREEHOLD_INLINE uint64_t low_bytes(size_t count) { return low_bits(count >= 8 ? 64 : count * 8); }

FREEHOLD_INLINE bool equal(const uint8_t *text, const uint8_t *wanted, size_t length, bool folds) {
    if (!folds) return memcmp(text, wanted, length) == 0;
    size_t at = 0;
    for (; at + 8 <= length; at += 8) {
        uint64_t here, there;
        memcpy(&here, text + at, 8);
        memcpy(&there, wanted + at, 8);
        if (folded(here, true) != there) return false;
    }
    for (; at < length; at++)
        if (folded_byte(text[at], true) != wanted[at]) return false;
    return true;
}

// MARK: Row by row

// Passes every row to USE, which sets `isMatch`; its bytes are `length` bytes from `text` on.
#define EACH_ROW(SHORT, USE)                                                                                           \
    do {                                                                                                               \
        const uint8_t *const blob_end = texts->blob + texts->blob_length;                                              \
        const uint8_t *text = texts->blob;                                                                             \
        for (size_t first = 0; first < texts->count; first += STRIP) {                                                 \
            const size_t rows = texts->count - first < STRIP ? texts->count - first : STRIP;                           \
            uint64_t word = 0;                                                                                         \
            for (size_t at = 0; at < rows; at++) {                                                                     \
                const size_t length = row_length(texts, SHORT, first + at, (size_t)(text - texts->blob));              \
                bool isMatch;                                                                                          \
                USE;                                                                                                   \
                word |= (uint64_t)isMatch << at;                                                                       \
                text += length;                                                                                        \
            }                                                                                                          \
            matches[first / STRIP] = word;                                                                             \
        }                                                                                                              \
        (void)blob_end;                                                                                                \
    } while (0)

// Compares the first bytes of rows, or all of them.
FREEHOLD_INLINE void select_front(const freehold_kernel_texts_t *texts, bool is_short, const uint8_t *wanted, size_t count, bool whole, bool folds, uint64_t *matches) {
    const uint64_t mask = low_bytes(count), head = load_head(wanted, wanted + count);
    EACH_ROW(is_short, {
        isMatch = (whole ? length == count : length >= count) & (((folded(load_head(text, blob_end), folds) ^ head) & mask) == 0);
        if (count > 8 && isMatch) isMatch = equal(text + 8, wanted + 8, count - 8, folds);
    });
}

// The last eight bytes are after the leaf's head, which is longer, so they may be read.
FREEHOLD_INLINE void select_back(const freehold_kernel_texts_t *texts, bool is_short, const uint8_t *wanted, size_t count, bool folds, uint64_t *matches) {
    const unsigned dropped = count >= 8 ? 0 : (unsigned)(8 - count) * 8;
    const uint64_t tail = count >= 8 ? load_head(wanted + count - 8, wanted + count) : load_head(wanted, wanted + count);
    EACH_ROW(is_short, {
        uint64_t here;
        memcpy(&here, text + length - 8, 8);
        isMatch = (length >= count) & (folded(here >> dropped, folds) == tail);
        if (count > 8 && isMatch) isMatch = equal(text + length - count, wanted, count - 8, folds);
    });
}

FREEHOLD_KERNEL
void freehold_kernel_texts_equal(const freehold_kernel_texts_t *texts, const uint8_t *wanted, size_t count, bool folds, uint64_t *matches) {
    if (texts->is_short) {
        if (folds) select_front(texts, true, wanted, count, true, true, matches);
        else select_front(texts, true, wanted, count, true, false, matches);
    } else {
        select_front(texts, false, wanted, count, true, folds, matches);
    }
}

FREEHOLD_KERNEL
void freehold_kernel_texts_prefix(const freehold_kernel_texts_t *texts, const uint8_t *wanted, size_t count, bool folds, uint64_t *matches) {
    if (texts->is_short) {
        if (folds) select_front(texts, true, wanted, count, false, true, matches);
        else select_front(texts, true, wanted, count, false, false, matches);
    } else {
        select_front(texts, false, wanted, count, false, folds, matches);
    }
}

FREEHOLD_KERNEL
void freehold_kernel_texts_suffix(const freehold_kernel_texts_t *texts, const uint8_t *wanted, size_t count, bool folds, uint64_t *matches) {
    if (count == 0) return freehold_kernel_texts_prefix(texts, wanted, 0, false, matches);
    if (texts->is_short) {
        if (folds) select_back(texts, true, wanted, count, true, matches);
        else select_back(texts, true, wanted, count, false, matches);
    } else {
        select_back(texts, false, wanted, count, folds, matches);
    }
}

// MARK: Order

// Negative, zero or positive, if the row is before, equal to or after the bound, whose first bytes are `head`.
FREEHOLD_INLINE int order(const uint8_t *text, size_t length, const uint8_t *blob_end, const freehold_kernel_bound_t *bound, uint64_t head) {
    const uint64_t here = __builtin_bswap64(load_head(text, blob_end) & low_bytes(length));
    if (here != head) return here < head ? -1 : 1;
    const int bytes = memcmp(text, bound->bytes, length < bound->count ? length : bound->count);
    if (bytes != 0) return bytes;
    return length == bound->count ? 0 : length < bound->count ? -1 : 1;
}

FREEHOLD_INLINE void select_between(const freehold_kernel_texts_t *texts, bool is_short, const freehold_kernel_bound_t *low, const freehold_kernel_bound_t *high, uint64_t *matches) {
    const uint64_t low_head = low->bytes ? __builtin_bswap64(load_head(low->bytes, low->bytes + low->count)) : 0;
    const uint64_t high_head = high->bytes ? __builtin_bswap64(load_head(high->bytes, high->bytes + high->count)) : 0;
    EACH_ROW(is_short, {
        isMatch = !low->bytes || order(text, length, blob_end, low, low_head) >= (low->is_excluded ? 1 : 0);
        if (isMatch && high->bytes) isMatch = order(text, length, blob_end, high, high_head) <= (high->is_excluded ? -1 : 0);
    });
}

FREEHOLD_KERNEL
void freehold_kernel_texts_between(const freehold_kernel_texts_t *texts, const freehold_kernel_bound_t *low, const freehold_kernel_bound_t *high, uint64_t *matches) {
    if (texts->is_short) select_between(texts, true, low, high, matches);
    else select_between(texts, false, low, high, matches);
}

// MARK: The blob as a whole

// Loads `rows` bytes into 64 lanes, the others zeros.
FREEHOLD_INLINE void load_lanes(const uint8_t *at, size_t rows, bool folds, lanes8_t *lanes) {
    if (rows >= STRIP) {
        memcpy(lanes, at, STRIP);
    } else {
        memset(lanes, 0, STRIP);
        memcpy(lanes, at, rows);
    }
    if (folds) *lanes |= (lanes8_t)((*lanes - 'A') < 26) & 32;
}

// If the first and the last byte of the needle occur at their distance, the bytes between are compared. After a hit the
// rest of the row is skipped; a hit that extends into the next row does not count.
FREEHOLD_INLINE void search(const freehold_kernel_texts_t *texts, bool is_short, const uint8_t *needle, size_t count, bool folds, uint64_t *matches) {
    const uint8_t *const blob = texts->blob;
    const size_t places = texts->blob_length - count + 1;
    place_t place = {0, 0, row_length(texts, is_short, 0, 0)};
    for (size_t base = 0; base < places;) {
        const size_t here = places - base < STRIP ? places - base : STRIP;
        lanes8_t first, last;
        load_lanes(blob + base, here, folds, &first);
        load_lanes(blob + base + count - 1, here, folds, &last);
        const strip_bits_t bits = __builtin_convertvector((first == needle[0]) & (last == needle[count - 1]), strip_bits_t);
        uint64_t word;
        memcpy(&word, &bits, 8);
        word &= low_bits(here);
        size_t next = base + STRIP;
        while (word) {
            const size_t position = base + (size_t)__builtin_ctzll(word);
            word &= word - 1;
            if (count > 2 && !equal(blob + position + 1, needle + 1, count - 2, folds)) continue;
            seek(texts, is_short, position, &place);
            if (position + count > place.end) continue;
            matches[place.row / 64] |= UINT64_C(1) << place.row % 64;
            if (place.end - base >= STRIP) {
                next = place.end;
                break;
            }
            word &= ~low_bits(place.end - base);
        }
        base = next;
    }
}

FREEHOLD_KERNEL
void freehold_kernel_texts_containing(const freehold_kernel_texts_t *texts, const uint8_t *needle, size_t count, bool folds, uint64_t *matches) {
    if (count == 0) return freehold_kernel_texts_prefix(texts, needle, 0, false, matches);
    memset(matches, 0, (texts->count + 63) / 64 * 8);
    if (texts->count == 0 || count > texts->blob_length) return;
    if (texts->is_short) {
        if (folds) search(texts, true, needle, count, true, matches);
        else search(texts, true, needle, count, false, matches);
    } else {
        search(texts, false, needle, count, folds, matches);
    }
}

FREEHOLD_KERNEL
bool freehold_kernel_texts_beyond_ascii(const freehold_kernel_texts_t *texts, uint64_t *matches) {
    memset(matches, 0, (texts->count + 63) / 64 * 8);
    if (texts->count == 0) return false;
    bool found = false;
    place_t place = {0, 0, row_length(texts, texts->is_short, 0, 0)};
    for (size_t base = 0; base < texts->blob_length;) {
        lanes8_t lanes;
        load_lanes(texts->blob + base, texts->blob_length - base, false, &lanes);
        const strip_bits_t bits = __builtin_convertvector(lanes > 0x7f, strip_bits_t);
        uint64_t word;
        memcpy(&word, &bits, 8);
        size_t next = base + STRIP;
        while (word) {
            found = true;
            seek(texts, texts->is_short, base + (size_t)__builtin_ctzll(word), &place);
            matches[place.row / 64] |= UINT64_C(1) << place.row % 64;
            if (place.end - base >= STRIP) {
                next = place.end;
                break;
            }
            word &= ~low_bits(place.end - base);
        }
        base = next;
    }
    return found;
}
