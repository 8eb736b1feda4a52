/// Reads a list's elements by position: the tree of a list, of a set's ordered values, or of a map's keys or values.
struct ListTree {
    /// A leaf or an inner node.
    let root: BlockReference
    /// Number of elements according to its owner.
    let count: Int
    let shape: CollectionShape
    let access: BlockAccess

    /// The leaf with the element at `position`, which must be below the count, and the element's row in it.
    @inline(__always)
    func leaf(at position: Int) throws(FreeholdError) -> (leaf: ListLeaf, row: Int) {
        var view = try access.view(root)
        var row = position, level = ListInner.maximumLevel + 1
        while ListInner.isInner(view) {
            let inner = ListInner(view: view)
            guard inner.level < level else { throw Self.damaged("the levels of its nodes do not decrease") }
            level = inner.level
            view = try access.view(inner.child(inner.child(at: &row)))
        }
        let leaf = try ListLeaf(view, shape)
        guard row < leaf.count else { throw Self.damaged("a node's element count differs from its children's") }
        return (leaf, row)
    }

    /// The element at a position below the count, as stored.
    func element(at position: Int) throws(FreeholdError) -> ListElement {
        let (leaf, row) = try leaf(at: position)
        return try leaf.element(row)
    }

    /// The value at a position below the count, collections with all their contents.
    func value(at position: Int) throws(FreeholdError) -> Value {
        let (leaf, row) = try leaf(at: position)
        return try leaf.value(row, in: access)
    }

    /// Calls `body` with each leaf and its rows in `range`, in order, until it returns false.
    func forEachLeaf(in range: Range<Int>, _ body: (ListLeaf, Range<Int>) throws(FreeholdError) -> Bool) throws(FreeholdError) {
        var position = range.lowerBound
        while position < range.upperBound {
            let (leaf, row) = try leaf(at: position)
            let end = min(leaf.count, row + range.upperBound - position)
            guard try body(leaf, row..<end) else { return }
            position += end - row
        }
    }

    /// Every value in `range`.
    func values(in range: Range<Int>) throws(FreeholdError) -> [Value] {
        var values: [Value] = []
        // A count from the file reserves only a bounded amount of memory.
        values.reserveCapacity(min(range.count, 1 << 16))
        try forEachLeaf(in: range) { leaf, rows throws(FreeholdError) in
            for row in rows { values.append(try leaf.value(row, in: access)) }
            return true
        }
        return values
    }

    /// The first position whose element's key is not before `key`, in a tree ordered by keys, and whether that element
    /// has the key.
    func search(_ key: UnsafeRawBufferPointer, _ scratch: ByteBuffer) throws(FreeholdError) -> (position: Int, isFound: Bool) {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            let (leaf, row) = try leaf(at: middle)
            try leaf.setKey(row, scratch, in: access)
            switch scratch.bytes.order(key) {
            case 0: return (middle, true)
            case ..<0: low = middle + 1
            default: high = middle
            }
        }
        return (low, false)
    }

    static func damaged(_ what: String) -> FreeholdError {
        FreeholdError(.corrupt, "a collection is damaged: \(what); run `freehold check`")
    }
}

extension UnsafeRawBufferPointer {
    /// Negative if these bytes come before the others, 0 if they are equal.
    ///
    /// Safe: compares as many bytes as both have.
    func order(_ other: UnsafeRawBufferPointer) -> Int {
        for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
            return self[index] < other[index] ? -1 : 1
        }
        return count - other.count
    }
}
