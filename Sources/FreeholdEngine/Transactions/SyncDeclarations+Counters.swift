extension SyncDeclarations {
    /// Adds to an integer property of an object.
    ///
    /// ```swift
    /// let left = try transaction.sync.increment(key, in: items, items.column("stock"), by: -1)
    /// ```
    /// For a counter of a synced class the server adds up the increments of all devices. A transaction's increment of a counter is
    /// the difference that it makes, however the value is set.
    ///
    /// - Returns: the sum.
    /// - Throws: `.noSuchObject`; `.typeMismatch` for a property that is no integer; `.notNullable` if its value is null;
    ///   `.valueTooLarge` if the sum does not fit 64 bits. The value stays then.
    @discardableResult
    public func increment(_ key: ObjectKey, in table: Table, _ column: Column, by amount: Int64 = 1) throws(FreeholdError) -> Int64 {
        let writer = try transaction.own(table)
        let index = try writer.state.index(of: column)
        var place: String { "property '\(writer.stored.properties[index].name)' of class '\(writer.stored.name)'" }
        guard column.type == .int, !column.isCollection else {
            throw FreeholdError(.typeMismatch, "\(place) is no integer, so nothing can be added to it", path: transaction.core.path)
        }
        let value = try table.value(key, column)
        guard case .int(let old) = value else {
            throw FreeholdError(.notNullable, "\(place) is null; set it to a number before adding to it", path: transaction.core.path)
        }
        let (sum, isOver) = old.addingReportingOverflow(amount)
        if isOver {
            throw FreeholdError(.valueTooLarge, "the sum of \(old) and \(amount) does not fit \(place)", path: transaction.core.path)
        }
        try transaction.set(key, in: table, column, to: .int(sum))
        return sum
    }
}
