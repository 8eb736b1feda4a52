import Glibc
import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// What happens when names, inodes and lock files are not what they were.
@Suite struct IdentityTests {
    let folder: TemporaryFolder
    let system = LinuxSystem.shared
    var path: String { folder.file("x.freehold") }

    init() throws { folder = try TemporaryFolder() }

    private func helper() throws -> SpawnedProcess { try SpawnedProcess("SharingHelper") }

    private func expectRefused(_ process: SpawnedProcess, _ command: String, _ code: String) throws {
        process.send(command)
        let answer = try process.readLine()
        #expect(answer?.hasPrefix("error \(code) ") == true, "\(answer ?? "nothing")")
    }

    @Test func aDeletedLockFileMakesNoSecondSession() throws {
        let session = try ToyStore.open(path)
        try system.removeFile(path + ".lock")
        try expectRefused(try helper(), "open \(path)", "inUse")
        try ToyStore.commit(session, .full)
        try session.close()
        try helper().ask("open \(path)", "open")
    }

    @Test func aHardLinkIsRefusedWhileTheFileIsOpen() throws {
        let session = try ToyStore.open(path)
        #expect(link(path, folder.file("y.freehold")) == 0)
        try expectRefused(try helper(), "open \(folder.file("y.freehold"))", "inUse")
        try session.close()
        try helper().ask("open \(folder.file("y.freehold"))", "open")
    }

    @Test func aCopyOfTheLockFileIsRefused() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        try copy(path + ".lock", folder.file("copy"))
        try system.renameFile(folder.file("copy"), to: path + ".lock")
        try expectRefused(try helper(), "open \(path)", "inUse")
    }

    @Test func aSymbolicLinkLeadsToTheSameSession() throws {
        let session = try ToyStore.open(path)
        defer { try? session.close() }
        #expect(symlink(path, folder.file("link")) == 0)
        let other = try helper()
        try other.ask("open \(folder.file("link"))", "open")
        try other.ask("commit full", "committed 2 1")
        #expect(session.visibleVersion == 2)
    }

    @Test func aFileRenamedOverIsNoticedAndItsSuccessorIsLeftAlone() throws {
        let old = try ToyStore.open(path)
        try ToyStore.open(folder.file("new")).close()
        try system.renameFile(folder.file("new"), to: path)
        let error = #expect(throws: FreeholdError.self) { try ToyStore.commit(old, .full) }
        #expect(error?.code == .fileReplaced)
        let new = try helper()
        try new.ask("open \(path)", "open")
        try old.close()
        try new.ask("commit full", "committed 2 1")
        try helper().ask("open \(path)", "open")
    }

    @Test func aRemovedFileIsNoticed() throws {
        let session = try ToyStore.open(path)
        try system.removeFile(path)
        let error = #expect(throws: FreeholdError.self) { try ToyStore.commit(session, .processCrash) }
        #expect(error?.code == .fileReplaced)
        try session.close()
    }

    @Test func aCopyMadeWhileOpenIsWalkedBeforeUse() throws {
        let session = try ToyStore.open(path)
        try ToyStore.commit(session, .full, mark: 5)
        try copy(path, folder.file("copy"))
        let copied = try ToyStore.open(folder.file("copy"))
        #expect(ToyStore.read(try copied.readers.claim().pin(), copied)?.mark == 5)
        try copied.close()

        try copy(path, folder.file("torn"))
        let file = try system.openFile(folder.file("torn"), .readWrite)
        try file.write([UInt8](repeating: 9, count: 64 * 4096), at: FileLayout.firstData)
        file.close()
        let error = #expect(throws: FreeholdError.self) { try ToyStore.open(folder.file("torn")) }
        #expect(error?.code == .copiedWhileOpen)
        try session.close()
    }

    @Test func whatIsNoDatabaseIsRefused() throws {
        let file = try system.openFile(path, .createExclusive(permissions: 0o644))
        try file.write([UInt8](repeating: 7, count: 20_000), at: 0)
        #expect(#expect(throws: FreeholdError.self) { try ToyStore.open(path) }?.code == .notADatabase)
        var header = FileHeader(file: FileIdentifier(high: 1, low: 2), createdNanoseconds: 0)
        header.formatVersion = 99
        try header.withBytes { bytes in try file.write(bytes, at: 0) }
        #expect(#expect(throws: FreeholdError.self) { try ToyStore.open(path) }?.code == .unsupportedFormat)
        file.close()
    }

    @Test func aTruncatedFileIsRefused() throws {
        try ToyStore.open(path).close()
        let file = try system.openFile(path, .readWrite)
        try file.setLength(5 * 4096)
        #expect(#expect(throws: FreeholdError.self) { try ToyStore.open(path) }?.code == .truncated)
        try file.setLength(4096)
        #expect(#expect(throws: FreeholdError.self) { try ToyStore.open(path) }?.code == .truncated)
        file.close()
    }

    @Test func filesAreNotDeletedWhileAnybodyHasThemOpen() throws {
        let other = try helper()
        try other.ask("open \(path)", "open")
        #expect(#expect(throws: FreeholdError.self) {
            try DatabaseFiles.delete(path, inMemory: false, system)
        }?.code == .inUse)
        try expectRefused(try helper(), "delete \(path)", "inUse")
        other.killNow()
        try DatabaseFiles.delete(path, inMemory: false, system)
        #expect(try system.listDirectory(folder.path).isEmpty)
    }

    @Test func aDatabaseInMemoryIsSharedByItsNameAndGoesWithTheLast() throws {
        let name = "sharing-test-\(getpid())"
        let first = try helper(), second = try helper()
        try first.ask("open-in-memory \(name)", "open")
        try second.ask("open-in-memory \(name)", "open")
        try first.ask("commit full", "committed 2 1")
        try second.ask("pin", "pinned 2")
        try second.ask("unpin", "unpinned")
        try first.ask("close", "closed")
        try second.ask("commit fast", "committed 3 2")
        try second.ask("close", "closed")
        try first.ask("open-in-memory \(name)", "open")
        try first.ask("commit fast", "committed 2 1")
        try first.ask("close", "closed")
        #expect(try system.status(of: "/dev/shm/freehold-\(geteuid())/\(name).freehold") == nil)
    }

    @Test func aForkedChildGetsErrorsAndHarmsNobody() throws {
        let process = try helper()
        try process.ask("open \(path)", "open")
        process.send("fork")
        try process.expect("child forked forked forked fine")
        try process.expect("parent 2")
        let session = try ToyStore.open(path)
        session.reaper.reap()
        try process.ask("commit full", "committed 3 2")
        try session.close()
    }

    private func copy(_ source: String, _ destination: String) throws {
        let from = try system.openFile(source, .readOnly)
        let to = try system.openFile(destination, .createExclusive(permissions: 0o644))
        var bytes = [UInt8](repeating: 0, count: try from.length())
        _ = try bytes.withUnsafeMutableBytes { try from.read(into: $0, at: 0) }
        try to.write(bytes, at: 0)
        from.close()
        to.close()
    }
}
