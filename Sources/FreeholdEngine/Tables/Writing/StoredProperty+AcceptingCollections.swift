extension StoredProperty {
    /// The change with its elements converted to the property's type, or an error that names class and property.
    func accepting(_ change: CollectionChange, _ shape: CollectionShape, class name: String) throws(FreeholdError) -> CollectionChange {
        switch change {
        case .assign(let value): return .assign(try accepting(value, shape, class: name))
        case .insert(let values, let position): return .insert(try accepting(values, shape, class: name), at: position)
        case .replace(let position, let value): return .replace(position, try accepting([value], shape, class: name)[0])
        case .add(let values): return .add(try accepting(values, shape, class: name))
        case .discard(let values): return .discard(try accepting(values, shape, class: name))
        case .put(let entries):
            var last: TextMap<Value> = [:]
            for (key, value) in entries { last[key] = try accepting([value], shape, class: name)[0] }
            return .put(last.sortedByKey.map { ($0.key, $0.value) })
        case .remove, .move, .swap, .removeKeys, .removeAll, .removeLink, .removeLinks: return change
        }
    }

    /// The elements of a collection of this shape.
    private func accepting(_ values: [Value], _ shape: CollectionShape, class name: String) throws(FreeholdError) -> [Value] {
        var fitting: [Value] = []
        fitting.reserveCapacity(values.count)
        for value in values {
            if let inner = shape.inner {
                fitting.append(try accepting(value, inner, class: name))
            } else if value == .null {
                guard shape.isNullable else {
                    throw FreeholdError(.notNullable, "the elements of '\(self.name)' of class '\(name)' are required; null was given")
                }
                fitting.append(.null)
            } else {
                if shape.kind == .set, value.collectionKind != nil { throw unfit(value, class: name) }
                fitting.append(try acceptingElement(value, class: name))
            }
        }
        return fitting
    }

    /// A whole collection of this shape; null is an empty one.
    private func accepting(_ value: Value, _ shape: CollectionShape, class name: String) throws(FreeholdError) -> Value {
        switch (shape.kind, value) {
        case (_, .null): return shape.empty
        case (.list, .list(let values)): return .list(try accepting(values, shape, class: name))
        case (.set, .set(let values)), (.set, .list(let values)): return .set(try accepting(values, shape, class: name).inSetOrder(of: type))
        case (.map, .map(let entries)):
            var fitting: TextMap<Value> = [:]
            for (key, value) in entries { fitting[key] = try accepting([value], shape, class: name)[0] }
            return .map(fitting)
        default:
            throw FreeholdError(.typeMismatch, "property '\(self.name)' of class '\(name)' takes a \(shape.kind.name) here; "
                + "a \(value.collectionKind?.name ?? value.type?.name ?? "null") was given")
        }
    }

    func noCollection(class name: String) -> FreeholdError {
        FreeholdError(.typeMismatch, "property '\(self.name)' of class '\(name)' is a \(type.name), not a collection")
    }
}
