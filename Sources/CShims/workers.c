// Work shared by threads: the caller, and a few threads that wait for work.
//
// (1) A job is on its caller's stack, and in the list until all of its pieces have begun. The caller returns when all
//     are done. The thread that does the last piece signals this while it holds the lock, which the caller takes once
//     more.
// (2) The lock guards the list, the counts in jobs and the threads; pieces are done without it.
// (3) Threads are created at the first job, wait without end, and are joined when the library is unloaded or the
//     process ends.
// (4) A forked child has none of them and starts again.
#define _GNU_SOURCE
#include "CShims.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct job {
    void (*body)(void *context, size_t piece);
    void *context;
    size_t next, count, done;
    // The number of other threads at work, and the maximum.
    size_t helping, helpers;
    _Atomic uint32_t is_done;
    struct job *following;
};

enum { MOST_THREADS = 16, STACK_BYTES = 1 << 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Changes with each job: the word on which idle threads wait.
static _Atomic uint32_t bell;
static struct job *jobs;
static pthread_t threads[MOST_THREADS];
static size_t thread_count;
static int is_ending;

size_t freehold_shim_processor_count(void) {
    const char *chosen = getenv("FREEHOLD_THREADS");
    if (chosen && *chosen) {
        long count = strtol(chosen, NULL, 10);
        return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : (size_t)count;
    }
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : (size_t)count;
}

// Words of this process only.
static void wait_at(_Atomic uint32_t *word, uint32_t seen) { syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0); }

static void wake_all(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0); }

// With the lock held: takes the next piece of a job, which leaves the list with the last one.
static size_t take(struct job *job) {
    size_t piece = job->next++;
    if (job->next == job->count) {
        struct job **place = &jobs;
        while (*place != job) place = &(*place)->following;
        *place = job->following;
    }
    return piece;
}

// With the lock held, which is released meanwhile. After the last piece the job may not exist once the lock is
// released.
static void do_piece(struct job *job, size_t helper) {
    size_t piece = take(job);
    pthread_mutex_unlock(&lock);
    job->body(job->context, piece);
    pthread_mutex_lock(&lock);
    job->helping -= helper;
    if (++job->done < job->count) return;
    atomic_store(&job->is_done, 1);
    wake_all(&job->is_done);
}

static void ring(void) {
    atomic_fetch_add(&bell, 1);
    wake_all(&bell);
}

static void *work(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!is_ending) {
        struct job *job = jobs;
        while (job && job->helping == job->helpers) job = job->following;
        if (job) {
            job->helping++;
            do_piece(job, 1);
            continue;
        }
        uint32_t seen = atomic_load(&bell);
        pthread_mutex_unlock(&lock);
        wait_at(&bell, seen);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

// With the lock held. Without threads the caller does all pieces.
static void make_threads(size_t wanted) {
    if (wanted > MOST_THREADS) wanted = MOST_THREADS;
    if (thread_count >= wanted) return;
    freehold_shim_watch_forks();
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes)) return;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    // Signals are for the program's own threads, except those for a thread's own fault, such as a page of a file that
    // was cut short.
    sigset_t all, before;
    sigfillset(&all);
    static const int own[] = {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&all, own[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (thread_count < wanted && !pthread_create(&threads[thread_count], &attributes, work, NULL)) thread_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

void freehold_shim_share_work(size_t helpers, size_t count, void (*body)(void *context, size_t piece), void *context) {
    if (count == 0) return;
    struct job job = {.body = body, .context = context, .count = count, .helpers = helpers};
    pthread_mutex_lock(&lock);
    if (!is_ending) make_threads(helpers);
    struct job **last = &jobs;
    while (*last) last = &(*last)->following;
    *last = &job;
    ring();
    while (job.next < job.count) do_piece(&job, 0);
    while (job.done < job.count) {
        pthread_mutex_unlock(&lock);
        wait_at(&job.is_done, 0);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
}

void freehold_shim_forget_workers(void) {
    static const pthread_mutex_t fresh_lock = PTHREAD_MUTEX_INITIALIZER;
    lock = fresh_lock;
    jobs = NULL;
    thread_count = 0;
    is_ending = 0;
}

__attribute__((destructor)) static void end_workers(void) {
    pthread_mutex_lock(&lock);
    is_ending = 1;
    ring();
    size_t count = thread_count;
    thread_count = 0;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < count; i++)
        if (!pthread_equal(threads[i], pthread_self())) pthread_join(threads[i], NULL);
}
