// AES-256-GCM and HMAC-SHA-256 from OpenSSL's libcrypto, which is looked for when first asked for: no header of it is
// needed to build, and programs that encrypt nothing never load it.
//
// The functions declared here have had these signatures since OpenSSL 1.1, and keep them in 3.
#define _GNU_SOURCE
#include "CShims.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { GCM_GET_TAG = 0x10, GCM_SET_TAG = 0x11, TAG_LENGTH = 16, HASH_BLOCK = 64, HASH_LENGTH = 32 };

static struct {
    void *(*context_new)(void);
    void (*context_free)(void *);
    int (*context_control)(void *, int, int, void *);
    const void *(*aes_256_gcm)(void);
    int (*encrypt_init)(void *, const void *, void *, const uint8_t *, const uint8_t *);
    int (*encrypt_update)(void *, uint8_t *, int *, const uint8_t *, int);
    int (*encrypt_final)(void *, uint8_t *, int *);
    int (*decrypt_init)(void *, const void *, void *, const uint8_t *, const uint8_t *);
    int (*decrypt_update)(void *, uint8_t *, int *, const uint8_t *, int);
    int (*decrypt_final)(void *, uint8_t *, int *);
    int (*hash_init)(void *);
    int (*hash_update)(void *, const void *, size_t);
    int (*hash_final)(uint8_t *, void *);
} library;

static int load_result;

static int find(void *handle, const char *name, void *place) {
    void *symbol = dlsym(handle, name);
    memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void load(void) {
    load_result = -ENOENT;
    static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1"};
    for (size_t i = 0; i < sizeof names / sizeof *names && load_result != 0; i++) {
        void *handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!handle) continue;
        // Never closed: its functions stay in use as long as the process lives.
        int complete = find(handle, "EVP_CIPHER_CTX_new", &library.context_new)
            && find(handle, "EVP_CIPHER_CTX_free", &library.context_free)
            && find(handle, "EVP_CIPHER_CTX_ctrl", &library.context_control)
            && find(handle, "EVP_aes_256_gcm", &library.aes_256_gcm)
            && find(handle, "EVP_EncryptInit_ex", &library.encrypt_init)
            && find(handle, "EVP_EncryptUpdate", &library.encrypt_update)
            && find(handle, "EVP_EncryptFinal_ex", &library.encrypt_final)
            && find(handle, "EVP_DecryptInit_ex", &library.decrypt_init)
            && find(handle, "EVP_DecryptUpdate", &library.decrypt_update)
            && find(handle, "EVP_DecryptFinal_ex", &library.decrypt_final)
            && find(handle, "SHA256_Init", &library.hash_init) && find(handle, "SHA256_Update", &library.hash_update)
            && find(handle, "SHA256_Final", &library.hash_final);
        if (complete) load_result = 0;
        else dlclose(handle);
    }
}

int freehold_shim_cryptography_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return load_result;
}

void freehold_shim_wipe(void *bytes, size_t length) { explicit_bzero(bytes, length); }

static void hash(const void *first, size_t first_length, const void *second, size_t second_length, uint8_t *out) {
    // SHA256_CTX: 112 bytes.
    uint64_t context[32];
    library.hash_init(context);
    library.hash_update(context, first, first_length);
    library.hash_update(context, second, second_length);
    library.hash_final(out, context);
    explicit_bzero(context, sizeof context);
}

void freehold_shim_hmac(
    const uint8_t *key, size_t key_length, const uint8_t *message, size_t length, uint8_t code[32]) {
    uint8_t inner[HASH_BLOCK], outer[HASH_BLOCK], digest[HASH_LENGTH];
    if (key_length > HASH_BLOCK) abort();
    memset(inner, 0x36, sizeof inner);
    memset(outer, 0x5c, sizeof outer);
    for (size_t i = 0; i < key_length; i++) {
        inner[i] ^= key[i];
        outer[i] ^= key[i];
    }
    hash(inner, sizeof inner, message, length, digest);
    hash(outer, sizeof outer, digest, sizeof digest, code);
    explicit_bzero(inner, sizeof inner);
    explicit_bzero(outer, sizeof outer);
}

struct freehold_shim_cipher {
    void *context;
    int opens;
};

struct freehold_shim_cipher *freehold_shim_cipher_new(const uint8_t key[32], int opens) {
    struct freehold_shim_cipher *cipher = malloc(sizeof *cipher);
    if (!cipher) return NULL;
    cipher->opens = opens;
    cipher->context = library.context_new();
    int done = cipher->context != NULL
        && (opens ? library.decrypt_init : library.encrypt_init)(cipher->context, library.aes_256_gcm(), NULL, key, NULL);
    if (done == 1) return cipher;
    freehold_shim_cipher_free(cipher);
    return NULL;
}

void freehold_shim_cipher_free(struct freehold_shim_cipher *cipher) {
    // Frees what it has derived from the key with zeros.
    if (cipher->context) library.context_free(cipher->context);
    free(cipher);
}

int freehold_shim_cipher_set_key(struct freehold_shim_cipher *cipher, const uint8_t key[32]) {
    return (cipher->opens ? library.decrypt_init : library.encrypt_init)(cipher->context, NULL, NULL, key, NULL);
}

int freehold_shim_seal(
    struct freehold_shim_cipher *cipher, const uint8_t nonce[12], const uint8_t *associated, int associated_length,
    const uint8_t *plain, uint8_t *sealed, int length, uint8_t tag[16]) {
    int written, none;
    void *context = cipher->context;
    return !cipher->opens && library.encrypt_init(context, NULL, NULL, NULL, nonce) == 1
        && library.encrypt_update(context, NULL, &written, associated, associated_length) == 1
        && library.encrypt_update(context, sealed, &written, plain, length) == 1 && written == length
        && library.encrypt_final(context, sealed + written, &none) == 1
        && library.context_control(context, GCM_GET_TAG, TAG_LENGTH, tag) == 1;
}

int freehold_shim_open(
    struct freehold_shim_cipher *cipher, const uint8_t nonce[12], const uint8_t *associated, int associated_length,
    const uint8_t *sealed, uint8_t *plain, int length, const uint8_t tag[16]) {
    int written, none;
    void *context = cipher->context;
    uint8_t expected[TAG_LENGTH];
    memcpy(expected, tag, TAG_LENGTH);
    return cipher->opens && library.decrypt_init(context, NULL, NULL, NULL, nonce) == 1
        && library.context_control(context, GCM_SET_TAG, TAG_LENGTH, expected) == 1
        && library.decrypt_update(context, NULL, &written, associated, associated_length) == 1
        && library.decrypt_update(context, plain, &written, sealed, length) == 1 && written == length
        && library.decrypt_final(context, plain + written, &none) == 1;
}
