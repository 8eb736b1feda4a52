import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Packed integers")
struct LeavesPackedIntegersTests {
    static let widths = [0, 1, 2, 4, 8, 16, 32, 64]

    private func encode(_ values: [Int64], nulls: [Bool] = []) -> ExactMemory {
        let bits = nulls.isEmpty ? [] : bitmap(nulls)
        return values.withUnsafeBufferPointer { values in
            bits.withUnsafeBufferPointer { bits in
                let plan = PackedIntegers.plan(values, nulls: bits.baseAddress.flatMap { nulls.isEmpty ? nil : $0 })
                let memory = ExactMemory(plan.encodedLength)
                PackedIntegers.encode(values, nulls: nulls.isEmpty ? nil : bits.baseAddress, plan: plan, into: memory.start)
                return memory
            }
        }
    }

    @Test("every value comes back, by row and all at once", arguments: Seeds.all)
    func roundTrip(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<150 {
            let count = random.rowCount()
            let values = random.integers(count, bits: [0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 63, 64][random.below(13)])
            let share = [0, 0, 10, 90, 100][random.below(5)]
            let nulls = values.map { _ in random.chance(share) }
            let memory = encode(values, nulls: nulls)
            #expect(PackedIntegers.validate(memory.pointer, length: memory.count))
            let leaf = PackedIntegers(memory.pointer)
            #expect(leaf.problem() == nil)
            #expect(leaf.count == count && leaf.nullCount == nulls.count(where: { $0 }) && leaf.byteCount == memory.count)
            #expect((0..<count).allSatisfy { leaf.isNull($0) == nulls[$0] && (nulls[$0] || leaf[$0] == values[$0]) })
            var decoded = [Int64](repeating: 7, count: count)
            decoded.withUnsafeMutableBufferPointer { if let start = $0.baseAddress { leaf.decode(into: start) } }
            #expect((0..<count).allSatisfy { decoded[$0] == leaf[$0] })
        }
    }

    @Test("sums, bounds, counts and selections agree with a plain loop", arguments: Seeds.all)
    func scans(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<150 {
            let count = random.rowCount()
            let values = random.integers(count, bits: [0, 1, 2, 4, 8, 16, 32, 64][random.below(8)])
            let share = [0, 0, 20, 100][random.below(4)]
            let nulls = values.map { _ in random.chance(share) }
            let present = zip(values, nulls).filter { !$0.1 }.map(\.0)
            let memory = encode(values, nulls: nulls)
            let leaf = PackedIntegers(memory.pointer)
            #expect(leaf.sum() == present.reduce(Int128(0)) { $0 + Int128($1) })
            #expect(leaf.zone?.lowerBound == present.min() && leaf.zone?.upperBound == present.max())
            for _ in 0..<6 {
                let ends = [values.randomElement(using: &random) ?? 0, Int64(bitPattern: random.next()), .min, .max,
                            leaf.zone?.lowerBound ?? 3, values.randomElement(using: &random) ?? 1].shuffled(using: &random)
                let range = min(ends[0], ends[1])...max(ends[0], ends[1])
                #expect(leaf.count(in: range) == present.count(where: range.contains))
                var matches = [UInt64](repeating: 0xDEAD, count: Bitmap.words(count) + 1)
                matches.withUnsafeMutableBufferPointer { leaf.select(range, into: $0.baseAddress!) }
                #expect(rows(of: matches, count: count) == (0..<count).map { !nulls[$0] && range.contains(values[$0]) })
                #expect(count == 0 || matches[Bitmap.words(count) - 1] & ~Bitmap.lastWordMask(count) == 0)
                #expect(matches[Bitmap.words(count)] == 0xDEAD)
            }
        }
    }

    @Test("the narrowest width that holds the range is chosen", arguments: [
        (0, 0), (1, 1), (3, 2), (4, 4), (15, 4), (16, 8), (255, 8), (256, 16), (65_535, 16), (65_536, 32),
        (4_294_967_295, 32), (4_294_967_296, 64), (Int64.max, 64),
    ] as [(Int64, Int)])
    func width(range: Int64, width: Int) {
        let below = encode([-3, range - 3])
        let above = encode([range, 0])
        #expect(PackedIntegers(below.pointer).width == width && PackedIntegers(above.pointer).width == width)
    }

    @Test("extremes, no rows, one row and only nulls are kept")
    func boundaries() {
        let extremes = encode([.min, .max, 0, -1])
        let leaf = PackedIntegers(extremes.pointer)
        #expect(leaf.width == 64 && leaf[0] == .min && leaf[1] == .max && leaf[2] == 0 && leaf[3] == -1)
        #expect(leaf.sum() == -2 && leaf.zone == .min ... .max)
        let manyExtremes = encode([Int64](repeating: .min, count: 1000) + [.max])
        #expect(PackedIntegers(manyExtremes.pointer).sum() == Int128(Int64.min) * 1000 + Int128(Int64.max))
        let none = encode([])
        #expect(none.count == 24 && PackedIntegers(none.pointer).zone == nil && PackedIntegers(none.pointer).sum() == 0)
        let one = encode([.max])
        #expect(one.count == 24 && PackedIntegers(one.pointer)[0] == .max && PackedIntegers(one.pointer).count(in: .max ... .max) == 1)
        let nulls = encode([4, 5], nulls: [true, true])
        let onlyNulls = PackedIntegers(nulls.pointer)
        #expect(onlyNulls.zone == nil && onlyNulls.bounds() == nil && onlyNulls.sum() == 0 && onlyNulls.width == 0)
        #expect(onlyNulls.count(in: .min ... .max) == 0)
    }

    @Test("65,535 rows of any width sum exactly", arguments: widths)
    func manyRows(width: Int) {
        var random = SeededRandom(seed: UInt64(width))
        var values = random.integers(65_535, bits: width)
        if width > 0 && width < 64 { values = values.map { _ in (1 << Int64(width)) - 1 } + [] }
        if let last = values.indices.last, width > 0 { values[last] = 0 }
        let memory = encode(values)
        let leaf = PackedIntegers(memory.pointer)
        #expect(leaf.width == width && leaf.sum() == values.reduce(Int128(0)) { $0 + Int128($1) })
        #expect(leaf.bounds() == values.min()!...values.max()!)
    }

    @Test("setting rows in place keeps every promise, or says that it cannot", arguments: Seeds.all)
    func editing(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<80 {
            let count = random.rowCount() + 1
            let bits = Self.widths[random.below(8)]
            var values: [Int64?] = random.integers(count, bits: bits).map { random.chance(10) ? nil : $0 }
            let pool = random.integers(20, bits: bits)
            let memory = encode(values.map { $0 ?? 0 }, nulls: values.map { $0 == nil })
            for _ in 0..<40 {
                let row = random.below(count)
                let leaf = PackedIntegers(memory.pointer)
                if random.chance(20) {
                    #expect(PackedIntegers.setNull(at: row, in: memory.start) == (leaf.head.hasNulls))
                    if leaf.head.hasNulls { values[row] = nil }
                } else {
                    let value = random.chance(70) ? leaf[random.below(count)] : pool[random.below(20)]
                    let fits = leaf.width == 64 || Int128(value) - Int128(leaf.base) == Int128(UInt64(bitPattern: value &- leaf.base) & leaf.mask)
                    #expect(PackedIntegers.set(value, at: row, in: memory.start) == fits)
                    if fits { values[row] = value }
                }
            }
            let leaf = PackedIntegers(memory.pointer)
            let present = values.compactMap { $0 }
            #expect(PackedIntegers.validate(memory.pointer, length: memory.count) && leaf.problem() == nil)
            #expect((0..<count).allSatisfy { leaf.isNull($0) ? values[$0] == nil : values[$0] == leaf[$0] })
            #expect(leaf.bounds()?.lowerBound == present.min() && leaf.bounds()?.upperBound == present.max())
            #expect(leaf.sum() == present.reduce(Int128(0)) { $0 + Int128($1) })
            let middle = present.randomElement(using: &random) ?? 0
            #expect(leaf.count(in: .min ... middle) == present.count(where: { $0 <= middle }))
        }
    }

    @Test("bytes are little-endian and stand where the layout says")
    func golden() {
        let memory = encode([1, 2, 3, 0, 258], nulls: [false, false, false, true, false])
        #expect(memory.array == [
            5, 0, 0, 0, 16, 1, 1, 0,
            1, 0, 0, 0, 0, 0, 0, 0,
            2, 1, 0, 0, 0, 0, 0, 0,
            0b1000, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 1, 0, 2, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0,
        ])
        #expect(encode([-1, 0, 0, -1, 0]).array == [
            5, 0, 0, 0, 1, 0, 0, 0,
            255, 255, 255, 255, 255, 255, 255, 255,
            0, 0, 0, 0, 0, 0, 0, 0,
            0b10110, 0, 0, 0, 0, 0, 0, 0,
        ])
    }
}
