// The checksum of every block: 64 bits from four CRC-32C sums computed in parallel.
//
// Word i (eight bytes, little-endian; the last one padded with zeros) goes to lane i mod 4. One lane alone would wait
// three cycles for each word; four keep the processor's CRC unit busy.
//
// The lanes are joined as (lane 0, lane 1) * odd + rotated((lane 2, lane 3) * odd) + length * odd, and then mixed. Each
// step is one-to-one in each pair while the other pair and the length are constant, so a change to only one lane (or
// only one pair) always changes the result.
#define _GNU_SOURCE
#include "CShims.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Freehold's file format is little-endian; a big-endian port must swap the words here."
#endif

// Different seeds, so that words moved to another lane are detected.
static const uint32_t seeds[4] = {0x9e3779b9, 0x7f4a7c15, 0xf39cc060, 0x5cedc834};

static uint64_t rotate(uint64_t value, int count) { return value << count | value >> (64 - count); }

static inline uint64_t join(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t length) {
    uint64_t sum = ((a & 0xffffffff) | b << 32) * 0x9e3779b97f4a7c15;
    sum += rotate(((c & 0xffffffff) | d << 32) * 0xc2b2ae3d27d4eb4f, 31);
    sum += length * 0x165667b19e3779f9;
    sum ^= sum >> 32;
    sum *= 0xd6e8feb86659fd93;
    sum ^= sum >> 29;
    return sum;
}

static inline uint64_t word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

// One body for each way to add a word; STEP(crc, word) is the only difference.
#define CHECKSUM_BODY(STEP)                                                                                          \
    const uint8_t *next = bytes;                                                                                     \
    uint64_t a = seeds[0], b = seeds[1], c = seeds[2], d = seeds[3];                                                 \
    size_t left = length;                                                                                            \
    for (; left >= 32; left -= 32, next += 32) {                                                                     \
        a = STEP(a, word_at(next));                                                                                  \
        b = STEP(b, word_at(next + 8));                                                                              \
        c = STEP(c, word_at(next + 16));                                                                             \
        d = STEP(d, word_at(next + 24));                                                                             \
    }                                                                                                                \
    if (left > 0) {                                                                                                  \
        uint8_t tail[32] = {0};                                                                                      \
        memcpy(tail, next, left);                                                                                    \
        a = STEP(a, word_at(tail));                                                                                  \
        if (left > 8) b = STEP(b, word_at(tail + 8));                                                                \
        if (left > 16) c = STEP(c, word_at(tail + 16));                                                              \
        if (left > 24) d = STEP(d, word_at(tail + 24));                                                              \
    }                                                                                                                \
    return join(a, b, c, d, length)

// tables[k][v]: the effect of byte v on the sum when k more bytes of its word follow.
static uint32_t tables[8][256];

static void make_tables(void) {
    for (uint32_t value = 0; value < 256; value++) {
        uint32_t crc = value;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
        tables[0][value] = crc;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t value = 0; value < 256; value++)
            tables[k][value] = tables[k - 1][value] >> 8 ^ tables[0][tables[k - 1][value] & 255];
}

static inline uint64_t step_portable(uint64_t crc, uint64_t word) {
    word ^= crc;
    return tables[7][word & 255] ^ tables[6][word >> 8 & 255] ^ tables[5][word >> 16 & 255] ^
           tables[4][word >> 24 & 255] ^ tables[3][word >> 32 & 255] ^ tables[2][word >> 40 & 255] ^
           tables[1][word >> 48 & 255] ^ tables[0][word >> 56];
}

uint64_t freehold_shim_checksum_portable(const void *bytes, size_t length) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_tables);
    CHECKSUM_BODY(step_portable);
}

#if defined(__x86_64__)

#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint64_t checksum_by_processor(const void *bytes, size_t length) {
    CHECKSUM_BODY(_mm_crc32_u64);
}

static int processor_helps(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2");
}

#elif defined(__aarch64__)

#include <arm_acle.h>
#include <sys/auxv.h>

__attribute__((target("crc"))) static uint64_t checksum_by_processor(const void *bytes, size_t length) {
#define STEP_ARM(crc, word) __crc32cd((uint32_t)(crc), word)
    CHECKSUM_BODY(STEP_ARM);
}

static int processor_helps(void) { return (getauxval(AT_HWCAP) >> 7 & 1) != 0; }

#else

#define checksum_by_processor freehold_shim_checksum_portable
static int processor_helps(void) { return 0; }

#endif

typedef uint64_t (*checksum_function)(const void *, size_t);

static uint64_t choose_and_checksum(const void *bytes, size_t length);
static _Atomic(checksum_function) chosen = choose_and_checksum;

static uint64_t choose_and_checksum(const void *bytes, size_t length) {
    checksum_function function = processor_helps() ? checksum_by_processor : freehold_shim_checksum_portable;
    atomic_store_explicit(&chosen, function, memory_order_relaxed);
    return function(bytes, length);
}

uint64_t freehold_shim_checksum(const void *bytes, size_t length) {
    return atomic_load_explicit(&chosen, memory_order_relaxed)(bytes, length);
}
