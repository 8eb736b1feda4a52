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
    let writer: CollectionWriter

    /// The present contents of the list, valid until the next change.
    public func view() throws(FreeholdError) -> ListView { ListView(reader: try writer.reader().requiring(.list)) }

    /// Appends a value.
    public func append(_ value: Value) throws(FreeholdError) { try writer.change(.insert([value], at: nil)) }

    /// Appends elements in pieces of some thousands, so that a long sequence needs little extra memory.
    ///
    /// - Throws: as the writer's other calls. While an object is being filled, the pieces before a refused one stay.
    public func append(contentsOf values: some Sequence<Value>) throws(FreeholdError) {
        var rest = values.makeIterator()
        let first = Self.piece(of: &rest)
        guard first.count == CollectionWriter.piece else { return first.isEmpty ? () : try writer.change(.insert(first, at: nil)) }
        try writer.transaction.undoingIfSteady { () throws(FreeholdError) in
            var piece = first
            while !piece.isEmpty {
                try writer.change(.insert(piece, at: nil))
                piece = Self.piece(of: &rest)
            }
        }
    }

    private static func piece<Values: IteratorProtocol<Value>>(of values: inout Values) -> [Value] {
        var piece: [Value] = []
        while piece.count < CollectionWriter.piece, let value = values.next() { piece.append(value) }
        return piece
    }

    /// Inserts a value before the one at `position`, which may be the list's count.
    public func insert(_ value: Value, at position: Int) throws(FreeholdError) { try writer.change(.insert([value], at: position)) }
    /// Inserts values before the one at `position`, in their order.
    public func insert(contentsOf values: [Value], at position: Int) throws(FreeholdError) { try writer.change(.insert(values, at: position)) }
    /// Removes the element at a position.
    public func remove(at position: Int) throws(FreeholdError) { try writer.change(.remove(position..<position + 1)) }
    /// Removes the elements of a range of positions.
    public func remove(_ range: Range<Int>) throws(FreeholdError) { try writer.change(.remove(range)) }
    /// Replaces the element at a position.
    public func replace(at position: Int, with value: Value) throws(FreeholdError) { try writer.change(.replace(position, value)) }

    /// Moves an element. `target` is its position after the move.
    public func move(from position: Int, to target: Int) throws(FreeholdError) { try writer.change(.move(position, target)) }
    /// Exchanges two elements.
    public func swap(_ one: Int, _ other: Int) throws(FreeholdError) { try writer.change(.swap(one, other)) }
    /// Removes all elements.
    public func removeAll() throws(FreeholdError) { try writer.change(.removeAll) }

    /// Replaces the list's contents by these elements.
    public func assign(_ values: [Value]) throws(FreeholdError) { try writer.change(.assign(.list(values))) }

    /// Creates an object of the embedded class that the list links to, before `position`, or at the end.
    ///
    /// - Parameter className: a subclass of the class that the list links to; nil for that class itself.
    @discardableResult
    public func embed(_ values: [(String, Value)], as className: String? = nil, at position: Int? = nil) throws(FreeholdError) -> ObjectKey {
        try writer.transaction.embed(values, as: className, in: writer) { .insert([$0], at: position) }
    }

    /// Creates an embedded object in place of the object at `position`, which is deleted.
    @discardableResult
    public func embed(_ values: [(String, Value)], as className: String? = nil, replacing position: Int) throws(FreeholdError) -> ObjectKey {
        try writer.transaction.embed(values, as: className, in: writer) { .replace(position, $0) }
    }

    /// The list at a position.
    public func list(at position: Int) -> ListWriter { ListWriter(writer: writer.below(.position(position))) }
    /// The set at a position.
    public func set(at position: Int) -> SetWriter { SetWriter(writer: writer.below(.position(position))) }
    /// The map at a position.
    public func map(at position: Int) -> MapWriter { MapWriter(writer: writer.below(.position(position))) }
}

/// Changes one set of an object, or a set within its collections; as `ListWriter`. In a set of mixed values 1 and 1.0
/// are distinct.
public struct SetWriter {
    let writer: CollectionWriter

    /// The present contents of the set, valid until the next change.
    public func view() throws(FreeholdError) -> SetView { SetView(reader: try writer.reader().requiring(.set)) }

    /// Inserts a value unless the set contains it.
    public func insert(_ value: Value) throws(FreeholdError) { try writer.change(.add([value])) }
    /// Inserts the values that the set does not contain.
    public func insert(contentsOf values: [Value]) throws(FreeholdError) { try writer.change(.add(values)) }

    /// Removes a value if the set contains it.
    public func remove(_ value: Value) throws(FreeholdError) { try writer.change(.discard([value])) }
    /// Removes those of the values that the set contains.
    public func remove(contentsOf values: [Value]) throws(FreeholdError) { try writer.change(.discard(values)) }
    /// Removes all elements.
    public func removeAll() throws(FreeholdError) { try writer.change(.removeAll) }

    /// Replaces the set's contents by these values.
    public func assign(_ values: [Value]) throws(FreeholdError) { try writer.change(.assign(.set(values))) }
}

/// Changes one map of an object, or a map within its collections; as `ListWriter`.
public struct MapWriter {
    let writer: CollectionWriter

    /// The present contents of the map, valid until the next change.
    public func view() throws(FreeholdError) -> MapView { MapView(reader: try writer.reader().requiring(.map)) }

    /// Sets the value of a key.
    public func set(_ value: Value, for key: String) throws(FreeholdError) { try writer.change(.put([(key, value)])) }

    /// Removes a key if the map has it.
    public func remove(_ key: String) throws(FreeholdError) { try writer.change(.removeKeys([key])) }
    /// Removes all keys.
    public func removeAll() throws(FreeholdError) { try writer.change(.removeAll) }

    /// Replaces the map's contents by these entries.
    public func assign(_ entries: TextMap<Value>) throws(FreeholdError) { try writer.change(.assign(.map(entries))) }

    /// Creates an object of the embedded class that the map links to, in place of the object under the key.
    ///
    /// - Parameter className: a subclass of the class that the map links to; nil for that class itself.
    @discardableResult
    public func embed(_ values: [(String, Value)], as className: String? = nil, for key: String) throws(FreeholdError) -> ObjectKey {
        try writer.transaction.embed(values, as: className, in: writer) { .put([(key, $0)]) }
    }

    /// The list of a key. Its first change creates the key.
    public func list(for key: String) -> ListWriter { ListWriter(writer: writer.below(.key(key))) }
    /// The set of a key. Its first change creates the key.
    public func set(for key: String) -> SetWriter { SetWriter(writer: writer.below(.key(key))) }
    /// The map of a key. Its first change creates the key.
    public func map(for key: String) -> MapWriter { MapWriter(writer: writer.below(.key(key))) }
}
