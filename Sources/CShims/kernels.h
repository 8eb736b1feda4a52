// Declarations shared by the kernel files; not part of the module.
#ifndef FREEHOLD_KERNELS_PRIVATE_H
#define FREEHOLD_KERNELS_PRIVATE_H

#include "FreeholdKernels.h"

#include <stdbool.h>
#include <string.h>

// The loader picks the clone, with a mechanism that only glibc has (musl does not) and before the thread sanitizer's
// runtime has started.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FREEHOLD_KERNEL
#endif
#endif
#ifndef FREEHOLD_KERNEL
#if defined(__x86_64__) && defined(__GLIBC__)
#define FREEHOLD_KERNEL __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
// One more for processors that count the bits of the words of a vector.
#define FREEHOLD_KERNEL_BITS __attribute__((target_clones("avx512vpopcntdq", "avx2", "default")))
#else
#define FREEHOLD_KERNEL
#endif
#endif
#ifndef FREEHOLD_KERNEL_BITS
#define FREEHOLD_KERNEL_BITS FREEHOLD_KERNEL
#endif

#define FREEHOLD_INLINE static inline __attribute__((always_inline))

// A strip is 64 rows: the lanes of one vector, and the bits of one bitmap word.
enum { STRIP = 64 };

typedef uint8_t lanes8_t __attribute__((ext_vector_type(64)));
typedef uint16_t lanes16_t __attribute__((ext_vector_type(64)));
typedef uint32_t lanes32_t __attribute__((ext_vector_type(64)));
typedef uint64_t lanes64_t __attribute__((ext_vector_type(64)));
typedef bool strip_bits_t __attribute__((ext_vector_type(64)));

FREEHOLD_INLINE uint64_t low_bits(size_t count) {
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

#endif
