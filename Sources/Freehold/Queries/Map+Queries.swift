import FreeholdEngine

/// Queries over the objects that are a map's values; keys whose value is nil are left out.
extension Map {
    /// The objects that meet a condition. See `RealmCollection.filter`.
    public func filter<Model: ObjectBase>(_ predicate: String, _ arguments: Any...) -> Results<Model> where Value == Model? {
        refined { try ObjectQuery($0.arguments(arguments), predicate) }
    }

    /// The objects sorted by a path of property names.
    public func sorted<Model: ObjectBase>(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Model> where Value == Model? {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The objects sorted by a property.
    public func sorted<Model: ObjectBase, Property: _Storable>(by keyPath: KeyPath<Model, Property>, ascending: Bool = true) -> Results<Model> where Value == Model? {
        sorted(byKeyPath: PropertyNames.required(keyPath), ascending: ascending)
    }

    /// The objects sorted by the first descriptor, equal ones by the second, and so on.
    public func sorted<Model: ObjectBase>(by descriptors: some Sequence<SortDescriptor>) -> Results<Model> where Value == Model? {
        refined { _ in try ObjectQuery(sortedBy: descriptors) }
    }

    /// Runs a query over the map's objects; reports misuse if the query is wrong.
    func refined<Model: ObjectBase>(_ query: (QuerySubject) throws -> ObjectQuery) -> Results<Model> where Value == Model? {
        told(Results(ResultsSource(in: nil))) {
            let subject = try subject()
            return Results(found: try subject.refined(by: query(subject)))
        }
    }
}

/// Queries whose results have the map's optional value type, as in Realm; their elements are never nil.
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

    /// The objects sorted by a path of property names.
    @_disfavoredOverload
    public func sorted(byKeyPath keyPath: String, ascending: Bool = true) -> Results<Value> {
        sorted(by: [SortDescriptor(keyPath: keyPath, ascending: ascending)])
    }

    /// The objects sorted by a property.
    @_disfavoredOverload
    public func sorted<Property: _Storable>(by keyPath: KeyPath<Value.Wrapped, Property>, ascending: Bool = true) -> Results<Value> {
        sorted(byKeyPath: PropertyNames.required(keyPath), ascending: ascending)
    }

    /// The objects sorted by the first descriptor, equal ones by the second, and so on.
    @_disfavoredOverload
    public func sorted(by descriptors: some Sequence<SortDescriptor>) -> Results<Value> {
        found { _ in try ObjectQuery(sortedBy: descriptors) }
    }

    /// The objects for which a condition is true.
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
    /// All objects, sorted.
    init(sortedBy descriptors: some Sequence<SortDescriptor>) throws(FreeholdError) {
        var keys: [QuerySort] = []
        for descriptor in descriptors { keys.append(try descriptor.step()) }
        self.init(.constant(true), keys.isEmpty ? [] : [.sort(keys)])
    }
}
