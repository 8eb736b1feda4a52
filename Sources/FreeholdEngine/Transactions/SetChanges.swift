/// What changed in a set between two versions of it. Positions are places in the set's order.
public struct SetChanges {
    /// Positions in the old set of elements that are gone, ascending.
    public private(set) var deletions: [Range<Int>] = []
    /// Positions in the new set of elements that were not there, ascending.
    public private(set) var insertions: [Range<Int>] = []
    private let before: CollectionReader?
    private let after: CollectionReader?

    init(_ before: CollectionReader?, _ after: CollectionReader?, _ shape: CollectionShape, _ access: BlockAccess) throws(FreeholdError) {
        self.before = before
        self.after = after
        let comparison = CollectionComparison(old: try ElementSource(before, shape, access), new: try ElementSource(after, shape, access))
        for hunk in try comparison.hunks() {
            if !hunk.old.isEmpty { deletions.append(hunk.old) }
            if !hunk.new.isEmpty { insertions.append(hunk.new) }
        }
    }

    /// Whether nothing has changed.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty }

    /// The elements that are gone, in their order.
    public func deleted() throws(FreeholdError) -> [Value] { try before?.values(in: deletions) ?? [] }

    /// The elements that were not there, in their order.
    public func inserted() throws(FreeholdError) -> [Value] { try after?.values(in: insertions) ?? [] }
}
