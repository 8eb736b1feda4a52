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
