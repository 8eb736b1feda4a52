/// The maximum that one commit adds to an index that is being built.
struct DerivedBudget: Sendable {
    let objects: Int
    let bytes: Int

    #if FREEHOLD_POINTS
    /// The budget of this program; tests set a small one.
    @TaskLocal static var standard = DerivedBudget(objects: 20_000, bytes: 8 << 20)
    #else
    /// The budget of this program.
    static let standard = DerivedBudget(objects: 20_000, bytes: 8 << 20)
    #endif
}

/// The documents of sealed objects with neighbouring keys, gathered to be added to an index at once.
struct DerivedSlice {
    let change: any DerivedChange
    /// The key from which on objects are not in it; nil if no sealed object follows.
    let end: Int64?

    /// Gathers the documents from a key on, as far as the budget goes.
    ///
    /// - Parameter isWanted: called for each cluster; if it returns false, the slice ends there.
    init(_ index: StoredDerived, _ kind: any DerivedKind, _ reader: DerivedReader, from start: Int64,
         _ budget: DerivedBudget = .standard, while isWanted: () -> Bool = { true }) throws(FreeholdError) {
        change = kind.change(of: index)
        var objects = 0, last: Int64?
        var cursor = try ClusterCursor(reader.state.root.clusters, from: start, in: reader.state.access)
        while let cluster = try cursor.next() {
            if let last, !isWanted() {
                end = last + 1
                return
            }
            for row in 0..<cluster.count where cluster.key(row) >= start {
                if objects == budget.objects || change.bytes >= budget.bytes {
                    end = last.map { $0 + 1 }
                    return
                }
                let key = cluster.key(row)
                if let document = try reader.document(key, at: .cluster(cluster, row)) { try change.replace(key, nil, by: document) }
                objects += 1
                last = key
            }
        }
        end = nil
    }
}
