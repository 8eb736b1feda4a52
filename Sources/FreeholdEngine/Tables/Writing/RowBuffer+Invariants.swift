extension RowBuffer {
    /// Stops if an invariant is broken; called as `assert(checkInvariants())` after each change. Returns true.
    ///
    /// - Parameter fully: check every row of a small buffer, instead of the last one.
    func checkInvariants(fully: Bool = false) -> Bool {
        assert(offsets.count == keys.count, "(1): an offset for each key")
        assert(0...capacity ~= used, "(1): bytes in use lie in the memory")
        assert(incarnations.count <= keys.count, "incarnations belong to rows")
        assert(protectedRows == 0 || protectedRows == guarded?.count && guarded?.copy == nil, "rows are protected until they are copied")
        assert(protectedRows <= keys.count, "protected rows are the first ones")
        if let last = keys.indices.last {
            checkRow(last)
            assert(!isAscending || last == 0 || keys[last - 1] < keys[last], "(2): keys ascend")
        }
        guard fully, keys.count <= Self.fewRows else { return true }
        for place in keys.indices {
            checkRow(place)
            assert(find(keys[place]) != nil, "(2): each key is found")
        }
        return true
    }

    /// The maximum number of rows that are all checked.
    private static let fewRows = 256

    private func checkRow(_ place: Int) {
        assert(offsets[place] >= 0 && offsets[place] < used, "(1): a row begins within the bytes in use")
        let row = row(place)
        assert(offsets[place] + row.length <= used, "(1): a row lies within the bytes in use")
        assert(row.key == keys[place], "a row has the key it is registered with")
    }
}
