/// Merges rows of one old cluster with new rows from the buffer, by key.
struct RowGather {
    /// The cluster to replace, if any.
    let old: ClusterView?
    let buffer: RowBuffer
    /// The key of each row, ascending.
    private(set) var keys: [Int64] = []
    /// The source of each row: a row of `old`, or ~(a position in the buffer).
    private(set) var sources: [Int] = []
    /// Whether all new rows follow all old ones.
    let isAppend: Bool

    init(old: ClusterView?, rows: ArraySlice<Int>, buffer: RowBuffer) {
        self.old = old
        self.buffer = buffer
        var rest = rows
        let oldCount = old?.count ?? 0
        keys.reserveCapacity(oldCount + rows.count)
        sources.reserveCapacity(oldCount + rows.count)
        var mixed = false
        for row in 0..<oldCount where !old!.isDeleted(row) {
            let key = old!.key(row)
            while let place = rest.first, buffer.keys[place] < key {
                keys.append(buffer.keys[place])
                sources.append(~place)
                rest = rest.dropFirst()
                mixed = true
            }
            keys.append(key)
            sources.append(row)
        }
        for place in rest {
            keys.append(buffer.keys[place])
            sources.append(~place)
        }
        isAppend = !mixed
    }

    /// Gathers the rows of one cluster unchanged, including deleted ones.
    init(old: ClusterView, keepingDeleted: Bool, buffer: RowBuffer) {
        self.old = old
        self.buffer = buffer
        for row in 0..<old.count where keepingDeleted || !old.isDeleted(row) {
            keys.append(old.key(row))
            sources.append(row)
        }
        isAppend = true
    }
}
