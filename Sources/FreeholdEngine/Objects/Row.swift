/// One object as a reader sees it, looked up once; reading a property costs a few instructions.
///
/// A row is valid while the snapshot (or write transaction) it came from is not moved, changed or ended. These count as
/// a change: a change of one of the class's objects, even if it is refused or undone by a savepoint, and the deletion
/// of objects that the class may link to. Running queries, beginning a savepoint and taking numbers of a sequence do
/// not. (Of a row that `Table.forEach` gave, what was read of an encrypted file may have to be decrypted again.)
public struct Row {
    // Safe: a row is handed out by a table whose snapshot or transaction keeps the state alive; see above. So no reading
    // below need count a reference to it.
    private let state: Unmanaged<TableState>
    let place: RowPlace
    /// The object's key.
    public let key: ObjectKey

    init(state: TableState, place: RowPlace, key: ObjectKey) {
        self.state = .passUnretained(state)
        self.place = place
        self.key = key
    }

    @inline(__always)
    func reading<R>(_ body: (TableState, RowPlace) throws(FreeholdError) -> R) throws(FreeholdError) -> R {
        try state._withUnsafeGuaranteedRef { state in
            Result { () throws(FreeholdError) in
                if state.hasWindow { return try body(state, placeNow(state)) }
                return try body(state, place)
            }
        }.get()
    }

    /// The object's place. Its cluster may have been given back since it was found (`BlockWindow`).
    @inline(never)
    private func placeNow(_ state: TableState) throws(FreeholdError) -> RowPlace {
        guard case .cluster(let cluster, _) = place, cluster.view.kindByte == 0 else { return place }
        guard let found = try state.find(key.rawValue) else {
            throw FreeholdError(.corrupt, "object \(key) was not found at its position; run `freehold check`", path: state.access.path)
        }
        return found
    }

    /// Whether the property is null.
    @inline(__always)
    public func isNull(_ column: Column) throws(FreeholdError) -> Bool { column.isObjectKey ? false : try reading { state, place throws(FreeholdError) in try state.isNull(place, state.index(of: column)) } }

    /// An integer (or bool as 0 and 1, or link as key) property; 0 when null.
    public func int(_ column: Column) throws(FreeholdError) -> Int64 {
        column.isObjectKey ? key.rawValue : try reading { state, place throws(FreeholdError) in try state.integer(place, state.index(of: column)) }
    }

    /// A bool property; false when null.
    public func bool(_ column: Column) throws(FreeholdError) -> Bool { try reading { state, place throws(FreeholdError) in try state.integer(place, state.index(of: column)) } != 0 }

    /// The key of the object that a link points to, or nil.
    public func link(_ column: Column) throws(FreeholdError) -> ObjectKey? {
        guard let key = try reading({ state, place throws(FreeholdError) in try state.link(place, state.index(of: column)) }) else { return nil }
        return ObjectKey(key)
    }

    /// A float or double property; 0 when null.
    public func double(_ column: Column) throws(FreeholdError) -> Double { try reading { state, place throws(FreeholdError) in try state.real(place, state.index(of: column)) } }

    /// The bytes of a string or data property in place (empty when null), valid inside `body` only.
    public func withBytes<R>(_ column: Column, _ body: (UnsafeRawBufferPointer) throws -> R) throws -> R {
        // The bytes stay in place while `body` reads them, whatever else it reads.
        let window = state._withUnsafeGuaranteedRef { $0.window }
        window?.enter()
        defer { window?.leave() }
        return try body(try reading { state, place throws(FreeholdError) in try state.bytes(place, state.index(of: column)) })
    }

    /// The number of bytes of a string or data property, without reading a long one; 0 when null.
    public func byteCount(_ column: Column) throws(FreeholdError) -> Int {
        try requireBytes(column)
        return try reading { state, place throws(FreeholdError) in try state.byteCount(place, column.index) }
    }

    /// A part of the bytes of a string or data property: what exists of `range`. Of a long value only the blocks that
    /// hold the part are read, so reading one piece after the other needs no more memory than a piece.
    ///
    /// ```swift
    /// for start in stride(from: 0, to: try row.byteCount(image), by: 1 << 20) {
    ///     send(try row.read(image, start..<start + 1 << 20))
    /// }
    /// ```
    /// A part of a string may begin and end within a character.
    public func read(_ column: Column, _ range: Range<Int>) throws(FreeholdError) -> [UInt8] {
        try requireBytes(column)
        return try reading { state, place throws(FreeholdError) in try state.bytes(place, column.index, part: range) }
    }

    private func requireBytes(_ column: Column) throws(FreeholdError) {
        if column.type == .string || column.type == .data { return }
        throw FreeholdError(.typeMismatch, "a \(column.type.name) property cannot be read in parts; only string and data properties can")
    }

    /// A string property; empty when null.
    public func string(_ column: Column) throws(FreeholdError) -> String {
        String(decoding: try reading { state, place throws(FreeholdError) in try state.bytes(place, state.index(of: column)) }, as: UTF8.self)
    }

    /// The value of any property.
    public func value(_ column: Column) throws(FreeholdError) -> Value {
        column.isObjectKey ? .int(key.rawValue) : try reading { state, place throws(FreeholdError) in try state.value(place, state.index(of: column)) }
    }

    /// Calls `body` with the target of each link in a property of links or mixed values, or a collection of such.
    ///
    /// - Parameter distinct: whether each target is reported only once.
    func forEachTarget(_ column: Column, distinct: Bool = true, _ body: (LinkTarget) throws(FreeholdError) -> Void) throws(FreeholdError) {
        try reading { state, place throws(FreeholdError) in try state.forEachLink(place, state.index(of: column), distinct: distinct, body) }
    }

    /// The collection of this number in this version of the object; nil if its class does not have the property.
    func collection(numbered number: UInt32) throws(FreeholdError) -> CollectionReader? {
        try reading { state, place throws(FreeholdError) in
            guard let index = state.stored.properties.firstIndex(where: { $0.number == number }) else { return nil }
            return try state.collection(place, index)
        }
    }

    /// A reader of a property that is a collection, or of the one that a mixed property holds; nil for any other value.
    func anyCollection(_ column: Column) throws(FreeholdError) -> CollectionReader? {
        try reading { state, place throws(FreeholdError) in try state.anyCollection(place, state.index(of: column)) }
    }

    /// A reader of a property that is a collection; throws `.typeMismatch` for any other value.
    func collection(_ column: Column) throws(FreeholdError) -> CollectionReader {
        if let collection = try anyCollection(column) { return collection }
        throw try reading { state, _ throws(FreeholdError) in
            state.stored.properties[try state.index(of: column)].noCollection(class: state.stored.name)
        }
    }
}
