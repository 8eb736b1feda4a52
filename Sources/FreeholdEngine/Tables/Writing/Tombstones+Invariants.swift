extension Tombstones {
    /// Stops if an invariant is broken; called as `assert(checkInvariants())` after each change. Returns true.
    func checkInvariants() -> Bool {
        assert(unrecorded.last.map(clusters.contains) ?? true, "(2): a cluster whose deletions wait to be recorded has marks")
        if let marking {
            assert(marking.isTombstoned, "(3): the cluster being marked has room for marks")
            assert(clusters.contains(marking.firstKey), "(3): the cluster being marked has marks")
        }
        return true
    }
}
