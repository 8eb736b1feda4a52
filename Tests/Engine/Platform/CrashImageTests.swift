import Platform
import TestKit
import Testing

/// What a crash leaves of files written on a simulated machine.
@Suite struct CrashImageTests {
    let machine = SimulatedSystem(seed: 11)
    let process: SimulatedProcess
    let file: any File

    init() throws {
        process = machine.makeProcess()
        file = try process.openFile("/a", .createExclusive(permissions: 0o644))
        try process.synchronizeDirectory("/")
    }

    private func bytes(_ machine: SimulatedSystem, _ path: String = "/a") throws(SystemError) -> [UInt8]? {
        let process = machine.makeProcess()
        if try process.status(of: path) == nil { return nil }
        return try process.openFile(path, .readOnly).bytes(count: 1 << 20)
    }

    private func sectors(_ values: UInt8...) -> [UInt8] { values.flatMap { [UInt8](repeating: $0, count: 512) } }

    @Test func whatWasFlushedIsThereAndTheRestAsChosen() throws {
        try file.write(sectors(1), at: 0)
        try file.synchronizeData()
        try file.write(sectors(2, 3), at: 0)
        #expect(try bytes(machine.image(surviving: .none)) == sectors(1))
        #expect(try bytes(machine.image(surviving: .all)) == sectors(2, 3))
        try file.synchronizeData()
        #expect(try bytes(machine.image(surviving: .none)) == sectors(2, 3))
    }

    @Test func everyPlaceInTheLogCanBeVisitedInAnyOrder() throws {
        var places: [(place: Int, content: UInt8)] = []
        for value in 1...UInt8(20) {
            try file.write([value], at: 0)
            if value % 3 == 0 { try file.synchronizeData() }
            places.append((machine.operationCount, value))
        }
        for (place, value) in places + places.reversed() {
            #expect(try bytes(machine.image(at: place, surviving: .all)) == [value])
            let durable = value / 3 * 3
            #expect(try bytes(machine.image(at: place, surviving: .none)) == (durable == 0 ? [] : [durable]))
        }
    }

    @Test func theCasesCoverEveryPlaceAndRepeatBySeed() throws {
        try file.write([1], at: 0)
        let cases = machine.crashCases(seed: 5, subsets: 2, torn: 1)
        #expect(cases.count == (machine.operationCount + 1) * 5)
        #expect(cases == machine.crashCases(seed: 5, subsets: 2, torn: 1))
        #expect(cases != machine.crashCases(seed: 6, subsets: 2, torn: 1))
        let last = try #require(cases.first { $0.place == machine.operationCount && $0.surviving == .all })
        #expect(try bytes(machine.image(last)) == [1])
        #expect(last.description == "crash at operation 3, surviving all")
    }

    @Test func theSeedReachesEverySubsetOfSectors() throws {
        try file.write(sectors(0, 0, 0), at: 0)
        try file.synchronizeData()
        try file.write(sectors(1, 1, 1), at: 0)
        var seen: Set<[UInt8]> = []
        for seed in 0..<200 as Range<UInt64> {
            let image = try #require(try bytes(machine.image(surviving: .sectors(seed: seed))))
            seen.insert([image[0], image[512], image[1024]])
            #expect((0..<3).allSatisfy { Set(image[$0 * 512..<$0 * 512 + 512]).count == 1 })
            #expect(try bytes(machine.image(surviving: .sectors(seed: seed))) == image)
        }
        #expect(seen.count == 8)
    }

    @Test func aTornSectorIsPartlyNewAndPartlyOld() throws {
        try file.write(sectors(0, 0), at: 0)
        try file.synchronizeData()
        try file.write(sectors(1, 1), at: 0)
        let torn = try (0..<200 as Range<UInt64>).filter { seed throws(SystemError) in
            let image = try bytes(machine.image(surviving: .torn(seed: seed))) ?? []
            return Set(image.prefix(512)).count == 2 || Set(image.suffix(512)).count == 2
        }
        #expect(torn.count > 5)
    }

    @Test func anUnflushedLengthMayOutliveTheBytes() throws {
        try file.write(sectors(1, 1, 1, 1), at: 0)
        let images = try (0..<100 as Range<UInt64>).map { seed throws(SystemError) in
            try bytes(machine.image(surviving: .sectors(seed: seed))) ?? []
        }
        #expect(images.contains { $0.count == 2048 && $0.contains(0) })
        #expect(images.contains { $0.count < 2048 })
    }

    @Test func theVeryFirstNameIsNoExceptionAndAnEmptyDiskStaysEmpty() throws {
        let machine = SimulatedSystem(seed: 1)
        _ = try machine.makeProcess().openFile("/first", .createExclusive(permissions: 0o600))
        #expect(try bytes(machine.image(surviving: .none), "/first") == nil)
        #expect(try bytes(machine.image(surviving: .all), "/first") == [])
        let second = machine.image(surviving: .all)
        try second.makeProcess().removeFile("/first")
        #expect(try bytes(second.image(surviving: .none), "/first") == [])
        #expect(try bytes(second.image(surviving: .all), "/first") == nil)
    }

    @Test func aNameIsDurableOnlyWithItsFolder() throws {
        let other = try process.openFile("/b", .createExclusive(permissions: 0o644))
        try other.write([5], at: 0)
        try other.synchronizeData()
        #expect(try bytes(machine.image(surviving: .none), "/b") == nil)
        #expect(try bytes(machine.image(surviving: .all), "/b") == [5])
        try process.synchronizeDirectory("/")
        #expect(try bytes(machine.image(surviving: .none), "/b") == [5])
        try process.renameFile("/b", to: "/c")
        #expect(try bytes(machine.image(surviving: .none), "/b") == [5])
        #expect(try bytes(machine.image(surviving: .all), "/c") == [5])
        #expect(try bytes(machine.image(surviving: .all), "/b") == nil)
        try process.removeFile("/c")
        try process.synchronizeDirectory("/")
        #expect(try bytes(machine.image(surviving: .none), "/b") == nil)
        #expect(try bytes(machine.image(surviving: .none), "/c") == nil)
    }

    @Test func cuttingAndPunchingAreOperationsToo() throws {
        try file.write(sectors(1, 2, 3, 4, 5, 6, 7, 8, 9), at: 0)
        try file.synchronizeData()
        _ = try file.punchHole(offset: 0, length: 4096)
        try file.setLength(4096 + 256)
        #expect(try bytes(machine.image(surviving: .none)) == sectors(1, 2, 3, 4, 5, 6, 7, 8, 9))
        let expected = [UInt8](repeating: 0, count: 4096) + [UInt8](repeating: 9, count: 256)
        #expect(try bytes(machine.image(surviving: .all)) == expected)
        #expect(try file.bytes(count: 10_000) == expected)
        try file.setLength(5000)
        #expect(try file.bytes(at: 4352, count: 1000) == [UInt8](repeating: 0, count: 648))
    }

    @Test func aFailedFlushLosesWritesThatALaterFlushDoesNotBringBack() throws {
        try file.write(sectors(0, 0, 0, 0), at: 0)
        try file.synchronizeData()
        try file.write(sectors(1, 1, 1, 1), at: 0)
        machine.inject(FaultRule(.synchronize, code: ErrorNumber.inputOutput, times: 1))
        #expect(code { () throws(SystemError) in try file.synchronizeData() } == ErrorNumber.inputOutput)
        try file.synchronizeData()
        let left = try #require(try bytes(machine.image(surviving: .all)))
        #expect(left != sectors(1, 1, 1, 1))
        #expect(try bytes(machine.image(surviving: .none)) == left)
        #expect(try file.bytes(count: 4096) == sectors(1, 1, 1, 1))
        machine.dropCleanPages()
        #expect(try file.bytes(count: 4096) == left)
        try file.write(sectors(1, 1, 1, 1), at: 0)
        try file.synchronizeData()
        #expect(try bytes(machine.image(surviving: .none)) == sectors(1, 1, 1, 1))
    }

    @Test func storesThroughAMappingSurviveTheirProcessesButNotThePower() throws {
        try file.write([UInt8](repeating: 0, count: 8192), at: 0)
        try file.synchronizeData()
        let mapping = try file.map(reserve: 1 << 20, minimum: 8192, writable: true, dontFork: true)
        mapping.base.storeBytes(of: 1, toByteOffset: 5000, as: UInt8.self)
        let before = machine.operationCount
        mapping.base.storeBytes(of: 2, toByteOffset: 5000, as: UInt8.self)
        #expect(try bytes(machine.image(at: before, boot: .same))?[5000] == 1)
        #expect(try bytes(machine.image(boot: .same))?[5000] == 2)
        #expect(try bytes(machine.image(surviving: .none))?[5000] == 0)
        try file.synchronizeData()
        #expect(try bytes(machine.image(surviving: .none))?[5000] == 2)
    }

    @Test func storesThroughAMappingNeedNotBeFollowed() throws {
        machine.options.recordsMappedStores = false
        try file.setLength(4096)
        let mapping = try file.map(reserve: 4096, minimum: 4096, writable: true, dontFork: true)
        mapping.base.storeBytes(of: 1, as: UInt8.self)
        #expect(try bytes(machine.image(at: machine.operationCount, boot: .same))?[0] == 0)
        #expect(try bytes(machine.image(boot: .same))?[0] == 1)
    }

    @Test func aMutexOutlivesItsOwnersWithinOneBoot() throws {
        try file.setLength(4096)
        let mapping = try file.map(reserve: 4096, minimum: 4096, writable: true, dontFork: true)
        process.initializeMutex(at: mapping.base + 64)
        #expect(process.tryLockMutex(at: mapping.base + 64) == .acquired)
        func outcome(_ machine: SimulatedSystem) throws(SystemError) -> MutexOutcome {
            let next = machine.makeProcess()
            let mapping = try next.openFile("/a", .readWrite)
                .map(reserve: 4096, minimum: 4096, writable: true, dontFork: true)
            return next.tryLockMutex(at: mapping.base + 64)
        }
        #expect(try outcome(machine.image(boot: .same)) == .ownerDied)
        #expect(try outcome(machine.image(surviving: .all)) == .unrecoverable)
        process.unlockMutex(at: mapping.base + 64)
        #expect(try outcome(machine.image(boot: .same)) == .acquired)
    }

    @Test func anImageIsAMachineThatCanCrashAgain() throws {
        try file.write([1], at: 0)
        try file.synchronizeData()
        let second = machine.image(surviving: .none)
        let again = try second.makeProcess().openFile("/a", .readWrite)
        #expect(try again.status().identity == file.status().identity)
        try again.write([2], at: 0)
        #expect(try bytes(second.image(surviving: .none)) == [1])
        try again.synchronizeData()
        #expect(try bytes(second.image(surviving: .none)) == [2])
        #expect(try bytes(machine.image(surviving: .none)) == [1])
        #expect(second.bootIdentity != machine.bootIdentity)
        #expect(machine.image(boot: .same).bootIdentity == machine.bootIdentity)
    }

    @Test func growthBeyondAMappingsStartShowsInIt() throws {
        let mapping = try file.map(reserve: 1 << 40, minimum: 1 << 20, writable: false, dontFork: true)
        #expect(mapping.reservedLength == machine.options.fileCapacity)
        try file.write([9], at: 1 << 20)
        #expect(mapping.base.load(fromByteOffset: 1 << 20, as: UInt8.self) == 9)
        #expect(!mapping.hasFaulted)
        machine.breakMappings(of: "/a")
        #expect(mapping.hasFaulted)
    }
}
