import Platform

extension Session {
    /// All pages reserved at present. The caller owns the writer lock, so none is added meanwhile.
    func reservedPages() throws(FreeholdError) -> RangeSet<Int> {
        let pages = try file.length() / FileLayout.page
        guard let reserved = reservations.all(within: min(FileLayout.firstData / FileLayout.page, pages)..<pages) else { throw damagedLockFile() }
        return reserved
    }

    /// The end of the last reserved page, in bytes; 0 if none is reserved.
    func reservedEnd() throws(FreeholdError) -> UInt64 {
        if reservations.change == 0 { return 0 }
        return UInt64((try reservedPages().ranges.last?.upperBound ?? 0) * FileLayout.page)
    }

    /// Skips the version number of a transaction that never became a version: data read in it is remembered under this
    /// number, so no other version may get it. The caller owns the writer lock.
    func skip(_ version: UInt64) { memory.versionFloor.raise(to: version) }

    // What is written outside commits goes to the disk by the descriptor that carries the byte locks: the kernel
    // reports a failure once to each descriptor, and a failure that it reports to this one it reports to that of the
    // flushes as well. A process that gets the report ends the session.

    /// Makes the pages that this process has written durable, outside a flush of commits.
    func synchronizeWritten() throws(FreeholdError) {
        if let failure = writtenTurn.callInTurn({ () throws(SystemError) in try slots.liveness.synchronizeData() }) { throw poison(failure) }
    }

    /// Writes pages to the disk and waits until they are there. (This alone makes nothing durable.)
    func writeBack(_ bytes: Range<Int>) throws(FreeholdError) {
        let failure = writtenTurn.callInTurn { () throws(SystemError) in
            try slots.liveness.writeBack(offset: bytes.lowerBound, length: bytes.count)
        }
        if let failure { throw poison(failure) }
    }
}
