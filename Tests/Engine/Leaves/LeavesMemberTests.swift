import TestKit
import Testing
@testable import FreeholdEngine

/// Rows whose value is one of several, or lies between two dates or ids.
@Suite("Selections of members, dates and ids")
struct LeavesMemberTests {
    private static func selected(_ count: Int, _ select: (UnsafeMutablePointer<UInt64>) -> Void) -> [Bool] {
        var words = [UInt64](repeating: 0xA5A5_A5A5_A5A5_A5A5, count: Bitmap.words(count) + 1)
        words.withUnsafeMutableBufferPointer { select($0.baseAddress!) }
        #expect(words.last == 0xA5A5_A5A5_A5A5_A5A5)
        if count % 64 != 0 { #expect(words[count / 64] >> UInt64(count % 64) == 0) }
        return rows(of: words, count: count)
    }

    private static func integers(_ bits: Int, _ random: inout SeededRandom) -> (memory: ExactMemory, values: [Int64?]) {
        let numbers = random.integers(random.rowCount(), bits: bits), nullShare = [0, 0, 30, 100][random.below(4)]
        let values = numbers.map { random.chance(nullShare) ? nil : $0 }
        let builder = IntegerColumnBuilder()
        for value in values { if let value { builder.append(value) } else { builder.appendNull() } }
        return (builder.leaf(), values)
    }

    @Test("members of a bit set, at every width", arguments: Seeds.all)
    func members(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for bits in [0, 1, 2, 4, 8, 12, 16, 20, 32, 64] {
            for _ in 0..<12 {
                let (memory, values) = Self.integers(bits, &random), leaf = PackedIntegers(memory.pointer)
                var set = (0..<[0, 1, 2, 64][random.below(4)]).map { _ in random.next() }
                // Some of the leaf's own values, where the set can have them.
                for case let value? in values.prefix(20) where value >= 0 && value < set.count * 64 { set[Int(value) / 64] |= 1 << UInt64(value % 64) }
                let found = Self.selected(values.count) { matches in
                    set.withUnsafeBufferPointer { leaf.select(members: $0, into: matches) }
                }
                #expect(found == values.map { value in
                    guard let value, value >= 0, value < set.count * 64 else { return false }
                    return set[Int(value) / 64] >> UInt64(value % 64) & 1 != 0
                }, "width \(leaf.width), seed \(seed)")
            }
        }
    }

    @Test("members of a short list, near and far", arguments: Seeds.all)
    func lists(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for bits in [0, 1, 2, 4, 8, 12, 16, 20, 32, 64] {
            for _ in 0..<25 {
                let (memory, values) = Self.integers(bits, &random), leaf = PackedIntegers(memory.pointer)
                let present = values.compactMap { $0 }
                var list = Set((0..<[0, 1, 2, 5, 9, 40][random.below(6)]).map { _ in
                    random.chance(60) && !present.isEmpty ? present[random.below(present.count)] : Int64(bitPattern: random.next())
                })
                if random.chance(20) { list.formUnion([.min, .max]) }
                let found = Self.selected(values.count) { leaf.select(anyOf: list.sorted(), into: $0) }
                #expect(found == values.map { $0.map(list.contains) ?? false }, "width \(leaf.width), list \(list.sorted()), seed \(seed)")
            }
        }
    }

    @Test("dates between two, to the nanosecond", arguments: Seeds.all)
    func dates(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<120 {
            let seconds = [1, 3, 1000][random.below(3)], isWhole = random.chance(30), nullShare = [0, 30, 100][random.below(3)]
            func date(_ random: inout SeededRandom) -> Timestamp {
                Timestamp(seconds: Int64(random.below(seconds)) - 1, nanoseconds: isWhole ? 0 : Int32([0, 1, 5, 999_999_999][random.below(4)]))
            }
            let values = (0..<random.rowCount()).map { _ in random.chance(nullShare) ? nil : date(&random) }
            let builder = DateColumnBuilder()
            for value in values {
                if let value { builder.append(seconds: value.seconds, nanoseconds: value.nanoseconds) } else { builder.appendNull() }
            }
            let memory = builder.leaf()
            for _ in 0..<8 {
                var bounds = [date(&random), date(&random)].sorted()
                if random.chance(20) { bounds[0].nanoseconds = 3 }
                if random.chance(20) { bounds[1].nanoseconds = 3 }
                guard bounds[0] <= bounds[1] else { continue }
                let range = bounds[0]...bounds[1]
                let found = Self.selected(values.count) { DateLeaf(memory.pointer).select(range, into: $0) }
                #expect(found == values.map { $0.map(range.contains) ?? false }, "\(range), seed \(seed)")
            }
        }
    }

    @Test("ids between two, as their bytes are ordered", arguments: Seeds.all)
    func ids(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<120 {
            let few: [UInt64] = [0, 1, 1 << 63, .max, 0xFF00, 0xFF]
            func part(_ random: inout SeededRandom) -> UInt64 { random.chance(20) ? random.next() : few[random.below(few.count)] }
            let values = (0..<random.rowCount()).map { _ in random.chance(20) ? nil : (part(&random), part(&random)) }
            let wide = FixedColumnBuilder<FixedRow16>(), narrow = FixedColumnBuilder<FixedRow12>()
            for value in values {
                if let value {
                    wide.append(FixedRow16(high: value.0, low: value.1))
                    narrow.append(FixedRow12(high: value.0, low: UInt32(truncatingIfNeeded: value.1)))
                } else {
                    wide.appendNull()
                    narrow.appendNull()
                }
            }
            let wideMemory = wide.leaf(), narrowMemory = narrow.leaf()
            for _ in 0..<8 {
                let low = (part(&random), part(&random)), high = random.chance(30) ? low : (part(&random), part(&random))
                let wideFound = Self.selected(values.count) {
                    FixedLeaf(wideMemory.pointer).select(UniqueIdentifier(high: low.0, low: low.1), UniqueIdentifier(high: high.0, low: high.1), into: $0)
                }
                #expect(wideFound == values.map { $0.map { low <= $0 && $0 <= high } ?? false }, "seed \(seed)")
                func short(_ pair: (UInt64, UInt64)) -> (UInt64, UInt32) { (pair.0, UInt32(truncatingIfNeeded: pair.1)) }
                let narrowFound = Self.selected(values.count) {
                    FixedLeaf(narrowMemory.pointer).select(ObjectIdentifier12(high: short(low).0, low: short(low).1),
                                                           ObjectIdentifier12(high: short(high).0, low: short(high).1), into: $0)
                }
                #expect(narrowFound == values.map { $0.map { short(low) <= short($0) && short($0) <= short(high) } ?? false }, "seed \(seed)")
            }
        }
    }
}
