#define _GNU_SOURCE

#include <sys/mman.h>

#include "CShims.h"

void freehold_shim_prefer_large_pages(void *base, size_t length) { madvise(base, length, MADV_HUGEPAGE); }

void freehold_shim_keep_out_of_dumps(void *base, size_t length) { madvise(base, length, MADV_DONTDUMP); }

void freehold_shim_gather(void *base, size_t length) {
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
    int saved = errno;
    madvise(base, length, MADV_COLLAPSE);
    errno = saved;
}
