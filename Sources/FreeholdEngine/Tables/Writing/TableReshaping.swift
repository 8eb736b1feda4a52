/// Changes the properties of a class and its objects with it: first all rows are sealed and all pending index
/// operations merged, then clusters are changed one by one. Older versions keep theirs.
struct TableReshaping: TableChange {
    let writer: TableWriter

    /// Moves everything into clusters and trees, so that columns can change.
    func settleForReshaping() throws(FreeholdError) {
        try writer.open()
        try writer.seal()
        try writer.compact()
        try indexes.mergeAll()
        try writer.writeDictionaries()
        state.forgetDictionaries(count: stored.properties.count)
        writer.dictionaries.removeAll()
        writer.claims.forget()
    }

    /// Switches to a class that differs in names only.
    func rename(as stored: StoredClass) {
        writer.saveIfWanted()
        writer.tail.expectPreparation()
        writer.become(stored)
    }

    /// Removes a property, and frees the space of its values.
    func drop(_ column: Int, becoming new: StoredClass) throws(FreeholdError) {
        try settleForReshaping()
        try rewriteClusters { cluster throws(FreeholdError) in
            guard column < cluster.view.referenceCount else { return nil }
            var leaves = (0..<cluster.view.referenceCount).map { cluster.leaf($0) }
            try pending.freeTree(leaves.remove(at: column))
            return leaves
        }
        try dropTrees(of: column)
        for place in state.root.auxiliaries.indices
        where state.root.auxiliaries[place].column > column && state.root.auxiliaries[place].column < StoredIndex.firstColumn {
            state.root.auxiliaries[place].column -= 1
        }
        writer.become(new)
        state.forgetDictionaries(count: new.properties.count)
    }

    /// Removes the indexes that a subclass declares.
    func drop(indexesOf number: UInt32) throws(FreeholdError) {
        let gone = stored.indexes.filter { $0.owner == number }, derived = stored.derived.filter { $0.owner != number }
        if gone.isEmpty, derived.count == stored.derived.count { return }
        try settleForReshaping()
        for index in gone { try dropTree(.index, of: index.column) }
        for index in stored.derived where index.owner == number { try dropTree(.derived, of: index.column) }
        writer.become(stored.with(indexes: stored.indexes.filter { $0.owner != number }, derived: derived))
    }

    /// Removes a derived index, also a damaged one; the objects stay as they are.
    func drop(_ index: StoredDerived, becoming new: StoredClass) throws(FreeholdError) {
        try writer.open(keepingRows: true)
        try pending.freeTree(state.root.auxiliary(.derived, index.column), skipsDamage: true)
        state.root.auxiliaries.removeAll { $0.kind == .derived && $0.column == index.column }
        rename(as: new)
    }

    /// Replaces every object's value in a column whose property changes. `convert` gets the object's key and value, and
    /// may read all objects: they are unchanged until the last call has returned.
    func replace(_ column: Int, becoming new: StoredClass,
                 _ convert: (Int64, Value) throws(FreeholdError) -> Value) throws(FreeholdError) {
        try settleForReshaping()
        let property = new.properties[column]
        var made: [Int64: BlockReference] = [:]
        try rewriteClusters { cluster throws(FreeholdError) in
            var values: [Value] = []
            for row in 0..<cluster.count {
                let place = RowPlace.cluster(cluster, row)
                values.append(try state.has(place, column) ? try convert(cluster.key(row), try state.value(place, column)) : .null)
            }
            made[cluster.firstKey] = try leaves.makeLeaf(of: values, property, firstKey: cluster.firstKey)
            return nil
        }
        try rewriteClusters { cluster throws(FreeholdError) in
            guard let leaf = made[cluster.firstKey] else { return nil }
            return try references(of: cluster, column, leaf)
        }
        try dropTrees(of: column)
        writer.become(new)
        state.forgetDictionaries(count: new.properties.count)
        if property.hasTree { try indexes.fill(column) }
    }

    /// Lets a property be null that could not be: where nothing stood for its default something has to now.
    func makeNullable(_ column: Int, becoming new: StoredClass) throws(FreeholdError) {
        try settleForReshaping()
        let property = new.properties[column], filler = stored.properties[column].defaultValue
        // Of a subclass's property null stood for nothing else before.
        if property.owner != nil { return writer.become(new) }
        try rewriteClusters { cluster throws(FreeholdError) in
            guard cluster.leaf(column).isNull else { return nil }
            let values = Array(repeating: filler, count: cluster.count)
            return try references(of: cluster, column, try leaves.makeLeaf(of: values, property, firstKey: cluster.firstKey))
        }
        writer.become(new)
    }

    /// Makes a property required: where it is null, `filler` supplies the value. Clusters without nulls stay.
    func fillNulls(_ column: Int, becoming new: StoredClass, _ filler: (Int64) throws(FreeholdError) -> Value) throws(FreeholdError) {
        try settleForReshaping()
        let property = new.properties[column]
        var isChanged = false
        try rewriteClusters { cluster throws(FreeholdError) in
            var values: [Value] = [], hasNulls = false
            for row in 0..<cluster.count {
                let place = RowPlace.cluster(cluster, row), value = try state.value(place, column)
                guard value == .null, try state.has(place, column) else {
                    values.append(value)
                    continue
                }
                hasNulls = true
                values.append(try filler(cluster.key(row)))
            }
            if !hasNulls { return nil }
            isChanged = true
            return try references(of: cluster, column, try leaves.makeLeaf(of: values, property, firstKey: cluster.firstKey))
        }
        writer.become(new)
        guard isChanged, property.hasTree else { return }
        try dropTree(.index, of: column)
        try indexes.fill(column)
    }

    /// Starts or stops keeping a tree over a column.
    func reindex(_ column: Int, becoming new: StoredClass) throws(FreeholdError) {
        let old = stored.properties[column], had = old.hasTree
        // Of a mixed property the tree stays, with all values or with links only.
        let has = new.properties[column].hasTree, differs = old.filesAll != new.properties[column].filesAll
        try settleForReshaping()
        if had, differs { try dropTree(.index, of: column) }
        writer.become(new)
        if has, differs { try indexes.fill(column) }
    }

    /// Deletes every object and tree: the class is dropped.
    func empty() throws(FreeholdError) {
        try writer.open()
        try pending.freeTree(state.root.clusters)
        for tail in state.root.tails { pending.free(tail) }
        for entry in state.root.auxiliaries { try pending.freeTree(entry.reference) }
        state.root = TableRoot()
        state.tails = []
        buffer.removeAll()
        indexes.removeAll()
        writer.tombstones.removeAll()
        writer.claims.forget()
        state.forgetDictionaries(count: stored.properties.count)
        writer.tail.leave()
    }

    /// The cluster's leaves with the leaf of one column replaced; the old one is freed with all it refers to.
    func references(of cluster: ClusterView, _ column: Int, _ leaf: BlockReference) throws(FreeholdError) -> [BlockReference] {
        var leaves = (0..<cluster.view.referenceCount).map { cluster.leaf($0) }
        while leaves.count <= column { leaves.append(.null) }
        try pending.freeTree(leaves[column])
        leaves[column] = leaf
        return leaves
    }

    /// Calls `body` with each cluster; its result are the cluster's new leaves, nil leaves the cluster unchanged.
    func rewriteClusters(_ body: (ClusterView) throws(FreeholdError) -> [BlockReference]?) throws(FreeholdError) {
        var firsts: [Int64] = []
        var cursor = try ClusterCursor(state.root.clusters, in: pending.access)
        while let cluster = try cursor.next() { firsts.append(cluster.firstKey) }
        for first in firsts {
            guard let cluster = try ClusterTree.cluster(for: first, root: state.root.clusters, in: pending.access),
                  let leaves = try body(cluster) else { continue }
            let old = try ClusterTree.edit(for: first, root: &state.root.clusters, in: pending).view
            let (reference, new) = pending.make(.cluster, variant: old.variant, table: number, firstKey: old.firstKey, count: old.count,
                                                references: leaves.count, body: old.bodyLength)
            for (index, leaf) in leaves.enumerated() { new.setReference(index, leaf) }
            // Safe: both bodies have this length.
            new.body.copyMemory(from: old.body, byteCount: old.bodyLength)
            try writer.replaceCluster(key: first, by: reference)
        }
    }

    func dropTrees(of column: Int) throws(FreeholdError) {
        try dropTree(.index, of: column)
        try dropTree(.dictionary, of: column)
    }

    private func dropTree(_ kind: TableRoot.Auxiliary.Kind, of column: Int) throws(FreeholdError) {
        try pending.freeTree(state.root.auxiliary(kind, column))
        state.root.auxiliaries.removeAll { $0.kind == kind && $0.column == column }
    }
}
