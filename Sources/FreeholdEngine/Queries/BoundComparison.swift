/// A comparison with resolved names.
final class BoundComparison {
    let quantifier: QueryComparison.Quantifier?
    let left: BoundExpression
    let relation: QueryComparison.Relation
    let options: TextOptions
    /// The right side: one expression; for IN and BETWEEN, the elements of the list.
    let right: [BoundExpression]
    /// The matchers of a string comparison with a constant right side: one for each of its elements.
    private let matchers: [TextMatcher]?
    /// The comparison as it was written.
    let source: QueryComparison

    init(_ quantifier: QueryComparison.Quantifier?, _ left: BoundExpression, _ relation: QueryComparison.Relation, _ options: TextOptions,
         _ right: [BoundExpression], source: QueryComparison) {
        self.quantifier = quantifier
        self.left = left
        self.relation = relation
        self.options = options
        self.right = right
        self.source = source
        matchers = Self.matchers(relation, options, right)
    }

    /// The matchers of textual relations, and of equality with options; nil for others.
    private static func matchers(_ relation: QueryComparison.Relation, _ options: TextOptions, _ right: [BoundExpression]) -> [TextMatcher]? {
        guard relation.isTextual || !options.isEmpty, relation != .between else { return nil }
        var matchers: [TextMatcher] = []
        for expression in right {
            guard let needle = expression.constant?.bytes else { return nil }
            matchers.append(TextMatcher(relation, needle, options))
        }
        return matchers
    }

    /// The comparison as text. It is seldom needed, and takes as long to build as the comparison.
    var text: String { source.description }

    /// The comparison applied to the object that the first `links` links lead to.
    func behind(_ links: Int) -> BoundComparison {
        guard links > 0, case .path(let path) = left else { return self }
        let rest = BoundPath(origin: 0, Array(path.steps[links...]), type: path.type, targets: path.targets, isToMany: false, source: path.source)
        return BoundComparison(nil, .path(rest), relation, options, right, source: source)
    }

    var cost: Int {
        if left.manyValues != nil || quantifier != nil { return 1000 }
        if case .path(let path) = left { return path.steps.count > 1 ? 300 : 60 }
        return 500
    }

    func holds(_ context: QueryContext) throws(FreeholdError) -> Bool {
        guard let many = left.manyValues else {
            let holds = try holds(of: left.value(context), context)
            return quantifier == QueryComparison.Quantifier.none ? !holds : holds
        }
        let isAll = quantifier == .all
        var hasDecided = false
        try many.forEach(context) { value throws(FreeholdError) in
            hasDecided = try holds(of: value, context) != isAll
            return !hasDecided
        }
        return quantifier == .any ? hasDecided : !hasDecided
    }

    private func holds(of value: Value, _ context: QueryContext) throws(FreeholdError) -> Bool {
        switch relation {
        case .isIn:
            for place in right.indices {
                if try equals(value, right[place], place, context) { return true }
            }
            return false
        case .between:
            guard right.count == 2, value != .null else { return false }
            let low = try right[0].value(context), high = try right[1].value(context)
            // A null bound matches nothing, not even null.
            guard low != .null, high != .null else { return false }
            return ValueComparison.holds(value, .greaterOrEqual, low) && ValueComparison.holds(value, .lessOrEqual, high)
        default: break
        }
        if relation.isTextual || !options.isEmpty { return try matches(value, right[0], 0, context) }
        return ValueComparison.holds(value, relation, try right[0].value(context))
    }

    private func equals(_ value: Value, _ element: BoundExpression, _ place: Int, _ context: QueryContext) throws(FreeholdError) -> Bool {
        if let many = element.manyValues {
            var isFound = false
            try many.forEach(context) { other throws(FreeholdError) in
                isFound = ValueComparison.areEqual(value, other)
                return !isFound
            }
            return isFound
        }
        if !options.isEmpty { return try matches(value, element, place, context) }
        return ValueComparison.areEqual(value, try element.value(context))
    }

    /// Evaluates textual relations, and equality with options. Null matches only null.
    ///
    /// Safe: bytes are compared within the call that has them.
    private func matches(_ value: Value, _ element: BoundExpression, _ place: Int, _ context: QueryContext) throws(FreeholdError) -> Bool {
        let other = matchers == nil ? try element.value(context) : nil
        let isNegative = relation == .notEqual
        guard let bytes = value.bytes else {
            if matchers != nil { return isNegative }
            return relation == .equal || relation == .like || relation == .isIn ? value == other : isNegative && value != other
        }
        if let matchers { return bytes.withUnsafeBytes(matchers[place].matches) }
        guard let needle = other?.bytes else { return isNegative }
        return bytes.withUnsafeBytes(TextMatcher(relation, needle, options).matches)
    }
}

extension Value {
    /// The bytes of a string or data; nil for other values.
    var bytes: [UInt8]? {
        switch self {
        case .string(let text): Array(text.utf8)
        case .data(let bytes): bytes
        default: nil
        }
    }
}
