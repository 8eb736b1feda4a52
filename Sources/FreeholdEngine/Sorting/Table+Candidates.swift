/// Objects of which the first ones of an order are the first.
struct OrderCandidates {
    let keys: [ObjectKey]
    /// Whether they are in that order; else in that of their keys.
    let isSorted: Bool
}

/// Reads fewer objects than all if an index gives the first ones.
extension Table {
    /// Among the objects of a part of an index, those that may be among the first of an order; nil if too many would have to be read.
    ///
    /// The tree gives sealed objects by value; the tail's objects, which it lacks, are all included. Objects equal to
    /// the last one wanted may be ordered by further terms, so all of them are candidates; if the index's keys have all
    /// terms, the first by key suffice. Then the walk's order is the answer's, unless the tail adds to it.
    ///
    /// - Parameters:
    ///   - isComplete: whether objects with the same index key are equal in all terms.
    ///   - isExact: whether, too, objects that are equal in all terms have the same index key.
    ///   - cut: the length of index keys that may be cut, so that objects under one differ.
    ///   - most: the number of objects to read before giving up.
    ///   - filter: the condition on objects in that part of the tree.
    ///   - tailFilter: the condition on objects of the tail, which may belong to another part.
    func candidates(
        along part: IndexPart, descending: Bool, isComplete: Bool, isExact: Bool = false, cut: Int = .max, limit: Int, most: Int? = nil,
        _ filter: SortFilter? = nil, tailFilter: SortFilter? = nil
    ) throws(FreeholdError) -> OrderCandidates? {
        var walk = try ValueWalk(part, descending: descending)
        var found: [ObjectKey] = [], looked = 0, isSorted = isComplete && isExact
        found.reserveCapacity(min(limit, 256))
        let most = most ?? 16 * limit + 4096
        while found.count < limit {
            guard try walk.next() else { break }
            let isComplete = isComplete && walk.length < cut
            if !isComplete { isSorted = false }
            while !isComplete || found.count < limit, let key = try walk.nextObject() {
                looked += 1
                if looked > most { return nil }
                guard let filter else {
                    if part.isSifted, try !contains(key) { continue }
                    found.append(key)
                    continue
                }
                if let row = try row(key), try filter.holds(row) { found.append(key) }
            }
        }
        let tail = try tailKeys(tailFilter)
        if isSorted, tail.isEmpty { return OrderCandidates(keys: found, isSorted: true) }
        found += tail
        found.sort { $0.rawValue < $1.rawValue }
        return OrderCandidates(keys: found, isSorted: false)
    }

    /// The selected objects of the tail.
    func tailKeys(_ filter: SortFilter?) throws(FreeholdError) -> [ObjectKey] {
        var found: [ObjectKey] = []
        try state.forEachTailRow { row throws(FreeholdError) in
            guard try isMeant(.tail(row)) else { return }
            let object = Row(state: state, place: .tail(row), key: ObjectKey(row.key))
            if try filter?.holds(object) ?? true { found.append(object.key) }
        }
        return found
    }

    /// Whether the property has an index with all objects, in sort order.
    func isSortedByIndex(_ column: Column) -> Bool {
        let property = state.stored.properties[column.index]
        guard property.filesAll, isOrdered(column) else { return false }
        // Objects whose class lacks the property are not in the tree.
        return property.owner.map { owner in scope.map { schemaOf.lineage(of: Int($0.number)).contains(Int(owner)) } ?? false } ?? true
    }

    /// Whether the tree's key order equals the sort order of the property's values.
    func isOrdered(_ column: Column) -> Bool {
        let property = state.stored.properties[column.index]
        return !property.isObjectKey && property.shape == nil && ![.link, .mixed, .data].contains(property.type)
    }
}

/// The objects of an index, value by value: in the order of the values, and those of one value by key.
///
/// ```swift
/// while try walk.next() {
///     while let key = try walk.nextObject() { … }
/// }
/// ```
struct ValueWalk {
    private let index: OrderedIndex
    private let isDescending: Bool
    private var ends: IndexCursor
    /// The objects of a value that has several.
    private var group: IndexCursor?
    /// The one object of a value, until it is taken.
    private var single: ObjectKey?
    private var key: [UInt8] = []
    private let bytes = ByteBuffer(capacity: 64)

    /// The length of the value's key; 0 where a single object has it.
    var length: Int { key.count }

    init(_ part: IndexPart, descending: Bool) throws(FreeholdError) {
        index = part.index
        isDescending = descending
        ends = try index.cursor(from: part.bounds.low.bytes, to: part.bounds.high?.bytes)
        if descending { ends.moveToEnd() }
    }

    /// The key of the value, also where a single object has it.
    func currentKey() throws(FreeholdError) -> [UInt8] { key.isEmpty ? try ends.key() : key }

    /// Moves to the next value; false after the last one.
    mutating func next() throws(FreeholdError) -> Bool {
        guard try isDescending ? ends.previous() : ends.next() else { return false }
        if !key.isEmpty {
            key.removeAll(keepingCapacity: true)
            group = nil
        }
        // Most values of most properties have one object, and looking for others would cost a descent.
        if ends.isAlone {
            single = ends.objectKey
            return true
        }
        try ends.copyKey(into: &key)
        single = nil
        if let all = ends.takeKey(toFirst: isDescending) {
            group = all
            return true
        }
        bytes.removeAll()
        // Safe: the key is copied at once.
        key.withUnsafeBytes { bytes.append($0) }
        let found = try index.cursor(of: bytes.bytes)
        // Along keys that are not in order the next step might lead back, and never end.
        guard found.ranks.contains(ends.rank) else { throw OrderedIndex.notInOrder() }
        // Moves to the last object of the value, from which the next step leads to another value.
        _ = try ends.move(toRank: isDescending ? found.ranks.lowerBound : found.ranks.upperBound - 1)
        group = found
        return true
    }

    /// The next object of the value; nil after the last one.
    mutating func nextObject() throws(FreeholdError) -> ObjectKey? {
        if let key = single {
            single = nil
            return key
        }
        guard try group?.next() == true else { return nil }
        return group?.objectKey
    }
}
