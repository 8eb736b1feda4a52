import Foundation
import Platform
import TestKit
import Testing

@Suite struct ByteLockTests {
    let system = LinuxSystem.shared
    let folder: TemporaryFolder
    let path: String
    let first: any File
    let second: any File
    /// Far beyond any file's end, as the engine's are.
    let byte = 1 << 62

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("a")
        first = try system.openFile(path, .createExclusive(permissions: 0o600))
        second = try system.openFile(path, .readWrite)
    }

    @Test func anExclusiveLockExcludesAndASharedOneShares() throws {
        #expect(try first.tryLock(byte: byte, exclusive: true))
        #expect(try !second.tryLock(byte: byte, exclusive: false))
        #expect(try second.isLocked(byte: byte))
        #expect(try !first.isLocked(byte: byte))
        #expect(try second.tryLock(byte: byte + 1, exclusive: true))
        #expect(try first.tryLock(byte: byte, exclusive: false))
        #expect(try second.tryLock(byte: byte, exclusive: false))
        #expect(try !second.tryLock(byte: byte, exclusive: true))
        try first.unlock(byte: byte)
        #expect(try second.tryLock(byte: byte, exclusive: true))
    }

    @Test func aBoundedWaitEndsWithoutTheLock() throws {
        #expect(try first.tryLock(byte: byte, exclusive: true))
        #expect(try !second.lock(byte: byte, exclusive: true, timeoutMilliseconds: 5))
        try first.unlock(byte: byte)
        #expect(try second.lock(byte: byte, exclusive: true, timeoutMilliseconds: 5))
    }

    @Test func closingAnotherDescriptorOfTheFileKeepsTheLock() throws {
        #expect(try first.tryLock(byte: byte, exclusive: true))
        try system.openFile(path, .readWrite).close()
        #expect(try second.isLocked(byte: byte))
        first.close()
        #expect(try !second.isLocked(byte: byte))
    }

    @Test func aFileThatIsClosedTwiceTakesNothingFromTheNextOne() throws {
        let helper = try SpawnedProcess("PlatformHelper", ["close-twice", path])
        try helper.expect("the child has 0")
        try helper.expect("locked true")
    }

    @Test func aLockEndsWithItsFileThoughAForkedProcessHasTheDescriptor() throws {
        #expect(try first.tryLock(byte: byte, exclusive: true))
        // What a child has between fork and exec: the same descriptions under descriptors of its own.
        let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            .filter { (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path }
            .map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        defer { for copy in copies { close(copy) } }
        #expect(copies.count == 2)
        first.close()
        #expect(try !second.isLocked(byte: byte))
    }

    @Test func theLockOfAProcessInAnotherPidNamespaceIsSeenAndFreedAlike() throws {
        let arguments = ["hold-byte", path, "\(byte)", "exclusive"]
        guard let holder = try SpawnedProcess.inNewProcessNamespace("PlatformHelper", arguments) else { return }
        try holder.expect("true")
        #expect(try !first.tryLock(byte: byte, exclusive: true))
        holder.killNow()
        #expect(try first.lock(byte: byte, exclusive: true, timeoutMilliseconds: 60_000))
    }

    @Test(arguments: ["exclusive", "shared"])
    func theLockOfAKilledProcessIsFree(kind: String) throws {
        for _ in 0..<10 {
            let holder = try SpawnedProcess("PlatformHelper", ["hold-byte", path, "\(byte)", kind])
            try holder.expect("true")
            #expect(try first.isLocked(byte: byte))
            #expect(try !first.tryLock(byte: byte, exclusive: true))
            holder.killNow()
            #expect(try first.tryLock(byte: byte, exclusive: true))
            try first.unlock(byte: byte)
        }
    }
}
