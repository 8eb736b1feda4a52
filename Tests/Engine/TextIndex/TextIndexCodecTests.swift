import TestKit
import Testing
@testable import FreeholdEngine

@Suite("The bytes of a full-text index")
struct TextIndexCodecTests {
    @Test("classes of occurrences are those of the document, and descend with the number")
    func classes() {
        let expected = [1: 7, 2: 6, 3: 5, 4: 4, 5: 4, 6: 3, 9: 3, 10: 2, 17: 2, 18: 1, 40: 1, 41: 0, 1_000_000: 0]
        for (occurrences, number) in expected { #expect(OccurrenceClass(occurrences: occurrences).number == number) }
        for occurrences in 1...100 {
            let found = OccurrenceClass(occurrences: occurrences)
            #expect(found.minimum <= occurrences && OccurrenceClass(occurrences: found.minimum) == found)
            #expect(found.number >= OccurrenceClass(occurrences: occurrences + 1).number)
        }
        #expect((0..<8).map { OccurrenceClass(number: $0).counted } == [56, 24, 12, 7, 4.5, 3, 2, 1])
    }

    @Test("a key has a term, a field, a class and a sign, and keys of a term are neighbours")
    func keys() {
        var keys: [[UInt8]] = []
        for term in ["a", "a\u{1}", "ab", "b"] {
            for field in 0..<16 {
                for number in 0..<8 as Range<UInt8> {
                    for cancels in [false, true] {
                        let tag = EntryTag(field: field, OccurrenceClass(number: number), cancels: cancels)
                        #expect(tag.field == field && tag.occurrences.number == number && tag.cancels == cancels)
                        #expect(!tag.unsigned.cancels && tag.canceling.cancels && tag.unsigned.field == field)
                        let key = EntryKey.bytes(Array(term.utf8), tag)
                        let parts = key.withUnsafeBytes { EntryKey.parts(IndexKey($0)) }
                        #expect(parts?.termLength == term.utf8.count && parts?.tag == tag)
                        keys.append(key)
                    }
                }
            }
        }
        let terms = keys.sorted { $0.lexicographicallyPrecedes($1) }.map { $0.dropLast(2) }
        #expect(terms == terms.sorted { $0.lexicographicallyPrecedes($1) })
        let others: [[UInt8]] = [[], [97], [97, 0], [97, 1, 3], [0, 3], [UInt8](repeating: 97, count: 65) + [0, 3]]
        for key in others { #expect(key.withUnsafeBytes { EntryKey.parts(IndexKey($0)) } == nil) }
    }

    @Test("a length is exact up to 32, and at most 4.4 % too low beyond")
    func lengths() {
        for words in 0...32 { #expect(TextLength.words(TextLength.code(words: words)) == words) }
        for code in 0...254 as ClosedRange<UInt8> {
            let words = TextLength.words(code), next = TextLength.words(code + 1)
            #expect(words < next && TextLength.code(words: words) == code && TextLength.code(words: next - 1) == code)
            #expect(Double(next - 1) <= Double(words) * 1.045 || code < 40 && next - words <= 2)
        }
        #expect(TextLength.words(48) == 64 && TextLength.words(40) == 45 && TextLength.words(64) == 128)
        #expect(TextLength.code(words: TextLength.longest) == 255 && TextLength.code(words: .max) == 255)
    }

    @Test("a row of lengths is written in its shorter form and read back", arguments: TestScale.seeds(3))
    func rows(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<TestScale.count(200) {
            let group = [Int64.min >> 8, -1, 0, 1, Int64.max >> 8][random.below(5)]
            var row = LengthRow(field: random.below(16), group: group)
            for _ in 0..<random.below([3, 40, 400][random.below(3)]) { row.set(random.below(256), UInt8(random.below(256))) }
            let documents = row.codes.count { $0 != 0 }
            #expect(row.documents == documents && (row.key == nil) == (documents == 0))
            guard let key = row.key, let last = row.codes.lastIndex(where: { $0 != 0 }) else { continue }
            #expect(key.count == 10 + min(2 * documents, last + 1) && LengthRow(key: key) == row)
            #expect(LengthRow.group(of: row.object(0)) == group && LengthRow.place(of: row.object(255)) == 255)
            #expect(LengthRow(key: Array(key.dropLast())) != row && LengthRow(key: key + [0]) == nil)
            let pairs = row.codes.indices.filter { row.codes[$0] != 0 }.flatMap { [UInt8($0), row.codes[$0]] }
            let other = key[..<9] + (key[9] == 0 ? [1] + row.codes[...last] : [0] + pairs)
            #expect(LengthRow(key: Array(other)) == nil, "the longer form")
            #expect(LengthRow(key: key[..<9] + [2] + key[10...]) == nil, "an unknown form")
        }
        #expect(LengthRow(key: []) == nil && LengthRow(key: [UInt8](repeating: 255, count: 300)) == nil)
    }

    private func reference(_ number: UInt64) -> BlockReference { BlockReference(location: number << 16 | 1, birth: 1, check: 0, tag: 0) }

    private func randomRoot(_ random: inout SeededRandom) -> TextIndexRoot {
        var root = TextIndexRoot(fields: 1 + random.below(16))
        root.lengths = reference(1)
        for field in root.fields.indices where random.oneIn(2) {
            root.fields[field] = TextFieldSums(documents: 3, words: 3 + random.below(1 << 40))
        }
        for number in 0..<random.below(30) { root.add(reference(UInt64(number + 2))) }
        var start = 0
        while start + 2 < root.runs.count {
            let count = 2 + random.below(min(7, root.runs.count - start - 1))
            if random.oneIn(2) { root.begin(start..<start + count) }
            start += count
        }
        for number in root.merges.indices where random.oneIn(2) {
            let term = (0...random.below(64)).map { _ in UInt8(1 + random.below(255)) }
            let tag = EntryTag(byte: UInt8(random.below(128)))
            root.merges[number].position = MergePosition(term: term, tag: tag, object: Int64(bitPattern: random.next()))
            if random.oneIn(2) { root.merges[number].output = reference(UInt64(100 + number)) }
        }
        return root
    }

    @Test("a root is read as it was written, and no part of it is read as another", arguments: TestScale.seeds(4))
    func roots(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<TestScale.count(60) {
            let root = randomRoot(&random), bytes = root.bytes, references = root.references
            #expect(try TextIndexRoot(references: references, bytes: bytes) == root)
            for length in 0..<bytes.count {
                #expect(throws: FreeholdError.self, "\(length) bytes") {
                    try TextIndexRoot(references: references, bytes: Array(bytes[..<length]))
                }
            }
            #expect(throws: FreeholdError.self) { try TextIndexRoot(references: references, bytes: bytes + [0]) }
            #expect(throws: FreeholdError.self) { try TextIndexRoot(references: references.dropLast(), bytes: bytes) }
            for place in bytes.indices {
                var other = bytes
                other[place] ^= 1 << UInt8(random.below(8))
                // What is read from damaged bytes is another root; nothing is lost in between.
                if let read = try? TextIndexRoot(references: references, bytes: other) {
                    #expect(read.bytes == other, "seed \(seed), byte \(place)")
                }
            }
        }
    }

    @Test("each wrong field of a root is refused, and the error names it")
    func wrongRoots() throws {
        var root = TextIndexRoot(fields: 2)
        root.lengths = reference(1)
        root.fields[1] = TextFieldSums(documents: 5, words: 9)
        for number in 0..<6 { root.add(reference(UInt64(number + 2))) }
        root.begin(0..<2)
        root.begin(3..<6)
        root.merges[1].position = MergePosition(term: [97, 98], tag: EntryTag(byte: 7), object: 4)
        let bytes = root.bytes, references = root.references
        #expect(try TextIndexRoot(references: references, bytes: bytes) == root)
        // The first merge begins at 40, the second at 56, its key at 72.
        let wrong: [(place: Int, byte: UInt8, error: String)] = [
            (0, 0, "0 fields"), (0, 17, "17 fields"), (1, 17, "17 merges"), (1, 3, "references"), (2, 7, "references"),
            (3, 1, "does not know"), (7, 1, "does not know"), (8, 1, "1 documents with 0 words"), (24, 10, "10 documents with 9 words"),
            (39, 255, "words in field 1"), (41, 1, "a merge 0 of 1 runs"), (41, 7, "a merge 0 of 7 runs"), (44, 1, "does not know"),
            (48, 1, "no position"), (56, 1, "a merge 1"), (58, 67, "a key of 67 bytes"), (59, 1, "a key of 260 bytes"),
            (58, 3, "does not know"), (72, 0, "none of an entry"), (74, 1, "none of an entry"), (75, 128, "none of an entry"),
            (77, 1, "does not know"),
        ]
        for (place, byte, text) in wrong {
            var other = bytes
            other[place] = byte
            let error = #expect(throws: FreeholdError.self, "\(place)") { try TextIndexRoot(references: references, bytes: other) }
            #expect(error?.code == .corrupt && error?.message.contains(text) == true, "byte \(place): \(error?.message ?? "")")
        }
        var missing = references
        missing[4] = .null
        let error = #expect(throws: FreeholdError.self) { try TextIndexRoot(references: missing, bytes: bytes) }
        #expect(error?.message.contains("a run that is missing") == true)
        missing = references
        missing[1] = reference(50)
        #expect(throws: FreeholdError.self, "an output without a position") { try TextIndexRoot(references: missing, bytes: bytes) }
        missing = references
        missing[0] = .null
        #expect(throws: FreeholdError.self, "documents without lengths") { try TextIndexRoot(references: missing, bytes: bytes) }
    }

    @Test("more than 64 runs and outputs are refused")
    func manyTrees() {
        var root = TextIndexRoot(fields: 1)
        for number in 0..<64 { root.add(reference(UInt64(number + 2))) }
        #expect(throws: Never.self) { try TextIndexRoot(references: root.references, bytes: root.bytes) }
        root.add(reference(90))
        let error = #expect(throws: FreeholdError.self) { try TextIndexRoot(references: root.references, bytes: root.bytes) }
        #expect(error?.message.contains("65 runs") == true)
    }
}
