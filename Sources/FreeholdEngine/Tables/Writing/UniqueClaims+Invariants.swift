extension UniqueClaims {
    /// Stops if an invariant is broken; called as `assert(checkInvariants())` after each change. Returns true.
    func checkInvariants(filling: RowFilling) -> Bool {
        assert(filling.depth >= 0, "each filling that ends has begun")
        assert(beingFilled.isEmpty || beingFilled.count == filling.depth, "(3): the rows that are being filled")
        for (column, rows) in owners where rows.count <= Self.fewRows {
            assert(rows.objects.allSatisfy(isInTail), "(1): the owners for column \(column) are in memory")
        }
        return true
    }

    /// The maximum number of owners that are all checked.
    private static let fewRows = 8

    private func isInTail(_ key: Int64) -> Bool {
        buffer.find(key) != nil || state.tails.contains { $0.find(key) != nil }
    }
}
