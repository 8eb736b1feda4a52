/// The state of a writer before its class was first changed after a savepoint.
///
/// Most of it is values that are copied when they change. Rows and pending index operations are only marked; the
/// previous contents are copied before a change other than an append.
final class TableSavepoint {
    private let stored: StoredClass
    private let root: TableRoot
    private let tails: [TailView]
    private let dictionaries: [(dictionary: ColumnDictionary, added: Int)?]
    private let status: TableWriter.Status
    let rows: RowMark
    let operations: IndexQueueMark

    init(_ writer: TableWriter) {
        stored = writer.stored
        root = writer.state.root
        tails = writer.state.tails
        dictionaries = writer.state.dictionaries.map { $0.map { ($0, $0.addedCount) } }
        status = writer.status
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
        writer.isGone = false
        writer.state.root = root
        writer.state.tails = tails
        writer.state.restore(dictionaries)
        let rowsSince = writer.buffer.count
        writer.buffer.rollBack(to: rows, rows.copy)
        writer.indexes.rollBack(to: operations)
        writer.restore(status, rowsSince: rowsSince)
    }
}

/// The previous states of the classes changed since a savepoint, by number.
final class SavedTables {
    // Safe: one thread uses a transaction.
    @exclusivity(unchecked) var tables: [Int: TableSavepoint] = [:]
}

extension TableWriter {
    /// The small parts of a writer's state.
    struct Status {
        var isOpen: Bool
        var isChanged: Bool
        var standing: Standing
        var tombstones: Tombstones
        var nextKeyBefore: Int64
        var nextDictionaryLook: [Int: Int]
        var writtenTails: Int
    }

    /// The maximum number of buffer rows that are copied for a savepoint.
    private static let copiedRows = 4096

    /// Called before a savepoint is created: seals rows that would be expensive to copy, unless a `Row` may be in use.
    func settle() throws(FreeholdError) {
        if buffer.count > Self.copiedRows { try noteQuestion() }
    }

    /// Makes the writer save its state before its next change; nil ends that.
    func watch(for saved: SavedTables?) {
        waitingSave = saved
        isReady = false
        tombstones.stopMarking()
    }

    /// Saves the state if a savepoint waits for it; called before the first change.
    func saveIfWanted() {
        guard let saved = waitingSave else { return }
        waitingSave = nil
        tombstones.stopMarking()
        let made = TableSavepoint(self)
        saved.tables[Int(number)] = made
        newestSave = made
    }

    /// Sets the newest savepoint that has saved the class.
    func follow(_ save: TableSavepoint?) {
        newestSave = save
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
