/// Most objects of a class in the order of one string in a collation: along an index, instead of a sort.
///
/// ```
/// tree   1 Äpfel · 1 Bär · 1 Zoo ──┐
/// tail   1 Birne ──────────────────┴─► by entry; under a cut entry by the whole strings; else by object key
/// ```
struct CollatedWalk {
    private let table: Table
    private let tree: CollatedTree
    private let term: CheckedTerm
    private let order: LanguageOrder
    /// The objects to sort; nil for all.
    private let wanted: KeySet?

    /// Nil if there is no index to use, if further terms would have to order objects under one entry, or if few objects are to be
    /// sorted.
    ///
    /// - Parameter keys: the objects to sort; nil for all of the class.
    init?(_ table: Table, _ keys: [ObjectKey]?, _ terms: [CheckedTerm]) throws(FreeholdError) {
        guard terms.count == 1, let order = terms[0].collation, Self.areMany(keys?.count, table) else { return nil }
        // A sort is stable, so the order of keys that do not ascend counts.
        if let keys, !zip(keys, keys.dropFirst()).allSatisfy({ $0.rawValue < $1.rawValue }) { return nil }
        wanted = keys.map(KeySet.init)
        guard let tree = try CollatedTree(terms[0], of: table) else { return nil }
        (self.table, self.tree, term, self.order) = (table, tree, terms[0], order)
    }

    /// Whether a walk along all objects is cheaper than to sort some: an entry costs 0.42 of a sort key.
    static func areMany(_ count: Int?, _ table: Table) -> Bool { count.map { $0 > table.state.count / 5 * 2 } ?? true }

    /// The text for explanations: how the objects are sorted; nil if they are sorted one by one.
    static func explained(_ table: Table, _ terms: [CheckedTerm]) throws(FreeholdError) -> String? {
        try CollatedWalk(table, nil, terms).map { "in the order of the index of \($0.tree.text)" }
    }

    /// The first objects of the order.
    func keys(limit: Int) throws(FreeholdError) -> [ObjectKey] {
        var walk = try ValueWalk(tree.part, descending: !term.isAscending), waiting = try tail()[...]
        var found: [ObjectKey] = []
        while found.count < limit {
            guard try next(&walk) else { break }
            var keys: [ObjectKey] = []
            var isCut = walk.length >= CollationKind.maximumBytes
            // Under a whole entry objects are ordered by key, as the group has them.
            while isCut || keys.count < limit - found.count, let key = try walk.nextObject() {
                if try isWanted(key) { keys.append(key) }
            }
            if !waiting.isEmpty {
                let entry = try walk.currentKey()
                while let first = waiting.first, precedes(first.entry, entry) { found += try next(&waiting) }
                while let first = waiting.first, first.entry == entry {
                    keys.append(first.object)
                    waiting.removeFirst()
                    isCut = entry.count >= CollationKind.maximumBytes
                }
            }
            found += try sorted(keys, isCut)
        }
        while found.count < limit, !waiting.isEmpty { found += try next(&waiting) }
        try table.state.access.requireIntactMapping()
        return Array(found.prefix(limit))
    }

    /// Moves to the objects under the next entry.
    private func next(_ walk: inout ValueWalk) throws(FreeholdError) -> Bool {
        do throws(FreeholdError) { return try walk.next() } catch { throw DerivedKinds.explained(error, table.state.stored, "read") }
    }

    private func isWanted(_ key: ObjectKey) throws(FreeholdError) -> Bool {
        if let wanted { return wanted.contains(key) }
        return tree.part.isSifted ? try table.contains(key) : true
    }

    /// Objects with one entry.
    private func sorted(_ keys: [ObjectKey], _ isCut: Bool) throws(FreeholdError) -> [ObjectKey] {
        if keys.count < 2 { return keys }
        let ascending = keys.sorted { $0.rawValue < $1.rawValue }
        if !isCut { return ascending }
        let objects = SortedObjects(table, [term])
        try objects.read(ascending)
        let order = Sorter(count: objects.count, limit: .max)
        for term in objects.terms { order.refine(by: term.levels(descending: !term.isAscending)) }
        return objects.keys(in: order)
    }

    // MARK: the tail

    private struct Waiting {
        let entry: [UInt8]
        let object: ObjectKey
    }

    /// Whether an entry is before another in the order.
    private func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        term.isAscending ? left.lexicographicallyPrecedes(right) : right.lexicographicallyPrecedes(left)
    }

    /// The wanted objects of the tail, in the order of their entries.
    private func tail() throws(FreeholdError) -> [Waiting] {
        let entry = ByteBuffer(capacity: CollationKind.maximumBytes)
        var waiting: [Waiting] = []
        for key in try table.tailKeys(nil) where wanted?.contains(key) ?? true {
            guard let row = try table.row(key) else { continue }
            var text: String?
            if case .string(let string) = try row.value(term.column) { text = string }
            entry.setCollationEntry(text, by: order)
            waiting.append(Waiting(entry: Array(entry.bytes), object: key))
        }
        return waiting.sorted { precedes($0.entry, $1.entry) }
    }

    /// Takes the objects with the first entry.
    private func next(_ waiting: inout ArraySlice<Waiting>) throws(FreeholdError) -> [ObjectKey] {
        guard let entry = waiting.first?.entry else { return [] }
        let group = waiting.prefix { $0.entry == entry }
        waiting = waiting.dropFirst(group.count)
        return try sorted(group.map(\.object), entry.count >= CollationKind.maximumBytes)
    }
}
