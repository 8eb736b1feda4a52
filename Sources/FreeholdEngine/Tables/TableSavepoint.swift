/// What a writer knew of its class when it was changed first after a savepoint.
///
/// Most of it is values that are copied when they change. Rows and waiting index operations are only marked; what was there is
/// copied when it is changed other than by adding to it.
final class TableSavepoint {
    private let stored: StoredClass
    private let root: TableRoot
    private let tails: [TailView]
    private let dictionaries: [(dictionary: ColumnDictionary, added: Int)?]
    private let status: TableWriter.Status
    let rows: RowMark
    private let operations: [(plain: IndexOperations.Mark?, numbered: Int)]
    /// Operations as they were, for columns whose operations were merged since.
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

    /// Keeps a column's waiting operations, which are about to be merged.
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

    /// Takes over what was kept for a later savepoint that is released: its beginning is what was there at this one.
    func inherit(_ later: TableSavepoint) {
        rows.inherit(later.rows)
        for (column, value) in later.kept where kept[column] == nil && column < operations.count {
            let plain = operations[column].plain
            if let plain { value.plain?.truncate(to: plain) }
            value.numbered?.truncate(to: min(operations[column].numbered, value.numbered?.count ?? 0))
            kept[column] = (plain == nil ? nil : value.plain, value.numbered)
        }
    }

    /// Makes the writer as it was. `later` are the savepoints of the class made since, oldest first.
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

/// The classes changed since a savepoint, by number, as they were.
final class SavedTables {
    // Safe: one thread uses a transaction.
    @exclusivity(unchecked) var tables: [Int: TableSavepoint] = [:]
}

extension TableWriter {
    /// The small parts of what a writer knows.
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

    /// So many rows of the buffer at most are copied for a savepoint.
    private static let copiedRows = 4096

    /// Called before a savepoint is made: seals what would be much to copy, unless somebody may hold a row.
    func settle() throws(FreeholdError) {
        if buffer.count > Self.copiedRows { try noteQuestion() }
    }

    /// Has the writer save what it knows when it is changed next; nil ends that.
    func watch(for saved: SavedTables?) {
        waitingSave = saved
        isReady = false
        marking = nil
    }

    /// Saves what it knows, if a savepoint waits for that; called before the first change.
    func saveIfWanted() {
        guard let saved = waitingSave else { return }
        waitingSave = nil
        marking = nil
        let made = TableSavepoint(self)
        saved.tables[Int(number)] = made
        newestSave = made
    }

    /// Goes on with another savepoint as the newest one that has saved the class.
    func follow(_ save: TableSavepoint?) {
        newestSave = save
        buffer.protect(for: save?.rows)
    }
}

extension TableState {
    /// Goes on with the dictionaries as they were, which have got strings since.
    func restore(_ saved: [(dictionary: ColumnDictionary, added: Int)?]) {
        forgetDictionaries(count: stored.properties.count)
        for (column, entry) in saved.enumerated() {
            guard let entry else { continue }
            entry.dictionary.truncate(toAdded: entry.added)
            setDictionary(column, entry.dictionary)
        }
    }
}
