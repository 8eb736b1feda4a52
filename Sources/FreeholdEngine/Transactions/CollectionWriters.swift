/// Changes one list of an object, or a list within its collections. It names the list by its place, so it stays valid
/// while other things change.
///
/// ```swift
/// let scores = try transaction.list(of: key, in: games, scoresColumn)
/// try scores.append(.int(12))
/// try scores.insert(.int(7), at: 0)
/// ```
/// Positions count from 0. A position that the list does not have throws `.invalidArgument`; a value that does not fit
/// throws `.typeMismatch` or `.notNullable`. After an error nothing has changed.
public struct ListWriter {
    let place: CollectionPlace

    /// The present contents of the list, valid until the next change.
    public func view() throws(FreeholdError) -> ListView { ListView(reader: try place.reader().requiring(.list)) }

    /// Appends a value.
    public func append(_ value: Value) throws(FreeholdError) { try place.change(.insert([value], at: nil)) }

    /// Appends elements in pieces of some thousands, so that a long sequence needs little extra memory.
    ///
    /// - Throws: as the writer's other calls. While an object is being filled, the pieces before a refused one stay.
    public func append(contentsOf values: some Sequence<Value>) throws(FreeholdError) {
        var rest = values.makeIterator()
        let first = Self.piece(of: &rest)
        guard first.count == CollectionPlace.piece else { return first.isEmpty ? () : try place.change(.insert(first, at: nil)) }
        try place.transaction.undoingIfSteady { () throws(FreeholdError) in
            var piece = first
            while !piece.isEmpty {
                try place.change(.insert(piece, at: nil))
                piece = Self.piece(of: &rest)
            }
        }
    }

    private static func piece<Values: IteratorProtocol<Value>>(of values: inout Values) -> [Value] {
        var piece: [Value] = []
        while piece.count < CollectionPlace.piece, let value = values.next() { piece.append(value) }
        return piece
    }

    /// Inserts a value before the one at `position`, which may be the list's count.
    public func insert(_ value: Value, at position: Int) throws(FreeholdError) { try place.change(.insert([value], at: position)) }
    /// Inserts values before the one at `position`, in their order.
    public func insert(contentsOf values: [Value], at position: Int) throws(FreeholdError) { try place.change(.insert(values, at: position)) }
    /// Removes the element at a position.
    public func remove(at position: Int) throws(FreeholdError) { try place.change(.remove(position..<position + 1)) }
    /// Removes the elements of a range of positions.
    public func remove(_ range: Range<Int>) throws(FreeholdError) { try place.change(.remove(range)) }
    /// Replaces the element at a position.
    public func replace(at position: Int, with value: Value) throws(FreeholdError) { try place.change(.replace(position, value)) }

    /// Moves an element. `target` is its position after the move.
    public func move(from position: Int, to target: Int) throws(FreeholdError) { try place.change(.move(position, target)) }
    /// Exchanges two elements.
    public func swap(_ one: Int, _ other: Int) throws(FreeholdError) { try place.change(.swap(one, other)) }
    /// Removes all elements.
    public func removeAll() throws(FreeholdError) { try place.change(.removeAll) }

    /// Replaces the list's contents by these elements.
    public func assign(_ values: [Value]) throws(FreeholdError) { try place.change(.assign(.list(values))) }

    /// Creates an object of the embedded class that the list links to, before `position`, or at the end.
    ///
    /// - Parameter className: a subclass of the class that the list links to; nil for that class itself.
    @discardableResult
    public func embed(_ values: [(String, Value)], as className: String? = nil, at position: Int? = nil) throws(FreeholdError) -> ObjectKey {
        try place.transaction.embed(values, as: className, in: place) { .insert([$0], at: position) }
    }

    /// Creates an embedded object in place of the object at `position`, which is deleted.
    @discardableResult
    public func embed(_ values: [(String, Value)], as className: String? = nil, replacing position: Int) throws(FreeholdError) -> ObjectKey {
        try place.transaction.embed(values, as: className, in: place) { .replace(position, $0) }
    }

    /// The list at a position.
    public func list(at position: Int) -> ListWriter { ListWriter(place: place.below(.position(position))) }
    /// The set at a position.
    public func set(at position: Int) -> SetWriter { SetWriter(place: place.below(.position(position))) }
    /// The map at a position.
    public func map(at position: Int) -> MapWriter { MapWriter(place: place.below(.position(position))) }
}

/// Changes one set of an object, or a set within its collections; as `ListWriter`. In a set of mixed values 1 and 1.0
/// are distinct.
public struct SetWriter {
    let place: CollectionPlace

    /// The present contents of the set, valid until the next change.
    public func view() throws(FreeholdError) -> SetView { SetView(reader: try place.reader().requiring(.set)) }

    /// Inserts a value unless the set contains it.
    public func insert(_ value: Value) throws(FreeholdError) { try place.change(.add([value])) }
    /// Inserts the values that the set does not contain.
    public func insert(contentsOf values: [Value]) throws(FreeholdError) { try place.change(.add(values)) }

    /// Removes a value if the set contains it.
    public func remove(_ value: Value) throws(FreeholdError) { try place.change(.discard([value])) }
    /// Removes those of the values that the set contains.
    public func remove(contentsOf values: [Value]) throws(FreeholdError) { try place.change(.discard(values)) }
    /// Removes all elements.
    public func removeAll() throws(FreeholdError) { try place.change(.removeAll) }

    /// Replaces the set's contents by these values.
    public func assign(_ values: [Value]) throws(FreeholdError) { try place.change(.assign(.set(values))) }
}

/// Changes one map of an object, or a map within its collections; as `ListWriter`.
public struct MapWriter {
    let place: CollectionPlace

    /// The present contents of the map, valid until the next change.
    public func view() throws(FreeholdError) -> MapView { MapView(reader: try place.reader().requiring(.map)) }

    /// Sets the value of a key.
    public func set(_ value: Value, for key: String) throws(FreeholdError) { try place.change(.put([(key, value)])) }

    /// Removes a key if the map has it.
    public func remove(_ key: String) throws(FreeholdError) { try place.change(.removeKeys([key])) }
    /// Removes all keys.
    public func removeAll() throws(FreeholdError) { try place.change(.removeAll) }

    /// Replaces the map's contents by these entries.
    public func assign(_ entries: TextMap<Value>) throws(FreeholdError) { try place.change(.assign(.map(entries))) }

    /// Creates an object of the embedded class that the map links to, in place of the object under the key.
    ///
    /// - Parameter className: a subclass of the class that the map links to; nil for that class itself.
    @discardableResult
    public func embed(_ values: [(String, Value)], as className: String? = nil, for key: String) throws(FreeholdError) -> ObjectKey {
        try place.transaction.embed(values, as: className, in: place) { .put([(key, $0)]) }
    }

    /// The list of a key. Its first change creates the key.
    public func list(for key: String) -> ListWriter { ListWriter(place: place.below(.key(key))) }
    /// The set of a key. Its first change creates the key.
    public func set(for key: String) -> SetWriter { SetWriter(place: place.below(.key(key))) }
    /// The map of a key. Its first change creates the key.
    public func map(for key: String) -> MapWriter { MapWriter(place: place.below(.key(key))) }
}

/// Where a collection is: an object's property, and the path from there.
struct CollectionPlace {
    let transaction: WriteTransaction
    let table: Table
    let key: ObjectKey
    let column: Column
    var path: [CollectionStep] = []

    /// The number of elements of a sequence that are appended at once.
    static let piece = 16_384

    func below(_ step: CollectionStep) -> CollectionPlace {
        var place = self
        place.path.append(step)
        return place
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
        ListWriter(place: try place(key, table, column, .list))
    }

    /// A writer for the set in a property of an object.
    public func set(of key: ObjectKey, in table: Table, _ column: Column) throws(FreeholdError) -> SetWriter {
        SetWriter(place: try place(key, table, column, .set))
    }

    /// A writer for the map in a property of an object.
    public func map(of key: ObjectKey, in table: Table, _ column: Column) throws(FreeholdError) -> MapWriter {
        MapWriter(place: try place(key, table, column, .map))
    }

    private func place(_ key: ObjectKey, _ table: Table, _ column: Column, _ kind: CollectionKind) throws(FreeholdError) -> CollectionPlace {
        let place = CollectionPlace(transaction: self, table: table, key: key, column: column)
        _ = try place.reader().requiring(kind)
        return place
    }
}
