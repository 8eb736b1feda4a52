/// Live answers that are updated together as commits of any process arrive: a descriptor for an event loop to poll, and
/// a call to make when it is readable.
///
/// ```swift
/// let watch = try LiveWatch(database)
/// let adults = try watch.follow(ObjectQuery("age >= 18 SORT(name ASC)"), of: "Person")
/// // poll watch.fileDescriptor for reading; whenever it is readable:
/// try watch.deliver { delivery in
///     for change in delivery.changes { print(change) }
/// }
/// ```
/// Between two deliveries it parks the version of its answers: a commit may take that away once it costs too much
/// (`OpenOptions.parkedBytesLimit` and `parkedVersionsLimit` of the process that commits). The next delivery then
/// reports that everything that stayed may have changed (`WatchDelivery.before` is nil). So a watch may sleep for any
/// time. Use it on one thread at a time.
public final class LiveWatch {
    /// An answer that is followed.
    public enum Answer {
        case query(LiveQuery)
        case collection(LiveCollection)
        case groups(LiveGroups)
        case object(LiveObject)
    }

    /// Identifies an answer among those of its watch.
    public struct Number: Hashable, Sendable {
        fileprivate let rawValue: Int
    }

    private let listener: ChangeListener
    // Safe (all exclusivity below): one thread uses this; `deliver` refuses to be entered again.
    @exclusivity(unchecked) private var held: Snapshot
    /// Ended but within a delivery.
    @exclusivity(unchecked) private var other: Snapshot
    @exclusivity(unchecked) private var answers: [(number: Number, answer: Answer)] = []
    @exclusivity(unchecked) private var last = 0
    @exclusivity(unchecked) private var isDelivering = false
    @exclusivity(unchecked) private var failure: FreeholdError?

    /// Creates a watch that begins at the newest version.
    public init(_ database: Database) throws(FreeholdError) {
        listener = try database.listen()
        held = try database.snapshot()
        other = try database.snapshot()
        other.end()
        try held.park()
    }

    /// The descriptor; readable when `deliver` is to be called. Never read from it.
    public var fileDescriptor: Int32 { listener.fileDescriptor }

    /// The version that the answers are of.
    public var version: Version { held.version }

    // MARK: what is followed

    /// Follows a query; see `LiveQuery`. It is evaluated now, at the version of the other answers.
    @discardableResult
    public func follow(_ query: ObjectQuery, of className: String, among source: CollectionAddress? = nil, observing observed: [PropertyPath]? = nil)
        throws(FreeholdError) -> (number: Number, answer: LiveQuery) {
        let live = try asking { snapshot throws(FreeholdError) in
            try LiveQuery(query, of: className, among: source, at: snapshot, observing: observed)
        }
        return (add(.query(live)), live)
    }

    /// Follows a list, set or map of one object; see `LiveCollection`.
    @discardableResult
    public func follow(_ address: CollectionAddress, observing observed: [PropertyPath]? = nil) throws(FreeholdError)
        -> (number: Number, answer: LiveCollection) {
        let live = try asking { snapshot throws(FreeholdError) in try LiveCollection(address, at: snapshot, observing: observed) }
        return (add(.collection(live)), live)
    }

    /// Follows the groups of a query; see `LiveGroups`.
    @discardableResult
    public func followGroups(_ query: ObjectQuery, of className: String) throws(FreeholdError) -> (number: Number, answer: LiveGroups) {
        let live = try asking { snapshot throws(FreeholdError) in try LiveGroups(query, of: className, at: snapshot) }
        return (add(.groups(live)), live)
    }

    /// Follows one object; see `LiveObject`.
    @discardableResult
    public func follow(_ key: ObjectKey, in className: String) throws(FreeholdError) -> (number: Number, answer: LiveObject) {
        let live = try asking { snapshot throws(FreeholdError) in try LiveObject(key, in: className, at: snapshot) }
        return (add(.object(live)), live)
    }

    /// Stops following an answer.
    public func stop(_ number: Number) { answers.removeAll { $0.number == number } }

    private func add(_ answer: Answer) -> Number {
        last += 1
        answers.append((Number(rawValue: last), answer))
        return Number(rawValue: last)
    }

    /// Asks something of the version held. Where that is gone there must be a delivery first, or nobody is told what the others missed.
    private func asking<Live>(_ ask: (Snapshot) throws(FreeholdError) -> Live) throws(FreeholdError) -> Live {
        do throws(FreeholdError) { try held.resume() } catch {
            guard error.code == .revoked, answers.isEmpty else { throw error }
            try held.begin()
        }
        let live = try ask(held)
        if !isDelivering { try held.park() }
        return live
    }

    // MARK: what has changed

    /// Brings every answer to the newest version.
    ///
    /// - Parameter body: called once if there is a newer version, while both versions can be read. An answer that has
    ///   not changed is not reported. One whose class or properties were dropped is reported with the error, and
    ///   followed no longer.
    /// - Throws: what `body` throws; `.closed`, `.leaseLost`, `.corrupt` and others, which every later delivery throws again.
    /// - Returns: whether there was a newer version.
    @discardableResult
    public func deliver(_ body: (WatchDelivery) throws -> Void) throws -> Bool {
        guard !isDelivering else { throw FreeholdError(.invalidArgument, "a delivery of this watch is under way") }
        if let failure { throw failure }
        isDelivering = true
        defer { isDelivering = false }
        // Before the newest version is looked at: what is committed after is told again.
        _ = try listener.take()
        try other.begin()
        defer { rest() }
        if held.isHeld, other.version == held.version { return false }
        let delivery = try advance(isWhole: try resume())
        swap(&held, &other)
        try body(delivery)
        return true
    }

    /// Whether the version of the answers is still held.
    private func resume() throws(FreeholdError) -> Bool {
        do throws(FreeholdError) {
            try held.resume()
            return held.isHeld
        } catch {
            if error.code == .revoked { return false }
            throw error
        }
    }

    private func advance(isWhole: Bool) throws(FreeholdError) -> WatchDelivery {
        let step = isWhole ? try VersionStep(from: held, to: other) : nil
        var changes: [WatchDelivery.Change] = [], left: [(Number, Answer)] = []
        for (number, answer) in answers {
            do throws(FreeholdError) {
                if let told = try answer.advance(step, to: other) { changes.append(WatchDelivery.Change(number: number, answer: answer, what: told)) }
                left.append((number, answer))
            } catch {
                switch error.code {
                case .unknownClass, .unknownProperty, .typeMismatch, .malformedInput:
                    changes.append(WatchDelivery.Change(number: number, answer: answer, what: .failed(error)))
                default:
                    // Some answers have moved on, and nothing was reported.
                    failure = error
                    throw error
                }
            }
        }
        answers = left
        return WatchDelivery(before: isWhole ? held : nil, after: other, changes: changes)
    }

    private func rest() {
        other.end()
        try? held.park()
    }
}

/// What a `LiveWatch` reports of one step from version to version. Valid within the call that receives it.
public struct WatchDelivery {
    /// The older version; nil if it was taken away while the watch slept.
    public let before: Snapshot?
    /// The newer version.
    public let after: Snapshot
    /// The answers that have changed, in the order in which they were followed.
    public let changes: [Change]

    /// One answer that has changed.
    public struct Change {
        /// What `LiveWatch.follow` returned.
        public let number: LiveWatch.Number
        /// The answer, at the newer version.
        public let answer: LiveWatch.Answer
        /// What changed in it.
        public let what: What
    }

    /// What changed in an answer.
    public enum What: Sendable {
        /// Objects of a query, or groups.
        case positions(PositionChanges)
        /// Elements of a collection.
        case elements(CollectionChanges)
        /// Properties of an object.
        case properties(LiveObjectChanges)
        /// The newer version does not have what the answer asks for; it is followed no longer.
        case failed(FreeholdError)
    }
}

extension LiveWatch.Answer {
    /// Moves on, without a step if the version before is gone; nil if nothing has changed.
    fileprivate func advance(_ step: VersionStep?, to snapshot: Snapshot) throws(FreeholdError) -> WatchDelivery.What? {
        switch self {
        case .query(let query):
            let changes = if let step { try query.advance(step) } else { try query.restart(at: snapshot) }
            return changes.isEmpty ? nil : .positions(changes)
        case .groups(let groups):
            let changes = if let step { try groups.advance(step) } else { try groups.restart(at: snapshot) }
            return changes.isEmpty ? nil : .positions(changes)
        case .collection(let collection):
            let changes = if let step { try collection.advance(step) } else { try collection.restart(at: snapshot) }
            return changes.isEmpty ? nil : .elements(changes)
        case .object(let object):
            let changes = if let step { try object.advance(step) } else { try object.restart(at: snapshot) }
            return changes.isEmpty ? nil : .properties(changes)
        }
    }
}
