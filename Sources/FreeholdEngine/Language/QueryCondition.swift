/// What an object has to be like. A condition is true or false of an object, never unknown.
public indirect enum QueryCondition: Hashable, Sendable {
    case constant(Bool)
    /// Every one of them; true if there is none.
    case all([QueryCondition])
    /// At least one of them; false if there is none.
    case any([QueryCondition])
    case not(QueryCondition)
    case comparison(QueryComparison)
}

extension QueryCondition {
    /// Both, without a group within a group.
    public static func && (left: QueryCondition, right: QueryCondition) -> QueryCondition {
        switch (left, right) {
        case (.constant(true), let other), (let other, .constant(true)): other
        case (.all(let some), .all(let others)): .all(some + others)
        case (.all(let some), let other): .all(some + [other])
        case (let one, .all(let others)): .all([one] + others)
        default: .all([left, right])
        }
    }

    /// Either, or both.
    public static func || (left: QueryCondition, right: QueryCondition) -> QueryCondition { .any([left, right]) }

    /// The opposite.
    public static prefix func ! (condition: QueryCondition) -> QueryCondition { .not(condition) }
}

/// Two expressions and what one has to be to the other.
public struct QueryComparison: Hashable, Sendable {
    /// Of a left side of many values: of how many it has to be true.
    public enum Quantifier: String, Hashable, Sendable {
        /// At least one.
        case any = "ANY"
        /// Each one; true if there is none.
        case all = "ALL"
        /// None.
        case none = "NONE"
    }

    /// What the left side has to be to the right one.
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
        /// As a pattern: `*` stands for any characters, `?` for one, a backslash makes the next one stand for itself.
        case like = "LIKE"

        /// Whether it looks into texts or data.
        public var isTextual: Bool { [.beginsWith, .contains, .endsWith, .like].contains(self) }
        /// Whether it is about an order.
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

/// What does not count when texts are compared. All of Unicode is meant, not only Latin letters.
public struct TextOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Upper and lower case are the same: `[c]`.
    public static let caseInsensitive = TextOptions(rawValue: 1)
    /// Letters with and without marks are the same: `[d]`.
    public static let diacriticInsensitive = TextOptions(rawValue: 2)
}
