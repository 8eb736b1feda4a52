extension SyncDeclarations {
    /// Takes over the synced classes of a version whose objects have been copied, with what is pending of them.
    ///
    /// - Parameter keepsIdentity: whether the new file replaces the old one. Else it gets an identity of its own, and inherits what is
    ///   pending from the old one.
    func adopt(from source: Snapshot, keepsIdentity: Bool) throws(FreeholdError) {
        let (schema, top) = try source.contents(), access = source.core.access
        guard schema.hasSynced, let body = try source.syncState() else { return }
        if keepsIdentity {
            var same = body
            same.home = transaction.core.session.file.identity.hash
            transaction.changedSync = same
        } else {
            transaction.changedSync = try copied(body)
        }
        transaction.capturesSync = false
        for stored in schema.presentTables where schema.isCaptured(Int(stored.number)) {
            let table = Int(stored.number), writer = try transaction.writer(table)
            let changed = transaction.schema.marking(table, stored.sync)
            try writer.open(keepingRows: true)
            writer.reshaping.rename(as: changed.classes[table])
            transaction.replaceSchema(by: changed)
            let pending = try PendingTrees(TableRoot(top.table(table), in: access))
            let copied = try pending.copied(from: access, shift: keepsIdentity ? 0 : 1, table: stored.number, to: writer.pending)
            copied.store(in: &writer.state.root)
        }
    }
}
