/// One asynchronous write request, created by `AsyncWriteQueue.request` and used with that queue.
///
/// Safe to share: the queue's mutex guards what changes.
public final class AsyncWriteRequest: @unchecked Sendable {
    /// ```
    /// waiting ──► granted ──► taken ──► over
    ///    ▲           ▼                   ▲
    ///    └─────── withdrawn              │
    ///   all but taken: cancelled or failed
    /// ```
    public enum State: Sendable {
        /// In the queue.
        case waiting
        /// The writer thread has begun the transaction, and notified the requester.
        case granted
        /// The requester uses the transaction.
        case taken
        /// The requester did not take the transaction in time, and the writer lock was released.
        case withdrawn
        /// Ended, cancelled or failed.
        case over
    }

    /// Where the transaction is going to be used; nil if that is not known.
    let place: WriterPlace?
    /// How long it waits for the writer lock; nil for any time.
    let timeoutMilliseconds: Int?
    /// Notifies the requester that the request was granted or has failed.
    let notify: @Sendable () -> Void
    /// The position in the order of the queue's requests, kept when the request is repeated.
    private(set) var number: UInt64 = 0
    /// When it fails unless it is granted, in nanoseconds of the system's clock.
    private(set) var deadline = UInt64.max
    private(set) var state = State.waiting
    /// The error that it has failed with.
    private(set) var failure: FreeholdError?
    /// The database, until the request is over: then the file can close with its last user.
    private(set) var database: Database?

    init(_ database: Database?, at place: WriterPlace?, timeoutMilliseconds: Int?, notify: @escaping @Sendable () -> Void) {
        (self.database, self.place, self.timeoutMilliseconds, self.notify) = (database, place, timeoutMilliseconds, notify)
    }

    func setNumber(_ number: UInt64) { self.number = number }

    /// Makes the request wait, for its whole time again.
    func wait(from now: UInt64) {
        assert(state != .taken && state != .over, "a request that is \(state) does not wait again")
        state = .waiting
        deadline = timeoutMilliseconds.map { now.later(milliseconds: $0) } ?? .max
    }

    func become(_ next: State) {
        assert(next.mayFollow(state), "a request that is \(state) does not become \(next)")
        state = next
    }

    /// Ends the request, with an error if it has failed.
    func end(_ failure: FreeholdError? = nil) {
        assert(state != .over, "a request ends once")
        (state, self.failure, database) = (.over, failure, nil)
    }
}

extension AsyncWriteRequest.State {
    /// Whether the state may follow another one within one attempt. A new attempt begins by `wait`, and `end` ends all.
    func mayFollow(_ state: Self) -> Bool {
        switch self {
        case .granted: state == .waiting
        case .taken, .withdrawn: state == .granted
        case .waiting, .over: false
        }
    }
}

/// Where an interface uses a transaction: a thread, queue or actor of its own numbering. An `AsyncWriteQueue` only
/// compares places.
public struct WriterPlace: Hashable, Sendable {
    private let kind: UInt8
    private let number: UInt64

    /// - Parameters:
    ///   - kind: what kind of place it is; places of different kinds differ.
    ///   - number: which one of its kind.
    public init(kind: UInt8, number: UInt64) {
        self.kind = kind
        self.number = number
    }
}

extension UInt64 {
    /// A later time, in nanoseconds; the maximum if it cannot be represented.
    func later(milliseconds: Int) -> UInt64 {
        let (nanoseconds, isTooLong) = UInt64(Swift.max(0, milliseconds)).multipliedReportingOverflow(by: 1_000_000)
        let (sum, isTooLate) = addingReportingOverflow(nanoseconds)
        return isTooLong || isTooLate ? .max : sum
    }

    /// Milliseconds until a time in nanoseconds, rounded up; 0 once it has passed.
    func millisecondsUntil(_ time: UInt64) -> Int { time <= self ? 0 : Int(clamping: (time - self - 1) / 1_000_000 + 1) }
}
