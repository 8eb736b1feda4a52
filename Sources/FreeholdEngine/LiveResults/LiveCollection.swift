/// A list, set or map of one object that is followed from one version to a later one: what a `LiveQuery` is for queries.
///
/// ```swift
/// let before = try database.snapshot()
/// let dogs = try LiveCollection(CollectionAddress("dogs", of: person, in: "Person"), at: before)
/// // … commits of this process or others …
/// let now = try database.snapshot()
/// let changes = try dogs.advance(VersionStep(from: before, to: now)).positions
/// ```
/// What both versions have in common is not read, so the cost follows the change. An element that links to an object counts as modified
/// when what is observed of the object is: then the positions are looked for, which takes reading the links once unless the collection is a
/// set. It keeps no elements, but a map's keys. It holds no version: the caller keeps the one that it stands at until it has moved on. Use it
/// on one thread at a time.
public final class LiveCollection {
    /// Where it is.
    public let address: CollectionAddress
    /// What is looked at of the objects that elements link to; nil for all of it, and four links deep.
    public let observed: [PropertyPath]?
    // Safe (all exclusivity below): one thread uses this, and nothing here re-enters it.
    /// The version that the last step led to.
    @exclusivity(unchecked) public private(set) var version: Version
    /// How many elements there are.
    @exclusivity(unchecked) public private(set) var count: Int
    /// Whether the object was deleted: it stays so, though another one may have its key.
    @exclusivity(unchecked) public private(set) var isGone = false
    @exclusivity(unchecked) private var table: Int
    /// What links lead to: a table and what is looked at from there.
    @exclusivity(unchecked) private var targets: [(table: Int, reach: Reach)]
    /// A map's keys.
    @exclusivity(unchecked) private var keys: [String]

    /// - Parameter observed: paths of properties from the objects that elements link to, as of `LiveQuery`. With none at all only the
    ///   collection itself counts.
    /// - Throws: `.unknownClass`, `.unknownProperty`; `.typeMismatch` if the property is no collection; `.notFound` if there is no such object.
    public init(_ address: CollectionAddress, at snapshot: Snapshot, observing observed: [PropertyPath]? = nil) throws(FreeholdError) {
        let found = try address.find(at: snapshot)
        guard found.hasOwner else {
            throw FreeholdError(.notFound, "class '\(address.className)' has no object \(address.key) whose '\(address.property)' could be followed")
        }
        self.address = address
        self.observed = observed
        version = snapshot.version
        table = found.table
        count = found.reader?.count ?? 0
        keys = try found.reader?.mapKeys() ?? []
        targets = try Self.targets(found, observed, at: snapshot)
    }

    /// Moves to the step's newer version and tells what changed.
    ///
    /// - Throws: `.invalidArgument` if the step does not begin at `version`; `.unknownClass`, `.unknownProperty` or `.typeMismatch` if the
    ///   newer version does not have such a property. The collection stays at its version then.
    public func advance(_ step: VersionStep) throws(FreeholdError) -> CollectionChanges {
        try step.requireBegin(at: version)
        let isTouched = !step.hasSameSchema || step.hasChanged(table: table) || targets.contains { $0.reach.isTouched(by: step) }
        if isGone || !isTouched {
            version = step.newer.version
            return CollectionChanges()
        }
        let new = try address.find(at: step.newer), difference = try step.difference(of: address.key, inTable: new.table)
        let isOther = !new.hasOwner || difference?.kind == .replaced || difference?.kind == .deleted
        if isOther { return leave(step.newer.version) }
        let old = try address.find(at: step.older)
        var changes = CollectionChanges()
        if !new.isComparable(to: old) {
            changes = CollectionChanges(replacing: old.reader?.count ?? 0, by: new.reader?.count ?? 0)
        } else if let difference, difference.columns.contains(new.column) {
            changes = try CollectionChanges(from: old.reader, to: new.reader)
        }
        try addModified(try positions(of: old, in: step), to: &changes)
        if old.reader != nil, new.reader == nil { changes.isGone = true }
        let targets = try step.hasSameSchema ? self.targets : Self.targets(new, observed, at: step.newer)
        try noteKeys(of: new, &changes)
        self.targets = targets
        table = new.table
        count = new.reader?.count ?? 0
        version = step.newer.version
        return changes
    }

    /// Moves to a version, knowing nothing of the one before, because that is gone: every element counts as another one, and of a map every
    /// value as changed. The object that has the key now is taken for the one that had it.
    public func restart(at snapshot: Snapshot) throws(FreeholdError) -> CollectionChanges {
        if isGone {
            version = snapshot.version
            return CollectionChanges()
        }
        let new = try address.find(at: snapshot)
        if !new.hasOwner { return leave(snapshot.version) }
        let targets = try Self.targets(new, observed, at: snapshot), newKeys = try new.reader?.mapKeys() ?? []
        let newCount = new.reader?.count ?? 0
        var changes: CollectionChanges
        if keys.count == count, newKeys.count == newCount {
            changes = CollectionChanges(from: keys, to: newKeys)
        } else {
            // A mixed value may have turned from a map to a list.
            changes = CollectionChanges(replacing: count, by: newCount)
            (changes.deletedKeys, changes.insertedKeys) = (keys, newKeys)
        }
        self.targets = targets
        (table, count, keys, version) = (new.table, newCount, newKeys, snapshot.version)
        return changes
    }

    private func leave(_ version: Version) -> CollectionChanges {
        var changes = CollectionChanges(replacing: count, by: 0)
        changes.deletedKeys = keys
        changes.isGone = true
        (count, keys, targets, isGone, self.version) = (0, [], [], true, version)
        return changes
    }

    // MARK: what elements link to

    private static func targets(_ found: FoundCollection, _ observed: [PropertyPath]?, at snapshot: Snapshot) throws(FreeholdError)
        -> [(table: Int, reach: Reach)] {
        if let observed {
            guard let target = found.target, let table = try snapshot.table(numbered: target), !observed.isEmpty else { return [] }
            var reach = Reach(table: target)
            for path in observed { try reach.add(QueryBinder(table).boundPath(path, path.steps[...])) }
            return [(target, reach)]
        }
        let schema = try snapshot.schema()
        if let target = found.target { return [(target, Reach(everythingOf: target, in: schema))] }
        // Mixed values link to objects of any class.
        guard found.isMixed else { return [] }
        return schema.classes.indices.filter { schema.tables[$0] == $0 && !schema.classes[$0].isDropped }
            .map { ($0, Reach(everythingOf: $0, in: schema)) }
    }

    /// Where links stood to objects that were modified.
    private func positions(of old: FoundCollection, in step: VersionStep) throws(FreeholdError) -> [Int] {
        guard let reader = old.reader else { return [] }
        var modified: Set<LinkTarget> = []
        for (table, reach) in targets where reach.isTouched(by: step) {
            for key in try reach.objects(touchedBy: step) {
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

    /// Names a map's changes, and brings its keys up to date.
    private func noteKeys(of new: FoundCollection, _ changes: inout CollectionChanges) throws(FreeholdError) {
        let map = new.reader.flatMap { $0.shape.kind == .map ? $0 : nil }
        if map == nil, keys.isEmpty { return }
        if !keys.isEmpty {
            changes.deletedKeys = changes.positions.deletions.map { keys[$0] }
            changes.modifiedKeys = changes.positions.modifications.map { keys[$0] }
        }
        guard let map else { return keys = [] }
        for position in changes.positions.insertions { changes.insertedKeys.append(try map.key(at: position)) }
        if !keys.isEmpty { for position in changes.positions.deletions.reversed() { keys.remove(at: position) } }
        for (position, key) in zip(changes.positions.insertions, changes.insertedKeys) { keys.insert(key, at: position) }
    }
}

extension CollectionChanges {
    /// What differs between a map's keys, all values of those that stayed being others; both ascend in the order of their bytes.
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
    /// A map's keys, in order; none of another kind.
    fileprivate func mapKeys() throws(FreeholdError) -> [String] {
        guard shape.kind == .map else { return [] }
        var keys: [String] = []
        keys.reserveCapacity(count)
        for position in 0..<count { keys.append(try key(at: position)) }
        return keys
    }
}
