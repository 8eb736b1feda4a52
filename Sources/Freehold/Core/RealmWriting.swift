import FreeholdEngine

/// The write transactions of a realm.
struct RealmWriting {
    /// The one under way.
    var transaction: WriteTransaction?
    /// The number of the last one.
    private(set) var number: UInt32 = 0
    /// Those that were cancelled after they had added objects.
    private var cancelled: Set<UInt32> = []
    /// The outcome of the one under way, for handovers of things it created.
    var outcome: WriteOutcome?
    /// The first refusal, and the number of its write transaction, which cannot be committed.
    private var refusal: (write: UInt32, error: RealmError)?
    /// The request of the one under way, if the writer thread began it.
    private var request: AsyncWriteRequest?
    /// The realm's value of `changes` when the one under way began.
    private(set) var changesBefore: UInt64 = 0
    /// Keeps the realm while it writes; nil until that is needed.
    var hold: WriteHold?
    /// The asynchronous writes; nil until the first.
    var asynchronous: AsynchronousWriting?

    init(_ transaction: WriteTransaction?) { self.transaction = transaction }

    mutating func begin(_ transaction: WriteTransaction, _ request: AsyncWriteRequest?, changes: UInt64) {
        self.transaction = transaction
        self.request = request
        changesBefore = changes
        // Safe: no object is held over so many transactions.
        number &+= 1
    }

    /// The writer thread's request, which is over from now on.
    mutating func takeRequest() -> AsyncWriteRequest? {
        defer { request = nil }
        return request
    }

    /// Reports how the transaction ended to those who wait for what it created.
    mutating func endOutcome(isCommitted: Bool) {
        outcome?.end(isCommitted: isCommitted)
        outcome = nil
    }

    mutating func noteCancelled() { cancelled.insert(number) }

    /// Whether the write transaction of this number, which added an object, was cancelled.
    @inline(__always) func wasCancelled(_ number: UInt32) -> Bool { number != 0 && !cancelled.isEmpty && cancelled.contains(number) }

    /// The first error for which the transaction under way cannot be committed.
    var refused: RealmError? { transaction != nil && refusal?.write == number ? refusal?.error : nil }

    mutating func refuse(_ error: FreeholdError) { if refusal?.write != number { refusal = (number, RealmError(error)) } }
}
