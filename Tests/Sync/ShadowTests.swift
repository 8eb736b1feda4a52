import TestKit
import Testing

/// The histories of `HistoryTests` with real files: each device is followed by a database that goes through the same transactions and
/// answers. Objects, batches, cursor and clock are compared after each step.
@Suite("Files that follow a server as simulated devices do")
struct ShadowTests {
    @Test("a file holds and sends what the device does", arguments: HistoryVariant.shadowed)
    func files(variant: HistoryVariant) {
        for seed in Set(TestScale.seeds(4, full: 30) + variant.seeds).sorted() {
            if let violation = World(seed: seed, variant.rules).run() { Issue.record("\(variant.name), seed \(seed): \(violation)") }
        }
    }
}
