/// Some of a cluster's rows.
struct RowChoice {
    private var words = SIMD4<UInt64>(repeating: 0)

    @inline(__always) func contains(_ row: Int) -> Bool { words[row >> 6] >> UInt64(row & 63) & 1 != 0 }

    /// Those of a cluster that are not deleted and of the classes meant; nil for all.
    ///
    /// - Parameter tags: the classes of the rows, where not all of them are meant; null is 0.
    init?(_ cluster: ClusterView, _ tags: PackedIntegers?, _ scope: ClassScope?) {
        if !cluster.isTombstoned, tags == nil { return nil }
        for row in 0..<cluster.count where !cluster.isDeleted(row) {
            if let tags, let scope, !scope.contains(tags.isNull(row) ? 0 : tags[row]) { continue }
            words[row >> 6] |= 1 << UInt64(row & 63)
        }
    }
}
