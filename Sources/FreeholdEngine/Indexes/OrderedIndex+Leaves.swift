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
    private static let ahead = 2

    private func visit(_ reference: BlockReference, below level: Int, _ wanted: inout UInt64?,
                       _ body: (IndexLeaf) throws(FreeholdError) -> UInt64?) throws(FreeholdError) {
        switch try IndexNode(reference, below: level, access) {
        case .leaf(let leaf): wanted = try body(leaf)
        case .inner(let inner):
            var child = 0
            while child < inner.count, let least = wanted {
                if least > 0 { child = max(child, try self.child(for: least, in: inner)) }
                if child + Self.ahead < inner.count { access.approach(inner.reference(child + Self.ahead), lines: 2) }
                try visit(inner.reference(child), below: inner.level, &wanted, body)
                child += 1
            }
        }
    }

    private func child(for number: UInt64, in inner: IndexInner) throws(FreeholdError) -> Int {
        // Safe: the bytes are used within the call.
        try withUnsafeBytes(of: number.bigEndian) { bytes throws(FreeholdError) in try inner.child(for: IndexKey(bytes), .min, access) }
    }
}
