import TestKit
import Testing
@testable import FreeholdEngine
@testable import FreeholdMerge

/// Seeded histories: devices, a server, a network that loses, repeats and reorders, clocks, crashes, copies.
///
/// A failure prints the variant and the seed; `World(seed:_:)` with a `log` replays it.
@Suite("Histories of devices that follow a server")
struct HistoryTests {
    @Test("the rules hold", arguments: HistoryVariant.rules)
    func rules(variant: HistoryVariant) {
        for seed in Set(TestScale.seeds(25, full: 2_400) + variant.seeds).sorted() {
            if let violation = World(seed: seed, variant.rules).run() { Issue.record("\(variant.name), seed \(seed): \(violation)") }
        }
    }

    @Test("a rule that is left out is caught", arguments: HistoryVariant.shortcuts)
    func shortcuts(variant: HistoryVariant) {
        let isCaught = (1...UInt64(2000)).contains { World(seed: $0, variant.rules).run() != nil }
        #expect(isCaught, "\(variant.name) is not caught")
    }

    @Test("a rule whose absence hardly ever shows is caught by a known history, which the rules pass",
          arguments: HistoryVariant.rareShortcuts)
    func rareShortcuts(variant: HistoryVariant) {
        for seed in variant.seeds {
            #expect(World(seed: seed, variant.rules).run() != nil, "\(variant.name), seed \(seed), is not caught")
            var rules = variant.rules
            (rules.server, rules.device) = ([], [])
            #expect(World(seed: seed, rules).run() == nil, "\(variant.name), seed \(seed)")
        }
    }

    @Test("every message of a history is the same as bytes", arguments: 1...6 as ClosedRange<UInt64>)
    func bytes(seed: UInt64) {
        let world = World(seed: seed, HistoryRules())
        world.inspect = { message in
            let sent: SyncMessage = switch message {
            case .push(let push): .push(push.push)
            case .pull(_, _, let pull): .pull(pull)
            case .ack(_, let ack): .ack(ack)
            case .answer(let answer): .answer(answer.answer)
            }
            // Traces are not sent: compared as bytes.
            #expect((try? SyncMessage(bytes: sent.bytes))?.bytes == sent.bytes)
        }
        #expect(world.run() == nil)
    }
}
