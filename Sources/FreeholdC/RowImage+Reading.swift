import FreeholdEngine

/// Safe throughout: a position is below the count of the cluster that the image is of; its words lie there.
extension RowImage {
    /// The field at a position, as it is kept.
    @inline(__always)
    func field(_ position: Int) -> UInt64 {
        let bit = UInt64(truncatingIfNeeded: position) &<< shift
        let word = words.loadUnaligned(fromByteOffset: Int(truncatingIfNeeded: (bit &>> 6) &<< 3), as: UInt64.self)
        return (word &>> (bit & 63)) & mask
    }

    /// The integer at a position; wraps as the leaf's own reading does.
    @inline(__always)
    func integer(_ position: Int) -> Int64 { base &+ Int64(bitPattern: field(position)) }

    /// The double at a position, or the float.
    @inline(__always)
    func real(_ position: Int) -> Double {
        shift == 6 ? Double(bitPattern: field(position)) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: field(position))))
    }
}

extension RowNeighbours {
    /// Whether a key lies between the first and the last.
    @inline(__always)
    func spans(_ key: Int64) -> Bool { UInt64(bitPattern: key &- firstKey) <= UInt64(bitPattern: lastKey &- firstKey) }

    /// The position of a key that they span, at or behind another position; nil if there is none.
    @inline(__always)
    func position(_ key: Int64, from start: Int) -> Int? {
        // A span of `count` keys fits.
        if areConsecutive { return Int(truncatingIfNeeded: key &- firstKey) }
        var position = start
        while position < count - 1, keys.integer(position) < key { position += 1 }
        return keys.integer(position) == key ? position : nil
    }
}
