import FreeholdEngine

/// Counts what the operations of one transaction do, and estimates what an undo would have to keep.
final class EditEffects {
    private let limits: UndoLimits
    /// Keys of created objects, by their own class.
    private var inserted: TextMap<Set<ObjectKey>> = [:]
    /// Keys of changed objects, by their own class and the property.
    private var changed: TextMap<TextMap<Set<ObjectKey>>> = [:]
    /// Keys of objects whose links become null, likewise.
    private var unlinked: TextMap<TextMap<Set<ObjectKey>>> = [:]
    /// Whether objects may have been deleted.
    private(set) var hasDeleted = false
    /// The objects an undo would keep, until they are too many.
    private var touched: Set<Touched> = []
    private var undoBytes = 0

    private struct Touched: Hashable {
        let className: ExactText
        let key: ObjectKey
    }

    init(_ limits: UndoLimits) { self.limits = limits }

    /// Whether an undo of all this is within the limits, as far as is known.
    var isUndoable: Bool { touched.count <= limits.objects && undoBytes <= limits.bytes }

    func insert(_ key: ObjectKey, _ className: String, bytes: Int) {
        inserted[className, default: []].insert(key)
        keep(key, className, bytes: bytes)
    }

    /// Notes a changed property. `bytes` is asked for on the first change of the property only, and not beyond the
    /// limits.
    func change(_ key: ObjectKey, _ className: String, _ property: String, bytes: () throws -> Int) rethrows {
        guard changed[className, default: [:]][property, default: []].insert(key).inserted else { return }
        if isUndoable { keep(key, className, bytes: try bytes()) }
    }

    /// Notes a property that loses a link to a deleted object.
    func unlink(_ key: ObjectKey, _ className: String, _ property: String, bytes: () throws -> Int) rethrows {
        guard isUndoable, unlinked[className, default: [:]][property, default: []].insert(key).inserted else { return }
        if changed[className]?[property]?.contains(key) != true { keep(key, className, bytes: try bytes()) }
    }

    func noteDeletions() { hasDeleted = true }

    /// Notes what an undo would keep of an object. Nothing more is counted once that is too much.
    func keep(_ key: ObjectKey, _ className: String, bytes: Int) {
        guard isUndoable else { return }
        if touched.insert(Touched(className: ExactText(className), key: key)).inserted { undoBytes += UndoLimits.bytesPerObject }
        undoBytes += bytes
    }

    func isChanged(_ key: ObjectKey, _ className: String, _ property: String) -> Bool {
        changed[className]?[property]?.contains(key) == true || unlinked[className]?[property]?.contains(key) == true
    }

    func isInserted(_ key: ObjectKey, _ className: String) -> Bool { inserted[className]?.contains(key) == true }

    /// Writes the counts into an outcome.
    ///
    /// - Parameter before: the version that the transaction began with.
    func report(into outcome: inout EditOutcome, _ transaction: WriteTransaction, before: Snapshot) throws {
        var objects = 0, properties = 0
        // Beyond the limits, lost links were followed in part only; then none of them counts, so that the numbers do
        // not depend on chance.
        outcome.isAtLeast = !isUndoable && hasDeleted
        if isUndoable { mergeUnlinked() }
        for schema in transaction.classes {
            let table = try transaction.table(schema.name, withSubclasses: false)
            var made = inserted[schema.name] ?? []
            if hasDeleted { made = try made.filter { try table.contains($0) } }
            var deleted = 0
            if hasDeleted { deleted = try before.table(schema.name, withSubclasses: false).count + made.count - table.count }
            var all: Set<ObjectKey> = []
            for (_, keys) in changed[schema.name] ?? [:] {
                let present = try keys.filter { try !made.contains($0) && (!hasDeleted || table.contains($0)) }
                properties += present.count
                if all.isEmpty { all = present } else { all.formUnion(present) }
            }
            if made.isEmpty, deleted == 0, all.isEmpty { continue }
            objects += all.count
            outcome.inserted += made.count
            outcome.deleted += deleted
            outcome.changes.append(.init(className: schema.name, inserted: made.count, deleted: deleted, changed: all.count))
        }
        outcome.objects = objects
        outcome.properties = properties
        outcome.undoable = isUndoable && !touched.isEmpty
    }

    private func mergeUnlinked() {
        for (className, properties) in unlinked {
            for (property, keys) in properties { changed[className, default: [:]][property, default: []].formUnion(keys) }
        }
    }
}
