import FreeholdEngine

/// Where the objects of all classes went, as far as they are needed for links.
final class KeyMaps {
    private let plan: StorePlan
    private var maps: [KeyMap?]
    /// By place and property, objects by a value, where the file has no index to ask.
    private var byValue: [ImportState.Late: [Value: ObjectKey]] = [:]

    init(_ plan: StorePlan) {
        self.plan = plan
        maps = plan.classes.map { _ in nil }
    }

    /// The last key of the source that is known of a class.
    func lastKey(of place: Int) -> Int64? { maps[place]?.lastKey }

    /// Notes where objects of a class went.
    func append(_ keys: [Int64], _ targets: some Sequence<Int64>, to place: Int) {
        // Taken out, so that there is one owner and nothing is copied.
        var map = maps[place] ?? KeyMap()
        maps[place] = nil
        for (key, target) in zip(keys, targets) { map.append(key, target) }
        maps[place] = map
    }

    /// Where an object of a class itself went.
    func own(_ key: Int64, of place: Int) -> ObjectKey? { maps[place]?.find(key) }

    /// Where an object of a class, or of one that extends it, went.
    func find(_ key: Int64, of place: Int) -> (place: Int, key: ObjectKey)? {
        for member in plan.families[place] {
            if let found = maps[member]?.find(key) { return (member, found) }
        }
        return nil
    }

    /// The object of a class one of whose properties has a value.
    func find(_ value: Value, _ property: Int, of place: Int, in tables: StoreTables) throws(FreeholdError) -> ObjectKey? {
        let schema = plan.classes[place], table = try tables.table(place), name = schema.properties[property].name
        if schema.primaryKey.isSame(as: name) { return try table.key(primaryKey: value) }
        if schema.properties[property].isIndexed || schema.properties[property].isUnique {
            return try table.keys(try tables.columns(place)[property], equals: value).first
        }
        let which = ImportState.Late(place: place, property: property)
        if byValue[which] == nil { byValue[which] = try Self.values(of: table, try tables.columns(place)[property]) }
        return byValue[which]?[value]
    }

    private static func values(of table: Table, _ column: Column) throws(FreeholdError) -> [Value: ObjectKey] {
        var found: [Value: ObjectKey] = [:]
        for key in try table.keys() {
            let value = try table.value(key, column)
            if found[value] == nil { found[value] = key }
        }
        return found
    }
}
