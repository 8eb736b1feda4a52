import Glibc
import TestKit
import Testing

/// Random classes, random operations of every kind, several processes, crashes: see `WholeLife`.
///
/// `FREEHOLD_LONG=20` makes 8,000 of them. A failure names its seed; `FREEHOLD_SEED=seed` runs that one alone.
@Suite struct WholeLifeTests {
    private static let chosen = getenv("FREEHOLD_SEED").flatMap { UInt64(String(cString: $0)) }
    static let groups = chosen.map { [[$0]] } ?? stride(from: 0, to: all.count, by: 25).map { Array(all[$0..<min($0 + 25, all.count)]) }
    private static let all = TestScale.seeds(400)

    @Test("a database of any classes, in several hands, that crashes now and then, is what the model says", arguments: groups)
    func lives(seeds: [UInt64]) throws {
        var commits = 0
        for seed in seeds {
            do {
                let life = try WholeLife(seed: seed)
                try life.run(events: 14)
                #expect(life.complaints.isEmpty, "\(life.complaints.prefix(5).joined(separator: "\n"))")
                commits += life.commits
            } catch {
                Issue.record("seed \(seed): \(error)")
            }
        }
        #expect(commits > seeds.count, "hardly anything happened")
    }
}
