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

    /// The new root of an index; nil if its entries stay as they are.
    ///
    /// - Parameter reference: its present root; null for an index that has none yet, which is built.
    func root(of index: StoredDerived, in stored: StoredClass, at reference: BlockReference) throws(FreeholdError) -> BlockReference? {
        guard let kind = DerivedKinds.kind(of: index) else { throw DerivedKinds.unknown(index, of: stored) }
        guard reference.isNull else { return try maintained(index, kind, stored, reference) }
        // Without objects there is nothing to build from, and nothing to compare with each time.
        if try newer.state(Int(stored.number), as: stored).root.sealedCount == 0 { return nil }
        return try build(index, kind, stored)
    }

    private func maintained(_ index: StoredDerived, _ kind: any DerivedKind, _ stored: StoredClass,
                            _ reference: BlockReference) throws(FreeholdError) -> BlockReference? {
        // The root is read once there is a change.
        var root: DerivedRoot?, change: (any DerivedChange)?
        let difference = try DerivedDifference(index, of: stored, from: older, to: newer, since: since)
        try difference.forEach { key, old, new throws(FreeholdError) in
            if root == nil {
                let known = try DerivedRoot(reference, in: pending.access)
                root = known
                change = kind.change(known.contents, of: index, table: stored.number, in: pending)
            }
            if let limit = root?.limit, key >= limit { return }
            try change?.replace(key, old, by: new)
        }
        guard let contents = try change?.finish(), var root else { return nil }
        root.contents = contents
        pending.free(reference)
        return root.write(table: stored.number, in: pending)
    }

    /// Builds an index of all sealed objects: what differs from a version without objects.
    private func build(_ index: StoredDerived, _ kind: any DerivedKind, _ stored: StoredClass) throws(FreeholdError) -> BlockReference {
        let change = kind.change(nil, of: index, table: stored.number, in: pending)
        let nothing = DerivedTables.empty(newer.schema, in: pending.access)
        let difference = try DerivedDifference(index, of: stored, from: nothing, to: newer, since: since)
        try difference.forEach { key, _, new throws(FreeholdError) in try change.replace(key, nil, by: new) }
        var root = DerivedRoot(kind: index.kind, versions: kind.versions)
        root.contents = try change.finish() ?? DerivedContents()
        return root.write(table: stored.number, in: pending)
    }
}
