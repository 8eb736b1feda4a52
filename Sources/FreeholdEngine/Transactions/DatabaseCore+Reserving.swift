import Platform

/// Pages for values that are written outside the writer lock.
extension DatabaseCore {
    /// Pages that this process has reserved.
    struct Reservation {
        let entry: Reservations.Entry
        let pages: Range<Int>
        /// The first page behind the previous end of the file.
        let firstNew: Int
    }

    /// The commit writer. Its map is that of the version the lease starts from, without the pages that any process has
    /// reserved.
    func writer(after lease: WriteLease) throws(FreeholdError) -> CommitWriter {
        let writer = try writing.writer(at: lease.newest)
        let change = session.reservations.change
        if change != writer.map.reservedAsOf {
            try writer.map.keep(try session.reservedPages(), held: session.held.versions())
            writer.map.reservedAsOf = change
        }
        return writer
    }

    /// The bytes of the file that a commit need not initialise. Where values are streamed in, the file is longer than its newest
    /// version, and the pages beyond it may be reserved.
    func initializedLength(_ map: SpaceMap, _ lease: WriteLease) throws(FreeholdError) -> UInt64 {
        if map.reservedAsOf == 0 { return lease.newest.length }
        return max(lease.newest.length, UInt64(try session.file.length() / BlockLayout.page * BlockLayout.page))
    }

    /// Reserves up to `pageCount` pages, at least a quarter of that, out of what commits may take. Holds the writer
    /// lock for a moment.
    func reserve(_ pageCount: Int, timeoutMilliseconds: Int) throws(FreeholdError) -> Reservation {
        let lease = try beginWrite(timeoutMilliseconds: timeoutMilliseconds)
        defer { session.abandonWrite(lease) }
        shadow?.enter()
        defer { shadow?.leave() }
        session.reaper.reap()
        let map = try writer(after: lease).map
        map.discard()
        map.waiting.settle(held: session.held.versions())
        let pages = try map.reserve(pageCount)
        do {
            let length = try session.file.length()
            try session.requireUnderWay(lease)
            try session.file.extend(to: pages.upperBound * BlockLayout.page)
            writing.fileLength = max(writing.fileLength, UInt64(pages.upperBound * BlockLayout.page))
            point("stream.extended", session.system)
            let entry = try session.reservations.add(pages, session.member.slot.token)
            point("stream.reserved", session.system)
            return Reservation(entry: entry, pages: pages, firstNew: FileLayout.pages(holding: length) / BlockLayout.page)
        } catch {
            map.giveBackReserved(pages)
            throw error
        }
    }

    /// Keeps the first pages of a reservation and gives the rest back.
    func shorten(_ reservation: Reservation, to count: Int) {
        if count < reservation.pages.count, isOwn(reservation) { session.reservations.shorten(reservation.entry, to: count) }
    }

    /// Gives pages back, or notes that a commit has taken them over.
    func release(_ reservation: Reservation) {
        guard !session.isForked else { return }
        session.reservations.release(reservation.entry.line, session.member.slot.token)
    }

    /// Whether the pages are still reserved by this process: no other took it for dead and its pages away.
    private func isOwn(_ reservation: Reservation) -> Bool {
        !session.isForked && session.reservations.isHeld(reservation.entry.line, session.member.slot.token)
    }

    /// Throws if the pages may belong to another process by now.
    func requireOwn(_ reservations: [Reservation]) throws(FreeholdError) {
        try session.checkValid()
        for reservation in reservations where !isOwn(reservation) { throw session.member.invalidityError() }
    }
}
