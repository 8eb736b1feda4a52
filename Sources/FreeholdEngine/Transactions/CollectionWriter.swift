/// Changes one collection of an object, of any kind, or a collection within it. It names the collection by its object,
/// property and path.
///
/// `ListWriter`, `SetWriter` and `MapWriter` are what callers use of it: each for one kind.
public struct CollectionWriter {
    let transaction: WriteTransaction
    let table: Table
    let key: ObjectKey
    let column: Column
    var path: [CollectionStep] = []

    /// The number of elements of a sequence that are appended at once.
    static let piece = 16_384

    /// The writer as one of a list.
    public var list: ListWriter { ListWriter(writer: self) }
    /// The writer as one of a set.
    public var set: SetWriter { SetWriter(writer: self) }
    /// The writer as one of a map.
    public var map: MapWriter { MapWriter(writer: self) }

    /// Removes all elements.
    public func removeAll() throws(FreeholdError) { try change(.removeAll) }

    func below(_ step: CollectionStep) -> CollectionWriter {
        var writer = self
        writer.path.append(step)
        return writer
    }

    func change(_ change: CollectionChange) throws(FreeholdError) {
        let writer = try transaction.own(table), column = try writer.state.index(of: column)
        try transaction.require(key, of: table, writer, has: column)
        let change = writer.stored.properties[column].type == .mixed ? change.mapping(transaction.schema.canonical) : change
        for value in change.values { try transaction.checkLink(writer, column, value) }
        if writer.stored.properties[column].type == .mixed, !self.column.isCollection {
            return try changeMixed(change, writer, column)
        }
        guard let rule = transaction.ownership(writer, column) else {
            return try writer.collections.change(key.rawValue, column, change, at: path)
        }
        let gone = try transaction.owned(by: key.rawValue, writer, rule) { reader throws(FreeholdError) in
            try reader.links(touchedBy: change, at: path[...])
        }
        try writer.collections.change(key.rawValue, column, change, at: path)
        try transaction.delete(gone)
    }

    /// Changes a list or map in a mixed property. It is one value, which is created anew.
    private func changeMixed(_ change: CollectionChange, _ writer: TableWriter, _ column: Int) throws(FreeholdError) {
        guard let found = try writer.state.find(key.rawValue) else { throw writer.noSuchObject(key.rawValue) }
        var value = try writer.state.value(found, column)
        guard let kind = value.collectionKind else { throw writer.stored.properties[column].noCollection(class: writer.stored.name) }
        try value.apply(change, at: path[...], .mixed(kind))
        try writer.set(key.rawValue, column, to: value)
    }

    func reader() throws(FreeholdError) -> CollectionReader {
        let writer = try transaction.own(table), column = try writer.state.index(of: column)
        try transaction.require(key, of: table, writer, has: column)
        guard let found = try writer.state.find(key.rawValue) else { throw writer.noSuchObject(key.rawValue) }
        guard let collection = try writer.state.anyCollection(found, column) else {
            throw writer.stored.properties[column].noCollection(class: writer.stored.name)
        }
        return try collection.following(path[...])
    }
}

extension WriteTransaction {
    /// A writer for the list in a property of an object.
    public func list(of key: ObjectKey, in table: Table, _ column: Column) throws(FreeholdError) -> ListWriter {
        try collection(of: key, in: table, column, .list).list
    }

    /// A writer for the set in a property of an object.
    public func set(of key: ObjectKey, in table: Table, _ column: Column) throws(FreeholdError) -> SetWriter {
        try collection(of: key, in: table, column, .set).set
    }

    /// A writer for the map in a property of an object.
    public func map(of key: ObjectKey, in table: Table, _ column: Column) throws(FreeholdError) -> MapWriter {
        try collection(of: key, in: table, column, .map).map
    }

    /// A writer for the collection in a property of an object, or for the one at a path within it.
    ///
    /// - Parameter kind: the kind of the property's own collection; throws `.typeMismatch` if it is of another kind.
    func collection(of key: ObjectKey, in table: Table, _ column: Column, _ kind: CollectionKind, at path: [CollectionStep] = [])
        throws(FreeholdError) -> CollectionWriter {
        var writer = CollectionWriter(transaction: self, table: table, key: key, column: column)
        _ = try writer.reader().requiring(kind)
        writer.path = path
        return writer
    }
}
