/// What changed in a set between two versions of it. Positions are in the set's order.
public struct SetChanges {
    /// Positions in the old set of deleted elements, ascending.
    public private(set) var deletions: [Range<Int>] = []
    /// Positions in the new set of inserted elements, ascending.
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

    /// The deleted elements, in the set's order.
    public func deleted() throws(FreeholdError) -> [Value] { try before?.values(in: deletions) ?? [] }

    /// The inserted elements, in the set's order.
    public func inserted() throws(FreeholdError) -> [Value] { try after?.values(in: insertions) ?? [] }
}
