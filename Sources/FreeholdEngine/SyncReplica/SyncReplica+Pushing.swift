/// What an agent has to send, and when.
extension SyncReplica {
    /// The last change that a batch contains, to tell whether a later commit has anything to send. It means something only to the
    /// process that got it.
    public struct PushMark: Sendable, Equatable {
        fileprivate let replica: ReplicaIdentity
        fileprivate let history: UInt64
        fileprivate let last: SyncStamp

        fileprivate init(_ body: SyncBody) {
            replica = body.replica
            history = body.history
            last = body.clock.last
        }
    }

    /// A batch, and what it contains.
    public struct PendingPush: Sendable {
        /// The message for the server, as `push` gives it.
        public let message: [UInt8]
        public let mark: PushMark
    }

    /// Like `push`, if anything was captured since an earlier batch; else it costs a snapshot, and takes no lock.
    ///
    /// - Parameter mark: of the last batch that the server has acknowledged; nil to send all that is pending.
    /// - Returns: nil if nothing is pending, or nothing more than what the earlier batch had.
    /// - Throws: as a write transaction; `.invalidArgument` without synced classes.
    public func push(after mark: PushMark?) throws(FreeholdError) -> PendingPush? {
        let now = try self.mark()
        if let mark, mark == now { return nil }
        guard let sealed = try seal() else { return nil }
        defer { sealed.snapshot.end() }
        // The seal's version, and no later one: what was captured after it is not in the batch.
        guard let body = try sealed.snapshot.syncState() else { throw notSynced }
        return PendingPush(message: try message(sealed), mark: PushMark(body))
    }

    /// Whether anything is not known to be at the server.
    public func isPending() throws(FreeholdError) -> Bool {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        return try !snapshot.pendingCounts().isEmpty
    }

    /// Whether the file has a synced class, and so anything to ask a server.
    public func isSynced() throws(FreeholdError) -> Bool {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        return try snapshot.hasSynced
    }

    /// Whether the file has applied an answer of its server, and so had all that was there at some time. A class or property that
    /// became synced since asks for everything again, and then it has not.
    public func hasDownloaded() throws(FreeholdError) -> Bool {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        guard let body = try snapshot.syncState() else { return false }
        return body.history != 0
    }

    private func mark() throws(FreeholdError) -> PushMark {
        let snapshot = try database.snapshot()
        defer { snapshot.end() }
        guard let body = try snapshot.syncState() else { throw notSynced }
        return PushMark(body)
    }
}
