// File calls that need _GNU_SOURCE or a macro.
#define _GNU_SOURCE
#include "CShims.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

int freehold_shim_above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), code = errno;
    close(descriptor);
    return moved < 0 ? -code : moved;
}

int freehold_shim_memory_file(const char *name) {
    int descriptor = memfd_create(name, MFD_CLOEXEC);
    return descriptor < 0 ? -errno : freehold_shim_above_standard(descriptor);
}

int freehold_shim_event_descriptor(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return descriptor < 0 ? -errno : freehold_shim_above_standard(descriptor);
}

static int allocate(int descriptor, int mode, int64_t offset, int64_t length) {
    int result;
    do result = fallocate(descriptor, mode, offset, length);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int freehold_shim_reserve(int descriptor, int64_t offset, int64_t length) {
    return allocate(descriptor, FALLOC_FL_KEEP_SIZE, offset, length);
}

int freehold_shim_extend(int descriptor, int64_t length) {
    int result = allocate(descriptor, 0, length - 1, 1);
    return result == -EOPNOTSUPP ? freehold_shim_append_zeros(descriptor, length) : result;
}

// Each call appends at the end that the file has at that moment, so it overwrites nothing that other processes have
// written meanwhile.
int freehold_shim_append_zeros(int descriptor, int64_t length) {
    static const char zeros[1 << 16];
    struct stat status;
    for (;;) {
        if (fstat(descriptor, &status) < 0) return -errno;
        if (status.st_size >= length) return 0;
        int64_t missing = length - status.st_size;
        struct iovec part = {(void *)zeros, missing < (int64_t)sizeof zeros ? (size_t)missing : sizeof zeros};
        if (pwritev2(descriptor, &part, 1, 0, RWF_APPEND) < 0 && errno != EINTR) return -errno;
    }
}

int freehold_shim_punch_hole(int descriptor, int64_t offset, int64_t length) {
    return allocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
}

int freehold_shim_write_back(int descriptor, int64_t offset, int64_t length) {
    const unsigned flags = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    int result;
    do result = sync_file_range(descriptor, offset, length, flags);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int freehold_shim_synchronize_file_system(int descriptor) {
    int result;
    do result = syncfs(descriptor);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int freehold_shim_advise(int descriptor, int64_t offset, int64_t length, int advice) {
    static const int advices[] = {
        [FREEHOLD_SHIM_ADVICE_SEQUENTIAL] = POSIX_FADV_SEQUENTIAL,
        [FREEHOLD_SHIM_ADVICE_RANDOM] = POSIX_FADV_RANDOM,
        [FREEHOLD_SHIM_ADVICE_WILL_NEED] = POSIX_FADV_WILLNEED,
        [FREEHOLD_SHIM_ADVICE_WILL_NOT_NEED] = POSIX_FADV_DONTNEED,
    };
    return -posix_fadvise(descriptor, offset, length, advices[advice]);
}

int freehold_shim_file_system(int descriptor, uint64_t *kind, int *read_only) {
    struct statfs status;
    int result;
    do result = fstatfs(descriptor, &status);
    while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    // The kernel's numbers have 32 bits; some C libraries declare them as signed.
    *kind = (uint32_t)status.f_type;
    *read_only = (status.f_flags & ST_RDONLY) != 0;
    return 0;
}

int freehold_shim_standing(int descriptor, freehold_shim_standing_t *standing) {
    struct statx status;
    int result;
    do result = statx(descriptor, "", AT_EMPTY_PATH, STATX_INO | STATX_NLINK | STATX_SIZE, &status);
    while (result < 0 && errno == EINTR);
    if (result < 0) return -errno;
    standing->device = makedev(status.stx_dev_major, status.stx_dev_minor);
    standing->inode = status.stx_ino;
    standing->link_count = status.stx_nlink;
    standing->length = status.stx_size;
    return 0;
}

int freehold_shim_rename_new(const char *source, const char *destination) {
    // By its number: older C libraries have no wrapper for the call.
    if (syscall(SYS_renameat2, AT_FDCWD, source, AT_FDCWD, destination, RENAME_NOREPLACE) == 0) return 0;
    return errno == EINVAL || errno == ENOSYS ? freehold_shim_move_by_link(source, destination) : -errno;
}

int freehold_shim_move_by_link(const char *source, const char *destination) {
    if (link(source, destination) < 0) return -errno;
    // The file has its new name; the old name that it still has is harmless.
    unlink(source);
    return 0;
}

// A write to a pipe without a reader raises SIGPIPE in the writing thread, and a library must not change how the
// program handles it. So the signal is blocked, and removed from the queue if this write has raised it.
int freehold_shim_tell(int descriptor) {
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    int was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    ssize_t count;
    do count = write(descriptor, "!", 1);
    while (count < 0 && errno == EINTR);
    int code = count < 0 ? -errno : (int)count;
    if (code == -EPIPE && !was_pending) {
        struct timespec none = {0, 0};
        while (sigtimedwait(&pipe_signal, NULL, &none) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}
