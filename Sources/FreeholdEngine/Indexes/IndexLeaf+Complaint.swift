/// Checks a leaf that comes from a file.
///
/// Safe throughout: each part is read only after its position has been compared with the body's length, which the
/// verifier has compared with the block's.
extension IndexLeaf {
    /// The error in a block of kind `indexLeaf`, or nil. Afterwards no accessor reads outside the block.
    static func complaint(about view: BlockView) -> String? {
        if view.variant == IndexLayout.remainderVariant { return IndexRemainder.complaint(about: view) }
        guard view.variant == IndexLayout.leafVariant else { return "its variant \(view.variant) is unknown" }
        let count = view.count
        let directory = IndexLayout.leafFixedBytes + count * IndexLayout.leafSlotBytes
        guard count > 0, count <= BlockLayout.maximumGranules * BlockLayout.granule, directory <= view.bodyLength else {
            return "its \(count) entries do not fit"
        }
        let leaf = IndexLeaf(unchecked: view)
        if let complaint = leaf.keys.complaint(itemsStart: directory + leaf.keys.prefix.count,
                                               bodyLength: view.bodyLength, firstReference: 0) { return complaint }
        for index in 0..<count {
            if let complaint = leaf.complaintAboutChunk(index) { return complaint }
        }
        return leaf.postings(0, count) == leaf.postings ? nil : "its posting count differs from its entries"
    }

    private func complaintAboutChunk(_ index: Int) -> String? {
        var position = keys.tail(index).end
        let end = keys.item(index + 1)
        guard IndexVarint.readChecked(&position, end: end) != nil else { return "an entry has no first object" }
        let count = postings(index)
        if count > 1 {
            guard IndexVarint.readChecked(&position, end: end) != nil else { return "an entry has no last object" }
            // Exactly that many numbers end here, and no byte is left over: enough for readers to stay inside.
            // `verify`, which has time to read them, checks whether they ascend and sum up to the last object.
            guard end > position, (end - 1).load(as: UInt8.self) < 0x80,
                  IndexVarint.count(position, end) == count - 1 else { return "an entry's objects are cut off" }
            return nil
        }
        return position == end ? nil : "an entry is longer than its objects"
    }
}
