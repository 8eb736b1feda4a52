import Platform
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// What a session finds and did not write itself, until its first flush: a root that was never flushed is not durable.
@Suite struct FirstFlushTests {
    private static let path = "/x.freehold"

    private func makeMachine(_ seed: UInt64, knowsBoot: Bool = true) -> SimulatedSystem {
        let machine = SimulatedSystem(seed: seed)
        machine.options.recordsMappedStores = false
        machine.options.fileCapacity = 64 << 20
        machine.options.knowsBoot = knowsBoot
        return machine
    }

    private func open(_ process: SimulatedProcess, readOnly: Bool = false) throws -> Session {
        var options = SimulatedTests.options()
        options.reserve = 64 << 20
        options.readOnly = readOnly
        return try ToyStore.open(Self.path, options, process)
    }

    /// A machine that was turned off in good order, with a commit that no flush covers.
    private func rebooted(_ seed: UInt64, knowsBoot: Bool) throws -> SimulatedSystem {
        let machine = makeMachine(seed, knowsBoot: knowsBoot)
        let process = machine.makeProcess()
        let session = try open(process)
        try ToyStore.commit(session, .full)
        try ToyStore.commit(session, .processCrash)
        process.leak(session)
        process.kill()
        defer { machine.discard() }
        return machine.image(surviving: .all)
    }

    /// All are killed at every operation of `act`, another one commits, and the power is cut at every operation of that. Whatever happens,
    /// the version that was durable at first opens, or a later one.
    private func expectSafe(_ machine: SimulatedSystem, from start: Int, _ name: String) throws -> Int {
        var images = 0
        for place in start...machine.operationCount {
            let killed = machine.image(at: place, boot: .same)
            let process = killed.makeProcess()
            var promised: [(place: Int, counter: UInt64)] = [(0, 1)]
            do {
                let session = try open(process)
                let counter = try ToyStore.commit(session, .full).counter
                promised.append((killed.operationCount, counter))
                process.leak(session)
            } catch let error as FreeholdError { Issue.record("\(name), killed at \(place): \(error)") }
            process.kill()
            for crash in killed.crashCases(seed: UInt64(place), subsets: 2, torn: 0) {
                let image = killed.image(crash)
                let least = promised.filter { $0.place <= crash.place }.map(\.counter).max() ?? 0
                do {
                    let session = try open(image.makeProcess())
                    let found = ToyStore.read(try session.readers.claim().pin(), session)?.counter ?? 0
                    #expect(found >= least, "\(name), killed at \(place), then \(crash)")
                    try session.close()
                } catch { Issue.record("\(name), killed at \(place), then \(crash): \(error)") }
                image.discard()
                images += 1
            }
            killed.discard()
        }
        return images
    }

    @Test(arguments: [true, false]) func aWriterInAReadersSessionBindsItToTheBootFirst(_ knowsBoot: Bool) throws {
        var images = 0
        for seed in 1...3 as ClosedRange<UInt64> {
            let machine = try rebooted(seed, knowsBoot: true)
            machine.options.knowsBoot = knowsBoot
            let reader = machine.makeProcess(), writer = machine.makeProcess()
            let readers = try open(reader, readOnly: true)
            let start = machine.operationCount
            let session = try open(writer)
            try session.flusher.flushNow()
            reader.leak(readers)
            writer.leak(session)
            images += try expectSafe(machine, from: start, "seed \(seed)")
            machine.discard()
        }
        #expect(images > 100)
    }

    @Test(arguments: [(false, false), (true, false), (false, true)])
    func anOpenerThatCannotTellTheBootTakesNothingForDurable(_ knew: Bool, _ knows: Bool) throws {
        var images = 0
        for seed in 1...3 as ClosedRange<UInt64> {
            let machine = try rebooted(seed, knowsBoot: knew)
            machine.options.knowsBoot = knows
            let process = machine.makeProcess()
            let start = machine.operationCount
            let session = try open(process)
            process.leak(session)
            machine.options.knowsBoot = knew
            images += try expectSafe(machine, from: start, "seed \(seed)")
            machine.discard()
        }
        #expect(images > 100)
    }

    /// What processes that could not tell the boot committed is there for one that can, and the reverse, if the kernel lived on.
    @Test(arguments: [true, false]) func whoKnowsTheBootAndWhoDoesNotFollowOneAnother(_ first: Bool) throws {
        let machine = makeMachine(7)
        var counter: UInt64 = 0
        for round in 0..<6 {
            machine.options.knowsBoot = (round % 2 == 0) == first
            let process = machine.makeProcess()
            let session = try open(process)
            #expect(ToyStore.read(session.memory.newest.read().root, session)?.counter == counter)
            for _ in 0..<(1 + round % 2) { counter = try ToyStore.commit(session, .processCrash).counter }
            process.leak(session)
            process.kill()
        }
        machine.discard()
    }

    /// A failed flush is remembered where the boot cannot be told.
    @Test func poisonCountsWhereTheBootCannotBeTold() throws {
        let machine = makeMachine(8, knowsBoot: false)
        let process = machine.makeProcess()
        let session = try open(process)
        try ToyStore.commit(session, .full, mark: 1)
        try ToyStore.commit(session, .processCrash, mark: 2)
        machine.inject(FaultRule(.synchronize, code: ErrorNumber.inputOutput, pathEnding: ".freehold", times: 1))
        #expect(throws: FreeholdError.self) { try ToyStore.commit(session, .full, mark: 3) }
        try session.close()
        let next = try open(machine.makeProcess())
        #expect(ToyStore.read(try next.readers.claim().pin(), next)?.mark == 1)
        try next.close()
        machine.discard()
    }

    /// A flush may have to write what others wrote (a process younger than that), and the system may refuse this process the room. Then nothing
    /// is lost: whichever write of whichever flush is refused, the session goes on, and the next flush covers all.
    @Test(arguments: [ErrorNumber.fileTooLarge, ErrorNumber.noSpace, ErrorNumber.quotaExceeded])
    func aRefusedWriteOfAFlushEndsNothing(_ code: Int32) throws {
        var refusedAfterCommit = 0, skipped = 0, images = 0, isReached = true
        while isReached {
            let machine = makeMachine(UInt64(skipped))
            let elder = machine.makeProcess(), young = machine.makeProcess()
            let first = try open(elder)
            try ToyStore.commit(first, .full)
            try ToyStore.commit(first, .processCrash)
            let second = try open(young)
            machine.inject(FaultRule(.write, code: code, pathEnding: ".freehold", skipping: skipped, times: 1))
            do {
                try ToyStore.commit(second, .full)
                isReached = false
            } catch {
                #expect([.notYetDurable, .diskFull].contains(error.code), "\(skipped): \(error)")
                if error.code == .notYetDurable {
                    refusedAfterCommit += 1
                    #expect(ToyStore.read(try second.readers.claim().pin(), second)?.counter == 3, "who committed sees it")
                }
            }
            machine.clearFaults()
            let last = try ToyStore.commit(skipped % 2 == 0 ? first : second, .full).counter
            #expect(second.memory.poisoned.load() == 0 && first.memory.visible.version == first.memory.newest.version)
            elder.leak(first)
            young.leak(second)
            for crash in machine.crashCases(seed: UInt64(skipped), subsets: 2, torn: 0) where crash.place == machine.operationCount {
                let image = machine.image(crash)
                let session = try open(image.makeProcess())
                #expect(ToyStore.read(try session.readers.claim().pin(), session)?.counter == last, "\(skipped), \(crash)")
                try session.close()
                image.discard()
                images += 1
            }
            machine.discard()
            skipped += 1
        }
        // The blocks that are written again, the root, and what confirms it.
        #expect(refusedAfterCommit >= 3 && images >= skipped)
    }
}
