extension Table {
    /// The keys of all objects, ordered by the first term, objects equal in it by the second, and so on; objects equal
    /// in all terms are ordered by key.
    ///
    /// Null is before every value, and NaN between null and the numbers; strings are ordered by their UTF-8 bytes. If a
    /// link on the path to a value is null, the object is after all others. A descending term reverses all of this.
    /// Throws `.typeMismatch` for properties that have no order: data, links and collections.
    ///
    /// ```swift
    /// let oldest = try people.sorted(by: [SortTerm(try people.column("age"), isAscending: false)], limit: 10)
    /// ```
    /// - Parameter limit: the maximum number of keys; a small limit is cheaper than a full sort.
    public func sorted(by terms: [SortTerm], limit: Int? = nil) throws(FreeholdError) -> [ObjectKey] {
        try FreeholdEngine.sorted(self, keys: nil, by: terms, limit: limit)
    }

    /// Sorts the given keys by `terms`, stably. Throws `.noSuchObject` if a key has no object.
    public func sorted(_ keys: [ObjectKey], by terms: [SortTerm], limit: Int? = nil) throws(FreeholdError) -> [ObjectKey] {
        try FreeholdEngine.sorted(self, keys: keys, by: terms, limit: limit)
    }
}

/// Objects of one class, ordered by terms.
///
/// - Parameters:
///   - keys: the keys of the objects; nil for all of the class, by key.
///   - limit: the maximum number of objects; nil for all.
func sorted(_ table: Table, keys: [ObjectKey]?, by terms: [SortTerm], limit: Int?) throws(FreeholdError) -> [ObjectKey] {
    try sorted(table, keys: keys, by: terms.map { term throws(FreeholdError) in try CheckedTerm(term, of: table) }, limit: limit)
}

func sorted(_ table: Table, keys: [ObjectKey]?, by terms: [CheckedTerm], limit: Int?) throws(FreeholdError) -> [ObjectKey] {
    let limit = max(0, limit ?? .max)
    guard let first = terms.first else {
        guard let keys else { return try table.keys(limit: limit) }
        return Array(keys.prefix(limit))
    }
    if limit == 0 { return [] }
    if first.collation != nil, let walk = try CollatedWalk(table, keys, terms) { return try walk.keys(limit: limit) }
    var wanted = keys
    if keys == nil, limit < table.count / 8, let found = try candidates(of: table, first, terms, limit: limit) {
        if found.isSorted {
            try table.state.access.requireIntactMapping()
            return found.keys
        }
        wanted = found.keys
    }
    let objects = SortedObjects(table, terms)
    if let wanted { try objects.read(wanted) } else { try objects.readAll() }
    let order = Sorter(count: objects.count, limit: limit)
    for term in objects.terms { order.refine(by: term.levels(descending: !term.isAscending)) }
    try table.state.access.requireIntactMapping()
    return objects.keys(in: order)
}

/// The objects that may be among the first; nil if all may.
private func candidates(
    of table: Table, _ first: CheckedTerm, _ terms: [CheckedTerm], limit: Int
) throws(FreeholdError) -> OrderCandidates? {
    try table.writer?.noteQuestion()
    if first.links.isEmpty, first.collation == nil, table.isSortedByIndex(first.column) {
        let part = try table.span(first.column, .all).part
        let found = try table.candidates(along: part, descending: !first.isAscending, isComplete: terms.count == 1,
                                         isExact: first.hasExactKeys, limit: limit)
        if let found { return found }
    }
    if let tree = try CollatedTree(first, of: table),
       let found = try table.candidates(along: tree.part, descending: !first.isAscending, isComplete: terms.count == 1,
                                        cut: CollationKind.maximumBytes, limit: limit) { return found }
    return try TopObjects(table, terms, limit: limit)?.candidates().map { OrderCandidates(keys: $0, isSorted: false) }
}
