/// Reading collections and the links in them.
extension TableState {
    /// The cell of a collection column in a row.
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

    /// The collection in a column of collections, or a mixed property's value if it is one; nil for any other value.
    func anyCollection(_ place: RowPlace, _ column: Int) throws(FreeholdError) -> CollectionReader? {
        if let collection = try collection(place, column) { return collection }
        guard stored.properties[column].type == .mixed else { return nil }
        let value = try value(place, column)
        return value.collectionKind.map { CollectionReader(short: value, .mixed($0), access) }
    }

    /// Calls `body` with the target of every link in a column of links or mixed values, plain or a collection.
    ///
    /// - Parameter distinct: of a collection, once for each target.
    func forEachLink(_ place: RowPlace, _ column: Int, distinct: Bool = false,
                     _ body: (LinkTarget) throws(FreeholdError) -> Void) throws(FreeholdError) {
        guard let collection = try collection(place, column) else {
            let value = try value(place, column)
            if case .link(let target) = value { return try body(LinkTarget(target.rawValue)) }
            return try forEachLink(of: value, distinct: distinct, body)
        }
        var seen: Set<LinkTarget> = []
        try collection.forEachLink { target throws(FreeholdError) in
            if !distinct || seen.insert(target).inserted { try body(target) }
            return true
        }
    }

    private func forEachLink(of value: Value, distinct: Bool, _ body: (LinkTarget) throws(FreeholdError) -> Void) throws(FreeholdError) {
        var targets: [LinkTarget] = []
        value.forEachLink { targets.append($0) }
        for target in distinct ? Set(targets).sorted() : targets { try body(target) }
    }

    /// Whether a column of links or mixed values has one to `target`.
    func links(_ place: RowPlace, _ column: Int, to target: LinkTarget) throws(FreeholdError) -> Bool {
        guard let collection = try collection(place, column) else {
            let value = try value(place, column)
            return value == target.value || value.hasReference { LinkTarget($0) == target }
        }
        return try collection.links(to: target)
    }
}
