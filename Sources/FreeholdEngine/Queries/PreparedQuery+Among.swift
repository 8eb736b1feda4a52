extension PreparedQuery {
    /// Filters the given objects by the condition, in the order given and with duplicates, and then applies the steps:
    /// a query over a collection's elements. Throws `.malformedInput` for a query with groups.
    ///
    /// ```swift
    /// let puppies = try dogs.prepare(ObjectQuery("age < 2 SORT(name ASC)")).keys(among: person.dogs)
    /// ```
    public func keys(among keys: [ObjectKey]) throws(FreeholdError) -> [ObjectKey] {
        try requireObjects()
        var found = FoundKeys(table, try selected(among: keys), isContinued: isContinued)
        try found.apply(steps)
        return try found.keys()
    }

    /// The groups of a query that ends with GROUP(…) SELECT(…), over the given objects that meet its condition.
    public func groups(among keys: [ObjectKey]) throws(FreeholdError) -> [QueryGroup] { try groups(of: try selected(among: keys)) }

    /// The given objects that meet the condition. Deleted objects are left out.
    private func selected(among keys: [ObjectKey]) throws(FreeholdError) -> [ObjectKey] {
        // For a large part of the class, testing whole clusters is cheaper than testing row by row.
        if !isEverything, keys.count > table.count / 4, let all = try selected(limit: .max) {
            let meant = Set(all)
            return keys.filter { meant.contains($0) }
        }
        return try table.sifted(keys, condition)
    }
}
