/// Where the parts of one class's data are: the cluster tree, the tail, and a tree or dictionary per column.
///
/// ```
/// header:     count = rows in the tail
/// references: 0 cluster tree · 1–4 tail blocks · 5… auxiliary trees
/// body:       next object key i64 · objects in clusters u64 · auxiliary entries (column u16, kind u16) each
/// ```
/// A value in memory; `TableState.writeRoot` makes the block.
///
/// Safe throughout: `complaint` has compared the body's length with the references on first touch; a block written was
/// made as long as what is stored in it.
struct TableRoot {
    var clusters: BlockReference = .null
    /// Objects in the cluster tree.
    var sealedCount = 0
    var tails: [BlockReference] = []
    /// Rows in the tail blocks.
    var tailCount = 0
    /// The key the next object without one gets.
    var nextKey: Int64 = 0
    var auxiliaries: [Auxiliary] = []

    struct Auxiliary {
        enum Kind: UInt16 { case index = 1, dictionary = 2 }
        var kind: Kind
        var column: Int
        var reference: BlockReference
    }

    static let maximumTails = 4
    /// No file holds more; a larger number is damage, and adding it up might leave 64 bits.
    static let maximumObjects: UInt64 = 1 << 48
    static let firstAuxiliary = 5

    var count: Int { sealedCount + tailCount }

    init() {}

    /// Reads the block; a null reference is an empty table.
    init(_ reference: BlockReference, in access: BlockAccess) throws(FreeholdError) {
        if reference.isNull { return }
        let view = try access.view(reference)
        guard view.kind == .tableRoot else {
            throw FreeholdError(.corrupt, "the block at byte \(reference.byteOffset) should be a table root")
        }
        clusters = view.reference(0)
        for place in 1...Self.maximumTails where !view.reference(place).isNull {
            if tails.isEmpty { tails.reserveCapacity(Self.maximumTails) }
            tails.append(view.reference(place))
        }
        nextKey = view.body.load(as: Int64.self)
        sealedCount = Int(clamping: view.body.load(fromByteOffset: 8, as: UInt64.self))
        tailCount = view.count
        auxiliaries.reserveCapacity(view.referenceCount - Self.firstAuxiliary)
        for index in 0..<(view.referenceCount - Self.firstAuxiliary) {
            let entry = view.body + 16 + index * 4
            auxiliaries.append(Auxiliary(
                kind: Auxiliary.Kind(rawValue: entry.load(fromByteOffset: 2, as: UInt16.self)) ?? .index,
                column: Int(entry.load(as: UInt16.self)),
                reference: view.reference(Self.firstAuxiliary + index)))
        }
    }

    /// The tree of `kind` for `column`; null where there is none yet.
    func auxiliary(_ kind: Auxiliary.Kind, _ column: Int) -> BlockReference {
        for entry in auxiliaries where entry.column == column && entry.kind == kind { return entry.reference }
        return .null
    }

    mutating func setAuxiliary(_ kind: Auxiliary.Kind, _ column: Int, _ reference: BlockReference) {
        if let place = auxiliaries.firstIndex(where: { $0.column == column && $0.kind == kind }) {
            auxiliaries[place].reference = reference
        } else {
            auxiliaries.append(Auxiliary(kind: kind, column: column, reference: reference))
        }
    }

    /// Takes over the references of the block that `writeRoot` made, which its commit has given their places.
    mutating func takeReferences(of view: BlockView) {
        clusters = view.reference(0)
        for index in tails.indices { tails[index] = view.reference(1 + index) }
        for index in auxiliaries.indices { auxiliaries[index].reference = view.reference(Self.firstAuxiliary + index) }
    }

    /// What is wrong with a table root's bytes, or nil.
    static func complaint(about view: BlockView) -> String? {
        guard view.referenceCount >= firstAuxiliary,
              view.bodyLength >= 16 + (view.referenceCount - firstAuxiliary) * 4 else { return "its parts do not fit" }
        guard view.body.load(fromByteOffset: 8, as: UInt64.self) <= maximumObjects else { return "it counts more objects than a file can hold" }
        return nil
    }
}

extension TableState {
    /// Makes the root's block. Here, not in `TableRoot`: there each call would copy the value and count its arrays.
    ///
    /// Safe: the block is as long as what is stored in it.
    func writeRoot(table: UInt32, in pending: PendingBlocks) -> BlockReference {
        let auxiliaries = root.auxiliaries.count, firstAuxiliary = TableRoot.firstAuxiliary
        let (reference, block) = pending.make(.tableRoot, table: table, count: root.tailCount,
                                              references: firstAuxiliary + auxiliaries, body: 16 + auxiliaries * 4)
        block.setReference(0, root.clusters)
        for index in root.tails.indices { block.setReference(1 + index, root.tails[index]) }
        let body = block.body
        body.storeBytes(of: root.nextKey, as: Int64.self)
        body.storeBytes(of: UInt64(root.sealedCount), toByteOffset: 8, as: UInt64.self)
        for index in 0..<auxiliaries {
            let entry = root.auxiliaries[index]
            block.setReference(firstAuxiliary + index, entry.reference)
            body.storeBytes(of: UInt16(entry.column), toByteOffset: 16 + index * 4, as: UInt16.self)
            body.storeBytes(of: entry.kind.rawValue, toByteOffset: 18 + index * 4, as: UInt16.self)
        }
        return reference
    }
}
