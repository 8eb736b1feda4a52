/// A condition on an object. It is true or false, never unknown.
public indirect enum QueryCondition: Hashable, Sendable {
    case constant(Bool)
    /// All of the conditions; true if there are none.
    case all([QueryCondition])
    /// At least one of the conditions; false if there are none.
    case any([QueryCondition])
    case not(QueryCondition)
    case comparison(QueryComparison)
}

extension QueryCondition {
    /// Both conditions, without nesting one conjunction in another.
    public static func && (left: QueryCondition, right: QueryCondition) -> QueryCondition {
        switch (left, right) {
        case (.constant(true), let other), (let other, .constant(true)): other
        case (.all(let some), .all(let others)): .all(some + others)
        case (.all(let some), let other): .all(some + [other])
        case (let one, .all(let others)): .all([one] + others)
        default: .all([left, right])
        }
    }

    /// Either condition, or both.
    public static func || (left: QueryCondition, right: QueryCondition) -> QueryCondition { .any([left, right]) }

    /// The negation of a condition.
    public static prefix func ! (condition: QueryCondition) -> QueryCondition { .not(condition) }
}

/// A comparison of two expressions.
public struct QueryComparison: Hashable, Sendable {
    /// How many of the values of a left side to many values must satisfy the comparison.
    public enum Quantifier: String, Hashable, Sendable {
        /// At least one value.
        case any = "ANY"
        /// Every value; true if there are none.
        case all = "ALL"
        /// No value.
        case none = "NONE"
    }

    /// The relation between the left side and the right one.
    public enum Relation: String, Hashable, Sendable, CaseIterable {
        case equal = "=="
        case notEqual = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case isIn = "IN"
        /// From the first element of the right side to the second one, both included.
        case between = "BETWEEN"
        case beginsWith = "BEGINSWITH"
        case contains = "CONTAINS"
        case endsWith = "ENDSWITH"
        /// A pattern: `*` matches any characters, `?` one, a backslash makes the next character literal.
        case like = "LIKE"
        /// A full-text search in one string or several: words in any order, phrases, and what must not be there. The left side is a path,
        /// or a list of paths; the right one a string (docs/queries.md).
        case text = "TEXT"
        /// Whether a place is within a shape. The left side is a path to objects with `type` and `coordinates`, or a list of two paths,
        /// to a latitude and a longitude; the right one a shape (docs/geography.md).
        case within = "GEOWITHIN"

        /// Whether the relation searches strings or data.
        public var isTextual: Bool { [.beginsWith, .contains, .endsWith, .like].contains(self) }
        /// Whether the relation needs an order.
        public var isOrdering: Bool { [.less, .lessOrEqual, .greater, .greaterOrEqual, .between].contains(self) }
    }

    public var quantifier: Quantifier?
    public var left: QueryExpression
    public var relation: Relation
    public var options: TextOptions
    public var right: QueryExpression

    public init(_ left: QueryExpression, _ relation: Relation, _ right: QueryExpression, quantifier: Quantifier? = nil,
                options: TextOptions = []) {
        self.quantifier = quantifier
        self.left = left
        self.relation = relation
        self.options = options
        self.right = right
    }
}
