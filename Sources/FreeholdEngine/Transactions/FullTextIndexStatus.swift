/// A full-text index of one version of a file, with its state.
///
/// ```swift
/// for status in try database.snapshot().fullTextIndexes() {
///     print(status.className, status.index.paths, status.percent, status.words)
/// }
/// ```
public struct FullTextIndexStatus: Sendable, Equatable {
    /// The class that declares it; objects of its subclasses are in it, too.
    public let className: String
    /// Its fields, with their weights.
    public let index: FullTextIndex
    public let state: DerivedIndexState
    /// The number of objects that it has. The objects inserted last, at most 255, are in no index; queries read them directly.
    public let documents: Int
    /// The number of words in all its fields.
    public let words: Int
    /// Percent of the objects that it has.
    public let percent: Int
}

extension Snapshot {
    /// The full-text indexes of all classes.
    ///
    /// - Throws: `FreeholdError` with a code of the band `.damaged` if the root of one is damaged.
    public func fullTextIndexes() throws(FreeholdError) -> [FullTextIndexStatus] {
        let schema = try contents().schema
        return try derivedStates().filter(\.index.isFullText).map { $0.fullText(in: schema) }
    }
}

extension FullTextDeclarations {
    /// The full-text indexes that the classes have now, with the state of the version that the transaction began with: one
    /// added since has no object of that version.
    public func statuses() throws(FreeholdError) -> [FullTextIndexStatus] {
        try transaction.derived.states().filter(\.index.isFullText).map { $0.fullText(in: transaction.schema) }
    }
}

extension DerivedEntry {
    /// A full-text index as programs see it.
    fileprivate func fullText(in schema: StoredSchema) -> FullTextIndexStatus {
        // What another version counts is not known.
        let owner = Int(index.owner ?? stored.number), isKnown = switch state {
        case .complete, .building: true
        case .older, .newer, .unavailable: false
        }
        let words = isKnown ? (root?.contents).map { FullTextKind().words($0) } ?? 0 : 0
        return FullTextIndexStatus(
            className: schema.classes[owner].name, index: schema.declaration(of: index, in: owner), state: state,
            documents: state.coveredCount(of: sealedCount), words: words, percent: percent)
    }
}

extension DerivedEntry {
    /// Percent of the objects that the index has, rounded down.
    var percent: Int { sealedCount == 0 ? 100 : coveredCount * 100 / sealedCount }
}

extension FullTextKind {
    /// The number of words of all fields.
    fileprivate func words(_ contents: DerivedContents) -> Int {
        let counts = counts(contents)
        return stride(from: 1, to: counts.count, by: 2).reduce(0) { $0 + Int(clamping: counts[$1]) }
    }
}
