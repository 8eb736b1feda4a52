// Robust mutexes in memory that several processes map.
#define _GNU_SOURCE
#include "CShims.h"

#include <pthread.h>
#include <time.h>

size_t freehold_shim_mutex_size(void) { return sizeof(pthread_mutex_t); }

int freehold_shim_mutex_initialize(void *address) {
    pthread_mutexattr_t attributes;
    int code = pthread_mutexattr_init(&attributes);
    if (code) return -code;
    if (!code) code = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    if (!code) code = pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    if (!code) code = pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_NORMAL);
    if (!code) code = pthread_mutex_init(address, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return -code;
}

static int outcome(int code) {
    switch (code) {
    case 0: return FREEHOLD_SHIM_MUTEX_ACQUIRED;
    case EOWNERDEAD: return FREEHOLD_SHIM_MUTEX_OWNER_DIED;
    case EBUSY:
    case ETIMEDOUT: return FREEHOLD_SHIM_MUTEX_TIMED_OUT;
    // EINVAL and EPERM: the bytes in the shared file are not a valid mutex of this kind.
    case ENOTRECOVERABLE:
    case EINVAL:
    case EPERM: return FREEHOLD_SHIM_MUTEX_UNRECOVERABLE;
    default: return -code;
    }
}

int freehold_shim_mutex_try_lock(void *address) { return outcome(pthread_mutex_trylock(address)); }

int freehold_shim_mutex_lock(void *address, int64_t timeout_milliseconds) {
    // The mutex is usually free, and then the clock need not be read.
    int code = pthread_mutex_trylock(address);
    if (code != EBUSY || timeout_milliseconds <= 0) return outcome(code);
#ifdef __GLIBC__
    clockid_t clock = CLOCK_MONOTONIC;
#else
    clockid_t clock = CLOCK_REALTIME;
#endif
    struct timespec until;
    clock_gettime(clock, &until);
    until.tv_sec += timeout_milliseconds / 1000;
    until.tv_nsec += timeout_milliseconds % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec += 1;
    }
#ifdef __GLIBC__
    code = pthread_mutex_clocklock(address, clock, &until);
#else
    code = pthread_mutex_timedlock(address, &until);
#endif
    return outcome(code);
}

int freehold_shim_mutex_make_consistent(void *address) { return -pthread_mutex_consistent(address); }

int freehold_shim_mutex_unlock(void *address) { return -pthread_mutex_unlock(address); }
