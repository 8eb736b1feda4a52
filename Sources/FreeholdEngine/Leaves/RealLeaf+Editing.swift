/// Changes rows in place, in a transaction's own copy of a leaf.
///
/// Safe throughout: the caller holds the leaf's bytes, validated, for itself, and asks for rows below its count.
extension RealLeaf {
    /// Stores a value in a row, which is then not null. Any value fits.
    static func set(_ value: Double, at row: Int, in start: UnsafeMutableRawPointer) {
        let leaf = RealLeaf(start)
        assert(leaf.isDouble, "a leaf of doubles")
        leaf.note(value, replacing: row, in: start)
        start.setLittle(headerLength + leaf.head.nullBytes + row * 8, value.bitPattern)
    }

    static func set(_ value: Float, at row: Int, in start: UnsafeMutableRawPointer) {
        let leaf = RealLeaf(start)
        assert(!leaf.isDouble, "a leaf of floats")
        leaf.note(Double(value), replacing: row, in: start)
        start.setLittle(headerLength + leaf.head.nullBytes + row * 4, value.bitPattern)
    }

    /// Makes a row null if the leaf has a null bitmap; if not, returns false and changes nothing.
    static func setNull(at row: Int, in start: UnsafeMutableRawPointer) -> Bool {
        let leaf = RealLeaf(start)
        if leaf.isNull(row) { return true }
        if !leaf.head.hasNulls { return false }
        Bitmap.set(row, true, in: start + headerLength)
        let offset = headerLength + leaf.head.nullBytes + row * Int(leaf.head.shape)
        if leaf.isDouble { start.setLittle(offset, 0 as UInt64) } else { start.setLittle(offset, 0 as UInt32) }
        var head = leaf.head
        head.change(nullCount: 1, adding: .looseBounds)
        head.store(start)
        return true
    }

    /// Updates null bit, head and zone map for a row's new value.
    private func note(_ value: Double, replacing row: Int, in start: UnsafeMutableRawPointer) {
        let wasNull = isNull(row)
        let old = self[row]
        if wasNull { Bitmap.set(row, false, in: start + Self.headerLength) }
        var flags: LeafHead.Flags = []
        if !wasNull && (old == zone?.lowerBound || old == zone?.upperBound) { flags.insert(.looseBounds) }
        if value.isNaN {
            flags.insert(.hasNotANumber)
        } else if let zone {
            if value < zone.lowerBound { start.setLittle(Self.minimumOffset, value.bitPattern) }
            if value > zone.upperBound { start.setLittle(Self.maximumOffset, value.bitPattern) }
        } else {
            start.setLittle(Self.minimumOffset, value.bitPattern)
            start.setLittle(Self.maximumOffset, value.bitPattern)
        }
        var head = head
        head.change(nullCount: wasNull ? -1 : 0, adding: flags)
        head.store(start)
    }
}
