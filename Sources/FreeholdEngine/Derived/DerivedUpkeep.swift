/// Brings derived indexes from the version that a transaction began with to its result.
///
/// It runs once, after the last seal and before any table root is written, and compares the two versions: what the
/// transaction did in between plays no part.
struct DerivedUpkeep {
    /// The version that the transaction began with: its blocks keep their bytes until the commit is published.
    let older: DerivedTables
    /// The transaction's result, whose classes are settled.
    let newer: DerivedTables
    /// The older version's number.
    let since: UInt64
    let pending: PendingBlocks

    /// The bytes of changes that are held in memory before they are written.
    private static let heldBytes = 64 << 20

    /// The new root of an index; nil if its entries stay as they are.
    ///
    /// - Parameter reference: its present root; null for an index that has none yet, which is built.
    func root(of index: StoredDerived, in stored: StoredClass, at reference: BlockReference) throws(FreeholdError) -> BlockReference? {
        guard let kind = DerivedKinds.kind(of: index, in: pending.access) else { throw DerivedKinds.unknown(index, of: stored) }
        guard reference.isNull else { return try maintained(index, kind, stored, reference) }
        // Without objects there is nothing to build from, and nothing to compare with each time.
        if try newer.state(Int(stored.number), as: stored).root.sealedCount == 0 { return nil }
        guard kind.canFile else { return try emptied(nil, index, kind, stored) }
        return try coversBase(index, stored) ? maintained(index, kind, stored, reference) : begin(index, kind, stored)
    }

    /// Whether an index without a root covers all of the version that the transaction began with: it was declared before, and
    /// there were no sealed objects. Then it is kept like any other, and a bulk load leaves nothing to build.
    private func coversBase(_ index: StoredDerived, _ stored: StoredClass) throws(FreeholdError) -> Bool {
        guard older.schema.find(number: Int(stored.number))?.derived.contains(index) == true else { return false }
        return try older.state(Int(stored.number), as: stored).root.sealedCount == 0
    }

    private func maintained(_ index: StoredDerived, _ kind: any DerivedKind, _ stored: StoredClass,
                            _ reference: BlockReference) throws(FreeholdError) -> BlockReference? {
        // The root is read once there is a change. One without a root gets one, though no object may have a document.
        var known = reference.isNull ? DerivedRoot(kind: index.kind, versions: kind.versions) : nil
        var handling = DerivedHandling.own, change = kind.change(of: index), isChanged = false
        let difference = try DerivedDifference(index, of: stored, from: older, to: newer, since: since)
        try difference.forEach { key, old, new throws(FreeholdError) in
            if known == nil {
                let root = try DerivedRoot(reference, of: index, in: pending.access)
                handling = kind.handling(of: root)
                known = root
            }
            guard let root = known, handling == .own else { return }
            if let limit = root.limit, key >= limit { return }
            try change.replace(key, old, by: new)
            // The changes of one transaction may be more than memory holds.
            guard change.bytes >= Self.heldBytes else { return }
            if let contents = try root.written(change, table: stored.number, in: pending) {
                known?.contents = contents
                isChanged = true
            }
            change = kind.change(of: index)
        }
        guard var root = known else { return nil }
        if handling != .own { return try replaced(root, handling, index, kind, stored, reference) }
        if let contents = try root.written(change, table: stored.number, in: pending) {
            root.contents = contents
        } else if !isChanged {
            return nil
        }
        if !reference.isNull { pending.free(reference) }
        return root.write(table: stored.number, in: pending)
    }

    /// The root instead of one whose entries this program does not keep; nil if it stays.
    private func replaced(_ root: DerivedRoot, _ handling: DerivedHandling, _ index: StoredDerived, _ kind: any DerivedKind,
                          _ stored: StoredClass, _ reference: BlockReference) throws(FreeholdError) -> BlockReference? {
        if handling == .refused { throw DerivedKinds.refused(index, of: stored, root.versions, kind.versions) }
        // Nothing is to be kept. Builders build it: commits of two programs would otherwise build and empty it in turns.
        if root.isEmptied { return nil }
        try pending.freeTree(reference)
        return handling == .rebuilt ? try begin(index, kind, stored) : try emptied(root, index, kind, stored)
    }

    /// The root of an index that has no entry, though its class has objects.
    private func emptied(_ old: DerivedRoot?, _ index: StoredDerived, _ kind: any DerivedKind,
                         _ stored: StoredClass) throws(FreeholdError) -> BlockReference {
        var root = kind.emptied(old)
        root.contents = try root.written(kind.change(of: index), table: stored.number, in: pending) ?? root.contents
        return root.write(table: stored.number, in: pending)
    }

    /// Begins to build an index with its first slice, which is all of a small table: `Database.buildIndexes` adds the rest.
    private func begin(_ index: StoredDerived, _ kind: any DerivedKind, _ stored: StoredClass) throws(FreeholdError) -> BlockReference {
        let reader = try DerivedReader(index, of: stored, in: newer, as: newer.schema)
        let slice = try DerivedSlice(index, kind, reader, from: .min)
        var root = DerivedRoot(kind: index.kind, versions: kind.versions)
        try root.add(slice, table: stored.number, in: pending)
        return root.write(table: stored.number, in: pending)
    }
}

extension DerivedRoot {
    /// Adds a slice that begins at the root's position, and moves the position to its end.
    mutating func add(_ slice: DerivedSlice, table: UInt32, in pending: PendingBlocks) throws(FreeholdError) {
        if let made = try written(slice.change, table: table, in: pending) { contents = made }
        state = slice.end == nil ? .complete : .building
        position = slice.end ?? 0
    }

    /// Writes changes onto the contents; nil if nothing has changed.
    fileprivate func written(_ change: any DerivedChange, table: UInt32,
                             in pending: PendingBlocks) throws(FreeholdError) -> DerivedContents? {
        try change.write(onto: contents.references.isEmpty ? nil : contents, table: table, in: pending)
    }
}
