/// The objects that a transaction has inserted, changed or deleted in one class, as long as they are few: then the commit need not
/// look for them.
///
/// Insertions, deletions, and whatever looks for the row that it is to change (`TableWriter.bufferPlace`) note the object first, so the
/// others are as they were when the transaction began, unless it has changed the schema. Some that are noted may be, too: a change that
/// failed or was rolled back stays noted.
struct TouchedObjects {
    private var keys: [Int64] = []
    /// Whether more than a few were changed.
    private var areMany = false

    private static let limit = 16

    @inline(__always)
    mutating func note(_ key: Int64) {
        if keys.last == key || areMany { return }
        add(key)
    }

    @inline(never)
    private mutating func add(_ key: Int64) {
        if keys.count == Self.limit { areMany = true } else { keys.append(key) }
    }

    /// Begins another transaction.
    mutating func removeAll() {
        keys.removeAll(keepingCapacity: true)
        areMany = false
    }

    /// The keys in ascending order, each once; nil if there are many.
    var few: [Int64]? {
        if areMany { return nil }
        if keys.count < 2 { return keys }
        var sorted: [Int64] = []
        for key in keys.sorted() where key != sorted.last { sorted.append(key) }
        return sorted
    }
}
