/// The block that holds the part of a key beyond `IndexLayout.inlineKeyBytes`: its body, nothing else.
///
/// Safe throughout: the view is checked, and its kind is here.
struct IndexRemainder {
    let key: IndexKey

    init(_ view: BlockView, _ access: BlockAccess) throws(FreeholdError) {
        guard view.kind == .indexLeaf, view.variant == IndexLayout.remainderVariant else {
            throw FreeholdError(.corrupt, "an index key continues in a block that is not a key remainder; run `freehold check`")
        }
        key = IndexKey(start: view.body, count: view.bodyLength)
    }

    /// The error in a block of this variant, or nil.
    static func complaint(about view: BlockView) -> String? {
        view.referenceCount == 0 && view.bodyLength > 0 ? nil : "a key remainder holds bytes and no references"
    }
}
