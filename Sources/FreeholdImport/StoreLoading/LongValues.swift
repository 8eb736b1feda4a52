import FreeholdEngine

/// The values of a batch that are too long to be held in memory, streamed into the file before the transaction that sets them.
struct LongValues {
    private var writers: [ImportState.Late: LargeValueWriter] = [:]

    init() {}

    /// Whether a batch has such values.
    static func are(in batch: SourceBatch, _ schema: ClassSchema) -> Bool {
        zip(batch.columns, schema.properties).contains { column, property in
            guard case .any(let values) = column.content, schema.streams(property) else { return false }
            return values.contains { $0.isLong }
        }
    }

    /// Writes the long values of a batch. Not within a write transaction of the same thread.
    init(_ batch: SourceBatch, _ schema: ClassSchema, _ database: Database) throws {
        for (property, column) in batch.columns.enumerated() {
            guard case .any(let values) = column.content, schema.streams(schema.properties[property]) else { continue }
            for (row, value) in values.enumerated() {
                guard case .long(let bytes) = value else { continue }
                let writer = try database.beginLargeValue(expectedByteCount: bytes.count)
                try bytes.reader.forEachPart { try writer.write($0) }
                try writer.finish()
                writers[ImportState.Late(place: row, property: property)] = writer
            }
        }
    }

    subscript(row: Int, property: Int) -> LargeValueWriter? {
        writers.isEmpty ? nil : writers[ImportState.Late(place: row, property: property)]
    }
}

extension ClassSchema {
    /// Whether long values of a property are streamed. Those of a key or an index are not: an object cannot wait for them.
    func streams(_ property: PropertySchema) -> Bool {
        property.collections.isEmpty && property.type != .mixed && !property.isUnique && !property.isIndexed
            && !primaryKeys.has(property.name) && !indexes.contains { $0.properties.has(property.name) }
    }
}
