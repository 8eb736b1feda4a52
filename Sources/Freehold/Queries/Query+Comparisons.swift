public import FreeholdEngine

/// What string comparisons ignore: `.caseInsensitive`, `.diacriticInsensitive`.
public typealias StringOptions = TextOptions

extension Query where T: _Storable {
    /// Whether the property equals a value.
    public static func == (left: Query, right: T) -> Query<Bool> { left.compared(.equal, with: right) }
    /// Whether two properties are equal.
    public static func == (left: Query, right: Query) -> Query<Bool> { left.compared(.equal, with: right) }
    /// Whether the property differs from a value.
    public static func != (left: Query, right: T) -> Query<Bool> { left.compared(.notEqual, with: right) }
    /// Whether two properties differ.
    public static func != (left: Query, right: Query) -> Query<Bool> { left.compared(.notEqual, with: right) }

    /// Whether the property has one of several values.
    public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool> where Values.Element == T { compared(.isIn, with: Array(values)) }

    /// Whether the property has one of several values.
    public func `in`<Value, Values: Sequence>(_ values: Values) -> Query<Bool> where T == Value?, Values.Element == Value {
        compared(.isIn, with: Array(values))
    }
}

extension Query where T: _QueryComparable {
    /// Whether the property is less than a value.
    public static func < (left: Query, right: T) -> Query<Bool> { left.compared(.less, with: right) }
    /// Whether the left property is less than the right one.
    public static func < (left: Query, right: Query) -> Query<Bool> { left.compared(.less, with: right) }
    /// Whether the property is less than or equal to a value.
    public static func <= (left: Query, right: T) -> Query<Bool> { left.compared(.lessOrEqual, with: right) }
    /// Whether the left property is less than or equal to the right one.
    public static func <= (left: Query, right: Query) -> Query<Bool> { left.compared(.lessOrEqual, with: right) }
    /// Whether the property is greater than a value.
    public static func > (left: Query, right: T) -> Query<Bool> { left.compared(.greater, with: right) }
    /// Whether the left property is greater than the right one.
    public static func > (left: Query, right: Query) -> Query<Bool> { left.compared(.greater, with: right) }
    /// Whether the property is greater than or equal to a value.
    public static func >= (left: Query, right: T) -> Query<Bool> { left.compared(.greaterOrEqual, with: right) }
    /// Whether the left property is greater than or equal to the right one.
    public static func >= (left: Query, right: Query) -> Query<Bool> { left.compared(.greaterOrEqual, with: right) }

    /// Whether the property's value lies in a half-open range.
    public func contains(_ range: Range<T>) -> Query<Bool> where T: Comparable { within(range.lowerBound, range.upperBound) }
    /// Whether the property's value lies in a closed range.
    public func contains(_ range: ClosedRange<T>) -> Query<Bool> where T: Comparable {
        compared(.between, asking.bounds(range.lowerBound, range.upperBound))
    }
    /// Whether the property's value lies in a half-open range.
    public func contains<Value>(_ range: Range<Value>) -> Query<Bool> where T == Value? { within(range.lowerBound, range.upperBound) }
    /// Whether the property's value lies in a closed range.
    public func contains<Value>(_ range: ClosedRange<Value>) -> Query<Bool> where T == Value? {
        compared(.between, asking.bounds(range.lowerBound, range.upperBound))
    }

    private func within(_ lower: Any, _ upper: Any) -> Query<Bool> {
        compared(.greaterOrEqual, with: lower).joined(with: compared(.less, with: upper)) { $0 && $1 }
    }

    /// The minimum of the property over the elements of a collection.
    public var min: Query<T> { aggregate(.min) }
    /// The maximum of the property over the elements of a collection.
    public var max: Query<T> { aggregate(.max) }
    /// The mean of the property over the elements of a collection.
    public var avg: Query<T> { aggregate(.avg) }
    /// The sum of the property over the elements of a collection.
    public var sum: Query<T> { aggregate(.sum) }
}

/// Comparisons of strings and data, and of enumerations and wrappers stored as such.
extension Query where T: RealmCollectionValue, T.PersistedType: _QueryText {
    /// Whether the property begins with a string or data.
    public func starts(with value: T, options: StringOptions = []) -> Query<Bool> { compared(.beginsWith, with: value, options) }
    /// Whether the property begins with the value of another property.
    public func starts<Other: RealmCollectionValue>(
        with other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool> where Other.PersistedType: _QueryText { compared(.beginsWith, with: other, options) }
    /// Whether the property ends with a string or data.
    public func ends(with value: T, options: StringOptions = []) -> Query<Bool> { compared(.endsWith, with: value, options) }
    /// Whether the property ends with the value of another property.
    public func ends<Other: RealmCollectionValue>(
        with other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool> where Other.PersistedType: _QueryText { compared(.endsWith, with: other, options) }
    /// Whether the property contains a string or data.
    public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> { compared(.contains, with: value, options) }
    /// Whether the property contains the value of another property.
    public func contains<Other: RealmCollectionValue>(
        _ other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool> where Other.PersistedType: _QueryText { compared(.contains, with: other, options) }
    /// Whether the property matches a pattern: `*` stands for any characters, `?` for one.
    public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> { compared(.like, with: value, caseInsensitive ? .caseInsensitive : []) }
    /// Whether the property matches the pattern in another property.
    public func like<Other: RealmCollectionValue>(
        _ other: Query<Other>, caseInsensitive: Bool = false
    ) -> Query<Bool> where Other.PersistedType: _QueryText { compared(.like, with: other, caseInsensitive ? .caseInsensitive : []) }
    /// Whether the property's words match a full-text search, as `TEXT` in the query language has it.
    ///
    /// ```swift
    /// articles.where { $0.body.search("\"exact phrase\" -draft colour~1") }
    /// ```
    ///
    /// - Parameter text: Words in any order, `"phrases"`, `-not`, `prefix*`, `fuzzy~1`, `NEAR`, `OR` and groups in parentheses. Without
    ///   a word in it nothing matches; a mistake in it is an error of the query, with its column.
    public func search(_ text: String) -> Query<Bool> {
        // Each of many values is searched: no quantifier.
        let (left, paths, _) = operand
        return Query<Bool>(.condition(.comparison(QueryComparison(left, .text, .value(.string(text)))), paths), asking)
    }
    /// Whether the property equals a string or data, ignoring what the options name.
    public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> { compared(.equal, with: value, options) }
    /// Whether the property equals another property, ignoring what the options name.
    public func equals<Other: RealmCollectionValue>(
        _ other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool> where Other.PersistedType: _QueryText { compared(.equal, with: other, options) }
    /// Whether the property differs from a string or data, ignoring what the options name.
    public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> { compared(.notEqual, with: value, options) }
    /// Whether the property differs from another property, ignoring what the options name.
    public func notEquals<Other: RealmCollectionValue>(
        _ other: Query<Other>, options: StringOptions = []
    ) -> Query<Bool> where Other.PersistedType: _QueryText { compared(.notEqual, with: other, options) }
}

extension AnyRealmValue: _QueryComparable, _QueryText {}

extension Query where T == Bool {
    /// Whether both conditions are true.
    public static func && (left: Query, right: Query) -> Query { left.joined(with: right) { $0 && $1 } }

    /// Whether at least one of the conditions is true.
    public static func || (left: Query, right: Query) -> Query {
        left.joined(with: right) { one, other in
            if case .any(let parts) = one { return .any(parts + [other]) }
            return .any([one, other])
        }
    }

    /// Whether the condition is false.
    public static prefix func ! (query: Query) -> Query {
        let (condition, paths) = query.condition
        return Query(.condition(.not(condition), paths), query.asking)
    }

    /// The number of elements of a collection that meet the conditions, all of which are on properties of its elements.
    public var count: Query<Int> {
        let (condition, paths) = condition
        let collections = Set(paths.map { path, collections in Array(path.steps[..<(collections.first ?? 0)]) })
        guard let collection = collections.first, collections.count == 1 else {
            asking.note(FreeholdError(.malformedInput, collections.isEmpty ? "Subqueries must contain a keypath starting with a collection."
                : "Subqueries will only work with one collection."))
            return Query<Int>(.path(QueryPath()), asking)
        }
        let within = ElementCondition(collection: collection, paths: paths, variable: "element")
        return Query<Int>(.figure(.subquery(PropertyPath(collection), variable: within.variable, within.condition(condition))), asking)
    }
}

/// Turns a condition on a collection into a condition on each of its elements.
private struct ElementCondition {
    let collection: [PathStep]
    let paths: [PropertyPath: [Int]]
    let variable: String

    func condition(_ condition: QueryCondition) -> QueryCondition {
        switch condition {
        case .constant: return condition
        case .all(let parts): return .all(parts.map(self.condition))
        case .any(let parts): return .any(parts.map(self.condition))
        case .not(let part): return .not(self.condition(part))
        case .comparison(var comparison):
            if let embedded = EmbeddedElement(comparison) { return self.embedded(embedded) }
            if case .path(let path) = comparison.left, paths[path]?.count == 1 { comparison.quantifier = nil }
            comparison.left = expression(comparison.left)
            comparison.right = expression(comparison.right)
            return .comparison(comparison)
        }
    }

    /// Turns a condition on embedded objects into one on the element itself, or on a collection within the element.
    private func embedded(_ embedded: EmbeddedElement) -> QueryCondition {
        guard embedded.path.steps.starts(with: collection) else { return embedded.found }
        let rest = Array(embedded.path.steps.dropFirst(collection.count))
        if rest.isEmpty { return embedded.condition(of: variable) }
        return EmbeddedElement(path: PropertyPath(rest, variable: variable), condition: embedded.condition).found
    }

    private func expression(_ expression: QueryExpression) -> QueryExpression {
        guard case .path(let path) = expression, paths[path] != nil else { return expression }
        return .path(PropertyPath(Array(path.steps.dropFirst(collection.count)), variable: variable))
    }
}
