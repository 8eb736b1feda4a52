@testable import FreeholdEngine
import TestKit

/// The documents of a derived index in one version, found in the plainest way: object by object, by the names of
/// properties.
struct NaiveDocuments {
    /// The values of the index's fields, by object key: of sealed objects only.
    private(set) var values: [Int64: [Value]] = [:]

    init(_ index: StoredDerived, ofTable number: Int, in snapshot: Snapshot) throws {
        let (schema, top) = try snapshot.contents(), access = snapshot.core.access
        guard let stored = schema.find(number: number) else { return }
        let table = try snapshot.table(schema.name(ofClass: index.owner.map { Int($0) } ?? number))
        var cursor = try ClusterCursor(TableRoot(top.table(number), in: access).clusters, in: access)
        while let cluster = try cursor.next() {
            for row in 0..<cluster.count {
                guard let found = try table.row(ObjectKey(cluster.key(row))) else { continue }
                values[cluster.key(row)] = try index.fields.map { try Self.value($0, found, table, stored, schema, snapshot) }
            }
        }
    }

    private static func value(_ field: DerivedField, _ row: Row, _ table: Table, _ stored: StoredClass, _ schema: StoredSchema,
                              _ snapshot: Snapshot) throws -> Value {
        guard let number = field.link else {
            return try row.value(table.column(stored.properties[stored.column(numbered: field.property)!].name))
        }
        let link = stored.properties[stored.column(numbered: number)!]
        guard case .link(let target) = try row.value(table.column(link.name)) else { return .null }
        let other = try snapshot.table(schema.name(ofClass: Int(link.linkTarget!)))
        let properties = schema.classes[Int(field.table)].properties
        return try other.row(target)!.value(other.column(properties.first { $0.number == field.property }!.name))
    }

    /// Whether both versions have the same document for a key, or none.
    static func areEqual(_ one: [Value]?, _ other: [Value]?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return zip(one, other).allSatisfy { $0.isIdentical(to: $1) }
    }

    /// A derived index over random fields of a class that both versions have, with the number of its table.
    static func randomIndex(_ old: StoredSchema, _ new: StoredSchema, _ random: inout SeededRandom) -> (StoredDerived, table: Int)? {
        for _ in 0..<20 {
            guard let member = new.present.randomElement(using: &random), !ClassSchema.isHidden(member.name) else { continue }
            let table = new.classes[new.table(of: Int(member.number))]
            guard let before = old.find(number: Int(table.number)) else { continue }
            let fields = (0...random.below(4)).compactMap { _ in randomField(member, table, new, &random) }
            guard let changed = try? new.adding(DerivedSchema(kind: 255, fields: fields), to: member.name) else { continue }
            let index = changed.classes[Int(table.number)].derived.last!
            let isKnown = index.fields.allSatisfy { field in
                guard field.link.map({ before.column(numbered: $0) != nil }) ?? true else { return false }
                return old.find(number: Int(field.table))?.column(numbered: field.property) != nil
            }
            if isKnown, index.owner.map({ before.family?.member($0) != nil }) ?? true { return (index, Int(table.number)) }
        }
        return nil
    }

    private static func randomField(_ member: StoredClass, _ table: StoredClass, _ schema: StoredSchema,
                                    _ random: inout SeededRandom) -> DerivedSchema.Field? {
        let columns = table.columns(of: member.number).filter { !table.properties[$0].isClass }
        let links = columns.filter { table.properties[$0].type == .link && table.properties[$0].collections.isEmpty }
        guard random.oneIn(2), let link = links.randomElement(using: &random) else {
            return columns.randomElement(using: &random).map { DerivedSchema.Field(link: nil, property: table.properties[$0].name) }
        }
        let target = table.properties[link].linkTarget!, other = schema.classes[schema.table(of: Int(target))]
        let possible = other.columns(of: target).filter { !other.properties[$0].isClass }
        return possible.randomElement(using: &random).map {
            DerivedSchema.Field(link: table.properties[link].name, property: other.properties[$0].name)
        }
    }

    /// Adds a derived index to a class of a history, or drops one. What the history itself drops is no field.
    static func redeclare(_ database: Database, _ random: inout SeededRandom) throws {
        let schema = try database.snapshot().schema()
        let indexes = schema.presentTables.flatMap { table in table.derived.map { (table, $0) } }
        if indexes.count > 2, let (table, index) = indexes.randomElement(using: &random) {
            return try database.write(durability: .processCrash) { try $0.derived.drop(index.number, from: table.name) }
        }
        for _ in 0..<2 {
            guard let (index, number) = randomIndex(schema, schema, &random) else { return }
            let table = schema.classes[number], owner = index.owner.map { schema.classes[Int($0)] } ?? table
            func name(_ field: DerivedField) -> DerivedSchema.Field {
                DerivedSchema.Field(link: field.link.map { table.properties[table.column(numbered: $0)!].name },
                                    property: schema.classes[Int(field.table)].properties.first { $0.number == field.property }!.name)
            }
            let fields = index.fields.map(name)
            if owner.name == "Eel" || fields.contains(where: { $0.property.hasPrefix("added") }) { continue }
            try database.write(durability: .processCrash) { try $0.derived.add(DerivedSchema(kind: 255, fields: fields), to: owner.name) }
        }
    }
}
