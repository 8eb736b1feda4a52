import FreeholdEngine

/// One write transaction that somebody asked for without waiting: see `WriteQueue`.
///
/// Safe to share: the queue's lock guards what changes; the transaction is used by whoever has the turn, one at a time.
final class WriteTurn: @unchecked Sendable {
    /// ```
    /// waiting ──► granted ──► taken ──► over
    ///    ▲           └──────► late        ▲
    ///    └──────────────────────┘   (cancelled, failed)
    /// ```
    enum State {
        case waiting
        /// The keeper has begun the transaction, and told who asked.
        case granted
        /// Who asked writes.
        case taken
        /// The keeper gave the lock back before who asked came to it.
        case late
        case over
    }

    /// The file, while the turn is to come.
    private(set) var database: Database?
    /// Where the transaction is going to be used.
    let place: Confinement.Identity
    /// Tells who asked to come and take it; an error says that there will be none. Called on the keeper's thread.
    let announce: @Sendable (Result<Void, any Error>) -> Void
    private(set) var state = State.waiting
    /// Begun by the keeper, which has to end it too.
    var transaction: WriteTransaction?
    /// What the keeper is to do with the transaction, once it is taken: how it ends.
    var ending: (() -> Void)?

    init(_ database: Database, at place: Confinement.Identity, announce: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        self.database = database
        self.place = place
        self.announce = announce
    }

    /// Once it is over the turn holds the file no more, so that this is closed when its last realm goes.
    func become(_ next: State) {
        state = next
        if next == .over { database = nil }
    }
}
