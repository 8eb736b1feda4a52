/// Builds leaves of integers, bools, links and dictionary codes.
///
/// Safe throughout: rows and bits grow before they are written; leaves read from are validated and asked for their own
/// rows only.
final class IntegerColumnBuilder: ColumnBuilder {
    @exclusivity(unchecked) private var values = RowArray<Int64>()
    @exclusivity(unchecked) private var nulls = RowBits()

    init() {}

    @inline(__always) var count: Int { values.count }
    var nullCount: Int { nulls.population }

    @inline(__always) func append(_ value: Int64) { values.append(value) }

    func appendNull() {
        nulls.insert(values.count)
        values.append(0)
    }

    /// Appends rows of a leaf.
    func append(_ leaf: PackedIntegers, rows: Range<Int>) {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= leaf.count, "rows of this leaf")
        let first = values.count
        if rows.count == leaf.count {
            leaf.decode(into: values.extend(by: rows.count))
        } else {
            for row in rows { values.append(leaf[row]) }
        }
        if leaf.nullCount > 0 {
            for row in rows where leaf.isNull(row) { nulls.insert(first + row - rows.lowerBound) }
        }
    }

    @inline(__always) subscript(row: Int) -> Int64 { values[row] }
    @inline(__always) func isNull(_ row: Int) -> Bool { nulls.contains(row) }

    func set(_ value: Int64, at row: Int) {
        nulls.remove(row)
        values[row] = value
    }

    func setNull(_ row: Int) {
        nulls.insert(row)
        values[row] = 0
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
        values.openGaps(positions, filler: 0)
        for position in positions { nulls.insert(position) }
    }

    func encodedLength() -> Int {
        PackedIntegers.encodedLength(values.buffer, nulls: nulls.bitmap(rows: values.count))
    }

    @discardableResult
    func encode(into start: UnsafeMutableRawPointer) -> Int {
        PackedIntegers.encode(values.buffer, nulls: nulls.bitmap(rows: values.count), into: start)
    }
}
