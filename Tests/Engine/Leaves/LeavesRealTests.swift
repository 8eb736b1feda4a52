import TestKit
import Testing
@testable import FreeholdEngine

@Suite("Real leaves")
struct LeavesRealTests {
    static func doubles(_ random: inout SeededRandom) -> [Double?] {
        let count = random.rowCount()
        let nullShare = [0, 0, 15, 100][random.below(4)]
        let oddShare = [0, 0, 30][random.below(3)]
        let odd: [Double] = [.nan, .infinity, -.infinity, 0, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
        return (0..<count).map { _ in
            if random.chance(nullShare) { return nil }
            if random.chance(oddShare) { return odd[random.below(odd.count)] }
            return Double(random.below(2_000_001) - 1_000_000) / 8
        }
    }

    static func builder<Real: LeafReal>(_ values: [Real?]) -> RealColumnBuilder<Real> {
        let builder = RealColumnBuilder<Real>()
        for value in values { if let value { builder.append(value) } else { builder.appendNull() } }
        return builder
    }

    /// Checks everything a leaf offers against the values it should hold.
    static func expect(_ memory: ExactMemory, holds values: [Double?], _ random: inout SeededRandom) {
        #expect(RealLeaf.validate(memory.pointer, length: memory.count))
        let leaf = RealLeaf(memory.pointer)
        #expect(leaf.problem() == nil && leaf.byteCount == memory.count && leaf.count == values.count)
        #expect(leaf.nullCount == values.count(where: { $0 == nil }))
        #expect(values.indices.allSatisfy { row in
            guard let value = values[row] else { return leaf.isNull(row) }
            return !leaf.isNull(row) && (value.isNaN ? leaf[row].isNaN : leaf[row].bitPattern == value.bitPattern)
        })
        let numbers = values.compactMap { $0 }.filter { !$0.isNaN }
        #expect(leaf.bounds()?.lowerBound == numbers.min() && leaf.bounds()?.upperBound == numbers.max())
        let sum = values.compactMap { $0 }.reduce(0, +)
        let found = leaf.summary().sum
        // Eighths below a million add up exactly in any order; huge ones need not.
        let isExact = numbers.allSatisfy { abs($0) < 1e6 && ($0 * 8).rounded() == $0 * 8 }
        #expect(!isExact || found == sum || found.isNaN && sum.isNaN)
        for _ in 0..<4 {
            let ends = [numbers.randomElement(using: &random) ?? 1, Double(random.below(100)) - 50, .infinity, -.infinity].shuffled(using: &random)
            let range = min(ends[0], ends[1])...max(ends[0], ends[1])
            var matches = [UInt64](repeating: 0xBEEF, count: Bitmap.words(values.count) + 1)
            matches.withUnsafeMutableBufferPointer { leaf.select(range, into: $0.baseAddress!) }
            #expect(rows(of: matches, count: values.count) == values.map { $0.map(range.contains) ?? false })
            #expect(matches[Bitmap.words(values.count)] == 0xBEEF)
        }
    }

    @Test("doubles come back bit by bit, and scans agree with a plain loop", arguments: Seeds.all)
    func doubles(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<80 {
            let values = Self.doubles(&random)
            Self.expect(Self.builder(values).leaf(), holds: values, &random)
        }
    }

    @Test("floats come back bit by bit, and scans agree with a plain loop", arguments: Seeds.all)
    func floats(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<80 {
            let values = Self.doubles(&random).map { $0.map(Float.init) }
            Self.expect(Self.builder(values).leaf(), holds: values.map { $0.map(Double.init) }, &random)
        }
    }

    @Test("setting rows in place keeps every promise", arguments: Seeds.all)
    func editing(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            var values = Self.doubles(&random)
            let pool = Self.doubles(&random)
            if values.isEmpty || pool.isEmpty { continue }
            let memory = Self.builder(values).leaf()
            let singles = Self.builder(values.map { $0.map(Float.init) }).leaf()
            var floats = values.map { $0.map(Float.init) }
            for _ in 0..<30 {
                let row = random.below(values.count)
                if let value = pool[random.below(pool.count)] {
                    RealLeaf.set(value, at: row, in: memory.start)
                    RealLeaf.set(Float(value), at: row, in: singles.start)
                    values[row] = value
                    floats[row] = Float(value)
                } else if RealLeaf.setNull(at: row, in: memory.start) {
                    #expect(RealLeaf.setNull(at: row, in: singles.start))
                    values[row] = nil
                    floats[row] = nil
                }
            }
            Self.expect(memory, holds: values, &random)
            Self.expect(singles, holds: floats.map { $0.map(Double.init) }, &random)
        }
    }

    @Test("what is not a number stays out of the bounds, and the head says that it is there")
    func notANumber() {
        let memory = Self.builder([Double.nan, 2, .nan, -1]).leaf()
        let leaf = RealLeaf(memory.pointer)
        #expect(leaf.zone == -1...2 && leaf.mayHaveNotANumber && leaf.summary().sum.isNaN)
        let only = Self.builder([Double.nan, nil]).leaf()
        #expect(RealLeaf(only.pointer).zone == nil && RealLeaf(only.pointer).problem() == nil)
        let infinities = Self.builder([Double.infinity, -.infinity]).leaf()
        #expect(!RealLeaf(infinities.pointer).mayHaveNotANumber && RealLeaf(infinities.pointer).zone == -.infinity ... .infinity)
    }

    @Test("a selection of floats by doubles includes exactly those inside")
    func narrowing() {
        let memory = Self.builder([Float(0.1), 0.2, 0.3]).leaf()
        let leaf = RealLeaf(memory.pointer)
        var matches: UInt64 = 0
        leaf.select(Double(Float(0.1)).nextUp...Double(Float(0.3)), into: &matches)
        #expect(matches == 0b110)
        leaf.select(0.15...0.16, into: &matches)
        #expect(matches == 0)
    }

    @Test("bytes are little-endian and stand where the layout says")
    func golden() {
        #expect(Self.builder([Float(1), nil, -2]).leaf().array == [
            3, 0, 0, 0, 4, 1, 1, 0,
            0, 0, 0, 0, 0, 0, 0, 0xC0,
            0, 0, 0, 0, 0, 0, 0xF0, 0x3F,
            0b010, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0x80, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0, 0, 0, 0, 0,
        ])
        #expect(Self.builder([Double(1)]).leaf().array == [
            1, 0, 0, 0, 8, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0xF0, 0x3F,
            0, 0, 0, 0, 0, 0, 0xF0, 0x3F,
            0, 0, 0, 0, 0, 0, 0xF0, 0x3F,
        ])
    }
}
