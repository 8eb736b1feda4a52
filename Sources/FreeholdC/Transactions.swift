// Safe throughout: an out parameter is NULL or writable memory of the caller; a reader's handle ends with its owner.
import CFreehold
import FreeholdEngine

/// A transaction, held by C programs through a handle.
final class HeldTransaction: Handled {
    static let kind = HandleKind.transaction
    let transaction: WriteTransaction
    let reader: Reader
    let readerHandle: OpaquePointer
    /// The savepoints that have not ended, with their numbers.
    private var savepoints: [(number: freehold_savepoint_t, savepoint: Savepoint)] = []
    private var lastSavepoint: freehold_savepoint_t = 0
    let owner: OpenDatabase
    /// Whether it is a migration's, whose callback runs: then new unique properties become unique when that is done.
    var isMigrating = false
    /// The request, if the writer thread holds the lock; nil if the caller's thread does.
    private let request: AsyncWriteRequest?

    private init(_ transaction: WriteTransaction, of owner: OpenDatabase, _ request: AsyncWriteRequest?) throws(FreeholdError) {
        self.transaction = transaction
        self.owner = owner
        self.request = request
        reader = Reader(transaction)
        readerHandle = try Handles.make(reader)
    }

    /// Creates the handle of a transaction that has begun; rolls the transaction back if that fails.
    static func make(
        _ transaction: WriteTransaction, of owner: OpenDatabase, _ request: AsyncWriteRequest? = nil
    ) throws(FreeholdError) -> (held: HeldTransaction, handle: OpaquePointer) {
        do throws(FreeholdError) {
            let held = try HeldTransaction(transaction, of: owner, request)
            do throws(FreeholdError) { return (held, try Handles.make(held)) } catch {
                try held.end()
                throw error
            }
        } catch {
            rollBack(transaction, of: owner, request)
            throw error
        }
    }

    func makeSavepoint() throws(FreeholdError) -> freehold_savepoint_t {
        let savepoint = try transaction.savepoint()
        lastSavepoint += 1
        savepoints.append((lastSavepoint, savepoint))
        return lastSavepoint
    }

    /// Rolls back to a savepoint, which stays, or releases it.
    func end(_ number: freehold_savepoint_t, takingBack: Bool) throws(FreeholdError) {
        guard let place = savepoints.firstIndex(where: { $0.number == number }) else {
            throw FreeholdError(.invalidArgument, "savepoint \(number) does not exist, or was released")
        }
        if takingBack {
            try transaction.rollback(to: savepoints[place].savepoint)
            savepoints.removeSubrange((place + 1)...)
            reader.schemaChanged()
        } else {
            try transaction.release(savepoints[place].savepoint)
            savepoints.removeSubrange(place...)
        }
    }

    func commit(_ durability: Durability) throws -> Version {
        guard let request else { return try transaction.commit(durability) }
        return try owner.writes.end(request) { () throws(FreeholdError) in try transaction.commit(durability) }
    }

    func rollback() { Self.rollBack(transaction, of: owner, request) }

    private static func rollBack(_ transaction: WriteTransaction, of owner: OpenDatabase, _ request: AsyncWriteRequest?) {
        guard let request else { return transaction.rollback() }
        owner.writes.end(request) { transaction.rollback() }
    }

    /// Ends the reader, even if cursors still refer to it.
    func end() throws(FreeholdError) {
        reader.moved(isHeld: false)
        try Handles.end(readerHandle, Reader.self)
    }
}

extension Handles {
    /// The transaction of a handle, checked for use on this thread.
    @inline(__always)
    static func transaction(_ handle: OpaquePointer?) throws(FreeholdError) -> HeldTransaction {
        let held = try object(handle, HeldTransaction.self)
        try held.reader.use()
        try held.reader.requireUnchanging()
        return held
    }
}

@c @implementation
public func freehold_transaction_begin(
    _ database: OpaquePointer?, _ timeout_milliseconds: Int64, _ transaction: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(transaction)
        let isDefault = timeout_milliseconds == Int64(FREEHOLD_DEFAULT_TIMEOUT)
        let limit = isDefault ? nil : try milliseconds(timeout_milliseconds)
        let owner = try Handles.object(database, OpenDatabase.self)
        let begun = try owner.database.beginWrite(timeoutMilliseconds: limit)
        place.pointee = try HeldTransaction.make(begun, of: owner).handle
    }
}

@c @implementation
public func freehold_transaction_commit(
    _ transaction: OpaquePointer?, _ durability: freehold_durability_t, _ version: UnsafeMutablePointer<freehold_version_t>?
) -> freehold_error_code_t {
    done {
        let held = try Handles.transaction(transaction)
        try held.end()
        try Handles.end(transaction, HeldTransaction.self)
        let made = try held.commit(try promise(durability, held))
        version?.pointee = made.rawValue
    }
}

private func promise(_ durability: freehold_durability_t, _ held: HeldTransaction) throws(FreeholdError) -> Durability {
    switch Int(durability) {
    case FREEHOLD_DURABILITY_FULL: return .full
    case FREEHOLD_DURABILITY_PROCESS_CRASH: return .processCrash
    default:
        held.rollback()
        throw FreeholdError(.invalidArgument, "\(durability) is not a durability; the transaction was rolled back")
    }
}

@c @implementation
public func freehold_transaction_rollback(_ transaction: OpaquePointer?) -> freehold_error_code_t {
    done {
        if transaction == nil { return }
        let held = try Handles.transaction(transaction)
        try held.end()
        try Handles.end(transaction, HeldTransaction.self)
        held.rollback()
    }
}

@c @implementation
public func freehold_transaction_reader(_ transaction: OpaquePointer?) -> OpaquePointer? {
    var reader: OpaquePointer?
    _ = done { reader = try Handles.object(transaction, HeldTransaction.self).readerHandle }
    return reader
}

@c @implementation
public func freehold_transaction_snapshot_before(
    _ transaction: OpaquePointer?, _ snapshot: UnsafeMutablePointer<OpaquePointer?>?
) -> freehold_error_code_t {
    done {
        let place = try Handles.place(snapshot)
        place.pointee = try Handles.make(HeldSnapshot(try Handles.transaction(transaction).transaction.snapshotBefore()))
    }
}

@c @implementation
public func freehold_savepoint_make(
    _ transaction: OpaquePointer?, _ savepoint: UnsafeMutablePointer<freehold_savepoint_t>?
) -> freehold_error_code_t {
    done {
        let made = try Handles.transaction(transaction).makeSavepoint()
        savepoint?.pointee = made
    }
}

@c @implementation
public func freehold_savepoint_rollback(
    _ transaction: OpaquePointer?, _ savepoint: freehold_savepoint_t
) -> freehold_error_code_t {
    done { try Handles.transaction(transaction).end(savepoint, takingBack: true) }
}

@c @implementation
public func freehold_savepoint_release(
    _ transaction: OpaquePointer?, _ savepoint: freehold_savepoint_t
) -> freehold_error_code_t {
    done { try Handles.transaction(transaction).end(savepoint, takingBack: false) }
}
