import FreeholdEngine
import FreeholdMerge

/// Writes changed rows to the tables of their classes, a statement a table; what has stayed as it was is not written.
struct ClassTableWriter {
    /// A row, as it was before the transaction and as it is now.
    struct Change {
        let object: SyncObject
        let before: StoredRow?
        let after: StoredRow?
        /// What the tables have, if other software has written it: `before` says nothing of them then.
        var found: FoundObject?
    }

    let connection: PostgresConnection
    let tables: ClassTables

    func write(_ changes: [Change]) throws(FreeholdError) {
        for (number, table) in tables.tables.enumerated() {
            guard let table else { continue }
            let own = changes.filter {
                $0.object.type == number && ($0.before?.isAlive == true || $0.after?.isAlive == true || $0.found != nil)
            }
            if own.isEmpty { continue }
            try write(own, table, tables.schema.classes[number])
            if !table.collections.isEmpty { try writeCollections(own, table) }
        }
    }

    // MARK: Objects

    private func write(_ changes: [Change], _ table: ClassTables.Table, _ type: SyncSchema.Class) throws(FreeholdError) {
        let columns = [table.key] + table.columns
        var gone = StatementRows([table.key]), made = StatementRows(columns)
        let names = columns.map(\.name).joined(separator: ", ")
        let set = table.columns.map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")
        let delete = "DELETE FROM \(table.name) WHERE \(table.key.name) IN (SELECT \(gone.values) FROM \(gone.source))"
        let insert = "INSERT INTO \(table.name) (\(names)) SELECT \(made.values) FROM \(made.source) "
            + "ON CONFLICT (\(table.key.name)) DO \(set.isEmpty ? "NOTHING" : "UPDATE SET \(set)")"
        for change in changes {
            guard let key = table.key.type.image(of: change.object.key) else { continue }
            let old = if let found = change.found { found.columns } else { change.before.flatMap { images(of: $0, table, type) } }
            let new = change.after.flatMap { images(of: $0, table, type) }
            if let new, new != old {
                made.add([key] + new)
                if made.isFull { try made.run(insert, on: connection) }
            } else if old != nil, new == nil {
                gone.add([key])
                if gone.isFull { try gone.run(delete, on: connection) }
            }
        }
        try gone.run(delete, on: connection)
        try made.run(insert, on: connection)
    }

    /// Nil for a deleted object.
    func images(of row: StoredRow, _ table: ClassTables.Table, _ type: SyncSchema.Class) -> [[UInt8]?]? {
        guard row.isAlive else { return nil }
        return table.columns.map { column in
            if column.isCounter { return PostgresValue.big(row.counters[column.property] ?? 0) }
            return column.type.image(of: row.shownValue(of: column.property, in: type), linkTo: column.target, tables.schema)
        }
    }

    // MARK: Collections

    /// An entry as it is sent: an element of a set, or a map's key or a list's place and its value.
    struct Entry: Hashable {
        var name: [UInt8]?
        var value: [UInt8]?
    }

    private func writeCollections(_ changes: [Change], _ table: ClassTables.Table) throws(FreeholdError) {
        let shown = changes.map { (before: Shown($0.before), after: Shown($0.after)) }
        for (place, collection) in table.collections.enumerated() {
            let writer = EntryWriter(collection, owner: table.key, connection)
            var gone = writer.makeGone(), none = writer.makeOwners(), made = writer.makeMade()
            var added: [(owner: [UInt8], entries: [Entry])] = []
            // What goes first makes place for what comes.
            for (change, pair) in zip(changes, shown) {
                guard let owner = table.key.type.image(of: change.object.key) else { continue }
                let new = entries(pair.after, collection), isNew = Set(new)
                let old = change.found?.collections[place] ?? entries(pair.before, collection)
                let isOld = Set(old).subtracting(change.found?.repeated(place) ?? [])
                for one in old where !isNew.contains(one) || !isOld.contains(one) {
                    if let name = one.name { gone.add([owner, name]) } else { none.add([owner]) }
                    if gone.isFull { try gone.run(writer.delete, on: connection) }
                }
                let fresh = new.filter { !isOld.contains($0) }
                if !fresh.isEmpty { added.append((owner, fresh)) }
            }
            try gone.run(writer.delete, on: connection)
            try none.run(writer.deleteNull, on: connection)
            for (owner, entries) in added {
                for one in entries {
                    made.add(collection.kind == .set ? [owner, one.name] : [owner, one.name, one.value])
                    if made.isFull { try made.run(writer.insert, on: connection) }
                }
            }
            try made.run(writer.insert, on: connection)
        }
    }

    /// The collections of a row.
    struct Shown {
        var members: [Int32: [SyncValue]] = [:]
        var entries: [Int32: [(key: SyncValue, value: SyncValue)]] = [:]
        var elements: [Int32: [SyncValue]] = [:]

        init(_ row: StoredRow?) {
            guard let row, row.isAlive else { return }
            (members, entries, elements) = (row.shownMembers, row.shownEntries, row.shownElements)
        }
    }

    func entries(_ shown: Shown, _ collection: ClassTables.Elements) -> [Entry] {
        let property = collection.values.property
        switch collection.kind {
        case .set:
            // Values that are one value for SQL are one element.
            return Array(Set((shown.members[property] ?? []).map { Entry(name: image(of: $0, collection), value: nil) }))
        case .map:
            return (shown.entries[property] ?? []).compactMap { key, value in
                guard let name = ColumnType.text.image(of: key, linkTo: nil, tables.schema) else { return nil }
                return Entry(name: name, value: image(of: value, collection))
            }
        default:
            return (shown.elements[property] ?? []).enumerated().map { place, value in
                Entry(name: PostgresValue.big(Int64(place)), value: image(of: value, collection))
            }
        }
    }

    func image(of value: SyncValue, _ collection: ClassTables.Elements) -> [UInt8]? {
        collection.values.type.image(of: value, linkTo: collection.values.target, tables.schema)
    }
}

/// The statements for the table of a collection.
private struct EntryWriter {
    let delete: String
    let deleteNull: String
    let insert: String
    private let goneColumns: [ClassTables.Column]
    private let madeColumns: [ClassTables.Column]

    init(_ collection: ClassTables.Elements, owner key: ClassTables.Column, _ connection: PostgresConnection) {
        let owner = ClassTables.Column(property: -1, name: "owner", type: key.type, target: nil, isCounter: false)
        let name: ClassTables.Column? = switch collection.kind {
        case .map: .init(property: -1, name: "key", type: .text, target: nil, isCounter: false)
        case .list: .init(property: -1, name: "place", type: .bigint, target: nil, isCounter: false)
        default: nil
        }
        let named = name ?? collection.values
        (goneColumns, madeColumns) = ([owner, named], name == nil ? [owner, named] : [owner, named, collection.values])
        let gone = StatementRows(goneColumns), made = StatementRows(madeColumns), table = collection.name
        delete = "DELETE FROM \(table) t USING (SELECT \(gone.values) FROM \(gone.source)) g(owner, name) "
            + "WHERE t.owner = g.owner AND \(named.type.exact("t.\(named.name)")) = \(named.type.exact("g.name"))"
        let owners = StatementRows([owner])
        deleteNull = "DELETE FROM \(table) WHERE owner IN (SELECT \(owners.values) FROM \(owners.source)) AND \(named.name) IS NULL"
        insert = "INSERT INTO \(table) (\(madeColumns.map(\.name).joined(separator: ", "))) SELECT \(made.values) FROM \(made.source)"
    }

    func makeGone() -> StatementRows { StatementRows(goneColumns) }
    func makeMade() -> StatementRows { StatementRows(madeColumns) }
    func makeOwners() -> StatementRows { StatementRows([goneColumns[0]]) }
}

/// Rows for one statement, column by column.
struct StatementRows {
    private let types: [ColumnType]
    private var columns: [[[UInt8]?]]
    private var size = 0
    /// The rows as a table, and its columns in their types.
    let source: String
    let values: String

    private static let mostBytes = 16 << 20

    init(_ columns: [ClassTables.Column]) {
        types = columns.map(\.type)
        self.columns = Array(repeating: [], count: types.count)
        let arrays = types.enumerated().map { "$\($0 + 1)::\($1.sentName)[]" }, names = types.indices.map { "c\($0)" }
        source = "unnest(\(arrays.joined(separator: ", "))) u(\(names.joined(separator: ", ")))"
        values = types.enumerated().map { "u.c\($0)::\($1.rawValue)" }.joined(separator: ", ")
    }

    /// Whether it is as much as one statement should have.
    var isFull: Bool { size >= Self.mostBytes }

    mutating func add(_ images: [[UInt8]?]) {
        for (place, image) in images.enumerated() {
            columns[place].append(image)
            size += 8 + (image?.count ?? 0)
        }
    }

    /// Runs a statement with the rows, if there are some, and forgets them.
    mutating func run(_ statement: String, on connection: PostgresConnection) throws(FreeholdError) {
        if size == 0 { return }
        try connection.run(statement, zip(types, columns).map { type, column in
            .images(element: type.numbers.element, array: type.numbers.array, column)
        })
        columns = Array(repeating: [], count: types.count)
        size = 0
    }

    /// Asks something with the rows, which stay.
    func query(_ statement: String, on connection: PostgresConnection) throws(FreeholdError) -> PostgresRows {
        try connection.run(statement, zip(types, columns).map { type, column in
            .images(element: type.numbers.element, array: type.numbers.array, column)
        })
    }
}
