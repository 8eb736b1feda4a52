import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// SIGKILL at every named point: alone, so that the next opener recovers, and beside a process that goes on.
///
/// In every case: what was acknowledged is there, at most the one commit under way is there too, what is there is
/// whole, the next write gets its lock, and nothing stays pinned.
@Suite struct KillTests {
    static let points = [
        "open.start", "open.sessionLocked", "open.recovered", "open.slotClaimed", "open.cellClaimed", "open.ready", "begin.locked",
        "begin.ownerSet", "commit.segmentsWritten", "grow.extended", "commit.grown", "commit.rootHalfWritten",
        "commit.rootWritten", "publish.lastFullSet", "publish.ringWritten", "publish.newestSet", "publish.visibleSet",
        "commit.ownerCleared", "commit.unlocked", "flush.locked", "flush.targetChosen", "flush.targetPublished",
        "flush.rootWritten", "flush.unlocked", "flush.told", "flush.synced", "flush.relocked", "flush.confirmed", "flush.durableSet", "flush.visibleSet",
        "flush.done", "read.chosen", "read.pinStored", "read.pinned", "read.unpinned", "wait.armed", "wait.woken",
        "reap.claimed", "reap.cleared", "close.start", "close.slotReleased",
    ]
    /// Passed by whoever begins a session or ends one, not by who joins it.
    static let pointsOfTheFirst: Set = ["open.sessionLocked", "open.recovered", "open.ready"]

    /// The commit under way had passed its commit point.
    private func isCommitted(_ point: String) -> Bool {
        ["commit.rootWritten", "commit.ownerCleared", "commit.unlocked"].contains(point)
            || point.hasPrefix("publish") || point.hasPrefix("flush")
    }

    /// What the next commit may count.
    private func allowed(_ point: String, after acknowledged: UInt64) -> ClosedRange<UInt64> {
        isCommitted(point) ? acknowledged + 2...acknowledged + 2 : acknowledged + 1...acknowledged + 2
    }

    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws { folder = try TemporaryFolder() }

    /// Runs a victim to its death.
    /// - Returns: the counter of its last acknowledged commit, and its process id.
    private func runVictim(_ order: String) throws -> (acknowledged: UInt64, victim: Int32) {
        let victim = try SpawnedProcess("SharingHelper", environment: ["FREEHOLD_KILL_AT": order])
        for command in ["open \(path)", "cycle 30 1", "close"] { victim.send(command) }
        var acknowledged: UInt64 = 0
        while let line = try victim.readLine() {
            #expect(!line.hasPrefix("error") && !line.hasPrefix("damaged"), "\(line)")
            if line.hasPrefix("committed"), let last = line.split(separator: " ").last { acknowledged = UInt64(last) ?? 0 }
        }
        #expect(victim.wait() == .signalled(9), "\(order) was never passed")
        return (acknowledged, victim.id)
    }

    /// Leaves a dead process behind, with a pin, for the victim to reap.
    private func leaveACorpse() throws {
        let corpse = try SpawnedProcess("SharingHelper")
        try corpse.ask("open \(path)", "open")
        try corpse.ask("pin", "pinned 1")
        corpse.killNow()
    }

    @Test(arguments: points, [1, 4]) func besideASurvivor(_ point: String, _ time: Int) throws {
        if Self.pointsOfTheFirst.contains(point) || (time > 1 && (point.hasPrefix("open") || point.hasPrefix("close"))) { return }
        let survivor = try ToyStore.open(path)
        try leaveACorpse()
        let (acknowledged, victim) = try runVictim("\(point):\(point.hasPrefix("reap") || point.contains("row") ? 1 : time)")
        let content = try ToyStore.commit(survivor, .full, mark: 9)
        #expect(allowed(point, after: acknowledged).contains(content.counter))
        // Who published the commit of another does not pass for the one that made it.
        let entry = survivor.member.memory.ring.entry(of: content.version - 1)
        if ["commit.rootWritten", "publish.lastFullSet"].contains(point) { #expect(entry?.committer == nil) }
        if ["publish.newestSet", "publish.visibleSet", "commit.unlocked"].contains(point) { #expect(entry?.committer == victim) }
        survivor.reaper.reap()
        #expect(survivor.held.versions() == [content.version])
        #expect(survivor.held.holders().isEmpty)
        try survivor.close()
        #expect(try LinuxSystem.shared.listDirectory(folder.path) == ["x.freehold"])
    }

    @Test(arguments: points, [1, 4]) func withNobodyLeft(_ point: String, _ time: Int) throws {
        if point.hasPrefix("reap") || (time > 1 && (point.hasPrefix("open") || point.hasPrefix("close"))) { return }
        if !point.hasPrefix("open") { try ToyStore.open(path).close() }
        let (acknowledged, _) = try runVictim("\(point):\(point.contains("row") ? 1 : time)")
        let session = try ToyStore.open(path)
        let content = try ToyStore.commit(session, .full, mark: 9)
        #expect(allowed(point, after: acknowledged).contains(content.counter))
        #expect(session.held.versions() == [content.version])
        try session.close()
        #expect(try LinuxSystem.shared.listDirectory(folder.path) == ["x.freehold"])
    }
}
