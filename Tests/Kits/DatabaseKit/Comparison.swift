@testable import FreeholdEngine

/// What differs between a model and a database, or nothing.
public enum Comparison {
    public static func differences(_ model: NaiveDatabase, _ snapshot: Snapshot) throws -> [String] {
        try differences(model, try snapshot.classes.map(\.name)) { try snapshot.table($0, withSubclasses: $1) }
    }

    /// What differs between a model and what a transaction sees.
    public static func differences(_ model: NaiveDatabase, _ transaction: WriteTransaction) throws -> [String] {
        try differences(model, transaction.classes.map(\.name)) { try transaction.table($0, withSubclasses: $1) }
    }

    private static func differences(_ model: NaiveDatabase, _ names: [String], _ open: (String, Bool) throws -> Table) throws -> [String] {
        var found: [String] = []
        if names != model.order { return ["classes \(names) instead of \(model.order)"] }
        for name in model.order {
            let stored = model.classes[name]!
            let table = try open(name, false)
            if model.isFamily(name) { found += try familyDifferences(name, model, try open(name, true)) }
            found += try objects(stored, table)
            found += try Places.differences(stored, table)
            found += try compoundDifferences(stored, table)
            found += try mixedDifferences(stored, table)
            for (place, property) in stored.schema.properties.enumerated() where property.isIndexed || property.type == .link {
                found += try index(stored, place, property, table)
            }
            if found.count > 20 { break }
        }
        return found
    }

    private static func objects(_ stored: NaiveDatabase.Class, _ table: Table) throws -> [String] {
        var found: [String] = []
        let name = stored.schema.name
        if table.count != stored.objects.count { found.append("\(name) counts \(table.count) instead of \(stored.objects.count)") }
        for (sequence, last) in stored.sequences where table.lastNumber(of: sequence) != last {
            found.append("\(name) gave \(table.lastNumber(of: sequence) ?? 0) as the last '\(sequence)' instead of \(last)")
        }
        if table.schema.unsynced != stored.schema { found.append("\(name) has schema \(table.schema)") }
        var seen: [Int64] = []
        try table.forEach { row in
            seen.append(row.key.rawValue)
            guard let expected = stored.objects[row.key.rawValue] else {
                found.append("\(name) has object \(row.key), which should not be")
                return true
            }
            for (column, value) in zip(table.columns, expected) where try !same(row.value(column), value) {
                found.append("\(name) \(row.key): column \(column.index) is \(try row.value(column)) instead of \(value)")
            }
            return true
        }
        if seen != stored.objects.keys.sorted() { found.append("\(name) iterates \(seen.prefix(20))… instead of \(stored.objects.keys.sorted().prefix(20))…") }
        for key in stored.objects.keys.sorted().prefix(50) where try table.row(ObjectKey(key))?.key.rawValue != key {
            found.append("\(name) does not find object \(key)")
        }
        return found
    }

    private static func index(_ stored: NaiveDatabase.Class, _ place: Int, _ property: PropertySchema, _ table: Table) throws -> [String] {
        var found: [String] = []
        let column = try table.column(property.name)
        var groups: [Value: [Int64]] = [:]
        for (key, values) in stored.objects {
            if property.collections.isEmpty { groups[values[place], default: []].append(key) }
            else { for target in values[place].targets { groups[.link(ObjectKey(target)), default: []].append(key) } }
        }
        for (value, keys) in groups where !(property.type == .link && value == .null) && value.collectionKind == nil {
            let counted = try table.count(column, equals: value)
            let listed = try table.keys(column, equals: value).map(\.rawValue)
            if counted != keys.count || listed != keys.sorted() {
                found.append("\(stored.schema.name).\(property.name) = \(value): \(counted), \(listed) instead of \(keys.sorted())")
            }
        }
        if property.type != .link {
            let all = try table.keys(column, from: nil, to: nil)
            let backwards = try table.keys(column, from: nil, to: nil, descending: true)
            if all.count != stored.objects.count || backwards != all.reversed() {
                found.append("\(stored.schema.name).\(property.name): \(all.count) keys in order, \(backwards.count) backwards")
            }
        }
        return found
    }

    private static func same(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.double(let one), .double(let other)): one.bitPattern == other.bitPattern || one == other
        case (.float(let one), .float(let other)): one.bitPattern == other.bitPattern || one == other
        default: left.isIdentical(to: right)
        }
    }
}

extension ClassSchema {
    /// The class without its rules for sync, of which models know nothing.
    var unsynced: ClassSchema {
        var plain = self
        plain.syncRules = nil
        return plain
    }
}
