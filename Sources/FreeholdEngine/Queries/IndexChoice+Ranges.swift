/// Several conditions combined into one index lookup: usually one comparison gives the beginning of a range, another
/// its end.
extension IndexChoice {
    /// Plans that combine two or more range conditions on one property.
    func joined(_ parts: [BoundCondition]) throws(FreeholdError) -> [(plan: IndexPlan, parts: Set<Int>)] {
        if parts.count < 2 { return [] }
        var plans: [(plan: IndexPlan, parts: Set<Int>)] = []
        for tests in try tests(parts).values where tests.count > 1 {
            guard let column = indexed(tests[0].test), let (question, taken) = Self.range(tests), taken.count > 1 else { continue }
            if let plan = try plan(column, question, text: Self.text(parts, taken.sorted())) { plans.append((plan, taken)) }
        }
        return plans
    }

    /// The parts at these positions, as text.
    static func text(_ parts: [BoundCondition], _ places: [Int]) -> String {
        places.compactMap { if case .test(let test) = parts[$0] { test.comparison.text } else { nil } }.joined(separator: " AND ")
    }

    /// The intersection of all range tests of a property, and the numbers of their parts; nil if there are none.
    static func range(_ tests: [(part: Int, test: ColumnTest)]) -> (question: IndexQuestion, parts: Set<Int>)? {
        var range: ValueRange?, taken: Set<Int> = []
        for (part, test) in tests {
            guard case .range(let asked) = test.question else { continue }
            guard let before = range else {
                (range, taken) = (asked, [part])
                continue
            }
            guard let both = before.common(asked) else { continue }
            taken.insert(part)
            if both.isEmpty { return (.values([]), taken) }
            range = both
        }
        return range.map { (.range($0), taken) }
    }
}

extension ValueRange {
    /// The intersection of two ranges of values of one type; nil if a range cannot express it.
    fileprivate func common(_ other: ValueRange) -> ValueRange? {
        guard prefix == nil, other.prefix == nil, let from = Self.inner(from, other.from, sign: 1), let to = Self.inner(to, other.to, sign: -1) else { return nil }
        return ValueRange(from: from, to: to)
    }

    /// Whether there is no value between the ends.
    fileprivate var isEmpty: Bool {
        guard let from, let to, let order = Self.order(from.value, to.value) else { return false }
        return order > 0 || order == 0 && (from.isExcluding || to.isExcluding)
    }

    /// The stricter bound: the greater of two lower bounds (`sign` 1), the smaller of two upper bounds (-1). Nil if
    /// they are unordered.
    private static func inner(_ one: Bound?, _ other: Bound?, sign: Int) -> Bound?? {
        guard let one else { return .some(other) }
        guard let other else { return .some(one) }
        guard let order = order(one.value, other.value) else { return nil }
        if order == 0 { return .some(one.isExcluding ? one : other) }
        return .some(order * sign > 0 ? one : other)
    }

    /// The order of values in an index tree: null comes first.
    private static func order(_ one: Value, _ other: Value) -> Int? {
        if one == .null || other == .null { return one == other ? 0 : one == .null ? -1 : 1 }
        return ValueComparison.order(one, other)
    }
}

extension ValueRange.Bound {
    fileprivate var value: Value {
        switch self {
        case .including(let value), .excluding(let value): value
        }
    }

    fileprivate var isExcluding: Bool { if case .excluding = self { true } else { false } }
}
