import CShims

/// The tree of an index of vectors, read where its entries are.
struct SignTree {
    let tree: OrderedIndex
    let shape: SignShape

    /// How many entries ahead the head of one is asked for: each is in a cache line of its own.
    private static let ahead = 8

    /// The rows of one group.
    struct Group {
        let number: Int64
        /// Which of its object keys have a row, a bit for each.
        let present: UInt64
        /// The rows one after the other, without alignment.
        let rows: UnsafeRawPointer
        /// Whether the rows are in their block, and so stay there while blocks are kept (`BlockAccess.keepingBlocks`); otherwise
        /// they are valid during the call.
        let areInPlace: Bool
    }

    /// Calls `body` with the groups in their order, until it returns nil. It returns the least group wanted next, or
    /// `Int64.min` for the one after.
    ///
    /// - Throws: `.corrupt` for entries that no program writes, or out of order.
    func forEachGroup(_ body: (Group) throws(FreeholdError) -> Int64?) throws(FreeholdError) {
        var wanted: Int64? = .min, last: Int64?
        try tree.forEachLeaf { leaf throws(FreeholdError) in
            for entry in 0..<min(leaf.count, Self.ahead) { freehold_shim_prefetch(leaf.keys.item(entry)) }
            for entry in 0..<leaf.count {
                guard let least = wanted else { return nil }
                if entry + Self.ahead < leaf.count { freehold_shim_prefetch(leaf.keys.item(entry + Self.ahead)) }
                try withGroup(leaf, entry) { group throws(FreeholdError) in
                    if let last, last >= group.number { throw VectorsKind.damaged(tree.access) }
                    last = group.number
                    if group.number >= least { wanted = try body(group) }
                }
            }
            return wanted.map { $0 == .min ? 0 : SignShape.number($0) }
        }
    }

    /// Nearly every key is all in the leaf's prefix, as the leaf has one, or has its rows after its head and is otherwise short.
    ///
    /// Safe: the parts of keys of a checked leaf are in its block, with the lengths that the leaf says; what is read of them is
    /// below these.
    private func withGroup(_ leaf: IndexLeaf, _ entry: Int, _ body: (Group) throws(FreeholdError) -> Void) throws(FreeholdError) {
        let prefix = leaf.keys.prefix, tail = leaf.keys.tail(entry), length = prefix.count + tail.length
        if tail.length == 0, tail.reference < 0, length >= SignShape.headBytes {
            return try body(group(prefix.start, length, rows: prefix.start + SignShape.headBytes))
        }
        let rest = SignShape.headBytes - IndexLayout.headBytes - prefix.count
        guard tail.reference < 0, rest >= 0, length >= SignShape.headBytes else { return try withCopy(leaf, entry, body) }
        var head: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &head) { head in
            head.baseAddress!.copyMemory(from: prefix.start, byteCount: prefix.count)
            head.storeBytes(of: leaf.keys.head(entry).bigEndian, toByteOffset: prefix.count, as: UInt32.self)
            (head.baseAddress! + (prefix.count + IndexLayout.headBytes)).copyMemory(from: tail.rest, byteCount: rest)
        }
        let found = try withUnsafeBytes(of: head) { head throws(FreeholdError) in
            try group(head.baseAddress!, length, rows: tail.rest + rest)
        }
        try body(found)
    }

    /// Safe: the key has been found to have a head.
    private func withCopy(_ leaf: IndexLeaf, _ entry: Int, _ body: (Group) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var key: [UInt8] = []
        try leaf.appendKey(entry, to: &key, tree.access)
        guard key.count >= SignShape.headBytes else { throw VectorsKind.damaged(tree.access) }
        try key.span.bytes.withUnsafeBytes { bytes throws(FreeholdError) in
            try body(group(bytes.baseAddress!, bytes.count, rows: bytes.baseAddress! + SignShape.headBytes, areInPlace: false))
        }
    }

    private func group(_ head: UnsafeRawPointer, _ length: Int, rows: UnsafeRawPointer, areInPlace: Bool = true)
        throws(FreeholdError) -> Group {
        guard let (number, present) = shape.head(head, length: length) else { throw VectorsKind.damaged(tree.access) }
        return Group(number: number, present: present, rows: rows, areInPlace: areInPlace)
    }
}
