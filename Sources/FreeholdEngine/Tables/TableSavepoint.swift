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
    private let operations: [(plain: IndexOperations.Mark?, numbered: Int)]
    /// Previous operations of columns whose operations have been merged since.
    private var kept: [Int: (plain: IndexOperations?, numbered: NumberedOperations?)] = [:]

    init(_ writer: TableWriter) {
        stored = writer.stored
        root = writer.state.root
        tails = writer.state.tails
        dictionaries = writer.state.dictionaries.map { $0.map { ($0, $0.addedCount) } }
        status = writer.status
        rows = writer.buffer.mark()
        operations = (0..<max(writer.operations.count, writer.numbered.count)).map { column in
            (column < writer.operations.count ? writer.operations[column]?.mark : nil,
             column < writer.numbered.count ? writer.numbered[column]?.count ?? 0 : 0)
        }
    }

    /// Keeps a column's pending operations, which are about to be merged.
    func keepOperations(_ column: Int, of writer: TableWriter) {
        if column >= operations.count || kept[column] != nil { return }
        let plain = operations[column].plain.flatMap { mark in
            let copy = writer.operations[column]?.copy()
            copy?.truncate(to: mark)
            return copy
        }
        let count = operations[column].numbered
        let numbered = count == 0 ? nil : writer.numbered[column]?.copy()
        numbered?.truncate(to: count)
        kept[column] = (plain, numbered)
    }

    /// Takes over the operations kept for a later savepoint that is released: they begin with those of this savepoint.
    func inherit(_ later: TableSavepoint) {
        rows.inherit(later.rows)
        for (column, value) in later.kept where kept[column] == nil && column < operations.count {
            let plain = operations[column].plain
            if let plain { value.plain?.truncate(to: plain) }
            value.numbered?.truncate(to: min(operations[column].numbered, value.numbered?.count ?? 0))
            kept[column] = (plain == nil ? nil : value.plain, value.numbered)
        }
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
        restoreOperations(writer)
        writer.restore(status, rowsSince: rowsSince)
    }

    private func restoreOperations(_ writer: TableWriter) {
        let plain = writer.operations, numbered = writer.numbered
        writer.operations = operations.indices.map { column in
            if let value = kept[column] { return value.plain }
            let list = column < plain.count ? plain[column] : nil
            if let mark = operations[column].plain { list?.truncate(to: mark) } else { list?.removeAll() }
            return list
        }
        writer.numbered = operations.indices.map { column in
            if let value = kept[column] { return value.numbered }
            let list = column < numbered.count ? numbered[column] : nil
            list?.truncate(to: operations[column].numbered)
            return list
        }
        kept.removeAll()
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
        var tombstoned: Set<Int64>
        var unrecorded: [Int64]
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
        marking = nil
    }

    /// Saves the state if a savepoint waits for it; called before the first change.
    func saveIfWanted() {
        guard let saved = waitingSave else { return }
        waitingSave = nil
        marking = nil
        let made = TableSavepoint(self)
        saved.tables[Int(number)] = made
        newestSave = made
    }

    /// Sets the newest savepoint that has saved the class.
    func follow(_ save: TableSavepoint?) {
        newestSave = save
        buffer.protect(for: save?.rows)
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
