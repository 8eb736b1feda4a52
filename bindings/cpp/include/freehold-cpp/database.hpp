// Databases: opening them, and what is done with whole files.
#ifndef FREEHOLD_CPP_DATABASE_HPP
#define FREEHOLD_CPP_DATABASE_HPP

#include "pending.hpp"
#include "watch.hpp"

namespace freehold {

// How to open; by default for reading and writing, made if it is not there.
struct Options {
    bool read_only = false;
    bool must_exist = false;
    // The path is a name, of a database in memory that goes with the last process that uses it.
    bool in_memory = false;
    // How long a transaction waits for another writer.
    std::chrono::milliseconds lock_timeout{10000};
    // FREEHOLD_KEY_LENGTH bytes, or empty.
    std::vector<std::uint8_t> encryption_key;
};

// A new random encryption key.
inline std::vector<std::uint8_t> generate_key()
{
    std::vector<std::uint8_t> key(FREEHOLD_KEY_LENGTH);
    detail::check(freehold_key_generate(key.data(), key.size()));
    return key;
}

// Tells of commits, of this and of every other process.
class Listener {
public:
    // Readable when there is something to tell, for event loops: neither read from it nor close it.
    int descriptor() const { return freehold_listener_descriptor(handle_.get()); }

    // Takes note of what was told; the newest version.
    freehold_version_t acknowledge()
    {
        freehold_version_t version = 0;
        detail::check(freehold_listener_acknowledge(handle_.get(), &version));
        return version;
    }

    // Waits until something is told, and takes note of it; nothing when the time is up. The newest version may be one that is known: so a
    // process that dies between its commit and telling of it delays that by a quarter of a second at most.
    std::optional<freehold_version_t> wait(std::chrono::milliseconds timeout)
    {
        freehold_version_t version = 0;
        if (!detail::found(freehold_listener_wait(handle_.get(), timeout.count(), &version))) return std::nullopt;
        return version;
    }

private:
    friend class Database;
    Listener() = default;
    detail::Owned<freehold_listener_t, freehold_listener_close> handle_;
};

// A database file, open in this process; for any thread.
class Database {
public:
    explicit Database(std::string_view path, const Options &options = {})
    {
        freehold_open_options_t given = {};
        given.size = sizeof given;
        given.read_only = options.read_only;
        given.must_exist = options.must_exist;
        given.in_memory = options.in_memory;
        given.lock_timeout_milliseconds = options.lock_timeout.count();
        given.encryption_key = options.encryption_key.empty() ? nullptr : options.encryption_key.data();
        given.encryption_key_length = options.encryption_key.size();
        detail::check(freehold_database_open(path.data(), path.size(), &given, handle_.place()));
    }

    std::string path() const
    {
        freehold_text_t text = {nullptr, 0};
        detail::check(freehold_database_path(handle_.get(), &text));
        return std::string(detail::view(text));
    }

    // Holds the newest version for reading: no lock, no waiting.
    Snapshot read() const
    {
        freehold_snapshot_t *handle = nullptr;
        detail::check(freehold_snapshot_begin(handle_.get(), &handle));
        return Snapshot(handle);
    }

    // Begins to write, as soon as every other writer has ended; throws BusyError when the time is up.
    Transaction write() const { return begin(FREEHOLD_DEFAULT_TIMEOUT); }
    Transaction write(std::chrono::milliseconds timeout) const { return begin(timeout.count()); }

    // Runs `body` with a transaction, and commits what it did; if it throws, nothing was done.
    template <typename Body, std::enable_if_t<std::is_invocable_v<Body, Transaction &>, int> = 0>
    freehold_version_t write(Body &&body) const
    {
        Transaction transaction = write();
        body(transaction);
        return transaction.commit();
    }

    // Brings the file to the program's version of its classes, in one transaction: makes what is missing, sets the version, commits durably.
    // Where nothing is to be changed nothing is written. Throws FREEHOLD_ERROR_SCHEMA_MISMATCH if the file's version is higher.
    void update(std::uint64_t version, const std::vector<ClassDefinition> &definitions) const;
    // The same after a call of `migrate(Transaction &, file_version, version)` if the file has a lower version; see migration.hpp.
    template <typename Migration>
    void update(std::uint64_t version, const std::vector<ClassDefinition> &definitions, Migration &&migrate) const;

    // Asks for a transaction and returns at once; see pending.hpp.
    PendingTransaction begin_async() const { return ask(FREEHOLD_DEFAULT_TIMEOUT); }
    PendingTransaction begin_async(std::chrono::milliseconds timeout) const { return ask(timeout.count()); }

    // Begins to write a value of up to 4 GiB piece by piece; how long it will be is a hint. See large_value.hpp.
    LargeValue large_value(std::uint64_t expected_length = 0) const;

    Listener listen() const
    {
        Listener listener;
        detail::check(freehold_listener_open(handle_.get(), listener.handle_.place()));
        return listener;
    }

    // Begins to follow queries and collections, from the newest version on.
    Watch watch() const
    {
        Watch watch;
        detail::check(freehold_watch_open(handle_.get(), watch.handle_.place()));
        return watch;
    }

    // Waits for a version above `after`, and gives the newest; nothing when the time is up.
    std::optional<freehold_version_t> wait(freehold_version_t after, std::chrono::milliseconds timeout) const
    {
        freehold_version_t version = 0;
        if (!detail::found(freehold_database_wait(handle_.get(), after, timeout.count(), &version))) return std::nullopt;
        return version;
    }

    void flush() const { detail::check(freehold_database_flush(handle_.get())); }
    void copy(std::string_view path) const { detail::check(freehold_database_copy(handle_.get(), path.data(), path.size())); }
    void backup(std::string_view path) const { detail::check(freehold_database_backup(handle_.get(), path.data(), path.size(), nullptr)); }
    void compact() const { detail::check(freehold_database_compact(handle_.get(), nullptr, nullptr)); }

    // Checks the newest version; how many problems there are.
    std::uint64_t check() const
    {
        freehold_check_report_t report = {};
        report.size = sizeof report;
        detail::check(freehold_database_check(handle_.get(), &report, nullptr, nullptr));
        return report.problem_count;
    }

    // Removes a database that nobody has open; false if there is none.
    static bool remove(std::string_view path) { return detail::found(freehold_database_delete_files(path.data(), path.size(), false)); }

private:
    Transaction begin(std::int64_t timeout) const
    {
        freehold_transaction_t *handle = nullptr;
        detail::check(freehold_transaction_begin(handle_.get(), timeout, &handle));
        return Transaction(handle);
    }

    PendingTransaction ask(std::int64_t timeout) const
    {
        freehold_pending_t *handle = nullptr;
        detail::check(freehold_transaction_begin_async(handle_.get(), timeout, &handle));
        return PendingTransaction(handle);
    }

    detail::Owned<freehold_database_t, freehold_database_close> handle_;
};

} // namespace freehold

#endif
