/// A derived index of one version of a file, with its state.
///
/// ```swift
/// for status in try database.snapshot().collationIndexes() {
///     print(status.className, status.index.order, status.percent)
/// }
/// ```
/// `Index` is what a class declares: `FullTextIndex`, `PlaceIndex`, `VectorIndex` or `CollationIndex`.
public struct DerivedIndexStatus<Index: Sendable & Equatable>: Sendable, Equatable {
    /// The class that declares it; objects of its subclasses are in it, too.
    public let className: String
    /// It as the class declares it.
    public var index: Index { declared[0] }
    /// One element. Beside it the size of `Index` would decide the layout, and the runtime would make the type where it is used first:
    /// that reads memory that valgrind takes for uninitialised.
    private let declared: [Index]
    public let state: DerivedIndexState
    /// The number of objects that it has. The objects inserted last, at most 255, are in no index; queries read them directly.
    public let documents: Int
    /// Percent of the objects that it has, rounded down.
    public let percent: Int
    fileprivate let wordCount: Int

    fileprivate init(_ entry: DerivedEntry, of className: String, _ index: Index, words: Int) {
        self.className = className
        declared = [index]
        state = entry.state
        documents = entry.coveredCount
        percent = entry.percent
        wordCount = words
    }
}

extension DerivedIndexStatus where Index == FullTextIndex {
    /// The number of words in all fields; 0 if another version of Freehold or another stemmer has counted them.
    public var words: Int { wordCount }
}

extension Snapshot {
    /// The full-text indexes of all classes.
    ///
    /// - Throws: `FreeholdError` with a code of the band `.damaged` if the root of one is damaged.
    public func fullTextIndexes() throws(FreeholdError) -> [DerivedIndexStatus<FullTextIndex>] {
        try derivedStates().fullText(in: contents().schema)
    }

    /// The indexes of places of all classes.
    ///
    /// - Throws: `FreeholdError` with a code of the band `.damaged` if the root of one is damaged.
    public func placeIndexes() throws(FreeholdError) -> [DerivedIndexStatus<PlaceIndex>] {
        try derivedStates().places(in: contents().schema)
    }

    /// The indexes of vectors of all classes.
    ///
    /// - Throws: `FreeholdError` with a code of the band `.damaged` if the root of one is damaged.
    public func vectorIndexes() throws(FreeholdError) -> [DerivedIndexStatus<VectorIndex>] {
        try derivedStates().vectors(in: contents().schema)
    }

    /// The indexes in a collation of all classes.
    ///
    /// - Throws: `FreeholdError` with a code of the band `.damaged` if the root of one is damaged.
    public func collationIndexes() throws(FreeholdError) -> [DerivedIndexStatus<CollationIndex>] {
        try derivedStates().collations(in: contents().schema)
    }
}

extension FullTextDeclarations {
    /// The full-text indexes that the classes have now, with the state of the version that the transaction began with: one
    /// added since has no object of that version.
    public func statuses() throws(FreeholdError) -> [DerivedIndexStatus<FullTextIndex>] {
        try transaction.derived.states().fullText(in: transaction.schema)
    }
}

extension PlaceDeclarations {
    /// The indexes of places that the classes have now, with the state of the version that the transaction began with: one
    /// added since has no object of that version.
    public func statuses() throws(FreeholdError) -> [DerivedIndexStatus<PlaceIndex>] {
        try transaction.derived.states().places(in: transaction.schema)
    }
}

extension VectorDeclarations {
    /// The indexes of vectors that the classes have now, with the state of the version that the transaction began with: one
    /// added since has no object of that version.
    public func statuses() throws(FreeholdError) -> [DerivedIndexStatus<VectorIndex>] {
        try transaction.derived.states().vectors(in: transaction.schema)
    }
}

extension CollationDeclarations {
    /// The indexes in a collation that the classes have now, with the state of the version that the transaction began with: one
    /// added since has no object of that version.
    public func statuses() throws(FreeholdError) -> [DerivedIndexStatus<CollationIndex>] {
        try transaction.derived.states().collations(in: transaction.schema)
    }
}

extension [DerivedEntry] {
    fileprivate func fullText(in schema: StoredSchema) -> [DerivedIndexStatus<FullTextIndex>] {
        statuses(schema, \.isFullText, schema.declaration, words: \.words)
    }

    fileprivate func places(in schema: StoredSchema) -> [DerivedIndexStatus<PlaceIndex>] {
        statuses(schema, \.isPlaces, schema.placeIndex)
    }

    fileprivate func vectors(in schema: StoredSchema) -> [DerivedIndexStatus<VectorIndex>] {
        statuses(schema, \.isVectors, schema.vectorIndex)
    }

    fileprivate func collations(in schema: StoredSchema) -> [DerivedIndexStatus<CollationIndex>] {
        statuses(schema, \.isCollation, schema.collationIndex)
    }

    /// The indexes of one kind, as programs see them.
    ///
    /// - Parameter declaration: an index as the class of this number declares it.
    private func statuses<Index>(
        _ schema: StoredSchema, _ isOfKind: (StoredDerived) -> Bool, _ declaration: (StoredDerived, Int) -> Index,
        words: (DerivedEntry) -> Int = { _ in 0 }
    ) -> [DerivedIndexStatus<Index>] {
        filter { isOfKind($0.index) }.map { entry in
            let owner = Int(entry.index.owner ?? entry.stored.number)
            return DerivedIndexStatus(entry, of: schema.classes[owner].name, declaration(entry.index, owner), words: words(entry))
        }
    }
}

extension DerivedEntry {
    /// Percent of the objects that the index has, rounded down.
    var percent: Int { sealedCount == 0 ? 100 : coveredCount * 100 / sealedCount }

    /// The number of words of all fields of a full-text index; 0 for what another version counts, which is not known.
    fileprivate var words: Int {
        switch state {
        case .complete, .building: root.map { FullTextKind().words($0.contents) } ?? 0
        case .older, .newer, .unavailable: 0
        }
    }
}

extension FullTextKind {
    /// The number of words of all fields.
    fileprivate func words(_ contents: DerivedContents) -> Int {
        let counts = counts(contents)
        return stride(from: 1, to: counts.count, by: 2).reduce(0) { $0 + Int(clamping: counts[$1]) }
    }
}
