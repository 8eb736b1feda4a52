/// Queries that an ordered tree over a column answers. The tail is in no tree: each query also searches the tail.
extension Table {
    /// The number of objects that have this value; throws `.invalidArgument` if the property is not indexed.
    public func count(_ column: Column, equals value: Value) throws(FreeholdError) -> Int {
        let column = try own(column)
        let wanted = try fitting(value, column)
        if column.isObjectKey || mustSift(column) { return try keys(column, equals: wanted).count }
        let key = indexKey(wanted, column)
        var count = 0
        try forEachInTail(.property(column.index), of: key.bytes) { _ in count += 1 }
        count += try index(column, for: wanted).count(of: key.bytes)
        try state.access.requireIntactMapping()
        return count
    }

    /// The keys of the objects that have this value, ascending.
    public func keys(_ column: Column, equals value: Value) throws(FreeholdError) -> [ObjectKey] {
        let column = try own(column)
        let wanted = try fitting(value, column)
        if column.isObjectKey {
            guard case .int(let key) = wanted, try contains(ObjectKey(key)) else { return [] }
            return [ObjectKey(key)]
        }
        let key = indexKey(wanted, column)
        var found: [ObjectKey] = []
        try forEachInTail(.property(column.index), of: key.bytes) { found.append($0) }
        var cursor = try index(column, for: wanted).cursor(of: key.bytes)
        while try cursor.next() { found.append(cursor.objectKey) }
        try state.access.requireIntactMapping()
        return mustSift(column) ? try meant(found.sorted()) : found.sorted()
    }

    /// The keys of the objects whose value lies in `from ..< to` (nil: open), ordered by value, then by key.
    public func keys(_ column: Column, from: Value?, to: Value?, descending: Bool = false,
                     limit: Int = .max) throws(FreeholdError) -> [ObjectKey] {
        let column = try own(column), from = try from.map { value throws(FreeholdError) in try fitting(value, column) }
        let to = try to.map { value throws(FreeholdError) in try fitting(value, column) }
        if column.isObjectKey { return try objectKeys(from: from, to: to, descending: descending, limit: limit) }
        var objects = try ordered(column, from: from, to: to, descending: descending)
        return try objects.take(limit)
    }

    /// The next `limit` keys of a range after `place`, which moves on to the last of them. Fewer are returned only at
    /// the end.
    ///
    /// ```swift
    /// var place: IndexPlace?
    /// var some: [ObjectKey]
    /// repeat {
    ///     some = try people.keys(age, from: .int(18), to: nil, after: &place, limit: 256)
    /// } while some.count == 256
    /// ```
    /// The position to continue at is found in logarithmic time, however many objects have the same value.
    ///
    /// - Parameter place: nil for the beginning; else from a walk over the same property, in the same direction.
    /// - Throws: `.typeMismatch` if the place is among values of another type.
    public func keys(_ column: Column, from: Value?, to: Value?, descending: Bool = false, after place: inout IndexPlace?,
                     limit: Int) throws(FreeholdError) -> [ObjectKey] {
        let column = try own(column), from = try from.map { value throws(FreeholdError) in try fitting(value, column) }
        let to = try to.map { value throws(FreeholdError) in try fitting(value, column) }
        try place?.requireFit(column, state.stored.properties[column.index].name)
        if column.isObjectKey {
            let found = try objectKeys(from: from, to: to, descending: descending, after: place?.last.object, limit: limit)
            if let last = found.last { place = IndexPlace(column, KeyedObject(key: [], object: last)) }
            return found
        }
        var objects = try ordered(column, from: from, to: to, descending: descending, after: place?.last)
        let found = try objects.take(limit)
        if let last = try objects.last() { place = IndexPlace(column, last) }
        return found
    }

    /// The objects whose value lies in a range, after `place`.
    private func ordered(_ column: Column, from: Value?, to: Value?, descending: Bool,
                         after last: KeyedObject? = nil) throws(FreeholdError) -> OrderedObjects {
        let low = from.map { indexKey($0, column) }, high = to.map { indexKey($0, column) }, end = high ?? column.endOfValues
        var waiting: [KeyedObject] = []
        try forEachInTail(.property(column.index), from: low?.bytes, before: end?.bytes) { key, object in
            waiting.append(KeyedObject(key: Array(key), object: object))
        }
        if let last { waiting.removeAll { descending ? !($0 < last) : !(last < $0) } }
        let tree = try index(column)
        var ranks = try tree.ranks(from: low?.bytes, to: end?.bytes)
        if let last {
            let key = ByteBuffer(capacity: last.key.count)
            // Safe: copied at once.
            last.key.withUnsafeBytes { key.append($0) }
            ranks = try tree.ranks(ranks, behind: key.bytes, last.object.rawValue, descending: descending)
        }
        return try OrderedObjects(self, IndexCursor(tree, ranks: ranks), waiting, descending: descending, isSifted: mustSift(column))
    }

    /// Whether a column's tree has objects that are not of this class.
    func mustSift(_ column: Column) -> Bool { scope.map { !$0.hasAll(of: state.stored.properties[column.index]) } ?? false }

    /// The number of objects of this class that link to the object with `key` through `column`.
    public func backlinkCount(to key: ObjectKey, from column: Column) throws(FreeholdError) -> Int {
        try count(column, equals: .link(key))
    }

    /// The objects of this class that link to the object with `key` through `column`, ascending.
    public func backlinks(to key: ObjectKey, from column: Column) throws(FreeholdError) -> [ObjectKey] {
        try keys(column, equals: .link(key))
    }

    /// The objects that link to the object with `key` through `column`, ascending, each as often as it links: an object
    /// whose list or map has the other one twice comes twice.
    public func links(to key: ObjectKey, from column: Column) throws(FreeholdError) -> [ObjectKey] {
        let sources = try backlinks(to: key, from: column), column = try own(column)
        guard let shape = state.stored.properties[column.index].shape, !shape.isPlain || shape.kind != .set else { return sources }
        var found: [ObjectKey] = []
        for source in sources {
            let links = try row(source)?.collection(column).count(of: LinkTarget(key.rawValue)) ?? 0
            found.append(contentsOf: repeatElement(source, count: links))
        }
        return found
    }

    /// The objects of this class that link to an object of any class through `column`, ascending. `column` is a link or
    /// a mixed property, or a collection of such; lists and maps within mixed values are included.
    public func backlinks(to object: ObjectReference, from column: Column) throws(FreeholdError) -> [ObjectKey] {
        let column = try own(column)
        var found = try keys(column, equals: .object(object))
        guard column.type == .mixed, !column.isCollection else { return found }
        let key = ByteBuffer(capacity: 16)
        key.setNestedKey(object)
        try forEachInTail(.property(column.index), of: key.bytes) { found.append($0) }
        var cursor = try index(column, for: .object(object)).cursor(of: key.bytes)
        while try cursor.next() { found.append(cursor.objectKey) }
        return mustSift(column) ? try meant(found.sorted()) : found.sorted()
    }

    /// The number of links to an object that `column` holds, a link or a mixed property, or a collection of such: an
    /// object whose list has it twice counts as two.
    ///
    /// - Parameter targets: the table that has the object.
    func countLinks(to key: ObjectKey, of targets: Table, from column: Column) throws(FreeholdError) -> Int {
        let column = try own(column)
        if column.type == .link { return column.isCollection ? try links(to: key, from: column).count : try backlinkCount(to: key, from: column) }
        let object = targets.reference(to: key), target = LinkTarget(object)
        var count = 0
        for source in try backlinks(to: object, from: column) {
            try row(source)?.forEachTarget(column, distinct: false) { if $0 == target { count += 1 } }
        }
        return count
    }

    /// A reference to an object of this class, as mixed properties hold it.
    public func reference(to key: ObjectKey) -> ObjectReference {
        ObjectReference(classNumber: Int(state.stored.number), key: key)
    }

    private func fitting(_ value: Value, _ column: Column) throws(FreeholdError) -> Value {
        let property = state.stored.properties[column.index]
        if property.type == .link && value == .null {
            throw FreeholdError(.invalidArgument, "null links are not indexed; scan all objects of class "
                + "'\(state.stored.name)' to find those whose '\(property.name)' is null")
        }
        if let kind = value.collectionKind {
            throw FreeholdError(.invalidArgument, "a \(kind.name) is not indexed; scan all objects of class '\(state.stored.name)' for "
                + "those whose '\(property.name)' equals it")
        }
        if property.isNullable || value != .null { return try property.accepting(schemaOf.canonical(value), class: state.stored.name) }
        return value
    }

    private func indexKey(_ value: Value, _ column: Column) -> ByteBuffer {
        let key = ByteBuffer(capacity: 64)
        key.setIndexKey(value, of: column.type)
        return key
    }

    /// The tree over a column, with everything this transaction changed.
    ///
    /// - Parameter value: the only value that will be looked up; the tree may lack others.
    func index(_ column: Column, for value: Value? = nil) throws(FreeholdError) -> OrderedIndex {
        let property = state.stored.properties[column.index]
        guard property.filesAll || property.hasTree && value.map({ property.files($0) }) ?? false else {
            throw FreeholdError(.invalidArgument, "property '\(property.name)' of class "
                + "'\(state.stored.name)' is not indexed; declare it indexed, or scan all objects")
        }
        let root = try writer?.index(column.index) ?? state.root.auxiliary(.index, column.index)
        return OrderedIndex(root: root, access: state.access)
    }

    /// Calls `body` with each object of the tail that would be filed under a key, in no order.
    func forEachInTail(_ source: IndexSource, of key: UnsafeRawBufferPointer, _ body: (ObjectKey) -> Void) throws(FreeholdError) {
        guard state.hasRowsInTail else { return }
        try state.forEachInTail(source, of: key, isKept: try writer?.noteQuestion() ?? true, body)
    }

    /// Calls `body` with each object of the tail from one key to before another, and its key, valid for the call; nil:
    /// open.
    func forEachInTail(_ source: IndexSource, from low: UnsafeRawBufferPointer?, before high: UnsafeRawBufferPointer?,
                       _ body: (UnsafeRawBufferPointer, ObjectKey) -> Void) throws(FreeholdError) {
        guard state.hasRowsInTail else { return }
        try state.forEachInTail(source, from: low, before: high, isKept: try writer?.noteQuestion() ?? true, body)
    }
}

extension Column {
    /// The key behind the keys of all values; nil if nothing else is filed.
    var endOfValues: ByteBuffer? {
        guard type == .mixed, !isCollection else { return nil }
        let end = ByteBuffer(capacity: 16)
        end.append(ByteBuffer.nestedTag)
        return end
    }
}
