import CShims

/// Compares the leaves of two clusters, one column at a time.
///
/// Safe throughout: leaves were checked for kind and row count before they are read; rows are below their cluster's count.
struct LeafComparison {
    private let old: TableState
    private let new: TableState
    let left: ClusterView
    let right: ClusterView

    init(old: TableState, _ left: ClusterView, new: TableState, _ right: ClusterView) {
        self.old = old
        self.new = new
        self.left = left
        self.right = right
    }

    /// The rows that differ of `count`, from `i` on in the old cluster and from `j` on in the new one.
    func differences(_ pair: ColumnPairing.Pair, _ i: Int, _ j: Int, _ count: Int) throws(FreeholdError) -> RowMask {
        let before = pair.old.map { left.leaf($0) } ?? .null, after = right.leaf(pair.new)
        if before.isNull && after.isNull { return pair.oldDefault == pair.newDefault ? RowMask() : .first(count) }
        if i == j && before.isSameBlock(as: after) { return RowMask() }
        if pair.fillsInSome {
            return try mask(count) { row throws(FreeholdError) in try !pair.isInitial(new.value(.cluster(right, j + row), pair.new)) }
        }
        let a = try pair.old.flatMap { column throws(FreeholdError) in try old.leaf(left, left.count - 1, column) }
        let b = try new.leaf(right, right.count - 1, pair.new)
        if i == j, a != nil, b != nil, try haveSameBytes(before, after) { return RowMask() }
        if pair.property.shape != nil { return try collections(pair, i, j, count, a.map { TextLeaf($0) }, b.map { TextLeaf($0) }) }
        let nulls = (a == nil && pair.oldDefault == .null, b == nil && pair.newDefault == .null)
        switch pair.property.type.leaf {
        case .integers: return integers(a.map { PackedIntegers($0) }, b.map { PackedIntegers($0) }, nulls, i, j, count)
        case .floats, .doubles: return reals(a.map { RealLeaf($0) }, b.map { RealLeaf($0) }, nulls, i, j, count)
        case .dates: return dates(a.map { DateLeaf($0) }, b.map { DateLeaf($0) }, nulls, i, j, count)
        case .texts: return try texts(a.map { TextLeaf($0) }, b.map { TextLeaf($0) }, nulls, pair, i, j, count)
        case .fixed: return try values(pair, i, j, count)
        }
    }

    /// Whether the leaves are the same bytes, and refer to no other block: then the leaf was only moved.
    private func haveSameBytes(_ before: BlockReference, _ after: BlockReference) throws(FreeholdError) -> Bool {
        guard before.granuleCount == after.granuleCount else { return false }
        let a = try old.access.view(before), b = try new.access.view(after)
        guard a.referenceCount == 0, b.referenceCount == 0, a.bodyLength == b.bodyLength else { return false }
        return freehold_shim_compare(a.body, b.body, a.bodyLength) == 0
    }

    @inline(__always)
    private func mask(_ count: Int, where differs: (Int) throws(FreeholdError) -> Bool) throws(FreeholdError) -> RowMask {
        var mask = RowMask()
        for row in 0..<count where try differs(row) { mask.insert(row) }
        return mask
    }

    private func integers(_ a: PackedIntegers?, _ b: PackedIntegers?, _ nulls: (Bool, Bool), _ i: Int, _ j: Int, _ count: Int) -> RowMask {
        if let a, let b, !a.head.hasNulls, !b.head.hasNulls { return Self.integers(a, b, i, j, count) }
        var mask = RowMask()
        for row in 0..<count {
            let isNull = (a?.isNull(i + row) ?? nulls.0, b?.isNull(j + row) ?? nulls.1)
            if isNull.0 || isNull.1 ? isNull.0 != isNull.1 : a?[i + row] ?? 0 != b?[j + row] ?? 0 { mask.insert(row) }
        }
        return mask
    }

    /// Compares leaves without nulls, word by word if they are packed alike.
    private static func integers(_ a: PackedIntegers, _ b: PackedIntegers, _ i: Int, _ j: Int, _ count: Int) -> RowMask {
        var mask = RowMask()
        guard i == j, a.width == b.width, a.base == b.base, count > 0 else {
            for row in 0..<count where a[i + row] != b[j + row] { mask.insert(row) }
            return mask
        }
        if a.width == 0 { return mask }
        let rows = 64 / a.width
        for word in i / rows...(i + count - 1) / rows {
            let before: UInt64 = a.words.little(8 * word), after: UInt64 = b.words.little(8 * word)
            if before == after { continue }
            for row in max(i, word * rows)..<min(i + count, (word + 1) * rows) where a[row] != b[row] { mask.insert(row - i) }
        }
        return mask
    }

    private func reals(_ a: RealLeaf?, _ b: RealLeaf?, _ nulls: (Bool, Bool), _ i: Int, _ j: Int, _ count: Int) -> RowMask {
        var mask = RowMask()
        for row in 0..<count {
            let isNull = (a?.isNull(i + row) ?? nulls.0, b?.isNull(j + row) ?? nulls.1)
            let differs = isNull.0 || isNull.1 ? isNull.0 != isNull.1
                : (a?[i + row] ?? 0).bitPattern != (b?[j + row] ?? 0).bitPattern
            if differs { mask.insert(row) }
        }
        return mask
    }

    private func dates(_ a: DateLeaf?, _ b: DateLeaf?, _ nulls: (Bool, Bool), _ i: Int, _ j: Int, _ count: Int) -> RowMask {
        var mask = RowMask()
        for row in 0..<count {
            let isNull = (a?.isNull(i + row) ?? nulls.0, b?.isNull(j + row) ?? nulls.1)
            let differs = isNull.0 || isNull.1 ? isNull.0 != isNull.1 : a?[i + row] ?? (0, 0) != b?[j + row] ?? (0, 0)
            if differs { mask.insert(row) }
        }
        return mask
    }

    private func texts(_ a: TextLeaf?, _ b: TextLeaf?, _ nulls: (Bool, Bool), _ pair: ColumnPairing.Pair, _ i: Int, _ j: Int,
                       _ count: Int) throws(FreeholdError) -> RowMask {
        if let a, let b, a.isCodes, b.isCodes { return integers(a.codes, b.codes, nulls, i, j, count) }
        return try mask(count) { row throws(FreeholdError) in
            let isNull = (a?.isNull(i + row) ?? nulls.0, b?.isNull(j + row) ?? nulls.1)
            if isNull.0 || isNull.1 { return isNull.0 != isNull.1 }
            if let a, let b, !a.isCodes, !b.isCodes, a.isExternal(i + row), b.isExternal(j + row), let column = pair.old {
                return try !isSame(external: a.external(i + row), column, b.external(j + row), pair.new)
            }
            let one = try pair.old.map { column throws(FreeholdError) in try old.text(left, i + row, column) }
            let other = try new.text(right, j + row, pair.new)
            return !(one ?? UnsafeRawBufferPointer(start: nil, count: 0)).isSame(as: other)
        }
    }

    /// Compares two large values without reading the blocks that both share.
    private func isSame(external before: (length: UInt64, reference: Int), _ oldColumn: Int,
                        _ after: (length: UInt64, reference: Int), _ newColumn: Int) throws(FreeholdError) -> Bool {
        if before.length != after.length { return false }
        let a = try old.access.view(left.leaf(oldColumn)), b = try new.access.view(right.leaf(newColumn))
        guard before.reference < a.referenceCount else { throw old.damagedLeaf(a, oldColumn) }
        guard after.reference < b.referenceCount else { throw new.damagedLeaf(b, newColumn) }
        return try LargeValue.areEqual(a.reference(before.reference), b.reference(after.reference), in: new.access)
    }

    private func collections(_ pair: ColumnPairing.Pair, _ i: Int, _ j: Int, _ count: Int, _ a: TextLeaf?, _ b: TextLeaf?) throws(FreeholdError) -> RowMask {
        guard let shape = pair.property.shape else { return RowMask() }
        return try mask(count) { row throws(FreeholdError) in
            if let a, let b, !a.isCodes, !b.isCodes, !a.isExternal(i + row), !b.isExternal(j + row) { return !a[i + row].isSame(as: b[j + row]) }
            let before = try pair.old.map { column throws(FreeholdError) in try old.cell(.cluster(left, i + row), column) } ?? .empty
            let after = try new.cell(.cluster(right, j + row), pair.new)
            if before == after { return false }
            return try !CollectionComparison.areEqual(CollectionReader(before, shape, old.access), CollectionReader(after, shape, new.access))
        }
    }

    private func values(_ pair: ColumnPairing.Pair, _ i: Int, _ j: Int, _ count: Int) throws(FreeholdError) -> RowMask {
        try mask(count) { row throws(FreeholdError) in
            let before = try pair.old.map { column throws(FreeholdError) in try old.value(.cluster(left, i + row), column) } ?? pair.oldDefault
            return try !before.isIdentical(to: new.value(.cluster(right, j + row), pair.new))
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes. `elementsEqual` compares through iterators.
    func isSame(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count, let first = baseAddress, let second = other.baseAddress else { return isEmpty && other.isEmpty }
        return freehold_shim_compare(first, second, count) == 0
    }
}
