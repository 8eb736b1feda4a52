import DatabaseKit
@testable import FreeholdEngine
import Glibc
import Platform
import TestKit
import Testing

/// Simulated processes with one database open, switched at every call and named point, killed, stopped and cut off at
/// any of them. What they see and are told is written down and judged by `Chronicle`'s rules.
///
/// A failure names its seed; `FREEHOLD_SEED=seed` runs that one alone.
@Suite struct InterleavingTests {
    /// Where a process can be killed while others go on. (`KillTests` reads the list of all points from the sources and
    /// kills real processes at them; the ones left out here are those of growing lock files and shrinking files.)
    static let points = [
        "open.start", "open.sessionLocked", "open.created", "open.recovered", "open.slotClaimed", "open.cellClaimed", "open.ready",
        "begin.locked", "begin.ownerSet", "commit.segmentsWritten", "commit.rootHalfWritten", "commit.rootWritten",
        "publish.lastFullSet", "publish.ringWritten", "publish.newestSet", "publish.visibleSet", "commit.ownerCleared",
        "commit.unlocked", "flush.locked", "flush.targetChosen", "flush.targetPublished", "flush.rootWritten",
        "flush.unlocked", "flush.told", "flush.synced", "flush.relocked", "flush.confirmed", "flush.durableSet", "flush.visibleSet",
        "flush.done", "read.chosen", "read.pinStored", "read.pinned", "read.unpinned", "wait.armed", "wait.woken",
        "reap.claimed", "reap.cleared", "close.start", "close.slotReleased", "close.left", "close.ending", "close.flushed",
    ]

    private static let chosen = getenv("FREEHOLD_SEED").flatMap { UInt64(String(cString: $0)) }
    static let seeds = chosen.map { [$0] } ?? TestScale.seeds(120)
    private static let seedsPerPoint = chosen.map { [$0] } ?? TestScale.seeds(3)

    @Test("processes interleaved, killed and stopped at random see and keep what was promised", arguments: seeds)
    func atRandom(_ seed: UInt64) throws {
        let crowd = Crowd(seed: seed)
        try crowd.run()
        #expect(crowd.complaints.isEmpty, "seed \(seed): \(crowd.complaints.prefix(4).joined(separator: "\n"))")
        let tally = crowd.chronicle.tally
        #expect(crowd.end != .finished || tally.commits + tally.reads > 0, "seed \(seed): nothing happened")
    }

    @Test("a process killed at a named point harms nobody", arguments: points)
    func atPoint(_ point: String) throws {
        var deaths = 0
        for seed in Self.seedsPerPoint {
            let crowd = Crowd(seed: seed &* 1000 &+ 7, point: point)  // Safe: any seed will do.
            try crowd.run()
            #expect(crowd.complaints.isEmpty, "\(point), seed \(seed): \(crowd.complaints.prefix(4).joined(separator: "\n"))")
            deaths += crowd.deathsAtPoint
        }
        // One seed alone may not lead there.
        #expect(deaths > 0 || Self.seedsPerPoint.count < 3, "nobody ever passed \(point)")
    }

    @Test("a seed tells the whole story: the same steps each time")
    func sameSeedSameSteps() throws {
        var traces: Set<UInt64> = []
        for _ in 0..<2 {
            let crowd = Crowd(seed: 5)
            try crowd.run()
            traces.insert(crowd.trace)
        }
        #expect(traces.count == 1)
    }
}
