import Platform

extension Session {
    /// All pages reserved now. The caller owns the writer lock, so none is added meanwhile.
    func reservedPages() throws(FreeholdError) -> RangeSet<Int> {
        let pages = try file.length() / FileLayout.page
        guard let reserved = reservations.all(within: min(FileLayout.firstData / FileLayout.page, pages)..<pages) else { throw damagedLockFile() }
        return reserved
    }

    /// Where the last reserved page ends, in bytes; 0 if none is reserved.
    func reservedEnd() throws(FreeholdError) -> UInt64 {
        if reservations.change == 0 { return 0 }
        return UInt64((try reservedPages().ranges.last?.upperBound ?? 0) * FileLayout.page)
    }

    /// Leaves out a version's number that a transaction had which never became a version: what was read in it is remembered under
    /// this number, so no other may get it. The caller owns the writer lock.
    func skip(_ version: UInt64) { memory.versionFloor.raise(to: version) }

    // What is written outside commits goes to the disk by the descriptor that carries the byte locks: the kernel tells each descriptor
    // once of a failure, and what this one is told, that of the flushes is told as well. Whoever is told ends the session.

    /// Makes what this process has written durable, outside a flush of commits.
    func synchronizeWritten() throws(FreeholdError) {
        if let failure = writtenTurn.callInTurn({ () throws(SystemError) in try slots.liveness.synchronizeData() }) { throw poison(failure) }
    }

    /// Writes pages to the disk and waits until they are there. (By itself it makes nothing durable.)
    func writeBack(_ bytes: Range<Int>) throws(FreeholdError) {
        let failure = writtenTurn.callInTurn { () throws(SystemError) in
            try slots.liveness.writeBack(offset: bytes.lowerBound, length: bytes.count)
        }
        if let failure { throw poison(failure) }
    }
}
