/// Reads a collection: a short one as a value, a long one from its tree.
struct CollectionReader {
    let shape: CollectionShape
    let access: BlockAccess
    private let content: Content

    private enum Content {
        case short(Value)
        case tree(CollectionRoot)
    }

    init(_ cell: CollectionCell, _ shape: CollectionShape, _ access: BlockAccess) throws(FreeholdError) {
        self.shape = shape
        self.access = access
        switch cell {
        case .empty: content = .short(shape.empty)
        case .inline(let bytes):
            // Safe: the bytes are decoded before the call returns.
            content = .short(try bytes.withUnsafeBufferPointer { bytes throws(FreeholdError) in
                try InlineCollection.decode(UnsafeRawBufferPointer(bytes), shape)
            })
        case .tree(let reference): content = .tree(try CollectionRoot(reference, shape.kind, in: access))
        }
    }

    /// How many elements a collection has: of a short one only this is read.
    static func count(_ cell: CollectionCell, _ shape: CollectionShape, _ access: BlockAccess) throws(FreeholdError) -> Int {
        switch cell {
        case .empty: return 0
        case .inline(let bytes):
            // Safe: the bytes are read before the call returns.
            return try bytes.withUnsafeBufferPointer { bytes throws(FreeholdError) in
                try InlineCollection.count(UnsafeRawBufferPointer(bytes))
            }
        case .tree(let reference): return try CollectionRoot(reference, shape.kind, in: access).count
        }
    }

    /// The elements' tree; nil for a short collection.
    var tree: ListTree? {
        guard case .tree(let root) = content else { return nil }
        return root.elements(shape, in: access)
    }

    /// The index of links; nil for a collection without one.
    var occurrences: Occurrences? {
        guard shape.keepsOccurrences, case .tree(let root) = content else { return nil }
        return root.occurrences(in: access)
    }

    /// The tree of a map's keys; nil for a short map.
    var keyTree: ListTree? {
        guard case .tree(let root) = content else { return nil }
        return root.keys(in: access)
    }

    var count: Int {
        switch content {
        case .short(let value): value.elementCount
        case .tree(let root): root.count
        }
    }

    /// All of its contents.
    func value() throws(FreeholdError) -> Value {
        switch content {
        case .short(let value): return value
        case .tree(let root):
            let values = try root.elements(shape, in: access).values(in: 0..<root.count)
            switch shape.kind {
            case .list: return .list(values)
            case .set: return .set(values)
            case .map:
                var entries: TextMap<Value> = [:]
                for (key, value) in zip(try root.keys(in: access).values(in: 0..<root.count), values) {
                    if case .string(let key) = key { entries[key] = value }
                }
                return .map(entries)
            }
        }
    }

    /// The element at a position below the count; in a map the value, in the order of keys.
    func value(at position: Int) throws(FreeholdError) -> Value {
        switch content {
        case .short(.list(let values)), .short(.set(let values)): return values[position]
        case .short(.map(let entries)): return entries.sortedByKey[position].value
        case .short: return .null
        case .tree(let root): return try root.elements(shape, in: access).value(at: position)
        }
    }

    /// A map's key at a position below the count.
    func key(at position: Int) throws(FreeholdError) -> String {
        switch content {
        case .short(.map(let entries)): return entries.sortedByKey[position].key
        case .short: return ""
        case .tree(let root):
            guard case .string(let key) = try root.keys(in: access).value(at: position) else { return "" }
            return key
        }
    }

    /// The position of a map's key, or the position at which it would be inserted.
    func search(key: String) throws(FreeholdError) -> (position: Int, isFound: Bool) {
        try search(.string(key), of: .string) { root throws(FreeholdError) in root.keys(in: access) }
    }

    /// The position of a set's element, or the position at which it would be inserted.
    func search(_ value: Value) throws(FreeholdError) -> (position: Int, isFound: Bool) {
        try search(value, of: shape.type) { root throws(FreeholdError) in root.elements(shape, in: access) }
    }

    private func search(_ value: Value, of type: PropertyType, in tree: (CollectionRoot) throws(FreeholdError) -> ListTree) throws(FreeholdError)
        -> (position: Int, isFound: Bool) {
        let key = ByteBuffer(), scratch = ByteBuffer()
        key.setIndexKey(value, of: type)
        switch content {
        case .tree(let root): return try tree(root).search(key.bytes, scratch)
        case .short(let short):
            let others: [Value] = switch short {
            case .list(let values), .set(let values): values
            case .map(let entries): entries.sortedByKey.map { .string($0.key) }
            default: []
            }
            for (position, other) in others.enumerated() {
                scratch.setIndexKey(other, of: type)
                let order = scratch.bytes.order(key.bytes)
                if order >= 0 { return (position, order == 0) }
            }
            return (others.count, false)
        }
    }

    /// The nested collection at a position below the count.
    func inner(at position: Int) throws(FreeholdError) -> CollectionReader {
        guard let inner = shape.inner else {
            let value = try value(at: position)
            return CollectionReader(short: value, try shape.inner(of: value), access)
        }
        switch content {
        case .tree(let root):
            guard case .cell(let cell) = try root.elements(shape, in: access).element(at: position) else { throw CollectionError.notNested(shape) }
            return try CollectionReader(cell, inner, access)
        case .short: return CollectionReader(short: try value(at: position), inner, access)
        }
    }

    /// A collection in memory.
    init(short: Value, _ shape: CollectionShape, _ access: BlockAccess) {
        self.shape = shape
        self.access = access
        content = .short(short)
    }

    /// The collection at the end of a path.
    func following(_ path: ArraySlice<CollectionStep>) throws(FreeholdError) -> CollectionReader {
        guard let step = path.first else { return self }
        return try inner(at: try position(of: step)).following(path.dropFirst())
    }

    /// The collection at the end of a path; nil if the path leads to none, because a value on it was removed or replaced.
    func found(at path: [CollectionStep]) throws(FreeholdError) -> CollectionReader? {
        do throws(FreeholdError) { return try following(path[...]) } catch {
            if error.code == .invalidArgument || error.code == .typeMismatch { return nil }
            throw error
        }
    }

    /// The element that a step selects.
    func position(of step: CollectionStep) throws(FreeholdError) -> Int {
        switch (step, shape.kind) {
        case (.position(let position), .list):
            guard position >= 0, position < count else { throw CollectionError.noPosition(position, count) }
            return position
        case (.key(let key), .map):
            let (position, isFound) = try search(key: key)
            guard isFound else { throw CollectionError.noKey(key) }
            return position
        default: throw CollectionError.wrongStep(step, shape)
        }
    }

    /// Calls `body` with every integer, bool or key of a link; null as 0.
    ///
    /// Safe: the leaf's kind was compared, and it is as long as its count says.
    func forEachInteger(_ body: (Int64) throws -> Void) throws {
        guard let tree else {
            for position in 0..<count {
                switch try value(at: position) {
                case .int(let number): try body(number)
                case .bool(let flag): try body(flag ? 1 : 0)
                case .link(let key): try body(key.rawValue)
                default: try body(0)
                }
            }
            return
        }
        var position = 0
        while position < count {
            try access.keepingBlocks {
                let (leaf, _) = try tree.leaf(at: position)
                let integers = PackedIntegers(leaf.body)
                for row in 0..<integers.count { try body(integers.isNull(row) ? 0 : integers[row]) }
                position += integers.count
            }
        }
    }

    /// Calls `body` with every value (in a map with its key), in order, until it returns false.
    func forEach(in range: Range<Int>, _ body: (Value) throws(FreeholdError) -> Bool) throws(FreeholdError) {
        switch content {
        case .short:
            for position in range {
                guard try body(try value(at: position)) else { return }
            }
        case .tree(let root):
            try access.keepingBlocks { () throws(FreeholdError) in
                try root.elements(shape, in: access).forEachLeaf(in: range) { leaf, rows throws(FreeholdError) in
                    for row in rows {
                        guard try body(try leaf.value(row, in: access)) else { return false }
                    }
                    return true
                }
            }
        }
    }
}

/// Errors for invalid positions, keys and steps.
enum CollectionError {
    static func noPosition(_ position: Int, _ count: Int) -> FreeholdError {
        FreeholdError(.invalidArgument, "position \(position) is out of bounds; the list has \(count) elements")
    }

    static func noKey(_ key: String) -> FreeholdError { FreeholdError(.invalidArgument, "the map has no key '\(key)'") }

    static func wrongStep(_ step: CollectionStep, _ shape: CollectionShape) -> FreeholdError {
        let what = switch step {
        case .position(let position): "position \(position)"
        case .key(let key): "key '\(key)'"
        }
        return FreeholdError(.invalidArgument, "a \(shape.kind.name) has no \(what)")
    }

    static func wrongChange(_ change: CollectionChange, _ shape: CollectionShape) -> FreeholdError {
        FreeholdError(.invalidArgument, "a \(shape.kind.name) does not support '\(change.name)'")
    }

    static func notNested(_ shape: CollectionShape) -> FreeholdError {
        FreeholdError(.invalidArgument, "the elements of this \(shape.kind.name) are of type \(shape.type.name), not collections")
    }
}
