@testable import BlockKit
import TestKit
import Testing
@testable import FreeholdEngine

/// Small spaces exhausted, and the limits of keys, chunks and nodes.
@Suite struct IndexShapeTests {
    /// Every subset of eight postings, changed into every other one of a few.
    @Test func everySmallTreeBecomesEveryOther() throws {
        let keys: [[UInt8]] = [[], [0], [0, 0], [1]]
        let postings = keys.flatMap { key in [Int64.min, 5].map { Posting(key: key, object: $0) } }
        for from in 0..<256 {
            for to in [0, 1, 0b1010_0101, 0b0110_1100, 255, from ^ 255, from ^ 0b10] {
                let model = IndexModel()
                for (bit, posting) in postings.enumerated() where from >> bit & 1 == 1 { model.insert(posting) }
                try model.commit()
                for (bit, posting) in postings.enumerated() {
                    if to >> bit & 1 == 1 { model.insert(posting) } else { model.remove(posting) }
                }
                try model.apply()
                #expect(try model.index.all() == model.sorted, "\(from) to \(to)")
                #expect(model.index.verify() == [], "\(from) to \(to)")
                #expect(model.root.isNull == (to == 0))
            }
        }
    }

    /// One key, inserted in several orders, at counts around the limits of a chunk and of a leaf.
    @Test(arguments: [1, 2, 255, 256, 257, 511, 512, 513, 5_000])
    func chunksSplitAtTheirLimit(_ count: Int) throws {
        var generator = SeededRandom(seed: UInt64(count))
        let objects = (0..<count).map { Int64($0) * 3 - 100 }
        for order in [objects, objects.reversed(), objects.shuffled(using: &generator)] {
            let model = IndexModel()
            for (step, object) in order.enumerated() {
                model.insert(Posting(key: [1, 2], object: object))
                if step % 100 == 7 { try model.apply() }
            }
            try model.commit()
            #expect(model.index.verify() == [])
            #expect(try model.index.count([1, 2]) == count)
            let isSame = try model.index.all() == model.sorted
            #expect(isSame)
            for object in objects where object % 4 != 0 { model.remove(Posting(key: [1, 2], object: object)) }
            try model.commit()
            #expect(try model.index.count([1, 2]) == model.postings.count)
            #expect(model.index.verify() == [])
        }
    }

    @Test func theLongestKeysDifferInTheirLastByte() throws {
        let model = IndexModel()
        let start = [UInt8](repeating: 0x61, count: IndexLayout.maximumKeyBytes - 1)
        for last in 0..<12 as Range<UInt8> {
            for object in 0..<300 as Range<Int64> where last == 3 || object < 2 { model.insert(Posting(key: start + [last], object: object)) }
        }
        try model.commit()
        #expect(model.index.verify() == [])
        #expect(try model.index.count(start + [3]) == 300)
        #expect(try model.index.count(start + [12]) == 0)
        #expect(try model.index.count(start) == 0)
        #expect(try model.index.first(start + [11]) == 0)
        #expect(try model.index.count(start + [2], start + [5]) == 304)
        #expect(try model.index.maximum()?.key == start + [11])
        for posting in model.sorted where posting.key.last! % 2 == 1 { model.remove(posting) }
        try model.commit()
        #expect(model.index.verify() == [])
        #expect(try model.file.reachable(model.root) == model.file.live)
    }

    @Test func ascendingKeysFillTheirLeaves() throws {
        let model = IndexModel()
        for batch in 0..<40 {
            for step in 0..<250 {
                let number = batch * 250 + step
                model.insert(Posting(key: KeyDistribution.ascending.bigEndian(UInt64(number)), object: Int64(number)))
            }
            try model.commit()
        }
        #expect(model.index.verify() == [])
        let sizes = model.file.live.map { Int($0 & 0xffff) * BlockLayout.granule }
        // 10,000 entries of at most 14 bytes.
        #expect(sizes.reduce(0, +) < 160_000)
    }

    @Test func bulkLoadedLeavesAreFull() throws {
        let model = IndexModel()
        for number in 0..<60_000 { model.insert(Posting(key: KeyDistribution.ascending.bigEndian(UInt64(number) * 977), object: Int64(number))) }
        try model.commit()
        #expect(model.index.verify() == [])
        let leaves = model.file.live.filter { location in
            BlockView(start: model.file.access.base + Int((location >> 16) << 6)).kind == .indexLeaf
        }
        let full = leaves.filter { $0 & 0xffff >= IndexLayout.leafBytes / BlockLayout.granule - 2 }
        #expect(leaves.count - full.count <= 2, "all leaves but the last two are full")
    }

    @Test func aKeyThatFillsManyLeavesIsCountedInOneDescent() throws {
        let model = IndexModel()
        var generator = SeededRandom(seed: 77)
        for key in 0..<9 as Range<UInt8> {
            for object in 0..<(key == 4 ? 40_000 : 50) { model.insert(Posting(key: [key], object: Int64(object) * 1000 + .random(in: 0..<900, using: &generator))) }
        }
        try model.commit()
        #expect(try model.index.count([4]) == 40_000)
        #expect(try model.index.count([5]) == 50)
        #expect(try model.index.count([3], [5]) == 40_050)
        let middle = model.sorted[20_000]
        #expect(try model.index.contains(middle))
        #expect(try !model.index.contains(Posting(key: [4], object: middle.object + 950)))
        #expect(model.index.verify() == [])
    }

    @Test func operationsThatChangeNothingKeepEveryBlock() throws {
        let model = IndexModel()
        for number in 0..<5_000 as Range<Int64> { model.insert(Posting(key: Array("k\(number % 100)".utf8), object: number)) }
        try model.commit()
        let root = model.root
        for number in 0..<300 as Range<Int64> {
            model.insert(Posting(key: Array("k\(number % 100)".utf8), object: number))
            model.remove(Posting(key: Array("k\(number % 100)x".utf8), object: number))
            model.remove(Posting(key: Array("k\(number % 100)".utf8), object: number + 50_000))
        }
        try model.apply()
        #expect(model.root == root)
    }
}
