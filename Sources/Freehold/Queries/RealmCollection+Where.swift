import FreeholdEngine

extension RealmCollection {
    /// The objects for which a condition is true; the compiler checks the condition. See `Query`.
    ///
    /// ```swift
    /// let dogs = realm.objects(Dog.self).where { $0.age > 5 && $0.owner.name == "Ann" }
    /// ```
    public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> { refined { try $0.query(isIncluded) } }

    /// The position of the first object for which a condition is true; nil if there is none.
    public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? { place { try $0.query(isIncluded) } }
}

extension Map {
    /// The objects for which a condition is true. See `RealmCollection.where`.
    public func `where`<Model: ObjectBase>(_ isIncluded: (Query<Model>) -> Query<Bool>) -> Results<Model> where Value == Model? {
        refined { try $0.query(isIncluded) }
    }
}

extension QuerySubject {
    func query<Element>(_ isIncluded: (Query<Element>) -> Query<Bool>) throws(FreeholdError) -> ObjectQuery {
        let asking = QueryAsking(core), condition = isIncluded(Query(.path(QueryPath()), asking)).condition.0
        if let error = asking.error { throw error }
        return ObjectQuery(condition)
    }
}
