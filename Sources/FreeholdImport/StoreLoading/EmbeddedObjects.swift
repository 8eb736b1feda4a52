import FreeholdEngine

/// Creates embedded objects in a property of their owner.
struct EmbeddedObjects {
    let plan: StorePlan
    let tables: StoreTables
    let values: StoreValues

    /// Creates the embedded object, or objects, of a property.
    func embed(_ value: SourceValue, _ property: Int, of owner: Int, in key: ObjectKey, depth: Int = 0) throws {
        guard depth < SourceLimits.depth else {
            throw SourceError(.damaged, "embedded objects are nested more than \(SourceLimits.depth) levels deep")
        }
        let table = try tables.table(owner), column = try tables.columns(owner)[property], transaction = tables.transaction
        switch value {
        case .embedded(let place, let fields):
            try fill(fields, place, depth) { try transaction.embed($0, as: plan.classes[place].name, in: key, of: table, column) }
        case .list(let elements):
            let list = try transaction.list(of: key, in: table, column)
            for case .embedded(let place, let fields) in elements {
                try fill(fields, place, depth) { try list.embed($0, as: plan.classes[place].name) }
            }
        case .map(let entries):
            let map = try transaction.map(of: key, in: table, column)
            for (name, element) in entries {
                guard case .embedded(let place, let fields) = element else {
                    if plan.classes[owner].properties[property].isNullable { try map.set(.null, for: name) }
                    continue
                }
                try fill(fields, place, depth) { try map.embed($0, as: plan.classes[place].name, for: name) }
            }
        default:
            throw SourceError(.damaged, "property '\(plan.classes[owner].properties[property].name)' mixes embedded objects with others")
        }
    }

    /// Creates an object with the values that need no object first, then sets the others.
    private func fill(_ fields: [SourceValue], _ place: Int, _ depth: Int, _ create: ([(String, Value)]) throws -> ObjectKey) throws {
        let properties = plan.classes[place].properties
        guard fields.count == properties.count else {
            throw SourceError(.damaged, "an object of class '\(plan.names[place])' has \(fields.count) values")
        }
        var given: [(String, Value)] = [], waiting: [Int] = []
        for (property, field) in fields.enumerated() {
            switch try values.make(field, for: properties[property]) {
            case .value(let value):
                if value != .null || properties[property].isNullable && properties[property].collections.isEmpty {
                    given.append((properties[property].name, value))
                }
            case .embedded: waiting.append(property)
            case .late:
                throw SourceError(.damaged,
                    "property '\(properties[property].name)' of class '\(plan.names[place])' links to a class that is not read")
            }
        }
        let key = try create(given)
        for property in waiting { try embed(fields[property], property, of: place, in: key, depth: depth + 1) }
    }
}
