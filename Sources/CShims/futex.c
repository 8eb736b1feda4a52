// Waiting on a word of shared memory. Never condition variables: a process killed inside one hangs the others.
#define _GNU_SOURCE
#include "CShims.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int freehold_shim_futex_wait(const uint32_t *word, uint32_t value, int64_t timeout_nanoseconds) {
    struct timespec timeout = {timeout_nanoseconds / 1000000000, timeout_nanoseconds % 1000000000};
    // Without FUTEX_PRIVATE_FLAG the word is identified by its file and offset, so it works between processes.
    if (syscall(SYS_futex, word, FUTEX_WAIT, value, &timeout, NULL, 0) == 0) return FREEHOLD_SHIM_WAIT_WOKEN;
    switch (errno) {
    case EAGAIN: return FREEHOLD_SHIM_WAIT_CHANGED;
    case ETIMEDOUT: return FREEHOLD_SHIM_WAIT_TIMED_OUT;
    case EINTR: return FREEHOLD_SHIM_WAIT_WOKEN;
    default: return -errno;
    }
}

int freehold_shim_futex_wake(const uint32_t *word, int count) {
    long woken = syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
    return woken < 0 ? -errno : (int)woken;
}
