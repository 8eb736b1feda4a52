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
}
