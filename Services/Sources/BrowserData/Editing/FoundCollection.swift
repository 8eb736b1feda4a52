import FreeholdEngine

/// A collection that an operation changes.
struct FoundCollection {
    let object: FoundObject
    /// The property's place in the object's class.
    let place: Int
    let handle: CollectionHandle
    /// The number of collections around this one.
    let depth: Int

    var property: PropertySchema { object.entry.schema.properties[place] }

    /// The property as its elements have it: without this collection and those around it.
    var elementProperty: PropertySchema {
        var property = property
        property.collections = Array(property.collections.dropFirst(depth + 1))
        return property
    }
}

extension EditRun {
    /// The collection that an operation names.
    ///
    /// - Throws: ``EditConflict`` if a step of the path does not exist any more.
    func find(_ name: CollectionName) throws -> FoundCollection {
        let object = try find(name.object), place = try object.entry.place(of: name.property)
        let property = object.entry.schema.properties[place], column = object.entry.columns[place]
        guard let outer = try property.collections.first ?? object.row().value(column).collectionKind else {
            throw OperationMistake("property '\(property.name)' of class '\(object.entry.name)' is not a collection")
        }
        var handle = try CollectionHandle(transaction, object.key, object.entry.table, column, outer), depth = 0
        for step in name.path {
            guard let element = try handle.view().element(at: step) else {
                throw conflict(object, property.name, was: nil, now: nil, isGone: true)
            }
            guard let kind = element.collectionKind, let inner = handle.inner(step, kind) else {
                throw OperationMistake("property '\(property.name)': there is no collection at \(step.text)")
            }
            handle = inner
            depth += 1
        }
        return FoundCollection(object: object, place: place, handle: handle, depth: depth)
    }
}
