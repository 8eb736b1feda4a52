/// Makes the leaves of clusters: column by column, from rows of an old cluster and rows of the buffer.
///
/// Holds one builder of each kind, so that a transaction that seals a million rows allocates nothing per leaf.
final class LeafMaker {
    let integers = IntegerColumnBuilder()
    let doubles = RealColumnBuilder<Double>()
    let floats = RealColumnBuilder<Float>()
    let texts = TextColumnBuilder(isText: true)
    let bytes = TextColumnBuilder(isText: false)
    let dates = DateColumnBuilder()
    let wides = FixedColumnBuilder<FixedRow16>()
    let narrows = FixedColumnBuilder<FixedRow12>()
    /// For changes of long lists of links, one after the other.
    let occurrences = IndexOperations()
    /// What the references of the text leaf being made will be.
    var externals: [BlockReference] = []

    /// A text value longer than this always gets blocks of its own.
    static let inlineLimit = 4096
    /// In a leaf of more text than this, so does every value longer than `crowdedLimit`.
    static let crowdedBytes = 40_000
    static let crowdedLimit = 128

    func builder(for type: PropertyType) -> any ColumnBuilder {
        switch type.leaf {
        case .integers: integers
        case .doubles: doubles
        case .floats: floats
        case .dates: dates
        case .fixed: type.width == 12 ? narrows : wides
        case .texts: type == .string ? texts : bytes
        }
    }

    /// Encodes what `builder` holds as a block.
    func make(_ builder: any ColumnBuilder, _ kind: BlockKind, table: UInt32, firstKey: Int64,
              in pending: PendingBlocks) -> BlockReference {
        let length = builder.encodedLength()
        let (reference, block) = pending.make(kind, table: table, firstKey: firstKey, count: builder.count,
                                              references: externals.count, body: length)
        for (index, external) in externals.enumerated() { block.setReference(index, external) }
        builder.encode(into: block.body)
        return reference
    }
}
