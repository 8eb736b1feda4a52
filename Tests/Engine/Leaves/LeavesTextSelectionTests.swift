import TestKit
import Testing
@testable import FreeholdEngine

/// Selections of a text leaf give what a look at each row gives.
@Suite("Selections of text leaves")
struct LeavesTextSelectionTests {
    /// Texts of few letters, so that needles are found, and found across rows; some with zeros, or with bytes that are not of ASCII.
    private static func entries(_ random: inout SeededRandom) -> [TextEntry] {
        let count = random.rowCount(), longest = [0, 3, 20, 100, 300][random.below(5)]
        let alphabet: [UInt8] = [[97, 98], [97, 65, 66, 98, 90, 122], [0, 97, 255], [64, 91, 96, 123, 65, 90], Array(0...255)][random.below(5)]
        let nullShare = [0, 20, 100][random.below(3)], externalShare = [0, 0, 10][random.below(3)]
        var room = 60_000
        return (0..<count).map { _ in
            if random.chance(nullShare) { return .null }
            if random.chance(externalShare) { return .external(random.next(), random.below(7)) }
            let length = min(random.chance(20) ? 0 : random.below(longest + 1), room)
            room -= length
            return .bytes((0..<length).map { _ in alphabet[random.below(alphabet.count)] })
        }
    }

    /// A part of one row, of two neighbours, or bytes of another kind; of 0 to 40 bytes, now and then longer than any row.
    private static func needle(_ entries: [TextEntry], _ random: inout SeededRandom) -> [UInt8] {
        let texts = entries.compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }
        if texts.isEmpty || random.chance(20) { return Array(repeating: [97, 0, 255][random.below(3)], count: [0, 1, 2, 9, 400][random.below(5)]) }
        let at = random.below(texts.count)
        let whole = random.chance(30) ? texts[at] + texts[min(at + 1, texts.count - 1)] : texts[at]
        if random.chance(20) { return whole }
        let start = random.chance(30) ? 0 : random.below(whole.count + 1)
        let length = min([0, 1, 2, 3, 7, 8, 9, 16, 17, 40][random.below(10)], whole.count - start)
        let end = random.chance(20) ? whole.count : start + length
        return Array(whole[start..<end])
    }

    private static func folded(_ bytes: [UInt8]) -> [UInt8] { bytes.map { 65...90 ~= $0 ? $0 + 32 : $0 } }

    private static func contains(_ text: [UInt8], _ needle: [UInt8]) -> Bool {
        if needle.count > text.count { return false }
        return (0...text.count - needle.count).contains { Array(text[$0..<$0 + needle.count]) == needle }
    }

    private static func ends(_ text: [UInt8], _ end: [UInt8]) -> Bool { Array(text.suffix(end.count)) == end }

    /// What a selection sets, the words behind and the bits past the last row being looked at too.
    private static func selected(_ count: Int, _ select: (UnsafeMutablePointer<UInt64>) -> Void) -> [Bool] {
        var words = [UInt64](repeating: 0xA5A5_A5A5_A5A5_A5A5, count: Bitmap.words(count) + 1)
        words.withUnsafeMutableBufferPointer { select($0.baseAddress!) }
        #expect(words.last == 0xA5A5_A5A5_A5A5_A5A5)
        if count % 64 != 0 { #expect(words[count / 64] >> UInt64(count % 64) == 0) }
        return rows(of: words, count: count)
    }

    private func expect(_ leaf: TextLeaf, _ entries: [TextEntry], _ name: String, _ found: [Bool], _ isMeant: ([UInt8]) -> Bool, _ seed: UInt64) {
        let wanted = entries.map { if case .bytes(let bytes) = $0 { isMeant(bytes) } else { false } }
        #expect(found == wanted, "\(name), seed \(seed), \(entries.count) rows, form \(leaf.form)")
    }

    @Test("rows that are, begin or end with, or hold some bytes", arguments: Seeds.all)
    func matching(seed: UInt64) {
        var random = SeededRandom(seed: seed), hits = 0
        for _ in 0..<40 {
            let entries = Self.entries(&random), count = entries.count
            let memory = LeavesTextTests.builder(entries).leaf(), leaf = TextLeaf(memory.pointer)
            for _ in 0..<8 {
                let exact = Self.needle(entries, &random), needle = ExactMemory(exact), small = Self.folded(exact), folds = ExactMemory(small)
                expect(leaf, entries, "equal", Self.selected(count) { leaf.select(equalTo: needle.bytes, into: $0) }, { $0 == exact }, seed)
                expect(leaf, entries, "prefix", Self.selected(count) { leaf.select(prefix: needle.bytes, into: $0) }, { $0.starts(with: exact) }, seed)
                expect(leaf, entries, "suffix", Self.selected(count) { leaf.select(suffix: needle.bytes, into: $0) }, { Self.ends($0, exact) }, seed)
                let holding = Self.selected(count) { leaf.select(containing: needle.bytes, into: $0) }
                hits += exact.count > 1 ? holding.count { $0 } : 0
                expect(leaf, entries, "containing \(exact)", holding, { Self.contains($0, exact) }, seed)
                expect(leaf, entries, "equal [c]", Self.selected(count) { leaf.select(equalTo: folds.bytes, .folded, into: $0) },
                       { Self.folded($0) == small }, seed)
                expect(leaf, entries, "prefix [c]", Self.selected(count) { leaf.select(prefix: folds.bytes, .folded, into: $0) },
                       { Self.folded($0).starts(with: small) }, seed)
                expect(leaf, entries, "suffix [c]", Self.selected(count) { leaf.select(suffix: folds.bytes, .folded, into: $0) },
                       { Self.ends(Self.folded($0), small) }, seed)
                expect(leaf, entries, "containing [c] \(small)", Self.selected(count) { leaf.select(containing: folds.bytes, .folded, into: $0) },
                       { Self.contains(Self.folded($0), small) }, seed)
            }
        }
        #expect(hits > 50, "needles have to be found for this to mean anything")
    }

    @Test("rows between two bounds, each included, excluded or missing", arguments: Seeds.all)
    func between(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<40 {
            let entries = Self.entries(&random), memory = LeavesTextTests.builder(entries).leaf(), leaf = TextLeaf(memory.pointer)
            for _ in 0..<8 {
                let low = Self.needle(entries, &random), high = Self.needle(entries, &random)
                let lowMemory = ExactMemory(low), highMemory = ExactMemory(high)
                let lowBound = random.chance(25) ? nil : TextLeaf.Bound(bytes: lowMemory.bytes, isExcluded: random.chance(50))
                let highBound = random.chance(25) ? nil : TextLeaf.Bound(bytes: highMemory.bytes, isExcluded: random.chance(50))
                let found = Self.selected(entries.count) { leaf.select(from: lowBound, to: highBound, into: $0) }
                expect(leaf, entries, "\(low)…\(high)", found, { text in
                    let isAbove = lowBound.map { $0.isExcluded ? low.lexicographicallyPrecedes(text) : !text.lexicographicallyPrecedes(low) } ?? true
                    let isBelow = highBound.map { $0.isExcluded ? text.lexicographicallyPrecedes(high) : !high.lexicographicallyPrecedes(text) } ?? true
                    return isAbove && isBelow
                }, seed)
            }
        }
    }

    @Test("rows to be asked one by one: external ones, and those beyond ASCII", arguments: Seeds.all)
    func others(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<60 {
            let entries = Self.entries(&random), memory = LeavesTextTests.builder(entries).leaf(), leaf = TextLeaf(memory.pointer)
            var hasAny = false
            let external = Self.selected(entries.count) { hasAny = leaf.selectExternal(into: $0) }
            #expect(external == entries.map { if case .external = $0 { true } else { false } } && hasAny == external.contains(true), "seed \(seed)")
            let beyond = Self.selected(entries.count) { hasAny = leaf.selectBeyondASCII(into: $0) }
            expect(leaf, entries, "beyond ASCII", beyond, { $0.contains { $0 > 127 } }, seed)
            #expect(hasAny == beyond.contains(true), "seed \(seed)")
        }
    }

    @Test("a needle that goes on into the next row is not found")
    func acrossRows() {
        let memory = LeavesTextTests.builder((0..<200).map { .bytes(Array("abc\($0 % 2 == 0 ? "so" : "n-9")".utf8)) }).leaf()
        let needle = ExactMemory(Array("abcsoabc".utf8)), leaf = TextLeaf(memory.pointer)
        #expect(!Self.selected(200) { leaf.select(containing: needle.bytes, into: $0) }.contains(true))
        let part = ExactMemory(Array("cso".utf8))
        #expect(Self.selected(200) { leaf.select(containing: part.bytes, into: $0) } == (0..<200).map { $0 % 2 == 0 })
    }
}
