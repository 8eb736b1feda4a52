/// The structural checks of a block's bytes, which run at first touch, before any reader uses the block.
///
/// After `complaint` returned nil, no reader of that kind goes outside the block, whatever its bytes say.
enum BlockStructure {
    @Sendable static func complaint(about view: BlockView) -> String? {
        guard let kind = view.kind else { return "its kind \(view.kindByte) is unknown" }
        switch kind {
        case .top: return view.referenceCount >= TopBlock.firstTable ? nil : "it lacks references"
        case .tableRoot: return TableRoot.complaint(about: view)
        case .derivedRoot: return DerivedRoot.complaint(about: view)
        case .clusterInner: return ClusterInner.complaint(about: view)
        case .cluster: return ClusterView.complaint(about: view)
        case .tail: return TailView.complaint(about: view)
        case .indexInner: return IndexInner.complaint(about: view)
        case .indexLeaf: return IndexLeaf.complaint(about: view)
        case .largeValueIndex: return view.bodyLength >= 8 ? nil : "it lacks its length"
        case .dictionary: return ColumnDictionary.complaint(about: view)
        case .listInner: return ListInner.complaint(about: view)
        case .collectionRoot: return CollectionRoot.complaint(about: view)
        case .integerLeaf, .floatLeaf, .doubleLeaf, .textLeaf, .fixedLeaf, .dateLeaf:
            return leafComplaint(kind, view)
        // The space floor checks its blocks whenever it reads them.
        case .spaceRoot, .spaceChunk, .spaceInner, .spaceLeaf, .largeValue: return nil
        }
    }

    private static func leafComplaint(_ kind: BlockKind, _ view: BlockView) -> String? {
        let bytes = UnsafeRawBufferPointer(start: view.body, count: view.bodyLength)
        let length: Int? = switch kind {
        case .integerLeaf: PackedIntegers.validatedLength(bytes)
        case .floatLeaf, .doubleLeaf: RealLeaf.validatedLength(bytes)
        case .textLeaf: TextLeaf.validatedLength(bytes, references: view.referenceCount)
        case .fixedLeaf: FixedLeaf.validatedLength(bytes)
        case .dateLeaf: DateLeaf.validatedLength(bytes)
        default: view.bodyLength
        }
        guard length != nil else { return "its leaf makes no sense" }
        switch kind {
        case .floatLeaf where LeafHead(view.body).shape != 4, .doubleLeaf where LeafHead(view.body).shape != 8:
            return "its reals have the wrong width"
        default: return nil
        }
    }
}
