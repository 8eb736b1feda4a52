// Transactions that are asked for without waiting, and commits that are flushed behind the caller's back.
#include "check.hpp"

#include <poll.h>
#include <thread>

static bool is_readable(int descriptor)
{
    pollfd entry{descriptor, POLLIN, 0};
    return poll(&entry, 1, 60000) == 1;
}

static void test_turn(const freehold::Database &database)
{
    freehold::Transaction first = database.write();
    freehold::PendingTransaction pending = database.begin_async(std::chrono::minutes(1));
    CHECK(pending.descriptor() >= 0 && !pending.wait() && !pending.take() && !pending.take(std::chrono::milliseconds(1)));
    first.create("Person", {{"id", 101}});
    first.commit();
    std::optional<freehold::Transaction> second;
    // A turn that a busy machine lets go back is asked for again.
    while (!second && is_readable(pending.descriptor())) second = pending.take();
    CHECK(second && second->find("Person", 101));
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { pending.take(); }));
    second->create("Person", {{"id", 102}});
    const freehold::PendingCommit commit = second->commit_async();
    CHECK(commit.version() == database.read().version() && database.read().find("Person", 102));
    CHECK(is_readable(commit.descriptor()) && commit.wait());
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { second->commit_async(); }));
}

static void test_giving_up(const freehold::Database &database)
{
    {
        freehold::Transaction held = database.write();
        const freehold::PendingTransaction pending = database.begin_async(std::chrono::milliseconds(1));
        CHECK(is_readable(pending.descriptor()));
        try {
            pending.wait();
            CHECK(false);
        } catch (const freehold::BusyError &error) {
            CHECK(error.code() == FREEHOLD_ERROR_BUSY);
        }
        const freehold::PendingTransaction forgotten = database.begin_async();
    }
    freehold::PendingTransaction pending = database.begin_async();
    std::optional<freehold::Transaction> transaction = pending.take(std::chrono::minutes(1));
    CHECK(transaction && transaction->count("Person") == 5);
}

// A commit on the wrong thread fails, and leaves the transaction to its own.
static void test_wrong_thread(const freehold::Database &database)
{
    freehold::Transaction transaction = database.write();
    transaction.create("Person", {{"id", 103}});
    std::thread([&] {
        CHECK(throws(FREEHOLD_ERROR_NOT_IN_WRITE, [&] { transaction.commit(); }));
        CHECK(throws(FREEHOLD_ERROR_NOT_IN_WRITE, [&] { transaction.commit_async(); }));
        CHECK(throws(FREEHOLD_ERROR_NOT_IN_WRITE, [&] { transaction.rollback(); }));
    }).join();
    CHECK(transaction.commit_async().wait(std::chrono::minutes(1)) && database.read().count("Person") == 6);
    CHECK(throws(FREEHOLD_ERROR_INVALID_ARGUMENT, [&] { transaction.commit(); }));
}

void test_pending(const std::string &folder)
{
    const freehold::Database database = with_people(folder + "/pending", 3);
    test_turn(database);
    test_giving_up(database);
    test_wrong_thread(database);
}
