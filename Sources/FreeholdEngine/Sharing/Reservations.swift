// Safe throughout: lines stay below the count of initialised ones.
import Platform

/// Pages that processes fill outside the writer lock, and that nobody else may take meanwhile.
///
/// ```
///  0  owner's token, 0 while the line is free      8  first page << 24 | pages
/// ```
/// 1. A line is filled by the owner of the writer lock, its token last, both by exchanges from what it has seen: one that was stopped meanwhile,
///    and counted as dead, changes nothing of a line that is another's by then. It is given up by whoever its token names, or by who has
///    found that process dead: with one exchange of the token, under no lock.
/// 2. `change` grows behind each change. Who owns the writer lock and finds it as it was knows all lines.
/// 3. A line that has just been given up may still be seen: its pages then stay unused a little longer.
/// 4. They are not for the file: after a crash, or with the session's end, nobody has reserved anything.
struct Reservations {
    let lockFile: LockFile

    private var memory: LockMemory { lockFile.memory }
    private var count: Int { Int(min(memory.reservationCount.loadInOrder(), UInt64(LockLayout.reservationLimit))) }

    private func word(_ line: Int, _ offset: Int) -> SharedWord {
        SharedWord(memory.base + LockLayout.reservations.offset(line), offset)
    }

    private func owner(_ line: Int) -> SharedWord { word(line, 0) }

    /// 0 if nothing was ever reserved in this session.
    @inline(__always) var change: UInt64 { memory.reservationChange.loadInOrder() }

    /// The pages reserved by anybody; nil if a line makes no sense.
    ///
    /// - Parameter pages: those that can be: the file's behind its header.
    func all(within pages: Range<Int>) -> RangeSet<Int>? {
        var found = RangeSet<Int>()
        for line in 0..<count where owner(line).loadInOrder() != 0 {
            let (first, length) = Self.unpacked(word(line, 8).loadInOrder())
            // A line given up since may be anything.
            if owner(line).loadInOrder() == 0 { continue }
            guard pages.contains(first), length <= pages.upperBound - first else { return nil }
            found.insert(contentsOf: first..<first + length)
        }
        return found
    }

    /// Enters pages for the process that `token` names. The caller owns the writer lock.
    func add(_ pages: Range<Int>, _ token: UInt64) throws(FreeholdError) -> Int {
        for line in 0..<LockLayout.reservationLimit {
            try lockFile.makeLine(line, ofTable: LockLayout.reservations, count: memory.reservationCount)
            let before = word(line, 8).loadInOrder()
            guard owner(line).loadInOrder() == 0 else { continue }
            guard word(line, 8).replace(before, with: Self.packed(pages.lowerBound, pages.count)), owner(line).replace(0, with: token) else {
                throw FreeholdError(.leaseLost, "others have counted this process as dead; close the database and open it again", path: "")
            }
            memory.reservationChange.advance()
            return line
        }
        throw FreeholdError(
            .busy, "so many long values are being written by all processes together that there is no line for another; wait until "
                + "some are finished", path: "")
    }

    /// Keeps only the first `count` pages of a line, which is the caller's own and has `pages`.
    func shorten(_ line: Int, _ pages: Range<Int>, to count: Int) {
        _ = word(line, 8).replace(Self.packed(pages.lowerBound, pages.count), with: Self.packed(pages.lowerBound, count))
        memory.reservationChange.advance()
    }

    /// Pages of one run, of which none has more than fit into 24 bits (`LargeValueWriter`).
    private static let countBits: UInt64 = 24

    private static func packed(_ first: Int, _ count: Int) -> UInt64 { UInt64(first) << countBits | UInt64(count) }

    private static func unpacked(_ word: UInt64) -> (first: Int, count: Int) {
        (Int(word >> countBits), Int(word & (1 << countBits - 1)))
    }

    /// Gives a line up.
    func release(_ line: Int, _ token: UInt64) {
        if owner(line).replace(token, with: 0) { memory.reservationChange.advance() }
    }

    /// Whether a line is still the process's that `token` names.
    func isHeld(_ line: Int, _ token: UInt64) -> Bool { owner(line).loadInOrder() == token }

    /// Gives up everything a process has reserved. The caller made sure that it is dead, or is that process.
    func releaseAll(of token: UInt64) {
        for line in 0..<count { release(line, token) }
    }
}
