/// The positions of a class's objects in ascending key order: the object at a position, and the position of an object.
/// Both in logarithmic time; objects of the tail are sorted once, when this is created.
///
/// Valid while the table's snapshot stays at its version, or until its transaction changes the class. For a class that
/// has subclasses or extends another, the keys of all objects are read at once.
public struct TablePositions {
    private let table: Table
    /// The keys of the tail's objects; of all objects if they are `complete`.
    private let keys: [Int64]
    private let isComplete: Bool

    init(_ table: Table) throws(FreeholdError) {
        self.table = table
        // The tree's counts exclude deleted objects only from the commit on.
        isComplete = table.scope != nil || table.writer?.tombstones.isEmpty == false
        if isComplete {
            keys = try table.keys().map(\.rawValue)
            return
        }
        var keys: [Int64] = []
        try table.state.forEachTailRow { row throws(FreeholdError) in keys.append(row.key) }
        self.keys = keys.sorted()
    }

    /// The number of objects.
    public var count: Int { isComplete ? keys.count : table.state.count }

    /// The object at a position; 0 is the object with the minimum key. Nil if there are not so many.
    public func key(at position: Int) throws(FreeholdError) -> ObjectKey? {
        guard position >= 0, position < count else { return nil }
        if isComplete { return ObjectKey(keys[position]) }
        // The first object of the tail that is at the position or after it.
        var low = 0, high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if try middle + sealedRank(of: keys[middle]) < position { low = middle + 1 } else { high = middle }
        }
        if low < keys.count, try low + sealedRank(of: keys[low]) == position { return ObjectKey(keys[low]) }
        return ObjectKey(try sealedKey(at: position - low))
    }

    /// The position of an object, or nil if there is none with this key.
    public func position(of key: ObjectKey) throws(FreeholdError) -> Int? {
        guard try table.contains(key) else { return nil }
        var low = 0, high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key.rawValue { low = middle + 1 } else { high = middle }
        }
        return isComplete ? low : low + (try sealedRank(of: key.rawValue))
    }

    /// How many sealed objects have a smaller key.
    private func sealedRank(of key: Int64) throws(FreeholdError) -> Int {
        try table.state.root.sealedCount(below: key, in: table.state.access)
    }

    /// The key of the sealed object at a position among the sealed ones.
    private func sealedKey(at position: Int) throws(FreeholdError) -> Int64 {
        var rest = position
        let cluster = try descend { inner in
            var child = 0
            while child < inner.count - 1, rest >= inner.objects(child) {
                rest -= inner.objects(child)
                child += 1
            }
            return child
        }
        if rest < cluster.count { return cluster.key(rest) }
        throw FreeholdError(.corrupt, "class '\(table.state.stored.name)' counts more objects than it has; run `freehold check`")
    }

    /// The cluster below the children that `choose` names.
    private func descend(_ choose: (ClusterInner) -> Int) throws(FreeholdError) -> ClusterView {
        var reference = table.state.root.clusters
        for _ in 0..<ClusterTree.maximumDepth {
            let view = try table.state.access.view(reference)
            guard view.kind == .clusterInner else { break }
            let inner = ClusterInner(view: view)
            reference = inner.child(choose(inner))
        }
        return try ClusterTree.cluster(reference, in: table.state.access)
    }
}

extension Table {
    /// The positions of the class's objects at present.
    public func positions() throws(FreeholdError) -> TablePositions { try TablePositions(self) }
}
