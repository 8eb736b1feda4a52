/// A bit for each of at most 256 rows.
struct RowMask {
    private var words = SIMD4<UInt64>(repeating: 0)

    @inline(__always) var isEmpty: Bool { words == SIMD4(repeating: 0) }
    @inline(__always) func contains(_ row: Int) -> Bool { words[row >> 6] & (1 << UInt64(row & 63)) != 0 }
    @inline(__always) mutating func insert(_ row: Int) { words[row >> 6] |= 1 << UInt64(row & 63) }
    mutating func formUnion(_ other: RowMask) { words |= other.words }

    mutating func removeFirst() -> Int? {
        for word in 0..<4 where words[word] != 0 {
            let bit = words[word].trailingZeroBitCount
            words[word] &= words[word] - 1
            return word * 64 + bit
        }
        return nil
    }

    /// The rows below `count`.
    static func all(_ count: Int) -> RowMask {
        var mask = RowMask()
        for row in 0..<count { mask.insert(row) }
        return mask
    }
}

/// Neighbouring rows of an old and a new cluster that have the same keys, compared column by column.
struct ComparedRun {
    private let leaves: LeafComparison
    private let oldRow: Int
    private let newRow: Int
    /// How many rows.
    let count: Int
    /// Those that differ and have not been handed out, counted from the first of the run.
    var changed = RowMask()
    private var columns: [(column: Int, rows: RowMask)] = []

    /// As many rows from `oldRow` and `newRow` on as have the same keys, all below `limit`; the first one does.
    init(_ leaves: LeafComparison, _ oldRow: Int, _ newRow: Int, below limit: Int64?, _ pairing: ColumnPairing) throws(FreeholdError) {
        self.leaves = leaves
        self.oldRow = oldRow
        self.newRow = newRow
        var count = 1
        let most = min(leaves.left.count - oldRow, leaves.right.count - newRow)
        while count < most {
            let key = leaves.right.key(newRow + count)
            guard key == leaves.left.key(oldRow + count), limit.map({ key < $0 }) ?? true else { break }
            count += 1
        }
        self.count = count
        for pair in pairing.pairs {
            let rows = try leaves.differences(pair, oldRow, newRow, count)
            if rows.isEmpty { continue }
            changed.formUnion(rows)
            columns.append((pair.new, rows))
        }
    }

    func difference(_ row: Int) -> ObjectDifference {
        var set = ColumnSet()
        for (column, rows) in columns where rows.contains(row) { set.insert(column) }
        return ObjectDifference(kind: .changed, key: leaves.right.key(newRow + row), old: .cluster(leaves.left, oldRow + row),
                                new: .cluster(leaves.right, newRow + row), columns: set)
    }
}
