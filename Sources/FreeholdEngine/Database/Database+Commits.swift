/// A commit as `Database.commits` tells of it.
public struct CommitRecord: Sendable, Equatable {
    public let version: Version
    /// The process that committed; nil if that is not known: the process was killed before it could say so, or its Freehold is older.
    public let processIdentifier: Int32?
    /// The name of that process; nil once it has closed the database.
    public let processName: String?
    /// When it was committed, by this machine's clock.
    public let time: Timestamp
}

extension Database {
    /// Who committed the given versions, and when: of those that are among the last 256 since any program opened the database.
    ///
    /// ```swift
    /// for commit in try database.commits(seen.next...newest) { print(commit.version, commit.processName ?? "a process that is gone") }
    /// ```
    /// Kept in memory that the programs share, not in the file: a database that no program has open forgets it.
    public func commits(_ versions: ClosedRange<Version>) throws(FreeholdError) -> [CommitRecord] {
        let session = try core().session, member = session.member
        let newest = member.memory.newest.version
        let last = min(versions.upperBound.rawValue, newest), limit = UInt64(LockLayout.ringEntries)
        let first = max(versions.lowerBound.rawValue, last < limit ? 0 : last - limit + 1)
        guard first <= last else { return [] }
        let now = member.system.monotonicNanoseconds, wallClock = member.system.wallClockNanoseconds
        let names = member.slots.liveNames()
        return (first...last).compactMap { version -> CommitRecord? in
            guard let entry = member.memory.ring.entry(of: version) else { return nil }
            let moment = wallClock - Int64(clamping: now - min(entry.publishedNanoseconds, now))
            let (seconds, nanoseconds) = moment.quotientAndRemainder(dividingBy: 1_000_000_000)
            return CommitRecord(
                version: Version(version), processIdentifier: entry.committer, processName: entry.committer.flatMap { names[$0] },
                time: Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)))
        }
    }
}
