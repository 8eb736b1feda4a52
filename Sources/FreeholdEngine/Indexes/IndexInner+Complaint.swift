/// Checks an inner node that comes from a file.
///
/// Safe throughout: each part is read only after its position has been compared with the body's length, which the
/// verifier has compared with the block's.
extension IndexInner {
    /// The error in a block of kind `indexInner`, or nil. Afterwards no accessor reads outside the block.
    static func complaint(about view: BlockView) -> String? {
        let count = view.count
        guard (1...IndexLayout.maximumLevel).contains(Int(view.variant)) else { return "its level \(view.variant) is unknown" }
        // Per child: postings 8, and per separator: object key 8, head 4; one offset more than separators.
        let directory = 8 * count + 12 * (count - 1) + 4 + 2 * count
        guard (1...IndexLayout.fanOut).contains(count), view.referenceCount >= count, directory <= view.bodyLength else {
            return "its \(count) children do not fit"
        }
        let inner = IndexInner(unchecked: view)
        for child in 0..<count where view.reference(child).isNull { return "its child \(child) is missing" }
        var sum = 0
        for child in 0..<count {
            let end = inner.keys.body.load(fromByteOffset: child * 8, as: UInt64.self)
            guard end > UInt64(sum), end < IndexLayout.mostPostings else { return "its postings do not ascend" }
            sum = Int(end)
        }
        return inner.keys.complaint(itemsStart: directory + inner.keys.prefix.count, bodyLength: view.bodyLength,
                                    firstReference: count)
    }
}
