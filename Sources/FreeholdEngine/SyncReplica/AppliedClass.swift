/// A synced class while an answer is applied to it.
final class AppliedClass {
    let table: Int
    let stored: StoredClass
    let writer: TableWriter
    /// The objects of the class and its subclasses.
    let objects: Table
    let pending: PendingEditor
    /// The columns of the answer's properties; nil for those that the class does not have.
    let columns: [Int?]
    /// Whether a column's value needs nothing but the row: it links to nothing, no other object has to give it up, and the application does
    /// not merge it.
    let standsAlone: [Bool]
    /// The answer's property with an object's class, where that is a subclass.
    let subclass: Int32?

    init(_ stored: StoredClass, _ names: SyncNames.Entry, in transaction: WriteTransaction) throws(FreeholdError) {
        self.stored = stored
        writer = try transaction.writer(Int(stored.number))
        objects = try transaction.table(stored.name).family
        table = Int(stored.number)
        pending = PendingEditor(PendingTrees(writer.state.root), table: stored.number, in: transaction.pending)
        let own = stored.properties.indices.filter { !stored.properties[$0].isClass && $0 != stored.primaryKey }
        columns = names.properties.map { name in own.first { stored.properties[$0].name.isSame(as: name) } }
        standsAlone = stored.properties.indices.map { column in
            let property = stored.properties[column], kind = stored.sync?.kinds[property.number]
            return column != stored.primaryKey && !property.isClass && !property.isUnique && property.shape == nil
                && !property.type.mayLink && kind != .merged
        }
        subclass = names.properties.firstIndex { $0.isSame(as: ReplicaNames.subclass) }.map { Int32($0) }
    }

    /// The identities of its objects' lists, as they were when the transaction began.
    var identities: IdentityReader { IdentityReader(trees: PendingTrees(writer.state.root), access: writer.pending.access) }
    var hasUnique: Bool { stored.properties.contains(where: \.isUnique) }
    var updateWins: Bool { stored.sync?.onConflict == .updateWins }

    /// The object with a primary key.
    func find(_ key: SyncKey) throws(FreeholdError) -> Int64? {
        guard let column = stored.primaryKey, key.fits(stored.properties[column].type) else { return nil }
        if stored.isKeyedByInteger, case .int(let number) = key { return try writer.state.find(number) == nil ? nil : number }
        return try writer.claims.find(key.value, column: column, in: writer)
    }

    /// The deletion of an object with a primary key that is pending, and the primary key's index key.
    func deletion(_ key: SyncKey) throws(FreeholdError) -> (entry: PendingEntry, indexKey: [UInt8])? {
        guard let column = stored.primaryKey, key.fits(stored.properties[column].type) else { return nil }
        let buffer = ByteBuffer()
        buffer.setIndexKey(key.value, of: stored.properties[column].type)
        let object: Int64
        if stored.isKeyedByInteger, case .int(let number) = key {
            object = number
        } else {
            guard let known = try pending.deleted(primaryKey: buffer.array) else { return nil }
            object = known
        }
        guard let entry = try pending.changes(of: object).first(where: { $0.what == .deleted }) else { return nil }
        return (entry, buffer.array)
    }

    /// The primary key of an object.
    func primaryKey(of object: Int64) throws(FreeholdError) -> Value {
        guard let column = stored.primaryKey, let place = try writer.state.find(object) else { return .null }
        return stored.isKeyedByInteger ? .int(object) : try writer.state.value(place, column)
    }
}
