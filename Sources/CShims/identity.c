// Identity of the process and its system.
#define _GNU_SOURCE
#include "CShims.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

void freehold_shim_error_text(int code, char *text, size_t capacity) {
#ifdef __GLIBC__
    // Unlike strerror it neither shares a buffer between threads nor translates.
    const char *words = strerrordesc_np(code);
#else
    const char *words = strerror(code);
#endif
    snprintf(text, capacity, "%s", words ? words : "unknown error");
}

int freehold_shim_compare(const void *left, const void *right, size_t length) {
    return memcmp(left, right, length);
}

int32_t freehold_shim_thread_id(void) { return (int32_t)syscall(SYS_gettid); }

uintptr_t freehold_shim_thread_number(void) {
    static atomic_uintptr_t last;
    static _Thread_local uintptr_t own;
    if (!own) own = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return own;
}

// The file holds 32 hexadecimal digits and dashes. Container managers mount their own file over the kernel's: then one
// kernel has two identities, and neither shows whether data may be only in the page cache.
static int freehold_is_mounted_over(int descriptor) {
    struct statfs system;
    if (fstatfs(descriptor, &system) != 0 || (uint32_t)system.f_type != PROC_SUPER_MAGIC) return 1;
    struct statx status;
    return statx(descriptor, "", AT_EMPTY_PATH, 0, &status) == 0 && (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

int freehold_shim_boot_identity(uint8_t identity[16]) {
    char text[64];
    int descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return -errno;
    if (freehold_is_mounted_over(descriptor)) {
        close(descriptor);
        return -EXDEV;
    }
    ssize_t length = read(descriptor, text, sizeof text);
    close(descriptor);
    int digits = 0;
    memset(identity, 0, 16);
    for (ssize_t i = 0; i < length && digits < 32; i++) {
        int digit;
        if (text[i] >= '0' && text[i] <= '9') digit = text[i] - '0';
        else if (text[i] >= 'a' && text[i] <= 'f') digit = text[i] - 'a' + 10;
        else continue;
        identity[digits / 2] |= (uint8_t)(digits % 2 ? digit : digit << 4);
        digits++;
    }
    return digits == 32 ? 0 : -EIO;
}

uint64_t freehold_shim_process_namespace(void) {
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

uint32_t freehold_shim_layout_tag(void) {
#ifdef __GLIBC__
    uint32_t library = 1;
#else
    uint32_t library = 2;
#endif
    return library << 24 | (uint32_t)sizeof(pthread_mutex_t) << 8 | (uint32_t)sizeof(void *) * 8;
}

int freehold_shim_random(void *buffer, size_t length) {
    char *next = buffer;
    while (length > 0) {
        ssize_t count = getrandom(next, length, 0);
        if (count < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        next += count;
        length -= (size_t)count;
    }
    return 0;
}

struct thread_start {
    void (*body)(void *);
    void *context;
    char name[16];
};

static void *thread_main(void *argument) {
    struct thread_start start = *(struct thread_start *)argument;
    free(argument);
    prctl(PR_SET_NAME, start.name, 0, 0, 0);
    start.body(start.context);
    return NULL;
}

int freehold_shim_thread_start(const char *name, void (*body)(void *), void *context) {
    struct thread_start *start = malloc(sizeof *start);
    if (!start) return -ENOMEM;
    start->body = body;
    start->context = context;
    snprintf(start->name, sizeof start->name, "%s", name);
    // The program's signal handlers must not run on a library's thread. Fault signals stay open: a blocked one kills
    // the process.
    sigset_t blocked, before;
    sigfillset(&blocked);
    sigdelset(&blocked, SIGBUS);
    sigdelset(&blocked, SIGSEGV);
    sigdelset(&blocked, SIGILL);
    sigdelset(&blocked, SIGFPE);
    sigdelset(&blocked, SIGTRAP);
    sigdelset(&blocked, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_t thread;
    int code = pthread_create(&thread, NULL, thread_main, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code) free(start);
    else pthread_detach(thread);
    return -code;
}
