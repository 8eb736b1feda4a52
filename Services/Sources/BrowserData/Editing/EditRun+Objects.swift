import FreeholdEngine

/// Setting properties, creating and deleting objects.
extension EditRun {
    func set(_ name: ObjectName, _ property: String, _ value: NewValue, _ was: JSON?) throws {
        let object = try find(name), place = try object.entry.place(of: property)
        if let was {
            try compare(object, place, was)
            try compareSeen(object, at: [place])
        }
        try assign(value, to: object, place)
    }

    /// Throws ``EditConflict`` unless a property is what the tab knew: now, or before this request, whose own operations may have
    /// changed it meanwhile (a deleted object leaves null in the links to it).
    private func compare(_ object: FoundObject, _ place: Int, _ was: JSON) throws {
        let property = object.entry.schema.properties[place]
        let now = try present(transaction, object.entry.table, try object.row(), object.entry.columns[place], property, was)
        guard let now else { return }
        if let before = try self.before().row(object) {
            let then = try present(before.snapshot, before.table, before.row, before.column(place), property, was)
            if case .none = then { return }
        }
        throw conflict(object, property.name, was: was, now: now)
    }

    /// The cell of a property as it is; nil if it is what the tab knew.
    private func present(
        _ source: any ObjectSource, _ table: Table, _ row: Row, _ column: Column, _ property: PropertySchema, _ was: JSON
    ) throws -> JSON? {
        // A long text in full, not only the start that a cell has.
        if case .string(let known) = was, property.type == .string, property.collections.isEmpty, try !row.isNull(column),
           try row.byteCount(column) == known.utf8.count, try row.string(column).isSame(as: known) { return .none }
        let now = try cells.property(source, table, row, column, property)
        // Not `nil`, which is JSON's null here.
        return CellReading.isSame(was, now) ? Optional<JSON>.none : .some(now)
    }

    /// Throws ``EditConflict`` if a property is not what it was in the version that the tab shows. What this request itself
    /// has changed does not count.
    func compareSeen(_ object: FoundObject, at places: some Sequence<Int>) throws {
        guard let seen, !effects.isInserted(object.key, object.entry.name) else { return }
        let names = object.entry.schema.properties.map(\.name)
        guard let place = try seen.firstChange(of: object, at: places, book) else { return }
        let now = try cells.property(transaction, object.entry.table, try object.row(), object.entry.columns[place],
            object.entry.schema.properties[place])
        throw conflict(object, names[place], was: try seen.cell(of: object, place, cells), now: now)
    }

    /// Sets a property of any type.
    func assign(_ value: NewValue, to object: FoundObject, _ place: Int) throws {
        let entry = object.entry, property = entry.schema.properties[place], column = entry.columns[place]
        if book.isEmbedded(property) { return try assignEmbedded(value, to: object, place) }
        if case .upload(let id) = value { return try assign(upload: id, to: object, place) }
        let new = try build(value, property)
        if property.collections.isEmpty, try object.row().value(column).isExactly(new) { return }
        try noteChange(of: object, place, adding: new)
        try transaction.set(object.key, in: entry.table, column, to: new)
    }

    private func assign(upload id: String, to object: FoundObject, _ place: Int) throws {
        let entry = object.entry, property = entry.schema.properties[place]
        guard property.collections.isEmpty, property.type == .data || property.type == .string else {
            throw OperationMistake("an upload becomes the value of a data or string property; '\(property.name)' is \(property.typeText)")
        }
        let upload = try uploads.finished(id)
        if property.type == .string, !upload.isText {
            throw OperationMistake("upload '\(id)' is not UTF-8, so it cannot become the string property '\(property.name)'")
        }
        try noteChange(of: object, place, addingBytes: upload.byteCount)
        try transaction.set(object.key, in: entry.table, entry.columns[place], to: upload.writer)
    }

    /// Notes a property that is about to change.
    func noteChange(of object: FoundObject, _ place: Int, adding value: Value = .null) throws {
        try noteChange(of: object, place, addingBytes: ValueMeasure.bytes(of: value))
    }

    func noteChange(of object: FoundObject, _ place: Int, addingBytes: Int) throws {
        let entry = object.entry, property = entry.schema.properties[place]
        if effects.isInserted(object.key, entry.name) { return effects.keep(object.key, entry.name, bytes: addingBytes) }
        try effects.change(object.key, entry.name, property.name) {
            try ValueMeasure.bytes(of: try object.row(), entry.columns[place], property) * (property.collections.isEmpty ? 1 : 2)
        }
        // An undo keeps the value before and the one after; of a collection that is the one before with all that was
        // added.
        effects.keep(object.key, entry.name, bytes: addingBytes)
    }

    func add(_ className: String, _ values: [(name: String, value: NewValue)], _ name: String?) throws {
        let entry = try book.entry(className)
        if book.declaration(className)?.isEmbedded == true {
            throw OperationMistake("class '\(className)' is embedded: its objects are created in a property of another object, "
                + "with 'embed'")
        }
        var places: [(place: Int, value: NewValue)] = []
        for (name, value) in values { places.append((try entry.place(of: name), value)) }
        let keys = entry.schema.primaryKeys
        var first: [(Column, Value)] = [], later: [(place: Int, value: NewValue)] = [], primaryKey: Value?
        for (place, value) in places {
            let property = entry.schema.properties[place]
            if value.needsAnObject || book.isEmbedded(property) {
                later.append((place, value))
            } else if keys.count == 1, keys[0].isSame(as: property.name) {
                primaryKey = try build(value, property)
            } else {
                first.append((entry.columns[place], try build(value, property)))
            }
        }
        let key = try transaction.insert(into: entry.table, primaryKey: primaryKey) { row in
            for (column, value) in first { try row.set(column, value) }
        }
        let object = FoundObject(entry: entry, key: key)
        effects.insert(key, entry.name, bytes: first.reduce(0) { $0 + ValueMeasure.bytes(of: $1.1) })
        try note(object, addedAs: name)
        for (place, value) in later { try assign(value, to: object, place) }
    }

    /// Deletes the objects of neighbouring operations in one step.
    func deleteTogether(_ operations: ArraySlice<EditOperation>) throws {
        var batches: TextMap<[ObjectKey]> = [:], owners: [(number: Int, object: FoundObject)] = []
        var named: Set<ObjectReference> = []
        for operation in operations {
            guard case .delete(let name, let was) = operation.kind else { continue }
            try attempt(operation.number) {
                let object = try find(name)
                if book.isEmbedded(object) { throw OperationMistake("object \(object.key) is embedded in another one: remove it there") }
                for (property, cell) in was { try compare(object, object.entry.place(of: property), cell) }
                try compareSeen(object, at: object.entry.columns.indices)
                guard named.insert(object.entry.table.reference(to: object.key)).inserted else { return }
                batches[object.entry.root, default: []].append(object.key)
                owners.append((operation.number, object))
            }
        }
        guard let first = owners.first else { return }
        do {
            try delete(batches)
        } catch let error as FreeholdError where error.isRefusal {
            // Which of them it was; nothing has been deleted, and nothing will be committed.
            let refused = error.code == .deleteDenied ? owners.first { error.message.contains("object \($0.object.key) of") } : nil
            try attempt((refused ?? first).number) { throw error }
        }
    }

    /// Deletes objects by the base class that has them.
    func delete(_ batches: TextMap<[ObjectKey]>) throws {
        let reach = DeletionReach(book, effects)
        for (root, keys) in batches { try reach.follow(keys, in: try book.entry(root)) }
        effects.noteDeletions()
        var tables: [(keys: [ObjectKey], table: Table)] = []
        for (root, keys) in batches.sortedByKey { tables.append((keys, try book.entry(root).table)) }
        try transaction.delete(tables)
    }
}

extension NewValue {
    /// Whether the value can be set only once the object exists.
    var needsAnObject: Bool {
        if case .upload = self { true } else { false }
    }
}

extension PropertySchema {
    /// The type as it is spoken of: "a list of int".
    var typeText: String {
        guard !collections.isEmpty else { return "of type \(type.name)" }
        return collections.map { "a \($0.name) of " }.joined() + type.name
    }
}

extension ClassBook {
    func isEmbedded(_ object: FoundObject) -> Bool { declaration(object.entry.name)?.isEmbedded == true }
}
