@testable import FreeholdEngine
import TestKit
import Testing

/// `OrderedIndex.forEachLeaf`: what a walk skips.
@Suite struct IndexLeafWalkTests {
    /// Keys that begin with numbers, as those of groups of sign bits do, and some that are shorter or agree in their first eight bytes.
    private func model(_ random: inout SeededRandom, step: UInt64, rest: Int) throws -> IndexModel {
        let model = IndexModel()
        for number in 0..<3_000 as Range<UInt64> {
            let start = Self.bytes(Self.number(number, step))
            let length = number % 50 == 7 ? random.below(8) : 8
            let key = start.prefix(length) + (length == 8 ? (0..<random.below(rest + 1)).map { _ in UInt8(random.below(256)) } : [])
            model.insert(Posting(key: Array(key), object: Int64(number % 3)))
            if number % 97 == 0 {
                for last in 0..<20 as Range<UInt8> { model.insert(Posting(key: start + [9, 9, last], object: 0)) }
            }
        }
        try model.commit()
        return model
    }

    /// With a step of 0 neighbours of heaps: separators differ in the last byte of eight, and in the first one.
    private static func number(_ number: UInt64, _ step: UInt64) -> UInt64 {
        step == 0 ? (number / 40) << 56 | number % 40 : (number * step) ^ 1 << 63
    }

    private static func bytes(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) } }

    @Test("a walk meets every key from the wanted number on, whatever it may skip", arguments: [
        (step: 1, rest: 900), (1, 8), (1, 0), (257, 900), (1 << 20 + 3, 100), (1 << 51 - 7, 30), (1 << 51 - 7, 1900), (0, 900), (0, 8),
    ] as [(step: UInt64, rest: Int)])
    func skips(step: UInt64, rest: Int) throws {
        var random = SeededRandom(seed: step &+ UInt64(rest)), skipped = 0
        let model = try model(&random, step: step, rest: rest), keys = model.sorted.map(\.key)
        for distance in [0, 1, 2, 5, 100, 2_000] as [UInt64] {
            // The numbers wanted, ascending: each is followed by one up to so many steps further.
            var wanted: [UInt64] = [], number: UInt64 = 0
            while number < 3_000 {
                wanted.append(Self.number(number, step))
                number += 1 + (distance == 0 ? 0 : UInt64(random.below(Int(distance) + 1)))
            }
            var place = 0, found: Set<[UInt8]> = []
            try model.index.forEachLeaf { leaf throws(FreeholdError) in
                var last: [UInt8] = []
                for entry in 0..<leaf.count {
                    var key: [UInt8] = []
                    try leaf.appendKey(entry, to: &key, model.index.access)
                    found.insert(key)
                    last = key
                }
                // A key that begins with the number may be in the next leaf, too.
                while place < wanted.count, Self.bytes(wanted[place]).order(Array(last.prefix(8))) < 0 { place += 1 }
                return place < wanted.count ? wanted[place] : nil
            }
            let prefixes = Set(wanted.map(Self.bytes))
            let missed = keys.filter { prefixes.contains(Array($0.prefix(8))) && !found.contains($0) }
            #expect(missed.isEmpty, "every \(distance): \(missed.prefix(3))")
            skipped += Set(keys).count - found.count
        }
        #expect(skipped > 2_500)
    }

    @Test("a walk that skips nothing meets all keys, and ends when told so")
    func all() throws {
        var random = SeededRandom(seed: 3), leaves = 0
        let model = try model(&random, step: 5, rest: 40)
        var found: [[UInt8]] = []
        try model.index.forEachLeaf { leaf throws(FreeholdError) in
            for entry in 0..<leaf.count {
                var key: [UInt8] = []
                try leaf.appendKey(entry, to: &key, model.index.access)
                found.append(key)
            }
            leaves += 1
            return 0
        }
        #expect(Set(found) == Set(model.sorted.map(\.key)) && leaves > 20)
        var count = 0
        try model.index.forEachLeaf { _ throws(FreeholdError) in
            count += 1
            return count == 2 ? nil : 0
        }
        #expect(count == 2)
    }
}
