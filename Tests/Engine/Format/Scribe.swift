import DatabaseKit
@testable import FreeholdEngine

/// Fills a database and notes what is in it afterwards, without ever reading it.
final class Scribe {
    let database: Database
    /// Values by class, object and property. An object of a class that extends others stands under its own class.
    private(set) var objects: [String: [ObjectKey: [String: Value]]] = [:]
    private(set) var sequences: [String: [String: Int64]] = [:]
    private(set) var schemaVersion: UInt64?
    private var classes: [String: ClassSchema] = [:]
    private var transaction: WriteTransaction?

    init(_ database: Database) { self.database = database }

    /// One transaction.
    @discardableResult
    func write<Result>(_ durability: Durability = .full, _ body: () throws -> Result) throws -> Result {
        try database.write(durability: durability) { transaction in
            self.transaction = transaction
            defer { self.transaction = nil }
            return try body()
        }
    }

    private func open() throws -> WriteTransaction {
        guard let transaction else { throw FreeholdError(.invalidArgument, "outside a transaction") }
        return transaction
    }

    func make(_ schemas: ClassSchema...) throws {
        for schema in schemas {
            try open().createClass(schema)
            classes[schema.name] = schema
            objects[schema.name] = [:]
        }
    }

    func number(of name: String) throws -> Int { try open().schema.number(of: name) }

    func drop(_ name: String) throws {
        try open().dropClass(name)
        classes[name] = nil
        objects[name] = nil
    }

    func drop(property: String, of name: String) throws {
        try open().dropProperty(property, from: name)
        classes[name]?.properties.removeAll { $0.name == property }
        objects[name] = objects[name]?.mapValues { $0.filter { $0.key != property } }
    }

    func add(_ property: PropertySchema, to name: String, standing value: Value) throws {
        try open().addProperty(property, to: name)
        classes[name]?.properties.append(property)
        objects[name] = objects[name]?.mapValues { $0.merging([property.name: value]) { $1 } }
    }

    /// Makes an object; every property is given, but those that objects have by their class's superclass may be.
    @discardableResult
    func insert(_ name: String, key: Value? = nil, _ values: [(String, Value)]) throws -> ObjectKey {
        let made = try open().insert(into: name, key: key, values)
        objects[name]?[made] = Dictionary(uniqueKeysWithValues: values)
        return made
    }

    func set(_ name: String, _ key: ObjectKey, _ property: String, _ value: Value) throws {
        let table = try open().table(name)
        try open().set(key, in: table, table.column(property), to: value)
        objects[name]?[key]?[property] = value
    }

    func set(_ name: String, _ key: ObjectKey, _ property: String, streamed bytes: [UInt8]) throws {
        let value = try database.beginLargeValue()
        try value.write(bytes)
        try value.finish()
        try write {
            let table = try open().table(name)
            try open().set(key, in: table, table.column(property), to: value)
        }
        objects[name]?[key]?[property] = .data(bytes)
    }

    func embed(_ values: [(String, Value)], of part: String, in key: ObjectKey, of name: String, _ property: String) throws {
        let table = try open().table(name)
        let made = try open().embed(values, in: key, of: table, table.column(property))
        objects[part]?[made] = Dictionary(uniqueKeysWithValues: values)
        objects[name]?[key]?[property] = .link(made)
    }

    func delete(_ name: String, _ keys: [ObjectKey]) throws {
        try open().delete(keys, from: open().table(name))
        for key in keys { objects[name]?[key] = nil }
        let gone = Set(keys.map { Value.link($0) })
        for schema in classes.values {
            for property in properties(of: schema) where property.linkTarget == name && property.deleteRule == .nullify {
                for (key, values) in objects[schema.name] ?? [:] where gone.contains(values[property.name] ?? .null) {
                    objects[schema.name]?[key]?[property.name] = .null
                }
            }
        }
    }

    /// With those of the class it extends.
    private func properties(of schema: ClassSchema) -> [PropertySchema] {
        (schema.superclass.flatMap { classes[$0] }?.properties ?? []) + schema.properties
    }

    func addFullText(_ fields: [FullTextField], language: String? = nil, to name: String) throws {
        let index = FullTextIndex(fields, language: language)
        try open().fullText.add(index, to: name)
        classes[name]?.fullTextIndexes.append(index)
    }

    func addPlaces(_ index: PlaceIndex, to name: String) throws {
        try open().places.add(index, to: name)
        classes[name]?.placeIndexes.append(index)
    }

    func addVectors(_ index: VectorIndex, to name: String) throws {
        try open().vectors.add(index, to: name)
        classes[name]?.vectorIndexes.append(index)
    }

    func markSynced(_ name: String, onConflict: SyncConflict = .deletionWins, counters: [String] = [], merged: [String] = []) throws {
        let rules = SyncRules(onConflict: onConflict, counters: counters, merged: merged)
        try open().sync.mark(name, rules)
        classes[name]?.syncRules = rules
    }

    /// Ends the open epoch, in a transaction of its own.
    func seal() throws {
        try write { _ = try open().sync.seal() }
    }

    func addCollation(_ index: CollationIndex, to name: String) throws {
        try open().collations.add(index, to: name)
        classes[name]?.collationIndexes.append(index)
    }

    func count(_ sequence: String, of name: String, times: Int) throws {
        for _ in 0..<times { sequences[name, default: [:]][sequence] = try open().next(sequence, of: open().table(name)) }
    }

    func set(schemaVersion version: UInt64) throws {
        try open().setSchemaVersion(version)
        schemaVersion = version
    }

    /// What is wrong with a file that should hold all this and nothing else.
    func differences(in snapshot: Snapshot) throws -> [String] {
        var found: [String] = []
        let version = try snapshot.schemaVersion, names = try snapshot.classes.map(\.name)
        if version != schemaVersion { found.append("schema version \(version ?? 0)") }
        if Set(names) != Set(objects.keys) { found.append("classes \(names)") }
        for (name, members) in objects where found.count < 10 {
            let table = try snapshot.table(name, withSubclasses: false)
            if try Set(table.keys()) != Set(members.keys) { found.append("\(name) has other objects") }
            var wanted = classes[name]!
            wanted.properties = properties(of: wanted)
            if table.schema != wanted { found.append("\(name) is \(table.schema)") }
            let numbers = Dictionary(uniqueKeysWithValues: table.sequences.map { ($0, table.lastNumber(of: $0)!) })
            if numbers != sequences[name] ?? [:] { found.append("\(name) counts \(numbers)") }
            for (key, values) in members {
                for (property, wanted) in values {
                    let value = try table.value(key, table.column(property))
                    if !Self.isSame(value, wanted) { found.append("\(name) \(key) \(property): \("\(value)".prefix(100)), not \("\(wanted)".prefix(100))") }
                }
            }
        }
        return found
    }

    /// Sets come in an order of their own.
    private static func isSame(_ one: Value, _ other: Value) -> Bool {
        switch (one, other) {
        case (.set(let some), .set(let others)): some.count == others.count && Set(some) == Set(others)
        case (.list(let some), .list(let others)): some.elementsEqual(others, by: isSame)
        case (.map(let some), .map(let others)):
            some.count == others.count && some.allSatisfy { key, value in others[key].map { isSame(value, $0) } ?? false }
        default: one.isIdentical(to: other)
        }
    }
}
