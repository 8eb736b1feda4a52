/// Ranges of indexes over one property and over several.
extension Table {
    /// The keys of the objects whose value lies in `range`, ordered by value, then by key; `descending` from the end.
    ///
    /// The first of an ascending and of a descending look-up with `limit: 1` are the objects with the least and the greatest
    /// value. Throws `.invalidArgument` if the property is not indexed, `.typeMismatch` if a bound is of another type.
    public func keys(_ column: Column, in range: ValueRange, descending: Bool = false,
                     limit: Int = .max) throws(FreeholdError) -> [ObjectKey] {
        let column = try own(column)
        let property = state.stored.properties[column.index]
        if property.isObjectKey { return try keys(ofObjectKeysIn: range, property, descending: descending, limit: limit) }
        let bounds = try bounds(column, range), index = try index(column)
        return try keys(in: index, bounds, descending: descending, limit: limit, sifting: mustSift(column)) { row, key throws(FreeholdError) in
            try setKey(of: row, column, to: key)
        }
    }

    /// How many objects' value lies in `range`, without looking at them; errors as of `keys`.
    public func count(_ column: Column, in range: ValueRange) throws(FreeholdError) -> Int {
        let column = try own(column)
        if column.isObjectKey || mustSift(column) { return try keys(column, in: range).count }
        let bounds = try bounds(column, range)
        var sum = try index(column).count(from: bounds.low.bytes, to: bounds.high?.bytes)
        let key = ByteBuffer(capacity: 64)
        try state.forEachTailRow { row throws(FreeholdError) in
            if try setKey(of: row, column, to: key), bounds.contains(key.bytes) { sum += 1 }
        }
        try state.access.requireIntactMapping()
        return sum
    }

    private func bounds(_ column: Column, _ range: ValueRange) throws(FreeholdError) -> KeyBounds {
        let property = state.stored.properties[column.index]
        return try KeyBounds(range, property, behind: ByteBuffer(capacity: 16), isCompound: false, class: state.stored.name)
            .ending(before: column.endOfValues)
    }

    /// The key under which a tail's row would be filed; false if it would not.
    private func setKey(of row: RowView, _ column: Column, to key: ByteBuffer) throws(FreeholdError) -> Bool {
        let value = try state.value(.tail(row), column.index)
        key.setIndexKey(value, of: column.type)
        if column.type == .link { return key.count > 0 }
        return value == .null ? try state.has(.tail(row), column.index) : true
    }

    /// The keys of the objects that have these values of an index over several properties, ordered by the rest of the index's
    /// properties, then by key; `descending` from the end.
    ///
    /// - Parameters:
    ///   - properties: those of the index, in its order.
    ///   - values: of the first properties, or of all of them.
    ///   - range: of the property behind those.
    public func keys(index properties: [String], equals values: [Value], then range: ValueRange = .all, descending: Bool = false,
                     limit: Int = .max) throws(FreeholdError) -> [ObjectKey] {
        let index = try storedIndex(properties)
        let prefix = ByteBuffer(capacity: 64)
        try appendKey(of: values, index, to: prefix)
        let next = values.count < index.columns.count ? state.stored.properties[index.columns[values.count]] : nil
        guard next != nil || range == .all else {
            throw FreeholdError(.invalidArgument, "the index has no property behind those given values; leave out the range")
        }
        let bounds = try next.map { next throws(FreeholdError) in
            try KeyBounds(range, next, behind: prefix, isCompound: true, class: state.stored.name)
        } ?? KeyBounds(behind: prefix)
        return try keys(in: tree(index), bounds, descending: descending, limit: limit, sifting: mustSift(index)) { row, key throws(FreeholdError) in
            guard try state.isFiled(.tail(row), in: index) else { return false }
            try appendKey(of: row, index, to: key)
            return true
        }
    }

    /// How many objects have these values of an index over several properties, all or the first of them.
    public func count(index properties: [String], equals values: [Value]) throws(FreeholdError) -> Int {
        let index = try storedIndex(properties)
        if mustSift(index) { return try keys(index: properties, equals: values).count }
        let prefix = ByteBuffer(capacity: 64)
        try appendKey(of: values, index, to: prefix)
        let bounds = KeyBounds(behind: prefix)
        var sum = try tree(index).count(from: bounds.low.bytes, to: bounds.high?.bytes)
        let key = ByteBuffer(capacity: 64)
        try state.forEachTailRow { row throws(FreeholdError) in
            guard try state.isFiled(.tail(row), in: index) else { return }
            key.removeAll()
            try appendKey(of: row, index, to: key)
            if bounds.contains(key.bytes) { sum += 1 }
        }
        try state.access.requireIntactMapping()
        return sum
    }

    /// The object with these values of a primary key of several properties, or nil.
    public func key(primaryKey values: [Value]) throws(FreeholdError) -> ObjectKey? {
        if values.count == 1, state.stored.primaryKey != nil { return try key(primaryKey: values[0]) }
        guard let index = state.stored.keyIndex, values.count == index.columns.count else {
            throw FreeholdError(.invalidArgument, "the primary key of class '\(state.stored.name)' has "
                + "\(state.stored.primaryKeys.count) properties; \(values.count) values were given")
        }
        let key = ByteBuffer(capacity: 64)
        try appendKey(of: values, index, to: key)
        if let writer { return try meant(writer.key(of: key, in: index).map { ObjectKey($0) }) }
        return try keys(index: index.columns.map { state.stored.properties[$0].name }, equals: values, limit: 1).first
    }

    private func keys(ofObjectKeysIn range: ValueRange, _ property: StoredProperty, descending: Bool,
                      limit: Int) throws(FreeholdError) -> [ObjectKey] {
        guard range.prefix == nil else {
            throw FreeholdError(.typeMismatch, "property '\(property.name)' is an int; only texts begin with texts")
        }
        let low = try bound(range.from, property, isUpper: false), high = try bound(range.to, property, isUpper: true)
        var found: [ObjectKey] = []
        do {
            try forEach(from: ObjectKey(low ?? .min)) { row in
                if let high, row.key.rawValue > high { return false }
                found.append(row.key)
                return descending || found.count < limit
            }
        } catch let error as FreeholdError {
            throw error
        } catch {
            preconditionFailure("the body above throws nothing of its own")
        }
        if low == .max, case .excluding = range.from { return [] }
        return Array((descending ? found.reversed() : found).prefix(limit))
    }

    /// The first or last integer of a range; wraps are avoided by staying within 64 bits.
    private func bound(_ bound: ValueRange.Bound?, _ property: StoredProperty, isUpper: Bool) throws(FreeholdError) -> Int64? {
        let value: Value, isExcluded: Bool
        switch bound {
        case nil: return nil
        case .including(let given): (value, isExcluded) = (given, false)
        case .excluding(let given): (value, isExcluded) = (given, true)
        }
        guard case .int(let number) = try property.accepting(value, class: state.stored.name) else { return nil }
        guard isExcluded else { return number }
        if isUpper { return number == .min ? .min : number - 1 }
        return number == .max ? .max : number + 1
    }

    // MARK: parts

    private func storedIndex(_ names: [String]) throws(FreeholdError) -> StoredIndex {
        var columns: [Int] = []
        for name in names { columns.append(try state.stored.place(of: name, in: number)) }
        // Of those with these columns the one that all objects asked for are in.
        for index in state.stored.indexes where index.columns == columns {
            if index.owner.map({ schemaOf.lineage(of: Int(number)).contains(Int($0)) }) ?? true { return index }
        }
        throw FreeholdError(.invalidArgument, "class '\(schema.name)' has no index over \(names.joined(separator: ", "))")
    }

    /// Whether an index has objects that are not of this class.
    private func mustSift(_ index: StoredIndex) -> Bool { scope.map { index.owner != $0.number || $0.isExact } ?? false }

    private func tree(_ index: StoredIndex) throws(FreeholdError) -> OrderedIndex {
        OrderedIndex(root: try writer?.index(index.column) ?? state.root.auxiliary(.index, index.column), access: state.access)
    }

    private func appendKey(of values: [Value], _ index: StoredIndex, to key: ByteBuffer) throws(FreeholdError) {
        guard values.count <= index.columns.count else {
            throw FreeholdError(.invalidArgument, "the index has \(index.columns.count) properties; \(values.count) values were given")
        }
        for (column, value) in zip(index.columns, values) {
            let property = state.stored.properties[column]
            key.appendKey(value == .null ? .null : try property.accepting(value, class: state.stored.name), of: property.type)
        }
    }

    private func appendKey(of row: RowView, _ index: StoredIndex, to key: ByteBuffer) throws(FreeholdError) {
        for column in index.columns {
            let property = state.stored.properties[column]
            key.appendKey(property.isObjectKey ? .int(row.key) : try state.value(.tail(row), column), of: property.type)
        }
    }

    /// The objects of a tree and of the tail between two keys. `keyOf` appends a row's key, or says that it has none.
    private func keys(
        in index: OrderedIndex, _ bounds: KeyBounds, descending: Bool, limit: Int, sifting: Bool,
        keyOf: (RowView, ByteBuffer) throws(FreeholdError) -> Bool
    ) throws(FreeholdError) -> [ObjectKey] {
        var waiting: [KeyedObject] = []
        let key = ByteBuffer(capacity: 64)
        try state.forEachTailRow { row throws(FreeholdError) in
            key.removeAll()
            if try keyOf(row, key), bounds.contains(key.bytes) { waiting.append(KeyedObject(key: key.array, object: ObjectKey(row.key))) }
        }
        waiting.sort { descending ? $1 < $0 : $0 < $1 }
        var cursor = try index.cursor(from: bounds.low.bytes, to: bounds.high?.bytes)
        if descending { cursor.moveToEnd() }
        return try merge(&cursor, waiting[...], descending: descending, limit: limit, sifting: sifting)
    }
}

/// Between which keys a range lies: from one on, to before another.
private struct KeyBounds {
    let low: ByteBuffer
    /// Nil for no end.
    let high: ByteBuffer?

    /// All keys that begin with these bytes.
    init(behind prefix: ByteBuffer) {
        low = prefix
        let end = ByteBuffer(capacity: 64)
        end.append(prefix.bytes)
        high = end.advancePastPrefix() ? end : nil
    }

    /// - Parameter isCompound: whether keys are made of ordered keys behind one another; else a key is that of one column.
    init(_ range: ValueRange, _ property: StoredProperty, behind prefix: ByteBuffer, isCompound: Bool,
         class name: String) throws(FreeholdError) {
        func key(_ value: Value) throws(FreeholdError) -> ByteBuffer {
            let key = ByteBuffer(capacity: 64)
            if let kind = value.collectionKind {
                throw FreeholdError(.invalidArgument, "a \(kind.name) is no bound of a range of '\(property.name)' of class '\(name)'")
            }
            let fitting = value == .null ? .null : try property.accepting(value, class: name)
            if isCompound {
                key.append(prefix.bytes)
                key.appendKey(fitting, of: property.type)
            } else {
                key.setIndexKey(fitting, of: property.type)
            }
            return key
        }
        /// The first key behind all that a value has.
        func behind(_ value: Value) throws(FreeholdError) -> ByteBuffer? {
            let key = try key(value)
            if isCompound { return key.advancePastPrefix() ? key : nil }
            key.append(0 as UInt8)
            return key
        }
        let whole = KeyBounds(behind: prefix)
        if let text = range.prefix {
            self = try KeyBounds(prefix: text, property, behind: prefix, isCompound: isCompound, class: name)
            return
        }
        switch range.from {
        case nil: low = whole.low
        case .including(let value): low = try key(value)
        case .excluding(let value): low = try behind(value) ?? ByteBuffer.last
        }
        switch range.to {
        case nil: high = whole.high
        case .including(let value): high = try behind(value)
        case .excluding(let value): high = try key(value)
        }
    }

    /// Texts that begin with `text`.
    private init(prefix text: Value, _ property: StoredProperty, behind prefix: ByteBuffer, isCompound: Bool,
                 class name: String) throws(FreeholdError) {
        guard [.string, .mixed].contains(property.type), case .string(var text) = text else {
            throw FreeholdError(.typeMismatch, "property '\(property.name)' of class '\(name)' is a \(property.type.name); only texts "
                + "begin with texts")
        }
        let key = ByteBuffer(capacity: 64)
        key.append(prefix.bytes)
        if property.type == .mixed {
            if isCompound { key.append(OrderedKey.value) }
            key.append(PropertyType.string.rawValue)
        }
        // Safe: the text's bytes are copied at once.
        text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            if isCompound { return key.appendKeyPrefix(text: bytes) }
            if bytes.first == 0 { key.append(0 as UInt8) }
            key.append(bytes)
        }
        if key.count == 0 {
            // All but null, whose key is empty.
            key.append(0 as UInt8)
            self.init(low: key, high: nil)
        } else {
            self.init(behind: key)
        }
    }

    /// The same, but with an end.
    func ending(before end: ByteBuffer?) -> KeyBounds { high == nil ? KeyBounds(low: low, high: end) : self }

    private init(low: ByteBuffer, high: ByteBuffer?) {
        self.low = low
        self.high = high
    }

    func contains(_ key: UnsafeRawBufferPointer) -> Bool {
        !key.lexicographicallyPrecedes(low.bytes) && (high.map { key.lexicographicallyPrecedes($0.bytes) } ?? true)
    }
}

extension ByteBuffer {
    /// Behind every key: none begins with it.
    fileprivate static var last: ByteBuffer {
        let last = ByteBuffer(capacity: 16)
        for _ in 0..<16 { last.append(0xFF as UInt8) }
        return last
    }
}
