import FreeholdEngine

/// The version that a tab shows, for comparing in full what a cell shows in part: long texts, data, collections, the
/// contents of embedded objects, and objects that are to be deleted.
struct SeenVersion {
    private let book: ClassBook
    /// What the request itself has changed so far, which does not count.
    private let effects: EditEffects

    /// Nil if the classes were others then: their properties cannot be paired.
    init?(_ snapshot: Snapshot, _ present: [ClassSchema], _ effects: EditEffects) throws(FreeholdError) {
        let classes = try snapshot.classes
        guard classes == present else { return nil }
        book = ClassBook(snapshot, classes)
        self.effects = effects
    }

    /// The first property, among some places of the class, that is not what it was; nil also for an object that the
    /// version does not have: the tab knows it from a later one.
    ///
    /// - Parameter present: the classes of the transaction.
    func firstChange(of object: FoundObject, at places: some Sequence<Int>, _ present: ClassBook) throws -> Int? {
        let old = try book.entry(object.entry.name)
        guard let was = try old.table.row(object.key) else { return nil }
        for place in places where try !isSame(was, old, object, place, present) {
            if !effects.isChanged(object.key, object.entry.name, object.entry.schema.properties[place].name) { return place }
        }
        return nil
    }

    private func isSame(_ was: Row, _ old: ClassEntry, _ object: FoundObject, _ place: Int, _ present: ClassBook) throws -> Bool {
        let now = try object.row(), column = object.entry.columns[place], property = object.entry.schema.properties[place]
        if property.collections.isEmpty, property.type == .string || property.type == .data {
            return try hasSameBytes(was, old.columns[place], now, column)
        }
        let value = try now.value(column)
        guard try was.value(old.columns[place]).isExactly(value) else { return false }
        guard present.isEmbedded(property), let target = property.linkTarget else { return true }
        return try value.links.allSatisfy { try isSame(embedded: $0, target, present) }
    }

    /// Whether an embedded object has the contents that it had, with the objects embedded in it.
    func isSame(embedded key: ObjectKey, _ className: String, _ present: ClassBook) throws -> Bool {
        let declared = try present.entry(className)
        guard let row = try declared.table.row(key) else { return true }
        let own = FoundObject(entry: declared.hasSubclasses ? try present.entry(row.className) : declared, key: key)
        return try firstChange(of: own, at: own.entry.columns.indices, present) == nil
    }

    /// Whether two values have the same bytes, of which no more than a piece is read at once.
    private func hasSameBytes(_ was: Row, _ old: Column, _ now: Row, _ column: Column) throws -> Bool {
        let count = try now.byteCount(column)
        guard try was.isNull(old) == now.isNull(column), try was.byteCount(old) == count else { return false }
        for start in stride(from: 0, to: count, by: 1 << 20) {
            guard try was.read(old, start..<start + 1 << 20) == now.read(column, start..<start + 1 << 20) else { return false }
        }
        return true
    }

    /// The cell of a property then.
    func cell(of object: FoundObject, _ place: Int, _ cells: CellReading) throws -> JSON? {
        let old = try book.entry(object.entry.name)
        guard let row = try old.table.row(object.key) else { return nil }
        return try cells.property(book.source, old.table, row, old.columns[place], old.schema.properties[place])
    }
}
