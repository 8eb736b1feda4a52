/// Reading collections and the links in them.
extension TableState {
    /// What a row holds of a collection column.
    ///
    /// Safe: a row's text lies within it; a leaf's structure was checked on first touch.
    func cell(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> CollectionCell {
        switch place {
        case .tail(let row):
            guard column < row.columns, !row.isNull(column) else { return .empty }
            guard let bytes = row.text(column, stored.layout) else { throw RowView.damaged(row.key) }
            let cell = CollectionCell(buffered: bytes)
            // Rows of a file hold no trees.
            if case .tree = cell, buffer?.holdsTrees != true { throw RowView.damaged(row.key) }
            return cell
        case .cluster(let cluster, let row):
            guard let body = try leaf(cluster, row, column) else { return .empty }
            let leaf = TextLeaf(body), view = try access.view(cluster.leaf(column))
            if leaf.isCodes { throw damagedLeaf(view, column) }
            return try CollectionCell(leaf, row, in: view)
        }
    }

    /// The collection of a column; nil if the column holds plain values.
    func collection(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> CollectionReader? {
        guard let shape = stored.properties[column].shape else { return nil }
        return try CollectionReader(try cell(place, column), shape, access)
    }

    /// Calls `body` with the target of every link in a column of links, plain or a collection.
    ///
    /// - Parameter distinct: once for each target.
    func forEachLink(_ place: RowPlace, _ column: Int, distinct: Bool = false,
                     _ body: (Int64) throws(FreeholdError) -> Void) throws(FreeholdError) {
        guard let collection = try collection(place, column) else {
            if case .link(let target) = try value(place, column) { try body(target.rawValue) }
            return
        }
        var seen: Set<Int64> = []
        try collection.forEachLink { target throws(FreeholdError) in
            if !distinct || seen.insert(target).inserted { try body(target) }
            return true
        }
    }

    /// Whether a column of links has one to `target`.
    func links(_ place: RowPlace, _ column: Int, to target: Int64) throws(FreeholdError) -> Bool {
        guard let collection = try collection(place, column) else { return try value(place, column) == .link(ObjectKey(target)) }
        return try collection.links(to: target)
    }
}
