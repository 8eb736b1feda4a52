import FreeholdEngine

/// Reads the objects of one entity: the rows of its table that have its number.
final class CoreDataCursor: SourceCursor {
    private let file: SQLiteFile
    private var rows: EntityRows
    private var hasEnded = false

    init(_ read: ReadClass, of file: SQLiteFile, after key: Int64?, external: ExternalData, links: [LinkIndex?]) throws(SourceError) {
        self.file = file
        let table = file.tables[read.table]
        rows = EntityRows(
            rows: try file.reader(of: table, after: key), number: read.number, entityColumn: table.position(of: "Z_ENT"),
            builders: zip(read.properties, links).map { ColumnBuilder($0, external, $1) })
    }

    func next() throws(SourceError) -> SourceBatch? {
        if hasEnded { return nil }
        do throws(SourceError) {
            let batch = try file.watched { () throws(SourceError) in try rows.next() }
            hasEnded = batch == nil
            return batch
        } catch {
            hasEnded = true
            throw error
        }
    }
}

/// The state of a cursor, a value so that reading a row checks no access.
private struct EntityRows {
    var rows: SQLiteRowReader
    let number: Int64
    let entityColumn: Int?
    var builders: [ColumnBuilder]

    mutating func next() throws(SourceError) -> SourceBatch? {
        guard let entityColumn else { return nil }
        var keys: [Int64] = [], size = 0
        while keys.count < SourceLimits.batchObjects, size < SourceLimits.batchBytes {
            guard try rows.next() else { break }
            guard case .int(number) = try rows.field(entityColumn) else { continue }
            keys.append(rows.key)
            for place in builders.indices { size += try builders[place].append(&rows) }
        }
        if keys.isEmpty { return nil }
        return SourceBatch(keys: keys, columns: builders.indices.map { builders[$0].take() })
    }
}
