import FreeholdEngine

/// A property that a file keeps.
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
/// The object may be by itself, then the value is its own, or managed, then it is read from the file each time.
@propertyWrapper
@frozen public struct Persisted<Value: _Persistable> {
    /// See `PropertyAttributes`.
    @usableFromInline var attributes: UInt
    /// The value of an object that is by itself; nil until it is asked for.
    @usableFromInline var value: Value?

    /// A property that begins as 0, empty, nil or false.
    @inlinable
    public init() {
        attributes = 0
        value = nil
    }

    /// A property that begins with a value.
    @inlinable
    public init(wrappedValue: Value) {
        attributes = 0
        value = wrappedValue
    }

    init(attributes: PropertyAttributes) {
        self.attributes = attributes.word
        value = nil
    }

    /// Not used: properties of other types than classes cannot be kept.
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
    /// Where a property stands. It is handed over as a pointer, not as `inout`: nothing is written through it, and the thread sanitizer
    /// would report threads that read one frozen object.
    ///
    /// Safe: the address is not used, only its distance from the object's own.
    @inlinable @inline(__always)
    static func _address(_ property: UnsafeMutablePointer<Persisted>) -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(property) }
}

extension Persisted where Value: _Storable {
    /// A property with more to say of it.
    ///
    /// - Parameters:
    ///   - indexed: whether the file keeps an index, for finding and sorting by the property.
    ///   - unique: whether no two objects may have the same value.
    ///   - deleteRule: what deleting the object does to the one the property links to.
    ///   - name: the property's name in the file, where that is another one.
    @inlinable
    public init(wrappedValue: Value, indexed: Bool = false, unique: Bool = false, deleteRule: DeleteRule = .nullify, name: String? = nil) {
        attributes = PropertyWord.of(indexed: indexed, unique: unique, deleteRule, name)
        value = wrappedValue
    }

    /// A property with more to say of it, as above, that begins as 0, empty, nil or false.
    @inlinable
    public init(indexed: Bool = false, unique: Bool = false, deleteRule: DeleteRule = .nullify, name: String? = nil) {
        attributes = PropertyWord.of(indexed: indexed, unique: unique, deleteRule, name)
        value = nil
    }
}

extension Persisted where Value: _PrimaryKey {
    /// The property whose value no two objects of the class share, and by which one is found.
    ///
    /// - Parameter autoincrement: whether objects added without a value get the next number, from 1 on (of an `Int` that is 0).
    @inlinable
    public init(wrappedValue: Value, primaryKey: Bool, autoincrement: Bool = false, name: String? = nil) {
        attributes = PropertyWord.of(primaryKey, autoincrement, name)
        value = wrappedValue
    }

    /// The primary key, as above, that begins as 0, empty, nil, or a fresh id.
    @inlinable
    public init(primaryKey: Bool, autoincrement: Bool = false, name: String? = nil) {
        attributes = PropertyWord.of(primaryKey, autoincrement, name)
        value = nil
    }
}

extension Persisted where Value: RealmCollectionValue, Value.PersistedType: _PrimaryKey {
    /// The primary key, of an enumeration or a wrapper: kept as its raw value, or as what it is persisted as.
    @_disfavoredOverload
    public init(wrappedValue: Value, primaryKey: Bool, name: String? = nil) {
        attributes = PropertyWord.of(primaryKey, false, name)
        value = wrappedValue
    }

    /// The primary key, as above, that begins as the first case, or as what the wrapper makes of 0 or an empty text.
    @_disfavoredOverload
    public init(primaryKey: Bool, name: String? = nil) {
        attributes = PropertyWord.of(primaryKey, false, name)
        value = nil
    }
}

/// The word of attributes, made here once for properties of all types.
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

/// What a primary key can be: `Int` of any width, `String`, `UUID`, `ObjectId`, `Date`, and their optionals.
public protocol _PrimaryKey: _Storable {}
