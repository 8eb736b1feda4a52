import FreeholdEngine

/// Reads the rows of a table as objects.
final class SQLiteCursor: SourceCursor {
    private let file: SQLiteFile
    private var rows: SQLiteRowReader
    private let columns: [Int]
    private var builders: [SQLiteColumnBuilder]
    private let lists: [SQLiteJoinLists]
    private var hasEnded = false

    init(_ file: SQLiteFile, _ rows: SQLiteRowReader, _ plan: SQLitePlan, _ lists: [SQLiteJoinLists]) {
        self.file = file
        self.rows = rows
        self.lists = lists
        columns = plan.columns.map(\.column)
        builders = plan.columns.map { SQLiteColumnBuilder($0.form, rows.encoding) }
    }

    func next() throws(SourceError) -> SourceBatch? {
        if hasEnded { return nil }
        hasEnded = true
        let keys = try file.watched { () throws(SourceError) in try Self.readKeys(&rows, columns, &builders) }
        if keys.isEmpty { return nil }
        hasEnded = false
        var values: [SourceColumn] = []
        for place in builders.indices { values.append(builders[place].finish()) }
        for list in lists { values.append(SourceColumn(.any(keys.map { list.list(of: $0) }))) }
        return SourceBatch(keys: keys, columns: values)
    }

    private static func readKeys(
        _ rows: inout SQLiteRowReader, _ columns: [Int], _ builders: inout [SQLiteColumnBuilder]
    ) throws(SourceError) -> [Int64] {
        var keys: [Int64] = [], size = 0
        keys.reserveCapacity(SourceLimits.batchObjects)
        while keys.count < SourceLimits.batchObjects, size < SourceLimits.batchBytes, try rows.next() {
            keys.append(rows.key)
            for place in columns.indices { try builders[place].add(&rows, columns[place]) }
            // Long values are not in memory.
            size += min(rows.byteCount, SourceLimits.shortBytes)
        }
        return keys
    }
}

/// The lists that a join table stands for: the rows of the table, by the object that has the list.
///
/// It is in memory while the objects are read: 16 bytes for each row of the table.
struct SQLiteJoinLists {
    private let place: Int
    private let pairs: [(owner: Int64, element: Int64)]
    /// The number of rows with a null, which are in no list.
    let nullCount: Int

    init(_ file: SQLiteFile, _ join: SQLiteJoin) throws(SourceError) {
        place = join.place
        var rows = try file.reader(of: join.table, after: nil)
        var pairs: [(owner: Int64, element: Int64)] = [], nullCount = 0
        while try rows.next() {
            guard case .int(let owner) = try rows.field(join.owner), case .int(let element) = try rows.field(join.element) else {
                nullCount += 1
                continue
            }
            pairs.append((owner, element))
        }
        // Sorting is stable: elements stay in the order of the table.
        pairs.sort { $0.owner < $1.owner }
        self.pairs = pairs
        self.nullCount = nullCount
    }

    /// The number of rows that refer to an owner that does not exist, and so are in no list either.
    /// - Parameter owners: the table whose objects have the lists.
    func countOwnerless(_ file: SQLiteFile, _ owners: SQLiteTable) throws(SourceError) -> Int {
        var rows = try file.reader(of: owners, after: nil), left = pairs[...], count = 0
        while !left.isEmpty, try rows.next() {
            let ownerless = left.prefix { $0.owner < rows.key }.count
            count += ownerless
            left = left.dropFirst(ownerless).drop { $0.owner == rows.key }
        }
        return count + left.count
    }

    /// The list of one object.
    func list(of owner: Int64) -> SourceValue {
        var low = 0, high = pairs.count
        while low < high {
            let middle = (low + high) / 2
            if pairs[middle].owner < owner { low = middle + 1 } else { high = middle }
        }
        return .list(pairs[low...].prefix { $0.owner == owner }.map { .object(place: place, key: $0.element) })
    }
}
