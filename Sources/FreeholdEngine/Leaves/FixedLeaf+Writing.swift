/// Encodes, edits in place, and checks a leaf of fixed-size values.
///
/// Safe throughout: encoding has the room and alignment its description asks for; editing holds a validated leaf for
/// itself; validation reads nothing before its length is known to be there.
extension FixedLeaf {
    /// Writes `encodedLength` bytes from rows that are contiguous; returns their number.
    @discardableResult
    static func encode(_ rows: UnsafeRawBufferPointer, width: Int, nulls: NullBits? = nil, nullCount: Int = 0,
                       into start: UnsafeMutableRawPointer) -> Int {
        let count = rows.count / width
        precondition(count <= LeafHead.maximumCount, "a leaf holds at most 65,535 rows")
        let hasNulls = nullCount > 0
        LeafHead(count: count, shape: UInt8(width), flags: hasNulls ? .hasNulls : [], nullCount: nullCount).store(start)
        var data = start + headerLength
        if hasNulls, let nulls {
            PackedIntegers.copyNulls(nulls, rows: count, to: data)
            data += Bitmap.byteCount(count)
        }
        if rows.count & 7 != 0 { data.setLittle(rows.count, 0 as UInt32) }
        if let source = rows.baseAddress { data.copyMemory(from: source, byteCount: rows.count) }
        if hasNulls, let nulls {
            for row in 0..<count where Bitmap.contains(row, in: nulls) { clear(row, width: width, in: data) }
        }
        return encodedLength(count: count, width: width, hasNulls: hasNulls)
    }

    /// Stores a value of the leaf's width in a row, which is then not null.
    static func set(_ value: UnsafeRawBufferPointer, at row: Int, in start: UnsafeMutableRawPointer) {
        let leaf = FixedLeaf(start)
        assert(value.count == leaf.width, "a value of this leaf's width")
        if leaf.isNull(row) {
            Bitmap.set(row, false, in: start + headerLength)
            leaf.storeHead(nullCountChange: -1, in: start)
        }
        let offset = headerLength + leaf.head.nullBytes + row * leaf.width
        if let source = value.baseAddress { (start + offset).copyMemory(from: source, byteCount: leaf.width) }
    }

    /// Makes a row null if the leaf has a null bitmap; if not, returns false and changes nothing.
    static func setNull(at row: Int, in start: UnsafeMutableRawPointer) -> Bool {
        let leaf = FixedLeaf(start)
        if leaf.isNull(row) { return true }
        if !leaf.head.hasNulls { return false }
        Bitmap.set(row, true, in: start + headerLength)
        clear(row, width: leaf.width, in: start + headerLength + leaf.head.nullBytes)
        leaf.storeHead(nullCountChange: 1, in: start)
        return true
    }

    private func storeHead(nullCountChange delta: Int, in start: UnsafeMutableRawPointer) {
        var head = head
        head.change(nullCount: delta, adding: [])
        head.store(start)
    }

    private static func clear(_ row: Int, width: Int, in rows: UnsafeMutableRawPointer) {
        (rows + row * width).initializeMemory(as: UInt8.self, repeating: 0, count: width)
    }

    /// The length of the leaf at the front of `bytes`, which come from a file; nil if there is no valid leaf.
    static func validatedLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= headerLength, let start = bytes.baseAddress else { return nil }
        let head = LeafHead(start)
        guard head.isPlausible(allowing: .hasNulls), head.shape == 16 || head.shape == 12 else { return nil }
        let length = encodedLength(count: head.count, width: Int(head.shape), hasNulls: head.hasNulls)
        return length <= bytes.count ? length : nil
    }

    static func validate(_ start: UnsafeRawPointer, length: Int) -> Bool {
        validatedLength(UnsafeRawBufferPointer(start: start, count: length)) == length
    }

    /// The first violation of the layout in a validated leaf, for the checker; nil if none.
    func problem() -> String? {
        if count * width & 7 != 0, rows.little(count * width, as: UInt32.self) != 0 {
            return "bytes are set past the last row"
        }
        guard head.hasNulls else { return nil }
        if !Bitmap.hasCleanTail(nulls, rows: count) { return "null bits are set past the last row" }
        if Bitmap.population(nulls, rows: count) != nullCount { return "the null count is not the number of null bits" }
        for row in 0..<count where isNull(row) && self[row].contains(where: { $0 != 0 }) {
            return "null row \(row) does not hold zeros"
        }
        return nil
    }
}
