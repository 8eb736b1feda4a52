/// Comparisons of a collection with a value; true if at least one element meets them.
extension Query where T: RealmCollection {
    /// Whether an element equals a value.
    public static func == (left: Query, right: T.Element) -> Query<Bool> { left.compared(.equal, with: right) }
    /// Whether an element differs from a value.
    public static func != (left: Query, right: T.Element) -> Query<Bool> { left.compared(.notEqual, with: right) }
}

extension Query where T: RealmCollection, T.Element: _QueryComparable {
    /// Whether an element is less than a value.
    public static func < (left: Query, right: T.Element) -> Query<Bool> { left.compared(.less, with: right) }
    /// Whether an element is less than or equal to a value.
    public static func <= (left: Query, right: T.Element) -> Query<Bool> { left.compared(.lessOrEqual, with: right) }
    /// Whether an element is greater than a value.
    public static func > (left: Query, right: T.Element) -> Query<Bool> { left.compared(.greater, with: right) }
    /// Whether an element is greater than or equal to a value.
    public static func >= (left: Query, right: T.Element) -> Query<Bool> { left.compared(.greaterOrEqual, with: right) }
}

// MARK: The stored values of elements

/// The raw values of a collection's enumerations, `$0.colors.rawValue`. The collection's type only decides which
/// conditions are allowed.
extension Query where T: RealmCollection, T.Element: PersistableEnum {
    /// The raw values that the elements are stored as.
    public subscript(dynamicMember member: KeyPath<T.Element, T.Element.RawValue>) -> Query<AnyRealmCollection<T.Element.RawValue>> {
        raw(T.Element.self, member)
    }
}

extension Query where T: RealmCollection, T.Element: _OptionalValue, T.Element.Wrapped: PersistableEnum {
    /// The raw values that the elements are stored as.
    public subscript(
        dynamicMember member: KeyPath<T.Element.Wrapped, T.Element.Wrapped.RawValue>
    ) -> Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> { raw(T.Element.Wrapped.self, member) }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum {
    /// The raw values that the map's values are stored as.
    public subscript(dynamicMember member: KeyPath<T.Value, T.Value.RawValue>) -> Query<Map<T.Key, T.Value.RawValue>> {
        raw(T.Value.self, member)
    }
}

extension Query where T: RealmKeyedCollection, T.Value: _OptionalValue, T.Value.Wrapped: PersistableEnum {
    /// The raw values that the map's values are stored as.
    public subscript(
        dynamicMember member: KeyPath<T.Value.Wrapped, T.Value.Wrapped.RawValue>
    ) -> Query<Map<T.Key, T.Value.Wrapped.RawValue?>> { raw(T.Value.Wrapped.self, member) }
}

extension Query where T: RealmCollection {
    /// The values that the elements are stored as; enumerations and wrappers are stored as other types.
    @_disfavoredOverload
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> { changed { $0 } }
}

extension Query where T: RealmCollection, T.Element: _OptionalValue, T.Element.Wrapped: RealmCollectionValue {
    /// The values that the elements are stored as; enumerations and wrappers are stored as other types.
    public var persistableValue: Query<AnyRealmCollection<T.Element.Wrapped.PersistedType?>> { changed { $0 } }
}

extension Query where T: RealmKeyedCollection {
    /// The values that the map's values are stored as; enumerations and wrappers are stored as other types.
    @_disfavoredOverload
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> { changed { $0 } }
}

extension Query where T: RealmKeyedCollection, T.Value: _OptionalValue, T.Value.Wrapped: RealmCollectionValue {
    /// The values that the map's values are stored as; enumerations and wrappers are stored as other types.
    public var persistableValue: Query<Map<T.Key, T.Value.Wrapped.PersistedType?>> { changed { $0 } }
}
