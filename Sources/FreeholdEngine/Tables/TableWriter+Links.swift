extension TableWriter {
    /// The objects whose link in `column` points to `target`.
    ///
    /// The tree may be behind on links taken away in this transaction (each is verified), never on links made.
    func sources(linkingTo target: Int64, _ column: Int) throws(FreeholdError) -> [Int64] {
        if buffer.count > Self.tailRows || buffer.holdsTrees, filling == 0 { try seal() }
        var found: [Int64] = []
        try state.forEachTailRow { row throws(FreeholdError) in
            if try state.links(.tail(row), column, to: target) { found.append(row.key) }
        }
        let hasInserts = column < operations.count && operations[column]?.hasInserts == true
        let tree = hasInserts ? try index(column) : state.root.auxiliary(.index, column)
        keyBytes.setIndexKey(.link(ObjectKey(target)))
        var cursor = try OrderedIndex(root: tree, access: pending.access).cursor(of: keyBytes.bytes)
        while try cursor.next() {
            let source = cursor.objectKey.rawValue
            guard let place = try state.find(source), case .cluster = place,
                  try state.links(place, column, to: target) else { continue }
            found.append(source)
        }
        return found
    }
}
