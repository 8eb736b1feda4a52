/// The pending changes of one class, as an answer changes them.
///
/// Reading shows the trees as they are after the last `write`; what was noted since is not read again before the next one.
///
/// Safe throughout: bytes of keys are copied before the call that takes them returns.
final class PendingEditor {
    // Safe (all exclusivity below): one thread uses the transaction, and nothing here re-enters it.
    @exclusivity(unchecked) private(set) var trees: PendingTrees
    private let table: UInt32
    private let pending: PendingBlocks
    private let changes = IndexOperations(), deletions = IndexOperations(), sums = IndexOperations(), neighbours = IndexOperations()
    private let key = ByteBuffer()
    @exclusivity(unchecked) private var found: [UInt8] = []

    init(_ trees: PendingTrees, table: UInt32, in pending: PendingBlocks) {
        self.trees = trees
        self.table = table
        self.pending = pending
    }

    private func tree(_ root: BlockReference) -> OrderedIndex { OrderedIndex(root: root, access: pending.access) }

    // MARK: Reading

    /// The changes of an object, but for its creation.
    func changes(of object: Int64) throws(FreeholdError) -> [PendingEntry] {
        if trees.changes.isNull { return [] }
        key.setChanges(of: object)
        var cursor = try tree(trees.changes).cursor(prefix: key.bytes), entries: [PendingEntry] = []
        while try cursor.next() {
            try cursor.copyKey(into: &found)
            guard let entry = PendingKey.entry(found, posting: cursor.objectKey.rawValue) else { throw OrderedIndex.miscounted() }
            entries.append(entry)
        }
        return entries
    }

    /// The run of created objects that has an object.
    func creation(of object: Int64) throws(FreeholdError) -> PendingEntry? { try trees.creation(of: object, key, in: pending.access) }

    /// The sums of an object's counters.
    func sums(of object: Int64) throws(FreeholdError) -> [PendingSum] {
        if trees.sums.isNull { return [] }
        key.removeAll()
        key.append(object: object)
        var cursor = try tree(trees.sums).cursor(prefix: key.bytes), all: [PendingSum] = []
        while try cursor.next() {
            try cursor.copyKey(into: &found)
            guard let sum = PendingKey.sum(found, posting: cursor.objectKey.rawValue) else { throw OrderedIndex.miscounted() }
            all.append(sum)
        }
        return all
    }

    /// The object key that a deleted object with a primary key had, given by its index key.
    func deleted(primaryKey: [UInt8]) throws(FreeholdError) -> Int64? {
        if trees.deletions.isNull { return nil }
        key.removeAll()
        primaryKey.withUnsafeBytes { key.append($0) }
        var cursor = try tree(trees.deletions).cursor(of: key.bytes)
        return try cursor.next() ? cursor.objectKey.rawValue : nil
    }

    // MARK: Changing

    func insert(_ entry: PendingEntry) {
        key.setKey(of: entry)
        changes.insert(key.bytes, ObjectKey(Int64(bitPattern: entry.stamp.rawValue)))
        neighbours.insertNeighbours(of: entry, key)
    }

    func remove(_ entry: PendingEntry) {
        key.setKey(of: entry)
        changes.remove(key.bytes, ObjectKey(Int64(bitPattern: entry.stamp.rawValue)))
        neighbours.removeNeighbours(of: entry, key)
    }

    func insert(_ sum: PendingSum) {
        key.setKey(of: sum)
        sums.insert(key.bytes, ObjectKey(sum.amount))
    }

    func remove(_ sum: PendingSum) {
        key.setKey(of: sum)
        sums.remove(key.bytes, ObjectKey(sum.amount))
    }

    func removeDeletion(primaryKey: [UInt8], of object: Int64) {
        primaryKey.withUnsafeBytes { deletions.remove($0, ObjectKey(object)) }
    }

    /// Takes one object out of the run of created ones that it belongs to.
    func removeCreation(of object: Int64, from run: PendingEntry) throws(FreeholdError) {
        remove(run)
        if run.key < object { insert(run.with(run.key...object - 1)) }
        if object < run.lastKey { insert(run.with(object + 1...run.lastKey)) }
        // Another object of the run may be asked for next.
        try write()
    }

    /// Removes the changes and sums of origins that the server has processed.
    ///
    /// - Parameter body: called with each change that goes.
    func clear(_ isDone: (PendingOrigin) -> Bool, _ body: (PendingEntry) -> Void) throws(FreeholdError) {
        var kept = 0, gone = 0, deleted: Set<Int64> = []
        try trees.forEachChange(in: pending.access) { entry in
            guard isDone(entry.origin) else {
                kept += 1
                return
            }
            gone += 1
            body(entry)
            if entry.what == .deleted { deleted.insert(entry.key) }
        }
        if kept == 0, gone > 0 {
            try pending.freeTree(trees.changes)
            try pending.freeTree(trees.neighbours)
            (trees.changes, trees.neighbours) = (.null, .null)
        } else if gone > 0 {
            try trees.forEachChange(in: pending.access) { if isDone($0.origin) { remove($0) } }
        }
        if !deleted.isEmpty {
            try trees.forEachDeletion(in: pending.access) { if deleted.contains($1) { removeDeletion(primaryKey: $0, of: $1) } }
        }
        try trees.forEachSum(in: pending.access) { if isDone($0.origin) { remove($0) } }
        try write()
    }

    /// Writes what was noted to the trees.
    func write() throws(FreeholdError) {
        try OrderedIndex.take(changes, into: &trees.changes, table: table, in: pending)
        try OrderedIndex.take(deletions, into: &trees.deletions, table: table, in: pending)
        try OrderedIndex.take(sums, into: &trees.sums, table: table, in: pending)
        try OrderedIndex.take(neighbours, into: &trees.neighbours, table: table, in: pending)
    }
}

extension PendingEntry {
    /// This run of created objects with other bounds.
    fileprivate func with(_ keys: ClosedRange<Int64>) -> PendingEntry {
        PendingEntry(key: keys.lowerBound, what: .created(through: keys.upperBound), stamp: stamp, origin: origin)
    }
}
