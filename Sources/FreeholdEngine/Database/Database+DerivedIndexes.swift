/// The progress of building the derived indexes of a file.
public struct IndexBuildProgress: Sendable, Equatable {
    /// The objects that the indexes have, summed over all indexes.
    public let doneObjects: Int
    /// The objects that the indexes will have, summed over all indexes.
    public let totalObjects: Int

    /// Fraction of the objects that are done, 0…1.
    public var fraction: Double { totalObjects == 0 ? 1 : Double(doneObjects) / Double(totalObjects) }

    fileprivate init(_ snapshot: Snapshot) throws(FreeholdError) {
        var done = 0, total = 0
        for entry in try snapshot.derivedStates(skippingDamaged: true) where entry.state != .unavailable {
            total += entry.sealedCount
            done += entry.coveredCount
        }
        (doneObjects, totalObjects) = (done, total)
    }
}

/// Building derived indexes.
extension Database {
    /// Builds every derived index that is not complete, slice by slice, while others read and write.
    ///
    /// Two programs may build at once: one of them discards its slice. An index of a newer version of its kind, of an
    /// unknown kind, or with a language that this machine has no stemmer for, is left as it is.
    ///
    /// - Parameter progress: called before each slice and at the end. If it returns false, building stops; the next call
    ///   continues.
    /// - Returns: the number of slices added.
    /// - Throws: `.corrupt` if a block of an index is damaged, once all others are complete.
    @discardableResult
    public func buildIndexes(progress: (IndexBuildProgress) -> Bool = { _ in true }) throws(FreeholdError) -> Int {
        var added = 0, stopped = StoppedIndexes()
        while true {
            let snapshot = try snapshot()
            defer { snapshot.end() }
            guard progress(try IndexBuildProgress(snapshot)) else { return added }
            guard let slice = try DerivedSliceCommit.next(from: snapshot, .standard, passing: &stopped) else {
                if let error = stopped.error { throw error }
                return added
            }
            if try slice.commit(beginWrite(), passing: &stopped) { added += 1 }
        }
    }

    /// Whether there is a derived index that `buildIndexes` would build; one with a damaged root is none.
    public func hasUnbuiltIndexes() throws(FreeholdError) -> Bool {
        let snapshot = try snapshot()
        defer { snapshot.end() }
        return try snapshot.derivedStates(skippingDamaged: true).contains { $0.isToBeBuilt }
    }
}
