/// Tells which of a query's conditions a term meets.
struct TermFinder {
    /// The terms to be met exactly, by their sums: most terms of a string have a sum that none of the query's has.
    private var exact = [[(number: Int, bytes: [UInt8])]](repeating: [], count: 256)
    private let beginnings: [(number: Int, bytes: [UInt8], isCharacter: Bool)]
    private var fuzzy: [Fuzzy]

    private struct Fuzzy {
        let number: Int
        let distance: Int
        let letters: LetterSet
        var word: FuzzyWord
    }

    init(_ matchers: [TermMatcher]) {
        let numbered = matchers.enumerated()
        beginnings = numbered.compactMap { number, matcher in
            switch matcher {
            case .prefix(let bytes, _): (number, bytes, false)
            case .character(let bytes): (number, bytes, true)
            case .exact, .fuzzy: nil
            }
        }
        fuzzy = numbered.compactMap { number, matcher in
            guard case .fuzzy(let bytes, let distance) = matcher else { return nil }
            // Safe: the bytes are used within the call.
            let letters = bytes.withUnsafeBytes { LetterSet($0) }
            return Fuzzy(number: number, distance: distance, letters: letters, word: FuzzyWord(bytes, distance: distance))
        }
        for (number, matcher) in numbered {
            guard let bytes = matcher.whole else { continue }
            // Safe: the bytes are used within the call.
            exact[bytes.withUnsafeBytes(Self.sum)].append((number, bytes))
        }
    }

    @inline(__always)
    private static func sum(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let first = bytes.first, let last = bytes.last else { return 0 }
        return (bytes.count * 31 + Int(first) * 7 + Int(last)) & 255
    }

    /// Calls `body` with the number of each condition that the term meets, and whether it is about its first character alone.
    mutating func find(_ term: UnsafeRawBufferPointer, _ body: (_ number: Int, _ isOfCharacter: Bool) -> Void) {
        for (number, bytes) in exact[Self.sum(term)] where bytes.count == term.count && term.elementsEqual(bytes) { body(number, false) }
        for (number, bytes, isCharacter) in beginnings where term.starts(with: bytes) { body(number, isCharacter) }
        if fuzzy.isEmpty { return }
        // Nearly all words are told from the term by their letters, without their distance.
        let letters = LetterSet(term)
        for place in fuzzy.indices where letters.mayBe(within: fuzzy[place].distance, of: fuzzy[place].letters) {
            if fuzzy[place].word.distance(of: term) != nil { body(fuzzy[place].number, false) }
        }
    }
}
