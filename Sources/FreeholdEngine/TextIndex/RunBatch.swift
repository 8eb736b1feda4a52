/// The entries of one run, gathered from documents before and after their changes: in memory, without the writer lock.
///
/// ```swift
/// batch.begin(key)
/// batch.add(oldTitle, field: 0, isNew: false)
/// batch.add(newTitle, field: 0, isNew: true)
/// batch.end()
/// ```
/// 1. Each object is begun once for a run; the strings of a field are added together, those of all fields in their order.
/// 2. Of a document that did not change nothing is kept.
/// 3. Each (term, tag) has a number, so a posting costs sixteen bytes until the run is written.
///
/// Safe throughout: `counts` has two numbers for each of `countCapacity` terms, and grows with the terms.
final class RunBatch {
    private let analyzer: TextAnalyzer
    private let terms = TermNumbers()
    private let tags = NumberPairs()
    private let operations = NumberedOperations()
    // Safe (all exclusivity below): one thread uses the batch, and nothing here re-enters it.
    @exclusivity(unchecked) private(set) var lengths: LengthChanges

    // The present field of the present object.
    @exclusivity(unchecked) private var object = ObjectKey(0)
    @exclusivity(unchecked) private var field = 0
    /// How often each term occurs before (at 2 · number) and after (at 2 · number + 1).
    @exclusivity(unchecked) private var counts: UnsafeMutablePointer<UInt32>
    @exclusivity(unchecked) private var countCapacity = 1 << 10
    @exclusivity(unchecked) private var touched: [Int32] = []
    @exclusivity(unchecked) private var oldWords = 0
    @exclusivity(unchecked) private var newWords = 0

    private let fields: Int
    /// The number of entries at which a run is written and another begun.
    static let fullCount = 2_000_000

    init(fields: Int, _ analyzer: TextAnalyzer) {
        self.fields = fields
        self.analyzer = analyzer
        lengths = LengthChanges(fields: fields)
        counts = .allocate(capacity: 2 * countCapacity)
        counts.initialize(repeating: 0, count: 2 * countCapacity)
    }

    deinit { counts.deallocate() }

    /// The number of entries so far.
    var count: Int { operations.count }
    /// Whether nothing differs.
    var isEmpty: Bool { operations.isEmpty && lengths.isEmpty }
    var isFull: Bool { operations.count >= Self.fullCount }

    /// Begins an object.
    func begin(_ object: ObjectKey) {
        self.object = object
        field = 0
    }

    /// Adds one string of a field as it was before, or is after the change.
    @inline(__always)
    func add(_ text: UnsafeRawBufferPointer, field: Int, isNew: Bool) {
        assert(field >= self.field && field < fields, "field \(field) after \(self.field) (1)")
        if field != self.field { endField(before: field) }
        var words = 0
        let place = isNew ? 1 : 0
        analyzer.forEachTerm(in: text) { term in
            let number = terms.number(of: term.bytes)
            if number >= countCapacity { growCounts() }
            if counts[2 * number] | counts[2 * number + 1] == 0 { touched.append(Int32(truncatingIfNeeded: number)) }
            counts[2 * number + place] += 1
            words += 1
        }
        if isNew { newWords += words } else { oldWords += words }
    }

    /// Ends the object.
    func end() { endField(before: fields) }

    /// Adds what differs in the present field.
    private func endField(before next: Int) {
        for number in touched {
            let number = Int(number), old = counts[2 * number], new = counts[2 * number + 1]
            (counts[2 * number], counts[2 * number + 1]) = (0, 0)
            let before = old == 0 ? nil : OccurrenceClass(occurrences: Int(old))
            let after = new == 0 ? nil : OccurrenceClass(occurrences: Int(new))
            if before == after { continue }
            if let before { append(number, EntryTag(field: field, before, cancels: true)) }
            if let after { append(number, EntryTag(field: field, after)) }
        }
        touched.removeAll(keepingCapacity: true)
        lengths.add(field: field, object, oldWords: oldWords, newWords: newWords)
        (oldWords, newWords, field) = (0, 0, next)
    }

    @inline(__always)
    private func append(_ term: Int, _ tag: EntryTag) {
        operations.append(tags.number(of: UInt64(term) << 8 | UInt64(tag.byte)), object.rawValue, isRemoval: false)
    }

    @inline(never)
    private func growCounts() {
        let grown = UnsafeMutablePointer<UInt32>.allocate(capacity: 8 * countCapacity)
        grown.update(from: counts, count: 2 * countCapacity)
        (grown + 2 * countCapacity).initialize(repeating: 0, count: 6 * countCapacity)
        counts.deallocate()
        (counts, countCapacity) = (grown, 4 * countCapacity)
    }

    /// Writes the run, with full leaves, and returns its root; null if nothing differs. The batch is empty afterwards.
    func write(table: UInt32, in pending: PendingBlocks) throws(FreeholdError) -> BlockReference {
        if operations.isEmpty { return .null }
        let list = IndexOperations()
        // Safe: the key is copied by `move` before the next one is written.
        let key = UnsafeMutableRawPointer.allocate(byteCount: EntryKey.longest, alignment: 8)
        defer { key.deallocate() }
        try operations.move(into: list) { number throws(FreeholdError) in
            let pair = tags.value(number)
            let count = EntryKey.write(terms.term(Int(pair >> 8)), EntryTag(byte: UInt8(truncatingIfNeeded: pair)), to: key)
            return IndexKey(start: UnsafeRawPointer(key), count: count)
        }
        terms.removeAll()
        tags.removeAll()
        return try OrderedIndex.apply(list, to: .null, table: table, in: pending)
    }

    /// Applies the changes of lengths to a root, and forgets them.
    func applyLengths(to root: inout TextIndexRoot, table: UInt32, in pending: PendingBlocks) throws(FreeholdError) {
        root.lengths = try lengths.apply(to: root.lengths, table: table, in: pending)
        for field in 0..<fields {
            root.fields[field].documents += lengths.sums[field].documents
            root.fields[field].words += lengths.sums[field].words
            guard root.fields[field].isPossible else {
                throw TextIndexRoot.damaged("fewer documents or words in field \(field) than were deleted from it")
            }
        }
        lengths = LengthChanges(fields: fields)
    }
}
