import FreeholdEngine

/// Puts back in a transaction what a commit changed. The caller commits or rolls back.
///
/// 1. First everything is compared: nothing that was changed since is overwritten.
/// 2. Objects that the commit created go, but none that their delete rules would take along.
/// 3. Objects that it deleted come back, under new keys where the class numbers its objects; then the values that it
///    changed, and the links, which need the new keys; embedded objects last, each in its owner.
final class UndoRun {
    let transaction: WriteTransaction
    let cells: CellReading
    let record: UndoRecord
    let book: ClassBook
    private(set) var keys: KeyRenaming
    private(set) var conflicts: [EditConflict] = []
    /// Embedded objects that the commit deleted, to be created in their owners.
    private var embedded: [ObjectReference: UndoRecord.Image] = [:]

    init(_ transaction: WriteTransaction, _ cells: CellReading, _ record: UndoRecord) {
        self.transaction = transaction
        self.cells = cells
        self.record = record
        book = ClassBook(transaction, transaction.classes)
        keys = KeyRenaming(book)
    }

    /// Puts everything back, unless there are conflicts.
    func apply() throws {
        try compare()
        guard conflicts.isEmpty else { return }
        try deleteInserted()
        for image in record.deleted where isEmbedded(image.className) {
            embedded[try book.entry(image.className).table.reference(to: image.key)] = image
        }
        try restoreObjectsAndValues()
        try restoreLinks()
    }

    /// What the undo did, from the record.
    func report(into outcome: inout EditOutcome) {
        outcome.objects = record.changed.count
        outcome.properties = record.changed.reduce(0) { $0 + $1.properties.count }
        outcome.inserted = record.deleted.count
        outcome.deleted = record.inserted.count
        for name in record.classNames.map(\.text).sorted(by: { $0.precedes($1) }) {
            outcome.changes.append(.init(
                className: name, inserted: record.deleted.count { $0.className.isSame(as: name) },
                deleted: record.inserted.count { $0.className.isSame(as: name) },
                changed: record.changed.count { $0.className.isSame(as: name) }))
        }
    }

    // MARK: comparing

    private func compare() throws {
        for change in record.changed {
            let entry = try book.entry(change.className)
            guard let row = try entry.table.row(change.key) else {
                note(change.className, change.key, isGone: true)
                continue
            }
            for property in change.properties { try compare(row, property.name, property.after, change.key, entry) }
        }
        for image in record.inserted {
            let entry = try book.entry(image.className)
            guard let row = try entry.table.row(image.key) else {
                note(image.className, image.key, isGone: true)
                continue
            }
            for (name, value) in image.values { try compare(row, name, value, image.key, entry) }
            // Another program has linked to it since, or no longer does.
            if try book.incomingCount(of: image.key, in: entry) != image.incoming { note(image.className, image.key) }
        }
        for image in record.deleted where !isEmbedded(image.className) {
            let entry = try book.entry(image.className)
            guard let name = entry.schema.primaryKey,
                let value = image.values.first(where: { $0.name.isSame(as: name) })?.value else { continue }
            if let key = try entry.table.family.key(primaryKey: value) { note(image.className, key) }
        }
    }

    private func compare(_ row: Row, _ name: String, _ known: Value, _ key: ObjectKey, _ entry: ClassEntry) throws {
        let place = try entry.place(of: name), property = entry.schema.properties[place]
        guard try !row.value(entry.columns[place]).isExactly(known) else { return }
        let now = try cells.property(transaction, entry.table, row, entry.columns[place], property)
        let was = property.collections.isEmpty ? try? cells.element(transaction, known, property) : nil
        note(entry.name, key, name, was: was, now: now)
    }

    private func note(
        _ className: String, _ key: ObjectKey, _ property: String? = nil, was: JSON? = nil, now: JSON? = nil, isGone: Bool = false
    ) {
        guard conflicts.count < EditRun.maximumListed else { return }
        conflicts.append(EditConflict(operation: nil, className: className, key: key.description, property: property, was: was, now: now,
            isGone: isGone))
    }

    // MARK: putting back

    private func deleteInserted() throws {
        var batches: TextMap<[ObjectKey]> = [:]
        for image in record.inserted where !isEmbedded(image.className) {
            let entry = try book.entry(image.className)
            for (place, property) in entry.schema.properties.enumerated() where property.type == .link && property.deleteRule != .nullify {
                if book.isEmbedded(property) { continue }
                try transaction.set(image.key, in: entry.table, entry.columns[place], to: property.collections.first?.empty ?? .null)
            }
            batches[entry.root, default: []].append(image.key)
        }
        var tables: [(keys: [ObjectKey], table: Table)] = []
        for (root, keys) in batches { tables.append((keys, try book.entry(root).table)) }
        if !tables.isEmpty { try transaction.delete(tables) }
    }

    /// Creates the deleted objects without their links, and puts back the changed values that are no links.
    private func restoreObjectsAndValues() throws {
        var steps: [() throws -> Void] = []
        for change in record.changed {
            for property in change.properties where !isLink(property.name, change.className) {
                steps.append { [self] in try set(property.before, property.name, of: change.key, change.className) }
            }
        }
        for image in record.deleted where !isEmbedded(image.className) { steps.append { [self] in try create(image) } }
        try settle(steps, links: false)
    }

    private func restoreLinks() throws {
        var steps: [() throws -> Void] = []
        for change in record.changed {
            for property in change.properties where isLink(property.name, change.className) {
                steps.append { [self] in try restore(property.before, property.name, of: change.key, change.className) }
            }
        }
        for image in record.deleted where !isEmbedded(image.className) {
            let key = keys.key(image.key, of: image.className)
            for (name, value) in image.values where isLink(name, image.className) {
                steps.append { [self] in try restore(value, name, of: key, image.className) }
            }
        }
        try settle(steps, links: true)
    }

    /// Takes steps in whatever order they can be taken: a unique value is free once the object that has it now has got
    /// its own one back.
    private func settle(_ steps: [() throws -> Void], links: Bool) throws {
        var steps = steps, hasFreed = false
        while !steps.isEmpty {
            var waiting: [() throws -> Void] = [], refusal: FreeholdError?
            for step in steps {
                do { try step() } catch let error as FreeholdError where error.code == .duplicateKey {
                    refusal = error
                    waiting.append(step)
                }
            }
            if waiting.count == steps.count, let refusal {
                if hasFreed { throw refusal }
                try freeUniqueValues(links: links)
                hasFreed = true
            }
            steps = waiting
        }
    }

    /// Has objects that exchanged unique values give them up, all at once.
    private func freeUniqueValues(links: Bool) throws {
        for change in record.changed {
            let entry = try book.entry(change.className)
            for property in change.properties where isLink(property.name, change.className) == links {
                let place = try entry.place(of: property.name), declared = entry.schema.properties[place]
                let present = try entry.table.value(change.key, entry.columns[place])
                guard declared.collections.isEmpty, !book.isEmbedded(declared), !present.isExactly(property.before) else { continue }
                let other = declared.isNullable ? Value.null : SpareValue.value(of: declared.type)
                if let other { try transaction.set(change.key, in: entry.table, entry.columns[place], to: other) }
            }
        }
    }

    private func create(_ image: UndoRecord.Image) throws {
        let entry = try book.entry(image.className), primaryKey = entry.schema.primaryKey
        var key: Value?, values: [(Column, Value)] = []
        for (name, value) in image.values where !isLink(name, image.className) {
            if name.isSame(as: primaryKey) { key = value } else { values.append((try entry.table.column(name), value)) }
        }
        let made = try transaction.insert(into: entry.table, primaryKey: key) { row in
            for (column, value) in values { try row.set(column, value) }
        }
        keys.add(image.key, made, in: entry)
    }

    private func set(_ value: Value, _ name: String, of key: ObjectKey, _ className: String) throws {
        let entry = try book.entry(className)
        try transaction.set(key, in: entry.table, try entry.table.column(name), to: keys.value(value, of: name, in: className))
    }

    private func restore(_ value: Value, _ name: String, of key: ObjectKey, _ className: String) throws {
        let entry = try book.entry(className), place = try entry.place(of: name), property = entry.schema.properties[place]
        guard book.isEmbedded(property) else { return try set(value, name, of: key, className) }
        let owner = FoundObject(entry: entry, key: key)
        try EmbeddedRestoring(transaction, book, owner, place) { try self.content(of: $0, property) }.restore(value)
    }

    /// The class and first values of an embedded object that comes back, and what follows once it exists.
    private func content(of key: ObjectKey, _ property: PropertySchema) throws -> EmbeddedContent? {
        guard let target = property.linkTarget, let image = embedded[try book.entry(target).table.reference(to: key)] else { return nil }
        let entry = try book.entry(image.className)
        var values: [(String, Value)] = [], owned: [(name: String, value: Value)] = []
        for (name, value) in image.values {
            if book.isEmbedded(entry.schema.properties[try entry.place(of: name)]) {
                owned.append((name, value))
            } else {
                values.append((name, keys.value(value, of: name, in: image.className)))
            }
        }
        return EmbeddedContent(className: image.className, values: values) { [self] made in
            keys.add(image.key, made, in: entry)
            for (name, value) in owned { try restore(value, name, of: made, image.className) }
        }
    }

    private func isEmbedded(_ className: String) -> Bool { book.declaration(className)?.isEmbedded == true }

    private func isLink(_ name: String, _ className: String) -> Bool {
        guard let entry = try? book.entry(className), let place = try? entry.place(of: name) else { return false }
        let type = entry.schema.properties[place].type
        return type == .link || type == .mixed
    }
}
