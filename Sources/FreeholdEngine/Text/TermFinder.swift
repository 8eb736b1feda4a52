/// Tells which of a query's conditions a term meets.
struct TermFinder {
    private let exact: [(number: Int, bytes: [UInt8])]
    private let beginnings: [(number: Int, bytes: [UInt8], isCharacter: Bool)]
    private var fuzzy: [(number: Int, word: FuzzyWord)]
    /// For each sum of a term, whether one of `exact` has it: most terms of a text are none of the query's.
    private var filter = [Bool](repeating: false, count: 256)

    init(_ matchers: [TermMatcher]) {
        let numbered = matchers.enumerated()
        exact = numbered.compactMap { number, matcher in if case .exact(let bytes) = matcher { (number, bytes) } else { nil } }
        beginnings = numbered.compactMap { number, matcher in
            switch matcher {
            case .prefix(let bytes): (number, bytes, false)
            case .character(let bytes): (number, bytes, true)
            case .exact, .fuzzy: nil
            }
        }
        fuzzy = numbered.compactMap { number, matcher in
            if case .fuzzy(let bytes, let distance) = matcher { (number, FuzzyWord(bytes, distance: distance)) } else { nil }
        }
        // Safe: the bytes are used within the call.
        for (_, bytes) in exact { bytes.withUnsafeBytes { filter[Self.sum($0)] = true } }
    }

    @inline(__always)
    private static func sum(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let first = bytes.first, let last = bytes.last else { return 0 }
        return (bytes.count * 31 + Int(first) * 7 + Int(last)) & 255
    }

    /// Calls `body` with the number of each condition that the term meets, and whether it is about its first character alone.
    mutating func find(_ term: UnsafeRawBufferPointer, _ body: (_ number: Int, _ isOfCharacter: Bool) -> Void) {
        if filter[Self.sum(term)] {
            for (number, bytes) in exact where bytes.count == term.count && term.elementsEqual(bytes) { body(number, false) }
        }
        for (number, bytes, isCharacter) in beginnings where term.starts(with: bytes) { body(number, isCharacter) }
        for place in fuzzy.indices {
            if fuzzy[place].word.distance(of: term) != nil { body(fuzzy[place].number, false) }
        }
    }
}
