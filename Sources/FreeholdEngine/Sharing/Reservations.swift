// Safe throughout: lines stay below the count of initialised ones.
import Platform

/// Pages that processes fill outside the writer lock, and that no other process may take meanwhile.
///
/// ```
///  0  owner's token, 0 while the line is free      8  first page << 28 | pages << 10 | how often it was filled, modulo 1,024
/// ```
/// 1. A line is filled by the owner of the writer lock, its token last, both by compare-and-swap from the words it has
///    seen: an owner that was stopped meanwhile, and counted as dead, changes nothing in a line that is another's by
///    then. A line is released by the process that its token names, or by a process that has found that one dead: with
///    one compare-and-swap of the token, under no lock.
/// 2. `change` grows after each change. An owner of the writer lock that finds it unchanged knows all lines.
/// 3. A line that has just been released may still be seen: its pages then stay unused a little longer.
/// 4. Reservations are not stored in the file: after a crash, or with the session's end, no page is reserved.
struct Reservations {
    let lockFile: LockFile

    private var memory: LockMemory { lockFile.memory }
    private var count: Int { Int(min(memory.reservationCount.loadInOrder(), UInt64(LockLayout.reservationLimit))) }

    private func word(_ line: Int, _ offset: Int) -> SharedWord {
        assert(line >= 0 && line < LockLayout.reservationLimit, "line \(line) lies beyond the table")
        return SharedWord(memory.base + LockLayout.reservations.offset(line), offset)
    }

    private func owner(_ line: Int) -> SharedWord { word(line, 0) }

    /// Grows with every change of the reservations; 0 if nothing was ever reserved in this session.
    @inline(__always) var change: UInt64 { memory.reservationChange.loadInOrder() }

    /// The pages reserved by all processes; nil if a line is invalid.
    ///
    /// - Parameter pages: the pages that can be reserved: those of the file after its header.
    func all(within pages: Range<Int>) -> RangeSet<Int>? {
        var found = RangeSet<Int>()
        for line in 0..<count where owner(line).loadInOrder() != 0 {
            let (first, length) = Self.unpacked(word(line, 8).loadInOrder())
            // A line released since may hold anything.
            if owner(line).loadInOrder() == 0 { continue }
            guard pages.contains(first), length <= pages.upperBound - first else { return nil }
            found.insert(contentsOf: first..<first + length)
        }
        return found
    }

    /// Reserves pages for the process that `token` names. The caller owns the writer lock.
    func add(_ pages: Range<Int>, _ token: UInt64) throws(FreeholdError) -> Entry {
        for line in 0..<LockLayout.reservationLimit {
            try lockFile.makeLine(line, ofTable: LockLayout.reservations, count: memory.reservationCount)
            let before = word(line, 8).loadInOrder()
            guard owner(line).loadInOrder() == 0 else { continue }
            let next = Self.packed(pages.lowerBound, pages.count, (before + 1) & Self.fillingMask)
            // If this fails, a process that was counted as dead has changed the line just now: the next line will do.
            guard word(line, 8).replace(before, with: next), owner(line).replace(0, with: token) else { continue }
            memory.reservationChange.advance()
            if memory.isLive(token) { return Entry(line: line, word: next) }
            release(line, token)
            throw FreeholdError(.leaseLost, "others have counted this process as dead; close the database and open it again", path: "")
        }
        throw FreeholdError(
            .busy, "so many long values are being written by all processes together that there is no line for another; wait until "
                + "some are finished", path: "")
    }

    /// A line, and the value with which its second word was filled.
    struct Entry {
        let line: Int
        fileprivate let word: UInt64
    }

    /// Keeps only the first `count` pages of a line. Does nothing if the line was filled again since, for any process.
    func shorten(_ entry: Entry, to count: Int) {
        let (first, whole) = Self.unpacked(entry.word)
        assert(count <= whole, "a reservation is made longer")
        _ = word(entry.line, 8).replace(entry.word, with: Self.packed(first, count, entry.word & Self.fillingMask))
        memory.reservationChange.advance()
    }

    // A run has 2^16 pages at most (`LargeValueWriter`), a file less than 2^36.
    private static let fillingMask: UInt64 = (1 << 10) - 1
    private static let countMask: UInt64 = (1 << 18) - 1

    private static func packed(_ first: Int, _ count: Int, _ filling: UInt64) -> UInt64 {
        assert(first >= FileLayout.firstData / FileLayout.page && first < 1 << 36, "page \(first) cannot be reserved")
        assert(count > 0 && UInt64(count) <= countMask && filling <= fillingMask, "a run of \(count) pages cannot be reserved")
        return UInt64(first) << 28 | UInt64(count) << 10 | filling
    }

    private static func unpacked(_ word: UInt64) -> (first: Int, count: Int) { (Int(word >> 28), Int(word >> 10 & countMask)) }

    /// Releases a line.
    func release(_ line: Int, _ token: UInt64) {
        if owner(line).replace(token, with: 0) { memory.reservationChange.advance() }
    }

    /// Whether a line still belongs to the process that `token` names.
    func isHeld(_ line: Int, _ token: UInt64) -> Bool { owner(line).loadInOrder() == token }

    /// Releases all reservations of a process. The caller made sure that it is dead, or is that process.
    func releaseAll(of token: UInt64) {
        for line in 0..<count { release(line, token) }
    }
}
