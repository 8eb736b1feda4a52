/// Whether embedded objects are what values say already.
extension EmbeddedApplication {
    /// How many elements at the beginning and at the end of a list are what the values there say. They stay, where the list has another
    /// length; lists of one length are written element by element.
    func same(_ links: [Value], _ values: [SyncValue], _ shape: CollectionShape,
              of property: StoredProperty) throws(FreeholdError) -> (head: Int, tail: Int) {
        if links.count == values.count { return (0, 0) }
        let shorter = min(links.count, values.count)
        var head = 0, tail = 0
        while head < shorter, try shows(links[head], values[head], shape.inner, of: property) { head += 1 }
        while tail < shorter - head, try shows(links[links.count - 1 - tail], values[values.count - 1 - tail], shape.inner, of: property) {
            tail += 1
        }
        return (head, tail)
    }

    /// Whether an embedded object, or a collection of such, is what a value says.
    ///
    /// - Parameter shape: that of a collection; nil for an embedded object.
    private func shows(_ old: Value, _ value: SyncValue, _ shape: CollectionShape?,
                       of property: StoredProperty) throws(FreeholdError) -> Bool {
        switch (old, value, shape) {
        case (.null, .null, nil): return true
        case (.link(let key), .map(let entries), nil): return try showsObject(key.rawValue, entries, property)
        case (.list(let links), .list(let values), let shape?):
            if links.count != values.count { return false }
            for (link, one) in zip(links, values) where try !shows(link, one, shape.inner, of: property) { return false }
            return true
        case (.map(let links), .map(let entries), let shape?):
            if links.count != entries.count { return false }
            for entry in entries {
                guard let link = links[entry.key], try shows(link, entry.value, shape.inner, of: property) else { return false }
            }
            return true
        default: return false
        }
    }

    private func showsObject(_ object: Int64, _ entries: [SyncValue.Entry], _ property: StoredProperty) throws(FreeholdError) -> Bool {
        let inner = try inner(property), given = properties(entries), type = subclass(entries, property)
        guard let found = try inner.writer.state.find(object), try isOfClass(found, inner, type) else { return false }
        for (column, property) in inner.stored.properties.enumerated() where !property.isClass {
            guard try inner.writer.state.has(found, column) else { continue }
            let local = try inner.writer.state.value(found, column), value = given[ExactText(property.name)]
            let isSame = try application.isEmbedded(property)
                ? shows(local, value ?? property.emptyMessage, property.shape, of: property) : shows(local, value, object, inner, column)
            if !isSame { return false }
        }
        return true
    }

    /// Whether a property has a value, nil for what a new object has. A link to an absent object is null, and noted.
    private func shows(_ local: Value, _ value: SyncValue?, _ object: Int64, _ inner: AppliedClass,
                       _ column: Int) throws(FreeholdError) -> Bool {
        let property = inner.stored.properties[column]
        var made: Value? = property.initialValue
        if let value { made = try application.value(value, of: property) }
        guard let made, application.isSame(local, made, property) else { return false }
        guard property.isSingleLink, made == .null else { return true }
        let known = try application.absent.target(of: object, inner.table, column)
        guard case .link(let target)? = value, let other = application.own(target) else { return known == nil }
        return known.map { $0 == (other.table, target.key) } ?? false
    }
}
