/// The state of a writer before its class was first changed after a savepoint.
///
/// Most of it is values that are copied when they change. Rows and pending index operations are only marked; the
/// previous contents are copied before a change other than an append.
final class TableSavepoint {
    private let stored: StoredClass
    private let root: TableRoot
    private let tails: [TailView]
    private let dictionaries: [(dictionary: ColumnDictionary, added: Int)?]
    private let phase: OpenTail.Phase
    private let tombstones: Tombstones
    private let choice: DictionaryChoice
    let rows: RowMark
    let operations: IndexQueueMark

    init(_ writer: TableWriter) {
        stored = writer.stored
        root = writer.state.root
        tails = writer.state.tails
        dictionaries = writer.state.dictionaries.map { $0.map { ($0, $0.addedCount) } }
        phase = writer.tail.phase
        tombstones = writer.tombstones
        choice = writer.dictionaries
        rows = writer.buffer.mark()
        operations = writer.indexes.mark()
    }

    /// Takes over what was kept for a later savepoint that is released.
    func inherit(_ later: TableSavepoint) {
        rows.inherit(later.rows)
        operations.inherit(later.operations)
    }

    /// Restores the writer. `later` are the savepoints of the class created since, oldest first.
    func restore(_ writer: TableWriter, _ later: [TableSavepoint]) {
        for savepoint in later { inherit(savepoint) }
        writer.become(stored)
        writer.state.root = root
        writer.state.tails = tails
        writer.state.restore(dictionaries)
        writer.state.forgetTailOrders()
        let rowsSince = writer.buffer.count
        writer.buffer.rollBack(to: rows, rows.copy)
        // A `Row` handed out before is no longer valid: the class has changed twice.
        writer.buffer.hasGivenRows = false
        if rowsSince < writer.buffer.count, writer.hasManyRows { writer.saving.hasSealedInVain = true }
        writer.indexes.rollBack(to: operations)
        writer.claims.forget()
        writer.tail.rollBack(to: phase)
        writer.tombstones = tombstones
        writer.tombstones.stopMarking()
        writer.dictionaries = choice
    }
}

/// The previous states of the classes changed since a savepoint, by number.
final class SavedTables {
    // Safe: one thread uses a transaction.
    @exclusivity(unchecked) var tables: [Int: TableSavepoint] = [:]
}

/// What a table writer knows of the transaction's savepoints.
struct TableSaving {
    /// The savepoint that must save the table before its next change.
    var waiting: SavedTables?
    /// The state of the table in the newest savepoint that has saved it.
    var newest: TableSavepoint?
    /// Whether a rollback to a savepoint has undone the sealing of rows.
    var hasSealedInVain = false

    /// Whether there is a savepoint, and an earlier rollback has undone the sealing of rows.
    var wouldSealInVain: Bool { hasSealedInVain && (newest != nil || waiting != nil) }
}

extension TableWriter {
    /// The maximum number of buffer rows that are copied for a savepoint.
    private static let copiedRows = 4096

    /// Called before a savepoint is created: seals rows that would be expensive to copy, unless a `Row` may be in use.
    func prepareForSavepoint() throws(FreeholdError) {
        if buffer.count > Self.copiedRows { try noteQuestion() }
    }

    /// Makes the writer save its state before its next change; nil ends that.
    func watch(for saved: SavedTables?) {
        saving.waiting = saved
        tail.expectPreparation()
        tombstones.stopMarking()
    }

    /// Saves the state if a savepoint waits for it; called before the first change.
    func saveIfWanted() {
        guard let saved = saving.waiting else { return }
        saving.waiting = nil
        tombstones.stopMarking()
        let made = TableSavepoint(self)
        saved.tables[Int(number)] = made
        saving.newest = made
    }

    /// Sets the newest savepoint that has saved the class.
    func follow(_ save: TableSavepoint?) {
        saving.newest = save
        buffer.protect(for: save?.rows)
        indexes.guarded = save?.operations
    }
}

extension TableState {
    /// Restores the dictionaries, to which strings have been added since.
    func restore(_ saved: [(dictionary: ColumnDictionary, added: Int)?]) {
        forgetDictionaries(count: stored.properties.count)
        for (column, entry) in saved.enumerated() {
            guard let entry else { continue }
            entry.dictionary.truncate(toAdded: entry.added)
            setDictionary(column, entry.dictionary)
        }
    }
}
