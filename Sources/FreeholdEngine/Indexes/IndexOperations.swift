/// A transaction's pending changes of one index: an append-only list of insertions and removals.
///
/// 1. Appending copies the key's bytes into an arena; it allocates only when arena or list double.
/// 2. `sort` brings the list into the order (key bytes, object key) and keeps the last operation of each pair.
///
/// Safe throughout: `list` and `arena` have the capacities beside them, are owned by this object and grown before
/// they are written; every operation's bytes lie in the arena.
final class IndexOperations {
    // Safe (all exclusivity below): one thread uses the list, and nothing here re-enters it.
    /// The number of operations; after `sort` one per (key, object key).
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private(set) var list: UnsafeMutablePointer<IndexOperation>
    @exclusivity(unchecked) private(set) var arena: UnsafeMutableRawPointer
    @exclusivity(unchecked) private(set) var capacity = 256
    @exclusivity(unchecked) private(set) var arenaCapacity = 4_096
    @exclusivity(unchecked) private(set) var arenaCount = 0
    @exclusivity(unchecked) private(set) var isSorted = true
    /// Whether any operation since the list was last emptied inserts.
    @exclusivity(unchecked) private(set) var hasInserts = false

    /// The memory for merges of these operations; nil: each merge allocates its own.
    let workspace: IndexWorkspace?

    init(_ workspace: IndexWorkspace? = nil) {
        self.workspace = workspace
        list = .allocate(capacity: capacity)
        arena = .allocate(byteCount: arenaCapacity, alignment: 8)
    }

    deinit {
        list.deallocate()
        arena.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    /// The capacity that is kept; more than this is freed, as large transactions are rare.
    private static let keptCapacity = 1 << 14
    private static let keptArena = 1 << 20

    /// Removes all operations, keeping a little memory.
    func removeAll() {
        count = 0
        arenaCount = 0
        if capacity > Self.keptCapacity { resizeList(to: Self.keptCapacity) }
        if arenaCapacity > Self.keptArena { resizeArena(to: Self.keptArena) }
        isSorted = true
        hasInserts = false
    }

    /// The length of the list at some time.
    struct Mark {
        fileprivate let count: Int
        fileprivate let arenaCount: Int
        fileprivate let hasInserts: Bool
    }

    var mark: Mark { Mark(count: count, arenaCount: arenaCount, hasInserts: hasInserts) }

    /// Removes what was appended since the mark; the list must not have been sorted or emptied since then.
    func truncate(to mark: Mark) {
        assert(mark.count <= count && mark.arenaCount <= arenaCount, "a mark of operations that are gone")
        (count, arenaCount, hasInserts) = (mark.count, mark.arenaCount, mark.hasInserts)
        isSorted = count == 0
        checkInvariants()
    }

    /// An independent list with the same operations.
    func copy() -> IndexOperations {
        let copy = IndexOperations()
        if count > copy.capacity { copy.resizeList(to: count) }
        if arenaCount > copy.arenaCapacity { copy.resizeArena(to: arenaCount) }
        copy.list.update(from: list, count: count)
        copy.arena.copyMemory(from: arena, byteCount: arenaCount)
        (copy.count, copy.arenaCount, copy.isSorted, copy.hasInserts) = (count, arenaCount, isSorted, hasInserts)
        return copy
    }

    /// Records that the index gets the object under the key. Inserting an existing entry changes nothing.
    @inline(__always) func insert(_ key: UnsafeRawBufferPointer, _ object: ObjectKey) {
        append(IndexKey(key), object.rawValue, isRemoval: false)
    }

    /// Records that the index loses the object under the key. Removing a missing entry changes nothing.
    @inline(__always) func remove(_ key: UnsafeRawBufferPointer, _ object: ObjectKey) {
        append(IndexKey(key), object.rawValue, isRemoval: true)
    }

    /// Appends an operation. The key must have at most `IndexLayout.maximumKeyBytes` bytes: the caller, which knows
    /// property and value, rejects longer ones.
    @inline(__always) func append(_ key: IndexKey, _ objectKey: Int64, isRemoval: Bool) {
        precondition(key.count <= IndexLayout.maximumKeyBytes, "an index key has at most 64 KiB; the caller must refuse longer values")
        if count == capacity { resizeList(to: capacity * 2) }
        if arenaCount &+ key.count &+ 8 > arenaCapacity { growArena(for: key.count) }
        // Eight zero bytes first, so that a short key's prefix ends in zeros.
        let place = arena + arenaCount
        place.storeBytes(of: 0, as: UInt64.self)
        if key.count == 8 {
            place.storeBytes(of: key.start.loadUnaligned(as: UInt64.self), as: UInt64.self)
        } else {
            place.copyMemory(from: key.start, byteCount: key.count)
        }
        let prefix = UInt64(bigEndian: place.loadUnaligned(as: UInt64.self))
        list[count] = IndexOperation(prefix: prefix, objectKey: objectKey, offset: arenaCount, length: key.count,
                                     isRemoval: isRemoval)
        count &+= 1
        arenaCount &+= key.count
        isSorted = false
        if !isRemoval { hasInserts = true }
    }

    /// Stores a key's bytes: an operation on it without an object.
    func store(_ key: IndexKey) -> IndexOperation {
        append(key, 0, isRemoval: true)
        count &-= 1
        return list[count]
    }

    /// Reserves and counts that many operations, and returns their start; the caller fills them.
    func extend(by operations: Int) -> UnsafeMutablePointer<IndexOperation> {
        if count &+ operations > capacity { resizeList(to: max(capacity * 2, count &+ operations)) }
        count &+= operations
        isSorted = false
        assert(operations >= 0 && count <= capacity, "\(count) operations in room for \(capacity)")
        return list + (count &- operations)
    }

    /// Records that operations filled in by the caller insert.
    func noteInserts() { hasInserts = true }

    /// Sorts operations whose keys were stored, by key and object key; one is left of those on the same pair.
    func sort(_ operations: inout [IndexOperation]) {
        let count = operations.withUnsafeMutableBufferPointer { operations -> Int in
            guard let start = operations.baseAddress else { return 0 }
            var sorter = IndexOperationSorter(list: start, count: operations.count, arena: UnsafeRawPointer(arena))
            return sorter.sort()
        }
        operations.removeLast(operations.count - count)
    }

    /// Spares `sort` its work if the operations, which the caller has put in the order of keys, have ascending objects for each
    /// key. Those on one key must have the same stored bytes.
    func noteAscending() {
        guard count > 0 else { return }
        list[0].repeatsKey = false
        for place in 1..<count {
            let isSameKey = list[place].hasKey(of: list[place &- 1])
            if isSameKey, list[place].objectKey <= list[place &- 1].objectKey { return }
            list[place].repeatsKey = isSameKey
        }
        isSorted = true
        checkInvariants()
    }

    /// Sorts, unless sorted already, and drops operations that later ones on the same pair override.
    func sort() {
        if isSorted { return }
        isSorted = true
        var sorter = IndexOperationSorter(list: list, count: count, arena: UnsafeRawPointer(arena))
        count = sorter.sort()
        checkInvariants()
    }

    /// The key of a (sorted or unsorted) operation.
    @inline(__always) func key(of operation: IndexOperation) -> IndexKey {
        assert(operation.offset >= 0 && operation.offset + operation.length <= arenaCapacity, "a key beyond the arena")
        return IndexKey(start: UnsafeRawPointer(arena) + operation.offset, count: operation.length)
    }

    @inline(never) private func resizeList(to wider: Int) {
        assert(wider >= count, "a list of \(count) operations is cut to \(wider)")
        let grown = UnsafeMutablePointer<IndexOperation>.allocate(capacity: wider)
        grown.update(from: list, count: count)
        list.deallocate()
        list = grown
        capacity = wider
    }

    @inline(never) private func growArena(for length: Int) {
        resizeArena(to: max(arenaCapacity * 2, arenaCount + length + 8))
    }

    private func resizeArena(to size: Int) {
        assert(size >= arenaCount, "an arena of \(arenaCount) bytes is cut to \(size)")
        let grown = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 8)
        grown.copyMemory(from: arena, byteCount: arenaCount)
        arena.deallocate()
        arena = grown
        arenaCapacity = size
    }
}
