/// Walks over the terms of all runs.
///
/// A term is found in each run that has an entry of it, also one that cancels: a term that is found may have no document.
extension TermEntries {
    /// The terms that begin with some bytes, in ascending order.
    func terms(prefix: [UInt8]) throws(FreeholdError) -> [[UInt8]] {
        try gather { part throws(FreeholdError) in
            var found: [[UInt8]] = [], cursor = try part.index.cursor()
            var next: [UInt8]? = max(prefix, part.position?.term ?? [])
            while let start = next, let term = try cursor.term(from: start), term.starts(with: prefix) {
                found.append(term)
                next = term + [1]
            }
            return found
        }
    }

    /// The terms within the distance of a fuzzy word, in ascending order.
    func terms(_ word: FuzzyWord) throws(FreeholdError) -> [[UInt8]] {
        try gather { part throws(FreeholdError) in
            var word = word, found: [[UInt8]] = [], cursor = try part.index.cursor(), start = part.position?.term ?? []
            while let term = try cursor.term(from: start) {
                // Safe: the pointer is used within the call.
                switch term.withUnsafeBytes({ word.visit($0) }) {
                case .match:
                    found.append(term)
                    start = term + [1]
                case .seek(let next):
                    // A term that is no text is read as another one.
                    guard term.lexicographicallyPrecedes(next) else { throw TextIndexRoot.damagedRun() }
                    start = next
                case .end: return found
                }
            }
            return found
        }
    }

    /// The number of entries whose terms begin with some bytes, in all fields: at least the number of documents of each.
    func entries(prefix: [UInt8]) throws(FreeholdError) -> Int {
        var sum = 0
        // Terms are UTF-8, which has no byte 255.
        for part in parts { sum += try part.index.ranks(from: prefix, to: prefix + [255]).count }
        return sum
    }

    private func gather(_ walk: (Part) throws(FreeholdError) -> [[UInt8]]) throws(FreeholdError) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for part in parts where !part.index.root.isNull { all += try walk(part) }
        all.sort { $0.lexicographicallyPrecedes($1) }
        return all.enumerated().filter { $0.offset == 0 || all[$0.offset - 1] != $0.element }.map(\.element)
    }

    private func max(_ one: [UInt8], _ other: [UInt8]) -> [UInt8] { one.lexicographicallyPrecedes(other) ? other : one }
}

extension IndexCursor {
    /// Moves to the first entry of the first term that is not before some bytes, and returns the term; nil if there is none.
    ///
    /// In keys a zero byte follows each term. So for bytes that have one, as a fuzzy word may ask for, the first term is that
    /// after the bytes before it.
    fileprivate mutating func term(from start: [UInt8]) throws(FreeholdError) -> [UInt8]? {
        var start = start
        if let zero = start.firstIndex(of: 0) { start.replaceSubrange(zero..., with: [1]) }
        // Safe: the pointer is used within the call.
        let isFound = try start.span.bytes.withUnsafeBytes { bytes throws(FreeholdError) in try seek(toKey: IndexKey(bytes)) }
        guard isFound else { return nil }
        let key = try key(), term = Array(key.dropLast(2))
        // In a damaged tree the walk might never end.
        guard key.count > 2, !term.lexicographicallyPrecedes(start) else { throw TextIndexRoot.damagedRun() }
        return term
    }
}
