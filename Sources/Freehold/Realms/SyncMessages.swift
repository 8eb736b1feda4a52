public import Foundation
public import FreeholdEngine

/// What an answer of the server has decided against changes of this file.
public typealias SyncReport = FreeholdEngine.SyncReport

/// A property with two values that were written at the same time, which the application merges.
public typealias SyncConflictCase = FreeholdEngine.SyncConflictCase

/// The file's side of sync, for programs that carry its messages to a server and back.
///
/// ```swift
/// if let batch = try realm.syncMessages.push() { send(batch) }
/// send(try realm.syncMessages.pull())
/// let report = try realm.syncMessages.apply(received) { conflict in conflict.mine }
/// ```
/// The server's side is the library `FreeholdMerge`; `docs/sync.md` describes the messages.
public struct SyncMessages {
    private let core: RealmCore

    fileprivate init(_ core: RealmCore) { self.core = core }

    /// All that is not known to be at the server, as one message for it; what it contains is durable.
    ///
    /// The message may be sent again. An answer that contains it clears what is pending.
    ///
    /// - Returns: nil if nothing is pending.
    /// - Throws: `RealmError`, also if this thread is in a write transaction.
    public func push() throws -> Data? { try outsideWrite { try SyncReplica($0).push().map { Data($0) } } }

    /// The question for what has changed at the server, as a message for it.
    ///
    /// - Throws: `RealmError`, also if no class is synced.
    public func pull() throws -> Data { try outsideWrite { Data(try SyncReplica($0).pull()) } }

    /// Applies a message from the server, in one commit.
    ///
    /// - Parameters:
    ///   - message: an answer, or the acknowledgement of a batch.
    ///   - merge: for the properties that `SyncRules.merged` names; called within the transaction, so it may not write. Without it
    ///     the server's value wins.
    /// - Returns: what was lost. Nil if there is nothing to apply: a batch was acknowledged, or the answer is to a question that the
    ///   file would not ask any more; then ask again.
    /// - Throws: `RealmError`, also for bytes that no server writes; nothing is changed then. What `merge` throws.
    @discardableResult
    public func apply(_ message: Data, merge: ((SyncConflictCase) throws -> Value)? = nil) throws -> SyncReport? {
        try outsideWrite { database in
            var failure: (any Error)?
            var resolve: SyncReplica.Resolver?
            if let merge {
                resolve = { conflict throws(FreeholdError) in
                    do { return try merge(conflict) } catch {
                        failure = error
                        throw FreeholdError(.invalidArgument, "the merge of '\(conflict.property)' failed: \(error)")
                    }
                }
            }
            do { return try SyncReplica(database, resolve: resolve).apply([UInt8](message)) } catch { throw failure ?? error }
        }
    }

    private func outsideWrite<Result>(_ body: (Database) throws -> Result) throws -> Result {
        guard core.enter() else { throw RealmError(.fail, "Realm accessed from incorrect thread.") }
        if core.transaction != nil { throw RealmError(.fail, "Messages of sync cannot be made or applied within a write transaction.") }
        do { return try body(core.shared.database) } catch let error as FreeholdError { throw RealmError(error) }
    }
}

extension Realm {
    /// The file's side of sync, for programs that carry its messages to a server and back.
    public var syncMessages: SyncMessages { SyncMessages(core) }
}
