/// Indexes over several properties.
extension IndexChoice {
    /// Tests with the numbers of their parts, by the position of their column in the table.
    typealias Tests = [Int: [(part: Int, test: ColumnTest)]]

    func tests(_ parts: [BoundCondition]) throws(FreeholdError) -> Tests {
        var tests: Tests = [:]
        for (place, part) in parts.enumerated() {
            if case .test(let test) = part { tests[try table.state.index(of: test.column), default: []].append((place, test)) }
        }
        return tests
    }

    func several(_ parts: [BoundCondition]) throws(FreeholdError) -> [(plan: IndexPlan, parts: Set<Int>)] {
        if table.state.stored.indexes.isEmpty { return [] }
        let tests = try tests(parts)
        var plans: [(plan: IndexPlan, parts: Set<Int>)] = []
        for index in table.state.stored.indexes where table.hasAll(index) {
            let use = use(index, tests)
            if use.parts.isEmpty { continue }
            var spans: [IndexSpan] = []
            for values in use.values { spans.append(try table.span(index, equals: values, then: use.range ?? .all)) }
            let isOrdered = use.range == nil && use.values.first?.count == index.columns.count
            plans.append((try IndexPlan(spans, isOrdered: isOrdered, text: Self.text(parts, use.parts)), Set(use.parts)))
        }
        return plans
    }

    /// A lookup in an index over several properties: values of the first ones, and a range of the next.
    private struct Use {
        var values: [[Value]] = [[]]
        var range: ValueRange?
        /// The parts of the condition that it answers, in the order of the index.
        var parts: [Int] = []
    }

    /// The maximum number of value combinations that are looked up one by one.
    private static let mostCombinations = 64

    private func use(_ index: StoredIndex, _ tests: Tests) -> Use {
        var use = Use()
        for column in index.columns {
            var isTaken = false
            for (part, test) in tests[column] ?? [] {
                switch test.question {
                case .values(let values) where use.values.count * values.count <= Self.mostCombinations:
                    use.values = use.values.flatMap { before in values.map { before + [$0] } }
                    isTaken = true
                    use.parts.append(part)
                default: continue
                }
                if isTaken { break }
            }
            if isTaken { continue }
            if let (question, parts) = Self.range(tests[column] ?? []), case .range(let range) = question {
                use.range = range
                use.parts += parts.sorted()
            }
            break
        }
        return use
    }
}
