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

FREEHOLD_KERNEL_BITS
void freehold_kernel_hamming(const void *rows, size_t count, size_t words, const uint64_t *wanted, uint32_t *distances) {
    const uint8_t *at = rows;
    for (size_t row = 0; row < count; row++) {
        bits8_t counts = 0;
        size_t word = 0;
        uint64_t differing = 0;
        for (; words - word >= 8; word += 8, at += 64) {
            bits8_t here, there;
            memcpy(&here, at, sizeof here);
            memcpy(&there, wanted + word, sizeof there);
            counts += __builtin_elementwise_popcount(here ^ there);
        }
        for (; word < words; word++, at += 8) {
            uint64_t here;
            memcpy(&here, at, 8);
            differing += (uint64_t)__builtin_popcountll(here ^ wanted[word]);
        }
        if (words >= 8) {
            for (int lane = 0; lane < 8; lane++) differing += counts[lane];
        }
        distances[row] = (uint32_t)differing;
    }
}
