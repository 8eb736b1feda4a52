/// Quantifiers before values in braces, and on the right side: each is rewritten as comparisons without one there.
///
/// | written | read as |
/// |---|---|
/// | `ANY {1, 2} == age`, `age == ANY {1, 2}`, `age IN ANY {1, 2}` | `age IN {1, 2}` |
/// | `NONE {1, 2} == age` | `NOT (age IN {1, 2})` |
/// | `ALL {1, 2} <= age` | `1 <= age AND 2 <= age` |
/// | `age < ANY numbers` | `ANY numbers > age` |
extension QueryParser {
    typealias Quantifier = QueryComparison.Quantifier

    /// A comparison without a quantifier on the right.
    func quantified(_ comparison: QueryComparison) -> QueryCondition {
        guard let quantifier = comparison.quantifier, case .list(let elements) = comparison.left else { return .comparison(comparison) }
        if comparison.relation == .equal, quantifier != .all {
            return Self.opposite(.comparison(QueryComparison(comparison.right, .isIn, comparison.left, options: comparison.options)), if: quantifier == .none)
        }
        return Self.joined(elements.map { QueryComparison($0, comparison.relation, comparison.right, options: comparison.options) }, quantifier)
    }

    /// A comparison with a quantifier on the right.
    func quantified(_ comparison: QueryComparison, _ behind: (quantifier: Quantifier, token: QueryToken)) throws(FreeholdError) -> QueryCondition {
        let quantifier = behind.quantifier
        switch comparison.right {
        case .list(let elements): return try quantified(comparison, elements, behind)
        case .path:
            guard comparison.quantifier == nil else { throw twice(at: behind.token) }
            guard let relation = Self.turned[comparison.relation] else {
                throw error("\(comparison.relation.rawValue) allows \(quantifier.rawValue) on its left only", at: behind.token)
            }
            return .comparison(QueryComparison(comparison.right, relation, comparison.left, quantifier: quantifier, options: comparison.options))
        default: throw error("\(quantifier.rawValue) must be followed by a collection or values in braces", at: behind.token)
        }
    }

    /// A comparison with values in braces on the right. `ALL tags == ANY {'a', 'b'}` tests whether each tag is one of
    /// them.
    private func quantified(_ comparison: QueryComparison, _ elements: [QueryExpression],
                            _ behind: (quantifier: Quantifier, token: QueryToken)) throws(FreeholdError) -> QueryCondition {
        let isMembership = comparison.relation == .equal || comparison.relation == .isIn
        if isMembership, behind.quantifier == .any, !comparison.left.isList {
            var membership = comparison
            membership.relation = .isIn
            return .comparison(membership)
        }
        guard comparison.quantifier == nil else { throw twice(at: behind.token) }
        if isMembership, behind.quantifier == .none {
            return .not(.comparison(QueryComparison(comparison.left, .isIn, comparison.right, options: comparison.options)))
        }
        let relation = isMembership ? .equal : comparison.relation
        return Self.joined(elements.map { QueryComparison(comparison.left, relation, $0, options: comparison.options) }, behind.quantifier)
    }

    private func twice(at token: QueryToken) -> FreeholdError { error("a comparison allows ANY, ALL or NONE on one side only", at: token) }

    /// The relation of the right side to the left one, for each relation of the left side to the right. IN with a
    /// quantified right side becomes `==`.
    private static let turned: [QueryComparison.Relation: QueryComparison.Relation] = [
        .equal: .equal, .isIn: .equal, .notEqual: .notEqual, .less: .greater, .lessOrEqual: .greaterOrEqual, .greater: .less, .greaterOrEqual: .lessOrEqual,
    ]

    private static func joined(_ comparisons: [QueryComparison], _ quantifier: Quantifier) -> QueryCondition {
        if comparisons.isEmpty { return .constant(quantifier != .any) }
        let parts = comparisons.map { QueryCondition.comparison($0) }
        let joined = parts.count == 1 ? parts[0] : quantifier == .all ? .all(parts) : .any(parts)
        return opposite(joined, if: quantifier == .none)
    }

    private static func opposite(_ condition: QueryCondition, if isNegative: Bool) -> QueryCondition { isNegative ? .not(condition) : condition }
}

extension QueryExpression {
    fileprivate var isList: Bool { if case .list = self { true } else { false } }
}
