/// Binding of comparisons: orders their sides, checks their types, and decides whether whole clusters can be tested.
extension QueryBinder {
    mutating func comparison(_ given: QueryComparison) throws(FreeholdError) -> BoundCondition {
        if given.relation == .text { return try search(given) }
        if given.relation == .within { return try within(given) }
        var comparison = turned(given)
        var left = try expression(comparison.left)
        // `tags CONTAINS x` tests whether the collection has an element, as does `x IN tags`.
        if comparison.relation == .contains, comparison.quantifier == nil, left.manyValues != nil {
            comparison.quantifier = .any
            comparison.relation = .equal
        }
        try require(left, comparison)
        let right = try rightSide(comparison, left)
        if let constant = left.constant, let kind = right.compactMap(\.kind).first { left = .constant(try fitted(constant, kind, comparison)) }
        let bound = BoundComparison(comparison.quantifier, left, comparison.relation, comparison.options, right, source: comparison)
        if bound.isConstant { return .constant(try bound.holds(QueryContext())) }
        return ColumnTest.made(bound).map { .test($0) } ?? .comparison(bound)
    }

    /// The comparison with a constant moved to the right, where the meaning stays the same.
    private func turned(_ comparison: QueryComparison) -> QueryComparison {
        guard comparison.quantifier == nil, comparison.left.isConstant, !comparison.right.isConstant else { return comparison }
        let relation: QueryComparison.Relation
        switch comparison.relation {
        case .less: relation = .greater
        case .lessOrEqual: relation = .greaterOrEqual
        case .greater: relation = .less
        case .greaterOrEqual: relation = .lessOrEqual
        case .equal, .notEqual: relation = comparison.relation
        default: return comparison
        }
        return QueryComparison(comparison.right, relation, comparison.left, options: comparison.options)
    }

    /// Requires a left side that the relation can apply to.
    private func require(_ left: BoundExpression, _ comparison: QueryComparison) throws(FreeholdError) {
        if left.manyValues == nil, let quantifier = comparison.quantifier {
            throw error(.typeMismatch, "\(quantifier.rawValue) needs a collection; '\(comparison.left.written)' has one value", at: comparison.left.place)
        }
        if left.manyValues != nil, comparison.quantifier == nil {
            throw error(.typeMismatch, "'\(comparison.left.written)' has several values; put ANY, ALL or NONE before it", at: comparison.left.place)
        }
        let isText = comparison.relation.isTextual || !comparison.options.isEmpty
        if isText, let kind = left.kind, ![.string, .data, .mixed].contains(kind.type) {
            throw error(.typeMismatch, "\(comparison.relation.rawValue)\(comparison.options.isEmpty ? "" : " with options") needs strings or data; "
                + "'\(comparison.left.written)' is of type \(kind.type.name)", at: comparison.left.place)
        }
        if comparison.relation.isOrdering, let kind = left.kind, [.bool, .link].contains(kind.type) {
            throw error(.typeMismatch, "\(comparison.relation.rawValue) needs values with an order; '\(comparison.left.written)' is of type \(kind.type.name)",
                        at: comparison.left.place)
        }
    }

    private mutating func rightSide(_ comparison: QueryComparison, _ left: BoundExpression) throws(FreeholdError) -> [BoundExpression] {
        if comparison.relation == .between {
            guard case .list(let ends) = comparison.right, ends.count == 2 else {
                throw error(.malformedInput, "BETWEEN takes two values in braces, as in age BETWEEN {18, 65}", at: comparison.right.place)
            }
        }
        if case .list(let elements) = comparison.right {
            guard [.isIn, .between].contains(comparison.relation) else {
                throw error(.malformedInput, "\(comparison.relation.rawValue) compares with one value; use IN for a list", at: comparison.left.place)
            }
            var bound: [BoundExpression] = []
            for element in elements { bound.append(try right(element, comparison, left)) }
            return bound
        }
        let one = try right(comparison.right, comparison, left)
        if one.manyValues == nil, comparison.relation == .isIn {
            throw error(.typeMismatch, "IN takes values in braces or a collection; '\(comparison.right.written)' is neither", at: comparison.right.place)
        }
        if one.manyValues != nil, comparison.relation != .isIn {
            throw error(.typeMismatch, "'\(comparison.right.written)' has several values; write it on the left with ANY, ALL or NONE", at: comparison.right.place)
        }
        return [one]
    }

    private mutating func right(_ source: QueryExpression, _ comparison: QueryComparison, _ left: BoundExpression) throws(FreeholdError) -> BoundExpression {
        let right = try expression(source)
        if case .path(let path) = right, path.isCollection { throw error(.typeMismatch, "'\(source.written)' is a collection of collections", at: source.place) }
        guard let kind = left.kind else { return right }
        if let constant = right.constant { return .constant(try fitted(constant, kind, comparison)) }
        if let other = right.kind, !kind.type.isComparable(with: other.type) {
            throw error(.typeMismatch, "cannot compare '\(comparison.left.written)' of type \(kind.type.name) with '\(source.written)' of type \(other.type.name)",
                        at: comparison.left.place)
        }
        return right
    }

    /// A constant converted to the type it is compared with.
    private func fitted(_ value: Value, _ kind: ExpressionKind, _ comparison: QueryComparison) throws(FreeholdError) -> Value {
        if value == .null || kind.type == .mixed { return value }
        if let fitting = value.fitting(kind) { return fitting }
        let type = value.type?.name ?? value.collectionKind?.name ?? "null"
        let property = comparison.left.isConstant ? comparison.right : comparison.left
        throw error(.typeMismatch, "cannot compare value \(QueryText.literal(value)) of type '\(type)' to property '\(property.written)' of type "
            + "'\(kind.type.name)'\(value.hint(for: kind.type))", at: property.place)
    }
}

/// The type of an expression's values.
struct ExpressionKind {
    let type: PropertyType
    let targets: Table?
}

extension BoundExpression {
    /// Nil for a constant.
    var kind: ExpressionKind? {
        switch self {
        case .constant: nil
        case .path(let path): ExpressionKind(type: path.type, targets: path.targets)
        case .figure(let kind, let path): ExpressionKind(type: kind == .count ? .int : [.date, .decimal].contains(path.type) ? path.type : .mixed, targets: nil)
        case .subquery: ExpressionKind(type: .int, targets: nil)
        case .distance: ExpressionKind(type: .double, targets: nil)
        case .arithmetic, .negation: ExpressionKind(type: .mixed, targets: nil)
        }
    }
}

extension QueryExpression {
    /// Whether the expression names no property.
    var isConstant: Bool {
        switch self {
        case .value, .shape: true
        case .list(let elements): elements.allSatisfy(\.isConstant)
        case .arithmetic(_, let left, let right): left.isConstant && right.isConstant
        case .negation(let inner): inner.isConstant
        case .path, .subquery, .distance: false
        }
    }
}

extension BoundComparison {
    /// Whether the comparison depends on no object.
    var isConstant: Bool { left.constant != nil && right.allSatisfy { $0.constant != nil } }
}

extension PropertyType {
    /// Whether the type is numeric.
    var isNumber: Bool { [.int, .float, .double, .decimal].contains(self) }

    /// Whether values of both types can be equal.
    func isComparable(with other: PropertyType) -> Bool { self == other || self == .mixed || other == .mixed || isNumber && other.isNumber }
}

extension Value {
    /// A hint how to write a string that has the form of a value of a type; empty for any other value.
    fileprivate func hint(for type: PropertyType) -> String {
        guard type == .date, case .string(let text) = self, DateLiteral.parse(text) != nil else { return "" }
        let scalars = Array(text.unicodeScalars), isBare = DateLiteral.day(scalars[...])?.length == scalars.count
        return "; write a date without quotes: \(isBare ? text : "date('\(text)')")"
    }

    /// The value converted so that it can equal, or be ordered against, values of a type; nil if it cannot.
    func fitting(_ kind: ExpressionKind) -> Value? {
        switch (self, kind.type) {
        case (.int(let number), .bool): return number == 0 || number == 1 ? .bool(number == 1) : nil
        case (.string(let text), .data): return .data(Array(text.utf8))
        case (.string(let text), .uuid): return QueryLiterals.uuid(text)
        case (.string(let text), .objectId): return QueryLiterals.objectId(text)
        case (.object(let object), .link):
            guard let targets = kind.targets, targets.schemaOf.table(of: object.classNumber) == Int(targets.state.stored.number) else { return nil }
            return .link(object.key)
        // A float property stores the nearest float to a given number, so the query looks for that.
        case (.double(let number), .float): return .float(Float(number))
        case (.decimal(let number), .float): return .float(Float(Double(number)))
        case (.int(let number), .double): return Int64(exactly: Double(number)) == number ? .double(Double(number)) : self
        case (.float(let number), .double): return .double(Double(number))
        case (.double(let number), .int): return Int64(exactly: number).map { .int($0) } ?? self
        default: return type == kind.type || isNumber && kind.type.isNumber ? self : nil
        }
    }
}
