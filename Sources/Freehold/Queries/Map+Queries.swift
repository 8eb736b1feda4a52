import FreeholdEngine

/// Queries over the objects that a map leads to; keys without an object are left out.
extension Map {
    /// The objects that meet a condition: see `RealmCollection.filter`.
    public func filter<Model: ObjectBase>(_ predicate: String, _ arguments: Any...) -> Results<Model> where Value == Model? {
        refined { try ObjectQuery($0.arguments(arguments), predicate) }
    }

    /// The objects in the order of what a path of names leads to.
    public func sorted<Model: ObjectBase>(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Model> where Value == Model? {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The objects in the order of a property.
    public func sorted<Model: ObjectBase, Property: _Storable>(by keyPath: KeyPath<Model, Property>, ascending: Bool = true) -> Results<Model> where Value == Model? {
        sorted(byKeyPath: PropertyNames.required(keyPath), ascending: ascending)
    }

    /// The objects in the order of what the first descriptor says, of equal ones what the second says, and so on.
    public func sorted<Model: ObjectBase>(by descriptors: some Sequence<SortDescriptor>) -> Results<Model> where Value == Model? {
        refined { _ in try ObjectQuery(sortedBy: descriptors) }
    }

    /// What is asked of the map's objects; a mistake in it is told.
    func refined<Model: ObjectBase>(_ query: (QuerySubject) throws -> ObjectQuery) -> Results<Model> where Value == Model? {
        told(Results(ResultsSource(in: nil))) {
            let subject = try subject()
            return Results(found: try subject.refined(by: query(subject)))
        }
    }
}

/// The same as results of what the map has, which may be nil by its type, and never are: what Realm gives.
///
/// ```swift
/// let old: Results<Dog?> = person.dogsByName.filter("age > 5")
/// ```
extension Map where Value: _OptionalValue, Value.Wrapped: ObjectBase {
    /// The objects that meet a condition.
    @_disfavoredOverload
    public func filter(_ predicate: String, _ arguments: Any...) -> Results<Value> {
        found { try ObjectQuery($0.arguments(arguments), predicate) }
    }

    /// The objects in the order of what a path of names leads to.
    @_disfavoredOverload
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The objects in the order of a property.
    @_disfavoredOverload
    public func sorted<Property: _Storable>(by keyPath: KeyPath<Value.Wrapped, Property>, ascending: Bool = true) -> Results<Value> {
        sorted(byKeyPath: PropertyNames.required(keyPath), ascending: ascending)
    }

    /// The objects in the order of what the first descriptor says, of equal ones what the second says, and so on.
    @_disfavoredOverload
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Value> {
        found { _ in try ObjectQuery(sortedBy: descriptors) }
    }

    /// The objects of which a condition is true.
    @_disfavoredOverload
    public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> { found { try $0.query(isIncluded) } }

    private func found(_ query: (QuerySubject) throws -> ObjectQuery) -> Results<Value> {
        told(Results(ResultsSource(in: nil))) {
            let subject = try subject()
            return Results(found: try subject.refined(by: query(subject)))
        }
    }
}

extension ObjectQuery {
    /// All objects in an order.
    init(sortedBy descriptors: some Sequence<SortDescriptor>) throws(FreeholdError) {
        var keys: [QuerySort] = []
        for descriptor in descriptors { keys.append(try descriptor.step()) }
        self.init(.constant(true), keys.isEmpty ? [] : [.sort(keys)])
    }
}
