import FreeholdEngine

/// The commits of a tab that can be undone.
final class UndoHistory {
    private let limits: UndoLimits
    private var records: [(id: String, record: UndoRecord)] = []
    private var lastNumber = 0

    /// The maximum number of commits.
    private static let maximum = 100

    init(_ limits: UndoLimits) { self.limits = limits }

    subscript(id: String) -> UndoRecord? { records.first { $0.id.isSame(as: id) }?.record }

    /// Keeps a record, and drops the oldest ones beyond the limits.
    ///
    /// - Returns: its identifier.
    func add(_ record: UndoRecord) -> String {
        lastNumber += 1
        records.append((String(lastNumber), record))
        while records.count > Self.maximum || records.reduce(0, { $0 + $1.record.bytes }) > limits.bytes,
            records.count > 1 { records.removeFirst() }
        return String(lastNumber)
    }

    func remove(_ id: String) { records.removeAll { $0.id.isSame(as: id) } }

    func removeAll() { records = [] }

    /// Has all records name the objects that an undo created anew by their new keys.
    func rename(_ keys: KeyRenaming) {
        if keys.isEmpty { return }
        for place in records.indices { records[place].record.rename(keys) }
    }
}

extension UndoRecord {
    fileprivate mutating func rename(_ keys: KeyRenaming) {
        for place in deleted.indices { deleted[place].rename(keys) }
        for place in inserted.indices { inserted[place].rename(keys) }
        for place in changed.indices {
            let className = changed[place].className
            changed[place].key = keys.key(changed[place].key, of: className)
            for index in changed[place].properties.indices {
                let (name, before, after) = changed[place].properties[index]
                changed[place].properties[index] = (name, keys.value(before, of: name, in: className),
                    keys.value(after, of: name, in: className))
            }
        }
    }
}

extension UndoRecord.Image {
    fileprivate mutating func rename(_ keys: KeyRenaming) {
        key = keys.key(key, of: className)
        for index in values.indices { values[index].value = keys.value(values[index].value, of: values[index].name, in: className) }
    }
}
