import FreeholdEngine

extension Query where T: RealmCollection {
    /// The number of elements.
    public var count: Query<Int> { aggregate(.count) }
    /// Whether the collection contains an element.
    public func contains(_ element: T.Element) -> Query<Bool> { has(element) }

    /// Whether the collection contains at least one of several elements.
    public func containsAny<Values: Sequence>(in elements: Values) -> Query<Bool> where Values.Element == T.Element {
        compared(.isIn, with: Array(elements))
    }
}

extension Query where T: RealmCollection, T.Element: _QueryComparable {
    /// The minimum element.
    public var min: Query<T.Element> { aggregate(.min) }
    /// The maximum element.
    public var max: Query<T.Element> { aggregate(.max) }
    /// The mean of the elements.
    public var avg: Query<T.Element> { aggregate(.avg) }
    /// The sum of the elements.
    public var sum: Query<T.Element> { aggregate(.sum) }
}

extension Query where T: RealmCollection, T.Element: _QueryComparable & Comparable {
    /// Whether all elements lie in a half-open range.
    public func contains(_ range: Range<T.Element>) -> Query<Bool> { spans(range.lowerBound, .less, range.upperBound) }
    /// Whether all elements lie in a closed range.
    public func contains(_ range: ClosedRange<T.Element>) -> Query<Bool> { spans(range.lowerBound, .lessOrEqual, range.upperBound) }
}

/// Range conditions on optional elements; nil elements are ignored.
extension Query where T: RealmCollection, T.Element: _OptionalValue, T.Element.Wrapped: _QueryComparable & Comparable {
    /// Whether all elements lie in a half-open range.
    public func contains(_ range: Range<T.Element.Wrapped>) -> Query<Bool> { spans(range.lowerBound, .less, range.upperBound) }
    /// Whether all elements lie in a closed range.
    public func contains(_ range: ClosedRange<T.Element.Wrapped>) -> Query<Bool> { spans(range.lowerBound, .lessOrEqual, range.upperBound) }
}

extension Query where T: RealmKeyedCollection, T.Value: _QueryComparable & Comparable {
    /// Whether all values lie in a half-open range.
    public func contains(_ range: Range<T.Value>) -> Query<Bool> { spans(range.lowerBound, .less, range.upperBound) }
    /// Whether all values lie in a closed range.
    public func contains(_ range: ClosedRange<T.Value>) -> Query<Bool> { spans(range.lowerBound, .lessOrEqual, range.upperBound) }
}

extension Query where T: RealmKeyedCollection, T.Value: _OptionalValue, T.Value.Wrapped: _QueryComparable & Comparable {
    /// Whether all values lie in a half-open range.
    public func contains(_ range: Range<T.Value.Wrapped>) -> Query<Bool> { spans(range.lowerBound, .less, range.upperBound) }
    /// Whether all values lie in a closed range.
    public func contains(_ range: ClosedRange<T.Value.Wrapped>) -> Query<Bool> { spans(range.lowerBound, .lessOrEqual, range.upperBound) }
}

extension Query where T: RealmKeyedCollection {
    /// The number of keys.
    public var count: Query<Int> { aggregate(.count) }
    /// The map's keys; a condition on them is true if at least one key meets it.
    public var keys: Query<String> { step(.keys) }
    /// The map's values; a condition on them is true if at least one value meets it.
    public var values: Query<T.Value> { step(.values) }
    /// The value under a key.
    public subscript(key: T.Key) -> Query<T.Value> {
        changed { path in
            var found = path.adding(.key(key._text))
            // One value of the map, not many.
            found.collections.removeLast(found.collections.isEmpty ? 0 : 1)
            return found
        }
    }

    /// Whether the map contains a value.
    public func contains(_ value: T.Value) -> Query<Bool> { has(value) }

    /// Whether the map contains at least one of several values.
    public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool> where Values.Element == T.Value { compared(.isIn, with: Array(values)) }
}

extension Query where T: RealmKeyedCollection, T.Value: _QueryComparable {
    /// The minimum value.
    public var min: Query<T.Value> { aggregate(.min) }
    /// The maximum value.
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
