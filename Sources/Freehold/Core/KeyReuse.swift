import FreeholdEngine

/// Which keys of a class were used before, so that an object found under one is not taken for a later one with the same key.
struct KeyReuse {
    /// The versions that created objects under keys used before: the file forgets them once no older version is held.
    private var remade: [Int64: UInt32] = [:]
    private var hasRemade = false
    /// Whether the program has objects of the class that are identified by a key which may be reused.
    var isKnownByKey = false

    /// Records which keys were reused since a version, which is still held, or was shown last.
    mutating func remember(_ table: Table, since version: Version) throws(FreeholdError) {
        var found = remade
        try table.forEachRemade(since: version) { found[$0.rawValue] = UInt32(truncatingIfNeeded: $1.rawValue) }
        remade = found
        hasRemade = !found.isEmpty
    }

    /// Whether the row already existed, as the same object, at the version with these low bits.
    @inline(__always)
    func isSame(_ row: Row, _ seen: UInt32) throws(FreeholdError) -> Bool {
        // Safe: versions are compared by their lowest bits: no object is held over two billion commits.
        var made = UInt32(truncatingIfNeeded: try row.incarnation)
        if made == 0, hasRemade { made = remade[row.key.rawValue] ?? 0 }
        return made == 0 || Int32(bitPattern: made &- seen) <= 0
    }
}
