/// Changes rows in place, in a transaction's own copy of a leaf.
///
/// Safe throughout: the caller holds the leaf's bytes, validated, for itself, and asks for rows below its count.
extension PackedIntegers {
    /// Stores `value` in a row if it fits width and base; the row is then not null, and the zone map still holds. If
    /// not, returns false and changes nothing: the leaf must be re-encoded.
    static func set(_ value: Int64, at row: Int, in start: UnsafeMutableRawPointer) -> Bool {
        let leaf = PackedIntegers(start)
        if !leaf.canHold(value) { return false }
        let field = UInt64(bitPattern: value &- leaf.base)
        let wasNull = leaf.isNull(row)
        let zone = leaf.zone
        let old = leaf[row]
        if wasNull { Bitmap.set(row, false, in: start + headerLength) }
        leaf.store(field, at: row, in: start)
        var head = leaf.head
        let replacesBound = !wasNull && old != value && (old == zone?.lowerBound || old == zone?.upperBound)
        head.change(nullCount: wasNull ? -1 : 0, adding: replacesBound ? .looseBounds : [])
        leaf.widen(zone, by: value, &head, in: start)
        head.store(start)
        return true
    }

    /// Makes a row null if the leaf has a null bitmap; if not, returns false and changes nothing.
    static func setNull(at row: Int, in start: UnsafeMutableRawPointer) -> Bool {
        let leaf = PackedIntegers(start)
        if leaf.isNull(row) { return true }
        if !leaf.head.hasNulls { return false }
        Bitmap.set(row, true, in: start + headerLength)
        leaf.store(0, at: row, in: start)
        var head = leaf.head
        head.change(nullCount: 1, adding: .looseBounds)
        head.store(start)
        return true
    }

    /// Whether `value` fits width and base.
    @inline(__always) func canHold(_ value: Int64) -> Bool {
        width == 64 || value >= base && UInt64(bitPattern: value &- base) <= mask
    }

    private func store(_ field: UInt64, at row: Int, in start: UnsafeMutableRawPointer) {
        if width == 0 { return }
        let bit = row &* width
        let offset = headerLength + head.nullBytes + (bit >> 6) * 8
        let word: UInt64 = start.little(offset)
        let shift = UInt64(bit & 63)
        start.setLittle(offset, word & ~(mask << shift) | field << shift)
    }

    /// Extends the zone map to cover `value`. The base of a narrow leaf is its minimum and stays.
    private func widen(_ zone: ClosedRange<Int64>?, by value: Int64, _ head: inout LeafHead,
                       in start: UnsafeMutableRawPointer) {
        guard let zone else {
            // The first value of a leaf that was all null: its base stays, its maximum is the value.
            if width == 64 { start.setLittle(Self.minimumOffset, value) }
            start.setLittle(Self.maximumOffset, value)
            if width != 64 && value != base { head.change(nullCount: 0, adding: .looseBounds) }
            return
        }
        if value > zone.upperBound { start.setLittle(Self.maximumOffset, value) }
        if value < zone.lowerBound { start.setLittle(Self.minimumOffset, value) }
    }

    private var headerLength: Int { Self.headerLength }
}
