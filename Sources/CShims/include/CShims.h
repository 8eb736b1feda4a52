// Functions that Swift cannot express: system calls that need _GNU_SOURCE or a C macro, robust mutexes, signal and fork
// handlers, and the block checksum. No header included here may need _GNU_SOURCE: it would break Swift's Glibc module.
//
// Unless a comment says otherwise, functions return 0 or more on success and a negated errno on failure, and preserve
// the caller's errno.
#ifndef FREEHOLD_CSHIMS_H
#define FREEHOLD_CSHIMS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "FreeholdKernels.h"

enum {
    FREEHOLD_SHIM_EPERM = EPERM,
    FREEHOLD_SHIM_ENOENT = ENOENT,
    FREEHOLD_SHIM_EIO = EIO,
    FREEHOLD_SHIM_EBADF = EBADF,
    FREEHOLD_SHIM_ENOMEM = ENOMEM,
    FREEHOLD_SHIM_EACCES = EACCES,
    FREEHOLD_SHIM_EEXIST = EEXIST,
    FREEHOLD_SHIM_ELOOP = ELOOP,
    FREEHOLD_SHIM_ENOTDIR = ENOTDIR,
    FREEHOLD_SHIM_EISDIR = EISDIR,
    FREEHOLD_SHIM_ENOTEMPTY = ENOTEMPTY,
    FREEHOLD_SHIM_EMFILE = EMFILE,
    FREEHOLD_SHIM_EFBIG = EFBIG,
    FREEHOLD_SHIM_ENOSPC = ENOSPC,
    FREEHOLD_SHIM_EROFS = EROFS,
    FREEHOLD_SHIM_ENOLCK = ENOLCK,
    FREEHOLD_SHIM_EOPNOTSUPP = EOPNOTSUPP,
    FREEHOLD_SHIM_EDQUOT = EDQUOT,
};

// ---- Identity (identity.c) ----

// Writes the system's message for an error number, always terminated.
void freehold_shim_error_text(int code, char *text, size_t capacity);
// Compares two byte strings of the same length, as memcmp.
int freehold_shim_compare(const void *left, const void *right, size_t length);
// Prefetches the cache line at any address: nothing is read, and nothing can fail.
static inline void freehold_shim_prefetch(const void *address) { __builtin_prefetch(address); }
// The caller's thread id within its pid namespace.
int32_t freehold_shim_thread_id(void);
// A number that is unique among all threads of the process, including ended ones; never 0.
uintptr_t freehold_shim_thread_number(void);
// Another number of the calling thread, which costs a few instructions; it may be reused after the thread has ended.
static inline uintptr_t freehold_shim_thread_pointer(void) { return (uintptr_t)__builtin_thread_pointer(); }
// The kernel's 16-byte boot id, first byte first. Nonzero if it cannot be read.
int freehold_shim_boot_identity(uint8_t identity[16]);
// The inode of the caller's pid namespace, 0 if unknown.
uint64_t freehold_shim_process_namespace(void);
// C library (1 glibc, 2 other) << 24 | bytes of a pthread_mutex_t << 8 | bits of a pointer.
uint32_t freehold_shim_layout_tag(void);
// Fills the buffer with random bytes from the kernel.
int freehold_shim_random(void *buffer, size_t length);
// Starts a detached thread that takes no asynchronous signals. The name is cut to 15 bytes.
int freehold_shim_thread_start(const char *name, void (*body)(void *), void *context);

// ---- Swift's run time ----

// Calls body with the run time's data about each loaded program and library, until it returns 0. Part of the Swift
// library.
void swift_enumerateAllMetadataSections(_Bool (*body)(const void *sections, void *context), void *context);
// Creates an instance of a class with one reference. Part of the Swift library.
void *swift_allocObject(const void *metadata, size_t bytes, size_t alignment_mask);
// Adds a reference unless the object is being destroyed: then returns null. Part of the Swift library.
void *swift_tryRetain(void *object);
// The metadata that a type's access function returns.
static inline const void *freehold_shim_type_metadata(const void *access) {
    typedef struct {
        const void *metadata;
        size_t state;
    } response_t;
    return ((response_t (*)(size_t))(uintptr_t)access)(0).metadata;
}

// ---- Files (files.c) ----

// The descriptor, or in its place a copy above those of standard input, output and error: a program may have been started
// without these, and what it prints must not reach a file. A negative number as it is; a negated errno if there are no more.
int freehold_shim_above_standard(int descriptor);
// Creates an anonymous file in memory, close-on-exec, and returns its descriptor.
int freehold_shim_memory_file(const char *name);
// Creates a counter whose descriptor is readable while it is not 0 (eventfd); returns a negated errno if it fails.
int freehold_shim_event_descriptor(void);
// Reserves storage for the range without changing the file's length.
int freehold_shim_reserve(int descriptor, int64_t offset, int64_t length);
// Extends the file to at least this length, with storage for its last byte only; never shortens it.
int freehold_shim_extend(int descriptor, int64_t length);
// Extends the file by appending zeros, for file systems that cannot allocate.
int freehold_shim_append_zeros(int descriptor, int64_t length);
// Frees the range's storage.
int freehold_shim_punch_hole(int descriptor, int64_t offset, int64_t length);
// Renames a file; -EEXIST if the new name is taken.
int freehold_shim_rename_new(const char *source, const char *destination);
// Renames in two steps, for kernels or file systems that cannot do it in one: a process killed in between leaves both
// names.
int freehold_shim_move_by_link(const char *source, const char *destination);
// Writes the range's changed pages to the disk and waits for them; reports failures as fdatasync does.
int freehold_shim_write_back(int descriptor, int64_t offset, int64_t length);
// Flushes the file system of the file.
int freehold_shim_synchronize_file_system(int descriptor);
enum {
    FREEHOLD_SHIM_ADVICE_SEQUENTIAL,
    FREEHOLD_SHIM_ADVICE_RANDOM,
    FREEHOLD_SHIM_ADVICE_WILL_NEED,
    FREEHOLD_SHIM_ADVICE_WILL_NOT_NEED,
};
int freehold_shim_advise(int descriptor, int64_t offset, int64_t length, int advice);
// The kernel's number for the type of the file system, and whether it is mounted read-only.
int freehold_shim_file_system(int descriptor, uint64_t *kind, int *read_only);
// The file's identity, its number of names and its length, without its times.
typedef struct {
    uint64_t device, inode, link_count, length;
} freehold_shim_standing_t;
int freehold_shim_standing(int descriptor, freehold_shim_standing_t *standing);
// Writes one byte without ever raising SIGPIPE: 1 written, or a negated errno.
int freehold_shim_tell(int descriptor);

// ---- Alarms (alarms.c): a descriptor that is readable when another one is, or when its timer has expired ----

// Returns the descriptor, and in `timer` that of the timer, which is initially stopped.
int freehold_shim_alarm_make(int other, int *timer);
// Makes the timer expire every given number of nanoseconds from now on; 0 stops it.
int freehold_shim_alarm_set(int timer, int64_t every_nanoseconds);
// Acknowledges the timer: 1 if it had expired, else 0.
int freehold_shim_alarm_drain(int timer);

// ---- Byte locks (locks.c): open file description locks of one byte at a 64-bit offset ----

enum { FREEHOLD_SHIM_LOCK_SHARED, FREEHOLD_SHIM_LOCK_EXCLUSIVE };
// Returns 1 if taken (or converted), 0 if another description's lock is in the way.
int freehold_shim_lock_byte(int descriptor, int64_t offset, int kind);
int freehold_shim_unlock_byte(int descriptor, int64_t offset);
// Releases every lock of the description.
void freehold_shim_unlock_all(int descriptor);
// 1 if another description holds any lock on any of the bytes, else 0.
int freehold_shim_bytes_are_locked(int descriptor, int64_t offset, int64_t count);

// ---- Descriptors that carry locks (descriptors.c) ----

// Makes forked children close the descriptor at once. Returns the slot to pass to keep_descriptor_in_child before it is
// closed; NULL if memory is short.
struct freehold_shim_lock_place;
struct freehold_shim_lock_place *freehold_shim_close_in_child(int descriptor);
void freehold_shim_keep_descriptor_in_child(struct freehold_shim_lock_place *place);
// For the fork handler.
void freehold_shim_close_lock_descriptors(void);

// ---- Waiting on words (futex.c): shared between processes ----

enum { FREEHOLD_SHIM_WAIT_WOKEN, FREEHOLD_SHIM_WAIT_CHANGED, FREEHOLD_SHIM_WAIT_TIMED_OUT };
int freehold_shim_futex_wait(const uint32_t *word, uint32_t value, int64_t timeout_nanoseconds);
int freehold_shim_futex_wake(const uint32_t *word, int count);

// ---- Robust process-shared mutexes (mutex.c) ----

enum {
    FREEHOLD_SHIM_MUTEX_ACQUIRED,
    FREEHOLD_SHIM_MUTEX_OWNER_DIED,
    FREEHOLD_SHIM_MUTEX_TIMED_OUT,
    FREEHOLD_SHIM_MUTEX_UNRECOVERABLE,
};
size_t freehold_shim_mutex_size(void);
int freehold_shim_mutex_initialize(void *address);
int freehold_shim_mutex_try_lock(void *address);
int freehold_shim_mutex_lock(void *address, int64_t timeout_milliseconds);
int freehold_shim_mutex_make_consistent(void *address);
int freehold_shim_mutex_unlock(void *address);

// ---- Memory (memory.c) ----

// Requests large pages for memory of this process: fewer faults if much is written at once. A hint.
void freehold_shim_prefer_large_pages(void *base, size_t length);

// Requests one large page in place of many small ones that have already been written. A hint.
void freehold_shim_gather(void *base, size_t length);
// Excludes a range of private memory that holds secrets from core dumps.
void freehold_shim_keep_out_of_dumps(void *base, size_t length);

// ---- Mapped ranges, bus errors and forks (ranges.c) ----

// A range of addresses whose bus errors are answered with zero pages and counted.
struct freehold_shim_range;
// Also installs the handlers, once per process. With guard_fork a forked child does not inherit the range and gets an
// inaccessible one at the same address. NULL if memory is short.
struct freehold_shim_range *freehold_shim_range_add(void *base, size_t length, int writable, int guard_fork);
void freehold_shim_range_remove(struct freehold_shim_range *range);
// The number of replaced pages; the word stays valid until the range is removed.
const uint32_t *freehold_shim_range_faults(const struct freehold_shim_range *range);
// Installs the fork handler, once per process.
void freehold_shim_watch_forks(void);
// Number of forks from that process to this one.
uint32_t freehold_shim_fork_generation(void);
// The address of that number.
const uint32_t *freehold_shim_fork_generation_word(void);

// ---- The table of handles of the C ABI (handles.c) ----

// Maximum number of chunks.
enum { freehold_shim_handle_chunk_count = 4096 };
// The addresses of the chunks, NULL for those not allocated; the same array at every call.
void **freehold_shim_handle_chunks(void);

// ---- Ends of threads, and forks (threads.c) ----

// Makes the calling thread call body when it ends; one body for all threads.
void freehold_shim_at_thread_end(void (*body)(void));
// Makes a forked child find the word 0. Returns the slot to pass to keep_in_child before the word's memory is freed;
// NULL if memory is short.
void *freehold_shim_clear_in_child(uintptr_t *word);
void freehold_shim_keep_in_child(void *place, uintptr_t *word);
// For the fork handler.
void freehold_shim_clear_words(void);

enum { FREEHOLD_SHIM_RECENT_COUNT = 8 };
// A cache of the calling thread, by number; a number is never 0.
typedef struct {
    uint64_t number;
    void *found;
} freehold_shim_recent_t;
freehold_shim_recent_t *freehold_shim_recent(uint64_t number);

// ---- Work shared by threads (workers.c) ----

// Maximum number of threads that run at once: FREEHOLD_THREADS in the environment, or else the processors that this
// process may use; at most 16.
size_t freehold_shim_processor_count(void);
// Calls body with each piece from 0 to count - 1, on this thread and up to the given number of other threads, which are
// kept for later calls; returns when all pieces are done. Pieces are begun in order.
void freehold_shim_share_work(size_t helpers, size_t count, void (*body)(void *context, size_t piece), void *context);
// For the fork handler.
void freehold_shim_forget_workers(void);

// ---- Block checksum (checksum.c) ----

uint64_t freehold_shim_checksum(const void *bytes, size_t length);
// Computes the same value without the processor's CRC instructions, for comparison.
uint64_t freehold_shim_checksum_portable(const void *bytes, size_t length);

// The 64-bit checksum of every block and record; the same value on every processor.
uint64_t freehold_shim_checksum(const void *bytes, size_t length);

// ---- Word stems (stemming.c): Snowball's libstemmer ----

// A stemmer of one of Snowball's algorithms ("german"), to be used by one thread at a time. -ENOENT if libstemmer is not
// installed, -EOPNOTSUPP if it has no such algorithm, or memory is short.
int freehold_shim_stemmer_new(const char *algorithm, void **stemmer);
void freehold_shim_stemmer_free(void *stemmer);
// Writes the stem of a word in UTF-8 and returns its length; 0 if there is none, or if it does not fit.
size_t freehold_shim_stem(void *stemmer, const uint8_t *word, size_t length, uint8_t *stem, size_t capacity);

// ---- Sort keys of strings (collation.c): ICU ----

// Why there is no collator.
enum {
    FREEHOLD_SHIM_NO_COLLATION = 1, // ICU is not installed
    FREEHOLD_SHIM_NO_TAG,           // not a BCP 47 language tag
    FREEHOLD_SHIM_NO_LANGUAGE,      // ICU has no order for the language
    FREEHOLD_SHIM_NO_ORDER,         // the language has no such order (co-…)
    FREEHOLD_SHIM_NO_OPTION,        // an unknown option or value, or memory is short
};
// A collator of a language ("de-u-co-phonebk-kn"), which any number of threads may use at a time: 0, or one of the above.
int freehold_shim_collator_new(const char *tag, void **collator);
void freehold_shim_collator_free(void *collator);
// What decides the bytes of sort keys, from the high byte down: ICU's version in four numbers, that of the collator in four.
uint64_t freehold_shim_collator_version(const void *collator);
// The length of the sort key of a string in UTF-8, with the zero that ends it. It is written if it is at most `capacity`.
// Of a string longer than 256 MiB the beginning counts. 0 if memory is short.
size_t freehold_shim_sort_key(const void *collator, const uint8_t *text, size_t length, uint8_t *key, size_t capacity);

// ---- Encryption (cryptography.c): AES-256-GCM and HMAC-SHA-256; for foreign files AES-256-CBC and HMAC-SHA-224 ----

// Loads libcrypto, once per process; everything below needs it except wiping. -ENOENT if it is not installed.
int freehold_shim_cryptography_load(void);
// Overwrites bytes in a way that the compiler never removes.
void freehold_shim_wipe(void *bytes, size_t length);
// A key of at most 64 bytes.
void freehold_shim_hmac(
    const uint8_t *key, size_t key_length, const uint8_t *message, size_t length, uint8_t code[32]);
// HMAC-SHA-224, likewise.
void freehold_shim_hmac_short(
    const uint8_t *key, size_t key_length, const uint8_t *message, size_t length, uint8_t code[28]);
// AES-256-CBC without padding: decrypts or encrypts a multiple of 16 bytes. 0 if memory is short.
int freehold_shim_chain(
    const uint8_t key[32], const uint8_t vector[16], int opens, const uint8_t *input, uint8_t *output, int length);
// A cipher prepared for one key and one direction, to be used by one thread at a time. NULL if memory is short. The key
// lies in memory for secrets; data that libcrypto derives from it is on the heap only during a call.
struct freehold_shim_cipher;
struct freehold_shim_cipher *freehold_shim_cipher_new(const uint8_t key[32], int opens);
void freehold_shim_cipher_free(struct freehold_shim_cipher *cipher);
void freehold_shim_cipher_set_key(struct freehold_shim_cipher *cipher, const uint8_t key[32]);
// Clears the contexts of the parent's other threads; for the fork handler in a child.
void freehold_shim_forget_ciphers(void);
// The next two return 1 on success and -1 in a forked child, where the key is wiped. Opening returns 0 for bytes that
// are not authentic; the output is then garbage.
int freehold_shim_seal(
    struct freehold_shim_cipher *cipher, const uint8_t nonce[12], const uint8_t *associated, int associated_length,
    const uint8_t *plain, uint8_t *sealed, int length, uint8_t tag[16]);
int freehold_shim_open(
    struct freehold_shim_cipher *cipher, const uint8_t nonce[12], const uint8_t *associated, int associated_length,
    const uint8_t *sealed, uint8_t *plain, int length, const uint8_t tag[16]);

// ---- Memory for keys (secrets.c) ----

enum { FREEHOLD_SHIM_SECRET_LENGTH = 64 };
// Allocates zeroed bytes outside of core dumps; a forked child sees zeros unless `inherited`. NULL if memory is short.
uint8_t *freehold_shim_secret_new(int inherited);
// Wipes and frees them; in a forked child it does not affect the parent's.
void freehold_shim_secret_free(uint8_t *slot);

// ---- The last error of each thread (last-error.c) ----

// Copies both strings; longer ones are cut at 1 KiB (a path at 4 KiB).
void freehold_shim_last_error_set(
    int32_t code, int32_t system_code, const char *message, size_t message_length, const char *path, size_t path_length);
// 0 before the first error.
int32_t freehold_shim_last_error_code(void);
int32_t freehold_shim_last_error_system_code(void);
// Terminated; valid until the next error of the calling thread.
const char *freehold_shim_last_error_message(void);
const char *freehold_shim_last_error_path(void);

#endif
