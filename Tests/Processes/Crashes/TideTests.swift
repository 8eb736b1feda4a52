import TestKit
import Testing

/// Large content that comes and goes until the file is cut and has holes; crashes around each cut and some of the holes.
///
/// A file cut below the version being committed (`docs/commit-and-recovery.md`, C7) is found here, by two of the eight seeds.
@Suite struct TideTests {
    static let seeds = TestScale.seeds(8)
    private static let imagesPerSeed = 24

    @Test("a cache that is filled, emptied and filled again is whole, in use and after a crash at any cut or hole", arguments: seeds)
    func tides(seed: UInt64) throws {
        let life = try Tide(seed: seed)
        defer { life.end() }
        try life.run()
        #expect(life.complaints.isEmpty, "seed \(seed): \(life.complaints.prefix(4).joined(separator: "\n"))")
        let cuts = life.machine.cutPlaces.filter { $0 > life.firstPlace }, holes = life.machine.holePlaces
        #expect(!cuts.isEmpty && !holes.isEmpty, "seed \(seed): \(cuts.count) cuts, \(holes.count) holes")
        var random = SeededRandom(seed: seed)
        for number in 0..<Self.imagesPerSeed {
            guard let near = (number % 3 == 2 ? holes : cuts).randomElement(using: &random) else { continue }
            let place = min(max(near + Int.random(in: -3...4, using: &random), life.firstPlace), life.machine.operationCount)
            let part = random.next() % 1_000_000
            let surviving = [SurvivingWrites.none, .all, .sectors(seed: part), .torn(seed: part)].randomElement(using: &random)!
            let found = try life.judge(CrashCase(place: place, surviving: surviving), sameBoot: number % 4 == 3)
            #expect(found.isEmpty, "\(found.prefix(3).joined(separator: "\n"))")
        }
    }
}
