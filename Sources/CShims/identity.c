// Small things about the process and its system.
#define _GNU_SOURCE
#include "CShims.h"

#include <stdio.h>
#include <string.h>

void freehold_shim_error_text(int code, char *text, size_t capacity) {
    const char *name = strerrordesc_np(code);
    snprintf(text, capacity, "%s", name ? name : "unknown error");
}

int freehold_shim_compare(const void *left, const void *right, size_t length) {
    return memcmp(left, right, length);
}
