/// The block that a root points to: schema, space, and a root for each class.
///
/// ```
/// references: 0 schema (a large value) · 1 space root · 2… table roots by class number (null: no objects yet)
/// body:       empty; in a file with synced classes the state of sync (`SyncBody`)
/// ```
struct TopBlock {
    let view: BlockView

    static let schema = 0
    static let space = 1
    static let firstTable = 2
    static let maximumTables = StoredSchema.maximumClasses

    init(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) {
        view = try access.view(reference)
        guard view.kind == .top, view.referenceCount >= Self.firstTable else {
            try access.requireIntactMapping()
            throw FreeholdError(.corrupt, "the root points to a block that is not a top block; restore a backup or run "
                + "`freehold salvage`", path: access.path)
        }
    }

    var schema: BlockReference { view.reference(Self.schema) }
    var space: BlockReference { view.reference(Self.space) }
    var tableCount: Int { view.referenceCount - Self.firstTable }
    /// The class's table root; null where it has none.
    func table(_ number: Int) -> BlockReference {
        number < tableCount ? view.reference(Self.firstTable + number) : .null
    }

    /// Creates a top block with the same references as `old` (nil: none) and room for that many tables.
    ///
    /// - Parameter body: bytes of the body, which the caller writes.
    static func make(tables: Int, from old: TopBlock?, body: Int = 0, in pending: PendingBlocks) -> (BlockReference, MutableBlock) {
        let (reference, block) = pending.make(.top, references: firstTable + tables, body: body)
        if let old {
            for index in 0..<min(old.view.referenceCount, firstTable + tables) {
                block.setReference(index, old.view.reference(index))
            }
        }
        return (reference, block)
    }

    /// Creates a top block with the same references and body as `old`.
    ///
    /// Safe: both bodies have this length.
    static func make(like old: TopBlock, in pending: PendingBlocks) -> (BlockReference, MutableBlock) {
        let (reference, block) = make(tables: old.tableCount, from: old, body: old.view.bodyLength, in: pending)
        block.body.copyMemory(from: old.view.body, byteCount: old.view.bodyLength)
        return (reference, block)
    }
}
