import FreeholdEngine

/// Changing elements of collections.
extension EditRun {
    func insert(_ name: CollectionName, _ at: Int?, _ value: NewValue) throws {
        let found = try find(name)
        if book.isEmbedded(found.property) { return try insertEmbedded(value, found, at.map(ElementStep.position)) }
        switch found.handle {
        case .list(let list):
            let new = try element(value, found)
            try noteChange(of: found.object, found.place, adding: new)
            if let at { try list.insert(new, at: at) } else { try list.append(new) }
        case .set(let set):
            if at != nil { throw OperationMistake("a set has no positions to insert at; leave 'at' out") }
            let new = try element(value, found)
            try noteChange(of: found.object, found.place, adding: new)
            try set.insert(new)
        case .map: throw OperationMistake("a map's entry is set with 'replace', whose 'at' is its key")
        }
    }

    func replace(_ name: CollectionName, _ at: ElementStep, _ value: NewValue, _ was: JSON?) throws {
        let found = try find(name)
        if case .set = found.handle { throw OperationMistake("an element of a set cannot be replaced; remove it and insert another one") }
        try compare(found, at, was ?? .null)
        if book.isEmbedded(found.property) { return try replaceEmbedded(value, found, at) }
        let new = try element(value, found)
        try noteChange(of: found.object, found.place, adding: new)
        switch (found.handle, at) {
        case (.list(let list), .position(let position)): try list.replace(at: position, with: new)
        case (.map(let map), .key(let key)): try map.set(new, for: key)
        default: preconditionFailure("the step was found to be one of the collection")
        }
    }

    func remove(_ name: CollectionName, _ at: ElementStep, _ was: JSON) throws {
        let found = try find(name)
        guard let present = try compare(found, at, was) else { throw conflict(found, was, nil) }
        try noteChange(of: found.object, found.place)
        try noteRelease(of: present, found.property)
        switch (found.handle, at) {
        case (.list(let list), .position(let position)): try list.remove(at: position)
        case (.set(let set), .position): try set.remove(present)
        case (.map(let map), .key(let key)): try map.remove(key)
        default: preconditionFailure("the step was found to be one of the collection")
        }
    }

    func move(_ name: CollectionName, _ at: Int, _ to: Int, _ was: JSON?) throws {
        let found = try find(name)
        guard case .list(let list) = found.handle else { throw OperationMistake("only elements of a list can be moved") }
        if let was { try compare(found, .position(at), was) }
        try noteChange(of: found.object, found.place)
        try list.move(from: at, to: to)
    }

    /// Throws ``EditConflict`` unless the element is what the tab knew. For a map's entry that did not exist that is
    /// null.
    ///
    /// - Returns: the element; nil if there is none, as the tab knew.
    @discardableResult
    func compare(_ found: FoundCollection, _ at: ElementStep, _ was: JSON) throws -> Value? {
        guard let present = try found.handle.view().element(at: at) else {
            if case .map = found.handle, was.isNull { return nil }
            throw conflict(found, was, nil)
        }
        if case .string(let known) = was, case .string(let text) = present, found.elementProperty.type == .string,
            known.isSame(as: text) { return present }
        let now = try cells.element(transaction, present, found.elementProperty)
        guard CellReading.isSame(was, now) else { throw conflict(found, was, now) }
        if let seen, book.isEmbedded(found.property), let target = found.property.linkTarget,
            try !present.links.allSatisfy({ try effects.isInserted($0, target) || seen.isSame(embedded: $0, target, book) }) {
            throw conflict(found, was, now)
        }
        return present
    }

    func conflict(_ found: FoundCollection, _ was: JSON, _ now: JSON?) -> EditConflict {
        conflict(found.object, found.property.name, was: was, now: now, isGone: now == nil)
    }

    private func element(_ value: NewValue, _ found: FoundCollection) throws -> Value {
        do {
            return try buildElement(value, found.property, depth: found.depth + 1)
        } catch let mistake as OperationMistake {
            throw OperationMistake("property '\(found.property.name)': \(mistake.message)")
        }
    }

    /// Notes what goes when an element leaves a property that owns embedded objects.
    func noteRelease(of value: Value, _ property: PropertySchema) throws {
        guard book.isEmbedded(property), let target = property.linkTarget else { return }
        let keys = value.links
        if keys.isEmpty { return }
        effects.noteDeletions()
        try DeletionReach(book, effects).follow(keys, in: try book.entry(target))
    }
}
