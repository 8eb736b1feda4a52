/// Collections compared with a value: one of the elements has to be so.
extension Query where T: RealmCollection {
    /// Whether an element is a value.
    public static func == (left: Query, right: T.Element) -> Query<Bool> { left.compared(.equal, with: right) }
    /// Whether an element is another value.
    public static func != (left: Query, right: T.Element) -> Query<Bool> { left.compared(.notEqual, with: right) }
}

extension Query where T: RealmCollection, T.Element: _QueryComparable {
    /// Whether an element is smaller than a value.
    public static func < (left: Query, right: T.Element) -> Query<Bool> { left.compared(.less, with: right) }
    /// Whether an element is not larger than a value.
    public static func <= (left: Query, right: T.Element) -> Query<Bool> { left.compared(.lessOrEqual, with: right) }
    /// Whether an element is larger than a value.
    public static func > (left: Query, right: T.Element) -> Query<Bool> { left.compared(.greater, with: right) }
    /// Whether an element is not smaller than a value.
    public static func >= (left: Query, right: T.Element) -> Query<Bool> { left.compared(.greaterOrEqual, with: right) }
}

// MARK: What the file has for the elements

/// The raw values of a collection's enumerations, `$0.colors.rawValue`. The type of the collection says what can be asked, and nothing else.
extension Query where T: RealmCollection, T.Element: PersistableEnum {
    /// What the file has for the elements, their raw values.
    public subscript(dynamicMember member: KeyPath<T.Element, T.Element.RawValue>) -> Query<AnyRealmCollection<T.Element.RawValue>> {
        raw(T.Element.self, member)
    }
}

extension Query where T: RealmCollection, T.Element: _OptionalValue, T.Element.Wrapped: PersistableEnum {
    /// What the file has for the elements, their raw values.
    public subscript(
        dynamicMember member: KeyPath<T.Element.Wrapped, T.Element.Wrapped.RawValue>
    ) -> Query<AnyRealmCollection<T.Element.Wrapped.RawValue?>> { raw(T.Element.Wrapped.self, member) }
}

extension Query where T: RealmKeyedCollection, T.Value: PersistableEnum {
    /// What the file has for the values, their raw values.
    public subscript(dynamicMember member: KeyPath<T.Value, T.Value.RawValue>) -> Query<Map<T.Key, T.Value.RawValue>> {
        raw(T.Value.self, member)
    }
}

extension Query where T: RealmKeyedCollection, T.Value: _OptionalValue, T.Value.Wrapped: PersistableEnum {
    /// What the file has for the values, their raw values.
    public subscript(
        dynamicMember member: KeyPath<T.Value.Wrapped, T.Value.Wrapped.RawValue>
    ) -> Query<Map<T.Key, T.Value.Wrapped.RawValue?>> { raw(T.Value.Wrapped.self, member) }
}

extension Query where T: RealmCollection {
    /// What the file has for the elements: of enumerations and wrappers the values that they are kept as.
    @_disfavoredOverload
    public var persistableValue: Query<AnyRealmCollection<T.Element.PersistedType>> { changed { $0 } }
}

extension Query where T: RealmCollection, T.Element: _OptionalValue, T.Element.Wrapped: RealmCollectionValue {
    /// What the file has for the elements: of enumerations and wrappers the values that they are kept as.
    public var persistableValue: Query<AnyRealmCollection<T.Element.Wrapped.PersistedType?>> { changed { $0 } }
}

extension Query where T: RealmKeyedCollection {
    /// What the file has for the values: of enumerations and wrappers what they are kept as.
    @_disfavoredOverload
    public var persistableValue: Query<Map<T.Key, T.Value.PersistedType>> { changed { $0 } }
}

extension Query where T: RealmKeyedCollection, T.Value: _OptionalValue, T.Value.Wrapped: RealmCollectionValue {
    /// What the file has for the values: of enumerations and wrappers what they are kept as.
    public var persistableValue: Query<Map<T.Key, T.Value.Wrapped.PersistedType?>> { changed { $0 } }
}
