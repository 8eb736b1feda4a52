/// Checking a leaf that comes from a file.
///
/// Safe throughout: each part is read only after its place has been compared with the body's length, which the
/// verifier has compared with the block's.
extension IndexLeaf {
    /// What is wrong with a block of kind `indexLeaf`, or nil. Afterwards no accessor reads outside the block.
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
        return leaf.postings(0, count) == leaf.postings ? nil : "its postings are not as many as it says"
    }

    private func complaintAboutChunk(_ index: Int) -> String? {
        var position = keys.tail(index).end
        let end = keys.item(index + 1)
        guard let code = IndexVarint.readChecked(&position, end: end) else { return "an entry has no first object" }
        let count = postings(index)
        if count > 1 {
            guard let span = IndexVarint.readChecked(&position, end: end) else { return "an entry has no last object" }
            var sum: UInt64 = 0
            for _ in 1..<count {
                guard let delta = IndexVarint.readChecked(&position, end: end), delta > 0 else {
                    return "an entry's objects do not ascend or are cut off"
                }
                let (next, overflows) = sum.addingReportingOverflow(delta)
                guard !overflows else { return "an entry's objects do not ascend" }
                sum = next
            }
            let first = IndexVarint.unzigzag(code)
            // The last object key must be a number of 64 bits too; the subtraction wraps to the true distance.
            guard sum == span, span <= UInt64(bitPattern: Int64.max &- first) else {
                return "an entry's objects do not end with its last"
            }
        }
        return position == end ? nil : "an entry is longer than its objects"
    }
}
