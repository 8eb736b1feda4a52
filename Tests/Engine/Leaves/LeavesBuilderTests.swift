import TestKit
import Testing
@testable import FreeholdEngine

/// One change to a column, played on a builder and on an array.
private enum ColumnChange {
    case set(Int), setNull(Int), keep([Bool]), openGaps([Int])

    static func random(count: Int, _ random: inout SeededRandom) -> ColumnChange {
        if count > 0 && random.chance(40) { return random.chance(70) ? .set(random.below(count)) : .setNull(random.below(count)) }
        if count > 400 || random.chance(40) {
            let share = [0, 10, 50, 95, 100][random.below(5)]
            return .keep((0..<count).map { _ in random.chance(share) })
        }
        let gaps = [1, 1, random.below(20), random.below(200)][random.below(4)]
        return .openGaps(Array((0..<count + gaps).shuffled(using: &random).prefix(gaps)).sorted())
    }

    func play<Element>(on rows: inout [Element?], new: (Int) -> Element) {
        switch self {
        case .set(let row): rows[row] = new(row)
        case .setNull(let row): rows[row] = nil
        case .keep(let mask): rows = zip(rows, mask).filter(\.1).map(\.0)
        case .openGaps(let positions):
            for position in positions { rows.insert(nil, at: position) }
        }
    }

    func play(on builder: some ColumnBuilder, set: (Int) -> Void) {
        switch self {
        case .set(let row): set(row)
        case .setNull(let row): builder.setNull(row)
        case .keep(let mask): bitmap(mask).withUnsafeBufferPointer { builder.keep($0.baseAddress!) }
        case .openGaps(let positions): positions.withUnsafeBufferPointer { builder.openGaps($0) }
        }
    }
}

@Suite("Column builders")
struct LeavesBuilderTests {
    @Test("integers follow every change, and leaves load back", arguments: Seeds.all)
    func integers(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let builder = IntegerColumnBuilder()
        for _ in 0..<12 {
            builder.removeAll()
            var rows: [Int64?] = []
            for _ in 0..<random.rowCount() {
                let value = Int64(random.below(1000))
                if random.chance(10) { builder.appendNull() } else { builder.append(value) }
                rows.append(builder.isNull(rows.count) ? nil : value)
            }
            for _ in 0..<25 {
                let change = ColumnChange.random(count: rows.count, &random)
                let value = Int64(random.below(100_000)) - 50_000
                change.play(on: &rows) { _ in value }
                change.play(on: builder) { builder.set(value, at: $0) }
                #expect(builder.count == rows.count && builder.nullCount == rows.count(where: { $0 == nil }))
                #expect(rows.indices.allSatisfy { builder.isNull($0) == (rows[$0] == nil) && builder[$0] == rows[$0] ?? 0 })
            }
            let memory = builder.leaf()
            let leaf = PackedIntegers(memory.pointer)
            #expect(leaf.problem() == nil)
            #expect(rows.indices.allSatisfy { leaf.isNull($0) ? rows[$0] == nil : leaf[$0] == rows[$0] })
            let low = random.below(rows.count + 1)
            let part = low..<low + random.below(rows.count - low + 1)
            builder.append(leaf, rows: part)
            builder.append(leaf, rows: 0..<leaf.count)
            rows += Array(rows[part]) + rows
            #expect(builder.count == rows.count)
            #expect(rows.indices.allSatisfy { builder.isNull($0) == (rows[$0] == nil) && (rows[$0] == nil || builder[$0] == rows[$0]) })
        }
    }

    @Test("reals follow every change, and leaves load back", arguments: Seeds.all)
    func reals(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let builder = RealColumnBuilder<Double>()
        for _ in 0..<8 {
            builder.removeAll()
            var rows: [Double?] = []
            for _ in 0..<25 {
                let change = ColumnChange.random(count: rows.count, &random)
                let value = Double(random.below(1000)) / 4
                change.play(on: &rows) { _ in value }
                change.play(on: builder) { builder.set(value, at: $0) }
            }
            let memory = builder.leaf()
            builder.append(RealLeaf(memory.pointer), rows: 0..<rows.count)
            rows += rows
            LeavesRealTests.expect(builder.leaf(), holds: rows, &random)
        }
    }

    @Test("texts follow every change, and leaves load back", arguments: Seeds.all)
    func texts(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let builder = TextColumnBuilder(isText: false)
        for _ in 0..<10 {
            builder.removeAll()
            var rows = LeavesTextTests.entries(&random).prefix(100).map { $0 == .null ? nil : $0 } as [TextEntry?]
            for row in rows { builder.append(row ?? .null) }
            for _ in 0..<25 {
                let change = ColumnChange.random(count: rows.count, &random)
                let value: TextEntry = random.chance(10) ? .external(random.next(), random.below(7)) : .bytes(random.bytes(random.below(30)))
                change.play(on: &rows) { _ in value }
                change.play(on: builder) { builder.set(value, at: $0) }
            }
            if builder.liveBytes > 30_000 { continue }
            let memory = builder.leaf()
            let leaf = TextLeaf(memory.pointer)
            #expect(TextLeaf.validate(memory.pointer, length: memory.count, references: 7) && leaf.problem() == nil)
            #expect(leaf.count == rows.count && rows.indices.allSatisfy { leaf.entry($0) == rows[$0] ?? .null })
            builder.append(leaf, rows: 0..<leaf.count)
            rows += rows
            let again = builder.leaf()
            #expect(rows.indices.allSatisfy { TextLeaf(again.pointer).entry($0) == rows[$0] ?? .null })
        }
    }

    @Test("external entries of a builder can be renumbered")
    func externals() {
        let builder = TextColumnBuilder(isText: true)
        builder.appendExternal(length: 70_000, reference: 4)
        builder.append([TextEntry.bytes([1])][0])
        #expect(builder.isExternal(0) && !builder.isExternal(1) && builder.external(0) == (70_000, 4))
        builder.setExternal(length: 70_000, reference: 0, at: 0)
        let memory = builder.leaf()
        #expect(TextLeaf(memory.pointer).external(0) == (70_000, 0))
        #expect(TextLeaf.validate(memory.pointer, length: memory.count, references: 1))
    }

    @Test("dates follow every change, and leaves load back", arguments: Seeds.all)
    func dates(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let builder = DateColumnBuilder()
        var rows: [FixedRow16?] = []
        for _ in 0..<60 {
            let change = ColumnChange.random(count: rows.count, &random)
            let seconds = Int64(random.below(1 << 40)) - 1 << 39
            let nanoseconds = random.chance(50) ? 0 : Int32(random.below(1_000_000_000))
            let value = FixedRow16(high: UInt64(bitPattern: seconds), low: UInt64(nanoseconds))
            change.play(on: &rows) { _ in value }
            change.play(on: builder) { builder.set(seconds: seconds, nanoseconds: nanoseconds, at: $0) }
        }
        let memory = builder.leaf()
        let leaf = DateLeaf(memory.pointer)
        #expect(DateLeaf.validate(memory.pointer, length: memory.count) && leaf.problem() == nil && leaf.byteCount == memory.count)
        builder.append(leaf, rows: 0..<leaf.count)
        for (row, expected) in (rows + rows).enumerated() {
            #expect(builder.isNull(row) == (expected == nil))
            let (seconds, nanoseconds) = builder[row]
            #expect(expected == nil || FixedRow16(high: UInt64(bitPattern: seconds), low: UInt64(nanoseconds)) == expected)
        }
    }

    @Test("identifiers follow every change, and leaves load back", arguments: Seeds.all)
    func identifiers(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let wide = FixedColumnBuilder<FixedRow16>(), narrow = FixedColumnBuilder<FixedRow12>()
        var rows: [FixedRow16?] = [], shortRows: [FixedRow12?] = []
        for _ in 0..<60 {
            let change = ColumnChange.random(count: rows.count, &random)
            let high = random.next(), low = random.next()
            change.play(on: &rows) { _ in FixedRow16(high: high, low: low) }
            change.play(on: &shortRows) { _ in FixedRow12(high: high, low: UInt32(truncatingIfNeeded: low)) }
            change.play(on: wide) { wide.set(FixedRow16(high: high, low: low), at: $0) }
            change.play(on: narrow) { narrow.set(FixedRow12(high: high, low: UInt32(truncatingIfNeeded: low)), at: $0) }
        }
        let memory = wide.leaf(), shortMemory = narrow.leaf()
        let leaf = FixedLeaf(memory.pointer), shortLeaf = FixedLeaf(shortMemory.pointer)
        #expect(FixedLeaf.validate(memory.pointer, length: memory.count) && leaf.problem() == nil)
        #expect(FixedLeaf.validate(shortMemory.pointer, length: shortMemory.count) && shortLeaf.problem() == nil)
        wide.append(leaf, rows: 0..<leaf.count)
        narrow.append(shortLeaf, rows: 0..<shortLeaf.count)
        for row in 0..<rows.count {
            #expect(leaf.isNull(row) == (rows[row] == nil) && shortLeaf.isNull(row) == (rows[row] == nil))
            let (high, low) = leaf.wide(row)
            let (shortHigh, shortLow) = shortLeaf.narrow(row)
            #expect(FixedRow16(high: high, low: low) == rows[row] ?? .zero)
            #expect(FixedRow12(high: shortHigh, low: shortLow) == shortRows[row] ?? .zero)
            #expect(wide[rows.count + row] == rows[row] ?? .zero && wide.isNull(rows.count + row) == (rows[row] == nil))
            #expect(narrow[rows.count + row] == shortRows[row] ?? .zero)
        }
    }
}
