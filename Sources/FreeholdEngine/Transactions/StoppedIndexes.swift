/// Derived indexes that a damaged block has stopped while they were built. Building passes over them, so that they do not hold
/// up the others, and reports the first error at the end.
struct StoppedIndexes {
    private struct Index: Hashable {
        let table: Int
        let number: UInt32
    }

    private var indexes: Set<Index> = []
    /// The error of the first.
    private(set) var error: FreeholdError?

    func contains(_ index: StoredDerived, of table: Int) -> Bool { indexes.contains(Index(table: table, number: index.number)) }

    /// Adds an index.
    ///
    /// - Throws: the error, if it is not of the band `.damaged`.
    mutating func add(_ index: StoredDerived, of table: Int, _ error: FreeholdError) throws(FreeholdError) {
        guard error.code.band == .damaged else { throw error }
        indexes.insert(Index(table: table, number: index.number))
        self.error = self.error ?? error
    }
}
