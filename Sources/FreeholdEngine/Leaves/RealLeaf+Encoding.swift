import CShims

/// Safe throughout: room and alignment are the caller's obligation, stated at each function; kernels read what was
/// written.
extension RealLeaf {
    static func encodedLength(count: Int, isDouble: Bool, hasNulls: Bool) -> Int {
        headerLength + (hasNulls ? Bitmap.byteCount(count) : 0) + dataBytes(count, width: isDouble ? 8 : 4)
    }

    /// Writes `encodedLength` bytes, eight-byte aligned; returns their number.
    @discardableResult
    static func encode(_ values: UnsafeBufferPointer<Double>, nulls: NullBits? = nil, nullCount: Int = 0,
                       into start: UnsafeMutableRawPointer) -> Int {
        encode(UnsafeRawBufferPointer(values), count: values.count, isDouble: true, nulls: nulls, nullCount: nullCount,
               into: start)
    }

    @discardableResult
    static func encode(_ values: UnsafeBufferPointer<Float>, nulls: NullBits? = nil, nullCount: Int = 0,
                       into start: UnsafeMutableRawPointer) -> Int {
        encode(UnsafeRawBufferPointer(values), count: values.count, isDouble: false, nulls: nulls, nullCount: nullCount,
               into: start)
    }

    private static func encode(_ values: UnsafeRawBufferPointer, count: Int, isDouble: Bool, nulls: NullBits?,
                               nullCount: Int, into start: UnsafeMutableRawPointer) -> Int {
        precondition(count <= LeafHead.maximumCount, "a leaf holds at most 65,535 rows")
        let hasNulls = nullCount > 0
        let width = isDouble ? 8 : 4
        LeafHead(count: count, shape: UInt8(width), flags: hasNulls ? .hasNulls : [], nullCount: nullCount).store(start)
        var rows = start + headerLength
        if hasNulls, let nulls {
            PackedIntegers.copyNulls(nulls, rows: count, to: rows)
            rows += Bitmap.byteCount(count)
        }
        if let source = values.baseAddress { rows.copyMemory(from: source, byteCount: values.count) }
        if count * width & 7 != 0 { rows.setLittle(count * width, 0 as UInt32) }
        if hasNulls, let nulls { clearNullRows(nulls, count: count, width: width, in: rows) }
        return finish(start)
    }

    private static func clearNullRows(_ nulls: NullBits, count: Int, width: Int, in rows: UnsafeMutableRawPointer) {
        for row in 0..<count where Bitmap.contains(row, in: nulls) {
            if width == 8 { rows.setLittle(row * 8, 0 as UInt64) } else { rows.setLittle(row * 4, 0 as UInt32) }
        }
    }

    /// Sets the zone map and the NaN flag from rows already written.
    private static func finish(_ start: UnsafeMutableRawPointer) -> Int {
        let leaf = RealLeaf(start)
        let summary = leaf.summary()
        start.setLittle(minimumOffset, summary.minimum.bitPattern)
        start.setLittle(maximumOffset, summary.maximum.bitPattern)
        // Opposite infinities add up to NaN as well; only then are the rows read.
        if summary.sum.isNaN && (0..<leaf.count).contains(where: { leaf[$0].isNaN }) {
            var head = leaf.head
            head.change(nullCount: 0, adding: .hasNotANumber)
            head.store(start)
        }
        return leaf.byteCount
    }
}
