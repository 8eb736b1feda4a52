/// Questions that an ordered tree over a column answers. The tail is in no tree: each of them also looks there.
extension Table {
    /// How many objects have this value; throws `.invalidArgument` if the property is not indexed.
    public func count(_ column: Column, equals value: Value) throws(FreeholdError) -> Int {
        let column = try own(column)
        let wanted = try fitting(value, column)
        if column.isObjectKey { return try keys(column, equals: wanted).count }
        let key = indexKey(wanted)
        let sealed = try index(column).count(of: key.bytes)
        let inTail = try state.hasTail ? tailKeys(column) { $0.elementsEqual(key.bytes) }.count : 0
        try state.access.requireIntactMapping()
        return sealed + inTail
    }

    /// The keys of the objects that have this value, ascending.
    public func keys(_ column: Column, equals value: Value) throws(FreeholdError) -> [ObjectKey] {
        let column = try own(column)
        let wanted = try fitting(value, column)
        if column.isObjectKey {
            guard case .int(let key) = wanted, try state.find(key) != nil else { return [] }
            return [ObjectKey(key)]
        }
        let key = indexKey(wanted)
        var found = try tailKeys(column) { $0.elementsEqual(key.bytes) }.map(\.object)
        var cursor = try index(column).cursor(of: key.bytes)
        while try cursor.next() { found.append(cursor.objectKey) }
        try state.access.requireIntactMapping()
        return found.sorted()
    }

    /// The keys of the objects whose value lies in `from ..< to` (nil: open), ordered by value, then by key.
    public func keys(_ column: Column, from: Value?, to: Value?, descending: Bool = false,
                     limit: Int = .max) throws(FreeholdError) -> [ObjectKey] {
        let column = try own(column)
        let low: ByteBuffer? = if let from { indexKey(try fitting(from, column)) } else { nil }
        let high: ByteBuffer? = if let to { indexKey(try fitting(to, column)) } else { nil }
        if column.isObjectKey { return try objectKeys(from: from, to: to, descending: descending, limit: limit) }
        var waiting = try tailKeys(column) { key in
            (low == nil || !key.lexicographicallyPrecedes(low!.bytes)) && (high == nil || key.lexicographicallyPrecedes(high!.bytes))
        }.sorted { descending ? $1 < $0 : $0 < $1 }[...]
        var cursor = try index(column).cursor(from: low?.bytes, to: high?.bytes)
        if descending { cursor.moveToEnd() }
        var found: [ObjectKey] = []
        while found.count < limit, try descending ? cursor.previous() : cursor.next() {
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

    private func fitting(_ value: Value, _ column: Column) throws(FreeholdError) -> Value {
        let property = state.stored.properties[column.index]
        if property.type == .link && value == .null {
            throw FreeholdError(.invalidArgument, "links that are null are not filed; look at every object of class "
                + "'\(state.stored.name)' to find those whose '\(property.name)' is null")
        }
        if property.isNullable || value != .null { return try property.accepting(value, class: state.stored.name) }
        return value
    }

    private func indexKey(_ value: Value) -> ByteBuffer {
        let key = ByteBuffer(capacity: 64)
        key.setIndexKey(value)
        return key
    }

    /// The tree over a column, with everything this transaction changed.
    private func index(_ column: Column) throws(FreeholdError) -> OrderedIndex {
        guard state.stored.properties[column.index].hasTree else {
            throw FreeholdError(.invalidArgument, "property '\(state.stored.properties[column.index].name)' of class "
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
                    key.setIndexKey(.link(ObjectKey(target)))
                    if matches(key.bytes) { found.append(KeyedObject(key: key.array, object: ObjectKey(row.key))) }
                }
                return
            }
            // As in the tree: links that are null are not filed.
            if property.type == .link, column.index >= row.columns || row.isNull(column.index) { return }
            if column.index < row.columns {
                try key.setIndexKey(row, column.index, state.stored.layout, type: property.type)
            } else {
                key.setIndexKey(property.defaultValue)
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

/// An object under its index key, in the order of a tree.
private struct KeyedObject: Comparable {
    let key: [UInt8]
    let object: ObjectKey

    static func < (left: KeyedObject, right: KeyedObject) -> Bool {
        left.key == right.key ? left.object < right.object : left.key.lexicographicallyPrecedes(right.key)
    }
}
