/// Embedded objects as one value each: maps of their properties by name.
extension EmbeddedApplication {
    // MARK: Links

    /// The link, or the collection of links, that shows a value, which fits the shape.
    ///
    /// - Parameters:
    ///   - old: what is there now.
    ///   - shape: that of a collection; nil for an embedded object.
    ///   - name: the dotted name of the property, for reports.
    func remade(_ old: Value?, _ value: SyncValue, _ shape: CollectionShape?, of property: StoredProperty,
                _ name: String) throws(FreeholdError) -> Value {
        switch (value, shape) {
        case (.map(let entries), nil): return try remadeObject(old, entries, property, name)
        case (.list(let values), let shape?):
            let before = if case .list(let links)? = old { links } else { [Value]() }
            let (head, tail) = try same(before, values, shape, of: property), end = before.count - tail
            var made = Array(before[..<head])
            for position in head..<values.count - tail {
                made.append(try remade(position < end ? before[position] : nil, values[position], shape.inner, of: property, name))
            }
            return .list(made + before[end...])
        case (.map(let entries), let shape?):
            let before = if case .map(let links)? = old { links } else { TextMap<Value>() }
            var made: TextMap<Value> = [:]
            for entry in entries { made[entry.key] = try remade(before[entry.key], entry.value, shape.inner, of: property, name) }
            return .map(made)
        default: return .null
        }
    }

    private func remadeObject(_ old: Value?, _ entries: [SyncValue.Entry], _ property: StoredProperty,
                              _ name: String) throws(FreeholdError) -> Value {
        let inner = try inner(property), type = subclass(entries, property)
        if case .link(let key)? = old, let found = try inner.writer.state.find(key.rawValue), try isOfClass(found, inner, type) {
            try show(entries, key.rawValue, inner, name)
            return .link(key)
        }
        let made = try transaction.sync.embed(type)
        try show(entries, made, inner, name)
        return .link(ObjectKey(made))
    }

    func isOfClass(_ found: RowPlace, _ inner: AppliedClass, _ number: Int) throws(FreeholdError) -> Bool {
        try inner.writer.state.className(found).isSame(as: transaction.schema.classes[number].name)
    }

    /// The number of an embedded object's class.
    func subclass(_ entries: [SyncValue.Entry], _ property: StoredProperty) -> Int {
        subclass(entries.first { $0.key.isSame(as: ReplicaNames.subclass) }?.value, of: Int(property.linkTarget ?? 0))
    }

    /// The number of the class that a value names, if that extends the declared one; else of that.
    func subclass(_ name: SyncValue?, of declared: Int) -> Int {
        let schema = transaction.schema
        guard case .string(let text)? = name, let stored = schema.find(text),
              schema.lineage(of: Int(stored.number)).contains(declared) else { return declared }
        return Int(stored.number)
    }

    /// Deletes embedded objects that a change of links has let go: those of the old values that the new ones do not have.
    func deleteLost(_ old: [Value], _ new: [Value], _ property: StoredProperty) throws(FreeholdError) {
        let kept = Set(new.flatMap(\.embeddedKeys)), gone = old.flatMap(\.embeddedKeys).filter { !kept.contains($0) }
        if gone.isEmpty { return }
        let inner = try inner(property)
        for key in gone {
            for (own, entry) in try pending(within: key, inner) { own.pending.remove(entry) }
            try transaction.sync.delete(key, inner.table) { _, _, _ in }
        }
    }

    // MARK: Properties

    func properties(_ entries: [SyncValue.Entry]) -> [ExactText: SyncValue] {
        var given = [ExactText: SyncValue](minimumCapacity: entries.count)
        for entry in entries { given[ExactText(entry.key)] = entry.value }
        return given
    }

    /// Makes an embedded object show a value's properties, and what a new object has for those that the value does not name.
    private func show(_ entries: [SyncValue.Entry], _ object: Int64, _ inner: AppliedClass, _ name: String) throws(FreeholdError) {
        let given = properties(entries)
        for (column, property) in inner.stored.properties.enumerated() where !property.isClass {
            guard let found = try inner.writer.state.find(object), try inner.writer.state.has(found, column) else { continue }
            let value = given[ExactText(property.name)], whole = name + "." + property.name
            if application.isEmbedded(property) {
                try showEmbedded(value, object, inner, column, whole)
            } else {
                try show(value, object, inner, column, whole)
            }
        }
    }

    /// Sets a property of an embedded object, nil for what a new one has. A value that it cannot have is left out, and reported.
    func show(_ value: SyncValue?, _ object: Int64, _ inner: AppliedClass, _ column: Int, _ name: String) throws(FreeholdError) {
        let property = inner.stored.properties[column]
        var made: Value? = property.initialValue
        if let value { made = try application.value(value, of: property) }
        guard let made else { return note(name, .unknown) }
        guard property.shape != nil else {
            try application.noteTarget(of: value, made, inner, object, column)
            if try !application.trySet(inner, object, column, to: made) { note(name, .unknown) }
            return
        }
        guard let found = try inner.writer.state.find(object), let reader = try inner.writer.state.collection(found, column),
              try !application.isSame(reader.value(), made, property) else { return }
        if try !application.change(inner, object, column, .assign(made), isReported: false) { note(name, .unknown) }
    }

    /// Makes a property show embedded objects: one, or a collection of them that is one value.
    func showEmbedded(_ value: SyncValue?, _ object: Int64, _ own: AppliedClass, _ column: Int, _ name: String) throws(FreeholdError) {
        guard let found = try own.writer.state.find(object) else { return }
        let property = own.stored.properties[column], old = try own.writer.state.value(found, column)
        let value = value ?? property.emptyMessage
        guard property.shape?.takes(value) ?? (value.isEmbeddedObject || value.isNull) else { return note(name, .unknown) }
        let made = try remade(old, value, property.shape, of: property, name)
        if made.isIdentical(to: old) { return }
        try own.writer.set(object, column, to: made)
        try deleteLost([old], [made], property)
    }
}

extension CollectionShape {
    /// Whether a collection of embedded objects can have this value.
    func takes(_ value: SyncValue) -> Bool {
        switch (value, kind) {
        case (.list(let values), .list): values.allSatisfy { takes(element: $0) }
        case (.map(let entries), .map): entries.allSatisfy { takes(element: $0.value) }
        default: false
        }
    }

    /// Whether it can have this value as an element: null stands for no object, in maps.
    func takes(element value: SyncValue) -> Bool { inner?.takes(value) ?? (value.isEmbeddedObject || kind == .map && value.isNull) }
}

extension StoredProperty {
    /// What a property of embedded objects has that has none.
    var emptyMessage: SyncValue { shape.map { $0.kind == .map ? .map([]) : .list([]) } ?? .null }
}

extension SyncValue {
    fileprivate var isEmbeddedObject: Bool { if case .map = self { true } else { false } }
}
