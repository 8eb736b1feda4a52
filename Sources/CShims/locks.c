// Byte locks that belong to an open file description. Never POSIX record locks: closing any descriptor of the file
// would drop them.
#define _GNU_SOURCE
#include "CShims.h"

#include <fcntl.h>
#include <unistd.h>

static struct flock one_byte(int64_t offset, short type) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
    return lock;
}

static int call(int descriptor, int command, struct flock *lock) {
    int result;
    do result = fcntl(descriptor, command, lock);
    while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

int freehold_shim_lock_byte(int descriptor, int64_t offset, int kind) {
    struct flock lock = one_byte(offset, kind == FREEHOLD_SHIM_LOCK_EXCLUSIVE ? F_WRLCK : F_RDLCK);
    int code = call(descriptor, F_OFD_SETLK, &lock);
    if (code == -EAGAIN || code == -EACCES) return 0;
    return code < 0 ? code : 1;
}

int freehold_shim_unlock_byte(int descriptor, int64_t offset) {
    struct flock lock = one_byte(offset, F_UNLCK);
    return call(descriptor, F_OFD_SETLK, &lock);
}

void freehold_shim_unlock_all(int descriptor) {
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET}; // from 0, without end
    call(descriptor, F_OFD_SETLK, &lock);
}

int freehold_shim_bytes_are_locked(int descriptor, int64_t offset, int64_t count) {
    struct flock lock = one_byte(offset, F_WRLCK);
    lock.l_len = count;
    int code = call(descriptor, F_OFD_GETLK, &lock);
    return code < 0 ? code : lock.l_type != F_UNLCK;
}
