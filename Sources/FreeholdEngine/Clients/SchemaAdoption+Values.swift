/// Changes of properties that concern the values of objects.
extension SchemaAdoption {
    /// Gives a property another type: values are converted where that loses nothing, others become null or the type's zero.
    func retype(_ old: PropertySchema, _ new: PropertySchema, _ name: String) throws {
        try endUniqueness(of: new.name, name)
        guard SchemaChange.converts(old, new) else {
            try drop(new.name, of: name)
            var added = new
            added.isUnique = false
            return try transaction.addProperty(added, to: name)
        }
        try transaction.derived.drop(naming: new.name, of: name)
        let filler = new.isNullable || new.type == .mixed ? Value.null : new.type.zero
        try transaction.changeType(of: new.name, in: name, to: new.type, isNullable: new.isNullable) { value in
            let converted = value.converted(to: new.type)
            return converted == .null ? filler : converted ?? filler
        }
    }

    /// Makes a property, or the elements of its collections, optional or required: null becomes the type's zero then.
    public func setNullable(_ property: PropertySchema, _ name: String) throws {
        guard !property.collections.isEmpty else {
            try endUniqueness(of: property.name, name)
            let filler = property.isNullable ? nil : property.type.zero
            return try transaction.setNullable(property.isNullable, property.name, in: name, replacingNullsBy: filler)
        }
        let table = try transaction.table(name), old = try table.column(property.name)
        var values: [(ObjectKey, Value)] = []
        for key in try table.keys() {
            let value = try table.value(key, old)
            if value.elementCount > 0 { values.append((key, property.isNullable ? value : value.replacingNulls(by: property.type.zero))) }
        }
        try drop(property.name, of: name)
        try transaction.addProperty(property, to: name)
        let changed = try transaction.table(name), column = try changed.column(property.name)
        for (key, value) in values { try transaction.set(key, in: changed, column, to: value) }
    }

    private func endUniqueness(of property: String, _ name: String) throws {
        if present(property, of: name)?.isUnique == true { try transaction.endUniqueness(of: property, in: name) }
    }

    /// Drops a property, the embedded objects in it, and the full-text indexes that it is a field of.
    public func drop(_ property: String, of name: String) throws {
        try transaction.derived.drop(naming: property, of: name)
        if let known = present(property, of: name), let target = known.linkTarget, find(target)?.isEmbedded == true {
            let table = try transaction.table(name), column = try table.column(property)
            let empty: Value = switch known.collections.first {
            case nil: .null
            case .list: .list([])
            case .set: .set([])
            case .map: .map([:])
            }
            for key in try table.keys() { try transaction.set(key, in: table, column, to: empty) }
        }
        try transaction.dropProperty(property, from: name)
    }

    /// A property as it is now; nil if the class does not declare it.
    public func present(_ property: String, of name: String) -> PropertySchema? {
        find(name)?.properties.first { $0.name.isSame(as: property) }
    }

    /// Whether a property is the primary key of its class.
    func isKey(_ property: PropertySchema, _ name: String) -> Bool { find(name)?.primaryKeys.isSame(as: [property.name]) ?? false }

    private func find(_ name: String) -> ClassSchema? { transaction.classes.first { $0.name.isSame(as: name) } }
}

extension Value {
    /// The value with each null in it replaced; a collection keeps its other elements.
    fileprivate func replacingNulls(by filler: Value) -> Value {
        switch self {
        case .null: filler
        case .list(let values): .list(values.map { $0.replacingNulls(by: filler) })
        case .set(let values): .set(values.map { $0.replacingNulls(by: filler) })
        case .map(let entries): .map(entries.mapValues { $0.replacingNulls(by: filler) })
        default: self
        }
    }
}
