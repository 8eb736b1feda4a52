import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Power cuts, reboots and failing disks on simulated machines.
@Suite struct SimulatedTests {
    static let path = "/x.freehold"

    /// What was promised by when.
    private struct Promise {
        let place: Int
        let counter: UInt64
        let isFull: Bool
    }

    static func options() -> SessionOptions {
        var options = ToyStore.testOptions()
        options.reserve = 64 << 20
        options.leastReserve = 1 << 20
        return options
    }

    private func open(_ process: SimulatedProcess) throws(FreeholdError) -> Session {
        try ToyStore.open(Self.path, Self.options(), process)
    }

    /// The lock file is never needed after a crash, so what is stored in it need not be remembered.
    private func makeMachine(_ seed: UInt64) -> SimulatedSystem {
        let machine = SimulatedSystem(seed: seed)
        machine.options.recordsMappedStores = false
        machine.options.fileCapacity = 64 << 20
        return machine
    }

    /// Two sessions of commits of both kinds; the first ends by a kill, the second well.
    private func work(_ machine: SimulatedSystem, seed: UInt64) throws -> [Promise] {
        var random = SeededRandom(seed: seed)
        var promises: [Promise] = []
        for round in 0..<3 {
            let process = machine.makeProcess()
            let session = try open(process)
            for _ in 0..<6 {
                let isFull = Bool.random(using: &random)
                let content = try ToyStore.commit(session, isFull ? .full : .processCrash)
                promises.append(Promise(place: machine.operationCount, counter: content.counter, isFull: isFull))
            }
            if round == 1 {
                process.leak(session)
                process.kill()
            } else {
                try session.close()
                // A session that ended well has flushed.
                promises.append(
                    Promise(place: machine.operationCount, counter: promises.last?.counter ?? 0, isFull: true))
            }
        }
        return promises
    }

    @Test(arguments: [
        FaultRule(.write, code: ErrorNumber.noSpace, pathEnding: ".lock"), FaultRule(.map, code: ErrorNumber.outOfMemory, pathEnding: ".lock"),
        FaultRule(.lockByte, code: ErrorNumber.noLocks, pathEnding: ".freehold", skipping: 1),
    ]) func anOpeningThatFailsLeavesNoLockFile(_ rule: FaultRule) throws {
        let machine = makeMachine(1)
        try open(machine.makeProcess()).close()
        machine.inject(rule)
        let process = machine.makeProcess()
        #expect(throws: FreeholdError.self) { try open(process) }
        #expect(try process.listDirectory("/") == ["x.freehold"])
    }

    private func counter(_ machine: SimulatedSystem) throws -> UInt64 {
        let session = try open(machine.makeProcess())
        let content = try #require(ToyStore.read(try session.readers.claim().pin(), session))
        let next = try ToyStore.commit(session, .full)
        #expect(next.counter == content.counter + 1)
        try session.close()
        return content.counter
    }

    @Test(arguments: [1, 2] as [UInt64]) func afterEveryPowerCutThePromisesHold(_ seed: UInt64) throws {
        let machine = makeMachine(seed)
        let promises = try work(machine, seed: seed)
        for crash in machine.crashCases(seed: seed) {
            let image = machine.image(crash)
            let kept = promises.last { $0.isFull && $0.place <= crash.place }?.counter ?? 0
            let most = promises.first { $0.place >= crash.place }?.counter ?? promises.last!.counter
            let found = try counter(image)
            #expect((kept...max(most, kept)).contains(found), "seed \(seed): \(crash): \(found) not in \(kept)...\(most)")
            image.discard()
        }
        machine.discard()
    }

    @Test(arguments: [4] as [UInt64]) func aPowerCutDuringRecoveryLosesNothingMore(_ seed: UInt64) throws {
        let machine = makeMachine(seed)
        let promises = try work(machine, seed: seed)
        for crash in machine.crashCases(seed: seed, subsets: 1, torn: 0) where crash.place % 7 == 0 {
            let first = machine.image(crash)
            let kept = promises.last { $0.isFull && $0.place <= crash.place }?.counter ?? 0
            let process = first.makeProcess()
            process.leak(try open(process))
            process.kill()
            for again in first.crashCases(seed: seed, subsets: 1, torn: 1) {
                let second = first.image(again)
                #expect(try counter(second) >= kept, "seed \(seed): \(crash), then \(again)")
                second.discard()
            }
            first.discard()
        }
        machine.discard()
    }

    @Test func killingEverybodyLosesNothingAtAll() throws {
        let machine = makeMachine(6)
        let promises = try work(machine, seed: 6)
        for place in 0...machine.operationCount {
            let image = machine.image(at: place, boot: .same)
            let kept = promises.last { $0.place <= place }?.counter ?? 0
            #expect(try counter(image) >= kept, "killed at operation \(place)")
            image.discard()
        }
        machine.discard()
    }

    /// What reached the disk when the flush failed differs from seed to seed.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func aFailedFlushEndsTheSessionAndTheNextGoesOnFromWhatIsConfirmed(_ seed: UInt64) throws {
        let machine = SimulatedSystem(seed: seed)
        let process = machine.makeProcess()
        let session = try open(process)
        try ToyStore.commit(session, .full, mark: 1)
        try ToyStore.commit(session, .processCrash, mark: 2)
        machine.inject(FaultRule(.synchronize, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
        #expect(#expect(throws: FreeholdError.self) { try ToyStore.commit(session, .full, mark: 3) }?.code == .io)
        #expect(#expect(throws: FreeholdError.self) { try ToyStore.commit(session, .processCrash) }?.code == .io)
        machine.dropCleanPages()
        try session.close()
        let next = try open(machine.makeProcess())
        #expect(ToyStore.read(try next.readers.claim().pin(), next)?.mark == 1)
        let content = try ToyStore.commit(next, .full, mark: 4)
        #expect(content.version > 4, "versions are never used twice")
        try next.close()
        let image = machine.image()
        let last = try open(image.makeProcess())
        #expect(ToyStore.read(try last.readers.claim().pin(), last)?.mark == 4)
        try last.close()
        image.discard()
        machine.discard()
    }

    @Test func aFullDiskIsAnErrorBeforeAnythingIsCommitted() throws {
        let machine = SimulatedSystem(seed: 8)
        let session = try open(machine.makeProcess())
        machine.inject(FaultRule(.write, code: ErrorNumber.noSpace, pathEnding: ".freehold", times: 1))
        #expect(#expect(throws: FreeholdError.self) { try ToyStore.commit(session, .full) }?.code == .diskFull)
        #expect(session.visibleVersion == 1)
        #expect(try ToyStore.commit(session, .full).version == 2)
        try session.close()
    }

    @Test func fileSystemsThatCannotShareAreRefused() throws {
        for kind in [FileSystemKind.nfs, .fuse, .ninep, .virtiofs] {
            let machine = SimulatedSystem(seed: 9)
            machine.options.fileSystem = FileSystemStatus(kind: kind, isReadOnly: false)
            #expect(#expect(throws: FreeholdError.self) {
                try open(machine.makeProcess())
            }?.code == .unsupportedFileSystem)
        }
    }

    @Test func aReadOnlyMediumIsReadWithoutLocks() throws {
        let machine = SimulatedSystem(seed: 10)
        let session = try open(machine.makeProcess())
        try ToyStore.commit(session, .full, mark: 5)
        try session.close()
        let medium = machine.image()
        medium.options.fileSystem = FileSystemStatus(kind: .ext4, isReadOnly: true)
        #expect(#expect(throws: FreeholdError.self) { try open(medium.makeProcess()) }?.code == .readOnly)
        medium.inject(FaultRule(.open, code: ErrorNumber.readOnlyFileSystem, pathEnding: ".lock"))
        var options = ToyStore.testOptions()
        options.readOnly = true
        let reader = try ToyStore.open(Self.path, options, medium.makeProcess())
        #expect(ToyStore.read(try reader.readers.claim().pin(), reader)?.mark == 5)
        try reader.close()
    }
}
