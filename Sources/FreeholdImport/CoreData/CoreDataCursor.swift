import FreeholdEngine

/// Reads the objects of one entity: the rows of its table that have its number.
final class CoreDataCursor: SourceCursor {
    private let rows: SQLiteRows
    private let number: Int64
    private let entityColumn: Int?
    private var builders: [ColumnBuilder]
    private var hasEnded = false

    init(_ read: ReadClass, rows: SQLiteRows, external: ExternalData, links: [LinkIndex?]) {
        self.rows = rows
        number = read.number
        entityColumn = rows.table.position(of: "Z_ENT")
        builders = zip(read.properties, links).map { ColumnBuilder($0, external, $1) }
    }

    func next() throws(SourceError) -> SourceBatch? {
        if hasEnded { return nil }
        do throws(SourceError) {
            return try read()
        } catch {
            hasEnded = true
            throw error
        }
    }

    private func read() throws(SourceError) -> SourceBatch? {
        var keys: [Int64] = []
        var size = 0
        while keys.count < SourceLimits.batchObjects, size < SourceLimits.batchBytes {
            guard try rows.next() else {
                hasEnded = true
                break
            }
            guard let entityColumn, case .int(number) = try rows.field(entityColumn) else { continue }
            keys.append(rows.key)
            for place in builders.indices { size += try builders[place].append(rows) }
        }
        if keys.isEmpty { return nil }
        return SourceBatch(keys: keys, columns: builders.indices.map { builders[$0].take() })
    }
}
