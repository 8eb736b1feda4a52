import FreeholdEngine

/// Iterates over the objects of a class in the order of their keys.
///
/// An iteration that begins outside a write transaction continues over commits and refreshes, with the objects that
/// then exist after the last one. Within a write transaction it takes the keys of all objects at the start.
final class TableCursor<Element>: ElementCursor<Element> {
    private let core: RealmCore
    private let classNumber: Int16
    /// The class, as read by the iterating thread.
    private var live: LiveClass
    /// The thread that `live` and `rows` belong to, in a frozen realm.
    private var thread: UInt
    private var rows: RowCursor?
    private var epoch: UInt64
    /// The remaining keys, once the rows cannot be followed any more.
    private var keys: ArraySlice<ObjectKey>?
    private var last: Int64?
    /// How many rows the iterator could advance over without the cursor.
    private var given = 0

    init(_ live: LiveClass, in core: RealmCore) {
        self.core = core
        self.live = live
        classNumber = Int16(live.number)
        thread = Confinement.here
        epoch = core.epoch
        super.init()
        core.attempt(()) {
            let table = try live.held().table
            if core.transaction == nil { rows = try table.rows() } else { keys = try table.keys()[...] }
        }
    }

    override func next(after object: inout ObjectBase?, _ remaining: inout Int) -> Element? {
        guard core.enter() else { return nil }
        return core.attempt(nil) {
            if let object { last = object._key }
            let used = given - remaining
            (given, remaining) = (0, 0)
            if core.isFrozen, thread != Confinement.here { return try goOnHere(&object, &remaining) }
            guard epoch == core.epoch, rows != nil else { return try nextByKey() as? Element }
            if used > 0 { rows?.skip(used) }
            return try nextByRow(&object, &remaining)
        }
    }

    /// Continues the iteration of a frozen realm on another thread than before.
    private func goOnHere(_ object: inout ObjectBase?, _ remaining: inout Int) throws -> Element? {
        thread = Confinement.here
        live = core.live(classNumber)
        object = nil
        let table = try live.held().table
        rows = last == .max ? nil : try last.map { try table.rows(from: ObjectKey($0 + 1)) } ?? table.rows()
        return try nextByRow(&object, &remaining)
    }

    private func nextByRow(_ object: inout ObjectBase?, _ remaining: inout Int) throws -> Element? {
        guard let row = try rows?.next() else {
            object = nil
            return nil
        }
        last = row.key.rawValue
        let next = try live.object(row)
        next.live(in: core).bind(next, to: row)
        object = next
        // Next to an object of this class there may be one of a subclass.
        if !live.isVarious, next._canBeReadHere, live.model.keepsNothing { remaining = rows?.neighbours ?? 0 }
        given = remaining
        return next as? Element
    }

    /// The next object that still exists, after the realm moved to another version.
    private func nextByKey() throws -> ObjectBase? {
        if keys == nil {
            keys = try live.held().table.keys().drop { key in last.map { key.rawValue <= $0 } ?? false }
            rows = nil
        }
        while let key = keys?.popFirst() {
            if let object = try live.object(key) { return object }
        }
        return nil
    }
}
