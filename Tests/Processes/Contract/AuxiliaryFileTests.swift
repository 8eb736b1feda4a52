@testable import FreeholdEngine
import Glibc
import Platform
import TestKit
import Testing

/// The files beside a database: nobody may do more with them than with the database, and nothing else is touched through their names.
@Suite struct AuxiliaryFileTests {
    let folder: TemporaryFolder
    var path: String { folder.file("x.freehold") }

    init() throws { folder = try TemporaryFolder() }

    private func permissions(_ path: String) throws -> UInt32? { try LinuxSystem.shared.status(of: path)?.permissions }

    @Test(arguments: [(0o600, 0o700), (0o644, 0o755), (0o640, 0o750), (0o664, 0o775)] as [(UInt32, UInt32)])
    func theFolderOfPipesGivesNoMoreRightsThanTheFile(file: UInt32, management: UInt32) throws {
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("close", "closed")
        #expect(chmod(path, file) == 0)
        try helper.tell("open \(path)", "open")
        try helper.tell("listen", "listening")
        #expect(try permissions(path + ".management") == management)
        #expect(try permissions(path + ".lock") == file)
        for name in try LinuxSystem.shared.listDirectory(path + ".management") {
            #expect(try permissions(path + ".management/" + name) == file, "\(name)")
        }
    }

    /// Whoever owns the lock file may write it whenever he likes, whatever its permissions are now.
    @Test(.enabled(if: geteuid() == 0, "changes a file's owner")) func aLockFileOfAnotherUserHoldsNoMutexInUse() throws {
        let first = try HelperProcess.opened(path)
        try first.tell("prepare", "prepared")
        let words = try LockFileWords(path)
        #expect(try words.load(LockLayout.usesByteLocks) == 0)
        #expect(chown(path + ".lock", 1001, 1001) == 0)
        let second = try HelperProcess.opened(path)
        #expect(try words.load(LockLayout.usesByteLocks) == 1)
        try second.tell("append 1 1 full", "A 1 1 3")
        try first.tell("append 1 2 full", "A 1 2 4")
        try second.tell("check", "clean")
    }

    @Test func aLinkInThePlaceOfTheLockFileLeadsNowhere() throws {
        let precious = folder.file("precious"), content = [UInt8](repeating: 7, count: LockLayout.initialLength)
        let file = try LinuxSystem.shared.openFile(precious, .createExclusive(permissions: 0o600))
        try file.write(content, at: 0)
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("close", "closed")
        #expect(symlink(precious, path + ".lock") == 0)
        try helper.tell("open \(path)", "open")
        try helper.tell("append 1 1 full", "A 1 1 3")
        try helper.tell("close", "closed")
        var found = [UInt8](repeating: 0, count: content.count)
        _ = try found.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        #expect(found == content)
    }

    @Test func aLinkInThePlaceOfTheFolderOfPipesLeadsNowhere() throws {
        let system = LinuxSystem.shared
        let elsewhere = folder.file("elsewhere")
        #expect(try system.makeDirectory(elsewhere, permissions: 0o700))
        for name in ["precious", "listener-0-1"] { _ = try system.openFile(elsewhere + "/" + name, .createExclusive(permissions: 0o600)) }
        #expect(symlink(elsewhere, path + ".management") == 0)
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        let answer = try helper.ask("listen")
        #expect(answer.hasPrefix("error "), "\(answer)")
        try helper.tell("close", "closed")
        #expect(try system.listDirectory(elsewhere) == ["listener-0-1", "precious"])
        #expect(try permissions(elsewhere) == 0o700)
    }

    @Test func onlyPipesAreRemovedFromTheFolderOfPipes() throws {
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("listen", "listening")
        _ = try LinuxSystem.shared.openFile(path + ".management/notes", .createExclusive(permissions: 0o600))
        try helper.tell("close", "closed")
        #expect(try LinuxSystem.shared.listDirectory(path + ".management") == ["notes"])
    }

    /// Where another user may write the lock file, no process follows addresses that stand in it.
    @Test(arguments: [(0o666, true), (0o660, true), (0o644, false)] as [(UInt32, Bool)])
    func aLockFileThatOthersMayWriteHoldsNoMutexInUse(file: UInt32, usesByteLocks: Bool) throws {
        let helper = try HelperProcess.opened(path)
        try helper.tell("prepare", "prepared")
        try helper.tell("close", "closed")
        #expect(chmod(path, file) == 0)
        try helper.tell("open \(path)", "open")
        let words = try LockFileWords(path)
        #expect(try words.load(LockLayout.usesByteLocks) == (usesByteLocks ? 1 : 0))
        guard usesByteLocks else { return }
        // Whoever writes the file cannot turn a process back to the mutex.
        try words.store(0, at: LockLayout.usesByteLocks)
        try helper.tell("begin 0", "begun")
        for lock in [LockLayout.writerLock, LockLayout.flushLock] {
            for offset in stride(from: 24, to: 40, by: 8) { try words.store(0x4141_4141_4140, at: lock + offset) }
        }
        try helper.tell("rollback", "rolled back")
        try helper.tell("append 1 1 full", "A 1 1 3")
        let other = try HelperProcess.opened(path)
        try other.tell("begin 0", "begun")
        try helper.refuses("begin 0", "busy", "process \(other.id)")
        try other.tell("rollback", "rolled back")
        try helper.tell("begin 0", "begun")
    }
}
