/// What an answer has cleared of the pending changes, as far as later steps ask for it: creations, and changes of merged properties.
struct ClearedChanges {
    private var changes: [AnswerApplication.PropertyOfObject: PendingEntry] = [:]
    /// By table, each in the order of keys: an entry is of a run of objects.
    private var creations: [Int: [PendingEntry]] = [:]

    /// Takes the entries of a table in the order of their keys.
    mutating func add(_ entry: PendingEntry, of own: AppliedClass) {
        switch entry.what {
        case .created: creations[own.table, default: []].append(entry)
        case .property(let number) where own.stored.sync?.kinds[number] == .merged:
            changes[.init(table: own.table, object: entry.key, property: number)] = entry
        default: break
        }
    }

    /// The change of a merged property.
    func change(of property: AnswerApplication.PropertyOfObject) -> PendingEntry? { changes[property] }

    /// The creation of an object.
    func creation(of object: Int64, in table: Int) -> PendingEntry? {
        guard let runs = creations[table] else { return nil }
        var low = 0, high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].key <= object { low = middle + 1 } else { high = middle }
        }
        return low > 0 && object <= runs[low - 1].lastKey ? runs[low - 1] : nil
    }
}
