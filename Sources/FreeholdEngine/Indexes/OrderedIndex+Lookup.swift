/// Look-ups without a cursor: each descends once, or once along both edges of a key's postings.
///
/// Safe throughout: sums of counts of one tree, far below 64 bits.
extension OrderedIndex {
    /// The number of objects under a key.
    func count(of bytes: UnsafeRawBufferPointer) throws(FreeholdError) -> Int {
        let key = IndexKey(bytes)
        guard var node = try top() else { return 0 }
        while true {
            switch node {
            case .leaf(let leaf):
                let (lower, upper) = try leaf.keys.range(of: key, access)
                return leaf.postings(lower, upper)
            case .inner(let inner):
                let (lower, upper) = try inner.keys.range(of: key, access)
                let first = lower &+ inner.separators(lower, upper, upTo: .min)
                if first < upper { return try count(of: key, inner, first, upper) }
                node = try IndexNode(inner.reference(upper), below: inner.level, access)
            }
        }
    }

    /// The number of objects under a key whose postings begin and end in different children.
    private func count(of key: IndexKey, _ inner: IndexInner, _ first: Int, _ last: Int) throws(FreeholdError) -> Int {
        let left = try IndexNode(inner.reference(first), below: inner.level, access)
        let right = try IndexNode(inner.reference(last), below: inner.level, access)
        let before = try rank(of: key, in: left, behind: false), upTo = try rank(of: key, in: right, behind: true)
        return inner.start(last) &- inner.start(first) &- before &+ upTo
    }

    /// The number of postings with a key before this one (or, with `behind`, not after it).
    func rank(of key: IndexKey, behind: Bool) throws(FreeholdError) -> Int {
        guard let node = try top() else { return 0 }
        return try rank(of: key, in: node, behind: behind)
    }

    private func rank(of key: IndexKey, in top: IndexNode, behind: Bool) throws(FreeholdError) -> Int {
        var node = top
        var sum = 0
        while true {
            switch node {
            case .leaf(let leaf):
                let (lower, upper) = try leaf.keys.range(of: key, access)
                return sum &+ leaf.postings(0, behind ? upper : lower)
            case .inner(let inner):
                let (lower, upper) = try inner.keys.range(of: key, access)
                let child = behind ? upper : lower &+ inner.separators(lower, upper, upTo: .min)
                sum = sum &+ inner.start(child)
                node = try IndexNode(inner.reference(child), below: inner.level, access)
            }
        }
    }

    /// The number of objects under keys from `low` (inclusive, nil: the first) to `high` (exclusive, nil: the end).
    func count(from low: UnsafeRawBufferPointer?, to high: UnsafeRawBufferPointer?) throws(FreeholdError) -> Int {
        let ranks = try ranks(from: low, to: high)
        return ranks.count
    }

    /// Whether the object is under the key.
    func contains(_ bytes: UnsafeRawBufferPointer, _ object: ObjectKey) throws(FreeholdError) -> Bool {
        try rank(of: IndexKey(bytes), object.rawValue).found
    }

    /// The number of postings before (key, object key), and whether the next one equals it.
    func rank(of key: IndexKey, _ objectKey: Int64) throws(FreeholdError) -> (before: Int, found: Bool) {
        guard var node = try top() else { return (0, false) }
        var sum = 0
        while true {
            switch node {
            case .leaf(let leaf):
                let (lower, upper) = try leaf.keys.range(of: key, access)
                let chunk = lower &+ leaf.entries(lower, upper, startingUpTo: objectKey) &- 1
                if chunk < lower { return (sum &+ leaf.postings(0, lower), false) }
                let (before, found) = leaf.chunk(chunk).rank(of: objectKey)
                return (sum &+ leaf.postings(0, chunk) &+ before, found)
            case .inner(let inner):
                let child = try inner.child(for: key, objectKey, access)
                sum = sum &+ inner.start(child)
                node = try IndexNode(inner.reference(child), below: inner.level, access)
            }
        }
    }

    /// The minimum object key under a key; *the* object of a unique index.
    func first(_ bytes: UnsafeRawBufferPointer) throws(FreeholdError) -> ObjectKey? {
        let key = IndexKey(bytes)
        guard var node = try top() else { return nil }
        var end = 0
        while true {
            switch node {
            case .leaf(let leaf):
                let (lower, upper) = try leaf.keys.range(of: key, access)
                if lower < upper { return ObjectKey(leaf.first(lower)) }
                return lower < leaf.count ? nil : try first(key, atRank: end &+ leaf.postings)
            case .inner(let inner):
                let (lower, upper) = try inner.keys.range(of: key, access)
                let child = lower &+ inner.separators(lower, upper, upTo: .min)
                end = end &+ inner.start(child)
                node = try IndexNode(inner.reference(child), below: inner.level, access)
            }
        }
    }

    /// The first object of a key at a rank: after removals a key's postings may begin in the leaf after the one its
    /// first separator leads to.
    private func first(_ key: IndexKey, atRank rank: Int) throws(FreeholdError) -> ObjectKey? {
        guard try rank < count() else { return nil }
        let (leaf, start) = try leaf(atRank: rank)
        guard start == rank, try leaf.keys.range(of: key, access) != (0, 0) else { return nil }
        return try leaf.keys.order(0, key, access) == 0 ? ObjectKey(leaf.first(0)) : nil
    }

    /// The leaf that holds (key, object key), or would hold it, and the rank of the leaf's first posting; nil if the index
    /// is empty. The next posting may be the first of the leaf after it.
    func leaf(for key: IndexKey, _ objectKey: Int64) throws(FreeholdError) -> (leaf: IndexLeaf, start: Int)? {
        guard var node = try top() else { return nil }
        var start = 0
        while true {
            switch node {
            case .leaf(let leaf): return (leaf, start)
            case .inner(let inner):
                let child = try inner.child(for: key, objectKey, access)
                start = start &+ inner.start(child)
                node = try IndexNode(inner.reference(child), below: inner.level, access)
            }
        }
    }

    /// The leaf that holds the posting of this rank, and the rank of the leaf's first.
    func leaf(atRank rank: Int) throws(FreeholdError) -> (leaf: IndexLeaf, start: Int) {
        var node = try top()
        var left = rank
        while true {
            switch node {
            case .leaf(let leaf):
                guard left >= 0, left < leaf.postings else { throw Self.miscounted() }
                return (leaf, rank &- left)
            case .inner(let inner):
                let child: Int
                (child, left) = inner.child(atRank: left)
                node = try IndexNode(inner.reference(child), below: inner.level, access)
            case nil:
                throw Self.miscounted()
            }
        }
    }

    static func miscounted() -> FreeholdError {
        FreeholdError(.corrupt, "an index node's posting count differs from its children's; run `freehold check`")
    }
}
