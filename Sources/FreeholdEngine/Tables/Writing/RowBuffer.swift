/// The rows that a write transaction has created or changed and not yet sealed, in growing memory of its own.
///
/// 1. Rows are contiguous; `offsets` holds their offsets in insertion order. A row whose text changes is rewritten at
/// the end, so an offset may point backwards or forwards, never outside.
/// 2. Keys are unique. `find` is a binary search while keys arrive ascending, else a hash look-up.
/// 3. Memory stays with the buffer over `removeAll`, so a run of small transactions allocates nothing.
///
/// Safe throughout: all writes are within `capacity`, which `reserve` extends first.
final class RowBuffer {
    // Safe (all exclusivity below): one thread uses the buffer, and nothing here re-enters it.
    @exclusivity(unchecked) private(set) var memory: UnsafeMutableRawPointer
    @exclusivity(unchecked) private(set) var capacity: Int
    /// Bytes in use.
    @exclusivity(unchecked) var used = 0
    @exclusivity(unchecked) var offsets: [Int] = []
    @exclusivity(unchecked) var keys: [Int64] = []
    @exclusivity(unchecked) var isAscending = true
    @exclusivity(unchecked) var places = KeyIndex()
    /// The maximum length of a row added since `removeAll`.
    @exclusivity(unchecked) var longestRow = 0
    /// The incarnations of rows that have one, by key.
    @exclusivity(unchecked) var incarnations: [Int64: UInt64] = [:]
    /// Rows below this position are copied for `guarded` before they are changed (`RowBuffer+Savepoints`).
    @exclusivity(unchecked) var protectedRows = 0
    @exclusivity(unchecked) var guarded: RowMark?

    /// Set once a row of the class, of the buffer or not, was handed out since the last change; while set, rows must
    /// not move.
    @exclusivity(unchecked) var hasGivenRows = false

    /// Whether a row holds a collection that is a tree: such a row cannot stay in the tail.
    @exclusivity(unchecked) var holdsTrees = false

    init() {
        capacity = 16 * 1024
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    @inline(__always) var count: Int { keys.count }
    @inline(__always) func row(_ index: Int) -> RowView { RowView(start: UnsafeRawPointer(memory + offsets[index])) }

    /// Whether the bytes lie in this buffer's rows.
    @inline(__always) func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress else { return false }
        return start >= UnsafeRawPointer(memory) && start < UnsafeRawPointer(memory + used)
    }

    func removeAll() {
        if protectedRows > 0 { keepRows() }
        used = 0
        longestRow = 0
        holdsTrees = false
        isAscending = true
        offsets.removeAll(keepingCapacity: count <= 65_536)
        keys.removeAll(keepingCapacity: count <= 65_536)
        places.removeAll()
        if !incarnations.isEmpty { incarnations.removeAll() }
        if capacity > 1 << 24 {
            memory.deallocate()
            capacity = 16 * 1024
            memory = .allocate(byteCount: capacity, alignment: 16)
        }
        assert(checkInvariants(), "the invariants hold")
    }

    /// The position of the object's row.
    func find(_ key: Int64) -> Int? {
        guard let last = keys.last else { return nil }
        guard isAscending else { return places.find(key, in: keys) }
        if key > last { return nil }
        var low = 0, high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == key ? low : nil
    }

    /// Adds a row with every column at its default, before its text is set; returns its position.
    @inline(__always) func append(key: Int64, _ template: RowTemplate) -> Int {
        reserve(template.byteCount)
        let start = memory + used
        start.copyMemory(from: template.start, byteCount: template.byteCount)
        start.storeBytes(of: key, as: Int64.self)
        return register(key: key, length: template.byteCount)
    }

    /// Adds a copy of a row from elsewhere.
    func append(copying row: RowView) -> Int {
        let length = row.length
        reserve(length)
        (memory + used).copyMemory(from: row.start, byteCount: length)
        return register(key: row.key, length: length)
    }

    @inline(__always) private func register(key: Int64, length: Int) -> Int {
        if isAscending, let last = keys.last, key <= last { endAscending() }
        offsets.append(used)
        keys.append(key)
        if !isAscending { places.insert(key, at: keys.count - 1, in: keys) }
        used += length
        longestRow = max(longestRow, length)
        assert(checkInvariants(), "the invariants hold")
        return keys.count - 1
    }

    @inline(never) private func endAscending() {
        isAscending = false
        for (place, key) in keys.enumerated() { places.insert(key, at: place, in: keys) }
    }

    /// Reserves `count` more bytes.
    @inline(__always) func reserve(_ count: Int) {
        if used + count > capacity { grow(by: count) }
    }

    @inline(never) private func grow(by count: Int) {
        while used + count > capacity { capacity *= 2 }
        let grown = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        grown.copyMemory(from: memory, byteCount: used)
        memory.deallocate()
        memory = grown
    }

    /// The writable start of a row.
    @inline(__always) func mutableRow(_ index: Int) -> UnsafeMutableRawPointer {
        if index < protectedRows { keepRows() }
        return memory + offsets[index]
    }

    /// Moves a row to the end of the buffer unless it is there already, so that its text can grow; returns its start.
    func moveToEnd(_ index: Int) -> UnsafeMutableRawPointer {
        if index < protectedRows { keepRows() }
        let length = row(index).length
        if offsets[index] + length == used { return mutableRow(index) }
        reserve(length)
        (memory + used).copyMemory(from: mutableRow(index), byteCount: length)
        offsets[index] = used
        used += length
        assert(checkInvariants(), "the invariants hold")
        return mutableRow(index)
    }

    /// Records that the last row of memory grew by `count` bytes, which the caller has reserved and written.
    func extendLast(_ index: Int, by count: Int) {
        let length = row(index).length + count
        mutableRow(index).storeBytes(of: UInt32(length), toByteOffset: RowLayout.length, as: UInt32.self)
        used += count
        longestRow = max(longestRow, length)
        assert(checkInvariants(), "the invariants hold")
    }

    /// Records that a row lost `count` bytes at its end; those of the last row of memory are reused.
    func shrink(_ index: Int, by count: Int) {
        let length = row(index).length
        if offsets[index] + length == used { used -= count }
        mutableRow(index).storeBytes(of: UInt32(length - count), toByteOffset: RowLayout.length, as: UInt32.self)
        assert(checkInvariants(), "the invariants hold")
    }

    /// Removes the row; rows after it move up one position.
    func remove(at index: Int) {
        if index < protectedRows { keepRows() }
        if !incarnations.isEmpty { incarnations[keys[index]] = nil }
        offsets.remove(at: index)
        keys.remove(at: index)
        if !isAscending {
            places.removeAll()
            for (place, key) in keys.enumerated() { places.insert(key, at: place, in: keys) }
        }
        assert(checkInvariants(fully: true), "the invariants hold")
    }

    /// The positions of all rows, in key order.
    func placesByKey() -> [Int] {
        isAscending ? Array(0..<count) : (0..<count).sorted { keys[$0] < keys[$1] }
    }
}
