import FreeholdEngine
import Synchronization

/// An observer of something in a realm: follows it from version to version, and calls the program.
///
/// ```
/// add ─► begin (at a version) ─► advance (a step) ─► tell ─► advance … ─► stop
///                                restart, if the version that it stood at was taken away
/// ```
/// 1. Used where the realm is used, except for `stop`.
/// 2. `begin`, `advance` and `restart` record what there is to report, and return whether there is anything; `tell`
///    reports it once, `forget` drops it.
/// 3. An observer is not advanced for a change outside its `interest`; when it is advanced later, it has missed
///    nothing.
class Observer {
    /// What an observer depends on.
    struct Interest: Equatable {
        /// Any object of these tables.
        var tables: Set<Int> = []
        /// One object of a table, as a whole.
        var objects: [ObservedPlace] = []
    }

    private let stopped = Atomic<Bool>(false)
    /// The number in the order of registration.
    final var number: UInt64 = 0
    /// Whether it begins at the version shown when it was added, and not at that of its first notification.
    var beginsAtOnce: Bool { false }
    /// Whether it has recorded changes that it has not reported.
    var isWaitingToTell: Bool { false }
    /// Whether the observed thing was invalidated together with its realm.
    var isInvalidated: Bool { false }
    /// The version to begin at, if it was held before the observer was registered here.
    func takeStart() -> Snapshot? { nil }

    final var isStopped: Bool { stopped.load(ordering: .relaxed) }
    final func stop() { stopped.store(true, ordering: .relaxed) }

    var interest: Interest { Interest() }
    func begin(at snapshot: Snapshot) throws -> Bool { false }
    func advance(_ step: VersionStep) throws -> Bool { false }
    func restart(at snapshot: Snapshot) throws -> Bool { false }
    func tell() {}
    func forget() {}
    /// Called if the observed thing can no longer be followed.
    func fail(_ error: any Error) {}
    /// Called if the observer is going to keep versions of its own.
    func keepApart() {}
    /// Called when no more notifications follow.
    func end() {}
}

/// An object by its table and key.
struct ObservedPlace: Hashable {
    let table: Int
    let key: ObjectKey
}

/// Finds the observers to advance after a step, by their interests.
struct ObserverIndex {
    private var known: [UInt64: Observer.Interest] = [:]
    private var byTable: [Int: Set<UInt64>] = [:]
    private var byObject: [Int: [ObjectKey: Set<UInt64>]] = [:]

    mutating func insert(_ observer: Observer) {
        let interest = observer.interest, number = observer.number
        if known[number] == interest { return }
        remove(number)
        known[number] = interest
        for table in interest.tables { byTable[table, default: []].insert(number) }
        for object in interest.objects { byObject[object.table, default: [:]][object.key, default: []].insert(number) }
    }

    mutating func remove(_ number: UInt64) {
        guard let interest = known.removeValue(forKey: number) else { return }
        for table in interest.tables { byTable[table]?.remove(number) }
        for object in interest.objects {
            byObject[object.table]?[object.key]?.remove(number)
            if byObject[object.table]?[object.key]?.isEmpty == true { byObject[object.table]?[object.key] = nil }
        }
    }

    /// The numbers of the observers that a step may touch; nil for all. Other observers cost nothing.
    func touched(by step: VersionStep) throws(FreeholdError) -> Set<UInt64>? {
        guard let tables = try step.changedTables() else { return nil }
        var found: Set<UInt64> = []
        for table in tables {
            if let numbers = byTable[table] { found = found.union(numbers) }
            guard let objects = byObject[table], !objects.isEmpty else { continue }
            for key in try step.changedKeys(inTable: table) { if let numbers = objects[key] { found = found.union(numbers) } }
        }
        return found
    }
}
