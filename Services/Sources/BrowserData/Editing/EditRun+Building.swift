import FreeholdEngine

/// Turning the values of a request into those of the engine.
extension EditRun {
    /// The value for a property.
    func build(_ value: NewValue, _ property: PropertySchema) throws -> Value {
        do {
            return try build(value, property, property.collections[...])
        } catch let mistake as OperationMistake {
            throw OperationMistake("property '\(property.name)': \(mistake.message)")
        }
    }

    /// The value for an element that is within as many collections of the property as `path` is long.
    func buildElement(_ value: NewValue, _ property: PropertySchema, depth: Int) throws -> Value {
        try build(value, property, property.collections.dropFirst(depth))
    }

    private func build(_ value: NewValue, _ property: PropertySchema, _ kinds: ArraySlice<CollectionKind>) throws -> Value {
        guard let kind = kinds.first else { return try buildSingle(value, property) }
        switch (kind, value) {
        case (.list, .list(let values)): return .list(try values.map { try build($0, property, kinds.dropFirst()) })
        case (.set, .list(let values)): return .set(try values.map { try build($0, property, kinds.dropFirst()) })
        case (.map, .map(let entries)):
            return .map(try TextMap(entries.map { ($0.name, try build($0.value, property, kinds.dropFirst())) }) { _, last in last })
        case (.map, _): throw OperationMistake("a map was expected, {\"map\": {name: value}}, not \(value.kindText)")
        default: throw OperationMistake("a \(kind.name) was expected, {\"list\": [value]}, not \(value.kindText)")
        }
    }

    private func buildSingle(_ value: NewValue, _ property: PropertySchema) throws -> Value {
        if property.type == .mixed { return try buildMixed(value) }
        switch value {
        case .null:
            // Collections of links have no null of their own.
            guard property.isNullable else {
                throw OperationMistake("null was given, and it is required: \(TypedText.expectation(of: property.type))")
            }
            return .null
        case .text(let text) where property.type != .link: return try TypedText.value(text, as: property.type)
        case .bool(let flag) where property.type == .bool: return .bool(flag)
        case .link, .primaryKey, .new:
            guard property.type == .link, let target = property.linkTarget else { break }
            return .link(try linked(by: value, target).key)
        case .upload: throw OperationMistake("an upload becomes the whole value of a data or string property, not an element")
        default: break
        }
        throw OperationMistake("\(value.kindText) was given; expected is \(TypedText.expectation(of: property.type))")
    }

    private func buildMixed(_ value: NewValue) throws -> Value {
        switch value {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .mixed(let type, let text): return try TypedText.value(text, as: type)
        case .list(let values): return .list(try values.map(buildMixed))
        case .map(let entries): return .map(try TextMap(entries.map { ($0.name, try buildMixed($0.value)) }) { _, last in last })
        case .link, .primaryKey, .new:
            let target = try linked(by: value, nil)
            return .object(target.entry.table.reference(to: target.key))
        case .text, .upload, .embedded:
            throw OperationMistake("\(value.kindText) was given; expected is \(TypedText.expectation(of: .mixed))")
        }
    }

    /// The object that a link leads to.
    ///
    /// - Parameter declared: the class that the property links to; nil for a mixed value, which names a class.
    private func linked(by value: NewValue, _ declared: String?) throws -> (entry: ClassEntry, key: ObjectKey) {
        switch value {
        case .new(let name):
            let object = try named(name)
            if let declared, !book.lineage(of: object.entry.name).has(declared) {
                throw OperationMistake("the object '\(name)' is a '\(object.entry.name)'; a '\(declared)' is expected")
            }
            return (object.entry, object.key)
        case .link(let key, let className):
            let entry = try book.entry(try linkedClass(className, declared))
            guard try entry.table.contains(key) else { throw gone(entry.name, key) }
            return (entry, key)
        case .primaryKey(let text, let className):
            let entry = try book.entry(try linkedClass(className, declared))
            guard let name = entry.schema.primaryKey,
                let property = entry.schema.properties.first(where: { $0.name.isSame(as: name) }) else {
                throw OperationMistake("class '\(entry.name)' has no primary key of one property; link by the object's key, "
                    + "{\"link\": key}")
            }
            guard let key = try entry.table.key(primaryKey: try TypedText.value(text, as: property.type)) else {
                throw OperationMistake("class '\(entry.name)' has no object whose '\(name)' is '\(text)'")
            }
            return (entry, key)
        default: preconditionFailure("the value is a link")
        }
    }

    private func linkedClass(_ named: String?, _ declared: String?) throws -> String {
        guard let named else {
            if let declared { return declared }
            throw OperationMistake("a link in a mixed property names the class: {\"link\": key, \"class\": name}")
        }
        _ = try book.entry(named)
        if let declared, !book.lineage(of: named).has(declared) {
            throw OperationMistake("a link to class '\(declared)' is expected, not to '\(named)'")
        }
        return named
    }
}
