/// Index operations on columns with a dictionary, recorded by code instead of by key.
///
/// Operations recorded by code are later than all plain ones of their column: before a plain one is added, they are
/// converted.
extension IndexQueue {
    /// The minimum number of rows, or of clusters with deleted rows, from which recording by code pays off.
    private static let manyRows = 1024
    private static let manyClusters = 8

    func numberedOperations(_ column: Int) -> NumberedOperations {
        while numbered.count <= column { numbered.append(nil) }
        if let known = numbered[column] { return known }
        let new = NumberedOperations()
        numbered[column] = new
        return new
    }

    /// Converts the operations recorded by code into plain operations.
    func spellOut(_ column: Int) throws(FreeholdError) {
        guard column < numbered.count, let numbered = numbered[column], !numbered.isEmpty else { return }
        guarded?.keep(column, of: self)
        let dictionary = try state.dictionary(column)
        // Not `keyBytes`: a caller may hold the key of its own operation there.
        let spelt = ByteBuffer()
        try numbered.move(into: plainOperations(column)) { number throws(FreeholdError) in
            spelt.removeAll()
            if number > 0 { spelt.appendIndexText(try dictionary.bytes(Int64(number - 1))) }
            return IndexKey(spelt.bytes)
        }
    }

    /// Prepares to collect the codes that sealing finds, for columns that have a tree and a dictionary.
    func noteCodes() {
        guard buffer.count >= Self.manyRows else { return }
        for column in stored.treeColumns where countsByCode(column) {
            codesOfRows[column] = RowCodes(count: buffer.count)
        }
    }

    /// Drops the codes: the rows are sealed, or their sealing failed.
    func forgetCodes() { codesOfRows.removeAll() }

    /// In the tree of a subclass's property not every row has an entry.
    private func countsByCode(_ column: Int) -> Bool {
        stored.properties[column].type == .string && stored.properties[column].owner == nil && table.usesDictionary(column)
    }

    /// Records rows of the buffer by the codes of their strings; returns the positions of those that have none.
    ///
    /// Safe: text of buffered rows lies within them.
    func recordNumbered(insertsOf found: RowCodes, _ column: Int) throws(FreeholdError) -> [Int] {
        let dictionary = try state.dictionary(column), numbered = numberedOperations(column)
        var others: [Int] = []
        for place in 0..<buffer.count {
            var number = Int(found.numbers[place])
            if number == 0 {
                let row = buffer.row(place)
                // A string that was added before its cluster had codes may have got one since.
                if !row.isNull(column) {
                    guard let text = row.text(column, layout), let code = try dictionary.code(of: text) else {
                        others.append(place)
                        continue
                    }
                    number = Int(code) + 1
                }
            }
            numbered.append(number, buffer.keys[place], isRemoval: false)
        }
        return others
    }

    /// Records the newly deleted rows of clusters by their codes; false if there are few or the column has no codes.
    func recordNumbered(deletionsIn clusters: [ClusterView], _ column: Int) throws(FreeholdError) -> Bool {
        guard clusters.count >= Self.manyClusters, countsByCode(column) else { return false }
        let dictionary = try state.dictionary(column)
        let numbered = numberedOperations(column)
        var others: [(ClusterView, Int)] = []
        for cluster in clusters {
            let codes = try state.leaf(cluster, cluster.count - 1, column).flatMap { TextLeaf($0).isCodes ? TextLeaf($0).codes : nil }
            for row in cluster.unrecordedRows {
                if let codes {
                    let code = codes[row]
                    // A code that was never assigned is an error of the dictionary.
                    if code < 0 || code >= dictionary.count { _ = try dictionary.bytes(code) }
                    numbered.append(codes.isNull(row) ? 0 : Int(code) + 1, cluster.key(row), isRemoval: true)
                } else if try !state.isNull(.cluster(cluster, row), column),
                          let code = try dictionary.code(of: try state.text(cluster, row, column)) {
                    numbered.append(Int(code) + 1, cluster.key(row), isRemoval: true)
                } else {
                    others.append((cluster, row))
                }
            }
        }
        for (cluster, row) in others { try record(removalOf: cluster, row, column, key: cluster.key(row)) }
        return true
    }
}

/// The codes that sealing finds for the strings of one column's rows.
final class RowCodes {
    /// Code + 1 by position in the buffer; 0 for none.
    @exclusivity(unchecked) var numbers: [UInt16] // Safe: one thread uses it, and nothing here re-enters it.

    init(count: Int) { numbers = Array(repeating: 0, count: count) }
}
