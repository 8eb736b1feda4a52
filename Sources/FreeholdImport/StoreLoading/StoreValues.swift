import FreeholdEngine

/// Makes values of the database from those of a source: finds the objects that they link to.
struct StoreValues {
    /// The text or bytes of long values inside collections are gathered in memory up to this many bytes.
    private static let mostGatheredBytes = 1 << 30

    let tables: StoreTables
    let maps: KeyMaps
    let plan: StorePlan
    /// Whether the objects of a class are all there.
    let isComplete: (Int) -> Bool

    /// What a value of the source is in the database.
    enum Made {
        case value(Value)
        /// It needs the object first: it is embedded.
        case embedded
        /// It links to objects of a class that is not complete.
        case late
    }

    /// Counts links whose targets do not exist, by the names of their properties.
    final class Missing {
        private(set) var counts: TextMap<Int> = [:]

        func note(_ property: String) { counts[property, default: 0] += 1 }
    }

    let missing: Missing

    /// The value of a property, or of an element of its collections.
    func make(_ value: SourceValue, for property: PropertySchema, depth: Int = 0) throws -> Made {
        guard depth < SourceLimits.depth else {
            throw SourceError(.damaged, "collections are nested more than \(SourceLimits.depth) levels deep")
        }
        switch value {
        case .value(let value): return .value(value)
        case .embedded: return .embedded
        case .long(let bytes): return .value(try Self.gather(bytes))
        case .object(let place, let key):
            guard plan.families[place].allSatisfy(isComplete) else { return .late }
            guard let found = maps.find(key, of: place) else { return missed(property) }
            return .value(property.linkTarget != nil ? .link(found.key) : .object(try tables.table(found.place).reference(to: found.key)))
        case .found(let place, let by, let value):
            guard plan.families[place].allSatisfy(isComplete) else { return .late }
            guard let key = try maps.find(value, by, of: place, in: tables) else { return missed(property) }
            return .value(property.linkTarget != nil ? .link(key) : .object(try tables.table(place).reference(to: key)))
        case .list(let elements): return try collection(elements, property, depth) { .list($0) }
        case .set(let elements): return try collection(elements, property, depth) { .set($0) }
        case .map(let entries): return try map(entries, property, depth)
        }
    }

    private func missed(_ property: PropertySchema) -> Made {
        missing.note(property.name)
        return .value(.null)
    }

    private func collection(
        _ elements: [SourceValue], _ property: PropertySchema, _ depth: Int, _ combine: ([Value]) -> Value
    ) throws -> Made {
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            let made = try make(element, for: property, depth: depth + 1)
            guard case .value(let value) = made else { return made }
            if value == .null, property.linkTarget != nil, !property.isNullable { continue }
            values.append(value)
        }
        return .value(combine(values))
    }

    private func map(_ entries: [(key: String, value: SourceValue)], _ property: PropertySchema, _ depth: Int) throws -> Made {
        var values: TextMap<Value> = [:]
        for (key, element) in entries {
            let made = try make(element, for: property, depth: depth + 1)
            guard case .value(let value) = made else { return made }
            if value == .null, property.linkTarget != nil, !property.isNullable { continue }
            values[key] = value
        }
        return .value(.map(values))
    }

    /// A long value as one that is held in memory.
    private static func gather(_ bytes: SourceBytes) throws -> Value {
        guard bytes.count <= mostGatheredBytes else {
            throw SourceError(.unsupported,
                "a value within a collection, or of a mixed property, has \(bytes.count) bytes; the most is \(mostGatheredBytes)")
        }
        var all: [UInt8] = []
        all.reserveCapacity(bytes.count)
        try bytes.reader.forEachPart { all.append(contentsOf: $0) }
        return bytes.isText ? .string(String(decoding: all, as: UTF8.self)) : .data(all)
    }
}
