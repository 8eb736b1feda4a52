extension PreparedQuery {
    /// Of some objects those that meet the condition, in the order given and as often as they are, before the steps are done with them:
    /// a query over a collection's elements. Throws `.malformedInput` of a query with groups.
    ///
    /// ```swift
    /// let puppies = try dogs.prepare(ObjectQuery("age < 2 SORT(name ASC)")).keys(among: person.dogs)
    /// ```
    public func keys(among keys: [ObjectKey]) throws(FreeholdError) -> [ObjectKey] {
        try requireObjects()
        var found = FoundKeys(table, try selected(among: keys))
        try found.apply(steps)
        return try found.keys()
    }

    /// The groups of a query that ends with GROUP(…) SELECT(…), of some objects that meet its condition.
    public func groups(among keys: [ObjectKey]) throws(FreeholdError) -> [QueryGroup] { try groups(of: try selected(among: keys)) }

    /// Objects that are gone are left out.
    private func selected(among keys: [ObjectKey]) throws(FreeholdError) -> [ObjectKey] {
        // Where a good part of the class is asked about, asking whole clusters is cheaper than row after row.
        if !isEverything, keys.count > table.count / 4, let all = try selected(limit: .max) {
            let meant = Set(all)
            return keys.filter { meant.contains($0) }
        }
        return try table.sifted(keys, condition)
    }
}
