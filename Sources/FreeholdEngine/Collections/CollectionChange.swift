/// A change of one collection; its values have already been checked.
enum CollectionChange {
    /// Inserts elements into a list, the first of them at the position; `nil`: after the last element.
    case insert([Value], at: Int?)
    /// Removes elements from a list.
    case remove(Range<Int>)
    /// Replaces an element of a list.
    case replace(Int, Value)
    /// Moves an element of a list to another position, given as its position after the move.
    case move(Int, Int)
    case swap(Int, Int)
    /// Adds the elements that a set does not contain yet.
    case add([Value])
    /// Removes elements from a set.
    case discard([Value])
    /// Sets values of a map.
    case put([(String, Value)])
    /// Removes the keys that a map contains.
    case removeKeys([String])
    case removeAll
    /// Removes the link to an object at a position of a list or set; a map's value becomes null, as do links in mixed
    /// values.
    case removeLink(at: Int, to: LinkTarget)
    /// Removes every link to an object in the same way, at every depth.
    case removeLinks(to: LinkTarget)
    /// Replaces the contents of the collection by those of another one.
    case assign(Value)

    var name: String {
        switch self {
        case .insert: "insert"
        case .remove: "remove"
        case .replace: "replace"
        case .move: "move"
        case .swap: "swap"
        case .add: "add"
        case .discard: "discard"
        case .put: "put"
        case .removeKeys: "remove a key"
        case .removeAll: "remove all"
        case .removeLink, .removeLinks: "remove links"
        case .assign: "assign"
        }
    }

    /// The kind of collection that it applies to; nil for any.
    var kind: CollectionKind? {
        switch self {
        case .insert, .remove, .replace, .move, .swap: .list
        case .add, .discard: .set
        case .put, .removeKeys: .map
        case .removeAll, .removeLink, .removeLinks, .assign: nil
        }
    }

    /// The elements that it adds.
    var values: [Value] {
        switch self {
        case .insert(let values, _), .add(let values): values
        case .replace(_, let value): [value]
        case .put(let entries): entries.map(\.1)
        case .assign(let value): [value]
        case .remove, .move, .swap, .discard, .removeKeys, .removeAll, .removeLink, .removeLinks: []
        }
    }

    /// Returns this change with other elements.
    func mapping(_ other: (Value) -> Value) -> CollectionChange {
        switch self {
        case .insert(let values, let position): .insert(values.map(other), at: position)
        case .replace(let position, let value): .replace(position, other(value))
        case .add(let values): .add(values.map(other))
        case .discard(let values): .discard(values.map(other))
        case .put(let entries): .put(entries.map { ($0, other($1)) })
        case .assign(let value): .assign(other(value))
        case .remove, .move, .swap, .removeKeys, .removeAll, .removeLink, .removeLinks: self
        }
    }

    /// Throws for positions outside a list of `count` elements, and for changes of another kind of collection.
    func require(_ shape: CollectionShape, count: Int) throws(FreeholdError) {
        if let kind, kind != shape.kind { throw CollectionError.wrongChange(self, shape) }
        switch self {
        case .insert(_, let position?) where position < 0 || position > count: throw CollectionError.noPosition(position, count)
        case .remove(let range) where range.lowerBound < 0 || range.upperBound > count:
            throw CollectionError.noPosition(range.lowerBound < 0 ? range.lowerBound : range.upperBound - 1, count)
        case .replace(let position, _) where position < 0 || position >= count: throw CollectionError.noPosition(position, count)
        case .move(let one, let other), .swap(let one, let other):
            for position in [one, other] where position < 0 || position >= count { throw CollectionError.noPosition(position, count) }
        default: break
        }
    }
}

/// Changes to short collections, which are values in memory.
extension Value {
    /// Applies the change to the collection at the end of the path.
    mutating func apply(_ change: CollectionChange, at path: ArraySlice<CollectionStep>, _ shape: CollectionShape) throws(FreeholdError) {
        guard let step = path.first else { return try apply(change, shape) }
        switch (self, step) {
        case (.list(var values), .position(let position)):
            guard values.indices.contains(position) else { throw CollectionError.noPosition(position, values.count) }
            try values[position].apply(change, at: path.dropFirst(), try shape.inner(of: values[position]))
            self = .list(values)
        case (.map(var entries), .key(let key)):
            guard var value = entries[key] ?? shape.inner?.empty else { throw CollectionError.noKey(key) }
            try value.apply(change, at: path.dropFirst(), try shape.inner(of: value))
            entries[key] = value
            self = .map(entries)
        default: throw CollectionError.wrongStep(step, shape)
        }
    }

    private mutating func apply(_ change: CollectionChange, _ shape: CollectionShape) throws(FreeholdError) {
        try change.require(shape, count: elementCount)
        switch (self, change) {
        case (_, .assign(let value)): self = value
        case (_, .removeAll): self = shape.empty
        case (_, .removeLinks(let target)): removeLinks(to: target)
        case (.list(var values), _):
            change.apply(to: &values)
            self = .list(values)
        case (.set(var values), .add(let added)):
            values += added
            self = .set(values.inSetOrder(of: shape.type))
        case (.set(let values), .discard(let removed)):
            // A set treats two values as equal if their keys are equal.
            let gone = Set(removed.map { $0.setKey(of: shape.type) })
            self = .set(values.filter { !gone.contains($0.setKey(of: shape.type)) })
        case (.map(var entries), .put(let added)):
            for (key, value) in added { entries[key] = value }
            self = .map(entries)
        case (.map(var entries), .removeKeys(let keys)):
            for key in keys { entries[key] = nil }
            self = .map(entries)
        default: throw CollectionError.wrongChange(change, shape)
        }
    }

    /// The key of an element in a set of such values: it identifies the element and determines its position.
    fileprivate func setKey(of type: PropertyType) -> [UInt8] {
        let key = ByteBuffer()
        key.setIndexKey(self, of: type)
        return key.array
    }
}

extension CollectionChange {
    fileprivate func apply(to values: inout [Value]) {
        switch self {
        case .insert(let added, let position): values.insert(contentsOf: added, at: position ?? values.count)
        case .remove(let range): values.removeSubrange(range)
        case .replace(let position, let value): values[position] = value
        case .move(let from, let to): values.insert(values.remove(at: from), at: to)
        case .swap(let one, let other): values.swapAt(one, other)
        case .add, .discard, .put, .removeKeys, .removeAll, .removeLink, .removeLinks, .assign: break
        }
    }
}

extension [Value] {
    /// The distinct values, in the stored order of sets.
    func inSetOrder(of type: PropertyType) -> [Value] {
        let sorted = map { (key: $0.setKey(of: type), value: $0) }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        var found: [Value] = []
        for (place, entry) in sorted.enumerated() where place == 0 || sorted[place - 1].key != entry.key { found.append(entry.value) }
        return found
    }
}
