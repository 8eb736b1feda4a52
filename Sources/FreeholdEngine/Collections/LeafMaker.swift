/// Encodes the leaves of clusters, column by column, from rows of an old cluster and rows of the buffer.
///
/// Reuses one builder of each kind, so a transaction that seals a million rows allocates nothing per leaf.
final class LeafMaker {
    let integers = IntegerColumnBuilder()
    let doubles = RealColumnBuilder<Double>()
    let floats = RealColumnBuilder<Float>()
    let texts = TextColumnBuilder(isText: true)
    let bytes = TextColumnBuilder(isText: false)
    let dates = DateColumnBuilder()
    let wides = FixedColumnBuilder<FixedRow16>()
    let narrows = FixedColumnBuilder<FixedRow12>()
    /// For successive changes to long lists of links.
    let occurrences = IndexOperations()
    /// The future references of the text leaf being encoded.
    var externals: [BlockReference] = []

    /// A text value longer than this always gets blocks of its own.
    static let inlineLimit = 4096
    /// In a leaf with more text than this, values longer than `crowdedLimit` get blocks too.
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

    /// Encodes the rows of `builder` as a block.
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
