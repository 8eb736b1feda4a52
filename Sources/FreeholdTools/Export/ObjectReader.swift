import FreeholdEngine
import FreeholdImport

/// Reads selected properties of a class's objects in the form shown to users: links as the primary keys of their
/// targets, embedded objects as maps of their properties.
public struct ObjectReader {
    /// The class.
    public let schema: ClassSchema
    /// The selected properties, in the requested order.
    public let properties: [PropertySchema]
    /// The table read from.
    public let table: Table
    private let columns: [Column]
    private let targets: [LinkedTable?]
    private let snapshot: Snapshot

    /// A class that is the target of links, and its primary key.
    private struct LinkedTable {
        let table: Table
        let primaryKey: Column?
        /// Reads the objects of an embedded class.
        let embedded: EmbeddedReader?
    }

    /// Created on first use, because a class may be embedded in itself.
    private final class EmbeddedReader {
        let snapshot: Snapshot
        let table: Table
        private var made: ObjectReader?
        private var family: FamilyReader?

        init(_ table: Table, in snapshot: Snapshot) {
            self.table = table
            self.snapshot = snapshot
        }

        func value(_ key: ObjectKey) throws -> Value {
            if made == nil {
                made = try ObjectReader(table, in: snapshot)
                family = try FamilyReader(table, in: snapshot)
            }
            guard let row = try table.row(key), var reader = made else { return .null }
            var entries: TextMap<Value> = [:]
            if let family {
                let own = try family.reader(of: row)
                entries[ImportedObject.classMember] = .string(own.name)
                reader = own.reader
            }
            for (property, value) in zip(reader.properties, try reader.values(row)) { entries[property.name] = value }
            return .map(entries)
        }
    }

    /// Creates a reader for a class.
    ///
    /// - Parameter names: the properties to read; nil for all.
    /// - Throws: `FreeholdError.Code.unknownProperty` if the class lacks one of them.
    public init(_ table: Table, in snapshot: Snapshot, properties names: [String]? = nil) throws {
        self.table = table
        schema = table.schema
        let all = table.columns
        var properties: [PropertySchema] = []
        var columns: [Column] = []
        for name in names ?? schema.properties.map(\.name) {
            guard let place = schema.properties.firstIndex(where: { $0.name.isSame(as: name) }) else { throw Self.unknown(name, schema) }
            properties.append(schema.properties[place])
            columns.append(all[place])
        }
        self.properties = properties
        self.columns = columns
        self.snapshot = snapshot
        targets = try properties.map { property in
            guard let name = property.linkTarget else { return nil }
            let target = try snapshot.table(name)
            return LinkedTable(table: target, primaryKey: try target.schema.primaryKey.map { try target.column($0) },
                              embedded: target.schema.isEmbedded ? EmbeddedReader(target, in: snapshot) : nil)
        }
    }

    private static func unknown(_ name: String, _ schema: ClassSchema) -> FreeholdError {
        let names = schema.properties.map(\.name)
        return FreeholdError(.unknownProperty, Suggestion.unknown("property", name, among: names, in: "class '\(schema.name)'"))
    }

    /// The values of one object, in the order of `properties`.
    public func values(_ row: Row) throws -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(columns.count)
        for (index, column) in columns.enumerated() {
            let value = try row.value(column)
            values.append(try targets[index].map { try shown(value, $0) } ?? value)
        }
        return values
    }

    /// Converts a value with links to the form shown to users.
    private func shown(_ value: Value, _ target: LinkedTable) throws -> Value {
        switch value {
        case .link(let key):
            if let embedded = target.embedded { return try embedded.value(key) }
            return try target.primaryKey.map { try target.table.value(key, $0) } ?? .int(key.rawValue)
        case .list(let values), .set(let values): return .list(try values.map { try shown($0, target) })
        case .map(let entries): return .map(try entries.mapValues { try shown($0, target) })
        default: return value
        }
    }

    /// The target of a link in a mixed property, in the form shown to users: its class, and its primary key or object
    /// key.
    func target(_ object: ObjectReference) throws -> (class: String, key: Value) {
        let table = try snapshot.table(of: object)
        let key = try table.schema.primaryKey.map { try table.value(object.key, table.column($0)) }
        return (table.schema.name, key ?? .int(object.key.rawValue))
    }

    /// Whether objects are identified by their object key.
    package var showsObjectKey: Bool { schema.primaryKey == nil }
}
