/// A file's side of sync in messages of bytes (`SyncMessage`).
extension SyncReplica {
    /// Ends the open epoch, durably, and gives all that is not known to be at the server as a message for it.
    ///
    /// The message stays valid, and may be sent again. An answer that contains the epoch clears what is pending of it.
    ///
    /// - Returns: nil if nothing is pending.
    /// - Throws: as a write transaction; `.busy` if the version could not be held.
    public func push() throws(FreeholdError) -> [UInt8]? {
        guard let sealed = try seal() else { return nil }
        defer { sealed.snapshot.end() }
        return try message(sealed)
    }

    /// The question for what has changed at the server, as a message for it. What it says that the file has is durable.
    ///
    /// - Throws: `.invalidArgument` without synced classes.
    public func pull() throws(FreeholdError) -> [UInt8] { SyncMessage.pull(try pull(sent: milliseconds)).bytes }

    /// Applies a message from the server, in one commit.
    ///
    /// - Returns: what the answer has decided against changes of this file. Nil if there is nothing to apply: the server has
    ///   acknowledged a batch, or the answer is to a question that the file would not ask any more; then ask again.
    /// - Throws: `.malformedInput` for bytes that no server writes, and for an answer that contradicts itself or the file;
    ///   `.unsupportedFormat` for a message of a later version; `.invalidArgument` for a message that is for a server. Nothing is
    ///   changed then.
    public func apply(_ message: [UInt8]) throws(FreeholdError) -> SyncReport? {
        switch try SyncMessage(bytes: message, inMemory: Self.rowsInMemory) {
        case .answer(let answer): return try apply(answer, monotonic: milliseconds)
        case .ack: return nil
        case .push, .pull:
            throw FreeholdError(.invalidArgument, "the message is for a server, and not from one", path: database.path)
        }
    }

    /// Bytes of rows that are decoded once, and not by each walk.
    private static let rowsInMemory = 1 << 20

    /// The monotonic clock.
    private var milliseconds: UInt64 { database.system.monotonicNanoseconds / 1_000_000 }
}
