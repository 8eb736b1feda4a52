import FreeholdEngine

/// Safe throughout: a position is below the count of the image's cluster; its words lie there.
extension RowImage {
    /// The field at a position, as stored.
    @inline(__always)
    func field(_ position: Int) -> UInt64 {
        let bit = UInt64(truncatingIfNeeded: position) &<< shift
        let word = words.loadUnaligned(fromByteOffset: Int(truncatingIfNeeded: (bit &>> 6) &<< 3), as: UInt64.self)
        return (word &>> (bit & 63)) & mask
    }

    /// The integer at a position; wraps like the leaf's own reader.
    @inline(__always)
    func integer(_ position: Int) -> Int64 { base &+ Int64(bitPattern: field(position)) }

    /// The double at a position, or the float.
    @inline(__always)
    func real(_ position: Int) -> Double {
        shift == 6 ? Double(bitPattern: field(position)) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: field(position))))
    }
}

extension RowNeighbours {
    /// Whether a key is between the first and the last key.
    @inline(__always)
    func spans(_ key: Int64) -> Bool { UInt64(bitPattern: key &- firstKey) <= UInt64(bitPattern: lastKey &- firstKey) }

    /// The position of a key within the span, at or after another position; nil if there is none.
    @inline(__always)
    func position(_ key: Int64, from start: Int) -> Int? {
        // The difference fits, because the keys span `count` positions.
        if areConsecutive { return Int(truncatingIfNeeded: key &- firstKey) }
        var position = start
        while position < count - 1, keys.integer(position) < key { position += 1 }
        return keys.integer(position) == key ? position : nil
    }
}
