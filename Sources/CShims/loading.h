// Libraries that are loaded when they are first needed.
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// A function of a library, and where its address goes.
struct loaded_symbol {
    const char *name;
    void *place;
};

// Finds all symbols, whose names may end with a version ("_72"); whether it did.
static inline int find_symbols(void *handle, const char *suffix, const struct loaded_symbol *symbols, size_t symbol_count) {
    size_t found = 0;
    for (; found < symbol_count; found++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", symbols[found].name, suffix);
        void *symbol = dlsym(handle, name);
        if (!symbol) break;
        memcpy(symbols[found].place, &symbol, sizeof symbol);
    }
    return found == symbol_count;
}

// Loads the first of the libraries that has all symbols; 0, or -ENOENT if there is none. It is never closed: its functions
// are in use as long as the process lives.
static inline int load_first(const char *const *names, size_t name_count, const struct loaded_symbol *symbols, size_t symbol_count) {
    for (size_t i = 0; i < name_count; i++) {
        void *handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!handle) continue;
        if (find_symbols(handle, "", symbols, symbol_count)) return 0;
        dlclose(handle);
    }
    return -ENOENT;
}
