@testable import FreeholdEngine

/// All objects of a file in words, by class and primary key: links as what they lead to, embedded objects with all that they hold.
struct PlainFile {
    /// The values of each object by property.
    private(set) var objects: [String: [String: String]] = [:]
    private let snapshot: Snapshot
    private let schema: StoredSchema

    init(_ database: Database) throws {
        snapshot = try database.snapshot()
        schema = try snapshot.schema()
        for stored in schema.presentTables where stored.sync != nil {
            let state = try snapshot.state(Int(stored.number), as: stored)
            for key in try snapshot.table(stored.name).family.keys() {
                guard let place = try state.find(key.rawValue) else { throw ShadowDifference("object \(key) is counted, and not there") }
                let name = "\(stored.name) \(try Self.text(primaryKey(place, state)))"
                if objects[name] != nil { throw ShadowDifference("\(name) is there twice") }
                objects[name] = try values(place, state)
            }
        }
    }

    /// - Parameter name: what the other one is called.
    func differences(from other: PlainFile, _ name: String) -> [String] {
        var found: [String] = []
        for object in Set(objects.keys).union(other.objects.keys).sorted() {
            guard let mine = objects[object], let theirs = other.objects[object] else {
                found.append("\(object): \(objects[object] == nil ? "only \(name) has it" : "\(name) lacks it")")
                continue
            }
            for property in Set(mine.keys).union(theirs.keys).sorted() where mine[property] != theirs[property] {
                found.append("\(object).\(property): \(mine[property] ?? "none"), \(name) \(theirs[property] ?? "none")")
            }
        }
        return found
    }

    private func primaryKey(_ place: RowPlace, _ state: TableState) throws -> Value {
        guard let column = state.stored.primaryKey, !state.stored.isKeyedByInteger else { return .int(place.key) }
        return try state.value(place, column)
    }

    private func values(_ place: RowPlace, _ state: TableState) throws -> [String: String] {
        var made: [String: String] = [:]
        made[":class"] = try state.tag(place) == 0 ? state.stored.name : state.className(place)
        for (column, property) in state.stored.properties.enumerated() where !property.isClass {
            // An integer primary key is no column of its own.
            if state.stored.isKeyedByInteger && column == state.stored.primaryKey { continue }
            guard try state.has(place, column) else { continue }
            if property.shape == nil {
                made[property.name] = try text(state.value(place, column), property)
            } else if let reader = try state.collection(place, column) {
                made[property.name] = try text(reader.value(), property)
            }
        }
        return made
    }

    private func text(_ value: Value, _ property: StoredProperty) throws -> String {
        switch value {
        case .link(let key): return try target(schema.table(of: Int(property.linkTarget!)), key.rawValue)
        case .object(let object): return try target(schema.table(of: object.classNumber), object.key.rawValue)
        case .list(let values): return "[" + (try values.map { try text($0, property) }.joined(separator: ", ")) + "]"
        case .set(let values): return "{" + (try values.map { try text($0, property) }.sorted().joined(separator: ", ")) + "}"
        case .map(let entries):
            let all = try entries.sortedByKey.map { "\(Self.text(.string($0.key))): \(try text($0.value, property))" }
            return "<" + all.joined(separator: ", ") + ">"
        default: return Self.text(value)
        }
    }

    private func target(_ table: Int, _ key: Int64) throws -> String {
        let stored = schema.classes[table], state = try snapshot.state(table, as: stored)
        guard let place = try state.find(key) else { return "a link to nothing" }
        if stored.isEmbedded {
            let all = try values(place, state).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            return "(" + all.joined(separator: "; ") + ")"
        }
        return "→ \(stored.name) \(Self.text(try primaryKey(place, state)))"
    }

    /// A value to the last bit.
    private static func text(_ value: Value) -> String {
        switch value {
        case .string(let text): "'" + text.utf8.map { $0 > 32 && $0 < 127 ? String(UnicodeScalar($0)) : "\\\($0)" }.joined() + "'"
        case .double(let number): "double \(number.bitPattern)"
        case .float(let number): "float \(number.bitPattern)"
        case .decimal(let number): "decimal \(number.high) \(number.low)"
        default: "\(value)"
        }
    }
}
