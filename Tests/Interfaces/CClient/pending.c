/* Transactions that are asked for without waiting, and commits that are flushed behind the caller's back. */
#include "check.h"
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>

static bool is_readable(const freehold_pending_t *pending)
{
    struct pollfd entry = { .fd = freehold_pending_descriptor(pending), .events = POLLIN };
    return poll(&entry, 1, 60000) == 1;
}

static freehold_error_code_t add(freehold_transaction_t *transaction, int64_t id)
{
    const freehold_value_t key = freehold_int(id);
    return freehold_object_create(transaction, PERSON, &key, 0, NULL, NULL, NULL);
}

static uint64_t people(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    uint64_t count = 0;
    CHECK_OK(freehold_object_count(freehold_snapshot_reader(snapshot), PERSON, &count));
    CHECK_OK(freehold_snapshot_end(snapshot));
    return count;
}

/* Who waits behind another writer is told when that one ends, and writes then. */
static void test_turn(freehold_database_t *database)
{
    freehold_transaction_t *first = begun(database), *second = NULL;
    freehold_pending_t *pending = NULL;
    CHECK_OK(freehold_transaction_begin_async(database, 60000, &pending));
    CHECK_CODE(FREEHOLD_TIMED_OUT, freehold_pending_wait(pending, 0));
    CHECK_CODE(FREEHOLD_TIMED_OUT, freehold_pending_take(pending, &second));
    CHECK(second == NULL);
    CHECK_OK(add(first, 1001));
    CHECK_OK(freehold_transaction_commit(first, FREEHOLD_DURABILITY_PROCESS_CRASH, NULL));
    freehold_error_code_t code = FREEHOLD_TIMED_OUT;
    /* A turn that a busy machine lets go back is asked for again. */
    while (code == FREEHOLD_TIMED_OUT && is_readable(pending)) code = freehold_pending_take(pending, &second);
    CHECK_CODE(FREEHOLD_OK, code);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_pending_take(pending, &first));
    CHECK_OK(freehold_pending_close(pending));
    CHECK_CODE(FREEHOLD_BUSY, freehold_transaction_begin(database, 0, &first));
    CHECK_OK(freehold_object_exists(freehold_transaction_reader(second), PERSON, 1001));
    CHECK_OK(add(second, 1002));
    freehold_version_t version = 0;
    CHECK_OK(freehold_transaction_commit_async(second, &version, &pending));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_transaction_rollback(second));
    CHECK(version > 0 && people(database) == 22);
    CHECK(is_readable(pending));
    CHECK_OK(freehold_pending_wait(pending, 0));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_pending_take(pending, &second));
    CHECK_OK(freehold_pending_close(pending));
    freehold_information_t information = { .size = sizeof information };
    CHECK_OK(freehold_database_information(database, &information, NULL, NULL));
    CHECK(information.durable_version >= version);
}

static freehold_transaction_t *waited(freehold_database_t *database)
{
    freehold_pending_t *pending;
    freehold_transaction_t *transaction = NULL;
    CHECK_OK(freehold_transaction_begin_async(database, FREEHOLD_DEFAULT_TIMEOUT, &pending));
    freehold_error_code_t code = FREEHOLD_TIMED_OUT;
    while (code == FREEHOLD_TIMED_OUT) {
        if (!CHECK_OK(freehold_pending_wait(pending, 60000))) break;
        code = freehold_pending_take(pending, &transaction);
    }
    CHECK_CODE(FREEHOLD_OK, code);
    CHECK_OK(freehold_pending_close(pending));
    return transaction;
}

/* A turn that nobody takes goes back, and comes again. */
static void test_late(freehold_database_t *database)
{
    freehold_pending_t *pending;
    CHECK_OK(freehold_transaction_begin_async(database, 60000, &pending));
    CHECK(is_readable(pending));
    freehold_transaction_t *other = begun(database), *transaction = NULL;
    CHECK_CODE(FREEHOLD_TIMED_OUT, freehold_pending_take(pending, &transaction));
    CHECK_OK(freehold_transaction_rollback(other));
    freehold_error_code_t code = FREEHOLD_TIMED_OUT;
    while (code == FREEHOLD_TIMED_OUT && is_readable(pending)) code = freehold_pending_take(pending, &transaction);
    CHECK_CODE(FREEHOLD_OK, code);
    CHECK_OK(add(transaction, 1003));
    CHECK_OK(freehold_transaction_rollback(transaction));
    CHECK_OK(freehold_pending_close(pending));
    CHECK(people(database) == 22);
}

/* Requests of one database are granted in order, and one runs out of time while another is taken. */
static void test_order(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    freehold_pending_t *pending[3], *late;
    for (int number = 0; number < 3; number += 1) {
        CHECK_OK(freehold_transaction_begin_async(database, 60000, &pending[number]));
    }
    CHECK_OK(freehold_transaction_rollback(transaction));
    for (int number = 0; number < 3; number += 1) {
        freehold_error_code_t code = FREEHOLD_TIMED_OUT;
        while (code == FREEHOLD_TIMED_OUT && is_readable(pending[number])) code = freehold_pending_take(pending[number], &transaction);
        CHECK_CODE(FREEHOLD_OK, code);
        for (int other = number + 1; other < 3; other += 1) CHECK_CODE(FREEHOLD_TIMED_OUT, freehold_pending_wait(pending[other], 0));
        CHECK_OK(freehold_transaction_begin_async(database, 1, &late));
        CHECK(is_readable(late));
        CHECK_CODE(FREEHOLD_BUSY, freehold_pending_wait(late, 60000));
        CHECK_OK(freehold_pending_close(late));
        CHECK_OK(freehold_transaction_rollback(transaction));
        CHECK_OK(freehold_pending_close(pending[number]));
    }
}

static void *write_there(void *database)
{
    freehold_transaction_t *transaction = waited(database);
    CHECK_OK(add(transaction, 1004));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    return NULL;
}

/* Given up, out of time, and what a transaction that was taken forbids. */
static void test_ends(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    freehold_pending_t *pending, *hopeless;
    CHECK_OK(freehold_transaction_begin_async(database, 60000, &pending));
    CHECK_OK(freehold_pending_close(pending));
    CHECK_OK(freehold_transaction_begin_async(database, 0, &hopeless));
    CHECK(is_readable(hopeless));
    CHECK_CODE(FREEHOLD_BUSY, freehold_pending_wait(hopeless, 60000));
    freehold_transaction_t *none = NULL;
    CHECK_CODE(FREEHOLD_BUSY, freehold_pending_take(hopeless, &none));
    CHECK_OK(freehold_pending_close(hopeless));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_transaction_begin_async(database, -2, &pending));
    CHECK_OK(freehold_transaction_rollback(transaction));

    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_transaction_commit(waited(database), 77, NULL));
    CHECK_CODE(FREEHOLD_ERROR_DUPLICATE_KEY, add(transaction = waited(database), 1001));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, write_there, database) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(people(database) == 23);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_pending_wait(NULL, 0));
    CHECK_OK(freehold_pending_close(NULL));
}

/* What fails before the commit commits nothing: the transaction lives on. */
static void test_failing(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    freehold_pending_t *flush = (freehold_pending_t *)1;
    freehold_version_t version = UINT64_MAX;
    struct rlimit limit, none;
    CHECK_OK(add(transaction, 1006));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_transaction_commit_async(transaction, &version, NULL));
    CHECK_OK(freehold_object_exists(freehold_transaction_reader(transaction), PERSON, 1006));
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    none = limit;
    none.rlim_cur = 0;
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    const freehold_error_code_t code = freehold_transaction_commit_async(transaction, &version, &flush);
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    CHECK_CODE(FREEHOLD_ERROR_SYSTEM, code);
    CHECK(flush == NULL && version == UINT64_MAX && people(database) == 23);
    CHECK_OK(freehold_object_exists(freehold_transaction_reader(transaction), PERSON, 1006));
    CHECK_OK(freehold_transaction_commit_async(transaction, &version, &flush));
    CHECK(version < UINT64_MAX && people(database) == 24);
    CHECK_OK(freehold_pending_wait(flush, 60000));
    CHECK_OK(freehold_pending_close(flush));
}

/* Handles that are closed while something is under way: a turn that has come goes back, a flush goes on. */
static void test_closed_early(freehold_database_t *database)
{
    freehold_pending_t *pending;
    CHECK_OK(freehold_transaction_begin_async(database, 60000, &pending));
    CHECK(is_readable(pending));
    CHECK_OK(freehold_pending_close(pending));
    freehold_transaction_t *transaction;
    CHECK_OK(freehold_transaction_begin(database, 60000, &transaction));
    CHECK_OK(add(transaction, 1007));
    CHECK_OK(freehold_transaction_commit_async(transaction, NULL, &pending));
    CHECK_OK(freehold_pending_close(pending));
    CHECK_CODE(FREEHOLD_ERROR_CLOSED, freehold_pending_wait(pending, 0));
    CHECK(people(database) == 25);
}

/* The database may be closed meanwhile. */
static void test_closing(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database);
    freehold_pending_t *flush;
    CHECK_OK(add(transaction, 1005));
    CHECK_OK(freehold_database_close(database));
    CHECK_OK(freehold_transaction_commit_async(transaction, NULL, &flush));
    CHECK_OK(freehold_pending_wait(flush, 60000));
    CHECK_OK(freehold_pending_close(flush));
}

void test_pending(void)
{
    freehold_database_t *database = fresh_database("pending");
    make_people(database, 20);
    test_turn(database);
    test_late(database);
    test_order(database);
    test_ends(database);
    test_failing(database);
    test_closed_early(database);
    test_closing(database);
    CHECK_OK(freehold_database_open(path_in_folder("pending"), FREEHOLD_TERMINATED, NULL, &database));
    CHECK(people(database) == 26);
    CHECK_OK(freehold_database_close(database));
}
