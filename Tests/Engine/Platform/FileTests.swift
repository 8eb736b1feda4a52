import CShims
import Glibc
import Platform
import TestKit
import Testing

@Suite struct FileTests {
    let system = LinuxSystem.shared
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func whatIsWrittenIsRead() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o640))
        try file.write([1, 2, 3, 4], at: 10)
        try file.synchronizeData()
        #expect(try file.bytes(count: 100) == [UInt8](repeating: 0, count: 10) + [1, 2, 3, 4])
        #expect(try file.bytes(at: 12, count: 1) == [3])
        #expect(try file.bytes(at: 50, count: 1) == [])
        #expect(try file.length() == 14)
        try file.setLength(11)
        #expect(try file.bytes(at: 9, count: 10) == [0, 1])
    }

    @Test func aLongWriteIsWholeWhereverItBegins() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
        for offset in [0, 5, 65_535, 65_536, 200_001] {
            try file.write(bytes, at: offset)
            #expect(try file.bytes(at: offset, count: bytes.count) == bytes)
        }
    }

    @Test func theStandingIsPartOfTheStatus() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        try file.write([1, 2, 3], at: 5000)
        func expectSame() throws {
            let standing = try file.standing(), status = try file.status()
            #expect(standing.identity == status.identity && standing.linkCount == status.linkCount && standing.length == status.length)
        }
        try expectSame()
        #expect(try file.standing().length == 5003)
        try system.removeFile(folder.file("a"))
        try expectSame()
        #expect(try file.standing().linkCount == 0)
    }

    @Test func initialisedSpaceIsStoredAndReadsAsZeros() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        try file.allocate(offset: 0, length: 3 << 20)
        #expect(try file.length() == 3 << 20)
        #expect(try file.status().storedLength >= 3 << 20)
        #expect(try file.bytes(at: (3 << 20) - 2, count: 10) == [0, 0])
    }

    @Test func anExtendedFileIsNeverShortened() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        try file.write([7, 7, 7], at: 0)
        try file.extend(to: 1 << 22)
        #expect(try file.length() == 1 << 22)
        #expect(try file.status().storedLength < 1 << 20)
        for length in [0, 1, 2, 3, 4096] { try file.extend(to: length) }
        #expect(try file.length() == 1 << 22)
        #expect(try file.bytes(at: 0, count: 5) == [7, 7, 7, 0, 0])
        #expect(try file.bytes(at: 1 << 22 - 1, count: 5) == [0])
    }

    @Test func zerosAreAppendedWhereTheFileSystemCannotAllocate() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        try file.write([UInt8](repeating: 7, count: 5000), at: 0)
        let descriptor = open(folder.file("a"), O_RDWR)
        defer { close(descriptor) }
        for length in [300_000, 4, 100, 0] as [Int64] { #expect(freehold_shim_append_zeros(descriptor, length) == 0) }
        #expect(try file.length() == 300_000)
        #expect(try file.bytes(at: 0, count: 5000) == [UInt8](repeating: 7, count: 5000))
        #expect(try file.bytes(at: 5000, count: 295_000).allSatisfy { $0 == 0 })
    }

    @Test func theTargetOfASymbolicLinkIsWhatItSays() throws {
        #expect(symlink("../nowhere", folder.file("link")) == 0)
        #expect(try system.linkTarget(of: folder.file("link")) == "../nowhere")
        #expect(try system.linkTarget(of: folder.path) == nil)
        #expect(try system.linkTarget(of: folder.file("none")) == nil)
    }

    @Test func aPunchedHoleReadsAsZerosAndTakesNoSpace() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        try file.write([UInt8](repeating: 7, count: 1 << 16), at: 0)
        try file.synchronizeData()
        let before = try file.status().storedLength
        guard try file.punchHole(offset: 4096, length: 1 << 15) else { return }
        #expect(try file.bytes(at: 4095, count: 2) == [7, 0])
        #expect(try file.status().storedLength < before)
        #expect(try file.length() == 1 << 16)
    }

    @Test func failuresOutsideTheProgramAreErrors() throws {
        let path = folder.file("a")
        #expect(code { () throws(SystemError) in _ = try system.openFile(path, .readOnly) } == ErrorNumber.notFound)
        let file = try system.openFile(path, .createExclusive(permissions: 0o600))
        #expect(
            code { () throws(SystemError) in
                _ = try system.openFile(path, .createExclusive(permissions: 0o600))
            } == ErrorNumber.exists)
        #expect(
            code { () throws(SystemError) in _ = try system.openFile(path + "/b", .readOnly) }
                == ErrorNumber.notADirectory)
        #expect(
            code { () throws(SystemError) in _ = try system.openFile(folder.path, .readWrite) }
                == ErrorNumber.isADirectory)
        let full = try system.openFile("/dev/full", .readWrite)
        #expect(code { () throws(SystemError) in try full.write([1], at: 0) } == ErrorNumber.noSpace)
        #expect(code { () throws(SystemError) in try system.removeDirectory(folder.path) } == ErrorNumber.notEmpty)
        file.close()
    }

    // Only a privileged test can become somebody who may not.
    @Test(.enabled(if: mayBecomeOthers)) func withoutPermissionThereIsAnError() throws {
        let path = "/tmp/freehold-permission-\(system.process.id)"
        let file = try system.openFile(path, .createExclusive(permissions: 0o644))
        defer { try? system.removeFile(path) }
        let reader = try SpawnedProcess("PlatformHelper", ["open-as", "65534", path, "read"])
        try reader.expect("opened")
        let writer = try SpawnedProcess("PlatformHelper", ["open-as", "65534", path, "write"])
        try writer.expect("\(ErrorNumber.accessDenied)")
        var status = try file.status()
        status.permissions = 0o600
        try file.setPermissions(like: status)
        let other = try SpawnedProcess("PlatformHelper", ["open-as", "65534", path, "read"])
        try other.expect("\(ErrorNumber.accessDenied)")
    }

    @Test func anErrorTellsTheCallThePathAndTheReason() {
        let error = SystemError(code: ErrorNumber.noSpace, call: "pwrite", path: "/x/y")
        #expect("\(error)" == "pwrite /x/y: No space left on device (28)")
    }

    @Test func namesComeAndGo() throws {
        #expect(try system.status(of: folder.file("a")) == nil)
        #expect(try system.makeDirectory(folder.file("d"), permissions: 0o700))
        #expect(try !system.makeDirectory(folder.file("d"), permissions: 0o700))
        #expect(try system.status(of: folder.file("d"))?.kind == .directory)
        let file = try system.openFile(folder.file("d/b"), .createExclusive(permissions: 0o600))
        _ = try system.openFile(folder.file("d/a"), .createExclusive(permissions: 0o600))
        #expect(try system.listDirectory(folder.file("d")) == ["a", "b"])
        try system.renameFile(folder.file("d/b"), to: folder.file("d/a"))
        try system.synchronizeDirectory(folder.file("d"))
        #expect(try system.listDirectory(folder.file("d")) == ["a"])
        #expect(try system.status(of: folder.file("d/a"))?.identity == file.status().identity)
        try system.removeFile(folder.file("d/a"))
        #expect(try file.status().linkCount == 0)
        try system.removeDirectory(folder.file("d"))
        #expect(try system.status(of: folder.file("d")) == nil)
    }

    @Test func aNewNameIsRefusedWhereItIsTaken() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        _ = try system.openFile(folder.file("taken"), .createExclusive(permissions: 0o600))
        let error = #expect(throws: SystemError.self) { try system.renameFile(folder.file("a"), toNew: folder.file("taken")) }
        #expect(error?.code == ErrorNumber.exists)
        #expect(freehold_shim_move_by_link(folder.file("a"), folder.file("taken")) == -ErrorNumber.exists)
        try system.renameFile(folder.file("a"), toNew: folder.file("b"))
        #expect(try system.status(of: folder.file("b"))?.identity == file.status().identity)
        #expect(freehold_shim_move_by_link(folder.file("b"), folder.file("c")) == 0)
        #expect(try system.listDirectory(folder.path) == ["c", "taken"])
        #expect(try file.status().linkCount == 1)
    }

    @Test func aSymbolicLinkLeadsToTheFileItself() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        try symbolicLink(folder.file("a"), folder.file("link"))
        #expect(try system.status(of: folder.file("link"))?.identity == file.status().identity)
        #expect(try system.resolvePath(folder.file("link")) == system.resolvePath(folder.file("a")))
    }

    @Test func permissionsAreTakenOverFromAnotherFile() throws {
        let model = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        let other = try system.openFile(folder.file("b"), .createExclusive(permissions: 0o600))
        var status = try model.status()
        status.permissions = 0o664
        try other.setPermissions(like: status)
        #expect(try other.status().permissions == 0o664)
        status.permissions = 0o660
        try system.setPermissions(of: folder.file("b"), like: status)
        #expect(try other.status().permissions == 0o660)
        #expect(try other.status().groupID == model.status().groupID)
    }

    @Test func permissionsOfALinkOrOfAFileWithOtherNamesAreLeftAlone() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        var status = try file.status()
        status.permissions = 0o666
        try symbolicLink(folder.file("a"), folder.file("link"))
        #expect(throws: SystemError.self) { try system.setPermissions(of: folder.file("link"), like: status) }
        #expect(link(folder.file("a"), folder.file("other")) == 0)
        #expect(throws: SystemError.self) { try system.setPermissions(of: folder.file("other"), like: status) }
        #expect(try file.status().permissions == 0o600)
    }

    @Test func aLinkToADirectoryIsNone() throws {
        #expect(try system.makeDirectory(folder.file("d"), permissions: 0o700))
        try symbolicLink(folder.file("d"), folder.file("link"))
        #expect(throws: SystemError.self) { _ = try system.makeDirectory(folder.file("link"), permissions: 0o700) }
        #expect(throws: SystemError.self) { _ = try system.listDirectory(folder.file("link")) }
        _ = try system.makeNotifyPipe(folder.file("pipe"), permissions: 0o600)
        try symbolicLink(folder.file("pipe"), folder.file("pipe-link"))
        #expect(throws: SystemError.self) { _ = try system.openNotifyPipeForReading(folder.file("pipe-link")) }
    }

    @Test func theKindOfFileSystemIsKnown() throws {
        #expect(try system.fileSystem(of: "/proc").kind == .other(0x9FA0))
        if try system.status(of: "/dev/shm") != nil {
            #expect(try system.fileSystem(of: "/dev/shm").kind == .tmpfs)
        }
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        #expect(try file.fileSystem() == system.fileSystem(of: folder.path))
        #expect(try !file.fileSystem().isReadOnly)
    }

    @Test func aSpawnedProcessInheritsNoDescriptor() throws {
        let file = try system.openFile(folder.file("a"), .createExclusive(permissions: 0o600))
        _ = try system.makeNotifyPipe(folder.file("pipe"), permissions: 0o600)
        let pipe = try system.openNotifyPipeForReading(folder.file("pipe"))
        let mapping = try file.map(reserve: 4096, minimum: 4096, writable: false, dontFork: true)
        let helper = try SpawnedProcess("PlatformHelper", ["descriptors", system.resolvePath(folder.path)])
        try helper.expect("[]")
        system.unmap(mapping)
        pipe.close()
        file.close()
    }
}
