/// The end of a transaction's work in memory: the blocks of the new version, from the objects up to the top block.
///
/// ```
/// classes settle: seal, compact, merge ──► table roots ──► schema ──► top block
/// ```
/// Every class settles before the first table root is written, so that nothing seals later.
struct CommitContents {
    /// The version that the transaction began with.
    let base: TopBlock
    let schema: StoredSchema
    let isSchemaChanged: Bool
    /// The writers of the classes that the transaction has used, by number.
    let writers: [TableWriter?]
    let pending: PendingBlocks

    /// Creates the new top block and all that it leads to.
    func make() throws(FreeholdError) -> (BlockReference, MutableBlock) {
        let (top, block) = TopBlock.make(tables: schema.classes.count, from: base, in: pending)
        for case let writer? in writers where writer.isChanged && !isDropped(writer) { try writer.settle() }
        for case let writer? in writers where writer.isChanged {
            pending.free(base.table(Int(writer.number)))
            block.setReference(TopBlock.firstTable + Int(writer.number), isDropped(writer) ? .null : writer.writeRoot())
        }
        if isSchemaChanged { block.setReference(TopBlock.schema, try writeSchema()) }
        return (top, block)
    }

    private func isDropped(_ writer: TableWriter) -> Bool { schema.classes[Int(writer.number)].isDropped }

    private func writeSchema() throws(FreeholdError) -> BlockReference {
        try pending.freeTree(base.schema)
        // Safe: the bytes are copied into blocks before the call returns.
        return SchemaCodec.encode(schema).withUnsafeBytes { LargeValue.write($0, table: 0, in: pending) }
    }
}
