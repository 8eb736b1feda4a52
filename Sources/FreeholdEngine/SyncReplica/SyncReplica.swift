/// A file's side of sync, for programs that carry its messages to a server and back.
///
/// ```
/// seal ─► batch ─► (server) ─► ack
/// pull ─────────► (server) ─► answer ─► apply
/// ```
/// ```swift
/// let replica = SyncReplica(database)
/// if let batch = try replica.push() { send(batch) }
/// send(try replica.pull())
/// let report = try replica.apply(received)
/// ```
/// Each call is an ordinary transaction or snapshot: the agent may die at any of them, and its successor begins anew from what the
/// file says. Several agents at one file are safe; what they send twice is applied once.
public struct SyncReplica {
    /// Merges the values of a property that the application merges. It may not write to the database. If it throws, or gives
    /// a value that the property cannot have, nothing of the answer is applied.
    public typealias Resolver = (SyncConflictCase) throws(FreeholdError) -> Value

    let database: Database
    private let resolve: Resolver?

    /// - Parameter resolve: for properties that the application merges, called within the transaction that applies an answer. Without
    ///   it the server's value wins.
    public init(_ database: Database, resolve: Resolver? = nil) {
        self.database = database
        self.resolve = resolve
    }

    /// An epoch that has ended, and the version that its end has made.
    package struct Sealed {
        package let epoch: UInt64
        let snapshot: Snapshot
    }

    /// Ends the open epoch, durably.
    ///
    /// - Returns: nil if nothing is pending.
    package func seal() throws(FreeholdError) -> Sealed? {
        let transaction = try database.beginWrite()
        do throws(FreeholdError) {
            guard try transaction.sync.hasPending() else {
                transaction.rollback()
                return nil
            }
            let epoch = try transaction.sync.seal()
            var held: Snapshot?
            try transaction.commit(.full, holding: &held)
            // Nothing but this commit's version: in a later one, changes of the next epoch may stand beside these.
            guard let held else {
                throw FreeholdError(.busy, "the version of the seal could not be held; seal again", path: database.path)
            }
            // Before anything of it is sent: an older copy of the file that is put back is told by it.
            try database.noteSealed(epoch)
            return Sealed(epoch: epoch, snapshot: held)
        } catch {
            transaction.rollback()
            throw error
        }
    }

    /// All that is pending in the version of a seal.
    package func batch(_ sealed: Sealed) throws(FreeholdError) -> SyncPush {
        var maker = try BatchMaker(sealed.snapshot)
        return try maker.batch(epoch: sealed.epoch)
    }

    /// All that is pending in the version of a seal, as a message.
    package func message(_ sealed: Sealed) throws(FreeholdError) -> [UInt8] {
        var maker = try BatchMaker(sealed.snapshot)
        return try maker.message(epoch: sealed.epoch)
    }

    /// The question for what has changed at the server. The cursor in it is durable: the server forgets what it contains.
    ///
    /// - Parameter sent: the device's monotonic clock in milliseconds.
    package func pull(sent: UInt64) throws(FreeholdError) -> SyncPull {
        let snapshot = try database.snapshot()
        guard let body = try snapshot.syncState() else { throw notSynced }
        try database.flush()
        return SyncPull(replica: body.replica, history: body.history, cursor: body.cursor, inherited: body.slots.reversed().map(\.replica),
                        sent: sent)
    }

    /// Applies an answer: state, pending changes and cursor in one commit.
    ///
    /// - Parameter monotonic: the device's monotonic clock in milliseconds.
    /// - Returns: nil if the file would ask something else now, because another answer was applied or it has another identity.
    /// - Throws: `.malformedInput` for an answer that contradicts itself or the file; nothing is changed then.
    package func apply(_ answer: SyncAnswer, monotonic: UInt64) throws(FreeholdError) -> SyncReport? {
        let transaction = try database.beginWrite()
        do throws(FreeholdError) {
            var body = try transaction.sync.body()
            guard transaction.schema.hasSynced, answer.isDue(body) else {
                transaction.rollback()
                return nil
            }
            let latest = try answer.requireSound(for: body)
            transaction.capturesSync = false
            let application = try AnswerApplication(answer, transaction, body, resolve)
            try application.apply(seeing: latest, monotonic: monotonic)
            body = application.body
            transaction.changedSync = body
            try transaction.commit(.processCrash)
            return application.report
        } catch {
            transaction.rollback()
            throw error
        }
    }

    var notSynced: FreeholdError { FreeholdError(.invalidArgument, "no class is synced", path: database.path) }
}

extension SyncAnswer {
    /// Whether it answers what a file would ask now.
    fileprivate func isDue(_ body: SyncBody) -> Bool {
        replica == body.replica && askedHistory == body.history && askedCursor == body.cursor
    }
}
