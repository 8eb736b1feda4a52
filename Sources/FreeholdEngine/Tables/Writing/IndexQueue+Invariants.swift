extension IndexQueue {
    /// Stops if an invariant is broken; called as `assert(checkInvariants())` after each change. Returns true.
    ///
    /// - Parameter isAtEnd: whether the transaction ends, which leaves nothing waiting.
    func checkInvariants(isAtEnd: Bool = false) -> Bool {
        assert(codesOfRows.isEmpty, "(5): codes of rows are kept while they are sealed only")
        guard isAtEnd else { return true }
        assert(plain.allSatisfy { $0?.isEmpty ?? true } && numbered.allSatisfy { $0?.isEmpty ?? true }, "no operation is left waiting")
        return true
    }
}
