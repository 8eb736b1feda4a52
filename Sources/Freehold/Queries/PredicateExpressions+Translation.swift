import Foundation
import FreeholdEngine

extension PredicateExpressions.Variable: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate { try translation.variable(key) }
}

extension PredicateExpressions.Value: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate { .value(value) }
}

extension PredicateExpressions.NilLiteral: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate { .expression(.value(.null)) }
}

extension PredicateExpressions.KeyPath: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate { try translation.path(root, keyPath) }
}

extension PredicateExpressions.Conjunction: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        .condition(try translation.condition(lhs) && translation.condition(rhs))
    }
}

extension PredicateExpressions.Disjunction: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        let one = try translation.condition(lhs), other = try translation.condition(rhs)
        if case .any(let parts) = one { return .condition(.any(parts + [other])) }
        return .condition(.any([one, other]))
    }
}

extension PredicateExpressions.Negation: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate { .condition(.not(try translation.condition(wrapped))) }
}

extension PredicateExpressions.Equal: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate { try translation.comparison(lhs, .equal, rhs) }
}

extension PredicateExpressions.NotEqual: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate { try translation.comparison(lhs, .notEqual, rhs) }
}

extension PredicateExpressions.Comparison: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        let relation: QueryComparison.Relation = switch op {
        case .lessThan: .less
        case .lessThanOrEqual: .lessOrEqual
        case .greaterThan: .greater
        case .greaterThanOrEqual: .greaterOrEqual
        @unknown default: .less
        }
        return try translation.comparison(lhs, relation, rhs)
    }
}

extension PredicateExpressions.Arithmetic: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        let sign: ArithmeticOperator = switch op {
        case .add: .add
        case .subtract: .subtract
        case .multiply: .multiply
        @unknown default: .add
        }
        return .expression(.arithmetic(sign, try translation.expression(lhs), try translation.expression(rhs)))
    }
}

extension PredicateExpressions.FloatDivision: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        .expression(.arithmetic(.divide, try translation.expression(lhs), try translation.expression(rhs)))
    }
}

extension PredicateExpressions.IntDivision: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        .expression(.arithmetic(.divide, try translation.expression(lhs), try translation.expression(rhs)))
    }
}

extension PredicateExpressions.UnaryMinus: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        .expression(.negation(try translation.expression(wrapped)))
    }
}

/// Optional chaining over a link: a property of nil is nil, as in queries.
extension PredicateExpressions.OptionalFlatMap: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        let meaning = try translation.translated(wrapped)
        return try translation.binding(variable.key, to: meaning) { () throws(FreeholdError) in try translation.translated(transform) }
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate { try translation.translated(inner) }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate { try translation.comparison(base, .contains, other) }
}

extension PredicateExpressions.SequenceStartsWith: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate { try translation.comparison(base, .beginsWith, prefix) }
}

extension PredicateExpressions.SequenceContains: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        // Written as `x IN collection`, like `x IN {…}`.
        try translation.comparison(element, .isIn, sequence)
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        let (path, name, condition) = try translation.elements(sequence, variable.key, test)
        return .condition(.comparison(QueryComparison(.subquery(path, variable: name, condition), .greater, .value(.int(0)))))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        let (path, name, condition) = try translation.elements(sequence, variable.key, test)
        return .condition(.comparison(QueryComparison(.subquery(path, variable: name, .not(condition)), .equal, .value(.int(0)))))
    }
}

extension PredicateExpressions.Filter: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        let (path, name, condition) = try translation.elements(sequence, variable.key, filter)
        return .elements(path, variable: name, condition)
    }
}

extension PredicateExpressions.Range: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        .expression(.list([try translation.expression(lower), try translation.expression(upper)]))
    }
}

extension PredicateExpressions.ClosedRange: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        .expression(.list([try translation.expression(lower), try translation.expression(upper)]))
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatablePredicate {
    func translated(_ translation: PredicateTranslation) throws(FreeholdError) -> TranslatedPredicate {
        let value = try translation.expression(element)
        guard let type = RangeExpression.Output.self as? any BoundedRange.Type else {
            throw FreeholdError(.malformedInput, "a query needs ranges with two ends: 1..<5 or 1...5")
        }
        let (lower, upper) = try translation.bounds(range)
        if type.isClosed { return .condition(.comparison(QueryComparison(value, .between, .list([lower, upper])))) }
        let above = QueryCondition.comparison(QueryComparison(value, .greaterOrEqual, lower))
        return .condition(above && .comparison(QueryComparison(value, .less, upper)))
    }
}

/// A range with two ends.
private protocol BoundedRange {
    static var isClosed: Bool { get }
    var ends: (Any, Any) { get }
}

extension Swift.Range: BoundedRange {
    fileprivate static var isClosed: Bool { false }
    fileprivate var ends: (Any, Any) { (lowerBound, upperBound) }
}

extension Swift.ClosedRange: BoundedRange {
    fileprivate static var isClosed: Bool { true }
    fileprivate var ends: (Any, Any) { (lowerBound, upperBound) }
}

extension PredicateTranslation {
    /// The two ends of a range, which is either an expression of the predicate or a value of the program.
    fileprivate func bounds(_ range: Any) throws(FreeholdError) -> (QueryExpression, QueryExpression) {
        switch try translated(range) {
        case .expression(.list(let bounds)) where bounds.count == 2: return (bounds[0], bounds[1])
        case .value(let value):
            if let range = value as? any BoundedRange { return (.value(try self.value(range.ends.0)), .value(try self.value(range.ends.1))) }
        default: break
        }
        throw FreeholdError(.malformedInput, "a query needs ranges with two ends: 1..<5 or 1...5")
    }
}
