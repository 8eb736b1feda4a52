/// Full text: which documents contain a word, and how often (`docs/full-text.md`).
///
/// A field is a string property of the class or of the object that a to-one link leads to. The floor `TextIndex` has what is
/// stored; this is what the upkeep of derived indexes and `check` need of it.
///
/// Words are folded as `[cd]` folds; an index with a language has their stems (`FullTextIndexOptions`). A field's option is its
/// weight (`DerivedField.fullTextWeight`).
struct FullTextKind: DerivedKind {
    static let number = StoredDerived.fullTextKind

    /// The analyzer of documents, and of searches that the index answers.
    let analyzer: TextAnalyzer
    let versions: DerivedVersions
    let canFile: Bool

    /// The kind of an index without a language.
    init() { self.init(TextAnalyzer(), tool: 0, canFile: true) }

    /// The kind of an index with a language.
    ///
    /// - Parameter stemming: nil on a machine without a stemmer for it.
    init(_ stemming: TextStemming?) {
        self.init(TextAnalyzer(stemming: stemming), tool: stemming?.fingerprint ?? 0, canFile: stemming != nil)
    }

    private init(_ analyzer: TextAnalyzer, tool: UInt64, canFile: Bool) {
        self.analyzer = analyzer
        self.canFile = canFile
        versions = DerivedVersions(algorithm: 1, tables: 15 << 16, tool: tool)
    }

    /// Stemmers have no order: an index of another one is built anew.
    func handling(of root: DerivedRoot) -> DerivedHandling {
        let known = root.versions
        if known.algorithm > versions.algorithm || known.tables > versions.tables { return .refused }
        return !canFile ? .emptied : known == versions ? .own : .rebuilt
    }

    func complaint(about index: StoredDerived, fields: [StoredProperty]) -> String? {
        for (field, property) in zip(index.fields, fields) {
            if property.type != .string || property.shape != nil || property.isObjectKey {
                return "property '\(property.name)' cannot be a field of a full-text index, which has strings"
            }
            guard let weight = field.fullTextWeight else { return "the weight of '\(property.name)' in a full-text index has two bytes" }
            if weight == 0 { return "the weight of '\(property.name)' in a full-text index is above 0" }
        }
        return nil
    }

    func change(of index: StoredDerived) -> any DerivedChange { FullTextChange(fields: index.fields.count, analyzer) }

    /// The entries of a document: a key for each term of each field, and a length for each field with words.
    func forEachEntry(of document: DerivedDocument, in index: StoredDerived,
                      _ body: (UnsafeRawBufferPointer) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var counts: [[UInt8]: Int] = [:]
        for field in index.fields.indices {
            counts.removeAll(keepingCapacity: true)
            var words = 0
            try Self.withText(document, field) { text in
                analyzer.forEachTerm(in: text) { term in
                    counts[Array(term.bytes), default: 0] += 1
                    words += 1
                }
            }
            for (term, count) in counts {
                try Self.call(body, EntryKey.bytes(term, EntryTag(field: field, OccurrenceClass(occurrences: count))))
            }
            if words > 0 { try Self.call(body, Self.lengthEntry(field, TextLength.code(words: words))) }
        }
    }

    func forEachEntry(_ contents: DerivedContents, in access: BlockAccess,
                      _ body: (UnsafeRawBufferPointer, Int64) throws(FreeholdError) -> Void) throws(FreeholdError) {
        let root = try Self.root(contents), parts = TermEntries(root, access).parts
        let walk = try RunWalk(parts.map(\.index), from: parts.map(\.position))
        while try walk.nextEntry() {
            // Safe: the term is that of the walk, which stays at its entry.
            let key = EntryKey.bytes(Array(UnsafeRawBufferPointer(start: walk.term.start, count: walk.term.count)), walk.tag)
            while try walk.union.next() {
                let object = walk.union.object
                if walk.union.sum != 1 { continue }
                try Self.call({ bytes throws(FreeholdError) in try body(bytes, object) }, key)
            }
        }
        var cursor = try OrderedIndex(root: root.lengths, access: access).cursor()
        while try cursor.next() {
            guard let row = LengthRow(key: try cursor.key()) else { continue }
            for place in 0..<LengthRow.keysPerRow where row.codes[place] != 0 {
                let entry = Self.lengthEntry(row.field, row.codes[place])
                try Self.call({ bytes throws(FreeholdError) in try body(bytes, row.object(place)) }, entry)
            }
        }
    }

    func faults(_ contents: DerivedContents, of index: StoredDerived, in access: BlockAccess) -> [String] {
        do throws(FreeholdError) {
            let root = try Self.root(contents, of: index)
            return TextIndexChecker.problems(root, access)
        } catch { return [error.message] }
    }

    func counts(_ contents: DerivedContents) -> [UInt64] {
        guard let root = try? Self.root(contents) else { return [] }
        return root.fields.flatMap { [UInt64($0.documents), UInt64($0.words)] }
    }

    func count(_ document: DerivedDocument, in index: StoredDerived, _ counts: inout [UInt64]) throws(FreeholdError) {
        if counts.isEmpty { counts = Array(repeating: 0, count: 2 * index.fields.count) }
        for field in index.fields.indices {
            var words: UInt64 = 0
            try Self.withText(document, field) { text in analyzer.forEachTerm(in: text) { _ in words += 1 } }
            counts[2 * field] += words > 0 ? 1 : 0
            counts[2 * field + 1] += words
        }
    }

    /// What a derived root has of this kind.
    static func root(_ contents: DerivedContents) throws(FreeholdError) -> TextIndexRoot {
        try TextIndexRoot(references: contents.references, bytes: contents.bytes)
    }

    /// What a derived root has of an index; throws if it has other fields.
    static func root(_ contents: DerivedContents, of index: StoredDerived) throws(FreeholdError) -> TextIndexRoot {
        try root(contents, fields: index.fields.count)
    }

    fileprivate static func root(_ contents: DerivedContents, fields: Int) throws(FreeholdError) -> TextIndexRoot {
        let root = try root(contents)
        if root.fields.count != fields { throw TextIndexRoot.damaged("\(root.fields.count) fields of \(fields)") }
        return root
    }

    /// Calls `body` with the bytes of a field that are indexed, if it has a string; they are borrowed.
    fileprivate static func withText(_ document: DerivedDocument, _ field: Int,
                                     _ body: (UnsafeRawBufferPointer) -> Void) throws(FreeholdError) {
        guard case .string(var text) = try document.value(field) else { return }
        // Safe: the bytes are used within the call.
        text.withUTF8 { body(TextAnalyzer.searched(UnsafeRawBufferPointer($0))) }
    }

    /// The bytes by which `check` compares a length: no term begins with a zero byte.
    private static func lengthEntry(_ field: Int, _ code: UInt8) -> [UInt8] { [0, UInt8(field), code] }

    private static func call(_ body: (UnsafeRawBufferPointer) throws(FreeholdError) -> Void, _ bytes: [UInt8]) throws(FreeholdError) {
        // Safe: the bytes are used within the call.
        try bytes.span.bytes.withUnsafeBytes { bytes throws(FreeholdError) in try body(bytes) }
    }
}

/// The changes that one commit makes to a full-text index: a run, or several one after the other if they are many.
private final class FullTextChange: DerivedChange {
    /// What an entry takes of a batch.
    private static let bytesPerEntry = 16

    private let fields: Int
    private let analyzer: TextAnalyzer
    // Safe: one thread uses a change, and nothing here re-enters it.
    /// The oldest first; all but the last are full.
    @exclusivity(unchecked) private var batches: [RunBatch]

    init(fields: Int, _ analyzer: TextAnalyzer) {
        self.fields = fields
        self.analyzer = analyzer
        batches = [RunBatch(fields: fields, analyzer)]
    }

    var bytes: Int { batches.reduce(0) { $0 + $1.count } * Self.bytesPerEntry }

    func replace(_ key: Int64, _ old: DerivedDocument?, by new: DerivedDocument?) throws(FreeholdError) {
        let batch = batches[batches.count - 1]
        batch.begin(ObjectKey(key))
        for field in 0..<fields {
            if let old { try FullTextKind.withText(old, field) { batch.add($0, field: field, isNew: false) } }
            if let new { try FullTextKind.withText(new, field) { batch.add($0, field: field, isNew: true) } }
        }
        batch.end()
        if batch.isFull { batches.append(RunBatch(fields: fields, analyzer)) }
    }

    func write(onto contents: DerivedContents?, table: UInt32, in pending: PendingBlocks) throws(FreeholdError) -> DerivedContents? {
        if contents != nil, batches.allSatisfy(\.isEmpty) { return nil }
        let root = try contents.map { contents throws(FreeholdError) in try FullTextKind.root(contents, fields: fields) }
            ?? TextIndexRoot(fields: fields)
        var writer = TextIndexWriter(root, table: table, in: pending)
        for batch in batches where !batch.isEmpty { try writer.add(batch) }
        return DerivedContents(references: writer.root.references, bytes: writer.root.bytes)
    }
}
