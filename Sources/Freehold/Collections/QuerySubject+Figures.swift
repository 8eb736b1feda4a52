import FreeholdEngine

/// Aggregates of a property, computed without creating objects.
extension QuerySubject {
    /// The aggregate of a property; `.null` if there are no values. Nil if the values have to be read one by one:
    /// decimal numbers, mixed values, and sums that do not fit 64 bits.
    func figure(_ kind: AggregateKind, of property: ModelProperty) throws -> FreeholdEngine.Value? {
        let live = live, table = try live.held().table
        guard let place = live.model.place(of: property.name), let column = live.columns[place], !column.isCollection,
              [.int, .float, .double].contains(column.type) else { return nil }
        if case .table = origin, query == ObjectQuery() { return try whole(kind, table, column) }
        var summary = ColumnSummary()
        try table.forEach(try QuerySource(self).keys(), reading: column) { row in
            if let row { summary.add(try row.value(column)) }
            return true
        }
        switch (kind, column.type) {
        case (.sum, .int): return Int64(exactly: summary.integerSum).map { .int($0) }
        case (.sum, _): return .double(summary.realSum)
        case (.avg, .int): return summary.count == 0 ? .null : .double(Double(summary.integerSum) / Double(summary.count))
        case (.avg, _): return summary.count == 0 ? .null : .double(summary.realSum / Double(summary.count))
        case (.min, .int): return summary.integerBounds.map { .int($0.lowerBound) } ?? .null
        case (.max, .int): return summary.integerBounds.map { .int($0.upperBound) } ?? .null
        case (.min, _): return summary.realBounds.map { .double($0.lowerBound) } ?? .null
        case (.max, _): return summary.realBounds.map { .double($0.upperBound) } ?? .null
        case (.count, _): return .int(Int64(summary.count))
        }
    }

    /// The aggregate over all objects of the class, computed leaf by leaf or by an index.
    private func whole(_ kind: AggregateKind, _ table: Table, _ column: Column) throws -> FreeholdEngine.Value? {
        switch kind {
        case .sum:
            let sum = Result { () throws(FreeholdError) in try table.sum(column) }
            if case .failure(let error) = sum, error.code == .valueTooLarge { return nil }
            return try sum.get()
        case .avg: return try table.average(column).map { .double($0) } ?? .null
        case .min: return try table.minimum(column) ?? .null
        case .max: return try table.maximum(column) ?? .null
        case .count: return .int(Int64(try table.summary(column).count))
        }
    }
}
