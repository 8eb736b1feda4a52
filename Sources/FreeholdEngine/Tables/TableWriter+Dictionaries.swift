/// Decides which string columns repeat enough to be stored as codes.
extension TableWriter {
    /// The number of rows sampled before a column gets a dictionary.
    static let dictionarySample = 4096

    /// Gives a dictionary to each string column whose buffered rows hold at most half as many strings as rows. Runs
    /// only once there are enough rows to decide; a column that does not repeat is not checked again before the class
    /// has twice as many.
    func chooseDictionaries() throws(FreeholdError) {
        let sample = min(buffer.count, Self.dictionarySample)
        guard sample >= 64 else { return }
        for (column, property) in stored.properties.enumerated() {
            guard property.storageType == .string, !property.isUnique, !table.usesDictionary(column),
                  state.root.sealedCount >= nextDictionaryLook[column] ?? 0 else { continue }
            if try repeats(column, sample: sample) {
                state.setDictionary(column, try ColumnDictionary(.null, in: pending.access))
            } else {
                nextDictionaryLook[column] = 2 * (state.root.sealedCount + buffer.count)
            }
        }
    }

    /// Samples rows of the buffer, and if those are few, the class's oldest rows too.
    ///
    /// Safe: text of buffered rows lies within them.
    private func repeats(_ column: Int, sample: Int) throws(FreeholdError) -> Bool {
        let step = buffer.count / sample
        var strings = DistinctStrings()
        for place in stride(from: 0, to: sample * step, by: step) where !strings.isMany {
            let row = buffer.row(place)
            if !row.isNull(column), let text = row.text(column, layout) { strings.add(text) }
        }
        if sample < Self.dictionarySample { try addSealed(column, atMost: Self.dictionarySample - sample, to: &strings) }
        return strings.isRepeating
    }

    private func addSealed(_ column: Int, atMost limit: Int, to strings: inout DistinctStrings) throws(FreeholdError) {
        var cursor = try ClusterCursor(state.root.clusters, reading: column, in: pending.access), left = limit
        while left > 0, !strings.isMany, let cluster = try cursor.next() {
            for row in 0..<min(cluster.count, left) where try !state.isNull(.cluster(cluster, row), column) {
                strings.add(try state.text(cluster, row, column))
            }
            left -= cluster.count
        }
    }

    /// Writes the dictionaries that got new strings.
    func writeDictionaries() throws(FreeholdError) {
        for (column, dictionary) in state.dictionaries.enumerated() {
            guard let dictionary, dictionary.isChanged else { continue }
            state.root.setAuxiliary(.dictionary, column, try dictionary.write(table: number, column: column, in: pending))
        }
    }

}

/// Counts the distinct strings of a sample.
private struct DistinctStrings {
    private var seen: Set<Int> = []
    private var count = 0

    /// Whether there are too many distinct strings for a dictionary.
    var isMany: Bool { seen.count > TableWriter.dictionarySample / 2 }
    /// Whether each occurs at least twice on average.
    var isRepeating: Bool { count > 32 && seen.count <= count / 2 }

    mutating func add(_ text: UnsafeRawBufferPointer) {
        count += 1
        var hasher = Hasher()
        hasher.combine(bytes: text)
        seen.insert(hasher.finalize())
    }
}
