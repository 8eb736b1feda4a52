extension TableWriter {
    /// Sets one property of an object; throws `.noSuchObject` if there is none with this key.
    func set(_ key: Int64, _ column: Int, to value: Value) throws(FreeholdError) {
        let property = stored.properties[column]
        if property.shape != nil { return try collections.change(key, column, .assign(value), at: []) }
        let fitting = try property.accepting(value, class: stored.name)
        if stored.primaryKeys.contains(column) { return try refuseKeyChange(key, column, fitting) }
        try open()
        if let place = try bufferPlace(key) {
            try refuseOverlong(fitting.byteCount, column, place: place)
            if property.isUnique || !stored.indexes.isEmpty { try claim(place, column, fitting, isUnique: property.isUnique) }
            buffer.set(place, column, layout, to: fitting)
            assert(checkInvariants(), "the invariants hold")
            return
        }
        try property.refuseOverlong(fitting.byteCount, inRowOf: 0, class: stored.name)
        guard let place = try state.find(key), case .cluster(let cluster, let row) = place else { throw noSuchObject(key) }
        if property.hasTree || !stored.indexes.isEmpty {
            let old = try state.value(place, column)
            if old.isIdentical(to: fitting) { return }
            if property.isUnique { try claims.requireFree(fitting, column: column, owner: key, in: self) }
            let moves = try moves(of: place, key, column, to: fitting)
            return try change { () throws(FreeholdError) in
                for move in moves { try indexes.record(move, key) }
                if property.hasTree {
                    try indexes.record(remove: old, column: column, key: key)
                    try indexes.record(insert: fitting, column: column, key: key)
                }
                try setSealed(key, row: row, column, to: fitting, columns: cluster.view.referenceCount)
            }
        }
        try change { () throws(FreeholdError) in
            try setSealed(key, row: row, column, to: fitting, columns: cluster.view.referenceCount)
        }
    }

    /// Makes a row of the buffer the owner of a column's new unique value, and of its new keys in unique indexes, or
    /// throws.
    private func claim(_ place: Int, _ column: Int, _ value: Value, isUnique: Bool) throws(FreeholdError) {
        do throws(FreeholdError) {
            if isUnique { try claims.claim(value, column: column, place: place, in: self) }
            try claims.claimKeys(place, column, value, in: self)
        } catch {
            claims.forget()
            throw error
        }
    }

    /// The moves of a sealed row to its new key in each index over several properties; throws if a key is too long, or
    /// another object has it in a unique index.
    private func moves(of place: RowPlace, _ object: Int64, _ column: Int, to value: Value) throws(FreeholdError) -> [IndexQueue.Move] {
        var touched: [StoredIndex] = []
        for index in stored.indexes where index.columns.contains(column) {
            if try state.isFiled(place, in: index) { touched.append(index) }
        }
        for index in touched where index.isUnique {
            try claims.requireFree(try indexes.compoundKey(index, place, replacing: (column, value)), index, owner: object, in: self)
        }
        var moves: [IndexQueue.Move] = []
        for index in touched { moves.append(try indexes.move(of: place, index, column, to: value)) }
        return moves
    }

    func noSuchObject(_ key: Int64) -> FreeholdError {
        FreeholdError(.noSuchObject, "class '\(stored.name)' has no object with key \(key); it may have been deleted")
    }

    private func refuseKeyChange(_ key: Int64, _ column: Int, _ value: Value) throws(FreeholdError) {
        guard let place = try state.find(key) else { throw noSuchObject(key) }
        if stored.properties[column].isObjectKey ? value == .int(key) : try state.value(place, column).isFiled(as: value) { return }
        throw FreeholdError(.invalidArgument, "'\(stored.properties[column].name)' is the primary key of class "
            + "'\(stored.name)' and cannot change; delete the object and make a new one")
    }

    /// Changes a leaf in place if the value fits its encoding, else re-encodes it.
    ///
    /// - Parameters:
    /// - external: instead of `value`, which is null then: a value whose blocks are already written.
    /// - freesOld: whether the previous value may have blocks of its own; a collection's are freed by the code that
    ///   changed it.
    func setSealed(_ key: Int64, row: Int, _ column: Int, to value: Value, external: ExternalValue? = nil, columns: Int,
                   freesOld: Bool = true) throws(FreeholdError) {
        var block = try ClusterTree.edit(for: key, root: &state.root.clusters, in: pending)
        if column >= columns { block = try addColumns(to: block, key: key) }
        var leaf = block.view.reference(column)
        if !leaf.isNull {
            let editable = try pending.edit(&leaf)
            block.setReference(column, leaf)
            if external == nil, LeafEditing.set(value, at: row, in: editable) { return }
        }
        let gather = RowGather(old: ClusterView(view: block.view), keepingDeleted: true, buffer: buffer)
        let made = try leaves.makeLeaf(column, gather, 0..<block.view.count, replacing: RowReplacement(position: row, value: value, external: external))
        if freesOld { try leaves.freeExternals(of: ClusterView(view: block.view), column) { $0 == row } }
        pending.free(leaf)
        block.setReference(column, made)
        assert(checkInvariants(), "the invariants hold")
    }

    /// Replaces a cluster that is older than the class's newest properties by one with a reference for each.
    private func addColumns(to block: MutableBlock, key: Int64) throws(FreeholdError) -> MutableBlock {
        let old = block.view
        let (reference, new) = pending.make(
            .cluster, variant: old.variant, table: number, firstKey: old.firstKey, count: old.count,
            references: stored.properties.count, body: old.bodyLength)
        for index in 0..<old.referenceCount { new.setReference(index, old.reference(index)) }
        new.body.copyMemory(from: old.body, byteCount: old.bodyLength)
        try replaceCluster(key: key, by: reference)
        return new
    }
}
