// Products and distances of vectors, and of their sign bits.
#include "kernels.h"

// A fused multiplication and addition rounds once and not twice: the sums would depend on the processor.
#pragma clang fp contract(off)

enum { LANES = 32 };

typedef float reals_t __attribute__((ext_vector_type(32)));
typedef int32_t marks_t __attribute__((ext_vector_type(32)));
typedef uint32_t words_t __attribute__((ext_vector_type(32)));
typedef uint16_t halves_t __attribute__((ext_vector_type(32)));
typedef int8_t bytes_t __attribute__((ext_vector_type(32)));
typedef uint64_t bits8_t __attribute__((ext_vector_type(8)));

// Floats of half precision. The fraction and the exponent move to their places in a float, whose exponent is then too
// low by 112: the product corrects it, exactly, for numbers that are denormal as well.
FREEHOLD_INLINE void widen(const halves_t *halves, reals_t *reals) {
    const words_t all = __builtin_convertvector(*halves, words_t), rest = (all & 0x7fff) << 13;
    words_t words;
    reals_t scaled;
    memcpy(&scaled, &rest, sizeof scaled);
    scaled *= 0x1p112f;
    memcpy(&words, &scaled, sizeof words);
    const marks_t special = (all & 0x7c00) == 0x7c00;
    words = special ? rest | 0x7f800000 : words;
    words |= (all & 0x8000) << 16;
    memcpy(reals, &words, sizeof words);
}

FREEHOLD_INLINE void load(const uint8_t *values, unsigned width, reals_t *reals) {
    if (width == 4) {
        memcpy(reals, values, sizeof *reals);
    } else if (width == 2) {
        halves_t halves;
        memcpy(&halves, values, sizeof halves);
        widen(&halves, reals);
    } else {
        bytes_t bytes;
        memcpy(&bytes, values, sizeof bytes);
        *reals = __builtin_convertvector(bytes, reals_t);
    }
}

// The lanes are added in one order on every processor.
FREEHOLD_INLINE float total(const reals_t *lanes) {
    float sums[LANES];
    memcpy(sums, lanes, sizeof sums);
    for (int half = LANES / 2; half > 0; half /= 2) {
        for (int lane = 0; lane < half; lane++) sums[lane] += sums[lane + half];
    }
    return sums[0];
}

FREEHOLD_KERNEL
void freehold_kernel_vector(const void *vector, unsigned width, const float *wanted, size_t count, freehold_kernel_vector_t *found) {
    const uint8_t *values = vector;
    reals_t products = 0, squares = 0, gaps = 0;
    uint8_t last[LANES * 4] = {0};
    float last_wanted[LANES] = {0};
    for (size_t first = 0; first < count; first += LANES, values += LANES * width, wanted += LANES) {
        if (count - first < LANES) {
            memcpy(last, values, (count - first) * width);
            memcpy(last_wanted, wanted, (count - first) * sizeof(float));
            values = last;
            wanted = last_wanted;
        }
        reals_t here, there;
        load(values, width, &here);
        memcpy(&there, wanted, sizeof there);
        const reals_t gap = here - there;
        products += here * there;
        squares += here * here;
        gaps += gap * gap;
    }
    found->product = total(&products);
    found->squares = total(&squares);
    found->gap = total(&gaps);
}

// The rotation: three rounds, each of which turns the signs of random numbers and transforms groups of 64 by Hadamard's
// matrix. The groups of the second round are interleaved, so that each number reaches all others.
enum { GROUP = 64, ROUNDS = 3 };

typedef float part_t __attribute__((ext_vector_type(16)));
typedef uint32_t part_bits_t __attribute__((ext_vector_type(16)));
typedef bool part_flags_t __attribute__((ext_vector_type(16)));

static const part_bits_t part_lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

FREEHOLD_INLINE uint64_t mixed(uint64_t number) {
    number += UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

#define NEGATED(part, signs) ((part_t)((part_bits_t)(part) ^ (signs)))

FREEHOLD_INLINE void turn(float *group, uint64_t turned) {
    for (int first = 0; first < GROUP; first += 16, group += 16, turned >>= 16) {
        part_t part;
        memcpy(&part, group, sizeof part);
        part = NEGATED(part, (((uint32_t)turned & 0xffff) >> part_lanes & 1) << 31);
        memcpy(group, &part, sizeof part);
    }
}

// One step within a part: the sum in the lower lane of each pair, the difference in the upper one.
#define PAIRED(part, step, ...) \
    (NEGATED(part, (part_lanes & (step)) / (step) << 31) + __builtin_shufflevector(part, part, __VA_ARGS__))

FREEHOLD_INLINE void transform(float *group) {
    part_t parts[4];
    memcpy(parts, group, sizeof parts);
    for (int place = 0; place < 4; place++) {
        part_t part = parts[place];
        part = PAIRED(part, 1, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
        part = PAIRED(part, 2, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
        part = PAIRED(part, 4, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
        parts[place] = PAIRED(part, 8, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    const part_t a = parts[0] + parts[1], b = parts[0] - parts[1], c = parts[2] + parts[3], d = parts[2] - parts[3];
    parts[0] = a + c;
    parts[1] = b + d;
    parts[2] = a - c;
    parts[3] = b - d;
    memcpy(group, parts, sizeof parts);
}

// The groups are the numbers at equal places of `GROUP` neighbouring rows of `width` numbers.
FREEHOLD_INLINE void transform_columns(float *numbers, size_t width) {
    for (size_t run = width; run < GROUP * width; run *= 2) {
        for (float *one = numbers; one < numbers + GROUP * width; one += 2 * run) {
            float *restrict here = one, *restrict there = one + run;
            for (size_t place = 0; place < run; place++) {
                const float sum = here[place] + there[place], difference = here[place] - there[place];
                here[place] = sum;
                there[place] = difference;
            }
        }
    }
}

// The signs of a group, as bits.
FREEHOLD_INLINE uint64_t negatives(const float *group) {
    uint64_t bits = 0;
    for (int first = 0; first < GROUP; first += 16) {
        part_t part;
        memcpy(&part, group + first, sizeof part);
        const part_flags_t flags = __builtin_convertvector(part < 0, part_flags_t);
        uint16_t some;
        memcpy(&some, &flags, sizeof some);
        bits |= (uint64_t)some << first;
    }
    return bits;
}

FREEHOLD_KERNEL
float freehold_kernel_signs(const void *vector, unsigned width, size_t count, float *room, uint64_t *signs) {
    const uint8_t *values = vector;
    const size_t groups = (count + GROUP - 1) / GROUP;
    reals_t squares = 0;
    uint8_t last[LANES * 4] = {0};
    for (size_t first = 0; first < groups * GROUP; first += LANES, values += LANES * width) {
        if (first + LANES > count) {
            memset(last, 0, sizeof last);
            if (first < count) memcpy(last, values, (count - first) * width);
            values = last;
        }
        reals_t here;
        load(values, width, &here);
        squares += here * here;
        memcpy(room + first, &here, sizeof here);
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t group = 0; group < groups; group++) turn(room + group * GROUP, mixed(round << 16 | group));
        if (round % 2 == 0) {
            for (size_t group = 0; group < groups; group++) transform(room + group * GROUP);
        } else {
            transform_columns(room, groups);
        }
    }
    for (size_t group = 0; group < groups; group++) signs[group] = negatives(room + group * GROUP);
    return total(&squares);
}

FREEHOLD_INLINE uint64_t differing(const uint8_t *row, size_t words, const uint64_t *wanted) {
    bits8_t counts = 0;
    size_t word = 0;
    uint64_t sum = 0;
    for (; words - word >= 8; word += 8) {
        bits8_t here, there;
        memcpy(&here, row + word * 8, sizeof here);
        memcpy(&there, wanted + word, sizeof there);
        counts += __builtin_elementwise_popcount(here ^ there);
    }
    for (; word < words; word++) {
        uint64_t here;
        memcpy(&here, row + word * 8, 8);
        sum += (uint64_t)__builtin_popcountll(here ^ wanted[word]);
    }
    if (words >= 8) {
        for (int lane = 0; lane < 8; lane++) sum += counts[lane];
    }
    return sum;
}

FREEHOLD_INLINE unsigned measure(const uint8_t *rows, size_t count, size_t words, const uint64_t *wanted, uint16_t *distances,
                                 uint32_t *counts) {
    uint64_t least = UINT16_MAX;
    for (size_t row = 0; row < count; row++) {
        uint64_t distance = differing(rows + row * words * 8, words, wanted);
        if (distance > FREEHOLD_MOST_HAMMING) distance = FREEHOLD_MOST_HAMMING;
        distances[row] = (uint16_t)distance;
        counts[distance]++;
        if (distance < least) least = distance;
    }
    return (unsigned)least;
}

FREEHOLD_KERNEL_BITS
unsigned freehold_kernel_hamming(const void *rows, size_t count, size_t words, const uint64_t *wanted, uint16_t *distances,
                                 uint32_t *counts) {
    // Counts that are known to the compiler have no inner loop.
    switch (words) {
        case 2: return measure(rows, count, 2, wanted, distances, counts);
        case 4: return measure(rows, count, 4, wanted, distances, counts);
        case 6: return measure(rows, count, 6, wanted, distances, counts);
        case 8: return measure(rows, count, 8, wanted, distances, counts);
        case 12: return measure(rows, count, 12, wanted, distances, counts);
        case 16: return measure(rows, count, 16, wanted, distances, counts);
        case 24: return measure(rows, count, 24, wanted, distances, counts);
        default: return measure(rows, count, words, wanted, distances, counts);
    }
}
