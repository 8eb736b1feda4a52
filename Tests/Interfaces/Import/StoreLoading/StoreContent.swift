import FreeholdEngine

@testable import FreeholdImport

/// What a source has, and what a database has, as lines that can be compared: objects are named by their tags.
struct StoreContent {
    /// The lines of the source.
    static func expected(_ store: MemoryStore) -> [String] {
        var lines: [String] = []
        for place in store.classes.indices where !store.classes[place].schema.isEmbedded {
            let schema = store.classes[place].schema
            for entry in store.objects[place] {
                lines.append(schema.name + " " + zip(schema.properties, entry.values).map { property, value in
                    "\(property.name)=\(text(value, property, store))"
                }.joined(separator: " "))
            }
        }
        return lines
    }

    private static func text(_ value: SourceValue?, _ property: PropertySchema, _ store: MemoryStore) -> String {
        guard let value else { return property.collections.isEmpty ? "null" : "[]" }
        switch value {
        case .value(let value): return "\(value)"
        case .object(let place, let key): return find(key, place, store)
        case .found(let place, let property, let wanted):
            let found = store.objects[place].firstIndex { entry in
                if case .value(let value)? = entry.values[property] { value == wanted } else { false }
            }
            return found.map { "<\(place).\($0)>" } ?? "null"
        case .embedded(let place, let values):
            return "{" + zip(store.classes[place].schema.properties, values).map { text($1, $0, store) }.joined(separator: ";") + "}"
        case .long(let bytes): return "long \(bytes.count)"
        case .list(let values), .set(let values):
            let texts = values.map { text($0, property, store) }
            return "[" + (property.linkTarget == nil ? texts : texts.filter { $0 != "null" }).joined(separator: ",") + "]"
        case .map(let entries):
            return "[" + entries.map { "\($0.key):" + text($0.value, property, store) }.sorted().joined(separator: ",") + "]"
        }
    }

    private static func find(_ key: Int64, _ place: Int, _ store: MemoryStore) -> String {
        for member in [place, place == MemoryStore.animal ? MemoryStore.dog : place] {
            if let index = store.objects[member].firstIndex(where: { $0.key == key }),
                place == member || !store.objects[place].contains(where: { $0.key == key }) {
                return "<\(member).\(index)>"
            }
        }
        return "null"
    }

    /// The lines of a database.
    static func actual(_ database: Database, _ store: MemoryStore) throws -> [String] {
        let snapshot = try database.snapshot()
        var lines: [String] = []
        for schema in store.classes.map(\.schema) where !schema.isEmbedded {
            let table = try snapshot.table(schema.name, withSubclasses: false)
            for key in try sorted(table) {
                var parts: [String] = []
                for property in schema.properties {
                    let value = try table.value(key, table.column(property.name))
                    parts.append("\(property.name)=\(try text(value, property, snapshot, store))")
                }
                lines.append(schema.name + " " + parts.joined(separator: " "))
            }
        }
        return lines
    }

    /// The objects' keys in the order of their tags.
    private static func sorted(_ table: Table) throws -> [ObjectKey] {
        guard let tag = try? table.column("tag") else { return try table.keys() }
        func number(_ key: ObjectKey) throws -> Int {
            guard case .string(let text) = try table.value(key, tag) else { return -1 }
            return Int(text.split(separator: ".")[1]) ?? -1
        }
        return try table.keys().map { ($0, try number($0)) }.sorted { $0.1 < $1.1 }.map(\.0)
    }

    private static func text(_ value: Value, _ property: PropertySchema, _ snapshot: Snapshot, _ store: MemoryStore) throws -> String {
        switch value {
        case .null: return "null"
        case .link(let key): return try object(key, in: snapshot.table(property.linkTarget ?? ""), snapshot, store)
        case .object(let reference): return try object(reference.key, in: snapshot.table(of: reference), snapshot, store)
        case .string(let text) where text.utf8.count > SourceLimits.shortBytes: return "long \(text.utf8.count)"
        case .list(let values), .set(let values):
            return "[" + (try values.map { try text($0, property, snapshot, store) }).joined(separator: ",") + "]"
        case .map(let entries):
            return "[" + (try entries.sortedByKey.map { "\($0.key):" + (try text($0.value, property, snapshot,
                store)) }).sorted().joined(separator: ",") + "]"
        default: return "\(value)"
        }
    }

    private static func object(_ key: ObjectKey, in table: Table, _ snapshot: Snapshot, _ store: MemoryStore) throws -> String {
        if table.schema.isEmbedded {
            return "{" + (try table.schema.properties.map { try text(table.value(key, table.column($0.name)), $0, snapshot,
                store) }).joined(separator: ";") + "}"
        }
        guard case .string(let tag) = try table.value(key, table.column("tag")) else { return "?" }
        return "<\(tag)>"
    }
}
