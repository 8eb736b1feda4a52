import FreeholdEngine
import FreeholdImport

/// Writes the objects of a snapshot as SQL.
struct SQLDump {
    private let snapshot: Snapshot
    private let all: [ClassSchema]
    private let schema: SQLSchema
    /// The class requested; nil for all.
    private let only: Table?
    private let owners: SQLOwners

    /// - Parameter only: the class to write, with what its objects inherit, the classes that extend it, and the objects
    ///   embedded in its objects; nil for the whole database.
    init(_ snapshot: Snapshot, only name: String?) throws {
        let all = try snapshot.classes, chosen = name.map { Self.closure($0, all) }
        self.snapshot = snapshot
        self.all = all
        only = try name.map { try snapshot.table($0) }
        schema = try SQLSchema(all, chosen: { schema in
            guard let name, let chosen else { return true }
            if !chosen.contains(schema.name) { return nil }
            return schema.isEmbedded || schema.name.isSame(as: name) || Self.isBelow(schema, name, all)
        }, isKeyed: { schema in
            guard let key = schema.primaryKey else { return false }
            return try snapshot.table(schema.name).column(key).isObjectKey
        })
        owners = try SQLOwners(all, in: snapshot)
    }

    /// The classes that are written for one: those that it extends, those that extend it, and those embedded in them.
    private static func closure(_ name: String, _ all: [ClassSchema]) -> Set<ExactText> {
        let embedded = Set<ExactText>(exact: all.filter(\.isEmbedded).map(\.name))
        var chosen: Set<ExactText> = [ExactText(name)], count = 0
        func add(_ name: String?) { if let name { chosen.insert(ExactText(name)) } }
        while count < chosen.count {
            count = chosen.count
            for schema in all {
                // Of an embedded class all that share its table.
                if schema.superclass.map(chosen.contains) ?? false, schema.isEmbedded || isBelow(schema, name, all) { add(schema.name) }
                guard chosen.contains(schema.name) else { continue }
                add(schema.superclass)
                for target in schema.properties.compactMap(\.linkTarget) where embedded.contains(target) { add(target) }
            }
        }
        return chosen
    }

    /// Whether a class extends another one, over any number of classes.
    private static func isBelow(_ schema: ClassSchema, _ name: String, _ all: [ClassSchema]) -> Bool {
        guard let base = schema.superclass else { return false }
        return base.isSame(as: name) || (all.first { $0.name.isSame(as: base) }.map { isBelow($0, name, all) } ?? false)
    }

    /// Writes everything.
    ///
    /// - Parameter progress: is called with the number of objects written and of all.
    func write(to output: Output, progress: (Int, Int) -> Void) throws {
        var schema = schema
        try output.write("PRAGMA foreign_keys=OFF;\nBEGIN;\n")
        if let version = try snapshot.schemaVersion, version <= UInt64(Int32.max) { try output.write("PRAGMA user_version=\(version);\n") }
        for statement in schema.tables() { try output.write(statement) }
        let tables = try schema.classes.map(table), total = tables.reduce(0) { $0 + $1.count }
        var done = 0
        for (one, table) in zip(schema.classes, tables) {
            let writer = try SQLClassWriter(one, table, schema, owners, snapshot)
            try table.forEach { row in
                done += 1
                if done % 1024 == 0 || done == total { progress(done, total) }
                if one.schema.isEmbedded, let only, try !owners.isWithin(only, row.key, of: one.schema.name) { return true }
                try writer.write(row, to: output)
                return true
            }
        }
        for statement in schema.indexes() { try output.write(statement) }
        try output.write("COMMIT;\n")
        try output.flush()
    }

    /// The objects whose rows a class's table has: of a class that the requested one extends, only those of that one.
    private func table(_ one: SQLSchema.Class) throws -> Table {
        if let only, !one.schema.isEmbedded, Self.isBelow(only.schema, one.schema.name, all) { return only }
        return try snapshot.table(one.schema.name)
    }
}

/// Writes the objects of one class into its tables.
private struct SQLClassWriter {
    private let one: SQLSchema.Class
    private let columns: [Column]
    private let collections: [Column]
    private let schema: SQLSchema
    private let owners: SQLOwners
    private let snapshot: Snapshot
    private let insert: String
    private let inserts: [[String]]

    init(_ one: SQLSchema.Class, _ table: Table, _ schema: SQLSchema, _ owners: SQLOwners, _ snapshot: Snapshot) throws {
        self.one = one
        self.schema = schema
        self.owners = owners
        self.snapshot = snapshot
        columns = try one.columns.map { try table.column($0.property.name) }
        collections = try one.collections.map { try table.column($0.property.name) }
        insert = "INSERT INTO \(SQLText.name(one.table)) VALUES("
        inserts = one.collections.map { $0.tables.map { "INSERT INTO \(SQLText.name($0)) VALUES(" } }
    }

    func write(_ row: Row, to output: Output) throws {
        try output.append { bytes in
            bytes += insert.utf8
            DigitText.append(row.key.rawValue, to: &bytes)
            if one.ownClass != nil { append(.string(try row.className), to: &bytes) }
            if one.owner != nil {
                let owner = try owners.owner(of: row.key, in: one.schema.name)
                append(owner.flatMap { schema.find($0.class)?.table }.map { .string($0) } ?? .null, to: &bytes)
                append(owner.map { .string($0.property) } ?? .null, to: &bytes)
                append(owner.map { .link($0.key) } ?? .null, to: &bytes)
            }
            for (column, described) in zip(columns, one.columns) {
                try append(try row.value(column), isMixed: described.type != nil, to: &bytes)
            }
            bytes += ");\n".utf8
        }
        for (place, column) in collections.enumerated() {
            var path: [Value] = [.link(row.key)]
            try write(try row.value(column), place, level: 0, &path, to: output)
        }
    }

    /// Writes the elements of a collection, each preceded by the object and the positions that lead to it.
    private func write(_ value: Value, _ place: Int, level: Int, _ path: inout [Value], to output: Output) throws {
        let property = one.collections[place].property, isLast = level == property.collections.count - 1
        func element(_ step: Value?, _ value: Value) throws {
            if let step { path.append(step) }
            try output.append { bytes in
                bytes += inserts[place][level].utf8
                SQLText.append(path[0], to: &bytes)
                for value in path.dropFirst() { append(value, to: &bytes) }
                if isLast { try append(value, isMixed: property.type == .mixed, to: &bytes) }
                bytes += ");\n".utf8
            }
            if !isLast { try write(value, place, level: level + 1, &path, to: output) }
            if step != nil { path.removeLast() }
        }
        switch value {
        case .list(let values): for (position, value) in values.enumerated() { try element(.int(Int64(position)), value) }
        case .set(let values): for value in values { try element(nil, value) }
        case .map(let entries): for (key, value) in entries.sortedByKey { try element(.string(key), value) }
        default: break
        }
    }

    /// Appends a comma and a value.
    private func append(_ value: Value, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: ","))
        SQLText.append(value, to: &bytes)
    }

    /// Appends a value, and the type of a mixed one. A collection within a mixed value is JSON.
    private func append(_ value: Value, isMixed: Bool, to bytes: inout [UInt8]) throws {
        guard isMixed else { return append(value, to: &bytes) }
        switch value {
        case .null:
            bytes += ",NULL,NULL".utf8
        case .list, .map, .set:
            var json: [UInt8] = []
            try JSONText.append(mixed: value, to: &json) { (class: try table(of: $0), key: .int($0.key.rawValue)) }
            append(.string(String(decoding: json, as: UTF8.self)), to: &bytes)
            append(.string(value.collectionKind?.name ?? ""), to: &bytes)
        case .object(let object):
            append(value, to: &bytes)
            append(.string("link \(try table(of: object))"), to: &bytes)
        default:
            append(value, to: &bytes)
            append(.string(value.type?.name ?? ""), to: &bytes)
        }
    }

    /// The name of the table that has the target of a link; of its class, if that is not written.
    private func table(of object: ObjectReference) throws -> String {
        let name = try snapshot.table(of: object).schema.name
        return schema.find(name)?.table ?? name
    }
}
