import FreeholdEngine

/// The version that a realm shows: what was found in it is valid as long as its epoch lasts.
struct RealmVersion {
    /// Incremented whenever rows found before become invalid.
    var epoch: UInt64 = 1
    /// Incremented before any object changes.
    var changes: UInt64 = 0
    /// The low bits of the number of invalidations: objects and collections found before the last one are invalid. One
    /// from exactly 256 invalidations ago is taken for valid, and shows what is there.
    var generation: UInt8 = 0
    /// The value of `generation` when the realm was read last.
    var readGeneration: UInt8 = 0
    /// The low bits of the version that the realm shows or writes.
    var seen: UInt32 = 0
    /// The thread that may use the fast path; 0 for a frozen realm, whose fields are read by the thread that created them.
    var fieldsThread: UInt
    /// The version, once it was read.
    var snapshot: Snapshot?
    /// The version that the realm showed last, once it no longer shows it.
    var lastShown: Version?

    init(fieldsThread: UInt) { self.fieldsThread = fieldsThread }

    /// Notes which version is shown or written from now on.
    mutating func note(_ version: Version) {
        seen = UInt32(truncatingIfNeeded: version.rawValue)
        readGeneration = generation
    }

    /// Releases the version, and remembers which one it was. An iterator may keep it for longer.
    mutating func release() {
        lastShown = snapshot?.version ?? lastShown
        snapshot?.end()
        snapshot = nil
    }
}
