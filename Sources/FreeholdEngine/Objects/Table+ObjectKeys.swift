/// Ranges of a property that is the object key itself, which needs no index.
extension Table {
    /// The keys in `from ..< to` (nil: open), after `last` in the direction of the walk.
    func objectKeys(from: Value?, to: Value?, descending: Bool, after last: ObjectKey? = nil, limit: Int) throws(FreeholdError) -> [ObjectKey] {
        var low = Int64.min, high = Int64.max
        if case .int(let number) = from { low = number }
        if let to {
            // Null orders below every number.
            guard case .int(let number) = to, number > .min else { return [] }
            high = number - 1
        }
        if let last = last?.rawValue {
            if last == (descending ? Int64.min : .max) { return [] }
            if descending { high = min(high, last - 1) } else { low = max(low, last + 1) }
        }
        return low <= high ? try objectKeys(in: low...high, descending: descending, limit: limit) : []
    }

    /// The keys in a range, ascending or from the end.
    func objectKeys(in range: ClosedRange<Int64>, descending: Bool, limit: Int) throws(FreeholdError) -> [ObjectKey] {
        var found: [ObjectKey] = []
        if limit <= 0 { return found }
        if !descending {
            try forEachRow(from: ObjectKey(range.lowerBound)) { row throws(FreeholdError) in
                if row.key.rawValue > range.upperBound { return false }
                found.append(row.key)
                return found.count < limit
            }
            return found
        }
        var walk = try BackwardWalk(self, from: range.upperBound)
        defer { walk.end() }
        while found.count < limit, let key = try walk.next(), key.rawValue >= range.lowerBound { found.append(key) }
        try state.access.requireIntactMapping()
        return found
    }
}
