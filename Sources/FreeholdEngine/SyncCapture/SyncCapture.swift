/// Notes what a transaction has changed in synced classes, as part of its commit.
///
/// ```
/// version before ─┐ per class: ChangeCursor ─┬► inserted, deleted, replaced ──► created, deleted         ─┐
///                 ├─                         └► changed: plain columns, counters' sums, members, keys ──┴► PendingChange ──► trees
/// its result ─────┘
/// ```
/// It runs once, after the last seal and before any table root is written, and compares the two versions: what the
/// transaction did in between plays no part, and a value that is the same in both is no change. Of a class in which the
/// transaction has touched a few objects only, it compares these, and finds the same (`areAll`).
struct SyncCapture {
    /// The version that the transaction began with. Classes that were not synced then have no objects there.
    let older: DerivedTables
    /// The transaction's result, whose classes are settled.
    let newer: DerivedTables
    /// The older version's number.
    let since: UInt64
    let pending: PendingBlocks
    private let tools: CaptureTools
    let wallMilliseconds: Int64
    /// What a transaction that applies an answer says of identities; nil in all others.
    var applied: AppliedIdentities?
    /// Whether the versions are compared as a whole: other classes may be captured than before, or objects get other identities. Else
    /// the objects that the transaction has touched are compared, if these are few.
    private let comparesAll: Bool
    /// The state of sync: the clock goes on with the first change, and an epoch may end.
    var body: SyncBody
    /// The origin of all changes but increments: the epoch that was open when the transaction began.
    private let origin: PendingOrigin
    /// The stamp of all changes, once there is one.
    private var stamp: SyncStamp?

    init(older: DerivedTables, newer: DerivedTables, since: UInt64, pending: PendingBlocks, _ tools: CaptureTools, wallMilliseconds: Int64,
         body: SyncBody, applied: AppliedIdentities?, comparesAll: Bool) {
        self.comparesAll = comparesAll
        self.tools = tools
        self.older = older
        self.newer = newer
        self.since = since
        self.pending = pending
        self.wallMilliseconds = wallMilliseconds
        self.body = body
        self.applied = applied
        origin = PendingOrigin(slot: 0, epoch: body.epoch)
    }

    /// The origin of increments.
    private var sumOrigin: PendingOrigin { PendingOrigin(slot: 0, epoch: body.epoch) }

    /// The stamp of the commit.
    mutating func now() -> SyncStamp {
        if let stamp { return stamp }
        let made = body.clock.next(wallMilliseconds: wallMilliseconds)
        stamp = made
        return made
    }

    /// The trees of a class with the changes of the transaction; nil if they stay as they are.
    ///
    /// - Parameter writer: the class's, settled.
    mutating func trees(_ writer: TableWriter) throws(FreeholdError) -> PendingTrees? {
        let stored = writer.stored, old = try older.state(Int(stored.number), as: stored)
        let touched = comparesAll ? nil : writer.touched.few
        let new = touched == nil ? try newer.state(Int(stored.number), as: stored) : writer.state
        let known = PendingTrees(new.root)
        tools.reset()
        let change = PendingChange(known, origin, sums: sumOrigin, table: stored.number, tools, in: pending)
        let identities = IdentityChange(known, table: stored.number, tools, in: pending)
        let absent = AbsentLinkTree(known.absent, table: stored.number, tools, in: pending)
        if old.stored !== stored, old.stored.properties.contains(where: { stored.column(numbered: $0.number) == nil }) {
            try change.keep(properties: Set(stored.properties.map(\.number)))
            try identities.keep(properties: Set(stored.properties.map(\.number)))
            try absent.keep(properties: Set(stored.properties.map(\.number)))
        }
        try requireSameKey(old.stored, stored)
        let comparison = ClassCapture(old: old, new: new, change: change, identities: identities, absent: absent)
        if let touched {
            assert((try? areAll(touched, comparison)) != false, "touched objects: nothing else differs")
            let objects = ObjectComparison(old: old, new: new, pairing: tools.pairing(old.stored, stored), since: since)
            for key in touched { if let found = try objects.difference(key) { try note(found, comparison) } }
        } else {
            var cursor = try ChangeCursor(old: old, new: new, tools.pairing(old.stored, new.stored), since: since)
            while let found = try cursor.next() { try note(found, comparison) }
        }
        try identifyUnchanged(comparison)
        try change.write()
        try identities.write()
        var made = change.trees.with(identitiesOf: identities.trees)
        made.absent = absent.root
        return made == known ? nil : made
    }

    private mutating func note(_ found: ObjectDifference, _ comparison: ClassCapture) throws(FreeholdError) {
        switch found.kind {
        case .inserted: try noteCreation(found, comparison)
        case .deleted: try noteDeletion(found, comparison)
        case .replaced:
            try noteDeletion(found, comparison)
            try noteCreation(found, comparison)
        case .changed: try noteChange(found, comparison)
        }
    }

    /// Whether the objects that the transaction has noted are all that differ, and differ in the same.
    private func areAll(_ touched: [Int64], _ own: ClassCapture) throws(FreeholdError) -> Bool {
        let stored = own.new.stored, pairing = tools.pairing(own.old.stored, stored)
        let objects = ObjectComparison(old: own.old, new: own.new, pairing: pairing, since: since)
        var cursor = try ChangeCursor(old: own.old, new: newer.state(Int(stored.number), as: stored), pairing, since: since)
        for key in touched {
            guard let found = try objects.difference(key) else { continue }
            guard let other = try cursor.next(), other.kind == found.kind, other.key == key,
                  other.columns == found.columns else { return false }
        }
        return try cursor.next() == nil
    }

    private func requireSameKey(_ old: StoredClass, _ new: StoredClass) throws(FreeholdError) {
        guard old.sync != nil, new.sync != nil, let before = old.primaryKey, let after = new.primaryKey,
              old.properties[before].number != new.properties[after].number else { return }
        throw FreeholdError(.invalidArgument, "the primary key of the synced class '\(new.name)' cannot change, because objects are known "
            + "to the server by it; unmark the class first")
    }

    private mutating func noteCreation(_ found: ObjectDifference, _ own: ClassCapture) throws(FreeholdError) {
        guard let place = found.new else { return }
        try identifyLists(of: found.key, place, own)
        // An embedded object comes with the property that owns it.
        guard own.isRoot else { return try identify(embedded: found.key, own) }
        if isApplying { return }
        try own.change.create(found.key, now())
        for column in own.counters {
            let value = try own.new.integer(place, column)
            if value != 0 { try add(value, to: column, of: found.key, own) }
        }
    }

    private mutating func noteDeletion(_ found: ObjectDifference, _ own: ClassCapture) throws(FreeholdError) {
        if !own.oldLists.isEmpty { try own.identities.removeLists(of: found.key) }
        if !own.isRoot { try own.identities.unembed(found.key) }
        if isApplying {
            // What the server says of its links is there already, if there is another object under the key.
            if found.new == nil { try own.absent.removeAll(of: found.key) }
            return
        }
        let (isUnsent, hasDroppedSums) = try own.change.remove(found.key)
        try own.absent.removeAll(of: found.key)
        if hasDroppedSums, body.epoch == origin.epoch {
            // A copy of the file has sums of this epoch, too: what is added to them from now on has another name. The transaction's
            // other changes keep the epoch: the order of classes and objects plays no part.
            body.epoch += 1
        }
        own.change.sumOrigin = sumOrigin
        guard own.isRoot, !isUnsent, let place = found.old else { return }
        if own.keyColumn != nil, let column = own.old.stored.primaryKey {
            let key = ByteBuffer(capacity: 64)
            key.setIndexKey(try own.old.value(place, column), of: own.old.stored.properties[column].type)
            try own.change.delete(found.key, key.bytes, now())
        } else {
            try own.change.delete(found.key, nil, now())
        }
    }

    private mutating func noteChange(_ found: ObjectDifference, _ own: ClassCapture) throws(FreeholdError) {
        guard let before = found.old, let after = found.new else { return }
        if let column = own.keyColumn, found.columns.contains(column) {
            // Another primary key is another object.
            try noteDeletion(found, own)
            return try noteCreation(found, own)
        }
        for (column, property) in own.new.stored.properties.enumerated() where found.columns.contains(column) && !property.isClass {
            if isApplying, property.collections.first != .list { continue }
            let difference = ColumnDifference(key: found.key, before: before, after: after, column: column, property: property)
            if own.counters.contains(column) {
                try noteIncrement(difference, own)
            } else if let shape = property.shape {
                try noteCollection(difference, shape, own)
            } else if try !isCut(difference, own) {
                if property.isSingleLink { try own.absent.removeAll(of: found.key, property.number) }
                try own.change.change(found.key, property.number, now())
            }
        }
    }

    // MARK: Counters

    private mutating func noteIncrement(_ difference: ColumnDifference, _ own: ClassCapture) throws(FreeholdError) {
        let before = try own.oldColumn(difference.property).map { column throws(FreeholdError) in
            try own.old.integer(difference.before, column)
        } ?? 0
        let (amount, isOver) = try own.new.integer(difference.after, difference.column).subtractingReportingOverflow(before)
        if isOver { throw tooLarge(difference.column, difference.key, own) }
        try add(amount, to: difference.column, of: difference.key, own)
    }

    private mutating func add(_ amount: Int64, to column: Int, of key: Int64, _ own: ClassCapture) throws(FreeholdError) {
        if try !own.change.add(amount, to: own.new.stored.properties[column].number, of: key, now()) { throw tooLarge(column, key, own) }
    }

    private func tooLarge(_ column: Int, _ key: Int64, _ own: ClassCapture) -> FreeholdError {
        FreeholdError(.valueTooLarge, "the increments of counter '\(own.new.stored.properties[column].name)' of object \(key) of class "
            + "'\(own.new.stored.name)' exceed 64 bits; change it by less")
    }

    // MARK: Links

    /// Whether a link became null because its target was deleted: that is no change of the link, which shows again if the target does.
    private func isCut(_ difference: ColumnDifference, _ own: ClassCapture) throws(FreeholdError) -> Bool {
        guard difference.property.type.mayLink, let column = own.oldColumn(difference.property),
              try own.new.value(difference.after, difference.column) == .null else { return false }
        let value = try own.old.value(difference.before, column)
        guard try isLost(value, difference.property) else { return false }
        if let target = try formerTarget(value, difference.property) {
            try own.absent.insert(.init(object: difference.key, property: difference.property.number, target: target))
        }
        return true
    }

    /// The deleted object that a link led to, by the primary key that it had; nil if others do not know it.
    private func formerTarget(_ value: Value, _ property: StoredProperty) throws(FreeholdError) -> AbsentLinkTree.Target? {
        let number: Int, key: Int64
        switch value {
        case .link(let link): (number, key) = (Int(property.linkTarget ?? 0), link.rawValue)
        case .object(let object): (number, key) = (object.classNumber, object.key.rawValue)
        default: return nil
        }
        guard older.schema.classes.indices.contains(number) else { return nil }
        let table = older.schema.table(of: number), stored = older.schema.classes[table]
        guard stored.sync != nil, let column = stored.primaryKey else { return nil }
        let state = try older.state(table, as: stored)
        guard let place = try state.find(key) else { return nil }
        let buffer = ByteBuffer(capacity: 64)
        buffer.setIndexKey(stored.isKeyedByInteger ? .int(key) : try state.value(place, column), of: stored.properties[column].type)
        return AbsentLinkTree.Target(table: table, indexKey: buffer.array)
    }

    /// Whether a value is a link to an object that the transaction has deleted.
    func isLost(_ value: Value, _ property: StoredProperty) throws(FreeholdError) -> Bool {
        switch value {
        case .link(let key):
            // An embedded object goes with the value that owns it: that is a change of the value.
            guard let target = property.linkTarget, newer.schema.find(number: Int(target))?.isEmbedded != true else { return false }
            return try isDeleted(key.rawValue, Int(target))
        case .object(let object): return try isDeleted(object.key.rawValue, object.classNumber)
        default: return false
        }
    }

    private func isDeleted(_ key: Int64, _ number: Int) throws(FreeholdError) -> Bool {
        guard newer.schema.classes.indices.contains(number) else { return true }
        let table = newer.schema.table(of: number), state = try newer.state(table, as: newer.schema.classes[table])
        guard let place = try state.find(key) else { return true }
        return state.incarnation(place) > since
    }
}

/// The comparison of one class.
struct ClassCapture {
    let old: TableState
    let new: TableState
    let change: PendingChange
    let identities: IdentityChange
    let absent: AbsentLinkTree
    /// The columns of counters.
    let counters: [Int]
    /// The column of the primary key in the newer version; nil if it is the object key.
    let keyColumn: Int?
    /// The columns of lists in the newer version, and in the older one.
    let lists: [Int]
    let oldLists: [Int]
    /// Whether its objects are known by themselves, and not as parts of others.
    var isRoot: Bool { !new.stored.isEmbedded }

    init(old: TableState, new: TableState, change: PendingChange, identities: IdentityChange, absent: AbsentLinkTree) {
        self.identities = identities
        self.old = old
        self.new = new
        self.change = change
        self.absent = absent
        let stored = new.stored
        counters = stored.sync == nil ? [] : stored.properties.indices.filter { stored.isCounter($0) }
        lists = stored.properties.indices.filter { stored.properties[$0].collections.first == .list }
        oldLists = old.stored.properties.indices.filter { old.stored.properties[$0].collections.first == .list }
        keyColumn = stored.primaryKey.flatMap { stored.properties[$0].isObjectKey ? nil : $0 }
    }

    /// The column of a property in the older version; nil if it did not have it.
    func oldColumn(_ property: StoredProperty) -> Int? {
        old.stored === new.stored ? new.stored.column(numbered: property.number) : old.stored.column(numbered: property.number)
    }
}

/// A property of an object that differs in the two versions.
struct ColumnDifference {
    let key: Int64
    let before: RowPlace
    let after: RowPlace
    /// The column in the newer version.
    let column: Int
    let property: StoredProperty
}
