import Platform
import TestKit
import Testing

/// A simulated machine fails as a real one does.
@Suite struct SimulatedFailureTests {
    @Test func aFullDiskRefusesWhatNeedsNewSpaceAndOnlyThat() throws {
        var options = SimulatedSystem.Options(seed: 1)
        options.diskCapacity = 8192
        let machine = SimulatedSystem(options)
        let file = try machine.makeProcess().openFile("/a", .createExclusive(permissions: 0o600))
        try file.allocate(offset: 0, length: 8192)
        #expect(code { () throws(SystemError) in try file.write([1], at: 8192) } == ErrorNumber.noSpace)
        try file.write([1, 2], at: 4095)
        #expect(try file.status().storedLength == 8192)
        #expect(try file.punchHole(offset: 0, length: 4096))
        #expect(machine.storedBytes == 4096)
        try file.write([1], at: 8192)
        #expect(machine.image(surviving: .all).storedBytes == 12_288)
    }

    @Test func anInjectedFaultStrikesWhereAndAsOftenAsOrdered() throws {
        let machine = SimulatedSystem(seed: 1)
        let process = machine.makeProcess()
        let a = try process.openFile("/a", .createExclusive(permissions: 0o600))
        let b = try process.openFile("/b", .createExclusive(permissions: 0o600))
        machine.inject(FaultRule(.write, code: ErrorNumber.inputOutput, pathEnding: "a", skipping: 1, times: 2))
        let outcomes = (0..<5).map { _ in code { () throws(SystemError) in try a.write([1], at: 0) } }
        #expect(outcomes == [nil, ErrorNumber.inputOutput, ErrorNumber.inputOutput, nil, nil])
        try b.write([1], at: 0)
        machine.inject(FaultRule(.open, code: ErrorNumber.tooManyFiles))
        #expect(
            code { () throws(SystemError) in _ = try process.openFile("/a", .readOnly) } == ErrorNumber.tooManyFiles)
        machine.clearFaults()
        _ = try process.openFile("/a", .readOnly)
    }

    @Test func aFailingWriteMayHaveWrittenItsFirstPages() throws {
        var lengths: Set<Int> = []
        for seed in 0..<50 as Range<UInt64> {
            let machine = SimulatedSystem(seed: seed)
            let file = try machine.makeProcess().openFile("/a", .createExclusive(permissions: 0o600))
            machine.inject(FaultRule(.write, code: ErrorNumber.inputOutput, writesPart: true))
            _ = code { () throws(SystemError) in try file.write([UInt8](repeating: 1, count: 12_288), at: 0) }
            lengths.insert(try file.length())
        }
        #expect(lengths == [0, 4096, 8192, 12_288])
    }

    @Test func permissionsAndReadOnlyDisksAreKept() throws {
        let machine = SimulatedSystem(seed: 1)
        let owner = machine.makeProcess("owner", userID: 1000, groupID: 1000)
        let friend = machine.makeProcess("friend", userID: 1001, groupID: 1000)
        let stranger = machine.makeProcess("stranger", userID: 1002, groupID: 1002)
        let root = machine.makeProcess("root", userID: 0, groupID: 0)
        let file = try owner.openFile("/a", .createExclusive(permissions: 0o640))
        _ = try friend.openFile("/a", .readOnly)
        #expect(
            code { () throws(SystemError) in _ = try friend.openFile("/a", .readWrite) } == ErrorNumber.accessDenied)
        #expect(
            code { () throws(SystemError) in _ = try stranger.openFile("/a", .readOnly) } == ErrorNumber.accessDenied)
        _ = try root.openFile("/a", .readWrite)
        machine.options.fileSystem.isReadOnly = true
        _ = try owner.openFile("/a", .readOnly)
        #expect(
            code { () throws(SystemError) in _ = try owner.openFile("/a", .readWrite) }
                == ErrorNumber.readOnlyFileSystem)
        #expect(
            code { () throws(SystemError) in _ = try owner.makeDirectory("/d", permissions: 0o755) }
                == ErrorNumber.readOnlyFileSystem)
        file.close()
    }

    @Test func foldersAreKept() throws {
        let process = SimulatedSystem(seed: 1).makeProcess()
        #expect(code { () throws(SystemError) in _ = try process.openFile("/d/a", .readOnly) } == ErrorNumber.notFound)
        #expect(try process.makeDirectory("/d", permissions: 0o755))
        #expect(try !process.makeDirectory("/d", permissions: 0o755))
        _ = try process.openFile("/d/b", .createExclusive(permissions: 0o600))
        _ = try process.openFile("/d/a", .createExclusive(permissions: 0o600))
        #expect(try process.listDirectory("/d") == ["a", "b"])
        #expect(try process.listDirectory("/") == ["d"])
        #expect(code { () throws(SystemError) in try process.removeDirectory("/d") } == ErrorNumber.notEmpty)
        try process.renameFile("/d", to: "/e")
        #expect(try process.listDirectory("/e") == ["a", "b"])
        try process.removeFile("/e/a")
        try process.removeFile("/e/b")
        try process.removeDirectory("/e")
        #expect(try process.listDirectory("/") == [])
    }

    @Test func aForkedChildKeepsTheParentsLocks() throws {
        let machine = SimulatedSystem(seed: 1)
        let process = machine.makeProcess()
        let file = try process.openFile("/a", .createExclusive(permissions: 0o600))
        #expect(try file.tryLock(byte: 1 << 62, exclusive: true))
        process.becomeForkedChild()
        try file.unlock(byte: 1 << 62)
        file.close()
        let other = try machine.makeProcess().openFile("/a", .readWrite)
        #expect(try other.isLocked(byte: 1 << 62))
        process.kill()
        #expect(try !other.isLocked(byte: 1 << 62))
    }
}
