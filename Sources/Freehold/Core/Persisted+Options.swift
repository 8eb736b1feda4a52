public import FreeholdEngine

extension Persisted where Value: _Storable {
    /// Declares a property with options and an initial value.
    ///
    /// - Parameters:
    ///   - indexed: whether the file keeps an index, for finding and sorting by the property.
    ///   - unique: whether no two objects may have the same value.
    ///   - deleteRule: what deleting the object does to the object that the property links to.
    ///   - name: the property's name in the file, if it differs.
    @inlinable
    public init(wrappedValue: Value, indexed: Bool = false, unique: Bool = false, deleteRule: DeleteRule = .nullify, name: String? = nil) {
        attributes = PropertyWord.of(indexed: indexed, unique: unique, deleteRule, name)
        value = wrappedValue
    }

    /// Declares a property with options and the initial value 0, empty, nil or false.
    @inlinable
    public init(indexed: Bool = false, unique: Bool = false, deleteRule: DeleteRule = .nullify, name: String? = nil) {
        attributes = PropertyWord.of(indexed: indexed, unique: unique, deleteRule, name)
        value = nil
    }
}

extension Persisted where Value: _PrimaryKey {
    /// Declares the primary key with an initial value: no two objects of the class share it, and objects are found by
    /// it.
    ///
    /// - Parameter autoincrement: whether objects added without a value (for an `Int`: with 0) get the next number,
    ///   from 1 on.
    @inlinable
    public init(wrappedValue: Value, primaryKey: Bool, autoincrement: Bool = false, name: String? = nil) {
        attributes = PropertyWord.of(primaryKey, autoincrement, name)
        value = wrappedValue
    }

    /// Declares the primary key with the initial value 0, empty, nil, or a fresh id.
    @inlinable
    public init(primaryKey: Bool, autoincrement: Bool = false, name: String? = nil) {
        attributes = PropertyWord.of(primaryKey, autoincrement, name)
        value = nil
    }
}

extension Persisted where Value: RealmCollectionValue, Value.PersistedType: _PrimaryKey {
    /// Declares the primary key as an enumeration or wrapper, stored as its raw or persisted value, with an initial
    /// value.
    @_disfavoredOverload
    public init(wrappedValue: Value, primaryKey: Bool, name: String? = nil) {
        attributes = PropertyWord.of(primaryKey, false, name)
        value = wrappedValue
    }

    /// Declares the primary key as an enumeration or wrapper; its initial value is the first case, or what the wrapper
    /// makes of 0 or an empty string.
    @_disfavoredOverload
    public init(primaryKey: Bool, name: String? = nil) {
        attributes = PropertyWord.of(primaryKey, false, name)
        value = nil
    }
}

/// The word of attributes; not generic, so that properties of all types share its code.
@usableFromInline enum PropertyWord {
    @usableFromInline
    static func of(indexed: Bool, unique: Bool, _ rule: DeleteRule, _ name: String?) -> UInt {
        var attributes = PropertyAttributes()
        attributes.isIndexed = indexed
        attributes.isUnique = unique
        attributes.deleteRule = rule
        attributes.storedName = name
        return attributes.word
    }

    @usableFromInline
    static func of(_ isKey: Bool, _ isNumbered: Bool, _ name: String?) -> UInt {
        var attributes = PropertyAttributes()
        attributes.isPrimaryKey = isKey
        attributes.isNumbered = isNumbered
        attributes.storedName = name
        return attributes.word
    }
}
