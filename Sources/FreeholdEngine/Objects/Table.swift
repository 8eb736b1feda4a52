/// A class as one snapshot or write transaction sees it, for looking up objects.
///
/// ```swift
/// let people = try database.snapshot().table("Person")
/// let age = try people.column("age")
/// if let row = try people.row(ObjectKey(17)) { print(try row.int(age)) }
/// ```
/// Costs nothing to copy. Use it on its snapshot's thread, while the snapshot stays at its version.
public struct Table {
    let state: TableState
    let schemaOf: StoredSchema
    /// Keeps the snapshot's pin, or the transaction, alive.
    let owner: any TableOwner
    /// The transaction's side of the class, or nil in a snapshot.
    let writer: TableWriter?
    /// Which objects belong to it, if the class extends another one or its subclasses are excluded; nil for all.
    let scope: ClassScope?

    /// The number of the class.
    var number: UInt32 { scope?.number ?? state.stored.number }

    /// The class: name, properties in the order of `columns`, primary key, indexes; including those of the classes it
    /// extends. (Its own declaration alone is in the `classes` of a snapshot or transaction.)
    public var schema: ClassSchema { schemaOf.wholeClass(Int(number)) }

    /// The number of objects of the class and its subclasses.
    public var count: Int { scope.map { state.count(in: $0) } ?? state.count }

    /// The key of the next object that is created without one.
    public var nextKey: ObjectKey { ObjectKey(state.root.nextKey) }

    /// The objects of all classes that this one extends, or that extend one of these: they share their keys.
    public var family: Table { Table(state: state, schemaOf: schemaOf, owner: owner, writer: writer, scope: nil) }

    /// The property with this name, of the class or of one that it extends, to be passed to row readers.
    public func column(_ property: String) throws(FreeholdError) -> Column {
        state.stored.column(try state.stored.place(of: property, in: number))
    }

    /// The property as it is in this version; throws if it is of another class, or was dropped.
    func own(_ column: Column) throws(FreeholdError) -> Column {
        column.stamp == state.stamp ? column : state.stored.column(try state.stored.index(of: column))
    }

    /// The number of the table that has the objects, which those of other classes may share.
    var tableNumber: Int { Int(state.stored.number) }

    /// Every property, in the schema's order; those of the classes it extends first.
    public var columns: [Column] { state.stored.columns(of: number).map { state.stored.column($0) } }

    /// The value of each of `columns` in an object that was created without naming it.
    public var initialValues: [Value] { state.stored.columns(of: number).map { state.stored.properties[$0].initialValue } }

    /// Whether there is an object with this key.
    public func contains(_ key: ObjectKey) throws(FreeholdError) -> Bool {
        guard let place = try state.find(key.rawValue) else { return false }
        return try isMeant(place)
    }

    /// The object with this key, or nil.
    @inline(__always)
    public func row(_ key: ObjectKey) throws(FreeholdError) -> Row? {
        guard let place = try state.find(key.rawValue) else { return nil }
        if scope != nil, try !isMeant(place) { return nil }
        state.noteGivenRows()
        return Row(state: state, place: place, key: key)
    }

    /// Whether an object of the table is an object of this class.
    @inline(__always)
    func isMeant(_ place: RowPlace) throws(FreeholdError) -> Bool { try isMeant(place, in: state) }

    /// Whether the object at a place, found by way of another state of the table, is an object of this class.
    @inline(__always)
    func isMeant(_ place: RowPlace, in state: TableState) throws(FreeholdError) -> Bool {
        guard let scope else { return true }
        return try scope.contains(state.tag(place))
    }

    /// The value of one property of one object; throws `.noSuchObject`.
    public func value(_ key: ObjectKey, _ column: Column) throws(FreeholdError) -> Value {
        let value = try existing(key).value(column)
        try state.access.requireIntactMapping()
        return value
    }

    /// The values of all properties of one object, in the schema's order; throws `.noSuchObject`.
    public func values(_ key: ObjectKey) throws(FreeholdError) -> [Value] {
        let row = try existing(key)
        var values: [Value] = []
        for column in columns { values.append(try row.value(column)) }
        try state.access.requireIntactMapping()
        return values
    }

    private func existing(_ key: ObjectKey) throws(FreeholdError) -> Row {
        if let row = try row(key) { return row }
        throw FreeholdError(.noSuchObject, "class '\(schema.name)' has no object with key \(key)")
    }

    /// The object whose primary key is `value`, or nil; throws if the class has no primary key or of another type.
    public func key(primaryKey value: Value) throws(FreeholdError) -> ObjectKey? {
        guard let index = state.stored.primaryKey else {
            throw FreeholdError(.invalidArgument, "class '\(state.stored.name)' has no primary key")
        }
        let property = state.stored.properties[index]
        let wanted = try property.accepting(value, class: state.stored.name)
        if case .int(let key) = wanted, property.isObjectKey {
            return try contains(ObjectKey(key)) ? ObjectKey(key) : nil
        }
        if let writer { return try meant(writer.claims.find(wanted, column: index, in: writer).map { ObjectKey($0) }) }
        return try keys(state.stored.column(index), equals: wanted).first
    }
}
