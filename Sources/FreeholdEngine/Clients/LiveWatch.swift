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
/// time. An answer that a commit does not touch costs nothing: it stays as it is, its own `version` too. Use a watch on
/// one thread at a time.
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
        fileprivate let rawValue: UInt64
    }

    private let listener: ChangeListener
    // Safe (all exclusivity below): one thread uses this; `deliver` refuses to be entered again.
    /// The version of the answers, which the hub stands at.
    @exclusivity(unchecked) private var held: Snapshot
    /// Ended but within a delivery.
    @exclusivity(unchecked) private var other: Snapshot
    let hub: ObserverHub
    @exclusivity(unchecked) private var isDelivering = false

    /// Creates a watch that begins at the newest version.
    public init(_ database: Database) throws(FreeholdError) {
        listener = try database.listen()
        held = try database.snapshot()
        other = try database.snapshot()
        other.end()
        hub = ObserverHub(at: held)
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
    public func stop(_ number: Number) { if let observer = hub.settledObserver(numbered: number.rawValue) { hub.remove(observer) } }

    private func add(_ answer: Answer) -> Number {
        let observer = WatchObserver(answer)
        hub.settle(observer)
        return Number(rawValue: observer.number)
    }

    /// Evaluates something at the version held. If that version was revoked, a delivery must come first, or the answers already followed
    /// would miss what changed.
    private func asking<Live>(_ ask: (Snapshot) throws(FreeholdError) -> Live) throws(FreeholdError) -> Live {
        do throws(FreeholdError) { try held.resume() } catch {
            guard error.code == .revoked, hub.isEmpty else { throw error }
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
        if let failure = hub.failure { throw failure }
        isDelivering = true
        defer { isDelivering = false }
        // Before the newest version is looked at: what is committed after is told again.
        _ = try listener.take()
        try other.begin()
        defer { rest() }
        if held.isHeld, other.version == held.version { return false }
        let move = try hub.move(to: other)
        swap(&held, &other)
        try body(WatchDelivery(before: move.before, after: held, changes: move.due.compactMap { ($0 as? WatchObserver)?.takeChange() }))
        return true
    }

    private func rest() {
        other.end()
        try? held.park()
    }
}

/// Keeps one answer of a watch, and what changed in it.
private final class WatchObserver: Observer {
    private let answer: LiveWatch.Answer
    private var what: WatchDelivery.What?

    init(_ answer: LiveWatch.Answer) { self.answer = answer }

    override var interest: Interest { answer.interest }
    override func advance(_ step: VersionStep) throws -> Bool { note(try answer.advance(step)) }
    override func restart(at snapshot: Snapshot) throws -> Bool { note(try answer.restart(at: snapshot)) }

    /// Records that the newer version does not have what the answer asks for; any other error ends the watch.
    override func fail(_ error: any Error) throws -> Bool {
        guard let error = error as? FreeholdError else { throw error }
        switch error.code {
        case .unknownClass, .unknownProperty, .typeMismatch, .malformedInput: return note(.failed(error))
        default: throw error
        }
    }

    private func note(_ found: WatchDelivery.What?) -> Bool {
        what = found
        return found != nil
    }

    /// The change to report; nil if it was reported.
    func takeChange() -> WatchDelivery.Change? {
        defer { what = nil }
        return what.map { WatchDelivery.Change(number: LiveWatch.Number(rawValue: number), answer: answer, what: $0) }
    }
}

extension LiveWatch.Answer {
    fileprivate var interest: Interest {
        switch self {
        case .query(let query): query.interest
        case .groups(let groups): groups.interest
        case .collection(let collection): collection.interest
        case .object(let object): object.interest
        }
    }

    /// Moves on; nil if nothing has changed.
    fileprivate func advance(_ step: VersionStep) throws(FreeholdError) -> WatchDelivery.What? {
        switch self {
        case .query(let query): .positions(of: try query.advance(step))
        case .groups(let groups): .positions(of: try groups.advance(step))
        case .collection(let collection): .elements(of: try collection.advance(step))
        case .object(let object): .properties(of: try object.advance(step))
        }
    }

    /// Moves on without a step, because the version before is gone; nil if nothing has changed.
    fileprivate func restart(at snapshot: Snapshot) throws(FreeholdError) -> WatchDelivery.What? {
        switch self {
        case .query(let query): .positions(of: try query.restart(at: snapshot))
        case .groups(let groups): .positions(of: try groups.restart(at: snapshot))
        case .collection(let collection): .elements(of: try collection.restart(at: snapshot))
        case .object(let object): .properties(of: try object.restart(at: snapshot))
        }
    }
}
