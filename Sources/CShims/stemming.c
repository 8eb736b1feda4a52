// Word stems from Snowball's libstemmer, which is loaded on first use: the build needs none of its headers, and programs
// without stemming never load it.
#define _GNU_SOURCE
#include "CShims.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

static struct {
    void *(*new_stemmer)(const char *, const char *);
    void (*delete_stemmer)(void *);
    const unsigned char *(*stem)(void *, const unsigned char *, int);
    int (*length)(void *);
} library;

static int load_result;

static int find(void *handle, const char *name, void *place) {
    void *symbol = dlsym(handle, name);
    memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void load(void) {
    load_result = -ENOENT;
    // Debian's name, and that of others.
    static const char *const names[] = {"libstemmer.so.0d", "libstemmer.so.0"};
    for (size_t i = 0; i < sizeof names / sizeof *names && load_result != 0; i++) {
        void *handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!handle) continue;
        // Never closed: its functions are in use as long as the process lives.
        int complete = find(handle, "sb_stemmer_new", &library.new_stemmer)
            && find(handle, "sb_stemmer_delete", &library.delete_stemmer)
            && find(handle, "sb_stemmer_stem", &library.stem)
            && find(handle, "sb_stemmer_length", &library.length);
        if (complete) load_result = 0;
        else dlclose(handle);
    }
}

int freehold_shim_stemmer_new(const char *algorithm, void **stemmer) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (load_result < 0) return load_result;
    *stemmer = library.new_stemmer(algorithm, "UTF_8");
    return *stemmer ? 0 : -EOPNOTSUPP;
}

void freehold_shim_stemmer_free(void *stemmer) { library.delete_stemmer(stemmer); }

size_t freehold_shim_stem(void *stemmer, const uint8_t *word, size_t length, uint8_t *stem, size_t capacity) {
    const unsigned char *result = library.stem(stemmer, word, (int)length);
    if (!result) return 0;
    size_t result_length = (size_t)library.length(stemmer);
    if (result_length > capacity) return 0;
    memcpy(stem, result, result_length);
    return result_length;
}
