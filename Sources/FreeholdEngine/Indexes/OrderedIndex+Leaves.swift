/// A walk over leaves for long keys, which are read where they are.
extension OrderedIndex {
    /// Calls `body` with the leaves in their order, until it returns nil.
    ///
    /// What it returns is the least key wanted next, by its first eight bytes as a big-endian number: leaves that have only keys
    /// before it are skipped, most of them without being read. 0 skips none.
    func forEachLeaf(_ body: (IndexLeaf) throws(FreeholdError) -> UInt64?) throws(FreeholdError) {
        var wanted: UInt64? = 0
        if !root.isNull { try visit(root, below: IndexLayout.maximumLevel + 1, &wanted, body) }
    }

    /// How many nodes ahead the head of one is asked for.
    private static let ahead = 4

    private func visit(_ reference: BlockReference, below level: Int, _ wanted: inout UInt64?,
                       _ body: (IndexLeaf) throws(FreeholdError) -> UInt64?) throws(FreeholdError) {
        switch try IndexNode(reference, below: level, access) {
        case .leaf(let leaf): wanted = try body(leaf)
        case .inner(let inner):
            let prefix = inner.keys.prefix.number
            var child = 0
            while child < inner.count, let least = wanted {
                if least > 0 { child = try self.child(for: least, from: child, in: inner, prefix) }
                if child + Self.ahead < inner.count { access.approach(inner.reference(child + Self.ahead), lines: 2) }
                try visit(inner.reference(child), below: inner.level, &wanted, body)
                child += 1
            }
        }
    }

    /// The first child from `first` on that may have keys from a number on.
    ///
    /// In a walk that wants most leaves it is `first` or the one after, so the separators of these are compared before all are searched.
    @inline(__always)
    private func child(for number: UInt64, from first: Int, in inner: IndexInner, _ prefix: UInt64?) throws(FreeholdError) -> Int {
        for child in first..<min(first + Self.near, inner.count) {
            if child == inner.count - 1 { return child }
            guard let prefix, let end = inner.keys.number(child, prefix) else { break }
            if end > number { return child }
        }
        return max(first, try search(for: number, in: inner))
    }

    /// How many children are compared one after the other, before a search among all of a node.
    private static let near = 3

    @inline(never)
    private func search(for number: UInt64, in inner: IndexInner) throws(FreeholdError) -> Int {
        // Safe: the bytes are used within the call.
        try withUnsafeBytes(of: number.bigEndian) { bytes throws(FreeholdError) in try inner.child(for: IndexKey(bytes), .min, access) }
    }
}

extension IndexKey {
    /// The key as a big-endian number of eight bytes, followed by zeros; nil if it is longer.
    fileprivate var number: UInt64? {
        if count > 8 { return nil }
        // Safe: below the key's length.
        return (0..<count).reduce(0) { $0 | UInt64(start.load(fromByteOffset: $1, as: UInt8.self)) << UInt64(56 - 8 * $1) }
    }
}

extension IndexKeyTable {
    /// A key as such a number; nil if it is longer.
    ///
    /// Safe: below the length of the part that is in the heap.
    ///
    /// - Parameter prefix: the number of `self.prefix`.
    @inline(__always)
    fileprivate func number(_ index: Int, _ prefix: UInt64) -> UInt64? {
        let tail = tail(index), start = self.prefix.count
        guard tail.reference < 0, start + tail.length <= 8 else { return nil }
        var number = prefix | (UInt64(head(index)) << 32) >> UInt64(8 * start)
        for place in IndexLayout.headBytes..<max(IndexLayout.headBytes, tail.length) {
            let byte = tail.rest.load(fromByteOffset: place - IndexLayout.headBytes, as: UInt8.self)
            number |= UInt64(byte) << UInt64(56 - 8 * (start + place))
        }
        return number
    }
}
