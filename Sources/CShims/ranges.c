// Handles bus errors in mapped ranges when the file cannot supply a page, and ranges in forked processes.
//
// Ranges are kept in a list of chunks that only grows, which the signal handler and the fork handler read without
// locks. A slot is FREE, or CLAIMED by a thread that fills it, or LIVE.
#define _GNU_SOURCE
#include "CShims.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FREE, CLAIMED, LIVE };

struct freehold_shim_range {
    _Atomic uint32_t state;
    _Atomic uint32_t faults;
    uintptr_t base;
    size_t length;
    int writable;
    int guard_fork;
};

struct chunk {
    struct freehold_shim_range ranges[64];
    _Atomic(struct chunk *) next;
};

static struct chunk first_chunk;
static size_t page_size;
static struct sigaction previous_bus_action;
static _Atomic uint32_t fork_generation;

typedef int (*visitor)(struct freehold_shim_range *, void *);

// Calls the visitor on every slot until it returns nonzero; the last chunk seen is left in `last`.
static struct freehold_shim_range *find_range(visitor visit, void *context, struct chunk **last) {
    for (struct chunk *chunk = &first_chunk; chunk; chunk = atomic_load(&chunk->next)) {
        for (size_t i = 0; i < sizeof chunk->ranges / sizeof *chunk->ranges; i++)
            if (visit(&chunk->ranges[i], context)) return &chunk->ranges[i];
        if (last) *last = chunk;
    }
    return NULL;
}

static int contains(struct freehold_shim_range *range, void *address) {
    return atomic_load(&range->state) == LIVE && (uintptr_t)address - range->base < range->length;
}

static void pass_on(int number, siginfo_t *info, void *context) {
    struct sigaction *previous = &previous_bus_action;
    if (previous->sa_flags & SA_SIGINFO) {
        previous->sa_sigaction(number, info, context);
    } else if (previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN) {
        previous->sa_handler(number);
    } else if (info->si_code > 0 || previous->sa_handler == SIG_DFL) {
        // A fault elsewhere occurs again on return and then ends the process, as it would have without this handler.
        signal(number, SIG_DFL);
        if (info->si_code <= 0) raise(number);
    }
}

static void handle_bus_error(int number, siginfo_t *info, void *context) {
    int saved = errno;
    struct freehold_shim_range *range = NULL;
    // Sent by kill() it carries no address.
    if (info->si_code > 0) range = find_range(contains, info->si_addr, NULL);
    if (range) {
        void *start = (void *)((uintptr_t)info->si_addr & ~(page_size - 1));
        size_t length = page_size;
        int protection = PROT_READ;
        if (range->writable) {
            // Memory that processes share for writing must not be shared in part: from now on the whole range is
            // private to this process, and empty.
            start = (void *)range->base;
            length = range->length;
            protection = PROT_READ | PROT_WRITE;
        }
        // Counted before the zeros can be read.
        atomic_fetch_add(&range->faults, 1);
        if (mmap(start, length, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED) {
            errno = saved;
            return;
        }
    }
    errno = saved;
    pass_on(number, info, context);
}

static int guard(struct freehold_shim_range *range, void *unused) {
    (void)unused;
    if (atomic_load(&range->state) == LIVE && range->guard_fork) {
        // Otherwise the child's next mapping may be placed there, and a stale pointer would read it undetected.
        mmap((void *)range->base, range->length, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    }
    return 0;
}

static void after_fork_in_child(void) {
    atomic_fetch_add(&fork_generation, 1);
    // First: from now on no code takes this process for its parent.
    freehold_shim_close_lock_descriptors();
    freehold_shim_forget_ciphers();
    // Before the removal of ranges that it allows threads to read.
    freehold_shim_clear_words();
    freehold_shim_forget_workers();
    find_range(guard, NULL, NULL);
}

static void install_fork_handler(void) { pthread_atfork(NULL, NULL, after_fork_in_child); }

void freehold_shim_watch_forks(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_fork_handler);
}

uint32_t freehold_shim_fork_generation(void) {
    return atomic_load_explicit(&fork_generation, memory_order_relaxed);
}

const uint32_t *freehold_shim_fork_generation_word(void) { return (const uint32_t *)&fork_generation; }

static void install_bus_handler(void) {
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_sigaction = handle_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigemptyset(&action.sa_mask);
    // Read before the handler can run, and again together with the change.
    sigaction(SIGBUS, NULL, &previous_bus_action);
    sigaction(SIGBUS, &action, &previous_bus_action);
}

static int claim(struct freehold_shim_range *range, void *unused) {
    (void)unused;
    uint32_t expected = FREE;
    return atomic_compare_exchange_strong(&range->state, &expected, CLAIMED);
}

struct freehold_shim_range *freehold_shim_range_add(void *base, size_t length, int writable, int guard_fork) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_bus_handler);
    freehold_shim_watch_forks();
    struct chunk *last = NULL;
    struct freehold_shim_range *range;
    while (!(range = find_range(claim, NULL, &last))) {
        struct chunk *fresh = calloc(1, sizeof *fresh), *none = NULL;
        if (!fresh) return NULL;
        if (!atomic_compare_exchange_strong(&last->next, &none, fresh)) free(fresh);
    }
    range->base = (uintptr_t)base;
    range->length = length;
    range->writable = writable;
    range->guard_fork = guard_fork;
    atomic_store(&range->faults, 0);
    if (guard_fork) madvise(base, length, MADV_DONTFORK);
    atomic_store(&range->state, LIVE);
    return range;
}

void freehold_shim_range_remove(struct freehold_shim_range *range) { atomic_store(&range->state, FREE); }

const uint32_t *freehold_shim_range_faults(const struct freehold_shim_range *range) {
    // A plain word for Swift, which reads it as an atomic of its own.
    return (const uint32_t *)&range->faults;
}
