/// Float or Double, as leaves hold them.
protocol LeafReal: BinaryFloatingPoint, BitwiseCopyable {
    static func value(_ leaf: RealLeaf, _ row: Int) -> Self
    static func encode(_ values: UnsafeBufferPointer<Self>, nulls: NullBits?, nullCount: Int,
                       into start: UnsafeMutableRawPointer) -> Int
}

extension Double: LeafReal {
    @inline(__always) static func value(_ leaf: RealLeaf, _ row: Int) -> Double { leaf.double(row) }
    static func encode(_ values: UnsafeBufferPointer<Double>, nulls: NullBits?, nullCount: Int,
                       into start: UnsafeMutableRawPointer) -> Int {
        RealLeaf.encode(values, nulls: nulls, nullCount: nullCount, into: start)
    }
}

extension Float: LeafReal {
    @inline(__always) static func value(_ leaf: RealLeaf, _ row: Int) -> Float { leaf.float(row) }
    static func encode(_ values: UnsafeBufferPointer<Float>, nulls: NullBits?, nullCount: Int,
                       into start: UnsafeMutableRawPointer) -> Int {
        RealLeaf.encode(values, nulls: nulls, nullCount: nullCount, into: start)
    }
}

/// Builds leaves of floats or doubles.
///
/// Safe throughout: rows and bits grow before they are written; leaves read from are validated and asked for their own
/// rows only.
final class RealColumnBuilder<Real: LeafReal>: ColumnBuilder {
    @exclusivity(unchecked) private var values = RowArray<Real>()
    @exclusivity(unchecked) private var nulls = RowBits()

    init() {}

    @inline(__always) var count: Int { values.count }
    var nullCount: Int { nulls.population }

    @inline(__always) func append(_ value: Real) { values.append(value) }

    func appendNull() {
        nulls.insert(values.count)
        values.append(0)
    }

    /// Appends rows of a leaf of the same kind of reals.
    func append(_ leaf: RealLeaf, rows: Range<Int>) {
        precondition(rows.lowerBound >= 0 && rows.upperBound <= leaf.count, "rows of this leaf")
        precondition(Int(leaf.head.shape) == MemoryLayout<Real>.size, "a leaf of this column's kind of reals")
        let first = values.count
        let width = MemoryLayout<Real>.size
        UnsafeMutableRawPointer(values.extend(by: rows.count))
            .copyMemory(from: leaf.rows + rows.lowerBound * width, byteCount: rows.count * width)
        if leaf.nullCount > 0 {
            for row in rows where leaf.isNull(row) { nulls.insert(first + row - rows.lowerBound) }
        }
    }

    @inline(__always) subscript(row: Int) -> Real { values[row] }
    func isNull(_ row: Int) -> Bool { nulls.contains(row) }

    func set(_ value: Real, at row: Int) {
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
        RealLeaf.encodedLength(count: values.count, isDouble: MemoryLayout<Real>.size == 8, hasNulls: nulls.population > 0)
    }

    @discardableResult
    func encode(into start: UnsafeMutableRawPointer) -> Int {
        Real.encode(values.buffer, nulls: nulls.bitmap(rows: values.count), nullCount: nulls.population, into: start)
    }
}
