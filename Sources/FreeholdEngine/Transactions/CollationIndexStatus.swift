/// An index in a collation of one version of a file, with its state.
///
/// ```swift
/// for status in try database.snapshot().collationIndexes() {
///     print(status.className, status.index.order, status.percent)
/// }
/// ```
public struct CollationIndexStatus: Sendable, Equatable {
    /// The class that declares it; objects of its subclasses are in it, too.
    public let className: String
    public let index: CollationIndex
    /// `.older` if an older version of ICU has made it: this program builds it anew. `.newer` if a newer one has made it, or if the
    /// machine has no ICU: this program sorts without it, and empties it where it changes strings that the index has.
    public let state: DerivedIndexState
    /// The number of objects that it has. The objects inserted last, at most 255, are in no index; queries read them directly.
    public let documents: Int
    /// Percent of the objects that it has.
    public let percent: Int
}

extension Snapshot {
    /// The indexes in a collation of all classes.
    ///
    /// - Throws: `FreeholdError` with a code of the band `.damaged` if the root of one is damaged.
    public func collationIndexes() throws(FreeholdError) -> [CollationIndexStatus] {
        let schema = try contents().schema
        return try derivedStates().filter(\.index.isCollation).map { $0.collation(in: schema) }
    }
}

extension CollationDeclarations {
    /// The indexes in a collation that the classes have now, with the state of the version that the transaction began with: one
    /// added since has no object of that version.
    public func statuses() throws(FreeholdError) -> [CollationIndexStatus] {
        try transaction.derived.states().filter(\.index.isCollation).map { $0.collation(in: transaction.schema) }
    }
}

extension DerivedEntry {
    /// An index in a collation as programs see it.
    fileprivate func collation(in schema: StoredSchema) -> CollationIndexStatus {
        let owner = Int(index.owner ?? stored.number)
        return CollationIndexStatus(
            className: schema.classes[owner].name, index: schema.collationIndex(index, in: owner), state: state,
            documents: coveredCount, percent: percent)
    }
}
