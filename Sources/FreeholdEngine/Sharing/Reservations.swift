// Safe throughout: lines stay below the count of initialised ones.
import Platform

/// Pages that processes fill outside the writer lock, and that nobody else may take meanwhile.
///
/// ```
///  0  owner's token, 0 while the line is free      8  first page      16  pages
/// ```
/// 1. A line is filled by the owner of the writer lock, its token last. It is given up by whoever its token names, or by who has
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
            let first = Int(clamping: word(line, 8).load()), length = Int(clamping: word(line, 16).load())
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
            guard owner(line).loadInOrder() == 0 else { continue }
            word(line, 8).store(UInt64(pages.lowerBound))
            word(line, 16).store(UInt64(pages.count))
            owner(line).storeInOrder(token)
            memory.reservationChange.advance()
            return line
        }
        throw FreeholdError(
            .busy, "so many long values are being written by all processes together that there is no line for another; wait until "
                + "some are finished", path: "")
    }

    /// Keeps only the first `count` pages of a line, which is the caller's own.
    func shorten(_ line: Int, to count: Int) {
        word(line, 16).store(UInt64(count))
        memory.reservationChange.advance()
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
