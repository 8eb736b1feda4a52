extension CollectionReader {
    /// Whether two collections of one shape hold the same elements. What is one block in both is not read; where their trees
    /// differ they are compared element by element up to the first that differs.
    static func areEqual(_ one: CollectionCell, _ other: CollectionCell, _ shape: CollectionShape,
                         in access: BlockAccess) throws(FreeholdError) -> Bool {
        if one == other { return true }
        if case .tree(let left) = one, case .tree(let right) = other, try LargeValue.areEqual(left, right, in: access) { return true }
        let left = try CollectionReader(one, shape, access), right = try CollectionReader(other, shape, access)
        guard left.count == right.count else { return false }
        if shape.kind == .map {
            for position in 0..<left.count where try left.key(at: position) != right.key(at: position) { return false }
        }
        for position in 0..<left.count where try left.value(at: position) != right.value(at: position) { return false }
        return true
    }
}
