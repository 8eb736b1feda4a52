// The last error of each thread, for callers that get an error code and read the rest afterwards.

#include "CShims.h"

#include <string.h>

static _Thread_local struct {
    int32_t code;
    int32_t system_code;
    char message[1024];
    char path[4096];
} last;

// Copies a string, terminated; a longer one is cut between two characters.
static void keep(char *place, size_t capacity, const char *bytes, size_t length) {
    if (length >= capacity) {
        length = capacity - 1;
        while (length > 0 && ((unsigned char)bytes[length] & 0xC0) == 0x80) length--;
    }
    if (length > 0) memcpy(place, bytes, length);
    place[length] = 0;
}

void freehold_shim_last_error_set(
    int32_t code, int32_t system_code, const char *message, size_t message_length, const char *path, size_t path_length) {
    last.code = code;
    last.system_code = system_code;
    keep(last.message, sizeof last.message, message, message_length);
    keep(last.path, sizeof last.path, path, path_length);
}

int32_t freehold_shim_last_error_code(void) { return last.code; }

int32_t freehold_shim_last_error_system_code(void) { return last.system_code; }

const char *freehold_shim_last_error_message(void) { return last.message; }

const char *freehold_shim_last_error_path(void) { return last.path; }
