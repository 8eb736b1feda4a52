// Scanning float and double rows.
#include "kernels.h"

typedef double doubles8_t __attribute__((ext_vector_type(8)));
typedef float floats8_t __attribute__((ext_vector_type(8)));
typedef int64_t masks8_t __attribute__((ext_vector_type(8)));

FREEHOLD_INLINE void add_lanes(freehold_kernel_real_t *into, const doubles8_t *sums, const doubles8_t *smallest, const doubles8_t *largest) {
    for (int lane = 0; lane < 8; lane++) {
        into->sum += (*sums)[lane];
        if ((*smallest)[lane] < into->minimum) into->minimum = (*smallest)[lane];
        if ((*largest)[lane] > into->maximum) into->maximum = (*largest)[lane];
    }
}

// Lanes of -1 where the row is null.
FREEHOLD_INLINE void absent_lanes(uint64_t missing, masks8_t *absent) {
    const masks8_t bits = {1, 2, 4, 8, 16, 32, 64, 128};
    *absent = ((masks8_t)(int64_t)(missing & 255) & bits) != 0;
}

// A comparison with NaN is false, so such lanes never become a bound.
#define SUMMARISE(LANES, FIELD)                                                                                        \
    do {                                                                                                               \
        doubles8_t sums = 0, smallest = __builtin_inf(), largest = -__builtin_inf();                                   \
        freehold_kernel_real_t result = {0, __builtin_inf(), -__builtin_inf()};                                        \
        for (size_t row = 0; row < count; row += 8) {                                                                  \
            LANES loaded = 0;                                                                                          \
            uint64_t missing = nulls ? (nulls[row / 64] >> (row % 64)) & 255 : 0;                                      \
            if (count - row >= 8) {                                                                                    \
                memcpy(&loaded, (const FIELD *)values + row, sizeof loaded);                                           \
            } else {                                                                                                   \
                memcpy(&loaded, (const FIELD *)values + row, (count - row) * sizeof(FIELD));                           \
                missing |= ~low_bits(count - row) & 255;                                                               \
            }                                                                                                          \
            const doubles8_t lanes = __builtin_convertvector(loaded, doubles8_t);                                      \
            if (missing) {                                                                                             \
                masks8_t absent;                                                                                       \
                absent_lanes(missing, &absent);                                                                        \
                sums = absent ? sums : sums + lanes;                                                                   \
                smallest = (lanes < smallest) & ~absent ? lanes : smallest;                                            \
                largest = (lanes > largest) & ~absent ? lanes : largest;                                               \
            } else {                                                                                                   \
                sums += lanes;                                                                                         \
                smallest = lanes < smallest ? lanes : smallest;                                                        \
                largest = lanes > largest ? lanes : largest;                                                           \
            }                                                                                                          \
        }                                                                                                              \
        add_lanes(&result, &sums, &smallest, &largest);                                                                \
        return result;                                                                                                 \
    } while (0)

FREEHOLD_KERNEL
freehold_kernel_real_t freehold_kernel_summary_double(const void *values, const uint64_t *nulls, size_t count) {
    SUMMARISE(doubles8_t, double);
}

FREEHOLD_KERNEL
freehold_kernel_real_t freehold_kernel_summary_float(const void *values, const uint64_t *nulls, size_t count) {
    SUMMARISE(floats8_t, float);
}

#define SELECT(FIELD)                                                                                                  \
    do {                                                                                                               \
        typedef FIELD lanes_t __attribute__((ext_vector_type(64)));                                                    \
        for (size_t first = 0; first < count; first += STRIP) {                                                        \
            const size_t rows = count - first < STRIP ? count - first : STRIP;                                         \
            lanes_t lanes = 0;                                                                                         \
            if (rows == STRIP) memcpy(&lanes, (const FIELD *)values + first, sizeof lanes);                            \
            else memcpy(&lanes, (const FIELD *)values + first, rows * sizeof(FIELD));                                  \
            const strip_bits_t bits = __builtin_convertvector((lanes >= (lanes_t)low) & (lanes <= (lanes_t)high), strip_bits_t); \
            memcpy(&matches[first / STRIP], &bits, 8);                                                                 \
            matches[first / STRIP] &= low_bits(rows);                                                                  \
        }                                                                                                              \
    } while (0)

FREEHOLD_KERNEL
void freehold_kernel_select_double(const void *values, size_t count, double low, double high, uint64_t *matches) {
    SELECT(double);
}

FREEHOLD_KERNEL
void freehold_kernel_select_float(const void *values, size_t count, float low, float high, uint64_t *matches) {
    SELECT(float);
}
