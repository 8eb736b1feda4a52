import FreeholdEngine

/// One asynchronous write request: see `WriteQueue`.
///
/// Safe to share: the queue's lock guards what changes; the transaction is used by one thread at a time, that of the
/// turn.
final class WriteTurn: @unchecked Sendable {
    /// ```
    /// waiting ──► granted ──► taken ──► over
    ///    ▲           └──────► late        ▲
    ///    └──────────────────────┘   (cancelled, failed)
    /// ```
    enum State {
        case waiting
        /// The writer thread has begun the transaction, and called the requester back.
        case granted
        /// The requester writes.
        case taken
        /// The writer thread gave the lock back before the requester came.
        case late
        case over
    }

    /// The file, while the request is pending.
    private(set) var database: Database?
    /// Where the transaction is going to be used.
    let place: Confinement.Identity
    /// Calls the requester back to take the transaction; an error means that there will be none. Called on the writer
    /// thread.
    let announce: @Sendable (Result<Void, any Error>) -> Void
    private(set) var state = State.waiting
    /// The transaction; the writer thread begins it, and has to end it too.
    var transaction: WriteTransaction?
    /// The body with which the writer thread ends the transaction, once it is taken.
    var ending: (() -> Void)?

    init(_ database: Database, at place: Confinement.Identity, announce: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        self.database = database
        self.place = place
        self.announce = announce
    }

    /// Changes the state. Once over, the request no longer holds the file, which can close with its last realm.
    func become(_ next: State) {
        state = next
        if next == .over { database = nil }
    }
}
