/// The source of an ordered tree's keys.
enum IndexSource {
    /// The values of a property, or each link of its collection.
    case property(Int)
    case several(StoredIndex)

    /// The column number of its tree.
    var column: Int {
        switch self {
        case .property(let column): column
        case .several(let index): index.column
        }
    }
}

/// A tail's objects sorted by a tree's keys, for repeated look-ups: a tail is in no tree, so that each look-up searches
/// all of it.
///
/// Creating it costs as much as several passes over the tail, so it is created only after several look-ups.
final class TailOrder {
    static let patience = 4
    // Safe (all exclusivity below): as of the state that has it.
    @exclusivity(unchecked) private var questions = 0
    @exclusivity(unchecked) private(set) var isMade = false
    /// The keys, in the order in which they were added.
    private let bytes = ByteBuffer()
    /// The entries, by key and then by object.
    @exclusivity(unchecked) private var entries: [Entry] = []

    private struct Entry {
        let start: Int
        let count: Int
        let object: ObjectKey
    }

    /// Counts a look-up; true if there have been enough that the order is to be built now, from scratch.
    func isWanted() -> Bool {
        questions += 1
        bytes.removeAll()
        entries.removeAll()
        return questions > Self.patience
    }

    func note(_ key: UnsafeRawBufferPointer, _ object: ObjectKey) {
        entries.append(Entry(start: bytes.count, count: key.count, object: object))
        bytes.append(key)
    }

    func finish() {
        entries.sort { one, other in
            let order = key(one).order(key(other))
            return order == 0 ? one.object < other.object : order < 0
        }
        isMade = true
    }

    /// Calls `body` with all objects under a key.
    @inline(__always) func forEach(of wanted: IndexKey, _ body: (ObjectKey) -> Void) {
        var place = place(of: wanted)
        while place < entries.count, key(entries[place]).order(wanted) == 0 {
            body(entries[place].object)
            place += 1
        }
    }

    /// Calls `body` with all keys from `low` to before `high` and their objects; each key is valid during the call.
    func forEach(from low: IndexKey?, before high: IndexKey?, _ body: (UnsafeRawBufferPointer, ObjectKey) -> Void) {
        for entry in entries[(low.map { place(of: $0) } ?? 0)...] {
            let key = key(entry)
            if let high, key.order(high) >= 0 { return }
            body(UnsafeRawBufferPointer(start: key.start, count: key.count), entry.object)
        }
    }

    /// Safe: entries refer to what was appended to `bytes`, which is not emptied.
    @inline(__always) private func key(_ entry: Entry) -> IndexKey { IndexKey(start: UnsafeRawPointer(bytes.start + entry.start), count: entry.count) }

    /// The position of the first entry whose key is not before `wanted`.
    @inline(__always) private func place(of wanted: IndexKey) -> Int {
        var low = 0, high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if key(entries[middle]).order(wanted) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The entries that a tree would have for the tail.
extension TableState {
    /// Calls `body` with each object of the tail that a tree would have under a key; in no order.
    ///
    /// - Parameter isKept: whether what is found stays true until something changes.
    func forEachInTail(_ source: IndexSource, of wanted: UnsafeRawBufferPointer, isKept: Bool,
                       _ body: (ObjectKey) -> Void) throws(FreeholdError) {
        let wanted = IndexKey(wanted)
        if isKept, let order = try tailOrder(source) { return order.forEach(of: wanted, body) }
        try forEachTailKey(source) { key, object in
            if key.count == wanted.count, IndexKey.order(key.start, wanted.start, key.count) == 0 { body(object) }
        }
    }

    /// Calls `body` with the keys of the tail from `low` to before `high` and their objects; each key is valid during
    /// the call. Nil: open.
    func forEachInTail(_ source: IndexSource, from low: UnsafeRawBufferPointer?, before high: UnsafeRawBufferPointer?, isKept: Bool,
                       _ body: (UnsafeRawBufferPointer, ObjectKey) -> Void) throws(FreeholdError) {
        let low = low.map { IndexKey($0) }, high = high.map { IndexKey($0) }
        if isKept, let order = try tailOrder(source) { return order.forEach(from: low, before: high, body) }
        try forEachTailKey(source) { key, object in
            let place = IndexKey(key.bytes)
            if let low, place.order(low) < 0 { return }
            if let high, place.order(high) >= 0 { return }
            body(key.bytes, object)
        }
    }

    /// The sorted tail; nil if searching the tail is cheaper.
    @inline(__always) private func tailOrder(_ source: IndexSource) throws(FreeholdError) -> TailOrder? {
        try needTails()
        let order = tailOrders[source.column] ?? TailOrder()
        if order.isMade { return order }
        tailOrders[source.column] = order
        guard order.isWanted() else { return nil }
        try forEachTailKey(source) { key, object in order.note(key.bytes, object) }
        order.finish()
        return order
    }

    /// Calls `body` with every key that a tree would have for the tail, in no order.
    private func forEachTailKey(_ source: IndexSource, _ body: (ByteBuffer, ObjectKey) -> Void) throws(FreeholdError) {
        let key = ByteBuffer(capacity: 64)
        switch source {
        case .property(let column):
            let property = stored.properties[column]
            if property.shape == nil, property.owner == nil, property.type != .mixed { return try forEachPlainKey(column, property, key, body) }
            try forEachTailRow { row throws(FreeholdError) in try forEachKey(of: row, column, property, key) { body(key, ObjectKey(row.key)) } }
        case .several(let index):
            try forEachTailRow { row throws(FreeholdError) in
                guard try isFiled(.tail(row), in: index) else { return }
                key.removeAll()
                for column in index.columns {
                    let property = stored.properties[column]
                    key.appendKey(property.isObjectKey ? .int(row.key) : try value(.tail(row), column), of: property.type)
                }
                body(key, ObjectKey(row.key))
            }
        }
    }

    /// Calls `body` with every key of a property of which every object has one value.
    @inline(__always)
    private func forEachPlainKey(_ column: Int, _ property: StoredProperty, _ key: ByteBuffer,
                                 _ body: (ByteBuffer, ObjectKey) -> Void) throws(FreeholdError) {
        let type = property.type, layout = stored.layout
        try forEachTailRow { row throws(FreeholdError) in
            if column < row.columns {
                // As in the tree: null links are left out.
                if type == .link, row.isNull(column) { return }
                try key.setIndexKey(row, column, layout, type: type)
            } else {
                if type == .link { return }
                key.setIndexKey(property.defaultValue, of: type)
            }
            body(key, ObjectKey(row.key))
        }
    }

    /// Sets `key` to each key that a row has in a property's tree.
    private func forEachKey(of row: RowView, _ column: Int, _ property: StoredProperty, _ key: ByteBuffer,
                            _ body: () -> Void) throws(FreeholdError) {
        if property.shape != nil {
            return try forEachLink(.tail(row), column, distinct: true) { target throws(FreeholdError) in
                key.setIndexKey(target.value, of: property.type)
                body()
            }
        }
        if property.type == .link, column >= row.columns || row.isNull(column) { return }
        if property.owner != nil, try !has(.tail(row), column) { return }
        if column < row.columns {
            try key.setIndexKey(row, column, stored.layout, type: property.type)
        } else {
            key.setIndexKey(property.defaultValue, of: property.type)
        }
        body()
        if property.type != .mixed || column >= row.columns { return }
        for object in try value(.tail(row), column).nestedReferences {
            key.setNestedKey(object)
            body()
        }
    }
}
