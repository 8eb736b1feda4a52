/// Comparisons of values that are not in a table, as queries make them: for conditions on the rows of a sync server.
package enum PlainComparison {
    /// Whether a relation holds. Not for IN, BETWEEN, TEXT and GEOWITHIN.
    package static func holds(_ left: Value, _ relation: QueryComparison.Relation, _ right: Value, _ options: TextOptions = []) -> Bool {
        if !relation.isTextual, options.isEmpty { return ValueComparison.holds(left, relation, right) }
        // Null matches only null.
        guard let bytes = left.bytes else {
            let isSame = left == right
            return relation == .equal || relation == .like ? isSame : relation == .notEqual && !isSame
        }
        guard let needle = right.bytes else { return relation == .notEqual }
        // Safe: bytes are compared within the call that has them.
        return bytes.withUnsafeBytes(TextMatcher(relation, needle, options).matches)
    }

    /// The result of a calculation; null if there is none.
    package static func result(_ sign: ArithmeticOperator, _ left: Value, _ right: Value) -> Value { Arithmetic.result(sign, left, right) }

    /// A number with the other sign.
    package static func negated(_ value: Value) -> Value { Arithmetic.negated(value) }

    /// A constant as a property of a type has it; nil if none of its values can equal the constant, or be before or after it.
    package static func fitted(_ value: Value, to type: PropertyType) -> Value? {
        value == .null || type == .mixed ? value : value.fitting(ExpressionKind(type: type, targets: nil))
    }

    /// Whether values of two types can be equal.
    package static func areComparable(_ one: PropertyType, _ other: PropertyType) -> Bool { one.isComparable(with: other) }
}
