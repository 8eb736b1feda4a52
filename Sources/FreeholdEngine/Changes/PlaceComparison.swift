import CShims

/// Compares an object with itself in another version, whether each version has it in a cluster or in the tail.
///
/// Safe throughout: rows of the tail were compared with their class's layout when they were found.
struct PlaceComparison {
    private let old: TableState
    private let new: TableState
    private let pairing: ColumnPairing

    init(old: TableState, new: TableState, _ pairing: ColumnPairing) {
        self.old = old
        self.new = new
        self.pairing = pairing
    }

    /// The columns whose values differ.
    func columns(_ before: RowPlace, _ after: RowPlace) throws(FreeholdError) -> ColumnSet {
        var set = ColumnSet()
        if case .tail(let one) = before, case .tail(let other) = after, pairing.isSame, one.length == other.length,
           freehold_shim_compare(one.start, other.start, one.length) == 0 { return set }
        if pairing.isSame, case .cluster(let one, let row) = before, case .cluster(let other, row) = after {
            // Of two versions of a cluster most leaves are the same blocks.
            for pair in pairing.pairs where !one.leaf(pair.new).isSameBlock(as: other.leaf(pair.new)) {
                if try !isSame(before, after, pair) { set.insert(pair.new) }
            }
            return set
        }
        for pair in pairing.pairs where try !isSame(before, after, pair) { set.insert(pair.new) }
        return set
    }

    private func isSame(_ before: RowPlace, _ after: RowPlace, _ pair: ColumnPairing.Pair) throws(FreeholdError) -> Bool {
        guard let column = pair.old else { return try pair.isInitial(new.value(after, pair.new)) }
        if let shape = pair.property.shape {
            let one = try old.cell(before, column), other = try new.cell(after, pair.new)
            if one == other { return true }
            return try CollectionComparison.areEqual(CollectionReader(one, shape, old.access), CollectionReader(other, shape, new.access))
        }
        let isNull = (try old.isNull(before, column), try new.isNull(after, pair.new))
        if isNull.0 || isNull.1 { return isNull.0 == isNull.1 }
        switch pair.property.type.leaf {
        case .integers: return try old.integer(before, column) == new.integer(after, pair.new)
        case .floats, .doubles: return try old.real(before, column).bitPattern == new.real(after, pair.new).bitPattern
        case .texts where pair.property.type != .mixed: return try old.bytes(before, column).isSame(as: new.bytes(after, pair.new))
        case .dates, .fixed, .texts: return try old.value(before, column).isIdentical(to: new.value(after, pair.new))
        }
    }
}
