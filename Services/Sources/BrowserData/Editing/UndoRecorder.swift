import FreeholdEngine

/// Records what a commit changed, from the difference between the version before and the one after it.
struct UndoRecorder {
    private let before: Snapshot
    private let after: Snapshot
    private let limits: UndoLimits
    private let book: ClassBook

    init(_ before: Snapshot, _ after: Snapshot, _ limits: UndoLimits) throws(FreeholdError) {
        self.before = before
        self.after = after
        self.limits = limits
        book = ClassBook(after, try after.classes)
    }

    /// The record; nil if it would be beyond the limits, or cannot be undone object by object.
    func record() throws -> UndoRecord? {
        var record = UndoRecord(), isWhole = true
        for changes in try after.changes(since: before).classes {
            // The schema is the same in both.
            let entry = try book.entry(changes.name), old = try before.table(changes.name, withSubclasses: true).columns
            try changes.forEach { change in
                isWhole = try add(change, entry, old, to: &record) && record.bytes <= limits.bytes
                    && record.deleted.count + record.inserted.count + record.changed.count <= limits.objects
                return isWhole
            }
            if !isWhole { return nil }
        }
        let classes = try after.classes
        record.classes = SchemaMemory.reach(of: record.classNames, classes)
        // An object that was replaced by one of another class under its key: links to it do not show what happened.
        let deleted = try Set(record.deleted.map { try book.entry($0.className).table.reference(to: $0.key) })
        for image in record.inserted where deleted.contains(try book.entry(image.className).table.reference(to: image.key)) { return nil }
        return record
    }

    /// Adds one difference; false if its values are too large.
    private func add(_ change: ObjectChange, _ entry: ClassEntry, _ old: [Column], to record: inout UndoRecord) throws -> Bool {
        record.bytes += UndoLimits.bytesPerObject
        switch change.kind {
        case .deleted:
            guard let row = change.before, let values = try values(of: row, old, entry, &record.bytes) else { return false }
            record.deleted.append(UndoRecord.Image(className: entry.name, key: change.key, values: values))
        case .inserted:
            guard let row = change.after, let values = try values(of: row, entry.columns, entry, &record.bytes) else { return false }
            let incoming = try book.incomingCount(of: change.key, in: entry)
            record.inserted.append(UndoRecord.Image(className: entry.name, key: change.key, values: values, incoming: incoming))
        case .changed, .replaced:
            guard let was = change.before, let now = change.after else { return false }
            var properties: [(name: String, before: Value, after: Value)] = []
            for (place, property) in entry.schema.properties.enumerated() {
                // One that was deleted and created anew is put back in place, so that links to it stay.
                guard change.kind == .replaced || change.didChange(entry.columns[place]) else { continue }
                guard let before = try value(of: was, old[place], property, &record.bytes),
                      let after = try value(of: now, entry.columns[place], property, &record.bytes) else { return false }
                if !before.isExactly(after) { properties.append((property.name, before, after)) }
            }
            if properties.isEmpty { return true }
            record.changed.append(UndoRecord.Change(className: entry.name, key: change.key, properties: properties))
        }
        return true
    }

    private func values(
        of row: Row, _ columns: [Column], _ entry: ClassEntry, _ bytes: inout Int
    ) throws -> [(name: String, value: Value)]? {
        var values: [(name: String, value: Value)] = []
        for (place, property) in entry.schema.properties.enumerated() {
            guard let value = try value(of: row, columns[place], property, &bytes) else { return nil }
            values.append((property.name, value))
        }
        return values
    }

    /// A value; nil if it is too large to be kept.
    private func value(of row: Row, _ column: Column, _ property: PropertySchema, _ bytes: inout Int) throws -> Value? {
        bytes += try ValueMeasure.bytes(of: row, column, property)
        return bytes <= limits.bytes ? try row.value(column) : nil
    }
}
