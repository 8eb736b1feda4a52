import FreeholdEngine

/// The minimum, maximum, sum and average of the values of a collection. Nil values do not count. Enumerations and
/// wrappers count as their stored values.
///
/// ```swift
/// let heaviest: Weight? = stall.weights.max(), total = stall.weights.sum(), mean: Double? = stall.marks.average()
/// ```
extension RealmCollection where Element.PersistedType: MinMaxType {
    /// The minimum; nil if there are no values.
    public func min() -> Element? { PersistedValues.first(of: self) { $0 < $1 } }

    /// The maximum; nil if there are no values.
    public func max() -> Element? { PersistedValues.first(of: self) { $0 > $1 } }
}

extension RealmCollection where Element.PersistedType: AddableType {
    /// The sum; 0 if there are no values. Reports misuse if the element type cannot represent the sum.
    @_disfavoredOverload
    public func sum() -> Element { PersistedValues.sum(of: self) }

    /// The average; nil if there are no values. As an integer it is rounded towards zero.
    @_disfavoredOverload
    public func average<Number: AddableType>() -> Number? { PersistedValues.average(of: self) }
}

/// Aggregates of optional values.
extension RealmCollection {
    /// The minimum; nil if there are no values.
    public func min<Value: MinMaxType>() -> Value? where Element == Value? { lazy.compactMap { $0 }.min() }

    /// The maximum; nil if there are no values.
    public func max<Value: MinMaxType>() -> Value? where Element == Value? { lazy.compactMap { $0 }.max() }

    /// The sum; 0 if there are no values.
    public func sum<Value: AddableType>() -> Value where Element == Value? { Value._sum(lazy.compactMap { $0 }) }

    /// The average; nil if there are no values. As an integer it is rounded towards zero.
    public func average<Value: AddableType, Number: AddableType>() -> Number? where Element == Value? {
        Average.of(lazy.compactMap { $0 }, as: Number.self)
    }
}

/// Aggregates of a map's values.
extension RealmKeyedCollection where Value.PersistedType: MinMaxType {
    /// The minimum of the values; nil if there are none.
    public func min() -> Value? { PersistedValues.first(of: values) { $0 < $1 } }

    /// The maximum of the values; nil if there are none.
    public func max() -> Value? { PersistedValues.first(of: values) { $0 > $1 } }
}

extension RealmKeyedCollection where Value.PersistedType: AddableType {
    /// The sum of the values; 0 if there are none. Reports misuse if the value type cannot represent the sum.
    @_disfavoredOverload
    public func sum() -> Value { PersistedValues.sum(of: values) }

    /// The average of the values; nil if there are none. As an integer it is rounded towards zero.
    @_disfavoredOverload
    public func average<Number: AddableType>() -> Number? { PersistedValues.average(of: values) }
}

/// Aggregates of a map's optional values.
extension RealmKeyedCollection {
    /// The minimum of the values; nil if there are none.
    public func min<Plain: MinMaxType>() -> Plain? where Value == Plain? { values.lazy.compactMap { $0 }.min() }

    /// The maximum of the values; nil if there are none.
    public func max<Plain: MinMaxType>() -> Plain? where Value == Plain? { values.lazy.compactMap { $0 }.max() }

    /// The sum of the values; 0 if there are none.
    public func sum<Plain: AddableType>() -> Plain where Value == Plain? { Plain._sum(values.lazy.compactMap { $0 }) }

    /// The average of the values; nil if there are none. As an integer it is rounded towards zero.
    public func average<Plain: AddableType, Number: AddableType>() -> Number? where Value == Plain? {
        Average.of(values.lazy.compactMap { $0 }, as: Number.self)
    }
}

/// Aggregates computed from stored values.
private enum PersistedValues {
    /// The first element whose value precedes all others.
    static func first<Element: RealmCollectionValue>(of elements: some Sequence<Element>,
                                                     _ comesBefore: (Element.PersistedType, Element.PersistedType) -> Bool) -> Element? {
        var found: (element: Element, value: Element.PersistedType)?
        for element in elements {
            guard let value = element.persisted else { continue }
            if let found, !comesBefore(value, found.value) { continue }
            found = (element, value)
        }
        return found?.element
    }

    static func sum<Element: RealmCollectionValue>(of elements: some Sequence<Element>) -> Element where Element.PersistedType: AddableType {
        let sum = Element.PersistedType._sum(elements.compactMap(\.persisted))
        if let fitting = sum as? Element ?? Element._from(sum, ValueContext(core: nil)) { return fitting }
        Misuse.report("The sum \(sum) is not a value of '\(Element.self)'.", hint: "Add up the raw values instead.")
        return Element._zero
    }

    static func average<Element: RealmCollectionValue, Number: AddableType>(of elements: some Sequence<Element>) -> Number?
        where Element.PersistedType: AddableType {
        Average.of(elements.compactMap(\.persisted), as: Number.self)
    }
}

/// Aggregates of the objects that a map links to. Keys without an object do not count.
extension Map {
    /// The minimum of a property of the objects; nil if there are no values.
    public func min<Model: ObjectBase, Property: MinMaxType>(of property: KeyPath<Model, Property>) -> Property? where Value == Model? {
        objects().min(of: property)
    }

    /// The minimum of a property of the objects; nil if there are no values.
    public func min<Model: ObjectBase, Property: MinMaxType>(of property: KeyPath<Model, Property?>) -> Property? where Value == Model? {
        objects().min(of: property)
    }

    /// The maximum of a property of the objects; nil if there are no values.
    public func max<Model: ObjectBase, Property: MinMaxType>(of property: KeyPath<Model, Property>) -> Property? where Value == Model? {
        objects().max(of: property)
    }

    /// The maximum of a property of the objects; nil if there are no values.
    public func max<Model: ObjectBase, Property: MinMaxType>(of property: KeyPath<Model, Property?>) -> Property? where Value == Model? {
        objects().max(of: property)
    }

    /// The sum of a property of the objects; 0 if there are none.
    public func sum<Model: ObjectBase, Property: AddableType>(of property: KeyPath<Model, Property>) -> Property where Value == Model? {
        objects().sum(of: property)
    }

    /// The sum of a property of the objects; 0 if there are none.
    public func sum<Model: ObjectBase, Property: AddableType>(of property: KeyPath<Model, Property?>) -> Property where Value == Model? {
        objects().sum(of: property)
    }

    /// The average of a property of the objects; nil if there are none.
    public func average<Model: ObjectBase, Property: AddableType>(of property: KeyPath<Model, Property>) -> Double? where Value == Model? {
        objects().average(of: property)
    }

    /// The average of a property of the objects; nil if there are none.
    public func average<Model: ObjectBase, Property: AddableType>(of property: KeyPath<Model, Property?>) -> Double? where Value == Model? {
        objects().average(of: property)
    }

    /// The minimum of the named property of the objects; nil if there are no values. Reports misuse if there is no such
    /// property.
    public func min<Model: ObjectBase, Property: MinMaxType>(ofProperty property: String) -> Property? where Value == Model? {
        objects().min(ofProperty: property)
    }

    /// The maximum of the named property of the objects; nil if there are no values.
    public func max<Model: ObjectBase, Property: MinMaxType>(ofProperty property: String) -> Property? where Value == Model? {
        objects().max(ofProperty: property)
    }

    /// The sum of the named property of the objects; 0 if there are none.
    public func sum<Model: ObjectBase, Property: AddableType>(ofProperty property: String) -> Property where Value == Model? {
        objects().sum(ofProperty: property)
    }

    /// The average of the named property of the objects; nil if there are none.
    public func average<Model: ObjectBase, Property: AddableType>(ofProperty property: String) -> Property? where Value == Model? {
        objects().average(ofProperty: property)
    }

    /// The objects, in the order of the keys.
    private func objects<Model: ObjectBase>() -> List<Model> where Value == Model? {
        let list = List<Model>()
        list.own = values.compactMap { $0 }
        return list
    }
}
