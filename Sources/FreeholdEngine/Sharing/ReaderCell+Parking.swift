/// Pins that rest: see (6).
extension ReaderCell {
    /// How going on from a parked pin ended.
    enum Resumption {
        /// The version was held all the time.
        case active
        /// A writer took it away meanwhile.
        case revoked
        /// The cell is no longer this owner's.
        case lost
    }

    /// Lets writers take the version away; false if the cell has changed hands.
    func park(_ version: UInt64) -> Bool { word.replace(mark | version, with: mark | Self.parkedBit | version) }

    /// Holds a parked version for certain again.
    func resume(_ version: UInt64) -> Resumption {
        if word.replace(mark | Self.parkedBit | version, with: mark | version) { return .active }
        return word.loadInOrder() == mark | Self.parkedBit ? .revoked : .lost
    }

    /// Takes a parked version away that a scan has seen here; false if the owner was quicker. The caller owns the writer lock.
    func revoke(_ seen: UInt64) -> Bool { word.replace(seen, with: seen & ~(Self.parkedBit - 1)) }
}
