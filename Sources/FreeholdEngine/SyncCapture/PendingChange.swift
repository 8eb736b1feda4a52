/// The changes that one commit makes to the pending changes of one class: collected, then written to its trees.
///
/// 1. Objects come in the order of their keys, an object's deletion before the creation of another one under its key.
/// 2. What is noted replaces what was noted before of the same thing, and has the stamp and origin of this commit.
///
/// Safe throughout: bytes of keys are copied before the call that takes them returns.
final class PendingChange {
    // Safe (all exclusivity below): one thread commits, and nothing here re-enters it.
    /// The trees as they are after the last `write`.
    @exclusivity(unchecked) private(set) var trees: PendingTrees
    /// What is noted gets this origin: the file's replica, and the epoch that was open when the transaction began.
    let origin: PendingOrigin
    /// The origin of increments: the epoch that is open now. A deletion before them may have ended the other one.
    @exclusivity(unchecked) var sumOrigin: PendingOrigin
    private let table: UInt32
    private let pending: PendingBlocks
    private let tools: CaptureTools
    private var changes: IndexOperations { tools.changes }
    private var deletions: IndexOperations { tools.deletions }
    private var sums: IndexOperations { tools.sums }
    private var neighbours: IndexOperations { tools.neighbours }
    private let key: ByteBuffer, other: ByteBuffer
    @exclusivity(unchecked) private var found: [UInt8] = []
    /// New objects with consecutive keys.
    @exclusivity(unchecked) private var run: (keys: ClosedRange<Int64>, stamp: SyncStamp)?
    /// What is left of a run of created objects from which one was deleted.
    @exclusivity(unchecked) private var rest: PendingEntry?

    /// The bytes of changes that are held in memory before they are written.
    private static let heldBytes = 64 << 20

    /// - Parameters:
    ///   - origin: the file's replica, and the epoch that was open when the transaction began.
    ///   - sumOrigin: the same, with the epoch that is open now.
    ///   - tools: used by no other change at the same time, and empty.
    init(_ trees: PendingTrees, _ origin: PendingOrigin, sums sumOrigin: PendingOrigin, table: UInt32, _ tools: CaptureTools,
         in pending: PendingBlocks) {
        self.trees = trees
        self.tools = tools
        (key, other) = (tools.key, tools.other)
        self.origin = origin
        self.sumOrigin = sumOrigin
        self.table = table
        self.pending = pending
    }

    var access: BlockAccess { pending.access }

    private func tree(_ root: BlockReference) -> OrderedIndex { OrderedIndex(root: root, access: pending.access) }

    // MARK: Noting

    /// Notes a new object.
    func create(_ object: Int64, _ stamp: SyncStamp) throws(FreeholdError) {
        if let known = run, known.keys.upperBound < .max, known.keys.upperBound + 1 == object {
            run = (known.keys.lowerBound...object, stamp)
            return
        }
        finishRun()
        run = (object...object, stamp)
        try writeIfMany()
    }

    /// Notes a change of a property.
    func change(_ object: Int64, _ property: UInt32, _ stamp: SyncStamp) throws(FreeholdError) {
        key.setChange(.property, of: object, property)
        try put(stamp)
    }

    /// Notes that a member came into a set or left it, or that a key of a map got another value.
    func change(_ object: Int64, _ property: UInt32, _ tag: PendingKey.Tag, _ element: UnsafeRawBufferPointer,
                _ stamp: SyncStamp) throws(FreeholdError) {
        key.setChange(tag, of: object, property)
        key.append(element)
        try put(stamp)
    }

    /// Adds to the sum of a counter in the open epoch; false if it would exceed 64 bits.
    func add(_ amount: Int64, to property: UInt32, of object: Int64, _ stamp: SyncStamp) throws(FreeholdError) -> Bool {
        key.removeAll()
        key.append(object: object)
        key.append(big: property)
        key.append(sumOrigin)
        var sum = PendingSum(key: object, property: property, origin: sumOrigin, amount: amount, increments: 1, began: stamp)
        if let (known, posting) = try find(in: trees.sums, trailing: PendingKey.incrementBytes) {
            guard let old = PendingKey.sum(known, posting: posting) else { throw OrderedIndex.miscounted() }
            let (total, isOver) = old.amount.addingReportingOverflow(amount)
            if isOver { return false }
            known.withUnsafeBytes { sums.remove($0, ObjectKey(posting)) }
            sum = PendingSum(key: object, property: property, origin: origin, amount: total,
                             increments: old.increments == .max ? .max : old.increments + 1, began: old.began)
        }
        key.setKey(of: sum)
        sums.insert(key.bytes, ObjectKey(sum.amount))
        try writeIfMany()
        return true
    }

    /// Notes that an object is gone: removes what is pending of it.
    ///
    /// - Returns: whether it was created in the open epoch, so that nobody knows of it, and whether increments of the open epoch
    ///   were removed.
    func remove(_ object: Int64) throws(FreeholdError) -> (isUnsent: Bool, hasDroppedSums: Bool) {
        let creation = try takeCreation(of: object)
        let hasDroppedSums = try removeContents(of: object)
        return (creation.map(isUnsent) ?? false, hasDroppedSums)
    }

    /// Notes a deletion that others have to learn of.
    ///
    /// - Parameter primaryKey: the index key of its primary key; nil if that is the object key.
    func delete(_ object: Int64, _ primaryKey: UnsafeRawBufferPointer?, _ stamp: SyncStamp) throws(FreeholdError) {
        if let primaryKey {
            // An earlier object of the same primary key, whose deletion is not sent yet: the later deletion stands for both.
            var cursor = try tree(trees.deletions).cursor(of: primaryKey)
            while try cursor.next() {
                let former = cursor.objectKey
                deletions.remove(primaryKey, former)
                key.setChange(.deleted, of: former.rawValue)
                try removeFound(in: trees.changes, changes)
            }
            deletions.insert(primaryKey, ObjectKey(object))
        }
        key.setChange(.deleted, of: object)
        try put(stamp)
    }

    /// Removes what is pending of properties that the class does not have any more.
    func keep(properties: Set<UInt32>) throws(FreeholdError) {
        try trees.forEachChange(in: pending.access) { entry in
            guard let number = entry.property, !properties.contains(number) else { return }
            remove(entry)
        }
        try trees.forEachSum(in: pending.access) { sum in
            if properties.contains(sum.property) { return }
            other.setKey(of: sum)
            sums.remove(other.bytes, ObjectKey(sum.amount))
        }
        try write()
    }

    /// Whether nothing of an origin was sent.
    func isUnsent(_ other: PendingOrigin) -> Bool { other == origin || other == sumOrigin }

    // MARK: Trees

    func remove(_ entry: PendingEntry) {
        other.setKey(of: entry)
        changes.remove(other.bytes, ObjectKey(Int64(bitPattern: entry.stamp.rawValue)))
        neighbours.removeNeighbours(of: entry, other)
    }

    func insert(_ entry: PendingEntry) throws(FreeholdError) {
        other.setKey(of: entry)
        changes.insert(other.bytes, ObjectKey(Int64(bitPattern: entry.stamp.rawValue)))
        neighbours.insertNeighbours(of: entry, other)
        try writeIfMany()
    }

    /// Notes what the key without origin stands for.
    private func put(_ stamp: SyncStamp) throws(FreeholdError) {
        try removeFound(in: trees.changes, changes)
        key.append(origin)
        changes.insert(key.bytes, ObjectKey(Int64(bitPattern: stamp.rawValue)))
        try writeIfMany()
    }

    private func removeFound(in root: BlockReference, _ operations: IndexOperations) throws(FreeholdError) {
        guard let (known, posting) = try find(in: root, trailing: PendingKey.originBytes) else { return }
        known.withUnsafeBytes { operations.remove($0, ObjectKey(posting)) }
    }

    /// The entry whose key is the present one with `trailing` bytes after it.
    private func find(in root: BlockReference, trailing: Int) throws(FreeholdError) -> (key: [UInt8], posting: Int64)? {
        if root.isNull { return nil }
        var cursor = try tree(root).cursor()
        // Safe: nothing changes the buffer before the call returns.
        guard try cursor.seek(toKey: IndexKey(key.bytes)) else { return nil }
        repeat {
            try cursor.copyKey(into: &found)
            let isPrefix = found.count >= key.count
                && found.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[..<key.count]).isSame(as: key.bytes) }
            if !isPrefix { return nil }
            if found.count == key.count + trailing { return (found, cursor.objectKey.rawValue) }
        } while try cursor.next()
        return nil
    }

    /// Removes an object from the run of created objects that it belongs to; returns the origin of that.
    private func takeCreation(of object: Int64) throws(FreeholdError) -> PendingOrigin? {
        if let known = rest, object <= known.lastKey { return object >= known.key ? split(known, at: object) : nil }
        finishRest()
        guard let known = try trees.creation(of: object, key, in: access) else { return nil }
        other.setKey(of: known)
        changes.remove(other.bytes, ObjectKey(Int64(bitPattern: known.stamp.rawValue)))
        return split(known, at: object)
    }

    private func split(_ known: PendingEntry, at object: Int64) -> PendingOrigin {
        if known.key < object { insertCreated(known.key...object - 1, known.stamp, known.origin) }
        rest = object < known.lastKey
            ? PendingEntry(key: object + 1, what: known.what, stamp: known.stamp, origin: known.origin) : nil
        return known.origin
    }

    private func finishRest() {
        if let rest { insertCreated(rest.key...rest.lastKey, rest.stamp, rest.origin) }
        rest = nil
    }

    private func finishRun() {
        if let run { insertCreated(run.keys, run.stamp, origin) }
        run = nil
    }

    private func insertCreated(_ keys: ClosedRange<Int64>, _ stamp: SyncStamp, _ origin: PendingOrigin) {
        other.setCreated(keys, origin)
        changes.insert(other.bytes, ObjectKey(Int64(bitPattern: stamp.rawValue)))
    }

    /// Removes changes and sums of an object, not that it was deleted; returns whether there were sums of the open epoch.
    private func removeContents(of object: Int64) throws(FreeholdError) -> Bool {
        var hasOpenSums = false
        if !trees.changes.isNull {
            key.setChanges(of: object)
            var cursor = try tree(trees.changes).cursor(prefix: key.bytes)
            while try cursor.next() {
                try cursor.copyKey(into: &found)
                if found.count > 9, found[9] == PendingKey.Tag.deleted.rawValue { continue }
                found.withUnsafeBytes { changes.remove($0, cursor.objectKey) }
            }
        }
        try removeAll(of: object, in: trees.sums, sums) { key in
            if let sum = PendingKey.sum(key, posting: 0), isUnsent(sum.origin) { hasOpenSums = true }
        }
        try removeAll(of: object, in: trees.neighbours, neighbours)
        return hasOpenSums
    }

    /// Removes the entries whose keys begin with an object, and calls `body` with each key.
    private func removeAll(of object: Int64, in root: BlockReference, _ operations: IndexOperations,
                           _ body: ([UInt8]) -> Void = { _ in }) throws(FreeholdError) {
        if root.isNull { return }
        key.removeAll()
        key.append(object: object)
        var cursor = try tree(root).cursor(prefix: key.bytes)
        while try cursor.next() {
            try cursor.copyKey(into: &found)
            body(found)
            found.withUnsafeBytes { operations.remove($0, cursor.objectKey) }
        }
    }

    /// The changes of one transaction may be more than memory holds.
    private func writeIfMany() throws(FreeholdError) {
        if changes.arenaCount + deletions.arenaCount + sums.arenaCount + neighbours.arenaCount >= Self.heldBytes { try write() }
    }

    /// Writes what was noted to the trees.
    func write() throws(FreeholdError) {
        finishRest()
        finishRun()
        try OrderedIndex.take(changes, into: &trees.changes, table: table, in: pending)
        try OrderedIndex.take(deletions, into: &trees.deletions, table: table, in: pending)
        try OrderedIndex.take(sums, into: &trees.sums, table: table, in: pending)
        try OrderedIndex.take(neighbours, into: &trees.neighbours, table: table, in: pending)
    }
}
