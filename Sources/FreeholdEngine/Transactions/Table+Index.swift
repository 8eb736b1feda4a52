/// Questions that an ordered tree over a column answers. The tail is in no tree: each of them also looks there.
extension Table {
    /// How many objects have this value; throws `.invalidArgument` if the property is not indexed.
    public func count(_ column: Column, equals value: Value) throws(FreeholdError) -> Int {
        let column = try own(column)
        let wanted = try fitting(value, column)
        if column.isObjectKey || mustSift(column) { return try keys(column, equals: wanted).count }
        let key = indexKey(wanted, column)
        let sealed = try index(column, for: wanted).count(of: key.bytes)
        let inTail = try state.hasTail ? tailKeys(column) { $0.elementsEqual(key.bytes) }.count : 0
        try state.access.requireIntactMapping()
        return sealed + inTail
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
        var found = try tailKeys(column) { $0.elementsEqual(key.bytes) }.map(\.object)
        var cursor = try index(column, for: wanted).cursor(of: key.bytes)
        while try cursor.next() { found.append(cursor.objectKey) }
        try state.access.requireIntactMapping()
        return mustSift(column) ? try meant(found.sorted()) : found.sorted()
    }

    /// The keys of the objects whose value lies in `from ..< to` (nil: open), ordered by value, then by key.
    public func keys(_ column: Column, from: Value?, to: Value?, descending: Bool = false,
                     limit: Int = .max) throws(FreeholdError) -> [ObjectKey] {
        let column = try own(column)
        let low: ByteBuffer? = if let from { indexKey(try fitting(from, column), column) } else { nil }
        let high: ByteBuffer? = if let to { indexKey(try fitting(to, column), column) } else { nil }
        if column.isObjectKey { return try objectKeys(from: from, to: to, descending: descending, limit: limit) }
        let waiting = try tailKeys(column) { key in
            (low == nil || !key.lexicographicallyPrecedes(low!.bytes)) && (high == nil || key.lexicographicallyPrecedes(high!.bytes))
        }.sorted { descending ? $1 < $0 : $0 < $1 }[...]
        let end = high ?? column.endOfValues
        var cursor = try index(column).cursor(from: low?.bytes, to: end?.bytes)
        if descending { cursor.moveToEnd() }
        return try merge(&cursor, waiting, descending: descending, limit: limit, sifting: mustSift(column))
    }

    /// Whether a column's tree has objects that are not of this class.
    func mustSift(_ column: Column) -> Bool { scope.map { !$0.hasAll(of: state.stored.properties[column.index]) } ?? false }

    /// The objects that a cursor and the tail have, in their common order.
    ///
    /// - Parameter sifting: whether some of them may not be of this class.
    func merge(_ cursor: inout IndexCursor, _ tail: ArraySlice<KeyedObject>, descending: Bool,
               limit: Int, sifting: Bool) throws(FreeholdError) -> [ObjectKey] {
        var waiting = tail
        if sifting {
            waiting = []
            for row in tail { if try contains(row.object) { waiting.append(row) } }
        }
        var found: [ObjectKey] = []
        while found.count < limit, try descending ? cursor.previous() : cursor.next() {
            if sifting, try !contains(cursor.objectKey) { continue }
            if !waiting.isEmpty {
                let sealed = KeyedObject(key: try cursor.key(), object: cursor.objectKey)
                while let tail = waiting.first, descending ? sealed < tail : tail < sealed, found.count < limit {
                    found.append(tail.object)
                    waiting = waiting.dropFirst()
                }
            }
            if found.count < limit { found.append(cursor.objectKey) }
        }
        try state.access.requireIntactMapping()
        return found + waiting.prefix(limit - found.count).map(\.object)
    }

    /// How many objects of this class link to the object with `key` through `column`.
    public func backlinkCount(to key: ObjectKey, from column: Column) throws(FreeholdError) -> Int {
        try count(column, equals: .link(key))
    }

    /// The objects of this class that link to the object with `key` through `column`, ascending.
    public func backlinks(to key: ObjectKey, from column: Column) throws(FreeholdError) -> [ObjectKey] {
        try keys(column, equals: .link(key))
    }

    /// The same, each as often as it links: an object whose list or map has the other one twice comes twice.
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

    /// The objects of this class that link to an object of any class through `column`, a link or a mixed property, or a collection of
    /// such; lists and maps within mixed values included; ascending.
    public func backlinks(to object: ObjectReference, from column: Column) throws(FreeholdError) -> [ObjectKey] {
        let column = try own(column)
        var found = try keys(column, equals: .object(object))
        guard column.type == .mixed, !column.isCollection else { return found }
        try state.forEachTailRow { row throws(FreeholdError) in
            if try state.value(.tail(row), column.index).nestedReferences.contains(object) { found.append(ObjectKey(row.key)) }
        }
        let key = ByteBuffer(capacity: 16)
        key.setNestedKey(object)
        var cursor = try index(column, for: .object(object)).cursor(of: key.bytes)
        while try cursor.next() { found.append(cursor.objectKey) }
        return found.sorted()
    }

    /// An object of this class as mixed properties link to it.
    public func reference(to key: ObjectKey) -> ObjectReference {
        ObjectReference(classNumber: Int(state.stored.number), key: key)
    }

    private func fitting(_ value: Value, _ column: Column) throws(FreeholdError) -> Value {
        let property = state.stored.properties[column.index]
        if property.type == .link && value == .null {
            throw FreeholdError(.invalidArgument, "links that are null are not filed; look at every object of class "
                + "'\(state.stored.name)' to find those whose '\(property.name)' is null")
        }
        if let kind = value.collectionKind {
            throw FreeholdError(.invalidArgument, "no index finds a \(kind.name); look at every object of class '\(state.stored.name)' for "
                + "those whose '\(property.name)' is this one")
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
    /// - Parameter value: the only one asked for; the tree may lack others.
    func index(_ column: Column, for value: Value? = nil) throws(FreeholdError) -> OrderedIndex {
        let property = state.stored.properties[column.index]
        guard property.filesAll || property.hasTree && value.map({ property.files($0) }) ?? false else {
            throw FreeholdError(.invalidArgument, "property '\(property.name)' of class "
                + "'\(state.stored.name)' is not indexed; declare it indexed or look at every object")
        }
        let root = try writer?.index(column.index) ?? state.root.auxiliary(.index, column.index)
        return OrderedIndex(root: root, access: state.access)
    }

    /// The tail's objects whose index key `matches`.
    private func tailKeys(_ column: Column, matches: (UnsafeRawBufferPointer) -> Bool) throws(FreeholdError) -> [KeyedObject] {
        if let writer, writer.buffer.count > 4 * TableWriter.tailRows { try writer.seal() }
        var found: [KeyedObject] = []
        let key = ByteBuffer(capacity: 64)
        let property = state.stored.properties[column.index]
        try state.forEachTailRow { row throws(FreeholdError) in
            if property.shape != nil {
                try state.forEachLink(.tail(row), column.index, distinct: true) { target throws(FreeholdError) in
                    key.setIndexKey(target.value, of: property.type)
                    if matches(key.bytes) { found.append(KeyedObject(key: key.array, object: ObjectKey(row.key))) }
                }
                return
            }
            // As in the tree: links that are null are not filed.
            if property.type == .link, column.index >= row.columns || row.isNull(column.index) { return }
            if property.owner != nil, try !state.has(.tail(row), column.index) { return }
            if column.index < row.columns {
                try key.setIndexKey(row, column.index, state.stored.layout, type: property.type)
            } else {
                key.setIndexKey(property.defaultValue, of: property.type)
            }
            if matches(key.bytes) { found.append(KeyedObject(key: key.array, object: ObjectKey(row.key))) }
        }
        return found
    }

    private func objectKeys(from: Value?, to: Value?, descending: Bool, limit: Int) throws(FreeholdError) -> [ObjectKey] {
        var low = Int64.min, end: Int64?
        if case .int(let number) = from { low = number }
        if case .int(let number) = to { end = number }
        var found: [ObjectKey] = []
        do {
            try forEach(from: ObjectKey(low)) { row in
                if let end, row.key.rawValue >= end { return false }
                found.append(row.key)
                return descending || found.count < limit
            }
        } catch let error as FreeholdError {
            throw error
        } catch {
            preconditionFailure("the body above throws nothing of its own")
        }
        return Array((descending ? found.reversed() : found).prefix(limit))
    }
}

extension Column {
    /// Behind the keys of all values; nil where nothing else is filed.
    var endOfValues: ByteBuffer? {
        guard type == .mixed, !isCollection else { return nil }
        let end = ByteBuffer(capacity: 16)
        end.append(ByteBuffer.nestedTag)
        return end
    }
}

/// An object under its index key, in the order of a tree.
struct KeyedObject: Comparable {
    let key: [UInt8]
    let object: ObjectKey

    static func < (left: KeyedObject, right: KeyedObject) -> Bool {
        left.key == right.key ? left.object < right.object : left.key.lexicographicallyPrecedes(right.key)
    }
}
