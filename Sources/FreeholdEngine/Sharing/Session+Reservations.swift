import Platform

extension Session {
    /// All pages reserved at present. The caller owns the writer lock, so none is added meanwhile.
    func reservedPages() throws(FreeholdError) -> RangeSet<Int> {
        let pages = try member.file.length() / FileLayout.page
        guard let reserved = reservations.all(within: min(FileLayout.firstData / FileLayout.page, pages)..<pages) else { throw member.damagedLockFile() }
        return reserved
    }

    /// The end of the last reserved page, in bytes; 0 if none is reserved.
    func reservedEnd() throws(FreeholdError) -> UInt64 {
        if reservations.change == 0 { return 0 }
        return UInt64((try reservedPages().ranges.last?.upperBound ?? 0) * FileLayout.page)
    }

    /// Skips the version number of a transaction that never became a version: data read in it is remembered under this
    /// number, so no other version may get it. The caller owns the writer lock.
    func skip(_ version: UInt64) { member.memory.versionFloor.raise(to: version) }
}
