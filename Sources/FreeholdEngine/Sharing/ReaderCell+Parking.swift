/// Parked pins: invariant (6) of `ReaderCell`.
extension ReaderCell {
    /// The result of resuming a parked pin.
    enum Resumption {
        /// The version was held throughout.
        case active
        /// A writer revoked it meanwhile.
        case revoked
        /// The cell no longer belongs to this owner.
        case lost
    }

    /// Parks the pin, so that writers may revoke the version; false if the cell has changed hands.
    func park(_ version: UInt64) -> Bool { word.replace(mark | version, with: mark | Self.parkedBit | version) }

    /// Resumes a parked pin: unless it was revoked, the version is held again without exception.
    func resume(_ version: UInt64) -> Resumption {
        if word.replace(mark | Self.parkedBit | version, with: mark | version) { return .active }
        return word.loadInOrder() == mark | Self.parkedBit ? .revoked : .lost
    }

    /// Revokes a parked version that a scan has seen here; false if the owner was quicker. The caller owns the writer
    /// lock.
    func revoke(_ seen: UInt64) -> Bool { word.replace(seen, with: seen & ~(Self.parkedBit - 1)) }
}
