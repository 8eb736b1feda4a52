// Libraries that are loaded when they are first needed.
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

// A function of a library, and where its address goes.
struct loaded_symbol {
    const char *name;
    void *place;
};

// Loads the first of the libraries that has all symbols; 0, or -ENOENT if there is none. It is never closed: its functions
// are in use as long as the process lives.
static inline int load_first(const char *const *names, size_t name_count, const struct loaded_symbol *symbols, size_t symbol_count) {
    for (size_t i = 0; i < name_count; i++) {
        void *handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!handle) continue;
        size_t found = 0;
        for (; found < symbol_count; found++) {
            void *symbol = dlsym(handle, symbols[found].name);
            if (!symbol) break;
            memcpy(symbols[found].place, &symbol, sizeof symbol);
        }
        if (found == symbol_count) return 0;
        dlclose(handle);
    }
    return -ENOENT;
}
