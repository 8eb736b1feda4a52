import FreeholdEngine
import Synchronization

/// Somebody who hears of changes in something of a realm: what follows it from version to version, and what is called.
///
/// ```
/// add ─► begin (at a version) ─► advance (a step) ─► tell ─► advance … ─► stop
///                                restart, if the version that it stood at was taken away
/// ```
/// 1. Used where the realm is, but for `stop`.
/// 2. `begin`, `advance` and `restart` note what there is to tell, and say whether there is anything; `tell` tells it once, or `forget` drops it.
/// 3. Nobody advances whom nothing that was changed can touch (`interest`); who is advanced later has missed nothing then.
class Observer {
    /// What can make a difference to somebody.
    struct Interest: Equatable {
        /// Any object of these tables.
        var tables: Set<Int> = []
        /// One object of a table, as a whole.
        var objects: [ObservedPlace] = []
    }

    private let stopped = Atomic<Bool>(false)
    /// The place among all who were added.
    final var number: UInt64 = 0
    /// Whether it begins at the version that was shown when it was added, instead of the one at which it is told something first.
    var beginsAtOnce: Bool { false }
    /// Whether it has found what it has not told.
    var isWaitingToTell: Bool { false }
    /// Whether what it observes was made invalid with its realm.
    var isInvalidated: Bool { false }
    /// The version to begin at, if that was held before it came here.
    func takeStart() -> Snapshot? { nil }

    final var isStopped: Bool { stopped.load(ordering: .relaxed) }
    final func stop() { stopped.store(true, ordering: .relaxed) }

    var interest: Interest { Interest() }
    func begin(at snapshot: Snapshot) throws -> Bool { false }
    func advance(_ step: VersionStep) throws -> Bool { false }
    func restart(at snapshot: Snapshot) throws -> Bool { false }
    func tell() {}
    func forget() {}
    /// It cannot be followed any more.
    func fail(_ error: any Error) {}
    /// It is going to stand at versions of its own.
    func keepApart() {}
    /// It is told nothing any more.
    func end() {}
}

/// An object by its table and key.
struct ObservedPlace: Hashable {
    let table: Int
    let key: ObjectKey
}

/// Who to ask after a step: everybody, by what interests them.
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

    /// Whom a step may touch; nil for everybody. Costs nothing for the others.
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
