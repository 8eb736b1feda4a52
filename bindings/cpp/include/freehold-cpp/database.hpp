// Databases: opening them, and what is done with whole files.
//
//     freehold::Options options;
//     options.must_exist = true;
//     options.encryption_key = key;
//     const freehold::Database database("people.freehold", options);
//     database.copy("copy.freehold");
//     freehold::Listener listener = database.listen();
//     while (const std::optional<freehold_version_t> version = listener.wait(std::chrono::seconds(10))) show(database.read());
#ifndef FREEHOLD_CPP_DATABASE_HPP
#define FREEHOLD_CPP_DATABASE_HPP

#include "inspect.hpp"
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
    std::vector<std::uint8_t> encryption_key = {};
    // Permissions of a new file, before the process's mask.
    std::uint32_t file_mode = 0644;
    // How long a durable commit waits for its flush.
    std::chrono::milliseconds flush_timeout{10000};
    // How much of an encrypted file stays decrypted in memory, about, and what parked snapshots may keep of the file before commits take their
    // versions away; in bytes, 0 for 256 MiB.
    std::uint64_t decrypted_bytes_limit = 0, parked_bytes_limit = 0;
    // How many threads share the work of a query; 0 for as many as there are processors, 1 for none but the caller's.
    std::uint32_t thread_limit = 0;
    // How many versions a parked snapshot, or a watch that sleeps, may be behind before a commit takes its version away, whatever it keeps; 0 for
    // any number.
    std::uint64_t parked_versions_limit = 0;

    // As functions take them, good as long as these are.
    freehold_open_options_t get() const
    {
        freehold_open_options_t options = {};
        options.size = sizeof options;
        options.read_only = read_only;
        options.must_exist = must_exist;
        options.in_memory = in_memory;
        options.file_mode = file_mode;
        options.lock_timeout_milliseconds = lock_timeout.count();
        options.flush_timeout_milliseconds = flush_timeout.count();
        options.encryption_key = encryption_key.empty() ? nullptr : encryption_key.data();
        options.encryption_key_length = encryption_key.size();
        options.decrypted_bytes_limit = decrypted_bytes_limit;
        options.parked_bytes_limit = parked_bytes_limit;
        options.thread_limit = thread_limit;
        options.parked_versions_limit = parked_versions_limit;
        return options;
    }
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

    // Whether the descriptor gets readable four times a second in any case; it does until this says otherwise. Without that nothing wakes the
    // process but commits, and one whose process died before telling of it is told with the next one.
    void reread(bool rereads) { detail::check(freehold_listener_reread(handle_.get(), rereads)); }

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
        const freehold_open_options_t given = options.get();
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

    // Waits until all that is committed survives a power cut.
    void flush() const { detail::check(freehold_database_flush(handle_.get())); }

    // A compact copy of the newest version, or of a snapshot's, at a path where nothing is.
    void copy(std::string_view path) const { detail::check(freehold_database_copy(handle_.get(), path.data(), path.size())); }
    void copy(const Snapshot &snapshot, std::string_view path) const
    {
        detail::check(freehold_snapshot_copy(handle_.get(), snapshot.handle_.get(), path.data(), path.size()));
    }
    // The same under another key than the database's; not encrypted, if that is empty.
    void copy_under_key(std::string_view path, const std::vector<std::uint8_t> &key) const
    {
        detail::check(freehold_database_copy_under_key(
            handle_.get(), path.data(), path.size(), key.empty() ? nullptr : key.data(), key.size()));
    }
    // Makes another key the one that opens it. Where the old one became known to others, make a copy under a new one instead.
    void change_key(const std::vector<std::uint8_t> &key) const
    {
        detail::check(freehold_database_change_key(handle_.get(), key.data(), key.size()));
    }

    // A backup of the newest version, every block verified: faster than a copy, and as large as the file; how many bytes were written.
    std::uint64_t backup(std::string_view path) const
    {
        std::uint64_t bytes = 0;
        detail::check(freehold_database_backup(handle_.get(), path.data(), path.size(), &bytes));
        return bytes;
    }

    // Cuts off the file's end, while others read and write; its length in bytes before and after.
    std::pair<std::uint64_t, std::uint64_t> compact() const
    {
        std::uint64_t before = 0, after = 0;
        detail::check(freehold_database_compact(handle_.get(), &before, &after));
        return {before, after};
    }

    // Ends the report of a lost version (`Information::lost_version`), for all processes and for good.
    void acknowledge_lost_version() const { detail::check(freehold_database_acknowledge_lost_version(handle_.get())); }

    // Checks the newest version; how many problems there are, or all that is known of them.
    std::uint64_t check() const { return check_report().problems.size(); }
    CheckReport check_report() const { return detail::check_report(handle_.get()); }

    // Sizes, versions, and who holds them; see inspect.hpp.
    Information information() const { return detail::information(handle_.get()); }

    static bool exists(std::string_view path, bool in_memory = false)
    {
        return detail::found(freehold_database_exists(path.data(), path.size(), in_memory));
    }

    // Brings what is still readable of a damaged file, which nobody has open, into a new one. `options` give the key.
    static SalvageReport salvage(std::string_view damaged, std::string_view path, const Options &options = {})
    {
        return detail::salvage(damaged, path, options.get());
    }

    // Removes a database that nobody has open; false if there is none.
    static bool remove(std::string_view path, bool in_memory = false)
    {
        return detail::found(freehold_database_delete_files(path.data(), path.size(), in_memory));
    }

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
