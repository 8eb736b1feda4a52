// Memory for keys: its own pages between inaccessible ones, excluded from core dumps, locked in memory where the limit
// allows it, and zeroed in a forked child unless the child is to inherit them.
#define _GNU_SOURCE
#include "CShims.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { SLOT = FREEHOLD_SHIM_SECRET_LENGTH, SLOTS = 256, WORDS = SLOTS / 64 };

// Never freed: as many as were needed at once.
struct region {
    uint8_t *base;
    struct region *next;
    int inherited;
    uint32_t generation;
    _Atomic uint64_t used[WORDS];
};

static _Atomic(struct region *) regions;

static struct region *add_region(int inherited) {
    freehold_shim_watch_forks();
    size_t page = (size_t)sysconf(_SC_PAGESIZE), length = (SLOT * SLOTS + page - 1) / page * page;
    struct region *region = calloc(1, sizeof *region);
    if (!region) return NULL;
    uint8_t *start = mmap(NULL, length + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED || mprotect(start + page, length, PROT_READ | PROT_WRITE) != 0) {
        if (start != MAP_FAILED) munmap(start, length + 2 * page);
        free(region);
        return NULL;
    }
    int saved = errno;
    region->base = start + page;
    region->inherited = inherited;
    region->generation = freehold_shim_fork_generation();
    madvise(region->base, length, MADV_DONTDUMP);
    // Kernels before 4.14 cannot wipe on fork; the next best is no memory at all in the child.
    if (!inherited && madvise(region->base, length, MADV_WIPEONFORK) != 0) madvise(region->base, length, MADV_DONTFORK);
    mlock(region->base, length);
    errno = saved;
    region->next = atomic_load(&regions);
    while (!atomic_compare_exchange_weak(&regions, &region->next, region)) {}
    return region;
}

static uint8_t *claim_slot(struct region *region) {
    for (size_t word = 0; word < WORDS; word++) {
        uint64_t used = atomic_load(&region->used[word]);
        while (~used) {
            int bit = __builtin_ctzll(~used);
            if (atomic_compare_exchange_weak(&region->used[word], &used, used | (uint64_t)1 << bit)) {
                return region->base + (word * 64 + (size_t)bit) * SLOT;
            }
        }
    }
    return NULL;
}

static int is_usable(const struct region *region) {
    return region->inherited || region->generation == freehold_shim_fork_generation();
}

uint8_t *freehold_shim_secret_new(int inherited) {
    for (;;) {
        for (struct region *region = atomic_load(&regions); region; region = region->next) {
            if (region->inherited != inherited || !is_usable(region)) continue;
            uint8_t *slot = claim_slot(region);
            if (slot) return slot;
        }
        if (!add_region(inherited)) return NULL;
    }
}

void freehold_shim_secret_free(uint8_t *slot) {
    for (struct region *region = atomic_load(&regions); region; region = region->next) {
        if (slot < region->base || slot >= region->base + SLOT * SLOTS) continue;
        // The parent's: wiped by the fork, and never used again.
        if (!is_usable(region)) return;
        size_t number = (size_t)(slot - region->base) / SLOT;
        explicit_bzero(slot, SLOT);
        atomic_fetch_and(&region->used[number / 64], ~((uint64_t)1 << number % 64));
        return;
    }
    abort();
}
