/// Building derived indexes.
extension Database {
    /// Builds every derived index that is not complete, slice by slice, while others read and write.
    ///
    /// Two programs may build at once: one of them discards its slice. An index of a newer version of its kind, or of
    /// an unknown kind, is left as it is.
    ///
    /// - Returns: the number of slices added.
    @discardableResult
    public func buildIndexes() throws(FreeholdError) -> Int {
        var added = 0
        while true {
            let snapshot = try snapshot()
            defer { snapshot.end() }
            guard let slice = try DerivedSliceCommit(from: snapshot) else { return added }
            if try slice.commit(beginWrite()) { added += 1 }
        }
    }
}
