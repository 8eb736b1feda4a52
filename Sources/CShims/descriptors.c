// Descriptors that carry locks. A forked child closes them at once: a lock lasts until the last copy of its descriptor
// is closed, so a living child would keep all locks of its dead parent.
//
// They are kept in a list of chunks that only grows; the fork handler reads it without locks.
#define _GNU_SOURCE
#include "CShims.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct freehold_shim_lock_place {
    // The descriptor plus one; 0 while the slot is free, -1 while it is being filled.
    _Atomic int taken;
    dev_t device;
    ino_t inode;
};

struct place_chunk {
    struct freehold_shim_lock_place places[64];
    _Atomic(struct place_chunk *) next;
};

static struct place_chunk first_places;

struct freehold_shim_lock_place *freehold_shim_close_in_child(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return NULL;
    freehold_shim_watch_forks();
    for (struct place_chunk *chunk = &first_places;; chunk = atomic_load(&chunk->next)) {
        for (size_t i = 0; i < sizeof chunk->places / sizeof *chunk->places; i++) {
            int expected = 0;
            if (!atomic_compare_exchange_strong(&chunk->places[i].taken, &expected, -1)) continue;
            chunk->places[i].device = status.st_dev;
            chunk->places[i].inode = status.st_ino;
            atomic_store(&chunk->places[i].taken, descriptor + 1);
            return &chunk->places[i];
        }
        if (atomic_load(&chunk->next)) continue;
        struct place_chunk *fresh = calloc(1, sizeof *fresh), *none = NULL;
        if (!fresh) return NULL;
        if (!atomic_compare_exchange_strong(&chunk->next, &none, fresh)) free(fresh);
    }
}

void freehold_shim_keep_descriptor_in_child(struct freehold_shim_lock_place *place) { atomic_store(&place->taken, 0); }

void freehold_shim_close_lock_descriptors(void) {
    for (struct place_chunk *chunk = &first_places; chunk; chunk = atomic_load(&chunk->next))
        for (size_t i = 0; i < sizeof chunk->places / sizeof *chunk->places; i++) {
            struct freehold_shim_lock_place *place = &chunk->places[i];
            struct stat status;
            int descriptor = atomic_exchange(&place->taken, 0) - 1;
            // The number may be another file's, if the program closed a descriptor that was not its own.
            if (descriptor >= 0 && fstat(descriptor, &status) == 0 && status.st_dev == place->device && status.st_ino == place->inode)
                close(descriptor);
        }
}
