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
        refined { _ in
            var keys: [QuerySort] = []
            for descriptor in descriptors { keys.append(try descriptor.step()) }
            return ObjectQuery(.constant(true), keys.isEmpty ? [] : [.sort(keys)])
        }
    }

    /// What is asked of the map's objects; a mistake in it is told.
    func refined<Model: ObjectBase>(_ query: (QuerySubject) throws -> ObjectQuery) -> Results<Model> where Value == Model? {
        told(Results(ResultsSource(in: nil))) {
            let subject = try subject()
            return Results(found: try subject.refined(by: query(subject)))
        }
    }
}
