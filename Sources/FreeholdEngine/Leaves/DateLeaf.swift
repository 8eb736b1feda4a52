/// Points in time: seconds and nanoseconds are stored separately, since the nanoseconds of whole seconds then take no
/// space.
///
/// ```
/// offset  bytes
///      0         packed integers: seconds, with the leaf's nulls
///      …         packed integers: nanoseconds, as many rows, never null; 0 in null rows
/// ```
///
/// Safe throughout: as for `PackedIntegers`, made over validated bytes and asked for rows below the count.
struct DateLeaf {
    let seconds: PackedIntegers
    let nanoseconds: PackedIntegers

    @inline(__always) init(_ start: UnsafeRawPointer) {
        seconds = PackedIntegers(start)
        nanoseconds = PackedIntegers(start + seconds.byteCount)
    }

    @inline(__always) var count: Int { seconds.count }
    @inline(__always) var nullCount: Int { seconds.nullCount }
    @inline(__always) func isNull(_ row: Int) -> Bool { seconds.isNull(row) }
    var byteCount: Int { seconds.byteCount + nanoseconds.byteCount }

    @inline(__always) subscript(row: Int) -> (seconds: Int64, nanoseconds: Int32) {
        (seconds[row], Int32(truncatingIfNeeded: nanoseconds[row]))
    }

    /// Stores a point in time in a row if both parts fit in place; if not, returns false and changes nothing.
    static func set(seconds: Int64, nanoseconds: Int32, at row: Int, in start: UnsafeMutableRawPointer) -> Bool {
        let leaf = DateLeaf(start)
        if !leaf.nanoseconds.canHold(Int64(nanoseconds)) { return false }
        let second = start + leaf.seconds.byteCount
        return PackedIntegers.set(seconds, at: row, in: start) && PackedIntegers.set(Int64(nanoseconds), at: row, in: second)
    }

    /// Makes a row null if the leaf has a null bitmap and its nanoseconds can be 0; if not, returns false and changes
    /// nothing.
    static func setNull(at row: Int, in start: UnsafeMutableRawPointer) -> Bool {
        let leaf = DateLeaf(start)
        if !leaf.seconds.head.hasNulls { return false }
        return PackedIntegers.set(0, at: row, in: start + leaf.seconds.byteCount) && PackedIntegers.setNull(at: row, in: start)
    }

    /// The length of the leaf at the front of `bytes`, which come from a file; nil if there is no valid leaf.
    static func validatedLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let first = PackedIntegers.validatedLength(bytes), let start = bytes.baseAddress else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[first...])
        guard let second = PackedIntegers.validatedLength(rest) else { return nil }
        let seconds = PackedIntegers(start)
        let nanoseconds = PackedIntegers(start + first)
        guard nanoseconds.count == seconds.count, !nanoseconds.head.hasNulls else { return nil }
        return first + second
    }

    static func validate(_ start: UnsafeRawPointer, length: Int) -> Bool {
        validatedLength(UnsafeRawBufferPointer(start: start, count: length)) == length
    }

    /// The first violation of the layout in a validated leaf, for the checker; nil if none.
    func problem() -> String? {
        if let problem = seconds.problem() { return "seconds: \(problem)" }
        if let problem = nanoseconds.problem() { return "nanoseconds: \(problem)" }
        guard let zone = nanoseconds.bounds() else { return nil }
        if zone.lowerBound < 0 || zone.upperBound > 999_999_999 { return "nanoseconds are not below one second" }
        return nil
    }
}
