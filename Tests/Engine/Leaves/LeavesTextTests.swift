import TestKit
import Testing
@testable import FreeholdEngine

/// A value of a text column, as the tests see it.
enum TextEntry: Equatable {
    case null
    case bytes([UInt8])
    case external(UInt64, Int)
}

extension TextColumnBuilder {
    func append(_ entry: TextEntry) {
        switch entry {
        case .null: appendNull()
        case .bytes(let bytes): bytes.withUnsafeBytes { append($0) }
        case .external(let length, let reference): appendExternal(length: length, reference: reference)
        }
    }

    func set(_ entry: TextEntry, at row: Int) {
        switch entry {
        case .null: setNull(row)
        case .bytes(let bytes): bytes.withUnsafeBytes { set($0, at: row) }
        case .external(let length, let reference): setExternal(length: length, reference: reference, at: row)
        }
    }
}

extension TextLeaf {
    func entry(_ row: Int) -> TextEntry {
        if isNull(row) { return .null }
        if isExternal(row) {
            let (length, reference) = external(row)
            return .external(length, reference)
        }
        return .bytes(Array(self[row]))
    }
}

@Suite("Text leaves")
struct LeavesTextTests {
    static func entries(_ random: inout SeededRandom) -> [TextEntry] {
        let count = random.rowCount()
        let longest = [0, 3, 20, 255, 256, 1000][random.below(6)]
        let nullShare = [0, 0, 20, 100][random.below(4)]
        let externalShare = [0, 0, 5][random.below(3)]
        var room = 60_000
        return (0..<count).map { _ in
            if random.chance(nullShare) { return .null }
            if random.chance(externalShare) { return .external(random.next(), random.below(7)) }
            let length = min(random.below(longest + 1), room)
            room -= length
            return .bytes(random.bytes(length))
        }
    }

    static func builder(_ entries: [TextEntry]) -> TextColumnBuilder {
        let builder = TextColumnBuilder(isText: false)
        for entry in entries { builder.append(entry) }
        return builder
    }

    @Test("values, nulls and external entries come back", arguments: Seeds.all)
    func roundTrip(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            let entries = Self.entries(&random)
            let builder = Self.builder(entries)
            let memory = builder.leaf()
            #expect(TextLeaf.validate(memory.pointer, length: memory.count, references: 7))
            let leaf = TextLeaf(memory.pointer)
            #expect(leaf.problem() == nil && leaf.byteCount == memory.count && leaf.count == entries.count)
            #expect(leaf.nullCount == entries.count(where: { $0 == .null }))
            #expect(entries.indices.allSatisfy { leaf.entry($0) == entries[$0] })
        }
    }

    @Test("short strings cost at most 1.25 bytes a row beside their own")
    func overhead() {
        let strings = (0..<256).map { "Alice Johnson-\($0)" }
        let builder = TextColumnBuilder(isText: true)
        for string in strings { Array(string.utf8).withUnsafeBytes { builder.append($0) } }
        let overhead = builder.encodedLength() - strings.reduce(0) { $0 + $1.utf8.count }
        #expect(Double(overhead) / 256 <= 1.25, "\(overhead) bytes")
    }

    @Test("a value of the same length is overwritten where it stands, another is not")
    func editing() {
        let memory = Self.builder([.bytes([1, 2]), .null, .bytes([3]), .external(9, 0)]).leaf()
        #expect([UInt8(7), 8].withUnsafeBytes { TextLeaf.set($0, at: 0, in: memory.start) })
        #expect(![UInt8(7), 8].withUnsafeBytes { TextLeaf.set($0, at: 2, in: memory.start) })
        #expect(![UInt8]().withUnsafeBytes { TextLeaf.set($0, at: 1, in: memory.start) })
        #expect(![UInt8](repeating: 0, count: 10).withUnsafeBytes { TextLeaf.set($0, at: 3, in: memory.start) })
        let leaf = TextLeaf(memory.pointer)
        #expect((0..<4).map(leaf.entry) == [.bytes([7, 8]), .null, .bytes([3]), .external(9, 0)])
    }

    @Test("an external entry must name one of the block's references")
    func externalReferences() {
        let memory = Self.builder([.external(100, 3)]).leaf()
        #expect(TextLeaf.validate(memory.pointer, length: memory.count, references: 4))
        #expect(!TextLeaf.validate(memory.pointer, length: memory.count, references: 3))
    }

    @Test("the widest leaf: 65,535 rows, 65,535 bytes")
    func widest() {
        let builder = TextColumnBuilder(isText: false)
        for row in 0..<65_535 { [UInt8(truncatingIfNeeded: row)].withUnsafeBytes { builder.append($0) } }
        let memory = builder.leaf()
        #expect(TextLeaf.validate(memory.pointer, length: memory.count))
        let leaf = TextLeaf(memory.pointer)
        #expect((0..<65_535).allSatisfy { leaf[$0].count == 1 && leaf[$0][0] == UInt8(truncatingIfNeeded: $0) })
        let one = Self.builder([.bytes([UInt8](repeating: 5, count: 65_535)), .bytes([])]).leaf()
        #expect(TextLeaf.validate(one.pointer, length: one.count) && TextLeaf(one.pointer)[0].count == 65_535)
    }

    @Test("dictionary codes are packed integers behind a text leaf's head")
    func codes() {
        let codes = IntegerColumnBuilder()
        for row in 0..<300 { if row % 7 == 0 { codes.appendNull() } else { codes.append(Int64(row * 3)) } }
        let memory = ExactMemory(TextLeaf.encodedLength(codes: codes))
        #expect(TextLeaf.encode(codes: codes, isText: true, into: memory.start) == memory.count)
        #expect(TextLeaf.validate(memory.pointer, length: memory.count))
        let leaf = TextLeaf(memory.pointer)
        #expect(leaf.isCodes && leaf.isText && leaf.problem() == nil && leaf.byteCount == memory.count && leaf.nullCount == 43)
        #expect((0..<300).allSatisfy { leaf.isNull($0) == ($0 % 7 == 0) && (leaf.isNull($0) || leaf.codes[$0] == $0 * 3) })
        #expect(TextLeaf.set(code: 5, at: 1, in: memory.start) && leaf.codes[1] == 5)
        #expect(TextLeaf.setNull(codeAt: 2, in: memory.start) && leaf.isNull(2))
        #expect(!TextLeaf.set(code: -1, at: 1, in: memory.start))
    }

    @Test("text that is not UTF-8 is a problem, data is not")
    func encoding() {
        for isText in [true, false] {
            let builder = TextColumnBuilder(isText: isText)
            [UInt8(0xC3), 0x28].withUnsafeBytes { builder.append($0) }
            let memory = builder.leaf()
            #expect((TextLeaf(memory.pointer).problem() == nil) == !isText)
        }
    }

    @Test("bytes are little-endian and stand where the layout says")
    func golden() {
        #expect(Self.builder([.bytes([65, 66]), .null, .external(0x0102, 0x0304)]).leaf().array == [
            3, 0, 0, 0, 0, 17, 1, 0,
            12, 0, 0, 0, 0, 0, 0, 0,
            0b010, 0, 0, 0, 0, 0, 0, 0,
            0b100, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 2, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            65, 66, 2, 1, 0, 0, 0, 0, 0, 0, 4, 3,
        ])
        let long = Self.builder([.bytes([UInt8](repeating: 9, count: 256)), .bytes([7])]).leaf().array
        #expect(Array(long.prefix(24)) == [2, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0])
    }
}
