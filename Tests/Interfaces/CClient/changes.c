/* Waiting for commits, by call and by descriptor; waiting for the writer. */
#include "check.h"
#include <poll.h>
#include <pthread.h>
#include <string.h>

struct writer {
    freehold_database_t *database;
    freehold_version_t made;
};

static void *commit_one(void *context)
{
    struct writer *writer = context;
    freehold_transaction_t *transaction = begun(writer->database);
    const freehold_property_t age = AGE;
    const freehold_value_t value = freehold_int(49);
    CHECK_OK(freehold_object_set(transaction, PERSON, 1, 1, &age, &value));
    const freehold_property_t name = NAME;
    const freehold_value_t text = freehold_string("changed", 7);
    CHECK_OK(freehold_object_set(transaction, PERSON, 1, 1, &name, &text));
    CHECK_OK(freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, &writer->made));
    return NULL;
}

static void test_waiting(freehold_database_t *database)
{
    freehold_snapshot_t *snapshot = taken(database);
    freehold_version_t before = 0, after = 0;
    CHECK_OK(freehold_reader_version(freehold_snapshot_reader(snapshot), &before));
    CHECK_OK(freehold_snapshot_end(snapshot));
    CHECK_CODE(FREEHOLD_TIMED_OUT, freehold_database_wait(database, before, 0, &after));
    CHECK_CODE(FREEHOLD_TIMED_OUT, freehold_database_wait(database, before, 5, &after));
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_database_wait(database, before, -1, &after));
    struct writer writer = { database, 0 };
    pthread_t thread;
    pthread_create(&thread, NULL, commit_one, &writer);
    CHECK_OK(freehold_database_wait(database, before, 60000, &after));
    pthread_join(thread, NULL);
    CHECK(after == writer.made && after > before);
    CHECK_OK(freehold_database_wait(database, before, INT64_MAX, &after));
}

static void test_listening(freehold_database_t *database)
{
    freehold_listener_t *listener;
    freehold_version_t version = 0;
    CHECK_OK(freehold_listener_open(database, &listener));
    struct pollfd entry = { .fd = freehold_listener_descriptor(listener), .events = POLLIN };
    CHECK(entry.fd >= 0);
    CHECK_CODE(FREEHOLD_TIMED_OUT, freehold_listener_wait(listener, 0, &version));
    CHECK(poll(&entry, 1, 0) == 0);
    struct writer writer = { database, 0 };
    pthread_t thread;
    pthread_create(&thread, NULL, commit_one, &writer);
    CHECK(poll(&entry, 1, 60000) == 1);
    pthread_join(thread, NULL);
    CHECK_OK(freehold_listener_acknowledge(listener, &version));
    CHECK(version == writer.made);
    CHECK(poll(&entry, 1, 0) == 0);
    commit_one(&writer);
    CHECK_OK(freehold_listener_wait(listener, 60000, &version));
    CHECK(version == writer.made);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_listener_wait(listener, -1, NULL));
    CHECK_OK(freehold_listener_close(listener));
}

static void *find_it_busy(void *context)
{
    freehold_transaction_t *transaction;
    CHECK_CODE(FREEHOLD_BUSY, freehold_transaction_begin(context, 0, &transaction));
    CHECK(transaction == NULL);
    CHECK_CODE(FREEHOLD_BUSY, freehold_transaction_begin(context, 5, &transaction));
    freehold_error_t error = { .size = sizeof error };
    CHECK(freehold_last_error(&error) == FREEHOLD_ERROR_BUSY);
    CHECK(strlen(error.message) > 0);
    CHECK_CODE(FREEHOLD_ERROR_INVALID_ARGUMENT, freehold_transaction_begin(context, -7, &transaction));
    return NULL;
}

static void *use_anothers(void *context)
{
    freehold_transaction_t *transaction = context;
    uint64_t count;
    CHECK_CODE(FREEHOLD_ERROR_NOT_IN_WRITE, freehold_object_delete(transaction, PERSON, 1));
    CHECK_CODE(FREEHOLD_ERROR_NOT_IN_WRITE,
        freehold_object_count(freehold_transaction_reader(transaction), PERSON, &count));
    CHECK_CODE(FREEHOLD_ERROR_NOT_IN_WRITE, freehold_transaction_commit(transaction, FREEHOLD_DURABILITY_FULL, NULL));
    CHECK_CODE(FREEHOLD_ERROR_NOT_IN_WRITE, freehold_transaction_rollback(transaction));
    return NULL;
}

static void test_one_writer(freehold_database_t *database)
{
    freehold_transaction_t *transaction = begun(database), *second;
    CHECK_CODE(FREEHOLD_ERROR_ALREADY_IN_WRITE, freehold_transaction_begin(database, 0, &second));
    pthread_t thread;
    pthread_create(&thread, NULL, find_it_busy, database);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, use_anothers, transaction);
    pthread_join(thread, NULL);
    CHECK_OK(freehold_transaction_rollback(transaction));
}

struct left_behind {
    freehold_database_t *database;
    freehold_transaction_t *transaction;
};

static void *leave_behind(void *context)
{
    struct left_behind *left = context;
    left->transaction = begun(left->database);
    CHECK_OK(freehold_object_delete(left->transaction, PERSON, 1));
    return NULL;
}

static void *write_after(void *context)
{
    struct left_behind *left = context;
    use_anothers(left->transaction);
    CHECK_OK(freehold_transaction_rollback(begun(left->database)));
    use_anothers(left->transaction);
    return NULL;
}

/* A thread that begins later may have the addresses of one that has ended inside a transaction. */
static void test_ended_threads(freehold_database_t *database)
{
    struct left_behind left = { database, NULL };
    pthread_t thread;
    pthread_create(&thread, NULL, leave_behind, &left);
    pthread_join(thread, NULL);
    for (int round = 0; round < 20; round++) {
        pthread_create(&thread, NULL, write_after, &left);
        pthread_join(thread, NULL);
    }
    freehold_snapshot_t *snapshot = taken(database);
    CHECK_OK(freehold_object_exists(freehold_snapshot_reader(snapshot), PERSON, 1));
    CHECK_OK(freehold_snapshot_end(snapshot));
}

void test_changes(void)
{
    freehold_database_t *database = fresh_database("changes");
    make_people(database, 10);
    test_waiting(database);
    test_listening(database);
    test_one_writer(database);
    test_ended_threads(database);
    CHECK_OK(freehold_database_close(database));
}
