/// A list, set or map of one object that is kept up to date from one version to a later one, as a `LiveQuery` is for
/// queries.
///
/// ```swift
/// let before = try database.snapshot()
/// let dogs = try LiveCollection(CollectionAddress("dogs", of: person, in: "Person"), at: before)
/// // … commits of this process or others …
/// let now = try database.snapshot()
/// let changes = try dogs.advance(VersionStep(from: before, to: now)).positions
/// ```
/// Blocks that both versions share are not read, so the cost is proportional to the change. An element that links to an
/// object counts as modified when the observed part of that object is modified. Finding its positions takes reading the
/// links once, unless the collection is a set. The collection keeps no elements, but a map's keys unless told not to.
/// It holds no version: the caller keeps the current one until the collection has moved on. Use it on one thread at a
/// time.
public final class LiveCollection {
    /// The address of the collection.
    public let address: CollectionAddress
    /// The observed paths from the objects that elements link to; nil for everything, and four links deep.
    public let observed: [PropertyPath]?
    // Safe (all exclusivity below): one thread uses this, and nothing here re-enters it.
    /// The version that the last step led to.
    @exclusivity(unchecked) public private(set) var version: Version
    /// The number of elements.
    @exclusivity(unchecked) public private(set) var count: Int
    /// Whether the object was deleted. It stays so, even if another object gets its key.
    @exclusivity(unchecked) public private(set) var isGone = false
    /// The kind of the collection; nil if there is none, because the object or what held the collection within it was
    /// deleted.
    @exclusivity(unchecked) public private(set) var kind: CollectionKind?
    /// The number of the object's table.
    @exclusivity(unchecked) private(set) var table: Int
    /// The linked objects: a table, and what is observed from there.
    @exclusivity(unchecked) private(set) var targets: [(table: Int, objects: ObservedObjects)]
    private let shared: SharedObservedObjects?
    private let remembersKeys: Bool
    /// The keys of a map, if they are kept.
    @exclusivity(unchecked) private var keys: [String]

    /// - Parameters:
    ///   - observed: paths of properties from the objects that elements link to, as in `LiveQuery`. With an empty list
    ///     only the collection itself counts.
    ///   - remembersKeys: whether a map's keys are kept: only then can `restart` name them.
    ///   - shared: state shared by several collections that are followed together.
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.typeMismatch` if the property is not a collection; `.notFound`
    ///   if the object does not exist.
    public init(_ address: CollectionAddress, at snapshot: Snapshot, observing observed: [PropertyPath]? = nil, remembersKeys: Bool = true,
                sharing shared: SharedObservedObjects? = nil) throws(FreeholdError) {
        let found = try address.find(at: snapshot)
        guard found.hasOwner else {
            throw FreeholdError(.notFound, "class '\(address.className)' has no object \(address.key) whose '\(address.property)' could be followed")
        }
        (self.address, self.observed, self.remembersKeys, self.shared) = (address, observed, remembersKeys, shared)
        version = snapshot.version
        table = found.table
        count = found.reader?.count ?? 0
        kind = found.reader?.shape.kind
        keys = remembersKeys ? try found.reader?.mapKeys() ?? [] : []
        targets = try Self.targets(found, observed, shared, at: snapshot)
    }

    /// The tables of the objects that elements link to, and of everything observed from there.
    var linkedTables: Set<Int> { targets.reduce(into: []) { $0.formUnion($1.objects.tables) } }

    /// Moves to the step's newer version and returns the changes.
    ///
    /// - Throws: `.invalidArgument` if the step does not begin at `version`; `.unknownClass`, `.unknownProperty` or
    ///   `.typeMismatch` if the newer version does not have such a property. The collection then stays at its version.
    public func advance(_ step: VersionStep) throws(FreeholdError) -> CollectionChanges {
        try step.requireBegin(at: version)
        let isTouched = !step.hasSameSchema || step.hasChanged(table: table) || targets.contains { $0.objects.mayBeTouched(by: step) }
        if isGone || !isTouched {
            version = step.newer.version
            return CollectionChanges()
        }
        let new = try address.find(at: step.newer), difference = try step.difference(of: address.key, inTable: new.table)
        let isOther = try step.isReplaced(className: address.className) || !new.hasOwner || difference?.kind == .replaced || difference?.kind == .deleted
        let old = try address.find(at: step.older)
        if isOther { return leave(step.newer.version, try old.reader?.mapKeys() ?? []) }
        var changes = CollectionChanges()
        if !new.isComparable(to: old) {
            changes = CollectionChanges(replacing: old.reader?.count ?? 0, by: new.reader?.count ?? 0)
        } else if let difference, difference.columns.contains(new.column) {
            changes = try CollectionChanges(from: old.reader, to: new.reader)
        }
        let targets = try step.hasSameSchema ? self.targets : Self.targets(new, observed, shared, at: step.newer)
        try addModified(try positions(of: old, linkingTo: targets, in: step), to: &changes)
        if old.reader != nil, new.reader == nil { changes.isGone = true }
        try nameKeys(from: old, to: new, &changes)
        self.targets = targets
        table = new.table
        count = new.reader?.count ?? 0
        kind = new.reader?.shape.kind
        version = step.newer.version
        return changes
    }

    /// Moves to a version without the one before, because that is no longer available. Every element counts as
    /// replaced, and in a map every value as modified. The object that has the key now is assumed to be the same one. A
    /// map's keys must be kept.
    public func restart(at snapshot: Snapshot) throws(FreeholdError) -> CollectionChanges {
        if isGone {
            version = snapshot.version
            return CollectionChanges()
        }
        let new = try address.find(at: snapshot)
        if !new.hasOwner { return leave(snapshot.version, keys) }
        let targets = try Self.targets(new, observed, shared, at: snapshot), newKeys = try new.reader?.mapKeys() ?? []
        let newCount = new.reader?.count ?? 0
        var changes: CollectionChanges
        if keys.count == count, newKeys.count == newCount {
            changes = CollectionChanges(from: keys, to: newKeys)
        } else {
            // A mixed value may have changed from a map to a list.
            changes = CollectionChanges(replacing: count, by: newCount)
            (changes.deletedKeys, changes.insertedKeys) = (keys, newKeys)
        }
        self.targets = targets
        (table, count, kind, version) = (new.table, newCount, new.reader?.shape.kind, snapshot.version)
        if remembersKeys { keys = newKeys }
        return changes
    }

    private func leave(_ version: Version, _ keys: [String]) -> CollectionChanges {
        var changes = CollectionChanges(replacing: count, by: 0)
        changes.deletedKeys = keys
        changes.isGone = true
        (count, kind, self.keys, targets, isGone, self.version) = (0, nil, [], [], true, version)
        return changes
    }

    // MARK: what elements link to

    private static func targets(_ found: FoundCollection, _ observed: [PropertyPath]?, _ shared: SharedObservedObjects?,
                                at snapshot: Snapshot) throws(FreeholdError) -> [(table: Int, objects: ObservedObjects)] {
        func objects(_ className: String) throws(FreeholdError) -> ObservedObjects {
            guard let shared else { return try ObservedObjects(of: className, observing: observed, at: snapshot) }
            return try shared.objects(of: className, observing: observed, at: snapshot)
        }
        if observed?.isEmpty == true { return [] }
        if let target = found.target, let name = found.targetName { return [(target, try objects(name))] }
        // Mixed values link to objects of any class; no path can begin at every class.
        guard found.isMixed, observed == nil else { return [] }
        let schema = try snapshot.schema()
        var targets: [(table: Int, objects: ObservedObjects)] = []
        for number in schema.classes.indices where schema.tables[number] == number && !schema.classes[number].isDropped {
            targets.append((number, try objects(schema.name(ofClass: number))))
        }
        return targets
    }

    /// The old positions of links to modified objects.
    private func positions(of old: FoundCollection, linkingTo targets: [(table: Int, objects: ObservedObjects)], in step: VersionStep)
        throws(FreeholdError) -> [Int] {
        guard let reader = old.reader else { return [] }
        var modified: Set<LinkTarget> = []
        for (table, objects) in targets {
            for key in try objects.touched(by: step) {
                modified.insert(old.target == nil ? LinkTarget(ObjectReference(classNumber: table, key: key)) : LinkTarget(key.rawValue))
            }
        }
        return try reader.positions(linkingTo: modified, try step.older.schema())
    }

    private func addModified(_ positions: [Int], to changes: inout CollectionChanges) throws(FreeholdError) {
        if positions.isEmpty { return }
        let gone = Set(changes.positions.deletions)
        changes.positions.modifications = Set(changes.positions.modifications).union(positions).subtracting(gone).sorted()
    }

    /// Names a map's changes, and updates the kept keys.
    private func nameKeys(from old: FoundCollection, to new: FoundCollection, _ changes: inout CollectionChanges) throws(FreeholdError) {
        func key(_ map: CollectionReader) -> (Int) throws(FreeholdError) -> String { { position throws(FreeholdError) in try map.key(at: position) } }
        if let map = old.map {
            changes.deletedKeys = try changes.positions.deletions.map(key(map))
            changes.modifiedKeys = try changes.positions.modifications.map(key(map))
        }
        guard let map = new.map else { return keys = [] }
        changes.insertedKeys = try changes.positions.insertions.map(key(map))
        if !remembersKeys { return }
        // The old value may not have been a map.
        if old.map == nil { keys = [] } else { for position in changes.positions.deletions.reversed() { keys.remove(at: position) } }
        for (position, key) in zip(changes.positions.insertions, changes.insertedKeys) { keys.insert(key, at: position) }
    }
}

extension FoundCollection {
    /// The collection, if it is a map.
    fileprivate var map: CollectionReader? { reader.flatMap { $0.shape.kind == .map ? $0 : nil } }
}

extension CollectionChanges {
    /// The differences between the keys of two maps, with all values of remaining keys as modified; both ascend in byte
    /// order.
    fileprivate init(from old: [String], to new: [String]) {
        self.init()
        let stayed = Set(old).intersection(new)
        for (position, key) in old.enumerated() {
            if stayed.contains(key) {
                positions.modifications.append(position)
                modifiedKeys.append(key)
            } else {
                positions.deletions.append(position)
                deletedKeys.append(key)
            }
        }
        for (position, key) in new.enumerated() where !stayed.contains(key) {
            positions.insertions.append(position)
            insertedKeys.append(key)
        }
    }
}

extension CollectionReader {
    /// The keys of a map, in order; empty for any other kind.
    fileprivate func mapKeys() throws(FreeholdError) -> [String] {
        guard shape.kind == .map else { return [] }
        var keys: [String] = []
        keys.reserveCapacity(count)
        for position in 0..<count { keys.append(try key(at: position)) }
        return keys
    }
}
