/// A collection as stored by its owner, in a row of a text leaf or of the tail: empty, a few bytes, or a tree.
enum CollectionCell: Equatable {
    case empty
    /// `InlineCollection`.
    case inline([UInt8])
    /// A reference to a block `collectionRoot`.
    case tree(BlockReference)

    /// Maximum length of a short collection in bytes.
    static let inlineLimit = 128

    /// In rows of a transaction's buffer a tree is stored as this byte followed by its reference.
    static let treeMark: UInt8 = 0xFF
    static let treeByteCount = 1 + BlockReference.byteCount

    /// Decodes a cell from a row that the transaction holds in memory, where trees are stored as references.
    init(buffered bytes: UnsafeRawBufferPointer) {
        if bytes.isEmpty {
            self = .empty
        } else if bytes[0] == Self.treeMark, bytes.count == Self.treeByteCount {
            // Safe: as many bytes as a reference takes follow.
            self = .tree(bytes.loadUnaligned(fromByteOffset: 1, as: BlockReference.self))
        } else {
            self = .inline(Array(bytes))
        }
    }

    /// The bytes of the cell in such a row; nil if empty.
    var buffered: [UInt8]? {
        switch self {
        case .empty: return nil
        case .inline(let bytes): return bytes
        case .tree(let reference):
            // Safe: copied at once.
            return withUnsafeBytes(of: reference) { [Self.treeMark] + $0 }
        }
    }

    /// The element of a text leaf; for trees, with the given block.
    ///
    /// Safe: the leaf's structure was checked when its block was touched first; the reference is compared here.
    init(_ leaf: TextLeaf, _ row: Int, in view: BlockView) throws(FreeholdError) {
        if leaf.isNull(row) {
            self = .empty
        } else if leaf.isExternal(row) {
            let place = leaf.external(row).reference
            guard place < view.referenceCount else { throw ListTree.damaged("a collection refers to a block that its leaf does not have") }
            self = .tree(view.reference(place))
        } else {
            let bytes = leaf[row]
            self = bytes.isEmpty ? .empty : .inline(Array(bytes))
        }
    }
}
