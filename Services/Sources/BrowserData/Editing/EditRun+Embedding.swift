import FreeholdEngine

/// Embedded objects: they are created where they live.
extension EditRun {
    /// Sets a property that owns embedded objects.
    func assignEmbedded(_ value: NewValue, to object: FoundObject, _ place: Int) throws {
        let entry = object.entry, property = entry.schema.properties[place], column = entry.columns[place]
        try noteChange(of: object, place)
        try noteRelease(of: try object.row().value(column), property)
        guard let kind = property.collections.first else {
            switch value {
            case .null: return try transaction.set(object.key, in: entry.table, column, to: .null)
            case .embedded(let className, let values):
                return try create(values, className, property) {
                    try transaction.embed($0, as: className, in: object.key, of: entry.table, column)
                }
            default:
                throw OperationMistake("property '\(property.name)' holds an embedded object: {\"embedded\": {\"values\": {…}}} or null "
                    + "is expected")
            }
        }
        let handle = try CollectionHandle(transaction, object.key, entry.table, column, kind)
        try handle.removeAll()
        try fill(handle, value, property, depth: 0)
    }

    /// Fills an empty collection with embedded objects, or with collections of such.
    private func fill(_ handle: CollectionHandle, _ value: NewValue, _ property: PropertySchema, depth: Int) throws {
        let places: [(step: ElementStep, value: NewValue)]
        switch (handle, value) {
        case (.list, .list(let values)): places = values.enumerated().map { (.position($0.offset), $0.element) }
        case (.map, .map(let entries)): places = entries.map { (.key($0.name), $0.value) }
        default:
            throw OperationMistake("property '\(property.name)': a \(handle.kind.name) of embedded objects was expected, "
                + "not \(value.kindText)")
        }
        let inner = property.collections.dropFirst(depth + 1).first
        for (step, value) in places {
            guard let inner else {
                try embed(value, property) { try handle.embed($0, as: $1, at: step) }
                continue
            }
            if case .list(let list) = handle { try list.append(inner.empty) }
            if case .map(let map) = handle, case .key(let key) = step { try map.set(inner.empty, for: key) }
            if let nested = handle.inner(step, inner) { try fill(nested, value, property, depth: depth + 1) }
        }
    }

    func embed(
        _ name: CollectionName, _ at: ElementStep?, _ className: String?, _ values: [(name: String, value: NewValue)], _ was: JSON?
    ) throws {
        let object = try find(name.object), place = try object.entry.place(of: name.property)
        let entry = object.entry, property = entry.schema.properties[place], column = entry.columns[place]
        guard book.isEmbedded(property) else {
            throw OperationMistake("property '\(property.name)' of class '\(entry.name)' does not hold embedded objects")
        }
        let value = NewValue.embedded(className: className, values: values)
        guard property.collections.isEmpty else {
            let found = try find(name)
            if case .map = found.handle, let at {
                try compare(found, at, was ?? .null)
                return try replaceEmbedded(value, found, at)
            }
            return try insertEmbedded(value, found, at)
        }
        guard name.path.isEmpty, at == nil else {
            throw OperationMistake("property '\(property.name)' holds one embedded object and has no places within")
        }
        let now = try cells.property(transaction, entry.table, try object.row(), column, property)
        guard CellReading.isSame(was ?? .null, now) else { throw conflict(object, property.name, was: was, now: now) }
        try compareSeen(object, at: [place])
        try assignEmbedded(value, to: object, place)
    }

    /// Inserts an embedded object, or a collection of such, into a list.
    func insertEmbedded(_ value: NewValue, _ found: FoundCollection, _ at: ElementStep?) throws {
        let property = found.property
        try noteChange(of: found.object, found.place)
        guard let inner = found.elementProperty.collections.first else {
            return try embed(value, property) { try found.handle.embed($0, as: $1, at: at) }
        }
        guard case .list(let list) = found.handle else {
            throw OperationMistake("a map's entry is set with 'replace', whose 'at' is its key")
        }
        let step: ElementStep = try at ?? .position(list.view().count)
        guard case .position(let position) = step else { throw OperationMistake("\(step.text) is not a place in a list") }
        try list.insert(inner.empty, at: position)
        if let nested = found.handle.inner(step, inner) { try fill(nested, value, property, depth: found.depth + 1) }
    }

    /// Replaces an element of a list, or sets a map's entry.
    func replaceEmbedded(_ value: NewValue, _ found: FoundCollection, _ at: ElementStep) throws {
        let property = found.property
        try noteChange(of: found.object, found.place)
        if let present = try found.handle.view().element(at: at) { try noteRelease(of: present, property) }
        if let inner = found.elementProperty.collections.first {
            if case .list(let list) = found.handle, case .position(let position) = at { try list.replace(at: position, with: inner.empty) }
            if case .map(let map) = found.handle, case .key(let key) = at { try map.set(inner.empty, for: key) }
            if let nested = found.handle.inner(at, inner) { try fill(nested, value, property, depth: found.depth + 1) }
            return
        }
        switch (value, found.handle, at) {
        case (.null, .map(let map), .key(let key)) where property.isNullable: try map.set(.null, for: key)
        case (.embedded, .list(let list), .position(let position)):
            try embed(value, property) { try list.embed($0, as: $1, replacing: position) }
        default: try embed(value, property) { try found.handle.embed($0, as: $1, at: at) }
        }
    }

    /// Creates one embedded object by `place`, which is given its first values and its class.
    private func embed(_ value: NewValue, _ property: PropertySchema, _ place: ([(String, Value)], String?) throws -> ObjectKey) throws {
        guard case .embedded(let className, let values) = value else {
            throw OperationMistake("property '\(property.name)': {\"embedded\": {\"values\": {…}}} was expected, not \(value.kindText)")
        }
        try create(values, className, property) { try place($0, className) }
    }

    /// Creates an embedded object; the objects embedded in it follow once it exists.
    private func create(
        _ values: [(name: String, value: NewValue)], _ className: String?, _ property: PropertySchema,
        _ place: ([(String, Value)]) throws -> ObjectKey
    ) throws {
        let entry = try book.entry(className ?? property.linkTarget ?? "")
        var first: [(String, Value)] = [], later: [(place: Int, value: NewValue)] = []
        for (name, value) in values {
            let place = try entry.place(of: name), declared = entry.schema.properties[place]
            if value.needsAnObject || book.isEmbedded(declared) {
                later.append((place, value))
            } else {
                first.append((name, try build(value, declared)))
            }
        }
        let object = FoundObject(entry: entry, key: try place(first))
        effects.insert(object.key, entry.name, bytes: first.reduce(0) { $0 + ValueMeasure.bytes(of: $1.1) })
        try note(object, addedAs: nil)
        for (place, value) in later { try assign(value, to: object, place) }
    }
}

extension CollectionKind {
    /// A collection of this kind without elements.
    var empty: Value {
        switch self {
        case .list: .list([])
        case .set: .set([])
        case .map: .map([:])
        }
    }
}
