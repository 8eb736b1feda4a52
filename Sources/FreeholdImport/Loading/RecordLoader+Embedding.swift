import FreeholdEngine

/// Embedded objects: created after their owner.
extension RecordLoader {
    func leadsToEmbedded(_ property: Int, _ loaded: LoadedClass) throws(FreeholdError) -> Bool {
        guard let target = loaded.schema.properties[property].linkTarget else { return false }
        return try loadedClass(target).schema.isEmbedded
    }

    /// Creates the embedded objects in a property of an object.
    func embed(_ imported: ImportedValue, _ property: Int, _ loaded: LoadedClass, in key: ObjectKey) throws {
        let schema = loaded.schema.properties[property], column = loaded.columns[property]
        guard let transaction, let target = schema.linkTarget else { return }
        switch (schema.collections, imported) {
        case (_, .null): return
        case ([], .object(let object)):
            let name = try concreteName(object, of: target)
            try fill(try transaction.embed([], as: name, in: key, of: loaded.table, column), object, name)
        case ([.list], .array(let values)):
            let list = try transaction.list(of: key, in: loaded.table, column)
            for case .object(let object) in try objects(values, schema) {
                let name = try concreteName(object, of: target)
                try fill(try list.embed([], as: name), object, name)
            }
        case ([.map], .object(let entries)):
            let map = try transaction.map(of: key, in: loaded.table, column)
            for (name, value) in zip(entries.shape.names, try objects(entries.values, schema)) {
                guard case .object(let object) = value else { continue }
                let own = try concreteName(object, of: target)
                try fill(try map.embed([], as: own, for: name), object, own)
            }
        default: throw LoadFault.record("property '\(schema.name)': expected a nested object, found \(imported.kindName)")
        }
    }

    private func objects(_ values: [ImportedValue], _ schema: PropertySchema) throws -> [ImportedValue] {
        for value in values {
            if case .object = value { continue }
            throw LoadFault.record("property '\(schema.name)': expected a nested object, found \(value.kindName)")
        }
        return values
    }

    /// Sets the properties of an embedded object.
    private func fill(_ key: ObjectKey, _ object: ImportedObject, _ name: String) throws {
        guard let transaction else { return }
        let loaded = try loadedClass(name)
        for (index, property) in try loaded.binding(for: object).enumerated() {
            guard let property else { continue }
            if try leadsToEmbedded(property, loaded) {
                try embed(object.values[index], property, loaded, in: key)
            } else {
                let value = try strictValue(object.values[index], property, loaded)
                try transaction.set(key, in: loaded.table, loaded.columns[property], to: value)
            }
        }
    }
}
