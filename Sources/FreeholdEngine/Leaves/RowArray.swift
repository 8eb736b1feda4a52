/// The rows of a column builder: a growing array of trivial elements that keeps its memory when emptied.
///
/// Safe throughout: `start` holds `capacity` elements of which the first `count` are initialised; appending and opening
/// gaps make room first; elements are trivial.
struct RowArray<Element: BitwiseCopyable>: ~Copyable {
    private(set) var start: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        start = .allocate(capacity: self.capacity)
    }

    deinit { start.deallocate() }

    @inline(__always) var buffer: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: start, count: count) }

    @inline(__always) subscript(row: Int) -> Element {
        get {
            assert(row >= 0 && row < count, "a row of this column")
            return start[row]
        }
        set {
            assert(row >= 0 && row < count, "a row of this column")
            start[row] = newValue
        }
    }

    @inline(__always) mutating func append(_ element: Element) {
        if count == capacity { grow(to: count + 1) }
        (start + count).initialize(to: element)
        count += 1
    }

    /// Reserves and counts that many more rows, and returns their start; the caller fills them.
    mutating func extend(by rows: Int) -> UnsafeMutablePointer<Element> {
        if count + rows > capacity { grow(to: count + rows) }
        count += rows
        return start + (count - rows)
    }

    mutating func removeAll() { count = 0 }

    /// Keeps the rows whose bit is set in `mask`, one bit a row.
    mutating func keep(_ mask: UnsafePointer<UInt64>) {
        var kept = 0
        for row in 0..<count {
            start[kept] = start[row]
            kept += Int(truncatingIfNeeded: mask[row >> 6] >> UInt64(row & 63) & 1)
        }
        count = kept
    }

    /// Moves rows back so that the rows at `positions` (ascending, counted afterwards) are new, holding `filler`.
    mutating func openGaps(_ positions: UnsafeBufferPointer<Int>, filler: Element) {
        var source = count
        _ = extend(by: positions.count)
        var target = count
        for position in positions.reversed() {
            precondition(position >= 0 && position < target, "positions ascend and lie within the column")
            let moved = target - position - 1
            source -= moved
            (start + (position + 1)).update(from: start + source, count: moved)
            start[position] = filler
            target = position
        }
    }

    @inline(never) private mutating func grow(to rows: Int) {
        let wider = max(rows, capacity * 2)
        let moved = UnsafeMutablePointer<Element>.allocate(capacity: wider)
        moved.update(from: start, count: count)
        start.deallocate()
        start = moved
        capacity = wider
    }
}
