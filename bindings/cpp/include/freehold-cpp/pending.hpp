// Transactions and commits without waiting: write requests that wait for the writer lock, and commits that wait for
// their flush.
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

// A requested transaction. One thread at a time; the request is given up when this object ends.
class PendingTransaction {
public:
    // The descriptor for event loops, readable when the request holds the writer lock, or has failed: neither read
    // from it nor close it.
    int descriptor() const { return freehold_pending_descriptor(handle_.get()); }

    // Waits until the request holds the writer lock; returns false when the time is up. Throws BusyError if another
    // writer held the lock for longer than the timeout of the request.
    bool wait(std::chrono::milliseconds timeout = std::chrono::milliseconds(0)) const
    {
        return detail::found(freehold_pending_wait(handle_.get(), timeout.count()));
    }

    // Takes the transaction, which belongs to the calling thread from then on. Empty if the request does not hold
    // the writer lock yet, or lost it because the transaction was not taken within a quarter of a second: then the
    // lock is requested again, and the descriptor becomes readable again.
    std::optional<Transaction> take()
    {
        freehold_transaction_t *handle = nullptr;
        if (!detail::found(freehold_pending_take(handle_.get(), &handle))) return std::nullopt;
        return Transaction(handle);
    }

    // Waits for the transaction and takes it; empty when the time is up.
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

// A commit that is visible to all readers and waits for its flush, which also happens if this object ends. One
// thread at a time.
class PendingCommit {
public:
    // The version created, or the one before if nothing was changed.
    freehold_version_t version() const { return version_; }

    // The descriptor for event loops, readable when the commit survives a power cut, or could not be flushed:
    // neither read from it nor close it.
    int descriptor() const { return freehold_pending_descriptor(handle_.get()); }

    // Waits until the commit survives a power cut; returns false when the time is up. Throws the errors of
    // Database::flush.
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
