// What Swift cannot reach by itself: system calls that need _GNU_SOURCE or a C macro, robust mutexes, signal and fork
// handlers, and the block checksum. No header included here may need _GNU_SOURCE: it would break Swift's Glibc module.
//
// Unless a comment says otherwise, functions return 0 or more on success and a negated errno on failure, and leave
// errno alone for the caller's purposes.
#ifndef FREEHOLD_CSHIMS_H
#define FREEHOLD_CSHIMS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FREEHOLD_SHIM_EPERM = EPERM,
    FREEHOLD_SHIM_ENOENT = ENOENT,
    FREEHOLD_SHIM_EIO = EIO,
    FREEHOLD_SHIM_ENOMEM = ENOMEM,
    FREEHOLD_SHIM_EACCES = EACCES,
    FREEHOLD_SHIM_EEXIST = EEXIST,
    FREEHOLD_SHIM_ENOTDIR = ENOTDIR,
    FREEHOLD_SHIM_EISDIR = EISDIR,
    FREEHOLD_SHIM_ENOTEMPTY = ENOTEMPTY,
    FREEHOLD_SHIM_ENFILE = ENFILE,
    FREEHOLD_SHIM_EMFILE = EMFILE,
    FREEHOLD_SHIM_EFBIG = EFBIG,
    FREEHOLD_SHIM_ENOSPC = ENOSPC,
    FREEHOLD_SHIM_EROFS = EROFS,
    FREEHOLD_SHIM_ENAMETOOLONG = ENAMETOOLONG,
    FREEHOLD_SHIM_ENOLCK = ENOLCK,
    FREEHOLD_SHIM_EOPNOTSUPP = EOPNOTSUPP,
    FREEHOLD_SHIM_EDQUOT = EDQUOT,
};

// Writes the system's words for an error number, always ended by a zero.
void freehold_shim_error_text(int code, char *text, size_t capacity);

// The order of two byte strings of one length, as memcmp.
int freehold_shim_compare(const void *left, const void *right, size_t length);

// The 64-bit checksum of every block and record; the same value on every processor.
uint64_t freehold_shim_checksum(const void *bytes, size_t length);

#endif
