import FreeholdEngine

/// A condition of a rule, in numbers of properties. It is decided by one row and one person.
indirect enum RuleCondition: Sendable {
    case constant(Bool)
    case all([RuleCondition])
    case any([RuleCondition])
    case not(RuleCondition)
    case comparison(RuleComparison)

    func holds(_ context: RuleContext) -> Bool {
        switch self {
        case .constant(let flag): flag
        case .all(let parts): parts.allSatisfy { $0.holds(context) }
        case .any(let parts): parts.contains { $0.holds(context) }
        case .not(let part): !part.holds(context)
        case .comparison(let comparison): comparison.holds(context)
        }
    }

    /// Whether it depends on the person.
    var namesPerson: Bool {
        switch self {
        case .constant: false
        case .all(let parts), .any(let parts): parts.contains(where: \.namesPerson)
        case .not(let part): part.namesPerson
        case .comparison(let comparison): ([comparison.left] + comparison.right).contains(where: \.namesPerson)
        }
    }

    /// The names of all users of whom it can be true, of a row, as far as the row says them; nil where it does not.
    func names(_ context: RuleContext) -> Set<ExactText>? {
        switch self {
        case .constant(let flag): return flag ? nil : []
        case .all(let parts):
            // The first part that names them is enough: the whole condition is tested for each.
            for part in parts { if let names = part.names(context) { return names } }
            return nil
        case .any(let parts):
            var all: Set<ExactText> = []
            for part in parts {
                guard let names = part.names(context) else { return nil }
                all.formUnion(names)
            }
            return all
        case .not: return nil
        case .comparison(let comparison): return comparison.names(context)
        }
    }
}

/// What a condition is tested on.
struct RuleContext {
    let object: SyncObject
    let row: StoredRow
    let type: SyncSchema.Class
    /// Nobody, where a condition without parameters is tested, or names are looked for.
    let person: SyncPerson?
}

/// A comparison of a rule.
struct RuleComparison: Sendable {
    let quantifier: QueryComparison.Quantifier?
    let left: RuleExpression
    let relation: QueryComparison.Relation
    let options: TextOptions
    /// One expression; for IN and BETWEEN with a list in braces, its elements.
    let right: [RuleExpression]

    func holds(_ context: RuleContext) -> Bool {
        guard left.isToMany else { return test(left.value(context), context) }
        let values = left.values(context)
        if quantifier == .all { return values.allSatisfy { test($0, context) } }
        let isAny = values.contains { test($0, context) }
        return quantifier == QueryComparison.Quantifier.none ? !isAny : isAny
    }

    private func test(_ value: Value?, _ context: RuleContext) -> Bool {
        switch relation {
        case .isIn:
            return right.contains { element in element.elements(context).contains { compare(value, .equal, $0, element, context) } }
        case .between:
            guard let value, let low = fitted(right[0].value(context), right[0]), let high = fitted(right[1].value(context), right[1]),
                  ![value, low, high].contains(.null) else { return false }
            return PlainComparison.holds(value, .greaterOrEqual, low) && PlainComparison.holds(value, .lessOrEqual, high)
        default: return compare(value, relation, right[0].value(context), right[0], context)
        }
    }

    /// Compares two values. What a token does not have, or has as another type, equals nothing but NULL as it is written.
    private func compare(_ value: Value?, _ relation: QueryComparison.Relation, _ other: Value?, _ source: RuleExpression,
                         _ context: RuleContext) -> Bool {
        if left.isParameter && source.isNull || left.isNull && source.isParameter {
            let isMissing = (left.isParameter ? value : other) == nil
            return relation == .equal ? isMissing : relation == .notEqual && !isMissing
        }
        let own = left.isParameter ? value.flatMap { Self.fit($0, to: source.type) } : value
        guard let one = own, let other = fitted(other, source) else { return relation == .notEqual }
        return PlainComparison.holds(one, relation, other, options)
    }

    private func fitted(_ value: Value?, _ source: RuleExpression) -> Value? {
        source.isParameter ? value.flatMap { Self.fit($0, to: left.type) } : value
    }

    private static func fit(_ value: Value, to type: PropertyType?) -> Value? {
        type.map { PlainComparison.fitted(value, to: $0) } ?? value
    }

    // MARK: Names

    /// `property == $user`, `$user IN set`, `ANY set == $user`: the names are in the row.
    fileprivate func names(_ context: RuleContext) -> Set<ExactText>? {
        guard options.isEmpty, quantifier != .all, quantifier != QueryComparison.Quantifier.none else { return nil }
        if relation == .equal, right[0].isUser { return left.strings(context) }
        if relation == .equal, left.isUser { return right[0].strings(context) }
        guard relation == .isIn else { return nil }
        if right.count == 1, right[0].isUser { return left.strings(context) }
        guard left.isUser else { return nil }
        var all: Set<ExactText> = []
        for element in right {
            guard let names = element.strings(context) else { return nil }
            all.formUnion(names)
        }
        return all
    }
}
