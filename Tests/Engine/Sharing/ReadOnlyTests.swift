import Foundation
import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Opening for reading only.
@Suite struct ReadOnlyTests {
    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws {
        folder = try TemporaryFolder()
        let session = try ToyStore.open(path)
        try ToyStore.commit(session, .full, mark: 3)
        try session.close()
    }

    private func helper() throws -> SpawnedProcess { try SpawnedProcess("SharingHelper") }

    @Test func aReaderJoinsASessionAndItsPinIsRespected() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        let reader = try helper()
        try reader.ask("open-read-only \(path)", "open")
        try reader.ask("pin", "pinned 2")
        for _ in 0..<100 { try ToyStore.commit(session, .processCrash) }
        try reader.ask("check", "whole")
        #expect(session.held.versions().first == 2)
        reader.send("commit fast")
        #expect(try reader.readLine()?.hasPrefix("error readOnly") == true)
        reader.killNow()
        try ToyStore.commit(session, .full)
        session.reaper.reap()
        #expect(session.held.versions() == [103])
    }

    @Test func aLockFileThatWasNeverFinishedIsReplaced() throws {
        let victim = try SpawnedProcess("SharingHelper", environment: ["FREEHOLD_KILL_AT": "open.slotClaimed:1"])
        victim.send("open \(path)")
        #expect(victim.wait() == .signalled(9))
        let unfinished = try #require(try LinuxSystem.shared.status(of: path + ".lock")).identity
        let reader = try helper()
        try reader.ask("open-read-only \(path)", "open")
        #expect(try LinuxSystem.shared.status(of: path + ".lock")?.identity != unfinished)
        let session = try ToyStore.open(path)
        try ToyStore.commit(session, .full)
        try reader.ask("pin", "pinned 3")
        try session.close()
    }

    @Test func anEmptyLockFileIsReplaced() throws {
        #expect(FileManager.default.createFile(atPath: path + ".lock", contents: nil))
        let readers = try (0..<4).map { _ in try helper() }
        for reader in readers { reader.send("open-read-only \(path)") }
        for reader in readers { try reader.expect("open") }
        let session = try ToyStore.open(path)
        for reader in readers { try reader.ask("pin", "pinned 2") }
        for _ in 0..<50 { try ToyStore.commit(session, .processCrash) }
        for reader in readers { try reader.ask("check", "whole") }
        #expect(session.held.versions().first == 2, "the readers are not in the session of the writer")
        try session.close()
    }

    // Of several openers that find the same leftover one removes it; the others, who saw it too, must not remove what
    // stands under its name by then.
    @Test func onlyAnUnfinishedLockFileIsRemoved() throws {
        let system = LinuxSystem.shared
        let name = folder.file("other.lock")
        let status = try #require(try system.status(of: path))
        func stands() throws -> Bool { try system.status(of: name) != nil }
        try LockFile.removeUnfinished(name, system)
        #expect(try LockFile.createEmpty(name, like: status, system))
        #expect(try !LockFile.createEmpty(name, like: status, system))
        try LockFile.removeUnfinished(name, system)
        #expect(try stands(), "a whole one was removed")
        try system.removeFile(name)
        let file = try system.openFile(name, .createExclusive(permissions: 0o600))
        #expect(try file.tryLock(byte: LockFile.beginByte, exclusive: true))
        try LockFile.removeUnfinished(name, system)
        #expect(try stands(), "it was removed while another process was about to")
        file.close()
        try LockFile.removeUnfinished(name, system)
        #expect(try !stands())
    }

    @Test func readersBeginASessionThatAWriterJoins() throws {
        let readers = try (0..<4).map { _ in try helper() }
        for reader in readers { reader.send("open-read-only \(path)") }
        for reader in readers { try reader.expect("open") }
        for reader in readers { try reader.ask("pin", "pinned 2") }
        let writer = try helper()
        try writer.ask("open \(path)", "open")
        try writer.ask("count 200 fast", "counted 201")
        try writer.ask("commit full", "committed 203 202")
        for reader in readers {
            try reader.ask("check", "whole")
            try reader.ask("unpin", "unpinned")
            try reader.ask("pin", "pinned 203")
        }
        for reader in readers { try reader.ask("close", "closed") }
        try writer.ask("close", "closed")
    }

    @Test func aReaderSeesWhatKilledWritersCommitted() throws {
        let writer = try helper()
        try writer.ask("open \(path)", "open")
        try writer.ask("count 5 fast", "counted 6")
        writer.killNow()
        let reader = try helper()
        try reader.ask("open-read-only \(path)", "open")
        try reader.ask("pin", "pinned 7")
        try reader.ask("check", "whole")
        let next = try ToyStore.open(path)
        try ToyStore.commit(next, .full)
        #expect(next.memory.durable.version == 8)
        try next.close()
    }
}
