import FreeholdEngine
import FreeholdImport

/// Everything that a version has, by value: an object is named by its primary key or its tag, an embedded one is
/// written in its owner.
struct Contents {
    /// The text of each object by its name.
    private(set) var objects: [String: String] = [:]
    /// The keys of objects by their names.
    private(set) var keys: [String: ObjectKey] = [:]
    private var names: [ObjectReference: String] = [:]
    private let snapshot: Snapshot
    private let embedded: Set<String>
    private var reached = 0

    init(_ snapshot: Snapshot) throws {
        self.snapshot = snapshot
        let classes = try snapshot.classes
        embedded = Set(classes.filter(\.isEmbedded).map(\.name))
        let own = classes.filter { !$0.isEmbedded && $0.name != "Kinds" }
        for schema in own {
            let table = try snapshot.table(schema.name, withSubclasses: false)
            let naming = try table.column(table.schema.primaryKey ?? "tag")
            for key in try table.keys() {
                let name = "\(schema.name) \(ValueText.format(try table.value(key, naming)))"
                precondition(keys[name] == nil, "two objects are called \(name)")
                keys[name] = key
                names[table.reference(to: key)] = name
            }
        }
        for schema in own {
            let table = try snapshot.table(schema.name, withSubclasses: false)
            for key in try table.keys() { objects[names[table.reference(to: key)]!] = try text(of: key, in: table) }
        }
        let count = try embedded.reduce(0) { $0 + (try snapshot.table($1).count) }
        precondition(count == reached, "\(count - reached) embedded objects are nobody's")
    }

    private mutating func text(of key: ObjectKey, in table: Table) throws -> String {
        var parts: [String] = []
        for (property, column) in zip(table.schema.properties, table.columns) {
            parts.append("\(property.name)=\(try text(of: table.value(key, column), property))")
        }
        return parts.joined(separator: " ")
    }

    private mutating func text(of value: Value, _ property: PropertySchema) throws -> String {
        switch value {
        case .list(let values):
            var parts: [String] = []
            for value in values { parts.append(try text(of: value, property)) }
            return "[\(parts.joined(separator: ", "))]"
        case .set(let values):
            var parts: [String] = []
            for value in values { parts.append(try text(of: value, property)) }
            return "{\(parts.sorted().joined(separator: ", "))}"
        case .map(let entries):
            var parts: [String] = []
            for (key, value) in entries.sortedByKey { parts.append("\(key): \(try text(of: value, property))") }
            return "<\(parts.joined(separator: ", "))>"
        case .link(let key):
            let table = try snapshot.table(property.linkTarget!)
            guard embedded.contains(property.linkTarget!) else { return "→\(names[table.reference(to: key)] ?? "?")" }
            reached += 1
            return "(\(try text(of: key, in: table)))"
        case .object(let object): return "→\(names[object] ?? "?")"
        case .null: return "null"
        default: return "\(value.type!.name) \(ValueText.format(value))"
        }
    }
}
