import Platform

extension DatabaseCore {
    /// Begins a write: waits for the writer lock, at most `timeoutMilliseconds`.
    func beginWrite(timeoutMilliseconds: Int) throws(FreeholdError) -> WriteLease {
        let lease = try session.beginWrite(timeoutMilliseconds: timeoutMilliseconds)
        // A lost transaction may still use the tools that it began with, on some thread. This one gets others.
        if writing.isLent { makeNewTools() }
        return lease
    }

    /// Gives a transaction's blocks their places and writes them; returns the root to publish.
    func writeBlocks(of pending: PendingBlocks, top: BlockReference, after lease: WriteLease) throws(FreeholdError) -> Root {
        let writer = try writer(after: lease)
        let sink = DataFileSink(session, lease, length: try initializedLength(writer.map, lease))
        let outcome: CommitOutcome
        do {
            outcome = try writer.write(pending, top: top, version: lease.nextVersion, held: heldVersions(writer.map, lease), into: sink)
        } catch {
            writer.map.discard()
            throw error
        }
        point("commit.segmentsWritten", session.system)
        writing.fileLength = max(writing.fileLength, sink.length)
        var root = lease.newest
        root.version = lease.nextVersion
        root.top = outcome.top
        root.length = outcome.length
        return root
    }

    /// The versions whose pages the commit must not reuse. Parked versions that cost too much are taken from their
    /// holders.
    func heldVersions(_ map: SpaceMap, _ lease: WriteLease) -> [UInt64] {
        session.heldVersionsForCommit { version in
            if let most = parkedLimit.versions, lease.newest.version - min(version, lease.newest.version) > most { return true }
            guard let most = parkedLimit.bytes else { return false }
            let pages = map.waiting.cost().first { $0.version == version }?.pages ?? 0
            return UInt64(pages * BlockLayout.page) > most
        }
    }

    /// Makes `root` the newest version and ends the write.
    ///
    /// - Parameter committed: called once the root is committed, while the writer lock is still held: what it touches
    ///   belongs to the next writer of this process as soon as the lock is given back.
    /// - Throws: before `committed` was called, the write is still open and is to be rolled back. After it,
    ///   `.notYetDurable` or `.io`, and the write has ended.
    func publish(
        _ root: Root, _ pending: PendingBlocks, _ durability: Durability, ending lease: WriteLease, committed: () -> Void
    ) throws(FreeholdError) {
        try session.publish(root, durability, ending: lease) {
            writing.commitWriter?.map.apply()
            writing.commitWriter?.noteVerified(pending, in: access)
            committed()
        } whenPublished: {
            // Not before: only now `root` is among the versions that are held.
            cutFile(after: root, lease)
            punchHoles(after: root, lease)
        }
    }

    /// Gives the end of the file back to the disk once it is well beyond what any held version needs. A part of it
    /// stays, so that a file that shrinks and grows is not cut at every commit.
    ///
    /// Called under the writer lock, with `root` published. A file that cannot be cut stays valid: the next commit
    /// tries again.
    private func cutFile(after root: Root, _ lease: WriteLease) {
        let reserve = max(root.length / 4, 64 << 10)
        guard writing.fileLength > root.length + 2 * reserve, writing.upkeep.mayTryToCut() else { return }
        cutFile(keeping: reserve, lease)
    }

    /// Cuts the file to what the longest held version needs and `reserve` bytes. The caller owns the writer lock. Every
    /// version that has a complete V record of this session is published: what is committed counts as held.
    func cutFile(keeping reserve: UInt64, _ lease: WriteLease) {
        guard !session.publisher.hasUnpublishedCommit, let longest = session.held.longestLength(), let length = try? session.file.length(),
              let reserved = try? session.reservedEnd() else { return }
        let kept = max(UInt64(FileLayout.pages(holding: Int(longest + reserve))), reserved)
        writing.fileLength = UInt64(length)
        guard kept < writing.fileLength, session.isUnderWay(lease), (try? session.file.cut(to: Int(kept))) != nil else { return }
        writing.fileLength = kept
    }
}

extension DatabaseCore {
    /// Holes are punched once more than twice as much is stored as a commit could want. A quarter beyond that is kept,
    /// so commits continue to write to allocated storage.
    private static let leastReserve = 256
    private static let mostPunched = 16_384

    /// Gives the storage of reusable pages in the middle of the file back to the disk, where the file system can. No
    /// held version sees those pages, so a power cut finds nothing missing. Called under the writer lock, with `root`
    /// published, which the map shows: a reusable page is none of its pages, nor of those that were held when its
    /// commit took its pages.
    private func punchHoles(after root: Root, _ lease: WriteLease) {
        guard let map = writing.commitWriter?.map, map.version == root.version, map.reusablePages > map.table.count / 2,
              map.reusablePages > 4 * Self.leastReserve, writing.upkeep.mayTryToPunch() else { return }
        let needed = map.table.count - map.reusablePages, reserve = max(needed / 4, Self.leastReserve)
        guard let stored = try? session.file.file.status().storedLength,
              stored / BlockLayout.page > 2 * (needed + reserve) else { return }
        for run in map.punchableRuns(keeping: reserve, atMost: Self.mostPunched) {
            guard session.isUnderWay(lease) else { return }
            let isPunched = try? session.file.punchHole(offset: run.lowerBound * BlockLayout.page, length: run.count * BlockLayout.page)
            if isPunched != true { return writing.upkeep.giveUpPunching() }
        }
    }
}

/// The data file as the `Space` floor writes to it, used only while the write in question has the writer lock.
final class DataFileSink: CommitSink {
    private let session: Session
    private let lease: WriteLease
    private(set) var length: UInt64

    private var file: DataFile { session.file }

    init(_ session: Session, _ lease: WriteLease, length: UInt64) {
        self.session = session
        self.lease = lease
        self.length = length
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FreeholdError) {
        try file.requireMapped(Int(offset) + bytes.count)
        try session.requireUnderWay(lease)
        try file.write(bytes, at: Int(offset))
        length = max(length, offset + UInt64(bytes.count))
    }

    func grow(to newLength: UInt64) throws(FreeholdError) {
        try session.requireUnderWay(lease)
        try file.grow(from: Int(length), to: Int(newLength))
        length = max(length, newLength)
    }
}
