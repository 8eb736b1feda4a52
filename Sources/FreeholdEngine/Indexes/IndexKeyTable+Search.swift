/// Finds keys in a node.
///
/// Safe throughout: as `IndexKeyTable`.
extension IndexKeyTable {
    /// A search key in the form that one node compares: without the node's prefix.
    struct Target {
        let suffix: IndexKey
        let head: UInt32
        /// The head, as a node's, ends where a key goes on in its remainder.
        @inline(__always) init(_ key: IndexKey, prefix: Int) {
            suffix = key.dropping(prefix)
            head = key.inline.dropping(prefix).head
        }
    }

    /// The entries with exactly this key: from the first that is not before it to the first after it.
    @inline(__always) func range(of key: IndexKey, _ access: BlockAccess) throws(FreeholdError) -> (lower: Int, upper: Int) {
        let shared = min(key.count, prefix.count)
        let order = IndexKey.order(key.start, prefix.start, shared)
        if order != 0 { return order < 0 ? (0, 0) : (count, count) }
        if key.count < prefix.count { return (0, 0) }
        let target = Target(key, prefix: prefix.count)
        var low = 0, high = count
        while low < high {
            let middle = (low &+ high) &>> 1
            if try self.order(middle, target, access) < 0 { low = middle &+ 1 } else { high = middle }
        }
        if low == count || head(low) != target.head { return (low, low) }
        return (low, try runEnd(from: low, target, access))
    }

    /// The first entry at or after `start` (which is not before the target) that is after the target.
    private func runEnd(from start: Int, _ target: Target, _ access: BlockAccess) throws(FreeholdError) -> Int {
        var low = start, step = 1
        while low < count, try order(low, target, access) == 0 {
            if step > 4 { return try farRunEnd(from: low, target, access) }
            low += 1
            step += 1
        }
        return low
    }

    private func farRunEnd(from start: Int, _ target: Target, _ access: BlockAccess) throws(FreeholdError) -> Int {
        var low = start + 1, high = count
        while low < high {
            let middle = (low + high) / 2
            if try order(middle, target, access) <= 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Negative, zero or positive, as entry `index` is before, equal to or after the target.
    @inline(__always) func order(_ index: Int, _ target: Target, _ access: BlockAccess) throws(FreeholdError) -> Int {
        let head = head(index)
        if head != target.head { return head < target.head ? -1 : 1 }
        return try orderBehindHead(index, target, access)
    }

    @inline(never)
    private func orderBehindHead(_ index: Int, _ target: Target, _ access: BlockAccess) throws(FreeholdError) -> Int {
        let tail = tail(index)
        let suffix = target.suffix
        // Heads are padded with zeros, so among short keys the shorter one comes first.
        if tail.length > IndexLayout.headBytes && suffix.count > IndexLayout.headBytes {
            let order = IndexKey.order(tail.rest, suffix.start + IndexLayout.headBytes,
                                       min(tail.length, suffix.count) &- IndexLayout.headBytes)
            if order != 0 { return order }
        }
        if tail.reference < 0 || suffix.count <= tail.length { return longer(tail, than: suffix) }
        let remainder = try IndexRemainder(access.view(block.reference(tail.reference)), access)
        return remainder.key.order(suffix.dropping(tail.length))
    }

    /// The order by length of keys that agree in all bytes that both have.
    private func longer(_ tail: Tail, than suffix: IndexKey) -> Int {
        tail.reference >= 0 && tail.length >= suffix.count ? 1 : tail.length - suffix.count
    }
}

extension IndexKeyTable {
    /// Negative, zero or positive, as entry `index` is before, equal to or after the key.
    func order(_ index: Int, _ key: IndexKey, _ access: BlockAccess) throws(FreeholdError) -> Int {
        let order = IndexKey.order(prefix.start, key.start, min(key.count, prefix.count))
        if order != 0 { return order }
        return key.count < prefix.count ? 1 : try self.order(index, Target(key, prefix: prefix.count), access)
    }
}
