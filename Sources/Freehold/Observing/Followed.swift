import FreeholdEngine

/// Something kept up to date from version to version: query results, a collection of an object, linking objects.
///
/// Its methods are called while the realm shows the version to begin at, or to move to.
protocol Followed: AnyObject {
    var interest: Interest { get }
    /// The number of elements, for things that may be deleted; 0 otherwise.
    var count: Int { get }
    /// Whether the object that has the collection was invalidated together with its realm.
    var isInvalidated: Bool { get }
    /// Begins at a snapshot; false if it no longer exists there.
    func begin(at snapshot: Snapshot) throws -> Bool
    func advance(_ step: VersionStep) throws -> FollowedChanges
    func end()
    /// From now on it keeps versions of its own, which the realm may not show.
    func keepApart()
}

extension Followed {
    var count: Int { 0 }
    var isInvalidated: Bool { false }
    func end() {}
    func keepApart() {}
}

/// A `Followed` whose elements can be read by their positions in the version that it is at.
protocol FollowedElements: Followed {
    /// The element, an object or a value of the collection; nil if there is none.
    func element(at position: Int) throws -> Any?
}

/// The changes in something followed.
struct FollowedChanges {
    var positions = PositionChanges()
    /// Changes of a map, by keys.
    var deletedKeys: [String] = []
    var insertedKeys: [String] = []
    var modifiedKeys: [String] = []
    /// Changes of sections.
    var sections = SectionChanges()
    /// Whether it no longer exists.
    var isGone = false

    var isEmpty: Bool {
        positions.isEmpty && deletedKeys.isEmpty && insertedKeys.isEmpty && modifiedKeys.isEmpty && sections.isEmpty
    }
}

/// Changes in sections: deletions and modifications are places in the old sections, insertions are places in the new
/// ones.
struct SectionChanges {
    struct Place: Comparable {
        let section: Int
        let item: Int

        static func < (one: Place, other: Place) -> Bool { (one.section, one.item) < (other.section, other.item) }
    }

    var deletions: [Place] = []
    var insertions: [Place] = []
    var modifications: [Place] = []
    var deletedSections: [Int] = []
    var insertedSections: [Int] = []

    var isEmpty: Bool {
        deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && deletedSections.isEmpty && insertedSections.isEmpty
    }
}

/// The results of a query over a class.
final class FollowedQuery: FollowedElements {
    private let subject: QuerySubject
    private let paths: [PropertyPath]?
    /// The results' source, which reads its keys from here while the results are observed.
    private weak let source: QuerySource?
    private var query: LiveQuery?
    private var isApart = false

    init(_ subject: QuerySubject, _ paths: [PropertyPath]?, shownBy source: QuerySource?) {
        (self.subject, self.paths, self.source) = (subject, paths, source)
    }

    var interest: Interest { query?.interest ?? Interest() }

    func begin(at snapshot: Snapshot) throws -> Bool {
        let name = subject.core.schema.storedName(of: subject.live.model)
        let query = try LiveQuery(subject.query, of: name, at: snapshot, observing: paths)
        self.query = query
        source?.followed = FollowedAnswer(query: query, isApart: isApart)
        return true
    }

    func keepApart() { isApart = true }

    func advance(_ step: VersionStep) throws -> FollowedChanges { FollowedChanges(positions: try query?.advance(step) ?? PositionChanges()) }

    func element(at position: Int) throws -> Any? { try query.flatMap { try subject.live.object($0[position]) } }

    func end() {
        if source?.followed?.query === query { source?.followed = nil }
        query = nil
    }
}

/// Results that are an ordered list of keys: linking objects, or the elements of a list that a query selects.
///
/// The keys are found again after a change that could affect them, and compared.
final class FollowedKeys: FollowedElements {
    private let subject: QuerySubject
    private let source: any KeySource
    private let origin: CollectionOrigin
    private let paths: [PropertyPath]?
    private var observed: ObservedObjects?
    private var tables: Set<Int> = []
    private var keys: [ObjectKey] = []

    /// - Parameter origin: the object whose collection or links the results are chosen from.
    init(_ subject: QuerySubject, _ source: any KeySource, from origin: CollectionOrigin, _ paths: [PropertyPath]?) {
        (self.subject, self.source, self.origin, self.paths) = (subject, source, origin, paths)
    }

    var isInvalidated: Bool { source.isStale }

    private var className: String { subject.core.schema.storedName(of: subject.live.model) }

    var interest: Interest { Interest(tables: tables) }

    func begin(at snapshot: Snapshot) throws -> Bool {
        try look(at: snapshot)
        keys = try source.keys()
        return true
    }

    private func look(at snapshot: Snapshot) throws {
        let observed = try ObservedObjects(of: className, observing: paths, chosenBy: subject.query, at: snapshot)
        self.observed = observed
        tables = observed.tables
        for name in origin.classNames { tables.insert(try snapshot.tableNumber(of: name.text)) }
        for query in origin.queries { tables.formUnion(try ObservedObjects(of: query.className, observing: [], chosenBy: query.query, at: snapshot).tables) }
    }

    func advance(_ step: VersionStep) throws -> FollowedChanges {
        if try step.changedTables() == nil { try look(at: step.newer) }
        guard let observed else { return FollowedChanges() }
        let found = try source.keys(), touched = try observed.touched(by: step)
        var replaced: Set<ObjectKey> = []
        for key in touched { if try step.change(of: key, in: className)?.kind == .replaced { replaced.insert(key) } }
        defer { keys = found }
        return FollowedChanges(positions: PositionChanges(from: keys, to: found, replaced: replaced, modified: touched))
    }

    func element(at position: Int) throws -> Any? { try subject.live.object(keys[position]) }
}

/// What results are chosen from; a change in it may change which elements there are.
struct CollectionOrigin {
    /// The classes of the objects that have the collections.
    var classNames: Set<ExactText> = []
    /// The queries of the results that these are chosen from.
    var queries: [(className: String, query: ObjectQuery)] = []

    init(_ origin: QueryOrigin) {
        var next = origin
        while case .keys(let source) = next {
            if let place = source as? CollectionPlace { classNames.insert(place.className) }
            guard let asked = (source as? QuerySource)?.subject else { return }
            queries.append((asked.core.schema.storedName(of: asked.live.model), asked.query))
            next = asked.origin
        }
    }
}

/// The values of a collection, sorted or without duplicates.
final class FollowedValues: FollowedElements {
    private let source: any FollowableValues
    private var known: [Value] = []
    private var table = 0

    init(_ source: any FollowableValues) { self.source = source }

    private var place: CollectionPlace { source.place }
    var isInvalidated: Bool { place.isStale }

    var interest: Interest { Interest(objects: [ObservedPlace(table: table, key: place.key)]) }

    func begin(at snapshot: Snapshot) throws -> Bool {
        table = try snapshot.tableNumber(of: place.className)
        known = try source.found()
        return true
    }

    func advance(_ step: VersionStep) throws -> FollowedChanges {
        let found = try source.found()
        defer { known = found }
        return FollowedChanges(positions: PositionChanges(from: known, to: found))
    }

    func element(at position: Int) throws -> Any? { source.loaded(known[position]) }
}

extension CollectionPlace {
    /// The name that the class of its object has in the file.
    var className: String { core.schema.storedName(of: live.model) }
}

extension PositionChanges {
    /// The changes that turn one sequence of values into another.
    init(from old: [Value], to new: [Value]) {
        self.init()
        let start = zip(old, new).prefix { $0 == $1 }.count
        let end = zip(old.dropFirst(start).reversed(), new.dropFirst(start).reversed()).prefix { $0 == $1 }.count
        let before = Array(old[start..<old.count - end]), after = Array(new[start..<new.count - end])
        guard before.count < Self.mostCompared, after.count < Self.mostCompared else {
            (deletions, insertions) = (Array(start..<old.count - end), Array(start..<new.count - end))
            return
        }
        for change in after.difference(from: before) {
            switch change {
            case .remove(let offset, _, _): deletions.append(start + offset)
            case .insert(let offset, _, _): insertions.append(start + offset)
            }
        }
        deletions.sort()
    }

    /// The longest sequences that are compared by elements; the time grows with the square of the difference.
    private static let mostCompared = 4096
}
