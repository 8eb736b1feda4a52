import FreeholdEngine

/// Writes the objects of one class, a batch at a time.
struct StoreObjects {
    let plan: StorePlan
    let place: Int
    let tables: StoreTables
    let maps: KeyMaps
    let values: StoreValues

    private var schema: ClassSchema { plan.classes[place] }

    /// A value that is set once its object exists.
    private struct Waiting {
        let row: Int
        let property: Int
        let value: SourceValue
    }

    /// Creates the objects of a batch.
    /// - Parameter longValues: the values of the batch that are too long to be held in memory, written before.
    /// - Returns: mixed properties with links to objects that are not there yet.
    func insert(_ batch: SourceBatch, _ longValues: LongValues) throws -> Set<ImportState.Late> {
        let table = try tables.table(place), columns = try tables.columns(place)
        var given: [ColumnValues] = [], waiting: [Waiting] = [], late: Set<ImportState.Late> = []
        for (property, column) in batch.columns.enumerated() where !plan.late[place].contains(property) {
            switch column.content {
            case .plain(let content): given.append(ColumnValues(columns[property], content, nulls: column.nulls))
            case .links(let keys): given.append(links(keys, column.nulls, property, columns[property]))
            case .any(let found):
                let (made, left, isLate) = try prepare(found, column.nulls, property)
                given.append(ColumnValues(columns[property], .values(made), nulls: nil))
                waiting += left
                if isLate { late.insert(ImportState.Late(place: place, property: property)) }
            }
        }
        let keys = try create(batch, given, table)
        maps.append(batch.keys, keys.lazy.map(\.rawValue), to: place)
        for value in waiting {
            if let long = longValues[value.row, value.property] {
                try tables.transaction.set(keys[value.row], in: table, columns[value.property], to: long)
            } else {
                try set(value.value, property: value.property, of: keys[value.row])
            }
        }
        return late
    }

    /// Sets the values of a batch's properties that had to wait for other classes.
    func link(_ batch: SourceBatch, _ properties: Set<Int>) throws {
        let table = try tables.table(place), columns = try tables.columns(place)
        for property in properties.sorted() {
            let column = batch.columns[property], isStated = plan.late[place].contains(property), targetPlace = targetPlace(property)
            for (row, source) in batch.keys.enumerated() where !Self.isNull(row, column.nulls) {
                guard let key = maps.own(source, of: place) else {
                    throw SourceError(.changed, "an object with key \(source) came only in the second pass")
                }
                switch column.content {
                case .plain: break
                case .links(let keys):
                    guard let target = target(keys[row], of: targetPlace, property) else { continue }
                    try tables.transaction.set(key, in: table, columns[property], to: .link(target))
                case .any(let found):
                    if isStated || found[row].hasLinks { try set(found[row], property: property, of: key) }
                }
            }
        }
    }

    private static func isNull(_ row: Int, _ nulls: [UInt64]?) -> Bool {
        guard let nulls else { return false }
        return nulls[row >> 6] >> UInt64(row & 63) & 1 != 0
    }

    /// Creates the objects; returns their keys.
    private func create(_ batch: SourceBatch, _ given: [ColumnValues], _ table: Table) throws -> [ObjectKey] {
        let count = batch.keys.count
        guard let first = try given.isEmpty ? tables.transaction.insert(into: table, count: count, columns: { _ in [] })
            : tables.transaction.insert(into: table, columns: given) else { return [] }
        guard let key = schema.objectKeyPlace else {
            return (0..<count).map { ObjectKey(first.rawValue + Int64($0)) }
        }
        return Self.integerKeys(batch.columns[key])
    }

    /// The values of an integer primary key, which are the objects' keys.
    static func integerKeys(_ column: SourceColumn) -> [ObjectKey] {
        switch column.content {
        case .plain(.ints(let values)): return values.map { ObjectKey($0) }
        case .plain(.values(let values)): return values.map { if case .int(let value) = $0 { ObjectKey(value) } else { ObjectKey(0) } }
        case .any(let values): return values.map { if case .value(.int(let value)) = $0 { ObjectKey(value) } else { ObjectKey(0) } }
        default: return []
        }
    }

    /// The place of the class that a property links to; nil if it is not a link.
    private func targetPlace(_ property: Int) -> Int? { schema.properties[property].linkTarget.flatMap { plan.hiddenPlace(of: $0) } }

    /// The object that a key of the source became; counts what is missing.
    private func target(_ key: Int64, of place: Int?, _ property: Int) -> ObjectKey? {
        guard let place else { return nil }
        if let found = maps.find(key, of: place) { return found.key }
        values.missing.note(schema.properties[property].name)
        return nil
    }

    private func links(_ keys: [Int64], _ nulls: [UInt64]?, _ property: Int, _ column: Column) -> ColumnValues {
        var found = Array(repeating: Int64(0), count: keys.count), nulls = nulls ?? Array(repeating: 0, count: (keys.count + 63) / 64)
        let place = targetPlace(property)
        for (row, key) in keys.enumerated() where !Self.isNull(row, nulls) {
            if let target = target(key, of: place, property) {
                found[row] = target.rawValue
            } else { nulls[row >> 6] |= 1 << UInt64(row & 63) }
        }
        return ColumnValues(column, .ints(found), nulls: nulls)
    }

    /// The values that can be given at once, and those that are set when their objects exist.
    private func prepare(_ found: [SourceValue], _ nulls: [UInt64]?, _ property: Int) throws -> ([Value], [Waiting], isLate: Bool) {
        let described = schema.properties[property], initial = Self.initialValue(described)
        var made: [Value] = [], waiting: [Waiting] = [], isLate = false
        made.reserveCapacity(found.count)
        for (row, value) in found.enumerated() {
            if Self.isNull(row, nulls) {
                made.append(described.collections.isEmpty ? .null : initial)
                continue
            }
            if value.isLong, schema.streams(described) {
                waiting.append(Waiting(row: row, property: property, value: value))
                made.append(initial)
                continue
            }
            switch try values.make(value, for: described) {
            case .value(let value): made.append(value)
            case .embedded:
                waiting.append(Waiting(row: row, property: property, value: value))
                made.append(initial)
            case .late:
                isLate = true
                made.append(initial)
            }
        }
        return (made, waiting, isLate)
    }

    /// A value that stands for one which is set later.
    private static func initialValue(_ property: PropertySchema) -> Value {
        switch property.collections.first {
        case .list: return .list([])
        case .set: return .set([])
        case .map: return .map([:])
        case nil: break
        }
        if property.isNullable { return .null }
        return property.type == .data ? .data([]) : .string("")
    }

    /// Sets one property of an object, all of whose targets exist.
    private func set(_ value: SourceValue, property: Int, of key: ObjectKey) throws {
        let described = schema.properties[property]
        switch try values.make(value, for: described) {
        case .value(let made):
            if made == .null { return }
            try tables.transaction.set(key, in: tables.table(place), tables.columns(place)[property], to: made)
        case .embedded: try EmbeddedObjects(plan: plan, tables: tables, values: values).embed(value, property, of: place, in: key)
        case .late:
            throw SourceError(.damaged, "property '\(described.name)' of class '\(plan.names[place])' links to a class that is not read")
        }
    }
}

extension SourceValue {
    /// Whether it is read in parts.
    var isLong: Bool { if case .long = self { true } else { false } }

    /// Whether it links to objects, or contains something that does.
    var hasLinks: Bool {
        switch self {
        case .value, .long: false
        case .object, .found: true
        case .embedded(_, let values): values.contains { $0.hasLinks }
        case .list(let elements), .set(let elements): elements.contains { $0.hasLinks }
        case .map(let entries): entries.contains { $0.value.hasLinks }
        }
    }
}

extension ClassSchema {
    /// The place of an integer primary key, whose values are the keys of the objects; nil if the class gives the keys.
    var objectKeyPlace: Int? {
        guard let name = primaryKey, let place = properties.firstIndex(where: { $0.name.isSame(as: name) }) else { return nil }
        return properties[place].type == .int && !properties[place].isNullable ? place : nil
    }
}
