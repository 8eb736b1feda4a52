/// Ranges of an index, and cursors over them.
extension OrderedIndex {
    /// The ranks of the postings from one key (inclusive, nil: the first) to another (exclusive, nil: the end).
    func ranks(from low: UnsafeRawBufferPointer?, to high: UnsafeRawBufferPointer?) throws(FreeholdError) -> Range<Int> {
        var start = 0
        if let low { start = try rank(of: IndexKey(low), behind: false) }
        let end = if let high { try rank(of: IndexKey(high), behind: false) } else { try count() }
        return start..<max(start, end)
    }

    /// The ranks of a range's postings after (key, object key), or before it if `descending`.
    func ranks(_ ranks: Range<Int>, behind bytes: UnsafeRawBufferPointer, _ objectKey: Int64, descending: Bool)
        throws(FreeholdError) -> Range<Int> {
        let (before, found) = try rank(of: IndexKey(bytes), objectKey)
        return ranks.clamped(to: descending ? 0..<before : before + (found ? 1 : 0)..<Int.max)
    }

    /// The ranks of the postings whose keys begin with these bytes.
    func ranks(prefix: UnsafeRawBufferPointer) throws(FreeholdError) -> Range<Int> {
        let start = try rank(of: IndexKey(prefix), behind: false)
        // The first key after all continuations: the prefix with its last byte that can grow increased.
        guard let last = prefix.lastIndex(where: { $0 != 0xff }) else { return start..<max(start, try count()) }
        // Safe: the copy has exactly these bytes, and lasts until the rank is known.
        let successor = UnsafeMutableRawBufferPointer.allocate(byteCount: last + 1, alignment: 1)
        defer { successor.deallocate() }
        successor.copyMemory(from: UnsafeRawBufferPointer(rebasing: prefix[...last]))
        successor[last] += 1
        let end = try rank(of: IndexKey(UnsafeRawBufferPointer(successor)), behind: false)
        return start..<max(start, end)
    }

    /// A cursor over all postings, before the first.
    func cursor() throws(FreeholdError) -> IndexCursor {
        IndexCursor(self, ranks: 0..<(try count()))
    }

    /// A cursor from one key (inclusive, nil: the first) to another (exclusive, nil: the end), before its first posting.
    func cursor(from low: UnsafeRawBufferPointer?, to high: UnsafeRawBufferPointer?) throws(FreeholdError) -> IndexCursor {
        IndexCursor(self, ranks: try ranks(from: low, to: high))
    }

    /// A cursor over the objects of one key, before the first.
    func cursor(of key: UnsafeRawBufferPointer) throws(FreeholdError) -> IndexCursor {
        let start = try rank(of: IndexKey(key), behind: false)
        return IndexCursor(self, ranks: start..<(start + max(0, try count(of: key))))
    }

    /// A cursor over the keys that begin with these bytes, before its first posting.
    func cursor(prefix: UnsafeRawBufferPointer) throws(FreeholdError) -> IndexCursor {
        IndexCursor(self, ranks: try ranks(prefix: prefix))
    }

    /// The first posting: the minimum key's minimum object.
    func minimum() throws(FreeholdError) -> (key: [UInt8], object: ObjectKey)? {
        var cursor = try cursor()
        return try cursor.next() ? (try cursor.key(), cursor.objectKey) : nil
    }

    /// The last posting: the maximum key's maximum object.
    func maximum() throws(FreeholdError) -> (key: [UInt8], object: ObjectKey)? {
        var cursor = try cursor()
        cursor.moveToEnd()
        return try cursor.previous() ? (try cursor.key(), cursor.objectKey) : nil
    }
}
