import FreeholdEngine

extension Query where T: RealmCollection {
    /// How many elements there are.
    public var count: Query<Int> { aggregate(.count) }
    /// Whether an element is among them.
    public func contains(_ element: T.Element) -> Query<Bool> { has(element) }

    /// Whether some of several elements are among them.
    public func containsAny<Values: Sequence>(in elements: Values) -> Query<Bool> where Values.Element == T.Element {
        compared(.isIn, with: Array(elements))
    }
}

extension Query where T: RealmCollection, T.Element: _QueryComparable {
    /// The least element.
    public var min: Query<T.Element> { aggregate(.min) }
    /// The greatest element.
    public var max: Query<T.Element> { aggregate(.max) }
    /// The mean of the elements.
    public var avg: Query<T.Element> { aggregate(.avg) }
    /// The sum of the elements.
    public var sum: Query<T.Element> { aggregate(.sum) }
}

extension Query where T: RealmCollection, T.Element: _QueryComparable & Comparable {
    /// Whether all elements lie in a range, without its upper end.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> { spans(range.lowerBound, .less, range.upperBound) }
    /// Whether all elements lie in a range.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> { spans(range.lowerBound, .lessOrEqual, range.upperBound) }
}

/// Elements that are nil are left out of ranges.
extension Query where T: RealmCollection, T.Element: _OptionalValue, T.Element.Wrapped: _QueryComparable & Comparable {
    /// Whether all elements lie in a range, without its upper end.
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> { spans(range.lowerBound, .less, range.upperBound) }
    /// Whether all elements lie in a range.
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> { spans(range.lowerBound, .lessOrEqual, range.upperBound) }
}

extension Query where T: RealmKeyedCollection, T.Value: _QueryComparable & Comparable {
    /// Whether all values lie in a range, without its upper end.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> { spans(range.lowerBound, .less, range.upperBound) }
    /// Whether all values lie in a range.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> { spans(range.lowerBound, .lessOrEqual, range.upperBound) }
}

extension Query where T: RealmKeyedCollection, T.Value: _OptionalValue, T.Value.Wrapped: _QueryComparable & Comparable {
    /// Whether all values lie in a range, without its upper end.
    public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> { spans(range.lowerBound, .less, range.upperBound) }
    /// Whether all values lie in a range.
    public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> { spans(range.lowerBound, .lessOrEqual, range.upperBound) }
}

extension Query where T: RealmKeyedCollection {
    /// How many keys there are.
    public var count: Query<Int> { aggregate(.count) }
    /// The keys: what is asked has to be true of one.
    public var keys: Query<String> { step(.keys) }
    /// The values: what is asked has to be true of one.
    public var values: Query<T.Value> { step(.values) }
    /// The value under a key.
    public subscript(key: T.Key) -> Query<T.Value> {
        changed { path in
            var found = path.adding(.key(key._text))
            // One of the map's values, not many.
            found.collections.removeLast(found.collections.isEmpty ? 0 : 1)
            return found
        }
    }

    /// Whether a value is among them.
    public func contains(_ value: T.Value) -> Query<Bool> { has(value) }

    /// Whether some of several values are among them.
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool> where Values.Element == T.Value { compared(.isIn, with: Array(values)) }
}

extension Query where T: RealmKeyedCollection, T.Value: _QueryComparable {
    /// The least value.
    public var min: Query<T.Value> { aggregate(.min) }
    /// The greatest value.
    public var max: Query<T.Value> { aggregate(.max) }
    /// The mean of the values.
    public var avg: Query<T.Value> { aggregate(.avg) }
    /// The sum of the values.
    public var sum: Query<T.Value> { aggregate(.sum) }
}

extension Query {
    /// `x IN collection`.
    fileprivate func has(_ element: Any) -> Query<Bool> {
        if let found = memberwise(.equal, element) { return found }
        let (collection, paths, _) = operand
        return Query<Bool>(.condition(.comparison(QueryComparison(.value(asking.value(element)), .isIn, collection)), paths), asking)
    }

    fileprivate func spans(_ lower: Any, _ relation: QueryComparison.Relation, _ upper: Any) -> Query<Bool> {
        let least: Query<Int> = aggregate(.min), greatest: Query<Int> = aggregate(.max)
        return least.compared(.greaterOrEqual, with: lower).joined(with: greatest.compared(relation, with: upper)) { $0 && $1 }
    }
}
