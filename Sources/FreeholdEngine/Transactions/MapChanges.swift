/// What changed in a map between two versions of it. Keys are in the map's order.
public struct MapChanges: Sendable, Equatable {
    /// Keys that were deleted.
    public private(set) var deletions: [String] = []
    /// Keys that were inserted.
    public private(set) var insertions: [String] = []
    /// Keys whose value changed. The value of a key that holds a collection changed if anything in the collection did.
    public private(set) var modifications: [String] = []

    init(_ before: CollectionReader?, _ after: CollectionReader?, _ shape: CollectionShape, _ access: BlockAccess) throws(FreeholdError) {
        let keys = try CollectionComparison(old: ElementSource(keysOf: before, shape, access), new: ElementSource(keysOf: after, shape, access)).hunks()
        for hunk in keys {
            for position in hunk.old { deletions.append(try before?.key(at: position) ?? "") }
            for position in hunk.new { insertions.append(try after?.key(at: position) ?? "") }
        }
        guard let before, let after else { return }
        for (_, position) in try CollectionComparison(old: ElementSource(before), new: ElementSource(after)).changedValues(keys) {
            modifications.append(try after.key(at: position))
        }
    }

    /// Whether nothing has changed.
    public var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}
