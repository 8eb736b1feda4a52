// AES-256-GCM and HMAC-SHA-256, and AES-256-CBC and HMAC-SHA-224 for reading the files of others, from OpenSSL's
// libcrypto, which is loaded on first use: the build needs none of its headers, and programs without encryption never
// load it.
//
// The functions declared here have had these signatures since OpenSSL 1.1, and keep them in 3.
#define _GNU_SOURCE
#include "CShims.h"
#include "loading.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { GCM_GET_TAG = 0x10, GCM_SET_TAG = 0x11, TAG_LENGTH = 16, HASH_BLOCK = 64, HASH_LENGTH = 32, SHORT_HASH_LENGTH = 28 };

struct hash_functions {
    int (*init)(void *);
    int (*update)(void *, const void *, size_t);
    int (*final)(uint8_t *, void *);
};

static struct {
    void *(*context_new)(void);
    void (*context_free)(void *);
    int (*context_control)(void *, int, int, void *);
    int (*context_set_padding)(void *, int);
    const void *(*aes_256_gcm)(void);
    const void *(*aes_256_cbc)(void);
    int (*encrypt_init)(void *, const void *, void *, const uint8_t *, const uint8_t *);
    int (*encrypt_update)(void *, uint8_t *, int *, const uint8_t *, int);
    int (*encrypt_final)(void *, uint8_t *, int *);
    int (*decrypt_init)(void *, const void *, void *, const uint8_t *, const uint8_t *);
    int (*decrypt_update)(void *, uint8_t *, int *, const uint8_t *, int);
    int (*decrypt_final)(void *, uint8_t *, int *);
    struct hash_functions sha256, sha224;
} library;

static int load_result;

static void load(void) {
    static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
    const struct loaded_symbol symbols[] = {
        {"EVP_CIPHER_CTX_new", &library.context_new},
        {"EVP_CIPHER_CTX_free", &library.context_free},
        {"EVP_CIPHER_CTX_ctrl", &library.context_control},
        {"EVP_CIPHER_CTX_set_padding", &library.context_set_padding},
        {"EVP_aes_256_gcm", &library.aes_256_gcm},
        {"EVP_aes_256_cbc", &library.aes_256_cbc},
        {"EVP_EncryptInit_ex", &library.encrypt_init},
        {"EVP_EncryptUpdate", &library.encrypt_update},
        {"EVP_EncryptFinal_ex", &library.encrypt_final},
        {"EVP_DecryptInit_ex", &library.decrypt_init},
        {"EVP_DecryptUpdate", &library.decrypt_update},
        {"EVP_DecryptFinal_ex", &library.decrypt_final},
        {"SHA256_Init", &library.sha256.init},
        {"SHA256_Update", &library.sha256.update},
        {"SHA256_Final", &library.sha256.final},
        {"SHA224_Init", &library.sha224.init},
        {"SHA224_Update", &library.sha224.update},
        {"SHA224_Final", &library.sha224.final},
    };
    load_result = load_first(names, sizeof names / sizeof *names, symbols, sizeof symbols / sizeof *symbols);
}

int freehold_shim_cryptography_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return load_result;
}

void freehold_shim_wipe(void *bytes, size_t length) { explicit_bzero(bytes, length); }

static void hash(
    const struct hash_functions *functions, const void *first, size_t first_length, const void *second, size_t second_length,
    uint8_t *out) {
    // SHA256_CTX, which SHA-224 uses too: 112 bytes.
    uint64_t context[32];
    functions->init(context);
    functions->update(context, first, first_length);
    functions->update(context, second, second_length);
    functions->final(out, context);
    explicit_bzero(context, sizeof context);
}

static void authenticate(
    const struct hash_functions *functions, size_t hash_length, const uint8_t *key, size_t key_length, const uint8_t *message,
    size_t length, uint8_t *code) {
    uint8_t inner[HASH_BLOCK], outer[HASH_BLOCK], digest[HASH_LENGTH];
    if (key_length > HASH_BLOCK) abort();
    memset(inner, 0x36, sizeof inner);
    memset(outer, 0x5c, sizeof outer);
    for (size_t i = 0; i < key_length; i++) {
        inner[i] ^= key[i];
        outer[i] ^= key[i];
    }
    hash(functions, inner, sizeof inner, message, length, digest);
    hash(functions, outer, sizeof outer, digest, hash_length, code);
    explicit_bzero(inner, sizeof inner);
    explicit_bzero(outer, sizeof outer);
    explicit_bzero(digest, sizeof digest);
}

void freehold_shim_hmac(
    const uint8_t *key, size_t key_length, const uint8_t *message, size_t length, uint8_t code[32]) {
    authenticate(&library.sha256, HASH_LENGTH, key, key_length, message, length, code);
}

void freehold_shim_hmac_short(
    const uint8_t *key, size_t key_length, const uint8_t *message, size_t length, uint8_t code[28]) {
    authenticate(&library.sha224, SHORT_HASH_LENGTH, key, key_length, message, length, code);
}

int freehold_shim_chain(
    const uint8_t key[32], const uint8_t vector[16], int opens, const uint8_t *input, uint8_t *output, int length) {
    int written = 0;
    void *context = library.context_new();
    if (!context) return 0;
    int done = (opens ? library.decrypt_init : library.encrypt_init)(context, library.aes_256_cbc(), NULL, key, vector) == 1
        && library.context_set_padding(context, 0) == 1
        && (opens ? library.decrypt_update : library.encrypt_update)(context, output, &written, input, length) == 1
        && written == length;
    // Wipes what it derived from the key.
    library.context_free(context);
    return done;
}

// Never freed but reused, so that a forked child can find all of them.
struct freehold_shim_cipher {
    struct freehold_shim_cipher *next;
    _Atomic int taken;
    // While the context holds data derived from the key.
    _Atomic int busy;
    void *context;
    uint8_t *key;
    int opens;
    uint32_t generation;
};

static _Atomic(struct freehold_shim_cipher *) ciphers;

static struct freehold_shim_cipher *take_cipher(void) {
    struct freehold_shim_cipher *cipher = atomic_load(&ciphers);
    for (; cipher; cipher = cipher->next) {
        int expected = 0;
        if (atomic_compare_exchange_strong(&cipher->taken, &expected, 1)) return cipher;
    }
    cipher = calloc(1, sizeof *cipher);
    if (!cipher) return NULL;
    atomic_store(&cipher->taken, 1);
    cipher->next = atomic_load(&ciphers);
    while (!atomic_compare_exchange_weak(&ciphers, &cipher->next, cipher)) {}
    return cipher;
}

static int set_context(struct freehold_shim_cipher *cipher, const uint8_t *key, const uint8_t *nonce) {
    return (cipher->opens ? library.decrypt_init : library.encrypt_init)(cipher->context, NULL, NULL, key, nonce) == 1;
}

static int begin(struct freehold_shim_cipher *cipher, const uint8_t *nonce) {
    atomic_store(&cipher->busy, 1);
    return set_context(cipher, cipher->key, nonce);
}

// Replaces the key of the context: costs a tenth of a new context.
static void end(struct freehold_shim_cipher *cipher) {
    static const uint8_t zeros[32];
    if (!set_context(cipher, zeros, NULL)) abort();
    atomic_store(&cipher->busy, 0);
}

void freehold_shim_forget_ciphers(void) {
    for (struct freehold_shim_cipher *cipher = atomic_load(&ciphers); cipher; cipher = cipher->next) {
        if (atomic_load(&cipher->busy)) end(cipher);
    }
}

struct freehold_shim_cipher *freehold_shim_cipher_new(const uint8_t key[32], int opens) {
    freehold_shim_watch_forks();
    struct freehold_shim_cipher *cipher = take_cipher();
    if (!cipher) return NULL;
    cipher->opens = opens;
    cipher->generation = freehold_shim_fork_generation();
    cipher->context = library.context_new();
    cipher->key = freehold_shim_secret_new(0);
    if (cipher->context && cipher->key
        && (opens ? library.decrypt_init : library.encrypt_init)(cipher->context, library.aes_256_gcm(), NULL, NULL, NULL) == 1) {
        freehold_shim_cipher_set_key(cipher, key);
        return cipher;
    }
    freehold_shim_cipher_free(cipher);
    return NULL;
}

void freehold_shim_cipher_free(struct freehold_shim_cipher *cipher) {
    if (cipher->context) library.context_free(cipher->context);
    if (cipher->key) freehold_shim_secret_free(cipher->key);
    cipher->context = NULL;
    cipher->key = NULL;
    atomic_store(&cipher->taken, 0);
}

void freehold_shim_cipher_set_key(struct freehold_shim_cipher *cipher, const uint8_t key[32]) { memcpy(cipher->key, key, 32); }

int freehold_shim_seal(
    struct freehold_shim_cipher *cipher, const uint8_t nonce[12], const uint8_t *associated, int associated_length,
    const uint8_t *plain, uint8_t *sealed, int length, uint8_t tag[16]) {
    int written, none;
    void *context = cipher->context;
    if (cipher->generation != freehold_shim_fork_generation()) return -1;
    int done = !cipher->opens && begin(cipher, nonce)
        && library.encrypt_update(context, NULL, &written, associated, associated_length) == 1
        && library.encrypt_update(context, sealed, &written, plain, length) == 1 && written == length
        && library.encrypt_final(context, sealed + written, &none) == 1
        && library.context_control(context, GCM_GET_TAG, TAG_LENGTH, tag) == 1;
    end(cipher);
    return done;
}

int freehold_shim_open(
    struct freehold_shim_cipher *cipher, const uint8_t nonce[12], const uint8_t *associated, int associated_length,
    const uint8_t *sealed, uint8_t *plain, int length, const uint8_t tag[16]) {
    int written, none;
    void *context = cipher->context;
    uint8_t expected[TAG_LENGTH];
    if (cipher->generation != freehold_shim_fork_generation()) return -1;
    memcpy(expected, tag, TAG_LENGTH);
    int done = cipher->opens && begin(cipher, nonce)
        && library.context_control(context, GCM_SET_TAG, TAG_LENGTH, expected) == 1
        && library.decrypt_update(context, NULL, &written, associated, associated_length) == 1
        && library.decrypt_update(context, plain, &written, sealed, length) == 1 && written == length
        && library.decrypt_final(context, plain + written, &none) == 1;
    end(cipher);
    return done;
}
