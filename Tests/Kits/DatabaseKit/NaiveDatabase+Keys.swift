@testable import FreeholdEngine

extension NaiveDatabase.Class {
    /// What no two objects may have alike, as places of properties, and whether null counts as a value there.
    private var uniques: [(places: [Int], countsNull: Bool)] {
        var uniques: [(places: [Int], countsNull: Bool)] = []
        if !schema.primaryKeys.isEmpty { uniques.append((schema.primaryKeys.map(index), true)) }
        for (place, property) in schema.properties.enumerated() where property.isUnique { uniques.append(([place], false)) }
        for wanted in schema.indexes where wanted.isUnique { uniques.append((wanted.properties.map(index), false)) }
        return uniques
    }

    /// Whether another object has what only one may have of these values.
    func isTaken(_ values: [Value], butFor own: Int64? = nil) -> Bool {
        uniques.contains { unique in
            let wanted = unique.places.map { values[$0] }
            if wanted.contains(.null), !unique.countsNull { return false }
            return objects.contains { key, other in
                key != own && zip(unique.places, wanted).allSatisfy { other[$0].isFiled(as: $1) }
            }
        }
    }
}

extension Comparison {
    /// What look-ups of indexes over several properties, and of keys of several, find otherwise.
    static func compoundDifferences(_ stored: NaiveDatabase.Class, _ table: Table) throws -> [String] {
        var found: [String] = []
        var all = stored.schema.indexes.map(\.properties)
        if stored.schema.primaryKeys.count > 1 { all.append(stored.schema.primaryKeys) }
        for names in all {
            let places = names.map(stored.index)
            for count in 1...places.count {
                var groups: [[Value]: [Int64]] = [:]
                for (key, values) in stored.objects { groups[places.prefix(count).map { values[$0] }, default: []].append(key) }
                // What is not a number is a group of its own here each time.
                for (values, keys) in groups where values.allSatisfy({ $0 == $0 }) {
                    let listed = try table.keys(index: names, equals: values).map(\.rawValue)
                    let counted = try table.count(index: names, equals: values)
                    if listed.sorted() != keys.sorted() || counted != keys.count {
                        found.append("\(stored.schema.name).\(names) = \(values): \(counted), \(listed) instead of \(keys.sorted())")
                    }
                }
            }
        }
        return found
    }
}
