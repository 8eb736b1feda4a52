/// Builds leaves of points in time.
final class DateColumnBuilder: ColumnBuilder {
    private let seconds = IntegerColumnBuilder()
    private let nanoseconds = IntegerColumnBuilder()

    init() {}

    var count: Int { seconds.count }
    var nullCount: Int { seconds.nullCount }

    @inline(__always) func append(seconds second: Int64, nanoseconds part: Int32) {
        seconds.append(second)
        nanoseconds.append(Int64(part))
    }

    func appendNull() {
        seconds.appendNull()
        nanoseconds.append(0)
    }

    /// Appends rows of a leaf.
    func append(_ leaf: DateLeaf, rows: Range<Int>) {
        seconds.append(leaf.seconds, rows: rows)
        nanoseconds.append(leaf.nanoseconds, rows: rows)
    }

    subscript(row: Int) -> (seconds: Int64, nanoseconds: Int32) {
        (seconds[row], Int32(truncatingIfNeeded: nanoseconds[row]))
    }

    func isNull(_ row: Int) -> Bool { seconds.isNull(row) }

    func set(seconds second: Int64, nanoseconds part: Int32, at row: Int) {
        seconds.set(second, at: row)
        nanoseconds.set(Int64(part), at: row)
    }

    func setNull(_ row: Int) {
        seconds.setNull(row)
        nanoseconds.set(0, at: row)
    }

    func removeAll() {
        seconds.removeAll()
        nanoseconds.removeAll()
    }

    func keep(_ mask: UnsafePointer<UInt64>) {
        seconds.keep(mask)
        nanoseconds.keep(mask)
    }

    func openGaps(_ positions: UnsafeBufferPointer<Int>) {
        seconds.openGaps(positions)
        nanoseconds.openGaps(positions)
        for position in positions { nanoseconds.set(0, at: position) }
    }

    func encodedLength() -> Int { seconds.encodedLength() + nanoseconds.encodedLength() }

    /// Safe: the seconds end on a multiple of eight bytes, within the room for both.
    @discardableResult
    func encode(into start: UnsafeMutableRawPointer) -> Int {
        let first = seconds.encode(into: start)
        return first + nanoseconds.encode(into: start + first)
    }
}
