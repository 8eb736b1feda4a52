import Platform

extension Flusher {
    /// Waits until all that was written so far is on the disk. A failure ends the session, as that of a flush does.
    func synchronizeOutsideFlush() throws(FreeholdError) {
        if let failure = turn.callInTurn({ () throws(SystemError) in try file.synchronize() }) { throw poison(failure) }
    }

    // What is written outside commits goes to the disk by the descriptor that carries the byte locks: the kernel
    // reports a failure once to each descriptor, and a failure that it reports to this one it reports to that of the
    // flushes as well. A process that gets the report ends the session.

    /// Makes the pages that this process has written durable, outside a flush of commits.
    func synchronizeWritten() throws(FreeholdError) {
        if let failure = writtenTurn.callInTurn({ () throws(SystemError) in try member.slots.liveness.synchronizeData() }) { throw poison(failure) }
    }

    /// Writes pages to the disk and waits until they are there. (This alone makes nothing durable.)
    func writeBack(_ bytes: Range<Int>) throws(FreeholdError) {
        let failure = writtenTurn.callInTurn { () throws(SystemError) in
            try member.slots.liveness.writeBack(offset: bytes.lowerBound, length: bytes.count)
        }
        if let failure { throw poison(failure) }
    }
}
