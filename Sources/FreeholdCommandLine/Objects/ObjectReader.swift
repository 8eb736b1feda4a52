import FreeholdEngine

/// Reads chosen properties of a class's objects as a user should see them: links as the primary keys of their targets, embedded
/// objects as maps of their properties.
struct ObjectReader {
    let schema: ClassSchema
    /// The chosen properties, in the order asked for.
    let properties: [PropertySchema]
    /// The table read from.
    let table: Table
    private let columns: [Column]
    private let targets: [LinkTarget?]

    /// A class that links lead to, and its primary key.
    private struct LinkTarget {
        let table: Table
        let primaryKey: Column?
        /// Reads the objects of an embedded class.
        let embedded: EmbeddedReader?
    }

    /// Made when first needed: a class may be embedded in itself.
    private final class EmbeddedReader {
        let snapshot: Snapshot
        let table: Table
        private var made: ObjectReader?

        init(_ table: Table, in snapshot: Snapshot) {
            self.table = table
            self.snapshot = snapshot
        }

        func value(_ key: ObjectKey) throws -> Value {
            let reader = try made ?? ObjectReader(table, in: snapshot)
            made = reader
            guard let row = try table.row(key) else { return .null }
            return .map(Dictionary(zip(reader.properties.map(\.name), try reader.values(row))) { $1 })
        }
    }

    /// - Parameter names: the properties to read; nil for all.
    init(_ table: Table, in snapshot: Snapshot, properties names: [String]? = nil) throws {
        self.table = table
        schema = table.schema
        let all = table.columns
        var properties: [PropertySchema] = []
        var columns: [Column] = []
        for name in names ?? schema.properties.map(\.name) {
            let place = try ObjectLookup.property(name, of: schema)
            properties.append(schema.properties[place])
            columns.append(all[place])
        }
        self.properties = properties
        self.columns = columns
        targets = try properties.map { property in
            guard let name = property.linkTarget else { return nil }
            let target = try snapshot.table(name)
            return LinkTarget(table: target, primaryKey: try target.schema.primaryKey.map { try target.column($0) },
                              embedded: target.schema.isEmbedded ? EmbeddedReader(target, in: snapshot) : nil)
        }
    }

    /// The values of one object.
    func values(_ row: Row) throws -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(columns.count)
        for (index, column) in columns.enumerated() {
            let value = try row.value(column)
            values.append(try targets[index].map { try shown(value, $0) } ?? value)
        }
        return values
    }

    /// A value of links as a user should see it.
    private func shown(_ value: Value, _ target: LinkTarget) throws -> Value {
        switch value {
        case .link(let key):
            if let embedded = target.embedded { return try embedded.value(key) }
            return try target.primaryKey.map { try target.table.value(key, $0) } ?? .int(key.rawValue)
        case .list(let values), .set(let values): return .list(try values.map { try shown($0, target) })
        case .map(let entries): return .map(try entries.mapValues { try shown($0, target) })
        default: return value
        }
    }

    /// Whether objects are known by their object key alone.
    var showsObjectKey: Bool { schema.primaryKey == nil }
}
