/// The requests of an `AsyncWriteQueue`: which wait, which one has the writer lock, and what may happen next. A state
/// machine without lock, thread and clock: the queue guards it by a mutex, and passes the time. Numbers refer to the
/// invariants in the README.
struct AsyncWriteRequests {
    /// Those that wait, in the order of their numbers (1).
    private(set) var waiting: [AsyncWriteRequest] = []
    /// The one that is granted or taken (2).
    private(set) var holder: AsyncWriteRequest?
    /// The one whose transaction the writer thread has yet to roll back, because it was not taken (2).
    private(set) var releasing: AsyncWriteRequest?
    /// The error that requests fail with from now on; nil while the queue is open.
    private(set) var closing: FreeholdError?
    /// The number of callers that block while they wait for the lock, by their place.
    private(set) var blocked: [WriterPlace: Int] = [:]
    /// When the granted request is withdrawn unless it is taken, in nanoseconds.
    private var patienceEnd: UInt64 = 0
    /// The number of the last request.
    private(set) var last: UInt64 = 0
    /// Granted and failed requests whose requesters are not notified yet.
    private var notices: [AsyncWriteRequest] = []

    /// How long a granted request waits to be taken.
    static let patienceMilliseconds = 250

    // MARK: The requesters

    /// Adds a new request, after all others.
    mutating func add(_ request: AsyncWriteRequest, at now: UInt64) {
        last += 1
        request.setNumber(last)
        insert(request, at: now)
    }

    /// Makes a granted or withdrawn request wait again, at its place in the order; does nothing with any other. If a
    /// later request is granted and not taken, the request gets that grant, and the later one waits again (1).
    mutating func readd(_ request: AsyncWriteRequest, at now: UInt64) {
        switch request.state {
        case .granted: letGo()
        case .withdrawn: break
        case .waiting, .taken, .over: return
        }
        insert(request, at: now)
        guard let later = holder, later.state == .granted, later.number > request.number else { return }
        insert(later, at: now)
        give(to: request, at: now)
    }

    private mutating func insert(_ request: AsyncWriteRequest, at now: UInt64) {
        request.wait(from: now)
        waiting.insert(request, at: waiting.firstIndex { $0.number > request.number } ?? waiting.count)
        if let closing { fail(request, closing) }
    }

    /// Takes the transaction of a granted request; returns whether the request was granted.
    mutating func take(_ request: AsyncWriteRequest) -> Bool {
        guard request.state == .granted else { return false }
        request.become(.taken)
        return true
    }

    /// Cancels a request that is not taken; returns whether it was still pending.
    mutating func cancel(_ request: AsyncWriteRequest) -> Bool {
        switch request.state {
        case .waiting: remove(request)
        case .granted: letGo()
        case .withdrawn: break
        case .taken, .over: return false
        }
        request.end()
        return true
    }

    /// Whether no earlier request is pending, so that a withdrawn one can use a transaction that its requester begins itself.
    func mayPass(_ request: AsyncWriteRequest) -> Bool {
        func isLater(_ other: AsyncWriteRequest?) -> Bool { other.map { $0.number > request.number } ?? true }
        return request.state == .withdrawn && isLater(waiting.first) && isLater(holder)
    }

    /// Notes that a caller begins to block a place.
    mutating func block(_ place: WriterPlace) { blocked[place, default: 0] += 1 }

    /// Notes that a caller no longer blocks a place.
    mutating func unblock(_ place: WriterPlace) {
        let left = (blocked[place] ?? 0) - 1
        blocked[place] = left > 0 ? left : nil
    }

    /// Closes the queue: requests that are not taken fail, and so do later ones.
    mutating func close(_ error: FreeholdError) {
        if closing != nil { return }
        closing = error
        for request in waiting { fail(request, error) }
        guard let granted = holder, granted.state == .granted else { return }
        letGo()
        granted.end(error)
        notices.append(granted)
    }

    // MARK: The writer thread

    /// Grants the first request; nil if none waits any more.
    mutating func grant(at now: UInt64) -> AsyncWriteRequest? {
        guard holder == nil, releasing == nil, let first = waiting.first else { return nil }
        give(to: first, at: now)
        return first
    }

    /// Whether the granted request is to be withdrawn: its time is up, or its place is blocked (4).
    func isLate(at now: UInt64) -> Bool {
        guard let holder, holder.state == .granted else { return false }
        return now >= patienceEnd || holder.place.map { blocked[$0] != nil } ?? false
    }

    /// Withdraws the granted request if that is due.
    mutating func withdraw(at now: UInt64) {
        guard isLate(at: now), let late = holder else { return }
        letGo()
        late.become(.withdrawn)
    }

    /// Notes that the transaction of the request that was not taken is rolled back.
    mutating func endRelease() { releasing = nil }

    /// Ends the taken request.
    mutating func finish() {
        holder?.end()
        holder = nil
    }

    /// Fails a request that waits.
    mutating func fail(_ request: AsyncWriteRequest, _ error: FreeholdError) {
        guard request.state == .waiting else { return }
        remove(request)
        request.end(error)
        notices.append(request)
    }

    /// The requests whose time to wait is up.
    func expired(at now: UInt64) -> [AsyncWriteRequest] { waiting.filter { $0.deadline <= now } }

    /// The next time at which something is due, in nanoseconds.
    var nextTime: UInt64 {
        let end = holder.map { $0.state == .granted ? patienceEnd : .max } ?? .max
        return waiting.reduce(end) { min($0, $1.deadline) }
    }

    /// Removes and returns the requests whose requesters have to be notified (6).
    mutating func takeNotices() -> [AsyncWriteRequest] {
        defer { notices = [] }
        return notices
    }

    // MARK: Steps

    /// Makes a waiting request the granted one.
    private mutating func give(to request: AsyncWriteRequest, at now: UInt64) {
        remove(request)
        request.become(.granted)
        holder = request
        patienceEnd = now.later(milliseconds: Self.patienceMilliseconds)
        notices.append(request)
    }

    private mutating func remove(_ request: AsyncWriteRequest) { waiting.removeAll { $0 === request } }

    /// Takes the lock from the granted request, whose transaction is now to be rolled back.
    private mutating func letGo() {
        (releasing, holder) = (holder, nil)
    }
}
