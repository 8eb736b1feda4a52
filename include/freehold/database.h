/* Databases: open, close, copy, delete. */
#ifndef FREEHOLD_DATABASE_H
#define FREEHOLD_DATABASE_H

#include "base.h"
#include "error.h"

FREEHOLD_BEGIN

/* How to open. All zero but `size`: for reading and writing, made if it is not there. */
typedef struct {
    size_t size;
    /* Only reading. On a read-only medium no lock file is needed then; elsewhere it is a promise that nobody writes while
     * the lock file can't be used. */
    bool read_only;
    /* FREEHOLD_ERROR_NOT_FOUND rather than a new file. */
    bool must_exist;
    /* The path is a name: the database lives in memory, shared by all processes of this user that use the name, and goes
     * with the last of them. */
    bool in_memory;
    /* Permissions of a new file, before the process's mask; 0 for 0644. */
    uint32_t file_mode;
    /* How long a transaction waits for another writer, in milliseconds; 0 for 10,000. */
    int64_t lock_timeout_milliseconds;
    /* The key of an encrypted database, FREEHOLD_KEY_LENGTH bytes, or NULL and 0; a new file opened with one is encrypted. The
     * bytes are copied: wipe yours. FREEHOLD_ERROR_KEY_MISSING, _WRONG_KEY, _NOT_ENCRYPTED where it does not fit the file;
     * FREEHOLD_ERROR_ENCRYPTION_UNAVAILABLE where libcrypto is not installed. */
    const uint8_t *encryption_key;
    size_t encryption_key_length;
    /* How much of an encrypted file stays decrypted in memory, about, in bytes; 0 for 256 MiB. */
    uint64_t decrypted_bytes_limit;
    /* How long a FREEHOLD_DURABILITY_FULL commit waits for its flush, in milliseconds; 0 for 10,000. */
    int64_t flush_timeout_milliseconds;
    /* What parked snapshots may keep of the file before commits take their versions away, in bytes; 0 for 256 MiB. */
    uint64_t parked_bytes_limit;
    /* How many threads share the work of a query; 0 for as many as there are processors, 1 for none but the caller's. */
    uint32_t thread_limit;
    /* How many versions a parked snapshot may be behind before a commit takes its version away, whatever it keeps; 0 for any number. */
    uint64_t parked_versions_limit;
} freehold_open_options_t;

/* Bytes of an encryption key. */
#define FREEHOLD_KEY_LENGTH 64

/* Opens a database. `options` may be NULL. Opening one file several times in a process is fine and cheap.
 *
 *     freehold_open_options_t options = { .size = sizeof options, .must_exist = true };
 *     freehold_database_t *database;
 *     freehold_error_code_t code = freehold_database_open(path, FREEHOLD_TERMINATED, &options, &database);
 *
 * Errors: those of bands 1 and 2. `*database` is NULL after one. */
FREEHOLD_API freehold_error_code_t freehold_database_open(
    const char *path, size_t path_length, const freehold_open_options_t *options, freehold_database_t **database);

/* Ends the handle. Snapshots, transactions and listeners of it go on.
 *
 * The last process that closes a database flushes the commits that are not durable yet. It does not report if that fails: call
 * freehold_database_flush first to learn of it. */
FREEHOLD_API freehold_error_code_t freehold_database_close(freehold_database_t *database);

/* The file's path, symbolic links resolved; valid until the database is closed. */
FREEHOLD_API freehold_error_code_t freehold_database_path(const freehold_database_t *database, freehold_text_t *path);

/* Writes a compact copy of the newest version to `path`, which must not exist; others may write meanwhile. */
FREEHOLD_API freehold_error_code_t freehold_database_copy(
    const freehold_database_t *database, const char *path, size_t path_length);

/* The same under another key than the database's, FREEHOLD_KEY_LENGTH bytes, or, with NULL and 0, not encrypted.
 * freehold_database_copy keeps the database's. */
FREEHOLD_API freehold_error_code_t freehold_database_copy_under_key(
    const freehold_database_t *database, const char *path, size_t path_length, const uint8_t *key, size_t key_length);

/* Makes another key the one that opens an encrypted database. What is encrypted stays as it is, and who has it open goes on;
 * where the old key became known to others, make a copy under a new one instead. */
FREEHOLD_API freehold_error_code_t freehold_database_change_key(
    const freehold_database_t *database, const uint8_t *key, size_t key_length);

/* Writes a new random key to `key`; `length` is FREEHOLD_KEY_LENGTH. */
FREEHOLD_API freehold_error_code_t freehold_key_generate(uint8_t *key, size_t length);

/* Writes a compact copy of a snapshot's version. */
FREEHOLD_API freehold_error_code_t freehold_snapshot_copy(
    const freehold_database_t *database, const freehold_snapshot_t *snapshot, const char *path, size_t path_length);

/* Writes a backup of the newest version to `path`, which must not exist: every block verified, flushed, and only then given its name.
 * Faster than a copy, and as large as the file. `*copied_bytes` is how much was written. */
FREEHOLD_API freehold_error_code_t freehold_database_backup(
    const freehold_database_t *database, const char *path, size_t path_length, uint64_t *copied_bytes);

/* Moves everything to the beginning of the file and cuts off its end, while this and other processes read and write; the lengths in
 * bytes before and after. */
FREEHOLD_API freehold_error_code_t freehold_database_compact(
    const freehold_database_t *database, uint64_t *length_before, uint64_t *length_after);

/* Ends the report of a lost version (`lost_version` of freehold_information_t), for all processes and for good. Does nothing if none is
 * lost. Waits for other writers, ten seconds at most. */
FREEHOLD_API freehold_error_code_t freehold_database_acknowledge_lost_version(const freehold_database_t *database);

/* Waits until all that is committed survives a power cut, also what was committed with FREEHOLD_DURABILITY_PROCESS_CRASH. */
FREEHOLD_API freehold_error_code_t freehold_database_flush(const freehold_database_t *database);

/* FREEHOLD_OK if there is a database, else FREEHOLD_ABSENT. */
FREEHOLD_API freehold_error_code_t freehold_database_exists(const char *path, size_t path_length, bool in_memory);

/* What salvaging has brought into the new file. */
typedef struct {
    size_t size;
    uint64_t classes;
    uint64_t objects;
    /* Objects known to be lost, of which there may be more. */
    uint64_t lost_objects;
    /* Nothing was lost. */
    bool complete;
} freehold_salvage_report_t;

/* Called for each thing lost, with a sentence for a person; `text` is terminated and lives until it returns. */
typedef void (*freehold_salvage_callback_t)(void *context, const char *text);

/* Brings what is still readable of a damaged file, which nobody has open and is only read, into a new one at `path`, encrypted alike.
 * Damage is told in the report, and not an error. `options` (may be NULL) give the key. */
FREEHOLD_API freehold_error_code_t freehold_database_salvage(
    const char *damaged, size_t damaged_length, const char *path, size_t path_length, const freehold_open_options_t *options,
    freehold_salvage_report_t *report, freehold_salvage_callback_t callback, void *context);

/* Removes a database and all that belongs to it, or FREEHOLD_ABSENT; FREEHOLD_ERROR_IN_USE while anyone has it open. */
FREEHOLD_API freehold_error_code_t freehold_database_delete_files(const char *path, size_t path_length, bool in_memory);

FREEHOLD_END
#endif
