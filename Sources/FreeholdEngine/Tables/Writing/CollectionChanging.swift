/// Changes the collections of objects.
///
/// 1. A short collection is stored as bytes in its row, or in its cluster's leaf; a longer one is a tree of its own. A
/// row of the buffer with a tree is sealed at the transaction's end, since tail blocks cannot refer to trees.
/// 2. The tree over a column of links or mixed values has one posting for each object and target, regardless of the
/// number of links.
struct CollectionChanging: TableChange {
    let writer: TableWriter

    /// Changes a collection of an object, or one nested in it; throws `.noSuchObject` if there is none with this key.
    func change(_ key: Int64, _ column: Int, _ change: CollectionChange, at path: [CollectionStep]) throws(FreeholdError) {
        let property = stored.properties[column]
        guard let shape = property.shape else { throw property.noCollection(class: stored.name) }
        let (change, path) = try whole(change, at: path, of: key, column, shape)
        let fitting = try property.accepting(change, try shape.following(path), class: stored.name)
        try writer.open()
        if let place = try writer.bufferPlace(key) {
            let old = try state.cell(.tail(buffer.row(place)), column)
            return setCell(place, column, to: try applying(fitting, at: path, to: old, shape))
        }
        guard let place = try state.find(key), case .cluster(let cluster, let row) = place else { throw writer.noSuchObject(key) }
        let old = try state.cell(place, column)
        let touched = property.type.mayLink ? try CollectionReader(old, shape, pending.access).links(touchedBy: fitting, at: path[...]) : []
        let new = try applying(fitting, at: path, to: old, shape)
        try writer.change { () throws(FreeholdError) in
            try setSealed(key, row: row, column, from: old, to: new, columns: cluster.view.referenceCount)
            guard property.type.mayLink else { return }
            try indexes.recordLinks(of: key, column, gone: touched, isComplete: fitting.isComplete, come: fitting.links,
                                    in: CollectionReader(new, shape, pending.access))
        }
    }

    /// The collection after a change. The tree of a long one is changed in place, so an error within counts as an
    /// interruption unless it is one of the request, such as a position that does not exist, which is found first.
    private func applying(_ change: CollectionChange, at path: [CollectionStep], to cell: CollectionCell,
                          _ shape: CollectionShape) throws(FreeholdError) -> CollectionCell {
        try writer.request { () throws(FreeholdError) in try editor.apply(change, at: path[...], to: cell, shape) }
    }

    /// Turns a change within a mixed value, which is rewritten as a whole, into the change of the collection that has
    /// it as an element.
    private func whole(_ change: CollectionChange, at path: [CollectionStep], of key: Int64, _ column: Int,
                       _ shape: CollectionShape) throws(FreeholdError) -> (CollectionChange, [CollectionStep]) {
        guard shape.type == .mixed, path.count >= shape.kinds.count else { return (change, path) }
        guard let place = try state.find(key) else { throw writer.noSuchObject(key) }
        let outer = path.prefix(shape.kinds.count - 1), step = path[outer.count]
        let reader = try CollectionReader(try state.cell(place, column), shape, pending.access).following(outer)
        var value = try reader.value(at: try reader.position(of: step))
        try value.apply(change, at: path.dropFirst(shape.kinds.count), try reader.shape.inner(of: value))
        switch step {
        case .position(let position): return (.replace(position, value), Array(outer))
        case .key(let key): return (.put([(key, value)]), Array(outer))
        }
    }

    private var editor: CollectionEditor { CollectionEditor(table: number, maker: writer.maker, pending: pending) }

    /// Sets a collection of a newly inserted row.
    func fill(_ place: Int, _ column: Int, _ shape: CollectionShape, with value: Value) throws(FreeholdError) {
        let fitting = try stored.properties[column].accepting(.assign(value), shape, class: stored.name)
        setCell(place, column, to: try editor.apply(fitting, at: [], to: .empty, shape))
    }

    /// Safe: the row takes a copy of the bytes.
    private func setCell(_ place: Int, _ column: Int, to cell: CollectionCell) {
        guard let bytes = cell.buffered else { return buffer.setNull(place, column, true) }
        if case .tree = cell { buffer.holdsTrees = true }
        bytes.withUnsafeBytes { buffer.setText(place, column, layout, to: $0) }
    }

    private func setSealed(_ key: Int64, row: Int, _ column: Int, from old: CollectionCell, to new: CollectionCell,
                           columns: Int) throws(FreeholdError) {
        if old == new { return }
        guard case .tree = old, case .tree(let reference) = new else {
            let value: Value = new.buffered.map { .data($0) } ?? .null
            return try writer.setSealed(key, row: row, column, to: value, columns: columns, freesOld: false)
        }
        let block = try ClusterTree.edit(for: key, root: &state.root.clusters, in: pending)
        var leaf = block.view.reference(column)
        let editable = try pending.edit(&leaf)
        block.setReference(column, leaf)
        editable.setReference(TextLeaf(UnsafeRawPointer(editable.body)).external(row).reference, reference)
    }

    // MARK: Links

    /// Removes every link to `target` from the collections of an object.
    func removeLinks(to target: LinkTarget, of key: Int64, _ column: Int) throws(FreeholdError) {
        try change(key, column, .removeLinks(to: target), at: [])
    }

}

extension CollectionShape {
    /// The shape of the collection at the end of a path.
    func following(_ path: [CollectionStep]) throws(FreeholdError) -> CollectionShape {
        var shape = self
        for _ in path {
            guard let inner = shape.inner else { throw CollectionError.notNested(shape) }
            shape = inner
        }
        return shape
    }
}

extension CollectionChange {
    /// Whether it removes all occurrences of the links it may remove, wherever they are.
    var isComplete: Bool { if case .removeLinks = self { true } else { false } }

    /// The targets of the links it adds.
    var links: [LinkTarget] {
        var links: [LinkTarget] = []
        for value in values { value.forEachLink { links.append($0) } }
        return links
    }
}
