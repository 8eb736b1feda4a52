/// A value of fixed size, in the order of its bytes in a leaf.
protocol FixedRow: BitwiseCopyable {
    static var zero: Self { get }
}

/// Sixteen bytes.
struct FixedRow16: FixedRow, Equatable {
    var first: UInt64
    var second: UInt64
    static let zero = FixedRow16(high: 0, low: 0)

    /// From two big-endian words.
    init(high: UInt64, low: UInt64) {
        first = high.bigEndian
        second = low.bigEndian
    }
}

/// Twelve bytes.
struct FixedRow12: FixedRow, Equatable {
    var first: UInt32
    var second: UInt32
    var third: UInt32
    static let zero = FixedRow12(high: 0, low: 0)

    /// From two big-endian words.
    init(high: UInt64, low: UInt32) {
        first = UInt32(truncatingIfNeeded: high >> 32).bigEndian
        second = UInt32(truncatingIfNeeded: high).bigEndian
        third = low.bigEndian
    }
}

/// Builds leaves of UUIDs (`FixedRow16`) or ObjectIds (`FixedRow12`).
///
/// Safe throughout: rows and bits grow before they are written; leaves read from are validated, of this width, and asked
/// for their own rows only.
final class FixedColumnBuilder<Row: FixedRow>: ColumnBuilder {
    @exclusivity(unchecked) private var values = RowArray<Row>()
    @exclusivity(unchecked) private var nulls = RowBits()

    init() {}

    @inline(__always) var count: Int { values.count }
    var nullCount: Int { nulls.population }

    @inline(__always) func append(_ value: Row) { values.append(value) }

    func appendNull() {
        nulls.insert(values.count)
        values.append(.zero)
    }

    /// Appends rows of a leaf of this width.
    func append(_ leaf: FixedLeaf, rows: Range<Int>) {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= leaf.count, "rows of this leaf")
        precondition(leaf.width == MemoryLayout<Row>.size, "a leaf of this column's width")
        let first = values.count
        UnsafeMutableRawPointer(values.extend(by: rows.count))
            .copyMemory(from: leaf.rows + rows.lowerBound * leaf.width, byteCount: rows.count * leaf.width)
        if leaf.nullCount > 0 {
            for row in rows where leaf.isNull(row) { nulls.insert(first + row - rows.lowerBound) }
        }
    }

    subscript(row: Int) -> Row { values[row] }
    func isNull(_ row: Int) -> Bool { nulls.contains(row) }

    func set(_ value: Row, at row: Int) {
        nulls.remove(row)
        values[row] = value
    }

    func setNull(_ row: Int) {
        nulls.insert(row)
        values[row] = .zero
    }

    func removeAll() {
        values.removeAll()
        nulls.removeAll()
    }

    func keep(_ mask: UnsafePointer<UInt64>) {
        nulls.keep(mask, rows: values.count)
        values.keep(mask)
    }

    func openGaps(_ positions: UnsafeBufferPointer<Int>) {
        nulls.openGaps(positions, rows: values.count)
        values.openGaps(positions, filler: .zero)
        for position in positions { nulls.insert(position) }
    }

    func encodedLength() -> Int {
        FixedLeaf.encodedLength(count: values.count, width: MemoryLayout<Row>.size, hasNulls: nulls.population > 0)
    }

    @discardableResult
    func encode(into start: UnsafeMutableRawPointer) -> Int {
        FixedLeaf.encode(UnsafeRawBufferPointer(values.buffer), width: MemoryLayout<Row>.size,
                         nulls: nulls.bitmap(rows: values.count), nullCount: nulls.population, into: start)
    }
}
