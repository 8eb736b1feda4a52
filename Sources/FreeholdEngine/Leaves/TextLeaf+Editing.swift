/// Safe throughout: the caller holds the leaf's bytes, validated, for itself, and asks for rows below its count;
/// encoding has the room its description asks for.
extension TextLeaf {
    /// Overwrites a row with a value of the same length; if it has another length, returns false and changes nothing:
    /// the leaf must be re-encoded. Not for the form codes, null rows or external rows.
    static func set(_ value: UnsafeRawBufferPointer, at row: Int, in start: UnsafeMutableRawPointer) -> Bool {
        let leaf = TextLeaf(start)
        if leaf.isCodes || leaf.isNull(row) || leaf.isExternal(row) { return false }
        let (offset, length) = leaf.extent(row)
        if length != value.count { return false }
        if let source = value.baseAddress {
            (start + ((leaf.blob - leaf.start) + offset)).copyMemory(from: source, byteCount: length)
        }
        return true
    }

    /// Updates the length of the value that an external row leads to.
    static func setExternalLength(_ length: UInt64, at row: Int, in start: UnsafeMutableRawPointer) {
        let leaf = TextLeaf(start)
        assert(leaf.isExternal(row), "an external row")
        start.setLittle((leaf.blob - leaf.start) + leaf.extent(row).offset, length)
    }

    /// Stores a dictionary position in a row of a leaf in the form codes, as `PackedIntegers.set` does.
    static func set(code: Int64, at row: Int, in start: UnsafeMutableRawPointer) -> Bool {
        TextLeaf(start).isCodes && PackedIntegers.set(code, at: row, in: start + codesOffset)
    }

    static func setNull(codeAt row: Int, in start: UnsafeMutableRawPointer) -> Bool {
        TextLeaf(start).isCodes && PackedIntegers.setNull(at: row, in: start + codesOffset)
    }

    /// The length in bytes of a leaf in the form codes.
    static func encodedLength(codes: IntegerColumnBuilder) -> Int { codesOffset + codes.encodedLength() }

    /// Writes a leaf in the form codes, eight-byte aligned; returns its length.
    @discardableResult
    static func encode(codes: IntegerColumnBuilder, isText: Bool, into start: UnsafeMutableRawPointer) -> Int {
        LeafHead(count: codes.count, shape: Form.codes.rawValue, flags: isText ? .isText : [], nullCount: 0).store(start)
        return codesOffset + codes.encode(into: start + codesOffset)
    }

    /// Writes the blob offsets of all rows and, as the last of `count + 1`, the blob length: for scans from front to
    /// back. Not for the form codes.
    func decodeOffsets(into offsets: UnsafeMutablePointer<UInt16>) {
        assert(!isCodes, "a leaf with a blob")
        offsets[0] = 0
        guard form == .short else {
            for row in 0..<count { offsets[row + 1] = table.little(row * 2) }
            return
        }
        var offset: UInt16 = 0
        for row in 0..<count {
            // Validated: the lengths add up to the blob length, which fits.
            offset &+= UInt16(table.little(row >> 4 * Self.groupBytes + 2 + row & 15, as: UInt8.self))
            offsets[row + 1] = offset
        }
    }
}
