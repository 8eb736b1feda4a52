import FreeholdEngine

/// The minimum, maximum, sum and average of a property of the objects. Nil values do not count.
///
/// ```swift
/// let oldest: Int? = dogs.max(ofProperty: "age"), weight = dogs.sum(of: \.weight), mean = dogs.average(of: \.age)
/// ```
extension RealmCollection where Element: ObjectBase {
    /// The minimum of a property; nil if there are no values. Reports misuse if there is no such property, or if its
    /// type is another one.
    public func min<Value: MinMaxType>(ofProperty property: String) -> Value? {
        figure(.min, property) ?? values(property, "min(ofProperty:)").min()
    }

    /// The maximum of a property; nil if there are no values.
    public func max<Value: MinMaxType>(ofProperty property: String) -> Value? {
        figure(.max, property) ?? values(property, "max(ofProperty:)").max()
    }

    /// The sum of a property's values; 0 if there are none.
    public func sum<Value: AddableType>(ofProperty property: String) -> Value {
        figure(.sum, property) ?? Value._sum(values(property, "sum(ofProperty:)"))
    }

    /// The average of a property's values; nil if there are none. As an integer it is rounded towards zero.
    public func average<Value: AddableType>(ofProperty property: String) -> Value? {
        if let average: Double = figure(.avg, property) { return Average.made(average) }
        return Average.of(values(property, "average(ofProperty:)") as [AnyRealmValue], as: Value.self)
    }

    /// The minimum of a property; nil if there are no values.
    public func min<Value: MinMaxType>(of property: KeyPath<Element, Value>) -> Value? {
        figure(.min, property) ?? lazy.map { $0[keyPath: property] }.min()
    }

    /// The minimum of a property; nil if there are no values.
    public func min<Value: MinMaxType>(of property: KeyPath<Element, Value?>) -> Value? {
        figure(.min, property) ?? lazy.compactMap { $0[keyPath: property] }.min()
    }

    /// The maximum of a property; nil if there are no values.
    public func max<Value: MinMaxType>(of property: KeyPath<Element, Value>) -> Value? {
        figure(.max, property) ?? lazy.map { $0[keyPath: property] }.max()
    }

    /// The maximum of a property; nil if there are no values.
    public func max<Value: MinMaxType>(of property: KeyPath<Element, Value?>) -> Value? {
        figure(.max, property) ?? lazy.compactMap { $0[keyPath: property] }.max()
    }

    /// The sum of a property's values; 0 if there are none.
    public func sum<Value: AddableType>(of property: KeyPath<Element, Value>) -> Value {
        figure(.sum, property) ?? Value._sum(lazy.map { $0[keyPath: property] })
    }

    /// The sum of a property's values; 0 if there are none.
    public func sum<Value: AddableType>(of property: KeyPath<Element, Value?>) -> Value {
        figure(.sum, property) ?? Value._sum(lazy.compactMap { $0[keyPath: property] })
    }

    /// The average of a property's values; nil if there are none.
    public func average<Value: AddableType>(of property: KeyPath<Element, Value>) -> Double? {
        figure(.avg, property) ?? Average.of(lazy.map { $0[keyPath: property] }, as: Double.self)
    }

    /// The average of a property's values; nil if there are none.
    public func average<Value: AddableType>(of property: KeyPath<Element, Value?>) -> Double? {
        figure(.avg, property) ?? Average.of(lazy.compactMap { $0[keyPath: property] }, as: Double.self)
    }

    /// The average of a property's values as a type that the caller chooses; nil if there are none.
    @_disfavoredOverload
    public func average<Value: AddableType, Number: AddableType>(of property: KeyPath<Element, Value>) -> Number? {
        Average.of(lazy.map { $0[keyPath: property] }, as: Number.self)
    }

    /// The engine's aggregate of a property's values as the requested type; nil if it must be computed from the
    /// objects.
    private func figure<Value: _Storable>(_ kind: AggregateKind, _ name: String) -> Value? {
        guard !Element.isDynamic, let model = try? ModelClass.of(Element.self), let place = model.place(of: name),
              let subject = try? (self as? any QueryableCollection)?.subject(),
              let found = try? subject.figure(kind, of: model.properties[place]) else { return nil }
        return switch found {
        case .int(let number): Value._from(number, ValueContext(core: nil))
        case .float(let number): Value._from(number, ValueContext(core: nil))
        case .double(let number): Value._from(number, ValueContext(core: nil))
        default: nil
        }
    }

    private func figure<Value: _Storable>(_ kind: AggregateKind, _ property: PartialKeyPath<Element>) -> Value? {
        PropertyNames.single(property).flatMap { figure(kind, $0) }
    }

    /// The values of the named property in all objects, as the requested type.
    private func values<Value: RealmCollectionValue>(_ name: String, _ operation: String) -> [Value] {
        if Element.isDynamic { return dynamicValues(name) }
        guard let model = try? ModelClass.of(Element.self), let place = model.place(of: name) else {
            Misuse.report("Property '\(name)' not found in object of type '\(Element.className())'")
            return []
        }
        let property = model.properties[place]
        guard property.isStored, !property.isCollection, [.int, .float, .double, .decimal128, .date, .any].contains(property.kind.type) else {
            Misuse.report("\(operation) is not supported for \(property.kind.described) property '\(model.name).\(name)'")
            return []
        }
        let context = ValueContext(core: nil)
        func read<Property: _Persistable>(_ type: Property.Type) -> [Value] {
            compactMap { object in
                let value = Property._read(object, property.offset)
                if ValueContext.isNothing(value) { return nil }
                return Value._from((value as? any PersistableEnum)?.rawValue ?? value, context)
            }
        }
        return read(property.type)
    }
}

extension RealmCollection where Element: ObjectBase {
    /// The values of the named property in objects of unknown classes; an object without the property reports misuse.
    private func dynamicValues<Value: RealmCollectionValue>(_ name: String) -> [Value] {
        let context = ValueContext(core: nil)
        return compactMap { object in object[name].flatMap { ValueContext.isNothing($0) ? nil : Value._from($0, context) } }
    }
}
