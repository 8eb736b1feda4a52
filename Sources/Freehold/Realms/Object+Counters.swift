extension ThreadConfined where Self: ObjectBase {
    /// Adds to a counter of the object, or to any other integer property.
    ///
    /// ```swift
    /// try realm.write { try item.increment(\.stock, by: -1) }
    /// ```
    /// In a synced class, the increments of all devices are added up (`@Persisted(counter: true)`).
    ///
    /// - Throws: `RealmError` with `.invalidInput` if the sum does not fit the property, which keeps its value then.
    public func increment<Value: FixedWidthInteger>(_ property: ReferenceWritableKeyPath<Self, Value>, by amount: Value = 1) throws {
        let (sum, isOver) = self[keyPath: property].addingReportingOverflow(amount)
        if isOver {
            throw RealmError(.invalidInput, "the sum of \(self[keyPath: property]) and \(amount) does not fit the property")
        }
        self[keyPath: property] = sum
    }
}
