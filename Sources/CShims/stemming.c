// Word stems from Snowball's libstemmer, which is loaded on first use: the build needs none of its headers, and programs
// without stemming never load it.
#define _GNU_SOURCE
#include "CShims.h"
#include "loading.h"

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

static void load(void) {
    // Debian's name, and that of others.
    static const char *const names[] = {"libstemmer.so.0d", "libstemmer.so.0"};
    const struct loaded_symbol symbols[] = {
        {"sb_stemmer_new", &library.new_stemmer},
        {"sb_stemmer_delete", &library.delete_stemmer},
        {"sb_stemmer_stem", &library.stem},
        {"sb_stemmer_length", &library.length},
    };
    load_result = load_first(names, sizeof names / sizeof *names, symbols, sizeof symbols / sizeof *symbols);
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
