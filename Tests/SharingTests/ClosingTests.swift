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
        let found = ToyStore.read(try session.claimCell().pin(), session)?.counter
        #expect(found == acknowledged.withLock { $0 }, "seed \(seed)")
        try session.close()
    }
}
