/// A range of an ordered tree, from one key to another, with the objects of the tail that would be filed there.
struct IndexSpan {
    let table: Table
    let index: OrderedIndex
    let bounds: KeyBounds
    let source: IndexSource
    /// Whether the tree has objects that are not of the requested class.
    let isSifted: Bool
    /// Where the range is in the tree; nil until it is looked up.
    private var ranks: Range<Int>?

    init(table: Table, index: OrderedIndex, bounds: KeyBounds, source: IndexSource, isSifted: Bool) {
        (self.table, self.index, self.bounds, self.source, self.isSifted) = (table, index, bounds, source, isSifted)
    }

    /// The number of objects filed in the range, of any class: from the counts of the tree, and the tail. The place in the tree is kept
    /// for `keys`.
    mutating func estimate() throws(FreeholdError) -> Int {
        let found = try place()
        ranks = found
        return try sum(found)
    }

    private func place() throws(FreeholdError) -> Range<Int> {
        if let ranks { return ranks }
        return try index.ranks(from: bounds.low.bytes, to: bounds.high?.bytes)
    }

    private func sum(_ ranks: Range<Int>) throws(FreeholdError) -> Int {
        var sum = ranks.count
        try forEachInTail { _, _ in sum += 1 }
        return sum
    }

    /// The number of objects.
    func count() throws(FreeholdError) -> Int {
        let sum = isSifted ? try keys().count : try sum(try place())
        try table.state.access.requireIntactMapping()
        return sum
    }

    /// The objects in the order of the tree, by key where values are equal; `descending` from the end.
    func keys(descending: Bool = false, limit: Int = .max) throws(FreeholdError) -> [ObjectKey] {
        var waiting: [KeyedObject] = []
        try forEachInTail { key, object in waiting.append(KeyedObject(key: Array(key), object: object)) }
        var objects = try OrderedObjects(table, IndexCursor(index, ranks: try place()), waiting, descending: descending, isSifted: isSifted)
        return try objects.take(limit)
    }

    private func forEachInTail(_ body: (UnsafeRawBufferPointer, ObjectKey) -> Void) throws(FreeholdError) {
        try table.forEachInTail(source, from: bounds.low.bytes, before: bounds.high?.bytes, body)
    }
}

/// A part of a tree that is walked in the order of its keys.
struct IndexPart {
    let index: OrderedIndex
    let bounds: KeyBounds
    /// Whether the tree has objects that are not of the requested class.
    let isSifted: Bool
}

extension IndexSpan {
    var part: IndexPart { IndexPart(index: index, bounds: bounds, isSifted: isSifted) }
}

extension Table {
    /// The objects whose value of a property lies in a range. Throws `.invalidArgument` if the property is not indexed.
    func span(_ column: Column, _ range: ValueRange) throws(FreeholdError) -> IndexSpan {
        try writer?.noteQuestion()
        let property = state.stored.properties[column.index]
        let bounds = try KeyBounds(range, property, behind: ByteBuffer(capacity: 16), isCompound: false, class: state.stored.name)
            .ending(before: column.endOfValues)
        return IndexSpan(table: self, index: try index(column), bounds: bounds, source: .property(column.index), isSifted: mustSift(column))
    }

    /// The objects that have these values in the first properties of an index over several properties, and a value of a
    /// range in the next one.
    func span(_ index: StoredIndex, equals values: [Value], then range: ValueRange) throws(FreeholdError) -> IndexSpan {
        try writer?.noteQuestion()
        let prefix = ByteBuffer(capacity: 64)
        try appendKey(of: values, index, to: prefix)
        let next = values.count < index.columns.count ? state.stored.properties[index.columns[values.count]] : nil
        guard next != nil || range == .all else {
            throw FreeholdError(.invalidArgument, "the index has no property after the given values; leave out the range")
        }
        let bounds = try next.map { next throws(FreeholdError) in
            try KeyBounds(range, next, behind: prefix, isCompound: true, class: state.stored.name)
        } ?? KeyBounds(behind: prefix)
        let tree = OrderedIndex(root: try writer?.index(index.column) ?? state.root.auxiliary(.index, index.column), access: state.access)
        let isSifted = scope.map { index.owner != $0.number || $0.isExact } ?? false
        return IndexSpan(table: self, index: tree, bounds: bounds, source: .several(index), isSifted: isSifted)
    }

    /// Whether every object of the class is in an index over several properties.
    func hasAll(_ index: StoredIndex) -> Bool { index.owner.map { schemaOf.lineage(of: Int(number)).contains(Int($0)) } ?? true }
}

/// The keys of a range: from `low` on, to before `high`.
struct KeyBounds {
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

    /// - Parameter isCompound: whether keys are concatenated ordered keys; else a key is that of one column.
    init(_ range: ValueRange, _ property: StoredProperty, behind prefix: ByteBuffer, isCompound: Bool,
         class name: String) throws(FreeholdError) {
        func key(_ value: Value) throws(FreeholdError) -> ByteBuffer {
            let key = ByteBuffer(capacity: 64)
            if let kind = value.collectionKind {
                throw FreeholdError(.invalidArgument, "a \(kind.name) cannot be a bound of a range of '\(property.name)' of class '\(name)'")
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
        /// The first key behind all keys of a value.
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

    /// Strings that begin with `text`.
    private init(prefix text: Value, _ property: StoredProperty, behind prefix: ByteBuffer, isCompound: Bool,
                 class name: String) throws(FreeholdError) {
        guard [.string, .mixed].contains(property.type), case .string(var text) = text else {
            throw FreeholdError(.typeMismatch, "property '\(property.name)' of class '\(name)' is a \(property.type.name); only "
                + "strings have prefixes")
        }
        let key = ByteBuffer(capacity: 64)
        key.append(prefix.bytes)
        if property.type == .mixed {
            if isCompound { key.append(OrderedKey.value) }
            key.append(PropertyType.string.rawValue)
        }
        // Safe: the string's bytes are copied at once.
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

    /// These bounds, ending before `end` if they have no end.
    func ending(before end: ByteBuffer?) -> KeyBounds { high == nil ? KeyBounds(low: low, high: end) : self }

    private init(low: ByteBuffer, high: ByteBuffer?) {
        self.low = low
        self.high = high
    }
}

extension ByteBuffer {
    /// A bound behind every key: none begins with it.
    fileprivate static var last: ByteBuffer {
        let last = ByteBuffer(capacity: 16)
        for _ in 0..<16 { last.append(0xFF as UInt8) }
        return last
    }
}
