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

static void test_fork(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    const freehold_reader_t *reader = freehold_snapshot_reader(snapshot);
    uint64_t count = 0;
    const pid_t child = fork();
    if (child == 0) {
        freehold_transaction_t *transaction;
        int forked = freehold_object_count(reader, PERSON, &count) == FREEHOLD_ERROR_FORKED;
        forked += freehold_transaction_begin(database, 0, &transaction) == FREEHOLD_ERROR_FORKED;
        forked += freehold_snapshot_end(snapshot) == FREEHOLD_ERROR_FORKED;
        forked += freehold_database_close(database) == FREEHOLD_ERROR_FORKED;
        _exit(forked);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 4);
    CHECK_OK(freehold_object_count(reader, PERSON, &count));
    CHECK_OK(freehold_snapshot_end(snapshot));
}

struct business { freehold_database_t *database; atomic_bool is_over; atomic_int rounds; };

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

/* A child that is forked while other threads make handles makes its own. */
static void test_busy_fork(freehold_database_t *database, const char *path)
{
    struct business business = { .database = database };
    pthread_t threads[2];
    for (int n = 0; n < 2; n++) pthread_create(&threads[n], NULL, make_handles, &business);
    while (business.rounds < 100) sched_yield();
    /* Under valgrind a child takes half a second. */
    const char *const wrapper = getenv("FREEHOLD_TEST_WRAPPER");
    const int children = wrapper != NULL && wrapper[0] != 0 ? 20 : 200;
    int whole = 0;
    for (int n = 0; n < children && whole == n; n++) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(60);
            freehold_open_options_t options = { .size = sizeof options, .must_exist = true };
            freehold_database_t *own;
            freehold_snapshot_t *first, *second;
            const bool is_done = freehold_database_open(path, FREEHOLD_TERMINATED, &options, &own) == FREEHOLD_OK
                && freehold_snapshot_begin(own, &first) == FREEHOLD_OK && freehold_snapshot_begin(own, &second) == FREEHOLD_OK
                && first != second && freehold_snapshot_end(first) == FREEHOLD_OK && freehold_snapshot_end(second) == FREEHOLD_OK
                && freehold_snapshot_begin(database, &first) == FREEHOLD_ERROR_FORKED && freehold_database_close(own) == FREEHOLD_OK;
            /* What the parent's threads had in their hands at the fork is lost to the child: valgrind would call that a leak if it exited. */
            if (is_done) kill(getpid(), SIGKILL);
            _exit(1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) whole++;
    }
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
