/* Result codes of calls, and the details of errors. */
#ifndef FREEHOLD_ERROR_H
#define FREEHOLD_ERROR_H

#include "base.h"

FREEHOLD_BEGIN

enum {
    FREEHOLD_OK = 0,
    /* The requested thing does not exist. */
    FREEHOLD_ABSENT = 1,
    /* It did not happen within the time given. */
    FREEHOLD_TIMED_OUT = 2,
    /* Another writer held the lock all that time; the last error's message names it. Of freehold_sync_download: what the
     * server has did not come in time. */
    FREEHOLD_BUSY = 3,

    /* Reading, writing or flushing failed. */
    FREEHOLD_ERROR_IO = 1001,
    /* The disk or the quota is full; nothing was changed. */
    FREEHOLD_ERROR_DISK_FULL = 1002,
    /* No such file or folder. */
    FREEHOLD_ERROR_NOT_FOUND = 1003,
    /* The system does not let this user do that. */
    FREEHOLD_ERROR_PERMISSION_DENIED = 1004,
    /* The file is not a Freehold database. */
    FREEHOLD_ERROR_NOT_A_DATABASE = 1005,
    /* The file needs a newer Freehold. */
    FREEHOLD_ERROR_UNSUPPORTED_FORMAT = 1006,
    /* The encryption key does not fit the file. */
    FREEHOLD_ERROR_WRONG_KEY = 1007,
    /* The file system cannot share a database safely. */
    FREEHOLD_ERROR_UNSUPPORTED_FILE_SYSTEM = 1008,
    /* The file was removed or replaced while the library used it. */
    FREEHOLD_ERROR_FILE_REPLACED = 1009,
    /* Another process uses the file in a way that forbids this. */
    FREEHOLD_ERROR_IN_USE = 1010,
    /* The file already exists. */
    FREEHOLD_ERROR_ALREADY_EXISTS = 1011,
    /* The database or its medium is read-only. */
    FREEHOLD_ERROR_READ_ONLY = 1012,
    /* The operating system refused for another reason. */
    FREEHOLD_ERROR_SYSTEM = 1013,
    /* The file is encrypted and no key was given. */
    FREEHOLD_ERROR_KEY_MISSING = 1014,
    /* A key was given and the file is not encrypted. */
    FREEHOLD_ERROR_NOT_ENCRYPTED = 1015,
    /* The library that encrypts (libcrypto of OpenSSL) is not installed. */
    FREEHOLD_ERROR_ENCRYPTION_UNAVAILABLE = 1016,

    /* The file is damaged: bytes differ from those written. `freehold check` reports more. */
    FREEHOLD_ERROR_CORRUPT = 2001,
    /* The file is shorter than it says. */
    FREEHOLD_ERROR_TRUNCATED = 2002,
    /* The file was copied while it was open. */
    FREEHOLD_ERROR_COPIED_WHILE_OPEN = 2003,

    /* Another writer held the lock: calls return FREEHOLD_BUSY, freehold_error_t.code holds this. */
    FREEHOLD_ERROR_BUSY = 3001,
    /* The handle has ended. */
    FREEHOLD_ERROR_CLOSED = 3002,
    /* The handle was inherited over a fork. */
    FREEHOLD_ERROR_FORKED = 3003,
    /* A write needs a transaction that is open, on the thread that began it. */
    FREEHOLD_ERROR_NOT_IN_WRITE = 3004,
    /* This thread already has an open transaction. */
    FREEHOLD_ERROR_ALREADY_IN_WRITE = 3005,
    /* A descriptor of the library was closed from outside; open the database again. */
    FREEHOLD_ERROR_LEASE_LOST = 3006,
    /* The commit is applied, but was not flushed before the timeout. */
    FREEHOLD_ERROR_NOT_YET_DURABLE = 3007,
    /* The object was deleted. */
    FREEHOLD_ERROR_OBJECT_DELETED = 3008,
    /* A parked snapshot's version was taken away; refresh it. */
    FREEHOLD_ERROR_REVOKED = 3009,
    /* An import was stopped by the program; opening the database again continues it. */
    FREEHOLD_ERROR_IMPORT_STOPPED = 3010,

    /* A value's type does not fit the property. */
    FREEHOLD_ERROR_TYPE_MISMATCH = 4001,
    /* Null for a required property. */
    FREEHOLD_ERROR_NOT_NULLABLE = 4002,
    /* No such property. */
    FREEHOLD_ERROR_UNKNOWN_PROPERTY = 4003,
    /* No such class. */
    FREEHOLD_ERROR_UNKNOWN_CLASS = 4004,
    /* An object with this primary key exists. */
    FREEHOLD_ERROR_DUPLICATE_KEY = 4005,
    /* A link's target does not exist. */
    FREEHOLD_ERROR_NO_SUCH_OBJECT = 4006,
    /* A name, size, option or handle is not acceptable. */
    FREEHOLD_ERROR_INVALID_ARGUMENT = 4007,
    /* The requested schema contradicts the file's. */
    FREEHOLD_ERROR_SCHEMA_MISMATCH = 4008,
    /* Text to be parsed is malformed. */
    FREEHOLD_ERROR_MALFORMED_INPUT = 4009,
    /* A property's delete rule forbids it: the object still links to another. */
    FREEHOLD_ERROR_DELETE_DENIED = 4010,

    /* A value is larger than the format can hold. */
    FREEHOLD_ERROR_VALUE_TOO_LARGE = 5001,
    /* Not enough memory or address space. */
    FREEHOLD_ERROR_OUT_OF_MEMORY = 5002
};

/* The details of an error. Its strings are terminated and valid until the next call on the same thread that returns
 * anything but FREEHOLD_OK. */
typedef struct {
    size_t size;
    /* The error, or 0 if this thread has had none yet. */
    freehold_error_code_t code;
    /* The operating system's errno of the failure, or 0. */
    int32_t system_code;
    /* One sentence for a person: what, where, and what to do. */
    const char *message;
    /* The file concerned, or an empty string. */
    const char *path;
} freehold_error_t;

/* Reads the last error of this thread, and after FREEHOLD_BUSY which writer held the lock; returns its code.
 *
 *     freehold_error_t error = { .size = sizeof error };
 *     freehold_last_error(&error);
 *     fprintf(stderr, "%s: %s (%d)\n", error.path, error.message, error.code);
 */
FREEHOLD_API freehold_error_code_t freehold_last_error(freehold_error_t *error);

/* The code's name as above without its prefix, "DISK_FULL", or "UNKNOWN"; terminated, valid for ever. */
FREEHOLD_API const char *freehold_error_name(freehold_error_code_t code);

FREEHOLD_END
#endif
