import Glibc
import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Processes stopped by SIGSTOP: what others get.
@Suite struct StoppedTests {
    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws { folder = try TemporaryFolder() }

    /// A helper that stops itself while it commits.
    private func stopped(at order: String, _ command: String) throws -> SpawnedProcess {
        let process = try SpawnedProcess("SharingHelper", environment: ["FREEHOLD_STOP_AT": order])
        try process.ask("open \(path)", "open")
        process.send(command)
        #expect(process.waitUntilStopped())
        return process
    }

    @Test func aStoppedWriterBlocksWritersOnly() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let writer = try stopped(at: "commit.segmentsWritten:1", "commit full")
        let error = #expect(throws: FreeholdError.self) { try ToyStore.commit(session, .full, timeoutMilliseconds: 20) }
        #expect(error?.code == .busy)
        #expect(try session.readers.claim().pin().version == 1)
        writer.signal(SIGCONT)
        try writer.expect("committed 2 1")
        try ToyStore.commit(session, .full)
    }

    @Test(arguments: ["flush.unlocked:1", "flush.synced:1"]) func aStoppedLeaderStopsNobody(_ order: String) throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let leader = try stopped(at: order, "commit full")
        try ToyStore.commit(session, .full)
        #expect(session.memory.durable.version == 3)
        #expect(session.visibleVersion == 3)
        leader.signal(SIGCONT)
        try leader.expect("committed 2 1")
    }

    @Test func insideTheFlushLockItDelaysDurabilityOnly() throws {
        let session = try openImpatiently()
        defer { try? session.close() }
        let leader = try stopped(at: "flush.targetPublished:1", "commit full")
        let error = #expect(throws: FreeholdError.self) { try ToyStore.commit(session, .full) }
        #expect(error?.code == .notYetDurable)
        #expect(error?.message.contains("process \(leader.id)") == true)
        // The process itself sees its commit, the others do not yet.
        #expect(try session.readers.claim().pin().version == 3)
        #expect(session.visibleVersion == 1)
        leader.signal(SIGCONT)
        try leader.expect("committed 2 1")
        try ToyStore.commit(session, .full)
        #expect(session.visibleVersion == 4)
    }

    @Test func aWriterSeesItsOwnCommitAboveAnothersUnflushedOne() throws {
        let session = try openImpatiently()
        defer { try? session.close() }
        let leader = try stopped(at: "flush.targetPublished:1", "commit full")
        let cell = try session.readers.claim()
        #expect(try cell.pin().version == 1)
        try cell.unpin()
        try ToyStore.commit(session, .processCrash)
        #expect(try cell.pin().version == 3)
        #expect(session.held.versions() == [1, 2, 3])
        try cell.unpin()
        leader.signal(SIGCONT)
        try leader.expect("committed 2 1")
        #expect(session.visibleVersion == 3)
    }

    @Test func aDeadProcesssFullCommitIsFlushedByWhoWaits() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let writer = try SpawnedProcess("SharingHelper", environment: ["FREEHOLD_KILL_AT": "commit.unlocked:1"])
        try writer.ask("open \(path)", "open")
        writer.send("commit full")
        #expect(writer.wait() == .signalled(SIGKILL))
        #expect(session.visibleVersion == 1)
        #expect(try session.waitForChange(after: 1, timeoutMilliseconds: 30_000) == 2)
    }

    @Test func aDeadProcesssUnpublishedCommitIsPublishedByWhoWaits() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let writer = try SpawnedProcess("SharingHelper", environment: ["FREEHOLD_KILL_AT": "commit.rootWritten:1"])
        try writer.ask("open \(path)", "open")
        writer.send("commit fast")
        #expect(writer.wait() == .signalled(SIGKILL))
        #expect(try session.waitForChange(after: 1, timeoutMilliseconds: 30_000) == 2)
    }

    @Test func aTightLoopStarvesNobody() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let loops = try (0..<2).map { _ in try SpawnedProcess("SharingHelper") }
        for loop in loops {
            try loop.ask("open \(path)", "open")
            loop.send("count 1000000 fast")
        }
        // Each would wait for the end of a million commits were it not let in.
        for _ in 0..<20 { try ToyStore.commit(session, .processCrash, timeoutMilliseconds: 10_000) }
    }

    @Test("an opener waits for a process that is stopped while it closes, longer than for one under another name")
    func aStoppedCloserIsWaitedFor() throws {
        let closer = try stopped(at: "close.slotReleased:1", "close")
        var options = ToyStore.testOptions()
        // Longer than a lock file that belongs to nobody is waited for.
        options.openTimeoutMilliseconds = 2 * SessionOpener.mismatchMilliseconds
        let error = #expect(throws: FreeholdError.self) { try ToyStore.open(path, options) }
        #expect(error?.code == .busy && error?.message.contains("opening or closing the database") == true, "\(error?.description ?? "")")
        closer.signal(SIGCONT)
        try closer.expect("closed")
        try ToyStore.open(path, options).close()
    }

    private func openImpatiently() throws -> Session {
        var options = ToyStore.testOptions()
        options.flushTimeoutMilliseconds = 100
        return try ToyStore.open(path, options)
    }
}
