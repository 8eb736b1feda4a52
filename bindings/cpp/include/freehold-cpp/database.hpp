// Databases: opening them, and operations on whole files.
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

#include "importing.hpp"
#include "inspect.hpp"
#include "pending.hpp"
#include "watch.hpp"

#include <functional>

namespace freehold {

class Sync;
struct SyncReport;

// Merges two values of a property with the flag FREEHOLD_PROPERTY_MERGED; false if the server's is to win. The merged value may
// lie in `conflict`; other bytes must live until the call that takes the function returns. It may not write to the database.
using SyncMerge = std::function<bool(const freehold_sync_conflict_t &conflict, freehold_value_t &merged)>;

// Options for opening a database; by default for reading and writing, and the file is created if it does not exist.
struct Options {
    bool read_only = false;
    bool must_exist = false;
    // The path is a name of a database in memory, which is deleted with the last process that uses it.
    bool in_memory = false;
    // How long a transaction waits for another writer.
    std::chrono::milliseconds lock_timeout{10000};
    // FREEHOLD_KEY_LENGTH bytes, or empty.
    std::vector<std::uint8_t> encryption_key = {};
    // The permissions of a new file, before the process's umask.
    std::uint32_t file_mode = 0644;
    // How long a durable commit waits for its flush.
    std::chrono::milliseconds flush_timeout{10000};
    // The approximate number of bytes of an encrypted file that stay decrypted in memory, and the number of bytes of
    // the file that parked snapshots may keep before commits take their versions away; 0 for 256 MiB.
    std::uint64_t decrypted_bytes_limit = 0, parked_bytes_limit = 0;
    // The number of threads that share the work of a query; 0 for the number of processors, 1 for the calling thread
    // alone.
    std::uint32_t thread_limit = 0;
    // The number of versions that a parked snapshot, or a sleeping watch, may be behind before a commit takes its
    // version away, however many bytes it keeps; 0 for any number.
    std::uint64_t parked_versions_limit = 0;
    // A file of another database whose objects are brought into this one before it is first used.
    std::optional<ImportSource> importing = std::nullopt;

    // The options, without `importing`, as the C functions take them, valid as long as this object.
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

// A descriptor that becomes readable after commits of this and every other process.
class Listener {
public:
    // The descriptor for event loops, readable when a notification is pending: neither read from it nor close it.
    int descriptor() const { return freehold_listener_descriptor(handle_.get()); }

    // Sets whether the descriptor becomes readable four times a second even without a commit; the default is true.
    // With false only commits wake the process, and a commit whose process died before it notified is notified
    // together with the next one.
    void reread(bool rereads) { detail::check(freehold_listener_reread(handle_.get(), rereads)); }

    // Acknowledges pending notifications; returns the newest version.
    freehold_version_t acknowledge()
    {
        freehold_version_t version = 0;
        detail::check(freehold_listener_acknowledge(handle_.get(), &version));
        return version;
    }

    // Waits until a notification is pending, and acknowledges it; empty when the time is up. The version returned
    // may be one that is known already: so a process that dies between its commit and its notification delays the
    // notification by a quarter of a second at most.
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

// A database file, open in this process; may be used by any thread.
class Database {
public:
    explicit Database(std::string_view path, const Options &options = {})
    {
        freehold_open_options_t given = options.get();
        std::optional<detail::GivenImport> importing;
        if (options.importing) given.importing = importing.emplace(*options.importing).get();
        detail::check(freehold_database_open(path.data(), path.size(), &given, handle_.place()));
    }

    // Imports another database, or waits until another process has; not within a transaction of the same thread.
    DatabaseImportReport import(const ImportSource &source) const
    {
        const detail::GivenImport given(source);
        freehold_import_report_t report = {};
        report.size = sizeof report;
        DatabaseImportReport found;
        const auto remark = [](void *context, const char *text) {
            static_cast<DatabaseImportReport *>(context)->remarks.emplace_back(text);
        };
        detail::check(freehold_database_import(handle_.get(), given.get(), &report, remark, &found));
        found.classes = report.classes;
        found.objects = report.objects;
        found.missing_links = report.missing_links;
        found.is_new = report.is_new;
        return found;
    }

    std::string path() const
    {
        freehold_text_t text = {nullptr, 0};
        detail::check(freehold_database_path(handle_.get(), &text));
        return std::string(detail::view(text));
    }

    // Opens a snapshot of the newest version, without a lock or waiting.
    Snapshot read() const
    {
        freehold_snapshot_t *handle = nullptr;
        detail::check(freehold_snapshot_begin(handle_.get(), &handle));
        return Snapshot(handle);
    }

    // Begins a transaction as soon as every other writer has ended; throws BusyError when the time is up.
    Transaction write() const { return begin(FREEHOLD_DEFAULT_TIMEOUT); }
    Transaction write(std::chrono::milliseconds timeout) const { return begin(timeout.count()); }

    // Runs `body` with a transaction and commits it; if `body` throws, nothing is changed.
    template <typename Body, std::enable_if_t<std::is_invocable_v<Body, Transaction &>, int> = 0>
    freehold_version_t write(Body &&body) const
    {
        Transaction transaction = write();
        body(transaction);
        return transaction.commit();
    }

    // Updates the file to the program's version of its classes, in one transaction: adds what is missing, sets the
    // version, commits durably. If nothing has to change, nothing is written. Throws FREEHOLD_ERROR_SCHEMA_MISMATCH
    // if the file's version is higher.
    void update(std::uint64_t version, const std::vector<ClassDefinition> &definitions) const;
    // Updates the file after calling `migrate(Transaction &, file_version, version)` if the file has a lower
    // version; see migration.hpp.
    template <typename Migration>
    void update(std::uint64_t version, const std::vector<ClassDefinition> &definitions, Migration &&migrate) const;

    // Requests a transaction and returns at once; see pending.hpp.
    PendingTransaction begin_async() const { return ask(FREEHOLD_DEFAULT_TIMEOUT); }
    PendingTransaction begin_async(std::chrono::milliseconds timeout) const { return ask(timeout.count()); }

    // Opens a value of up to 4 GiB, to be written piece by piece; the expected length is a hint. See
    // large_value.hpp.
    LargeValue large_value(std::uint64_t expected_length = 0) const;

    Listener listen() const
    {
        Listener listener;
        detail::check(freehold_listener_open(handle_.get(), listener.handle_.place()));
        return listener;
    }

    // Opens a watch, which observes queries and collections, at the newest version.
    Watch watch() const
    {
        Watch watch;
        detail::check(freehold_watch_open(handle_.get(), watch.handle_.place()));
        return watch;
    }

    // Waits for a version above `after`, and returns the newest; empty when the time is up.
    std::optional<freehold_version_t> wait(freehold_version_t after, std::chrono::milliseconds timeout) const
    {
        freehold_version_t version = 0;
        if (!detail::found(freehold_database_wait(handle_.get(), after, timeout.count(), &version))) return std::nullopt;
        return version;
    }

    // Waits until every committed version survives a power cut.
    void flush() const { detail::check(freehold_database_flush(handle_.get())); }

    // Writes a compact copy of the newest version, or of a snapshot's, to a path that must not exist.
    void copy(std::string_view path) const { detail::check(freehold_database_copy(handle_.get(), path.data(), path.size())); }
    void copy(const Snapshot &snapshot, std::string_view path) const
    {
        detail::check(freehold_snapshot_copy(handle_.get(), snapshot.handle_.get(), path.data(), path.size()));
    }
    // Writes a compact copy encrypted under `key`, or unencrypted if `key` is empty.
    void copy_under_key(std::string_view path, const std::vector<std::uint8_t> &key) const
    {
        detail::check(freehold_database_copy_under_key(
            handle_.get(), path.data(), path.size(), key.empty() ? nullptr : key.data(), key.size()));
    }
    // Replaces the key that opens the database. If the old key became known to others, make a copy under a new key
    // instead.
    void change_key(const std::vector<std::uint8_t> &key) const
    {
        detail::check(freehold_database_change_key(handle_.get(), key.data(), key.size()));
    }

    // Writes a backup of the newest version, with every block verified; returns the number of bytes written. A
    // backup is faster than a copy, and as large as the file.
    std::uint64_t backup(std::string_view path) const
    {
        std::uint64_t bytes = 0;
        detail::check(freehold_database_backup(handle_.get(), path.data(), path.size(), &bytes));
        return bytes;
    }

    // Builds the full-text indexes and the indexes of places that are not complete, in slices, while others read and
    // write. `progress(done, total)` is called before each slice and at the end; if it returns false or throws, building
    // stops, and a later call continues it. Not within a transaction of the same thread.
    void build_indexes() const;
    template <typename Progress>
    void build_indexes(Progress &&progress) const;

    // What an agent shall do for the file, and how it goes; see sync_state.hpp.
    Sync sync() const;

    // The file's side of sync; see sync.hpp. `sync_push` gives all that is not known to be at the server, as one message for
    // it, and is empty if nothing is pending: what the message contains is durable, and it may be sent again. `sync_pull`
    // gives the question for what has changed at the server. `sync_apply` applies a message from the server in one commit;
    // it is empty if there is nothing to apply: a batch was acknowledged, or the answer is to a question that the file
    // would not ask any more; then ask again.
    std::optional<std::string> sync_push() const;
    std::string sync_pull() const;
    std::optional<SyncReport> sync_apply(std::string_view message, const SyncMerge &merge = {}) const;

    // Truncates the file while others read and write; returns its length in bytes before and after.
    std::pair<std::uint64_t, std::uint64_t> compact() const
    {
        std::uint64_t before = 0, after = 0;
        detail::check(freehold_database_compact(handle_.get(), &before, &after));
        return {before, after};
    }

    // Ends the report of a lost version (`Information::lost_version`), for all processes and permanently.
    void acknowledge_lost_version() const { detail::check(freehold_database_acknowledge_lost_version(handle_.get())); }

    // Checks the newest version; returns the number of problems, or the whole report.
    std::uint64_t check() const { return check_report().problems.size(); }
    CheckReport check_report() const { return detail::check_report(handle_.get()); }

    // The sizes, versions and holders of versions; see inspect.hpp.
    Information information() const { return detail::information(handle_.get()); }

    static bool exists(std::string_view path, bool in_memory = false)
    {
        return detail::found(freehold_database_exists(path.data(), path.size(), in_memory));
    }

    // Salvages what is readable of a damaged file into a new one. No process may have the damaged file open.
    // `options` give the key.
    static SalvageReport salvage(std::string_view damaged, std::string_view path, const Options &options = {})
    {
        return detail::salvage(damaged, path, options.get());
    }

    // Deletes a database that no process has open; returns false if there is none.
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
