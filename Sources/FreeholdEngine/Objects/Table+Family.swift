/// One class of several that share a table.
extension Table {
    /// The key, or nil if its object is not of this class.
    func meant(_ key: ObjectKey?) throws(FreeholdError) -> ObjectKey? {
        guard let key, scope != nil else { return key }
        return try contains(key) ? key : nil
    }

    /// The keys whose objects are of this class.
    func meant(_ keys: [ObjectKey]) throws(FreeholdError) -> [ObjectKey] {
        var found: [ObjectKey] = []
        for key in keys { if try contains(key) { found.append(key) } }
        return found
    }

    /// Calls `body` with the objects of the scope's classes in key order, from `key` on, until it returns false.
    func forEach(in scope: ClassScope, from key: ObjectKey, keepingBytes: Bool, _ body: (Row) throws -> Bool) throws {
        guard let family = state.stored.family else { return }
        var walk = try ScopeWalk(BlockPass(self, keepingBytes: keepingBytes), scope, family, from: key.rawValue)
        defer { walk.end() }
        while let row = try walk.next() {
            guard try body(row) else { return }
            try walk.rest(behind: row.key.rawValue)
        }
        try state.access.requireIntactMapping()
    }

    /// The rows of a cluster that are objects of the scope's classes, and not deleted.
    ///
    /// Safe: the leaf was checked to have a row for each of the cluster's.
    @inline(__always)
    func rowsMeant(of cluster: ClusterView, in state: TableState) throws(FreeholdError) -> RowMask {
        scope == nil ? cluster.liveRows : try rowsInScope(of: cluster, in: state)
    }

    private func rowsInScope(of cluster: ClusterView, in state: TableState) throws(FreeholdError) -> RowMask {
        guard let scope, let family = state.stored.family else { return cluster.liveRows }
        guard let body = try state.leaf(cluster, cluster.count - 1, family.classColumn) else { return scope.contains(0) ? cluster.liveRows : .none }
        let leaf = PackedIntegers(body)
        guard scope.mayMeet(leaf) else { return .none }
        if scope.holdsAll(of: leaf) { return cluster.liveRows }
        var found = RowMask.none
        try cluster.liveRows.forEach { row throws(FreeholdError) in
            if scope.contains(leaf.isNull(row) ? 0 : leaf[row]) { found.insert(row) }
            return true
        }
        return found
    }

    /// `forEach` for a body that throws only the engine's errors.
    func forEachRow(from key: ObjectKey, _ body: (Row) throws(FreeholdError) -> Bool) throws(FreeholdError) {
        do {
            try forEach(from: key) { try body($0) }
        } catch let error as FreeholdError {
            throw error
        } catch {
            preconditionFailure("the body above throws nothing of its own")
        }
    }
}

extension Table {
    /// The name of the class.
    var className: String { get throws(FreeholdError) { try schemaOf.name(ofClass: Int(number)) } }
}

extension Row {
    /// The name of the object's own class: that of the table, or of one of its subclasses.
    public var className: String {
        get throws(FreeholdError) { try reading { state, place throws(FreeholdError) in try state.className(place) } }
    }
}

extension StoredSchema {
    /// A link of a property of any type as it is kept, and those in a collection: to the class whose table has the object.
    func canonical(_ value: Value) -> Value {
        switch value {
        case .object(let object):
            guard classes.indices.contains(object.classNumber) else { return value }
            return .object(ObjectReference(classNumber: table(of: object.classNumber), key: object.key))
        case .list(let values): return .list(values.map(canonical))
        case .set(let values): return .set(values.map(canonical))
        case .map(let entries): return .map(entries.mapValues(canonical))
        default: return value
        }
    }
}
