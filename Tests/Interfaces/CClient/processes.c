/* One file, several processes: another one writes while this one waits; a forked child gets errors. */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Opens the file, adds five people one commit after the other, and ends. */
int other_process(const char *path)
{
    freehold_open_options_t options = { .size = sizeof options, .must_exist = true };
    freehold_database_t *database;
    freehold_error_code_t code = freehold_database_open(path, FREEHOLD_TERMINATED, &options, &database);
    for (int n = 0; n < 5 && code == FREEHOLD_OK; n++) {
        freehold_transaction_t *transaction;
        const freehold_value_t key = freehold_int(100 + n);
        code = freehold_transaction_begin(database, FREEHOLD_DEFAULT_TIMEOUT, &transaction);
        if (code == FREEHOLD_OK) code = freehold_object_create(transaction, PERSON, &key, 0, NULL, NULL, NULL);
        if (code == FREEHOLD_OK) code = freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL);
    }
    if (code == FREEHOLD_OK) code = freehold_database_close(database);
    return code == FREEHOLD_OK ? 0 : 1;
}

static void test_another_process(freehold_database_t *database, const char *program, const char *path)
{
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    uint64_t count = 0;
    const pid_t child = fork();
    if (child == 0) {
        execl(program, program, "other-process", path, (char *)NULL);
        _exit(127);
    }
    while (count < 15) {
        freehold_version_t version;
        CHECK_OK(freehold_reader_version(reader, &version));
        if (!CHECK_OK(freehold_database_wait(database, version, 60000, NULL))) break;
        CHECK_OK(freehold_snapshot_refresh(snapshot, NULL));
        CHECK_OK(freehold_object_count(reader, PERSON, &count));
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_OK(freehold_object_exists(reader, PERSON, 104));
    CHECK_OK(freehold_snapshot_end(snapshot));
}

/* What a call gives in a forked child, 0 to 255; -1 if the child was stuck or ended. The child is killed and does not exit: valgrind would look
   for leaks through all that the parent has mapped, and would find what other threads of the parent had in their hands at the fork. */
static int in_child(int (*body)(void *), void *context)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        const unsigned char result = (unsigned char)body(context);
        if (write(ends[1], &result, 1) == 1) pause();
        _exit(1);
    }
    close(ends[1]);
    unsigned char result;
    const bool is_told = child > 0 && read(ends[0], &result, 1) == 1;
    close(ends[0]);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    return is_told ? result : -1;
}

struct inherited { freehold_database_t *database; freehold_snapshot_t *snapshot; const freehold_reader_t *reader; };

/* How many of four calls say that the process was forked. */
static int use_inherited(void *context)
{
    const struct inherited *inherited = context;
    uint64_t count;
    freehold_transaction_t *transaction;
    int forked = freehold_object_count(inherited->reader, PERSON, &count) == FREEHOLD_ERROR_FORKED;
    forked += freehold_transaction_begin(inherited->database, 0, &transaction) == FREEHOLD_ERROR_FORKED;
    forked += freehold_snapshot_end(inherited->snapshot) == FREEHOLD_ERROR_FORKED;
    forked += freehold_database_close(inherited->database) == FREEHOLD_ERROR_FORKED;
    return forked;
}

static void test_fork(freehold_database_t *database)
{
    struct inherited inherited = { .database = database, .snapshot = taken(database) };
    inherited.reader = freehold_snapshot_reader(inherited.snapshot);
    uint64_t count = 0;
    CHECK(in_child(use_inherited, &inherited) == 4);
    CHECK_OK(freehold_object_count(inherited.reader, PERSON, &count));
    CHECK_OK(freehold_snapshot_end(inherited.snapshot));
}

struct business { freehold_database_t *database; const char *path; atomic_bool is_over; atomic_int rounds; };

/* Makes and ends handles, one after the other. */
static void *make_handles(void *context)
{
    struct business *business = context;
    while (!business->is_over) {
        freehold_snapshot_t *snapshot;
        if (freehold_snapshot_begin(business->database, &snapshot) == FREEHOLD_OK) freehold_snapshot_end(snapshot);
        business->rounds++;
    }
    return NULL;
}

/* Whether a child opens the file and makes handles of its own. */
static int make_own(void *context)
{
    const struct business *business = context;
    freehold_open_options_t options = { .size = sizeof options, .must_exist = true };
    freehold_database_t *own;
    freehold_snapshot_t *first, *second;
    return freehold_database_open(business->path, FREEHOLD_TERMINATED, &options, &own) == FREEHOLD_OK
        && freehold_snapshot_begin(own, &first) == FREEHOLD_OK && freehold_snapshot_begin(own, &second) == FREEHOLD_OK
        && first != second && freehold_snapshot_end(first) == FREEHOLD_OK && freehold_snapshot_end(second) == FREEHOLD_OK
        && freehold_snapshot_begin(business->database, &first) == FREEHOLD_ERROR_FORKED && freehold_database_close(own) == FREEHOLD_OK;
}

/* A child that is forked while other threads make handles makes its own. */
static void test_busy_fork(freehold_database_t *database, const char *path)
{
    struct business business = { .database = database, .path = path };
    pthread_t threads[2];
    for (int n = 0; n < 2; n++) pthread_create(&threads[n], NULL, make_handles, &business);
    while (business.rounds < 100) sched_yield();
    /* Under valgrind a child takes half a second. */
    const char *const wrapper = getenv("FREEHOLD_TEST_WRAPPER");
    const int children = wrapper != NULL && wrapper[0] != 0 ? 20 : 200;
    int whole = 0;
    while (whole < children && in_child(make_own, &business) == 1) whole++;
    business.is_over = true;
    for (int n = 0; n < 2; n++) pthread_join(threads[n], NULL);
    CHECK(whole == children);
}

void test_processes(const char *program)
{
    freehold_database_t *database = fresh_database("processes");
    make_people(database, 10);
    fflush(NULL);
    test_another_process(database, program, path_in_folder("processes"));
    test_fork(database);
    test_busy_fork(database, path_in_folder("processes"));
    CHECK_OK(freehold_database_close(database));
}
