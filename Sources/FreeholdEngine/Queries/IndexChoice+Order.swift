/// Indexes that yield objects in the order of a sort.
extension IndexChoice {
    /// A part of an index tree, walked in its order.
    struct Order {
        let part: IndexPart
        /// The condition still to test on each object.
        let rest: BoundCondition?
        /// Whether objects under one key are equal in all terms.
        let isComplete: Bool
        /// Whether the span is restricted to certain values of the index's first properties.
        let isSelected: Bool
        /// The properties of the index, as text.
        let text: String
        /// The length of keys that may be cut; objects under such a key may differ.
        var cut = Int.max
        /// Whether it is an index in a collation, which has every object.
        var isCollation: Bool { cut < .max }
    }

    /// The index that yields objects in the order of the terms, once its first properties are fixed to the values of
    /// the condition.
    ///
    /// - Parameter isAll: whether there are no further terms.
    func ordered(by terms: [(column: Int, isAscending: Bool)], _ parts: [BoundCondition], isAll: Bool) throws(FreeholdError) -> Order? {
        guard let first = terms.first else { return nil }
        let tests = try tests(parts)
        for index in table.state.stored.indexes where table.hasAll(index) {
            if let found = try ordered(index, by: terms, parts, tests, isAll: isAll) { return found }
        }
        let column = table.state.stored.column(first.column)
        guard table.isSortedByIndex(column) else { return nil }
        var range = ValueRange.all, taken: Set<Int> = []
        if let (question, parts) = Self.range(tests[first.column] ?? []), case .range(let asked) = question { (range, taken) = (asked, parts) }
        return Order(part: try table.span(column, range).part, rest: Self.rest(of: parts, without: taken),
                     isComplete: isAll && terms.count == 1, isSelected: false, text: table.state.stored.properties[first.column].name)
    }

    private func ordered(
        _ index: StoredIndex, by terms: [(column: Int, isAscending: Bool)], _ parts: [BoundCondition], _ tests: Tests, isAll: Bool
    ) throws(FreeholdError) -> Order? {
        var values: [Value] = [], taken: Set<Int> = []
        for column in index.columns {
            guard let (part, value) = Self.onlyValue(tests[column] ?? []) else { break }
            values.append(value)
            taken.insert(part)
        }
        // The remaining columns of the index must be the sort terms, all of them and in one direction.
        let rest = index.columns.dropFirst(values.count)
        guard !rest.isEmpty, rest.count <= terms.count, zip(rest, terms).allSatisfy({ $0 == $1.column && $1.isAscending == terms[0].isAscending }),
              rest.allSatisfy({ table.isOrdered(table.state.stored.column($0)) }) else { return nil }
        let text = index.columns.map { table.state.stored.properties[$0].name }.joined(separator: ", ")
        return Order(part: try table.span(index, equals: values, then: .all).part, rest: Self.rest(of: parts, without: taken),
                     isComplete: isAll && rest.count == terms.count, isSelected: !values.isEmpty, text: text)
    }

    private static func onlyValue(_ tests: [(part: Int, test: ColumnTest)]) -> (part: Int, value: Value)? {
        for (part, test) in tests {
            if case .values(let values) = test.question, values.count == 1 { return (part, values[0]) }
        }
        return nil
    }
}

/// Indexes in a collation.
extension IndexChoice {
    /// The index that yields objects in the order of the first term, a string in a collation; nil if there is none to use.
    ///
    /// - Parameter condition: nil if every object meets it.
    func collated(by terms: [CheckedTerm], _ condition: BoundCondition?) throws(FreeholdError) -> Order? {
        guard let first = terms.first, let tree = try CollatedTree(first, of: table) else { return nil }
        return Order(part: tree.part, rest: condition, isComplete: terms.count == 1, isSelected: false, text: tree.text,
                     cut: CollationKind.maximumBytes)
    }
}
