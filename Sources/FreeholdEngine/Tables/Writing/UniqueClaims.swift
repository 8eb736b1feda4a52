/// Which rows in memory own which unique values of a table.
///
/// 1. The owners for a unique column are the rows of the buffer; for a unique index over several properties, those of
/// all the tail. They are collected when first needed, and dropped when rows are sealed, removed or absorbed.
/// 2. Sealed rows are in the trees; a look-up asks the owners in memory first.
/// 3. A row that is being filled owns a value of a unique column when that is set, and its keys in indexes over several
/// properties when all its properties are set.
/// 4. A claim that throws may have changed the owners in memory: whoever goes on with the transaction drops them.
final class UniqueClaims {
    let table: WrittenTable
    // Safe (both): a transaction is used on one thread, and no access here is held over a call that comes back to the
    // same property.
    /// By column, or the column that stands for an index.
    @exclusivity(unchecked) private(set) var owners: [Int: UniqueRows] = [:]
    /// The keys of rows that are being filled, innermost last; empty for a class without indexes over several properties.
    @exclusivity(unchecked) private(set) var beingFilled: [Int64] = []

    init(_ table: WrittenTable) { self.table = table }

    var state: TableState { table.state }
    var stored: StoredClass { table.state.stored }
    var buffer: RowBuffer { table.buffer }

    /// Drops the owners in memory: rows were sealed, removed, or added without a claim.
    @inline(__always) func forget() { if !owners.isEmpty { owners.removeAll() } }

    /// Begins to fill a row.
    @inline(__always) func beginFilling(_ place: Int) {
        if !stored.indexes.isEmpty { beingFilled.append(buffer.keys[place]) }
    }

    /// Ends the filling that began last.
    @inline(__always) func endFilling() { if !beingFilled.isEmpty { beingFilled.removeLast() } }

    // MARK: unique columns

    /// Throws if another object has a unique value, and otherwise records this row as its owner.
    func claim(_ value: Value, column: Int, place: Int, in writer: TableWriter) throws(FreeholdError) {
        let owner = buffer.keys[place]
        if owners[column] == nil { try gather(column) { $0 != place } }
        try requireFree(value, column: column, owner: owner, in: writer)
        // The row may have been given another value before.
        let before = try buffer.row(place).value(column, table.layout, type: stored.properties[column].type)
        owners[column]?.replace(before, by: value, key: owner)
    }

    /// Throws if another object has a unique value. Any number of objects may have null; in a primary key null is an
    /// ordinary value.
    func requireFree(_ value: Value, column: Int, owner: Int64, in writer: TableWriter) throws(FreeholdError) {
        if value == .null, stored.primaryKey != column { return }
        guard let other = try find(value, column: column, in: writer), other != owner else { return }
        throw FreeholdError(.duplicateKey, "class '\(stored.name)' already has an object whose "
            + "'\(stored.properties[column].name)' is \(value)")
    }

    /// The object whose unique column has this value.
    func find(_ value: Value, column: Int, in writer: TableWriter) throws(FreeholdError) -> Int64? {
        if owners[column] == nil { try gather(column) { _ in true } }
        if let key = owners[column]?.find(value) { return key }
        for tail in state.tails {
            for index in 0..<tail.count {
                let row = try state.checked(tail.row(index))
                guard column < row.columns else { continue }
                let other = try row.value(column, table.layout, type: stored.properties[column].type)
                if other.isFiled(as: value) { return row.key }
            }
        }
        let tree = try writer.index(column), keyBytes = writer.indexes.keyBytes
        keyBytes.setIndexKey(value, of: stored.properties[column].type)
        return try OrderedIndex(root: tree, access: table.pending.access).first(keyBytes.bytes)?.rawValue
    }

    private func gather(_ column: Int, where isOwner: (Int) -> Bool) throws(FreeholdError) {
        var rows = UniqueRows()
        for place in 0..<buffer.count where isOwner(place) {
            let row = buffer.row(place)
            rows.insert(try row.value(column, table.layout, type: stored.properties[column].type), key: row.key)
        }
        owners[column] = rows
    }

    // MARK: unique indexes over several properties

    /// Makes a row of the buffer the owner of its keys in unique indexes, or throws; with a column, of the keys after
    /// that column is set.
    func claimKeys(_ place: Int, _ column: Int? = nil, _ value: Value = .null, in writer: TableWriter) throws(FreeholdError) {
        let object = buffer.keys[place], row = RowPlace.tail(buffer.row(place)), indexes = writer.indexes
        for index in stored.indexes where column.map({ index.columns.contains($0) }) ?? true {
            guard try state.isFiled(row, in: index) else { continue }
            let key = try indexes.compoundKey(index, row, replacing: column.map { ($0, value) })
            if index.isUnique { try requireFree(key, index, owner: object, in: writer) }
        }
        for index in stored.indexes where index.isUnique && owners[index.column] != nil {
            guard try state.isFiled(row, in: index) else { continue }
            let before = try indexes.compoundKey(index, row).key, key = try indexes.compoundKey(index, row, replacing: column.map { ($0, value) }).key
            owners[index.column]?.replace(.data(before.array), by: .data(key.array), key: object)
        }
    }

    /// Throws if another object has a key in a unique index. An object that has null in one of the index's properties
    /// equals no other, unless they are the primary key: there null is an ordinary value.
    func requireFree(_ key: (key: ByteBuffer, hasNull: Bool), _ index: StoredIndex, owner: Int64,
                     in writer: TableWriter) throws(FreeholdError) {
        if key.hasNull, index != stored.keyIndex { return }
        guard let other = try find(key.key, in: index, butFor: owner, of: writer), other != owner else { return }
        throw FreeholdError(.duplicateKey, "class '\(stored.name)' already has an object with the same "
            + "\(writer.indexes.names(index)): object \(other)")
    }

    /// The object with this key in an index.
    func find(_ key: ByteBuffer, in index: StoredIndex, butFor owner: Int64? = nil, of writer: TableWriter) throws(FreeholdError) -> Int64? {
        if owners[index.column] == nil { try gather(index, butFor: owner, writer.indexes) }
        if let found = owners[index.column]?.find(.data(key.array)) { return found }
        return try OrderedIndex(root: writer.index(index.column), access: table.pending.access).first(key.bytes)?.rawValue
    }

    /// Collects the rows of the tail; rows that are being filled are checked when that is done.
    private func gather(_ index: StoredIndex, butFor owner: Int64?, _ indexes: IndexQueue) throws(FreeholdError) {
        var rows = UniqueRows()
        try state.forEachTailRow { row throws(FreeholdError) in
            if row.key == owner || beingFilled.contains(row.key) { return }
            guard try state.isFiled(.tail(row), in: index) else { return }
            rows.insert(.data(try indexes.compoundKey(index, .tail(row)).key.array), key: row.key)
        }
        owners[index.column] = rows
    }
}

/// The keys of rows, by a unique value.
struct UniqueRows {
    private var keys: [Value: Int64] = [:]
    var count: Int { keys.count }
    var objects: some Sequence<Int64> { keys.values }
    func find(_ value: Value) -> Int64? { keys[Self.filed(value)] }
    mutating func insert(_ value: Value, key: Int64) { keys[Self.filed(value)] = key }
    mutating func replace(_ before: Value, by value: Value, key: Int64) {
        if keys[Self.filed(before)] == key { keys[Self.filed(before)] = nil }
        keys[Self.filed(value)] = key
    }

    /// As in the tree, NaN equals itself, and strings are compared by bytes; no value of such a column is a link, and
    /// none of a string column is data.
    private static func filed(_ value: Value) -> Value {
        switch value {
        case .double(let number) where number.isNaN: .link(ObjectKey(1))
        case .float(let number) where number.isNaN: .link(ObjectKey(0))
        case .string(let text): .data(Array(text.utf8))
        default: value
        }
    }
}
