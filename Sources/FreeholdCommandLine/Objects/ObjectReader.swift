import FreeholdEngine

/// Reads chosen properties of a class's objects as a user should see them: links as the primary keys of their targets.
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
            return LinkTarget(table: target, primaryKey: try target.schema.primaryKey.map { try target.column($0) })
        }
    }

    /// The values of one object.
    func values(_ row: Row) throws -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(columns.count)
        for (index, column) in columns.enumerated() {
            let value = try row.value(column)
            if case .link(let key) = value, let target = targets[index] {
                values.append(try target.primaryKey.map { try target.table.value(key, $0) } ?? .int(key.rawValue))
            } else {
                values.append(value)
            }
        }
        return values
    }

    /// Whether objects are known by their object key alone.
    var showsObjectKey: Bool { schema.primaryKey == nil }
}
