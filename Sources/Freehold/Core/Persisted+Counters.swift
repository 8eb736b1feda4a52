extension Persisted where Value: _Storable & FixedWidthInteger {
    /// Declares a counter with an initial value: in a synced class, the increments of all devices are added up.
    ///
    /// ```swift
    /// class Item: Object {
    ///     @Persisted(primaryKey: true) var id: UUID
    ///     @Persisted(counter: true) var stock = 0
    ///     override class func syncRules() -> SyncRules? { SyncRules() }
    /// }
    /// try realm.write { item.stock -= 1 }
    /// ```
    /// What a write transaction changes the value by is its increment, whether it is assigned or incremented. `increment(_:by:)`
    /// refuses sums that the property cannot hold. In a class that is not synced, a counter is an ordinary property.
    ///
    /// - Parameters:
    ///   - counter: whether it is a counter.
    ///   - indexed: whether the file keeps an index, for finding and sorting by the property.
    ///   - name: the property's name in the file, if it differs.
    public init(wrappedValue: Value, counter: Bool, indexed: Bool = false, name: String? = nil) {
        attributes = PropertyWord.of(counter: counter, indexed: indexed, name)
        value = wrappedValue
    }

    /// Declares a counter with the initial value 0.
    public init(counter: Bool, indexed: Bool = false, name: String? = nil) {
        attributes = PropertyWord.of(counter: counter, indexed: indexed, name)
        value = nil
    }
}

extension PropertyWord {
    fileprivate static func of(counter: Bool, indexed: Bool, _ name: String?) -> UInt {
        var attributes = PropertyAttributes()
        attributes.isCounter = counter
        attributes.isIndexed = indexed
        attributes.storedName = name
        return attributes.word
    }
}
