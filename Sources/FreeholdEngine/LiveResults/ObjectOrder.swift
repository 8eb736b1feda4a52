/// The order in which a query returns the objects of a table: by its sort terms, then by key.
struct ObjectOrder {
    let table: Table
    /// The sort terms, the major one first.
    let terms: [BoundSort]
    private let context = QueryContext()

    init(_ table: Table, _ terms: [BoundSort]) {
        self.table = table
        self.terms = terms
    }

    /// An object's position in the order.
    struct Mark {
        let key: ObjectKey
        fileprivate let values: [SortValue]
    }

    /// The mark of an object; nil if no object has this key.
    func mark(_ key: ObjectKey) throws(FreeholdError) -> Mark? {
        guard let row = try table.row(key) else { return nil }
        if terms.isEmpty { return Mark(key: key, values: []) }
        context.look(at: row)
        var values: [SortValue] = []
        for term in terms { values.append(try term.value(context)) }
        return Mark(key: key, values: values)
    }

    /// Compares two marks: negative, 0 or positive as the first comes before, at or after the other.
    func compare(_ one: Mark, _ other: Mark) -> Int {
        for (place, term) in terms.enumerated() {
            let order = SortValue.order(one.values[place], other.values[place])
            if order != 0 { return term.isAscending ? order : -order }
        }
        return one.key == other.key ? 0 : one.key < other.key ? -1 : 1
    }

    /// Compares a mark with an object that is known to exist, reading no more of it than decides.
    func compare(_ one: Mark, with key: ObjectKey) throws(FreeholdError) -> Int {
        if one.key == key { return 0 }
        if !terms.isEmpty {
            guard let row = try table.row(key) else {
                throw FreeholdError(.corrupt, "object \(key) of class '\(table.schema.name)' is not where its query has it; run `freehold check`",
                                    path: table.state.access.path)
            }
            context.look(at: row)
            for place in terms.indices {
                let order = SortValue.order(one.values[place], try terms[place].value(context))
                if order != 0 { return terms[place].isAscending ? order : -order }
            }
        }
        return one.key < key ? -1 : 1
    }
}
