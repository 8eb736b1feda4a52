import Platform
import Synchronization
import TestKit
import Testing

@testable import FreeholdEngine
@testable import SharingKit

/// Several processes close at once: one of them is the last, and leaves the file as one at rest.
@Suite struct ClosingTests {
    private static var options: SessionOptions {
        var options = ToyStore.testOptions()
        options.reserve = 16 << 20
        options.leastReserve = 1 << 20
        return options
    }

    @Test(arguments: TestScale.seeds(80)) func theLastOfSeveralClosersMakesTheLastCommitsDurable(_ seed: UInt64) throws {
        var options = SimulatedSystem.Options(seed: seed)
        options.fileCapacity = 64 << 20
        options.switchOneIn = [2, 3, 8][Int(seed % 3)]
        options.recordsMappedStores = false
        let machine = SimulatedSystem(options)
        defer { machine.discard() }
        let acknowledged = Synchronization.Mutex<UInt64>(0), complaints = Synchronization.Mutex<[String]>([])
        for _ in 0..<3 {
            machine.makeProcess().start { process in
                do {
                    let session = try ToyStore.open("/x.freehold", Self.options, process)
                    for _ in 0..<2 {
                        let content = try ToyStore.commit(session, .processCrash)
                        acknowledged.withLock { $0 = max($0, content.counter) }
                    }
                    // All close at once.
                    while acknowledged.withLock({ $0 < 6 }) { process.sleep(milliseconds: 1) }
                    try session.close()
                } catch { complaints.withLock { $0.append("\(error)") } }
            }
        }
        #expect(machine.run(stepLimit: 200_000) == .finished, "seed \(seed)")
        #expect(complaints.withLock { $0 }.isEmpty, "seed \(seed)")
        #expect(try machine.makeProcess().listDirectory("/") == ["x.freehold"], "seed \(seed)")
        let cut = machine.image(surviving: .none)
        defer { cut.discard() }
        let session = try ToyStore.open("/x.freehold", Self.options, cut.makeProcess())
        let found = ToyStore.read(try session.readers.claim().pin(), session)?.counter
        #expect(found == acknowledged.withLock { $0 }, "seed \(seed)")
        try session.close()
    }

    /// The first closer has seen that it is not the last, and is stopped before it gives its share of the session byte up. The other one does
    /// not wait for it for ever, sees that share, and leaves: so the first one is the last when it goes on.
    @Test func aCloserStoppedInItsTurnEndsTheSessionWhenItGoesOn() throws {
        var options = SimulatedSystem.Options(seed: 1)
        options.fileCapacity = 64 << 20
        options.recordsMappedStores = false
        let machine = SimulatedSystem(options)
        defer { machine.discard() }
        let first = machine.makeProcess(), second = machine.makeProcess(), joined = Synchronization.Mutex(0), hasReleased = Synchronization.Mutex(false)
        let counter = Synchronization.Mutex<UInt64>(0)
        for process in [first, second] {
            process.start { process in
                guard let session = try? ToyStore.open("/x.freehold", Self.options, process) else { return }
                joined.withLock { $0 += 1 }
                while joined.withLock({ $0 < 2 }) { process.sleep(milliseconds: 1) }
                if process === first, let content = try? ToyStore.commit(session, .processCrash) { counter.withLock { $0 = content.counter } }
                while !first.isStopped, process === second { process.sleep(milliseconds: 1) }
                try? session.close()
            }
        }
        machine.onStep = { step in
            guard step.process === first, !hasReleased.withLock({ $0 && step.name == "close.left" }) else { return .proceed }
            if step.name == "close.slotReleased" { hasReleased.withLock { $0 = true } }
            return step.name == "unlockByte" && hasReleased.withLock { $0 } ? .stop : .proceed
        }
        #expect(machine.run(stepLimit: 200_000) == .idle)
        #expect(machine.unfinished.count == 1)
        machine.onStep = nil
        first.resume()
        #expect(machine.run(stepLimit: 200_000) == .finished)
        #expect(try machine.makeProcess().listDirectory("/") == ["x.freehold"])
        let cut = machine.image(surviving: .none)
        defer { cut.discard() }
        let session = try ToyStore.open("/x.freehold", Self.options, cut.makeProcess())
        let found = ToyStore.read(try session.readers.claim().pin(), session)?.counter
        #expect(found == counter.withLock { $0 } && found != 0)
        try session.close()
    }
}
