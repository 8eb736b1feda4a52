/// Decides which string columns of a table repeat enough to be stored as codes.
struct DictionaryChoice {
    /// The number of sealed objects from which a column that did not repeat is sampled again.
    private var nextLook: [Int: Int] = [:]

    /// The number of rows sampled before a column gets a dictionary.
    static let sampleRows = 4096

    /// Gives a dictionary to each string column whose buffered rows hold at most half as many strings as rows. Runs
    /// only once there are enough rows to decide; a column that does not repeat is not checked again before the class
    /// has twice as many.
    mutating func choose(for table: WrittenTable) throws(FreeholdError) {
        let state = table.state, buffer = table.buffer
        let sample = min(buffer.count, Self.sampleRows)
        guard sample >= 64 else { return }
        for (column, property) in table.stored.properties.enumerated() {
            guard property.storageType == .string, !property.isUnique, !table.usesDictionary(column),
                  state.root.sealedCount >= nextLook[column] ?? 0 else { continue }
            if try Self.repeats(column, of: table, sample: sample) {
                state.setDictionary(column, try ColumnDictionary(.null, in: table.pending.access))
            } else {
                nextLook[column] = 2 * (state.root.sealedCount + buffer.count)
            }
        }
    }

    /// Samples rows of the buffer, and if those are few, the class's oldest rows too.
    ///
    /// Safe: text of buffered rows lies within them.
    private static func repeats(_ column: Int, of table: WrittenTable, sample: Int) throws(FreeholdError) -> Bool {
        let buffer = table.buffer
        let step = buffer.count / sample
        var strings = DistinctStrings()
        for place in stride(from: 0, to: sample * step, by: step) where !strings.isMany {
            let row = buffer.row(place)
            if !row.isNull(column), let text = row.text(column, table.layout) { strings.add(text) }
        }
        if sample < Self.sampleRows { try addSealed(column, of: table, atMost: Self.sampleRows - sample, to: &strings) }
        return strings.isRepeating
    }

    private static func addSealed(_ column: Int, of table: WrittenTable, atMost limit: Int,
                                  to strings: inout DistinctStrings) throws(FreeholdError) {
        let state = table.state
        var cursor = try ClusterCursor(state.root.clusters, reading: column, in: table.pending.access), left = limit
        while left > 0, !strings.isMany, let cluster = try cursor.next() {
            for row in 0..<min(cluster.count, left) where try !state.isNull(.cluster(cluster, row), column) {
                strings.add(try state.text(cluster, row, column))
            }
            left -= cluster.count
        }
    }

    /// Forgets what was sampled: columns have changed.
    mutating func removeAll() { nextLook.removeAll() }
}

/// Counts the distinct strings of a sample.
private struct DistinctStrings {
    private var seen: Set<Int> = []
    private var count = 0

    /// Whether there are too many distinct strings for a dictionary.
    var isMany: Bool { seen.count > DictionaryChoice.sampleRows / 2 }
    /// Whether each occurs at least twice on average.
    var isRepeating: Bool { count > 32 && seen.count <= count / 2 }

    mutating func add(_ text: UnsafeRawBufferPointer) {
        count += 1
        var hasher = Hasher()
        hasher.combine(bytes: text)
        seen.insert(hasher.finalize())
    }
}
