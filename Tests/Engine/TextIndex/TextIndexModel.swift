@testable import BlockKit
@testable import FreeholdEngine

/// A full-text index in a file in memory, beside the documents that it must have.
final class TextIndexModel {
    /// The strings of each field.
    typealias Document = [[String]]

    static let fields = 2
    let analyzer = TextAnalyzer()
    let file = IndexFile { $0.kind == .derivedRoot ? nil : OrderedIndex.complaint(about: $0) }
    private(set) var root = TextIndexRoot(fields: fields)
    private(set) var documents: [Int64: Document] = [:]
    private var block = BlockReference.null

    var access: BlockAccess { file.access }
    var entries: TermEntries { TermEntries(root, access) }

    /// Gives documents these contents, nil for none, in one commit that merges so many postings, or as many as the plan says.
    func commit(_ changes: [Int64: Document?], merging budget: Int? = nil) throws {
        let pending = PendingBlocks(reading: access), batch = RunBatch(fields: Self.fields, analyzer)
        var writer = TextIndexWriter(root, table: 9, in: pending)
        for (key, new) in changes.sorted(by: { $0.key < $1.key }) {
            batch.begin(ObjectKey(key))
            for field in 0..<Self.fields {
                for text in documents[key]?[field] ?? [] { add(text, field, isNew: false, to: batch) }
                for text in new?[field] ?? [] { add(text, field, isNew: true, to: batch) }
            }
            batch.end()
            documents[key] = new
        }
        if let budget {
            try writer.addRun(of: batch)
            try writer.merge(budget)
        } else {
            try writer.add(batch)
        }
        try publish(writer.root, pending)
    }

    /// Continues a merge by a step.
    func step(merge number: Int, limit: Int) throws {
        let pending = PendingBlocks(reading: access)
        var changed = root
        try RunMerge(root, merge: number, limit: limit, pending.access).apply(to: &changed, merge: number, table: 9, in: pending)
        try publish(changed, pending)
    }

    /// Begins a merge of these runs.
    func begin(_ inputs: Range<Int>) { root.begin(inputs) }

    /// Merges towards one run; returns whether that is reached.
    func compact(_ budget: Int) throws -> Bool {
        let pending = PendingBlocks(reading: access)
        var writer = TextIndexWriter(root, table: 9, in: pending)
        let isDone = try writer.compact(budget)
        try publish(writer.root, pending)
        return isDone
    }

    private func add(_ text: String, _ field: Int, isNew: Bool, to batch: RunBatch) {
        Array(text.utf8).withUnsafeBytes { batch.add($0, field: field, isNew: isNew) }
    }

    /// Commits the root in a block, and reads it from there.
    private func publish(_ changed: TextIndexRoot, _ pending: PendingBlocks) throws {
        let bytes = changed.bytes, references = changed.references
        pending.free(block)
        let (reference, made) = pending.make(.derivedRoot, references: references.count, body: bytes.count)
        for (number, reference) in references.enumerated() { made.setReference(number, reference) }
        bytes.withUnsafeBytes { made.body.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        block = try file.commit(reference, pending)
        let view = try access.view(block)
        let body = Array(UnsafeRawBufferPointer(start: view.body, count: view.bodyLength))
        root = try TextIndexRoot(references: (0..<view.referenceCount).map { view.reference($0) }, bytes: body)
    }

    /// The locations of blocks that are in use and are not counted, or are counted and not in use.
    func lostBlocks() throws -> Set<UInt64> { try file.reachable(block).symmetricDifference(file.live) }

    // MARK: what must be there

    /// The number of each term in a field of a document.
    func counts(_ document: Document, _ field: Int) -> [[UInt8]: Int] {
        var counts: [[UInt8]: Int] = [:]
        for text in document[field] {
            Array(text.utf8).withUnsafeBytes { bytes in analyzer.forEachTerm(in: bytes) { counts[Array($0.bytes), default: 0] += 1 } }
        }
        return counts
    }

    /// For each term the documents of a field with their counts.
    func expected(_ field: Int) -> [[UInt8]: [Int64: Int]] {
        var found: [[UInt8]: [Int64: Int]] = [:]
        for (key, document) in documents {
            for (term, count) in counts(document, field) { found[term, default: [:]][key] = count }
        }
        return found
    }

    /// The documents that match a search by evaluating it on each.
    func matching(_ query: String) throws -> Set<Int64> {
        let query = TermQuery(try TextQuery(query), analyzer)
        return Set(documents.filter { _, document in
            var match = TextMatch(query, analyzer)
            for text in document.joined() { Array(text.utf8).withUnsafeBytes { match.add($0) } }
            return match.isMatch
        }.keys)
    }
}

extension TermEntries {
    /// The documents of a field with a term, with their classes.
    func all(_ term: [UInt8], _ field: Int) throws -> [Int64: UInt8] {
        var cursor = try cursor(of: term, field: field), found: [Int64: UInt8] = [:], last = Int64.min
        while try cursor.next() {
            precondition(found.isEmpty || cursor.object.rawValue > last, "documents descend")
            last = cursor.object.rawValue
            found[last] = cursor.occurrences.number
        }
        return found
    }

    /// The documents with any of some terms in any field.
    func documents(_ terms: [[UInt8]]) throws -> Set<Int64> {
        var found: Set<Int64> = []
        for term in terms {
            for field in 0..<TextIndexModel.fields { found.formUnion(try all(term, field).keys) }
        }
        return found
    }
}
