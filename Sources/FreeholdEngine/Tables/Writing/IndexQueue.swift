/// The index operations of a transaction on one table that its trees over columns do not contain yet.
///
/// ```
///              record(insert:) · record(remove:)            recordNumbered
///                          │                                      │
///                          ▼            spellOut                  ▼
///   column      plain: key bytes, object ◄──── numbered: code of a dictionary + 1, object
///                          │
///                          ▼ merge
///               the tree over the column
/// ```
/// 1. For one key and object the operation recorded last counts.
/// 2. The numbered operations of a column are later than all its plain ones: before a plain one is added, they are
///    converted.
/// 3. Operations cover sealed rows only: rows of tail and buffer are recorded when they are sealed.
/// 4. While a savepoint exists, operations that were waiting at its creation are copied before they are merged or
///    converted (`IndexQueue+Savepoints`).
/// 5. `codesOfRows` is empty except while rows are sealed.
final class IndexQueue {
    let table: WrittenTable
    /// A buffer for one index key.
    let keyBytes = ByteBuffer(capacity: 256)
    // Safe (all exclusivity below): a transaction is used on one thread, and no access here is held over a call that
    // comes back to the same property.
    /// Operations by column; nil where there never were any.
    @exclusivity(unchecked) var plain: [IndexOperations?]
    /// Operations whose keys are strings of the column's dictionary, by code + 1 (0 for null).
    @exclusivity(unchecked) var numbered: [NumberedOperations?] = []
    /// The codes that strings of rows get while many rows are sealed, by column.
    @exclusivity(unchecked) var codesOfRows: [Int: RowCodes] = [:]
    /// The newest savepoint's mark (`IndexQueue+Savepoints`).
    @exclusivity(unchecked) var guarded: IndexQueueMark?

    /// The number of operations at which they are merged before the transaction continues.
    private static let limit = 2_000_000

    init(_ table: WrittenTable) {
        self.table = table
        plain = Array(repeating: nil, count: table.stored.properties.count)
    }

    var state: TableState { table.state }
    var stored: StoredClass { table.state.stored }
    var layout: RowLayout { table.state.stored.layout }
    var buffer: RowBuffer { table.buffer }

    /// Drops all operations; a savepoint keeps those that it marks.
    func removeAll() {
        if let guarded { for column in 0..<max(plain.count, numbered.count) { guarded.keep(column, of: self) } }
        for waiting in plain { waiting?.removeAll() }
        for waiting in numbered { waiting?.removeAll() }
        codesOfRows.removeAll()
    }

    /// Whether any tree is unique.
    var hasUnique: Bool { stored.treeColumns.contains { stored.properties[$0].isUnique } || stored.indexes.contains(where: \.isUnique) }

    /// Whether a column has plain operations that insert.
    func hasInserts(_ column: Int) -> Bool { column < plain.count && plain[column]?.hasInserts == true }

    /// The column's operations, for adding to them: those recorded by code are converted first.
    func waiting(_ column: Int) throws(FreeholdError) -> IndexOperations {
        try spellOut(column)
        return plainOperations(column)
    }

    func plainOperations(_ column: Int) -> IndexOperations {
        while plain.count <= column { plain.append(nil) }
        if let known = plain[column] { return known }
        let new = IndexOperations()
        plain[column] = new
        return new
    }

    /// Merges a column's operations into its tree.
    func merge(_ column: Int) throws(FreeholdError) {
        try spellOut(column)
        guard column < plain.count, let waiting = plain[column], !waiting.isEmpty else { return }
        guarded?.keep(column, of: self)
        let merged = try OrderedIndex.apply(waiting, to: state.root.auxiliary(.index, column), table: table.number, in: table.pending)
        waiting.removeAll()
        state.root.setAuxiliary(.index, column, merged)
    }

    /// Merges a column's operations if they take much memory.
    func mergeIfMany(_ column: Int) throws(FreeholdError) {
        let plainCount = column < plain.count ? plain[column]?.count ?? 0 : 0
        let numberedCount = column < numbered.count ? numbered[column]?.count ?? 0 : 0
        if plainCount + numberedCount > Self.limit { try merge(column) }
    }

    /// Merges the operations of all columns.
    ///
    /// - Parameter unlessFew: keep few operations waiting, except those of unique columns.
    func mergeAll(unlessFew: Bool = false) throws(FreeholdError) {
        for column in stored.treeColumns {
            if !unlessFew || stored.properties[column].isUnique { try merge(column) } else { try mergeIfMany(column) }
        }
        for index in stored.indexes {
            if !unlessFew || index.isUnique { try merge(index.column) } else { try mergeIfMany(index.column) }
        }
    }
}
