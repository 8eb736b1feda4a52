/// A bit for every row of a column builder, clear unless set; columns without a set bit have no cost.
///
/// Safe throughout: `words` holds `capacity` initialised words, zero where no bit was set; every access checks or makes
/// room first.
struct RowBits: ~Copyable {
    private var words: UnsafeMutablePointer<UInt64>
    private var capacity = 4
    /// The number of set bits.
    private(set) var population = 0

    init() {
        words = .allocate(capacity: capacity)
        words.initialize(repeating: 0, count: capacity)
    }

    deinit { words.deallocate() }

    @inline(__always) func contains(_ row: Int) -> Bool {
        population > 0 && row >> 6 < capacity && words[row >> 6] >> UInt64(row & 63) & 1 != 0
    }

    @inline(__always) mutating func insert(_ row: Int) {
        makeRoom(rows: row + 1)
        if contains(row) { return }
        words[row >> 6] |= 1 << UInt64(row & 63)
        population += 1
    }

    @inline(__always) mutating func remove(_ row: Int) {
        if !contains(row) { return }
        words[row >> 6] &= ~(1 << UInt64(row & 63))
        population -= 1
    }

    mutating func removeAll() {
        if population > 0 { words.update(repeating: 0, count: capacity) }
        population = 0
    }

    /// The bitmap of the first `rows` rows, or nil if no bit is set.
    mutating func bitmap(rows: Int) -> NullBits? {
        if population == 0 { return nil }
        makeRoom(rows: rows)
        return NullBits(words)
    }

    /// Keeps the bits of rows whose bit is set in `mask`.
    mutating func keep(_ mask: UnsafePointer<UInt64>, rows: Int) {
        if population == 0 { return }
        var kept = 0
        for row in 0..<rows where mask[row >> 6] >> UInt64(row & 63) & 1 != 0 {
            if contains(row) { insert(kept) } else { remove(kept) }
            kept += 1
        }
        for row in kept..<max(rows, kept) { remove(row) }
    }

    /// Moves bits back so that the rows at `positions` (ascending, counted afterwards) are new and clear; `rows` counts
    /// those before.
    mutating func openGaps(_ positions: UnsafeBufferPointer<Int>, rows: Int) {
        if population == 0 { return }
        makeRoom(rows: rows + positions.count)
        var source = rows - 1
        var gap = positions.count - 1
        for target in stride(from: rows + positions.count - 1, through: 0, by: -1) {
            if gap >= 0 && positions[gap] == target {
                remove(target)
                gap -= 1
            } else {
                if contains(source) { insert(target) } else { remove(target) }
                source -= 1
            }
        }
    }

    @inline(__always) private mutating func makeRoom(rows: Int) {
        if Bitmap.words(rows) > capacity { grow(to: Bitmap.words(rows)) }
    }

    @inline(never) private mutating func grow(to needed: Int) {
        let wider = max(needed, capacity * 2)
        let moved = UnsafeMutablePointer<UInt64>.allocate(capacity: wider)
        moved.initialize(repeating: 0, count: wider)
        moved.update(from: words, count: capacity)
        words.deallocate()
        words = moved
        capacity = wider
    }
}
