/* Databases: open, close, copy, delete. */
#ifndef FREEHOLD_DATABASE_H
#define FREEHOLD_DATABASE_H

#include "base.h"
#include "error.h"
#include "import.h"

FREEHOLD_BEGIN

/* Options for opening a database. All zero but `size`: open for reading and writing, and create the file if it does
 * not exist. */
typedef struct {
    size_t size;
    /* Opens for reading only. On a read-only medium no lock file is needed then; elsewhere it is a promise that no
     * process writes while the lock file can't be used. */
    bool read_only;
    /* Fails with FREEHOLD_ERROR_NOT_FOUND if the file does not exist, instead of creating it. */
    bool must_exist;
    /* The path is a name of a database in memory. All processes of this user that use the name share it; it is
     * deleted when the last of them closes it or ends. */
    bool in_memory;
    /* The permissions of a new file, before the process's umask; 0 for 0644. */
    uint32_t file_mode;
    /* How long a transaction waits for another writer, in milliseconds; 0 for 10,000. */
    int64_t lock_timeout_milliseconds;
    /* The key of an encrypted database, FREEHOLD_KEY_LENGTH bytes, or NULL and 0; a new file opened with a key is
     * encrypted. The bytes are copied: wipe yours. FREEHOLD_ERROR_KEY_MISSING, _WRONG_KEY or _NOT_ENCRYPTED if the
     * key does not fit the file; FREEHOLD_ERROR_ENCRYPTION_UNAVAILABLE if libcrypto is not installed. */
    const uint8_t *encryption_key;
    size_t encryption_key_length;
    /* The approximate number of bytes of an encrypted file that stay decrypted in memory; 0 for 256 MiB. */
    uint64_t decrypted_bytes_limit;
    /* How long a FREEHOLD_DURABILITY_FULL commit waits for its flush, in milliseconds; 0 for 10,000. */
    int64_t flush_timeout_milliseconds;
    /* The number of bytes of the file that parked snapshots may keep before commits take their versions away; 0 for
     * 256 MiB. */
    uint64_t parked_bytes_limit;
    /* The number of threads that share the work of a query; 0 for the number of processors, 1 for the calling thread
     * alone. */
    uint32_t thread_limit;
    /* The number of versions that a parked snapshot may be behind before a commit takes its version away, however
     * many bytes it keeps; 0 for any number. */
    uint64_t parked_versions_limit;
    /* A file of another database whose objects are brought into this one before it is first used, or NULL. */
    const freehold_import_t *importing;
} freehold_open_options_t;

/* The length of an encryption key, in bytes. */
#define FREEHOLD_KEY_LENGTH 64

/* Opens a database. `options` may be NULL. Opening one file several times in a process is allowed and cheap.
 *
 *     freehold_open_options_t options = { .size = sizeof options, .must_exist = true };
 *     freehold_database_t *database;
 *     freehold_error_code_t code = freehold_database_open(path, FREEHOLD_TERMINATED, &options, &database);
 *
 * Errors: those of bands 1 and 2; with `importing` also those of freehold_database_import. `*database` is NULL after an
 * error; a file that was created remains. */
FREEHOLD_API freehold_error_code_t freehold_database_open(
    const char *path, size_t path_length, const freehold_open_options_t *options, freehold_database_t **database);

/* Ends the handle. Its snapshots, transactions and listeners stay open.
 *
 * The last process that closes a database flushes the commits that are not durable yet. It does not report a failure
 * of that flush: call freehold_database_flush first to learn of it. */
FREEHOLD_API freehold_error_code_t freehold_database_close(freehold_database_t *database);

/* The file's path, symbolic links resolved; valid until the database is closed. */
FREEHOLD_API freehold_error_code_t freehold_database_path(const freehold_database_t *database, freehold_text_t *path);

/* Writes a compact copy of the newest version to `path`, which must not exist; other writers may commit meanwhile. */
FREEHOLD_API freehold_error_code_t freehold_database_copy(
    const freehold_database_t *database, const char *path, size_t path_length);

/* Writes a compact copy of the newest version to `path`, encrypted under `key` (FREEHOLD_KEY_LENGTH bytes), or
 * unencrypted with NULL and 0. freehold_database_copy keeps the database's key. */
FREEHOLD_API freehold_error_code_t freehold_database_copy_under_key(
    const freehold_database_t *database, const char *path, size_t path_length, const uint8_t *key, size_t key_length);

/* Replaces the key that opens an encrypted database. Data that is encrypted already is not encrypted again, and
 * processes that have the database open continue. If the old key became known to others, make a copy under a new key
 * instead. */
FREEHOLD_API freehold_error_code_t freehold_database_change_key(
    const freehold_database_t *database, const uint8_t *key, size_t key_length);

/* Writes a new random key to `key`; `length` is FREEHOLD_KEY_LENGTH. */
FREEHOLD_API freehold_error_code_t freehold_key_generate(uint8_t *key, size_t length);

/* Writes a compact copy of a snapshot's version to `path`. */
FREEHOLD_API freehold_error_code_t freehold_snapshot_copy(
    const freehold_database_t *database, const freehold_snapshot_t *snapshot, const char *path, size_t path_length);

/* Writes a backup of the newest version to `path`, which must not exist. Every block is verified and the backup is
 * flushed before it gets its name. A backup is faster than a copy, and as large as the file. `*copied_bytes` is the
 * number of bytes written. */
FREEHOLD_API freehold_error_code_t freehold_database_backup(
    const freehold_database_t *database, const char *path, size_t path_length, uint64_t *copied_bytes);

/* Moves all data to the beginning of the file and truncates the file, while this and other processes read and write.
 * The lengths are those before and after, in bytes. */
FREEHOLD_API freehold_error_code_t freehold_database_compact(
    const freehold_database_t *database, uint64_t *length_before, uint64_t *length_after);

/* Ends the report of a lost version (`lost_version` of freehold_information_t), for all processes and permanently.
 * Does nothing if no version is lost. Waits for other writers, ten seconds at most. */
FREEHOLD_API freehold_error_code_t freehold_database_acknowledge_lost_version(const freehold_database_t *database);

/* Waits until every committed version survives a power cut, those committed with FREEHOLD_DURABILITY_PROCESS_CRASH
 * included. */
FREEHOLD_API freehold_error_code_t freehold_database_flush(const freehold_database_t *database);

/* Whether a database exists: FREEHOLD_OK or FREEHOLD_ABSENT. */
FREEHOLD_API freehold_error_code_t freehold_database_exists(const char *path, size_t path_length, bool in_memory);

/* What a salvage brought into the new file. */
typedef struct {
    size_t size;
    uint64_t classes;
    uint64_t objects;
    /* The number of objects known to be lost; more may be lost. */
    uint64_t lost_objects;
    /* Nothing was lost. */
    bool complete;
} freehold_salvage_report_t;

/* Called for each loss, with a sentence for a person; `text` is terminated and valid until the callback returns. */
typedef void (*freehold_salvage_callback_t)(void *context, const char *text);

/* Salvages what is readable of a damaged file into a new one at `path`, encrypted like the damaged one. No process
 * may have the damaged file open; it is only read. Damage is listed in the report and is not an error. `options` (may
 * be NULL) give the key. */
FREEHOLD_API freehold_error_code_t freehold_database_salvage(
    const char *damaged, size_t damaged_length, const char *path, size_t path_length, const freehold_open_options_t *options,
    freehold_salvage_report_t *report, freehold_salvage_callback_t callback, void *context);

/* Deletes a database and all files that belong to it; FREEHOLD_ABSENT if there is none, FREEHOLD_ERROR_IN_USE while
 * any process has it open. */
FREEHOLD_API freehold_error_code_t freehold_database_delete_files(const char *path, size_t path_length, bool in_memory);

FREEHOLD_END
#endif
