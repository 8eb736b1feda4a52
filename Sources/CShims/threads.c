// Handles the end of threads, and forks, for live objects.
//
// Words are kept in a list of chunks that only grows, which the fork handler reads without locks.
#include "CShims.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

// ---- The end of a thread ----

static pthread_key_t end_key;
static void (*_Atomic end_body)(void);

static void thread_ends(void *unused) {
    (void)unused;
    void (*body)(void) = atomic_load(&end_body);
    if (body) body();
}

static void make_end_key(void) { pthread_key_create(&end_key, thread_ends); }

void freehold_shim_at_thread_end(void (*body)(void)) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_end_key);
    atomic_store(&end_body, body);
    pthread_setspecific(end_key, &end_body);
}

// ---- Words that a forked child must find cleared ----

struct word_chunk {
    _Atomic(uintptr_t *) words[512];
    _Atomic(struct word_chunk *) next;
};

static struct word_chunk first_words;
// Guards the free slots below; the fork handler does not need it.
static pthread_mutex_t words_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(uintptr_t *) **free_places;
static size_t free_count, free_capacity;

// Called with the lock held. Makes room for the slots of one more chunk.
static int add_places(struct word_chunk *chunk) {
    size_t added = sizeof chunk->words / sizeof *chunk->words;
    void *grown = realloc(free_places, (free_capacity + added) * sizeof *free_places);
    if (!grown) return 0;
    free_places = grown;
    free_capacity += added;
    for (size_t i = 0; i < added; i++) free_places[free_count++] = &chunk->words[i];
    return 1;
}

static int make_places(void) {
    if (!free_capacity) return add_places(&first_words);
    struct word_chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk || !add_places(chunk)) {
        free(chunk);
        return 0;
    }
    struct word_chunk *last = &first_words;
    while (atomic_load(&last->next)) last = atomic_load(&last->next);
    atomic_store(&last->next, chunk);
    return 1;
}

void *freehold_shim_clear_in_child(uintptr_t *word) {
    freehold_shim_watch_forks();
    _Atomic(uintptr_t *) *place = NULL;
    pthread_mutex_lock(&words_lock);
    if (free_count || make_places()) place = free_places[--free_count];
    if (place) atomic_store(place, word);
    pthread_mutex_unlock(&words_lock);
    return place;
}

void freehold_shim_keep_in_child(void *place, uintptr_t *word) {
    _Atomic(uintptr_t *) *known = place;
    // In a child the slot is empty, or another word's.
    if (!known || atomic_load(known) != word) return;
    atomic_store(known, NULL);
    pthread_mutex_lock(&words_lock);
    free_places[free_count++] = known;
    pthread_mutex_unlock(&words_lock);
}

void freehold_shim_clear_words(void) {
    for (struct word_chunk *chunk = &first_words; chunk; chunk = atomic_load(&chunk->next))
        for (size_t i = 0; i < sizeof chunk->words / sizeof *chunk->words; i++) {
            uintptr_t *word = atomic_exchange(&chunk->words[i], NULL);
            if (word) *word = 0;
        }
    // A thread of the parent may have been inside: its state is abandoned, and initialised again.
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    words_lock = fresh;
    free_places = NULL;
    free_count = free_capacity = 0;
    atomic_store(&first_words.next, NULL);
}

// ---- Caches of a thread ----

static _Thread_local freehold_shim_recent_t recent[FREEHOLD_SHIM_RECENT_COUNT];

freehold_shim_recent_t *freehold_shim_recent(uint64_t number) { return &recent[number % FREEHOLD_SHIM_RECENT_COUNT]; }
