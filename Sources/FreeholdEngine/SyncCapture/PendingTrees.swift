/// The trees of sync of one class: what is pending of it, and identities; and reading what is pending.
struct PendingTrees: Equatable {
    /// The column numbers of their entries in the table root. Derived indexes may have the same numbers; the kind tells them apart.
    static let changes = 62_000, deletions = 62_001, sums = 62_002
    static let identities = 62_004, embedded = 62_005, replicas = 62_006, neighbours = 62_007

    var changes = BlockReference.null
    var deletions = BlockReference.null
    var sums = BlockReference.null
    /// The identities of lists' elements, of embedded objects, and the replicas that have given them (`IdentityReader`).
    var identities = BlockReference.null
    var embedded = BlockReference.null
    var replicas = BlockReference.null
    /// Pending elements by the positions beside them (`PendingNeighbours`).
    var neighbours = BlockReference.null
    /// Links to objects that are not here (`AbsentLinkTree`).
    var absent = BlockReference.null

    init() {}

    init(_ root: TableRoot) {
        for entry in root.auxiliaries where entry.kind == .sync {
            switch entry.column {
            case Self.changes: changes = entry.reference
            case Self.deletions: deletions = entry.reference
            case Self.sums: sums = entry.reference
            case Self.identities: identities = entry.reference
            case Self.embedded: embedded = entry.reference
            case Self.replicas: replicas = entry.reference
            case Self.neighbours: neighbours = entry.reference
            case AbsentLinkTree.column: absent = entry.reference
            default: break
            }
        }
    }

    /// The trees with the column numbers of their entries.
    var all: [(column: Int, root: BlockReference)] {
        [(Self.changes, changes), (Self.deletions, deletions), (Self.sums, sums), (Self.identities, identities), (Self.embedded, embedded),
         (Self.replicas, replicas), (Self.neighbours, neighbours), (AbsentLinkTree.column, absent)]
    }

    var isEmpty: Bool { all.allSatisfy(\.root.isNull) }

    /// Whether nothing is pending; there may be identities.
    var isSettled: Bool { changes.isNull && deletions.isNull && sums.isNull }

    /// These trees without what is pending.
    var settled: PendingTrees {
        var made = self
        (made.changes, made.deletions, made.sums, made.neighbours) = (.null, .null, .null, .null)
        return made
    }

    /// These trees, with the identities of others.
    func with(identitiesOf other: Self) -> PendingTrees {
        var made = self
        (made.identities, made.embedded, made.replicas) = (other.identities, other.embedded, other.replicas)
        return made
    }

    /// Puts the trees into a table root.
    func store(in root: inout TableRoot) {
        for (column, tree) in all { root.replaceAuxiliary(.sync, column, by: tree) }
    }

    static func == (one: Self, other: Self) -> Bool {
        one.changes.isSameBlock(as: other.changes) && one.deletions.isSameBlock(as: other.deletions)
            && one.sums.isSameBlock(as: other.sums) && one.identities.isSameBlock(as: other.identities)
            && one.embedded.isSameBlock(as: other.embedded) && one.replicas.isSameBlock(as: other.replicas)
            && one.neighbours.isSameBlock(as: other.neighbours) && one.absent.isSameBlock(as: other.absent)
    }

    // MARK: Reading

    /// Calls `body` with each entry: first runs of created objects, then the other changes, both in the order of objects.
    func forEachChange(in access: BlockAccess, _ body: (PendingEntry) throws(FreeholdError) -> Void) throws(FreeholdError) {
        try Self.forEach(changes, access) { key, posting throws(FreeholdError) in
            guard let entry = PendingKey.entry(key, posting: posting) else { throw Self.damaged("a pending change", access) }
            try body(entry)
        }
    }

    /// Calls `body` with each entry of tree 62,000 whose key begins with these bytes.
    func forEachChange(prefix: UnsafeRawBufferPointer, in access: BlockAccess,
                       _ body: (PendingEntry) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var cursor = try OrderedIndex(root: changes, access: access).cursor(prefix: prefix)
        var key: [UInt8] = []
        while try cursor.next() {
            try cursor.copyKey(into: &key)
            guard let entry = PendingKey.entry(key, posting: cursor.objectKey.rawValue) else {
                throw Self.damaged("a pending change", access)
            }
            try body(entry)
        }
    }

    /// The run of created objects that has an object.
    ///
    /// - Parameter key: used for the search.
    func creation(of object: Int64, _ key: ByteBuffer, in access: BlockAccess) throws(FreeholdError) -> PendingEntry? {
        if changes.isNull { return nil }
        key.removeAll()
        key.append(PendingKey.created)
        key.append(object: object)
        // Every run that begins with the object is before this key.
        for _ in 0..<2 { key.append(big: UInt64.max) }
        let tree = OrderedIndex(root: changes, access: access)
        // Safe: nothing changes the buffer before the call returns.
        let rank = try tree.rank(of: IndexKey(key.bytes), behind: true)
        var cursor = try tree.cursor()
        guard rank > 0, try cursor.move(toRank: rank - 1) else { return nil }
        guard let entry = PendingKey.entry(try cursor.key(), posting: cursor.objectKey.rawValue) else {
            throw Self.damaged("a pending change", access)
        }
        guard case .created(let last) = entry.what, last >= object else { return nil }
        return entry
    }

    /// Calls `body` with the index key of each primary key of a deleted object, and with the object key that it had.
    func forEachDeletion(in access: BlockAccess, _ body: ([UInt8], Int64) throws(FreeholdError) -> Void) throws(FreeholdError) {
        try Self.forEach(deletions, access, body)
    }

    /// Calls `body` with each sum, in the order of objects.
    func forEachSum(in access: BlockAccess, _ body: (PendingSum) throws(FreeholdError) -> Void) throws(FreeholdError) {
        try Self.forEach(sums, access) { key, posting throws(FreeholdError) in
            guard let sum = PendingKey.sum(key, posting: posting) else { throw Self.damaged("the sum of a counter", access) }
            try body(sum)
        }
    }

    /// Whether anything pending was written under the file's own identity, that of slot 0.
    func hasOwn(in access: BlockAccess) throws(FreeholdError) -> Bool {
        var isFound = false
        try forEachChange(in: access) { isFound = isFound || $0.origin.slot == 0 }
        try forEachSum(in: access) { isFound = isFound || $0.origin.slot == 0 }
        return isFound
    }

    // MARK: Copying

    /// Creates trees with the same entries, whose slots are higher by `shift`.
    func copied(from access: BlockAccess, shift: UInt16, table: UInt32, to pending: PendingBlocks) throws(FreeholdError) -> PendingTrees {
        var made = PendingTrees()
        let operations = IndexOperations(), key = ByteBuffer()
        func shifted(_ origin: PendingOrigin) -> PendingOrigin { PendingOrigin(slot: origin.slot + shift, epoch: origin.epoch) }
        func write(_ root: inout BlockReference, isEnd: Bool) throws(FreeholdError) {
            guard isEnd ? !operations.isEmpty : operations.arenaCount >= Self.heldBytes else { return }
            root = try OrderedIndex.apply(operations, to: root, table: table, in: pending)
            operations.removeAll()
        }
        try forEachChange(in: access) { entry throws(FreeholdError) in
            key.setKey(of: PendingEntry(key: entry.key, what: entry.what, stamp: entry.stamp, origin: shifted(entry.origin)))
            operations.insert(key.bytes, ObjectKey(Int64(bitPattern: entry.stamp.rawValue)))
            try write(&made.changes, isEnd: false)
        }
        try write(&made.changes, isEnd: true)
        try forEachDeletion(in: access) { bytes, object throws(FreeholdError) in
            // Safe: the bytes are copied before the call returns.
            bytes.withUnsafeBytes { operations.insert($0, ObjectKey(object)) }
            try write(&made.deletions, isEnd: false)
        }
        try write(&made.deletions, isEnd: true)
        try forEachSum(in: access) { sum throws(FreeholdError) in
            key.setKey(of: PendingSum(key: sum.key, property: sum.property, origin: shifted(sum.origin), amount: sum.amount,
                                      increments: sum.increments, began: sum.began))
            operations.insert(key.bytes, ObjectKey(sum.amount))
            try write(&made.sums, isEnd: false)
        }
        try write(&made.sums, isEnd: true)
        func copy(_ root: BlockReference, to target: inout BlockReference) throws(FreeholdError) {
            try Self.forEach(root, access) { bytes, posting throws(FreeholdError) in
                // Safe: the bytes are copied before the call returns.
                bytes.withUnsafeBytes { operations.insert($0, ObjectKey(posting)) }
                try write(&target, isEnd: false)
            }
            try write(&target, isEnd: true)
        }
        // Identities name replicas by numbers of their own, which stay.
        try copy(identities, to: &made.identities)
        try copy(embedded, to: &made.embedded)
        try copy(replicas, to: &made.replicas)
        // Neither names a slot.
        try copy(neighbours, to: &made.neighbours)
        try copy(absent, to: &made.absent)
        return made
    }

    /// The bytes of keys that are held in memory before they are written.
    private static let heldBytes = 64 << 20

    private static func forEach(_ root: BlockReference, _ access: BlockAccess,
                                _ body: ([UInt8], Int64) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var cursor = try OrderedIndex(root: root, access: access).cursor()
        var key: [UInt8] = []
        while try cursor.next() {
            try cursor.copyKey(into: &key)
            try body(key, cursor.objectKey.rawValue)
        }
    }

    static func damaged(_ what: String, _ access: BlockAccess) -> FreeholdError {
        FreeholdError(.corrupt, "\(what) in a tree of sync is damaged; run `freehold check`", path: access.path)
    }
}

/// How much is pending.
package struct PendingCounts: Sendable, Equatable {
    /// Objects created, and deleted.
    package var created = 0, deleted = 0
    /// Changes of properties, of members of sets, of keys of maps and of elements of lists.
    package var changes = 0
    /// Sums of counters.
    package var sums = 0

    package var isEmpty: Bool { self == PendingCounts() }

    mutating func add(_ trees: PendingTrees, in access: BlockAccess) throws(FreeholdError) {
        try trees.forEachChange(in: access) { entry in
            switch entry.what {
            // Safe: a run has no more objects than there are keys, and the sum of all is no more than a file has.
            case .created(let last): created = Int(clamping: (last &- entry.key).addingReportingOverflow(1).partialValue) + created
            case .deleted: deleted += 1
            case .element(_, let change): changes += change.count
            default: changes += 1
            }
        }
        sums += try OrderedIndex(root: trees.sums, access: access).count()
    }
}
