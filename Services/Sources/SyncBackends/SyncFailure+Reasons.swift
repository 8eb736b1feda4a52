import FreeholdEngine

extension SyncMessage {
    /// The message that a request's body is.
    public static func received(_ bytes: [UInt8]) throws(SyncFailure) -> SyncMessage {
        do throws(FreeholdError) { return try SyncMessage(bytes: bytes) } catch { throw SyncFailure(error, in: "the request's body") }
    }
}

extension SyncFailure {
    /// The body is a message, but not the one that the address takes.
    public static func wrongKind(_ expected: String) -> SyncFailure {
        SyncFailure(.malformed, what: "the body is not \(expected)", place: "the request's body",
                    advice: "send batches to /v1/push and questions to /v1/pull")
    }

    /// The file's identity belongs to somebody else.
    public static func otherUser(_ replica: ReplicaIdentity) -> SyncFailure {
        SyncFailure(.forbidden, what: "the file, or one that it is a copy of, was synced by another user", place: "its identity \(replica)",
                    advice: "sync it with that user's token, or begin with a new file: it gets all that its user sees")
    }

    /// A question names more files than a user may have.
    public static func tooManyFiles(_ most: Int) -> SyncFailure {
        SyncFailure(.malformed, what: "the question names more than \(most) files that its file was before", place: "the question",
                    advice: "begin with a new file: it gets all that its user sees")
    }

    /// The file has seen more than the server has.
    public static let ahead = SyncFailure(
        .unavailable, what: "the file has seen changes that the server does not have", place: "the cursor",
        advice: "the server seems to be restored from a backup; who runs it calls `freehold-sync-server init --restored`",
        retryAfter: 60)

    /// Too many requests wait.
    public static let tooManyRequests = SyncFailure(
        .busy, what: "too many requests wait for the database", advice: "send the same again", retryAfter: 2)
}

extension SyncPush {
    /// Whether a change in it is one of a replica of its table.
    public func names(entriesOf replica: UInt32) -> Bool {
        changes.contains { change in
            change.deleted?.replica == replica || change.created?.replica == replica
                || change.registers.contains { $0.entry.replica == replica } || change.members.contains { $0.entry.replica == replica }
                || change.elements.contains { $0.entry.replica == replica } || change.sums.contains { $0.replica == replica }
        }
    }
}
