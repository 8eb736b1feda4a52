/// The runs of a full-text index, read as one.
///
/// A run that is being merged is read from the merge's position on, and the merge's output as a run of its own.
///
/// ```swift
/// let entries = TermEntries(root, access)
/// let documents = try entries.count(of: term, field: 0)
/// var cursor = try entries.cursor(of: term, field: 0)
/// while try cursor.next() { found.append(cursor.object) }
/// ```
///
/// Safe throughout: counts of one index, far below 64 bits; keys are written to memory with room for the longest.
struct TermEntries {
    /// One tree with what a reader passes of it.
    struct Part {
        let index: OrderedIndex
        /// Entries before it are in a merge's output.
        let position: MergePosition?
    }

    let parts: [Part]

    init(_ root: TextIndexRoot, _ access: BlockAccess) {
        let outputs = root.merges.map(\.output).filter { !$0.isNull }.map {
            Part(index: OrderedIndex(root: $0, access: access), position: nil)
        }
        parts = outputs + root.runs.enumerated().map { number, run in
            Part(index: OrderedIndex(root: run, access: access), position: root.merge(ofRun: number)?.position)
        }
    }

    /// The number of documents with a term in a field: two ranks for each sign of each run, and no posting is read.
    func count(of term: [UInt8], field: Int) throws(FreeholdError) -> Int {
        try count(of: term, field: field, classes: 0..<OccurrenceClass.count)
    }

    /// The number of documents with a term in a field, of some classes.
    func count(of term: [UInt8], field: Int, classes: Range<Int>) throws(FreeholdError) -> Int {
        var sum = 0
        for part in parts {
            sum += try part.ranks(of: term, field: field, classes, cancels: false).count
            sum -= try part.ranks(of: term, field: field, classes, cancels: true).count
        }
        return sum
    }

    /// The documents with a term in a field, in the order of their keys, each with its class.
    func cursor(of term: [UInt8], field: Int) throws(FreeholdError) -> TermCursor {
        var cursor = TermCursor()
        try forEachEntry(of: term, field) { cursor.add($0, $1) }
        return cursor
    }

    /// The documents of each class with a term in a field: lists that are read faster than the union of all.
    func cursors(of term: [UInt8], field: Int) throws(FreeholdError) -> [TermCursor] {
        var cursors = Array(repeating: TermCursor(), count: OccurrenceClass.count)
        try forEachEntry(of: term, field) { cursors[Int($1.occurrences.number)].add($0, $1) }
        return cursors
    }

    private func forEachEntry(of term: [UInt8], _ field: Int, _ body: (IndexCursor, EntryTag) -> Void) throws(FreeholdError) {
        for part in parts {
            for cancels in [false, true] { try part.forEachEntry(of: term, field, cancels: cancels, body) }
        }
    }
}

extension TermEntries.Part {
    /// The ranks of the entries of one sign that a reader sees.
    func ranks(of term: [UInt8], field: Int, _ classes: Range<Int>, cancels: Bool) throws(FreeholdError) -> Range<Int> {
        let sign = cancels ? EntryTag.signBit : 0, low = UInt8(field * 8 + classes.lowerBound) | sign
        // The byte after the last tag; 256 is that of the next term.
        let end = field * 8 + classes.upperBound + Int(sign)
        let high = end < 256 ? term + [0, UInt8(end)] : term + [1]
        let keys = (low: term + [0, low], high: high)
        let ranks = try index.ranks(from: keys.low, to: keys.high)
        guard let position else { return ranks }
        // In a damaged tree the position may be anywhere.
        let start = try start(position, term, field, classes, cancels: cancels, ranks)
        return min(ranks.upperBound, max(ranks.lowerBound, start))..<ranks.upperBound
    }

    /// The rank of the first entry of the range that is not before a position.
    private func start(
        _ position: MergePosition, _ term: [UInt8], _ field: Int, _ classes: Range<Int>, cancels: Bool, _ ranks: Range<Int>
    ) throws(FreeholdError) -> Int {
        if term != position.term { return term.lexicographicallyPrecedes(position.term) ? ranks.upperBound : ranks.lowerBound }
        if Int(position.tag.byte) >= field * 8 + classes.upperBound { return ranks.upperBound }
        if Int(position.tag.byte) < field * 8 + classes.lowerBound { return ranks.lowerBound }
        let key = position.key(cancels: cancels)
        return try key.span.bytes.withUnsafeBytes { bytes throws(FreeholdError) in
            try index.rank(of: IndexKey(bytes), position.object).before
        }
    }

    /// Calls `body` with the postings of each class of one sign.
    fileprivate func forEachEntry(
        of term: [UInt8], _ field: Int, cancels: Bool, _ body: (IndexCursor, EntryTag) -> Void
    ) throws(FreeholdError) {
        var cursor = IndexCursor(index, ranks: try ranks(of: term, field: field, 0..<OccurrenceClass.count, cancels: cancels))
        guard try cursor.next() else { return }
        var isOpen = true, last: EntryTag?
        while isOpen {
            let start = cursor, tag = try cursor.tag()
            if let last, tag.byte <= last.byte { throw TextIndexRoot.damagedRun() }
            last = tag
            isOpen = try cursor.nextKey()
            body(start.ending(at: cursor.rank), tag)
        }
    }
}

extension OrderedIndex {
    /// The ranks of the postings from one key to another, exclusive.
    func ranks(from low: [UInt8], to high: [UInt8]) throws(FreeholdError) -> Range<Int> {
        try low.span.bytes.withUnsafeBytes { low throws(FreeholdError) in
            try high.span.bytes.withUnsafeBytes { high throws(FreeholdError) in try ranks(from: low, to: high) }
        }
    }
}

extension IndexCursor {
    /// The tag of the entry it is on.
    fileprivate func tag() throws(FreeholdError) -> EntryTag { EntryTag(byte: try key().last ?? 0) }
}

/// Documents with a term in a field, in the order of their keys: entries of several runs, of both signs.
///
/// An object has the term exactly if its entries sum to 1. Sums are kept apart by class in the bytes of one number.
///
/// Safe throughout: lanes hold sums of at most 64 entries; those of intact runs are 0 or 1 in the end.
struct TermCursor {
    private var union = SignedUnion()

    /// The document it is on.
    var object: ObjectKey { ObjectKey(union.object) }

    /// How often the document has the term.
    var occurrences: OccurrenceClass { OccurrenceClass(number: UInt8(truncatingIfNeeded: union.sum.trailingZeroBitCount &>> 3)) }

    fileprivate mutating func add(_ cursor: IndexCursor, _ tag: EntryTag) {
        let weight = Int64(1) &<< Int64(8 &* (tag.byte & 7))
        union.add(cursor, weight: tag.cancels ? 0 &- weight : weight)
    }

    /// Moves to the next document; false after the last.
    @inline(__always)
    mutating func next() throws(FreeholdError) -> Bool {
        while try union.next() {
            if union.sum != 0 { return true }
        }
        return false
    }

    /// Calls `body` with each document to come whose key is in a range.
    @inline(__always)
    mutating func forEach(in keys: ClosedRange<Int64>, _ body: (Int64) -> Void) throws(FreeholdError) {
        if keys.lowerBound > .min { try union.seek(to: keys.lowerBound) }
        try union.forEach(through: keys.upperBound) { if $1 != 0 { body($0) } }
    }

    /// Moves to the first document, of those to come, whose key is not before one; false if there is none.
    mutating func next(from object: ObjectKey) throws(FreeholdError) -> Bool {
        try union.seek(to: object.rawValue)
        return try next()
    }
}
