@testable import BlockKit
import TestKit
import Testing
@testable import FreeholdEngine

@Suite struct IndexCursorTests {
    private func makeModel(_ generator: inout SeededRandom) throws -> IndexModel {
        let model = IndexModel()
        for step in 0..<4_000 {
            model.insert(KeyDistribution.allCases[step % 3].posting(&generator, step: step))
        }
        try model.commit()
        return model
    }

    /// A cursor sent forwards, backwards and to ranks at random is always where a position in an array would be.
    @Test(arguments: [21, 22, 23] as [UInt64])
    func aCursorMovesAsAPositionInAnArray(_ seed: UInt64) throws {
        var generator = SeededRandom(seed: seed)
        let model = try makeModel(&generator)
        let sorted = model.sorted
        for round in 0..<12 {
            let bounds = [Int.random(in: 0...sorted.count, using: &generator), .random(in: 0...sorted.count, using: &generator)].sorted()
            var cursor = IndexCursor(model.index, ranks: bounds[0]..<bounds[1])
            var position = bounds[0] - 1
            for step in 0..<400 {
                let moved: Bool
                // Rounds differ in where they mostly go.
                let backwards = [3, 9, 16][round % 3]
                switch Int.random(in: 0..<20, using: &generator) {
                case 0:
                    position = .random(in: bounds[0] - 1...bounds[1], using: &generator)
                    moved = try cursor.move(toRank: position)
                case 1...backwards:
                    position = max(position - 1, bounds[0] - 1)
                    moved = try cursor.previous()
                default:
                    position = min(position + 1, bounds[1])
                    moved = try cursor.next()
                }
                let isInside = bounds[0]..<bounds[1] ~= position
                #expect(moved == isInside, "seed \(seed), round \(round), step \(step)")
                #expect(cursor.rank == position)
                if isInside {
                    let found = Posting(key: try cursor.key(), object: cursor.objectKey.rawValue)
                    #expect(found == sorted[position], "seed \(seed), round \(round), step \(step)")
                }
            }
        }
    }

    @Test func aCursorSaysWhereAKeyRepeats() throws {
        let model = IndexModel()
        for key in 0..<50 as Range<UInt8> {
            for object in 0..<600 as Range<Int64> where key % 10 == 0 || object == 0 { model.insert(Posting(key: [9, 9, 9, 9, key], object: object)) }
        }
        try model.commit()
        var cursor = try model.index.cursor()
        var starts = 0, last: [UInt8]?
        while try cursor.next() {
            let key = try cursor.key()
            if cursor.repeatsKey { #expect(key == last) } else { starts += 1 }
            last = key
        }
        #expect(starts >= 50 && starts < 60, "each key starts once, and once more in each further leaf")
    }

    @Test func anEmptyIndexHasNothing() throws {
        let index = OrderedIndex(root: .null, access: IndexModel().file.access)
        #expect(try index.count() == 0 && index.count([1]) == 0)
        #expect(try index.first([1]) == nil && index.minimum() == nil && index.maximum() == nil)
        var cursor = try index.cursor()
        #expect(try !cursor.next())
        #expect(try !cursor.previous())
        #expect(try !index.contains(Posting(key: [], object: 0)))
        #expect(index.verify() == [])
    }

    @Test func prefixesOfTheHighestBytesReachTheEnd() throws {
        let model = IndexModel()
        for key in [[255], [255, 255], [255, 255, 3], [254, 255], [254, 255, 255], [255, 0]] as [[UInt8]] { model.insert(Posting(key: key, object: 1)) }
        try model.apply()
        for prefix in [[], [255], [255, 255], [254, 255]] as [[UInt8]] {
            var cursor = try model.index.cursor(prefixed: prefix)
            var found: [[UInt8]] = []
            while try cursor.next() { found.append(try cursor.key()) }
            #expect(found == model.sorted.map(\.key).filter { $0.starts(with: prefix) })
        }
    }
}
