// Transactions that wait for their turn, and commits that wait for the disk, while the caller waits for neither.
//
//     freehold::PendingTransaction pending = database.begin_async();
//     ... poll pending.descriptor() for reading; once it is readable:
//     if (std::optional<freehold::Transaction> transaction = pending.take()) {
//         transaction->create("Person", {{"id", 1}});
//         freehold::PendingCommit commit = transaction->commit_async();
//         ... poll commit.descriptor(); once commit.wait() is true the changes survive a power cut.
//     }
#ifndef FREEHOLD_CPP_PENDING_HPP
#define FREEHOLD_CPP_PENDING_HPP

#include "transaction.hpp"

namespace freehold {

// A transaction that was asked for. One thread at a time; given up when this ends.
class PendingTransaction {
public:
    // Readable when its turn has come, or never will, for event loops: neither read from it nor close it.
    int descriptor() const { return freehold_pending_descriptor(handle_.get()); }

    // Waits until its turn has come; false when the time is up. Throws BusyError if another writer kept the lock for longer than was asked for.
    bool wait(std::chrono::milliseconds timeout = std::chrono::milliseconds(0)) const
    {
        return detail::found(freehold_pending_wait(handle_.get(), timeout.count()));
    }

    // The transaction, which belongs to the calling thread from then on. Nothing if its turn has not come yet, or went back because nobody
    // took it within a quarter of a second: then it is asked for again, and the descriptor tells again.
    std::optional<Transaction> take()
    {
        freehold_transaction_t *handle = nullptr;
        if (!detail::found(freehold_pending_take(handle_.get(), &handle))) return std::nullopt;
        return Transaction(handle);
    }

    // Waits for it and takes it; nothing when the time is up.
    std::optional<Transaction> take(std::chrono::milliseconds timeout)
    {
        const auto end = std::chrono::steady_clock::now() + timeout;
        do {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
            if (!wait(left.count() > 0 ? left : std::chrono::milliseconds(0))) return std::nullopt;
            if (std::optional<Transaction> transaction = take()) return transaction;
        } while (std::chrono::steady_clock::now() < end);
        return std::nullopt;
    }

private:
    friend class Database;
    explicit PendingTransaction(freehold_pending_t *handle) : handle_(handle) {}
    detail::Owned<freehold_pending_t, freehold_pending_close> handle_;
};

// A commit that everybody sees and that is on its way to the disk, which it reaches also if this ends. One thread at a time.
class PendingCommit {
public:
    // The version made, or the one before if nothing was changed.
    freehold_version_t version() const { return version_; }

    // Readable when it survives a power cut, or could not be flushed, for event loops: neither read from it nor close it.
    int descriptor() const { return freehold_pending_descriptor(handle_.get()); }

    // Waits until it survives a power cut; false when the time is up. Throws what Database::flush does.
    bool wait(std::chrono::milliseconds timeout = std::chrono::milliseconds(0)) const
    {
        return detail::found(freehold_pending_wait(handle_.get(), timeout.count()));
    }

private:
    friend class Transaction;
    PendingCommit() = default;
    detail::Owned<freehold_pending_t, freehold_pending_close> handle_;
    freehold_version_t version_ = 0;
};

inline PendingCommit Transaction::commit_async()
{
    require_own();
    PendingCommit pending;
    detail::check(freehold_transaction_commit_async(handle_.get(), &pending.version_, pending.handle_.place()));
    let_go();
    return pending;
}

} // namespace freehold

#endif
