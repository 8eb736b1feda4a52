@testable import FreeholdEngine
import Glibc
import Synchronization
import TestKit
import Testing

/// Power cuts and deaths of everybody in histories of several processes and threads: see `SharedLife`.
///
/// At least 20,000 distinct images a day over all cases, counted as `ImageChecker` says: the last case to end prints the sum and compares it.
/// A failure names its seed; `FREEHOLD_SEED=seed` runs that one alone.
@Suite struct SharedLifeTests {
    private static let chosen = getenv("FREEHOLD_SEED").flatMap { UInt64(String(cString: $0)) }
    static let seeds = chosen.map { [$0] } ?? TestScale.seeds(40)
    private static func size(_ seed: UInt64) -> SharedLife.Size { seed % 10 == 7 ? .deep : seed % 5 == 1 ? .large : .small }
    private static let imagesMade: [SharedLife.Size: Int] = [.small: 2200, .large: 1000, .deep: 200]
    private static let leastDistinct: [SharedLife.Size: Int] = [.small: 150, .large: 60, .deep: 10]
    private static let leastTogether = 20_000
    private static let aftermaths = 20

    private struct Sum {
        var cases = 0, made = 0, opened = 0, distinct = 0, commits = 0, deaths = 0, cuts = 0, holes = 0
        var happened: [String: Int] = [:]
    }
    private static let sum = Mutex(Sum())

    @Test("what several processes and threads have made of one file is whole, in use and after a crash anywhere", arguments: seeds)
    func crashes(seed: UInt64) throws {
        let size = Self.size(seed), life = try SharedLife(seed: seed, size)
        defer { life.machine.discard() }
        life.run()
        #expect(life.ledger.complaints.isEmpty, "seed \(seed): \(life.ledger.complaints.prefix(4).joined(separator: "\n"))")
        let checker = ImageChecker(life.machine, paths: SharedLife.paths, from: life.firstPlace, life.options)
        var wrong: [String] = []
        for (number, crash) in cases(life, Self.imagesMade[size]!, seed: seed).enumerated() where wrong.count < 4 {
            wrong += judge(life, checker, crash, seed: seed)
            if number % 16 == 0 { wrong += judge(life, checker, CrashCase(place: crash.place, surviving: .all), isSameBoot: true, seed: seed) }
        }
        for number in 0..<UInt64(Self.aftermaths) where wrong.count < 4 {
            var aftermath = Aftermath(life, seed: seed &* 1000 &+ number)
            wrong += try aftermath.run().map { "seed \(seed), aftermath \(number): \($0)" }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(4).joined(separator: "\n"))")
        #expect(checker.distinct >= Self.leastDistinct[size]!, "seed \(seed): \(checker.distinct) distinct of \(checker.made) images")
        add(life, checker)
    }

    /// Crashes near each cut and hole, and then at places all over the history, so many that each seed has its part of the time.
    private func cases(_ life: SharedLife, _ count: Int, seed: UInt64) -> [CrashCase] {
        var random = SeededRandom(seed: seed)
        let special = (life.machine.cutPlaces + life.machine.holePlaces).filter { $0 > life.firstPlace }
        let end = life.machine.operationCount
        var cases: [CrashCase] = (0..<count).map { number in
            var place = Int.random(in: life.firstPlace...end, using: &random)
            if number % 11 == 0, let near = special.randomElement(using: &random) {
                place = min(max(near + Int.random(in: -3...4, using: &random), life.firstPlace), end)
            }
            let part = random.next() % 1_000_000
            let surviving: SurvivingWrites = switch number % 16 {
            case 0: .none
            case 1, 2: .all
            case 3..<6: .torn(seed: part)
            default: .sectors(seed: part)
            }
            return CrashCase(place: place, surviving: surviving)
        }
        // Images are made quickly in the order of the log.
        cases.sort { $0.place < $1.place }
        return cases
    }

    private func judge(_ life: SharedLife, _ checker: ImageChecker, _ crash: CrashCase, isSameBoot: Bool = false, seed: UInt64) -> [String] {
        let what = "seed \(seed), \(crash)\(isSameBoot ? ", everybody killed" : "")"
        do {
            return try checker.judge(crash, boot: isSameBoot ? .same : .next) { found in
                let version = found.snapshot.version.rawValue
                let promised = life.ledger.promised(at: crash.place, afterPowerCut: !isSameBoot)
                if version < promised { return ["version \(version), although \(promised) was acknowledged"] }
                guard found.isNew else { return [] }
                let meant = life.ledger.contents(of: version, at: crash.place)
                let difference = try SharedLife.difference(found.snapshot, meant)
                return try found.database.check().problems.map { "the checker finds \($0)" } + (difference.map { [$0] } ?? [])
            }.map { "\(what): \($0)" }
        } catch { return ["\(what): \(error)"] }
    }

    private func add(_ life: SharedLife, _ checker: ImageChecker) {
        let sum = Self.sum.withLock { sum in
            sum.cases += 1
            sum.made += checker.made
            sum.opened += checker.opened
            sum.distinct += checker.distinct
            sum.commits += life.ledger.commits
            sum.deaths += life.deaths
            sum.cuts += life.machine.cutPlaces.count { $0 > life.firstPlace }
            sum.holes += life.machine.holePlaces.count
            sum.happened.merge(life.ledger.counts, uniquingKeysWith: +)
            return sum
        }
        guard sum.cases == Self.seeds.count else { return }
        print("crash images: \(sum.distinct) distinct of \(sum.made) made, \(sum.opened) opened; \(sum.commits) commits, \(sum.deaths) deaths, "
            + "\(sum.cuts) cuts, \(sum.holes) holes, \(sum.happened.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))")
        // A sanitizer's run is a tenth.
        guard Self.seeds.count >= 40, Self.chosen == nil else { return }
        #expect(sum.distinct >= Self.leastTogether, "\(sum.distinct) distinct images")
        #expect(sum.cuts > 20 && sum.holes > 0 && sum.deaths > 20, "hardly anything was cut, punched or killed")
        let inUse = "refused with \(FreeholdError.Code.inUse.rawValue)"
        for what in ["reader begins", "writer begins", "compaction", "move", inUse, "resumed", "revoked", "stream attached", "stream cancelled"] { #expect(sum.happened[what] ?? 0 > 0, "never: \(what)") }
    }
}
