import FreeholdEngine

/// A property that is stored in a file.
///
/// ```swift
/// class Person: Object {
///     @Persisted(primaryKey: true) var id: Int
///     @Persisted(indexed: true) var name = ""
///     @Persisted var email: String?
///     @Persisted var dogs: List<Dog>
///     @Persisted(deleteRule: .cascade) var passport: Passport?
/// }
/// ```
/// In an unmanaged object the value is the object's own; in a managed one it is read from the file on each access.
@propertyWrapper
@frozen public struct Persisted<Value: _Persistable> {
    /// The packed options of the declaration. See `PropertyAttributes`.
    @usableFromInline var attributes: UInt
    /// The value in an unmanaged object; nil until the first access.
    @usableFromInline var value: Value?

    /// Declares a property with the initial value 0, empty, nil or false.
    @inlinable
    public init() {
        attributes = 0
        value = nil
    }

    /// Declares a property with an initial value.
    @inlinable
    public init(wrappedValue: Value) {
        attributes = 0
        value = wrappedValue
    }

    init(attributes: PropertyAttributes) {
        self.attributes = attributes.word
        value = nil
    }

    /// Unavailable: only properties of classes can be stored.
    @available(*, unavailable, message: "@Persisted belongs in classes that extend Object or EmbeddedObject")
    public var wrappedValue: Value {
        get { fatalError("unavailable") }
        set { fatalError("unavailable") }
    }

    /// Reads and writes the property of an object.
    public static subscript<Enclosing: ObjectBase>(
        _enclosingInstance object: Enclosing, wrapped wrapped: ReferenceWritableKeyPath<Enclosing, Value>,
        storage storage: ReferenceWritableKeyPath<Enclosing, Persisted>
    ) -> Value {
        @inlinable @inline(__always) get {
            let address = _address(&object[keyPath: storage])
            return Value._read(object, address - object._address)
        }
        @inlinable @inline(__always) set {
            let address = _address(&object[keyPath: storage])
            Value._write(newValue, object, address - object._address)
        }
    }
}

extension Persisted {
    /// The offset of a property in its object. The property is passed as a pointer, not as `inout`: nothing is written
    /// through it, and the thread sanitizer would report threads that read one frozen object.
    ///
    /// Safe: the address is not used, only its distance from the object's own.
    @inlinable @inline(__always)
    static func _address(_ property: UnsafeMutablePointer<Persisted>) -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(property) }
}

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

/// A type that a primary key can have: `Int` of any width, `String`, `UUID`, `ObjectId`, `Date`, and their optionals.
public protocol _PrimaryKey: _Storable {}
