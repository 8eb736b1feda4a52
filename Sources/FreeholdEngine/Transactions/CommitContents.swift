/// The end of a transaction's work in memory: the blocks of the new version, from the objects up to the top block.
///
/// ```
/// classes settle: seal, compact, merge ──► derived indexes ──► changes for sync ──► table roots ──► schema, top
/// ```
/// Every class settles before the first table root is written, so that nothing seals later. In between, derived indexes
/// are brought to the new version by comparing it with the one that the transaction began with, and what has changed in
/// synced classes is noted.
struct CommitContents {
    /// The version that the transaction began with.
    let base: TopBlock
    let schema: StoredSchema
    let isSchemaChanged: Bool
    /// The writers of the classes that the transaction has used, by number.
    var writers: [TableWriter?]
    let pending: PendingBlocks
    /// The state of sync as it is written; nil without synced classes.
    var sync: SyncBody?
    /// Whether changes of synced classes are noted: not in a transaction that itself writes what is pending.
    let capturesSync: Bool
    /// The identities of what a transaction applies from the server; nil in all others.
    let applied: AppliedIdentities?
    /// Nil without synced classes.
    let captureTools: CaptureTools?
    /// The wall clock, for changes of synced classes.
    let wallMilliseconds: () -> Int64

    /// Creates the new top block and all that it leads to.
    ///
    /// - Parameters:
    ///   - since: the number of the version that the transaction began with.
    ///   - schemaBefore: the schema of that version; called only for derived indexes.
    ///   - open: finds the writer of a class that the transaction has not used.
    mutating func make(since: UInt64, schemaBefore: () throws(FreeholdError) -> StoredSchema,
                       opening open: (Int) throws(FreeholdError) -> TableWriter) throws(FreeholdError) -> (BlockReference, MutableBlock) {
        let (top, block) = TopBlock.make(tables: schema.classes.count, from: base, body: sync?.byteCount ?? 0, in: pending)
        for case let writer? in writers where writer.isChanged && !isDropped(writer) { try writer.settle() }
        if schema.hasDerived { try keepDerived(since, schemaBefore(), open) }
        if schema.hasSynced || base.view.bodyLength > 0 { try keepSync(since, schemaBefore(), open) }
        for case let writer? in writers where writer.isChanged {
            pending.free(base.table(Int(writer.number)))
            block.setReference(TopBlock.firstTable + Int(writer.number), isDropped(writer) ? .null : writer.writeRoot())
        }
        if isSchemaChanged { block.setReference(TopBlock.schema, try writeSchema()) }
        sync?.write(into: block)
        return (top, block)
    }

    private func isDropped(_ writer: TableWriter) -> Bool { schema.classes[Int(writer.number)].isDropped }

    private func isChanged(_ table: Int) -> Bool { writers[table]?.isChanged == true }

    /// Brings each derived index to the new version whose class, or one that its fields lead to, has changed.
    private mutating func keepDerived(_ since: UInt64, _ schemaBefore: StoredSchema,
                                      _ open: (Int) throws(FreeholdError) -> TableWriter) throws(FreeholdError) {
        let base = base, access = pending.access
        let older = DerivedTables(schemaBefore, in: access) { table throws(FreeholdError) in try TableRoot(base.table(table), in: access) }
        let newer = settledTables()
        let upkeep = DerivedUpkeep(older: older, newer: newer, since: since, pending: pending)
        for stored in schema.presentTables {
            let table = Int(stored.number)
            for index in stored.derived where isChanged(table) || index.fields.contains(where: { isChanged(Int($0.table)) }) {
                let known = try newer.state(table, as: stored).root.auxiliary(.derived, index.column)
                let root: BlockReference?
                do throws(FreeholdError) {
                    root = try upkeep.root(of: index, in: stored, at: known)
                } catch { throw DerivedKinds.explained(error, stored, "kept up to date") }
                guard let root else { continue }
                let writer = try settledWriter(table, open)
                writer.state.root.setAuxiliary(.derived, index.column, root)
            }
        }
    }

    /// The tables as the transaction leaves them.
    private func settledTables() -> DerivedTables {
        let settled = writers, base = base, access = pending.access
        return DerivedTables(schema, in: access) { table throws(FreeholdError) in
            if let writer = settled[table], writer.isChanged { return writer.state.root }
            return try TableRoot(base.table(table), in: access)
        }
    }

    /// Notes what has changed in synced classes, and drops what is pending of classes that are not synced any more.
    private mutating func keepSync(_ since: UInt64, _ schemaBefore: StoredSchema,
                                   _ open: (Int) throws(FreeholdError) -> TableWriter) throws(FreeholdError) {
        if isSchemaChanged {
            if let complaint = schema.synced.complaint(schema) {
                throw FreeholdError(.invalidArgument, complaint, path: pending.access.path)
            }
            try dropUnsynced(schemaBefore, open)
        }
        guard capturesSync || applied != nil, let body = sync, let captureTools else { return }
        let base = base, access = pending.access
        let older = DerivedTables(schemaBefore, in: access) { table throws(FreeholdError) in
            schemaBefore.isCaptured(table) ? try TableRoot(base.table(table), in: access) : TableRoot()
        }
        if isSchemaChanged || applied != nil {
            for stored in schema.presentTables where schema.isCaptured(Int(stored.number)) {
                let table = Int(stored.number)
                // Objects that a class has embedded are captured with it, and get identities when it is marked.
                let isNew = isSchemaChanged && !schemaBefore.isCaptured(table) && !base.table(table).isNull
                if isNew || applied?.names(stored.number) == true { _ = try settledWriter(table, open) }
            }
        }
        var capture = SyncCapture(older: older, newer: settledTables(), since: since, pending: pending, captureTools,
                                  wallMilliseconds: wallMilliseconds(), body: body, applied: applied,
                                  comparesAll: isSchemaChanged || applied != nil)
        for case let writer? in writers where writer.isChanged && schema.isCaptured(Int(writer.number)) && !isDropped(writer) {
            if let trees = try capture.trees(writer) { trees.store(in: &writer.state.root) }
        }
        sync = capture.body
    }

    private mutating func dropUnsynced(_ schemaBefore: StoredSchema,
                                       _ open: (Int) throws(FreeholdError) -> TableWriter) throws(FreeholdError) {
        for stored in schema.presentTables {
            let table = Int(stored.number)
            guard schemaBefore.isCaptured(table), !schema.isCaptured(table) else { continue }
            let writer = try settledWriter(table, open), trees = PendingTrees(writer.state.root)
            for (_, tree) in trees.all { try pending.freeTree(tree, skipsDamage: true) }
            PendingTrees().store(in: &writer.state.root)
        }
    }

    /// The writer of a class, settled, whether or not the transaction has changed the class.
    private mutating func settledWriter(_ table: Int,
                                        _ open: (Int) throws(FreeholdError) -> TableWriter) throws(FreeholdError) -> TableWriter {
        if let writer = writers[table], writer.isChanged { return writer }
        let writer = try open(table)
        // No object of the class is about to change.
        try writer.open(keepingRows: true)
        try writer.settle()
        writers[table] = writer
        return writer
    }

    private func writeSchema() throws(FreeholdError) -> BlockReference {
        try pending.freeTree(base.schema)
        // Safe: the bytes are copied into blocks before the call returns.
        return SchemaCodec.encode(schema).withUnsafeBytes { LargeValue.write($0, table: 0, in: pending) }
    }
}
