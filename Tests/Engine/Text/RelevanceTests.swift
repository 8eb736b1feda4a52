import Glibc
import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Relevance")
struct RelevanceTests {
    private func isClose(_ one: Double, _ other: Double) -> Bool { abs(one - other) <= 1e-14 * max(1, abs(other)) }

    @Test("the logarithm is that of the system's library, as far as that one is exact", arguments: Seeds.all)
    func logarithm(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<TestScale.count(10_000) {
            let number = Double.random(in: 1...2, using: &random) * pow(2, Double(random.below(200) - 100))
            #expect(isClose(ExactLogarithm.natural(number), log(number)), "seed \(seed): \(number)")
        }
        #expect(ExactLogarithm.natural(1) == 0)
        #expect(ExactLogarithm.natural(2) == 0.693_147_180_559_945_3)
    }

    @Test("logarithms are the same on every machine: their bits are fixed")
    func logarithmBits() {
        let bits = [3.0, 10, 1.5, 1e6, 0.1, 123_456.789].map { ExactLogarithm.natural($0).bitPattern }
        #expect(bits == [
            4_607_626_529_066_517_258, 4_612_367_379_483_415_829, 4_600_975_829_957_056_588, 4_623_967_059_079_856_032,
            13_835_739_416_338_191_637, 4_622_789_444_298_647_620,
        ])
    }

    @Test("scores are those of the formula as it is printed", arguments: Seeds.all)
    func formula(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<TestScale.count(1000) {
            let scoring = Relevance(saturation: Double(random.below(30)) / 10, lengthInfluence: Double(random.below(11)) / 10)
            let count = 1 + random.below(1_000_000), containing = 1 + random.below(count)
            let idf = log(1 + (Double(count) - Double(containing) + 0.5) / (Double(containing) + 0.5))
            #expect(isClose(Relevance.rarity(documentCount: count, containing: containing), idf))
            var sum = 0.0, frequency = 0.0
            for _ in 0...random.below(3) {
                let tf = random.below(9), length = 1 + random.below(500), average = Double(1 + random.below(500))
                let weight = Double(1 + random.below(4))
                frequency += scoring.frequency(Double(tf), length: length, averageLength: average, weight: weight)
                sum += weight * Double(tf) / ((1 - scoring.lengthInfluence) + scoring.lengthInfluence * Double(length) / average)
            }
            guard sum.isFinite else { continue }
            let wanted = sum == 0 ? 0 : idf * sum * (scoring.saturation + 1) / (scoring.saturation + sum)
            let score = scoring.score(frequency, rarity: idf)
            #expect(isClose(score, wanted) && score <= scoring.limit(rarity: idf), "seed \(seed)")
        }
    }

    @Test("no rounding makes a higher frequency score less", arguments: Seeds.all)
    func monotony(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<TestScale.count(10_000) {
            let scoring = Relevance(saturation: Double.random(in: 0...3, using: &random))
            let rarity = Double.random(in: 0...20, using: &random)
            let frequency = Double.random(in: 0.01...20, using: &random)
            #expect(scoring.score(frequency, rarity: rarity) <= scoring.score(frequency.nextUp, rarity: rarity), "seed \(seed)")
        }
    }

    @Test("rarer words, more of them and shorter texts score higher")
    func order() {
        let scoring = Relevance()
        func score(_ occurrences: Int, _ length: Int, _ containing: Int) -> Double {
            let frequency = scoring.frequency(Double(occurrences), length: length, averageLength: 100, weight: 1)
            return scoring.score(frequency, rarity: Relevance.rarity(documentCount: 1000, containing: containing))
        }
        #expect(score(1, 100, 10) > score(1, 100, 20) && score(2, 100, 10) > score(1, 100, 10) && score(1, 50, 10) > score(1, 100, 10))
        #expect(isClose(score(1, 100, 10), Relevance.rarity(documentCount: 1000, containing: 10)))
        #expect(score(0, 100, 10) == 0 && score(1, 100, 1000) > 0)
    }
}
