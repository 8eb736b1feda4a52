import TestKit
import Testing
@testable import FreeholdMerge

/// Seeded histories: devices, a server, a network that loses, repeats and reorders, clocks, crashes, copies.
///
/// A failure prints the variant and the seed; `World(seed:_:)` with a `log` replays it.
@Suite("Histories of devices that follow a server")
struct HistoryTests {
    @Test("the rules hold", arguments: HistoryVariant.rules)
    func rules(variant: HistoryVariant) {
        for seed in 1...UInt64(TestScale.count(25)) {
            if let violation = World(seed: seed, variant.rules).run() { Issue.record("\(variant.name), seed \(seed): \(violation)") }
        }
    }

    @Test("a rule that is left out is caught", arguments: HistoryVariant.shortcuts)
    func shortcuts(variant: HistoryVariant) {
        let isCaught = (1...UInt64(2000)).contains { World(seed: $0, variant.rules).run() != nil }
        #expect(isCaught, "\(variant.name) is not caught")
    }
}
