/// Checks a whole tree, for the checker and for tests.
extension OrderedIndex {
    /// The errors in the tree: order, counts, separators, levels, chunk limits. Empty if there are none.
    func verify() -> [String] {
        var walk = IndexVerification(access: access)
        if !root.isNull { walk.visit(root, level: nil, bounds: .init(), path: "root") }
        return walk.problems
    }
}

/// A walk over a tree from left to right that compares each posting with the one before.
private struct IndexVerification {
    let access: BlockAccess
    var problems: [String] = []
    var last: Place?

    /// A key and an object key, as one value.
    struct Place {
        var key: [UInt8]
        var objectKey: Int64

        func isBefore(_ other: Place) -> Bool {
            // Safe: the pointers are used only inside.
            let order = key.withUnsafeBytes { one in other.key.withUnsafeBytes { IndexKey(one).order(IndexKey($0)) } }
            return order == 0 ? objectKey < other.objectKey : order < 0
        }
    }

    /// The range of a node's contents: from `low` on, before `high`.
    struct Bounds {
        var low: Place?
        var high: Place?
    }

    /// Returns the number of postings below the node.
    @discardableResult
    mutating func visit(_ reference: BlockReference, level: Int?, bounds: Bounds, path: String) -> Int {
        do {
            if let complaint = OrderedIndex.complaint(about: try access.view(reference)) { return report(path, complaint) }
            switch try IndexNode(reference, below: level.map { $0 + 1 } ?? IndexLayout.maximumLevel + 1, access) {
            case .leaf(let leaf):
                if let level, level != 0 { return report(path, "is a leaf, expected a node of level \(level)") }
                return try visit(leaf, bounds, path)
            case .inner(let inner):
                if let level, level != inner.level { return report(path, "has level \(inner.level) instead of \(level)") }
                return try visit(inner, bounds, path)
            }
        } catch {
            return report(path, "\(error)")
        }
    }

    @discardableResult
    private mutating func report(_ path: String, _ what: String) -> Int {
        problems.append("\(path): \(what)")
        return 0
    }

    private mutating func visit(_ inner: IndexInner, _ bounds: Bounds, _ path: String) throws(FreeholdError) -> Int {
        if path == "root" && inner.count == 1 { report(path, "is an inner node with one child") }
        var low = bounds.low
        var sum = 0
        for child in 0..<inner.count {
            var high = bounds.high
            if child < inner.keys.count {
                let place = Place(key: try key(inner.keys, child), objectKey: inner.objectKey(child))
                let isBehindLow = low.map { child > 0 ? $0.isBefore(place) : !place.isBefore($0) } ?? true
                // The nodes below are not followed: nodes that share children would make the walk endless.
                guard isBehindLow, bounds.high.map({ !$0.isBefore(place) }) ?? true else {
                    return report(path, "separator \(child) is out of order")
                }
                high = place
            }
            let found = visit(inner.reference(child), level: inner.level - 1, bounds: Bounds(low: low, high: high),
                              path: "\(path)/\(child)")
            if found != inner.postings(child) { report(path, "counts \(inner.postings(child)) postings in child \(child), which has \(found)") }
            sum += found
            low = high
        }
        if inner.block.firstKey != Int64(inner.postings) { report(path, "its header counts \(inner.block.firstKey) postings of \(inner.postings)") }
        return sum
    }

    private mutating func visit(_ leaf: IndexLeaf, _ bounds: Bounds, _ path: String) throws(FreeholdError) -> Int {
        for entry in 0..<leaf.count {
            let chunk = leaf.chunk(entry)
            let first = Place(key: try key(leaf.keys, entry), objectKey: chunk.first)
            if let last, !last.isBefore(first) { report(path, "entry \(entry) is not after the one before") }
            if let low = bounds.low, first.isBefore(low) { report(path, "entry \(entry) is before the node's lower separator") }
            if !chunk.ascends { report(path, "entry \(entry) has objects that do not ascend to its last") }
            let end = Place(key: first.key, objectKey: chunk.last)
            if let high = bounds.high, !end.isBefore(high) { report(path, "entry \(entry) is not before the node's upper separator") }
            last = end
        }
        return leaf.postings
    }

    private func key(_ keys: IndexKeyTable, _ index: Int) throws(FreeholdError) -> [UInt8] {
        let tail = keys.tail(index)
        if keys.prefix.count + tail.length == 0 { return [] }
        // Safe: as many bytes are reserved as the key has in its node.
        var bytes = [UInt8](unsafeUninitializedCapacity: keys.prefix.count + tail.length) { buffer, count in
            count = keys.copyKey(index, tail, to: UnsafeMutableRawPointer(buffer.baseAddress!))
        }
        if tail.reference >= 0 {
            let rest = try IndexRemainder(access.view(keys.block.reference(tail.reference)), access).key
            bytes.append(contentsOf: UnsafeRawBufferPointer(start: rest.start, count: rest.count))
        }
        return bytes
    }
}
