public import FreeholdEngine

/// The type of a property's values, as the schema has it.
public struct _PropertyKind {
    var type: PropertyType
    var isOptional = false
    /// The collections around the values, the outermost first.
    var collections: [CollectionKind] = []
    /// Whether one of the collections was declared optional, which is not allowed.
    var hasOptionalCollection = false
    /// Whether the values are of a custom type of the program.
    var isWrapped = false
    /// The class of linked objects or linking objects.
    var objectType: ObjectBase.Type?

    init(_ type: PropertyType, objectType: ObjectBase.Type? = nil) {
        self.type = type
        self.objectType = objectType
    }

    var optional: _PropertyKind {
        var kind = self
        if kind.collections.isEmpty { kind.isOptional = true } else { kind.hasOptionalCollection = true }
        return kind
    }

    var wrapped: _PropertyKind {
        var kind = self
        kind.isWrapped = true
        return kind
    }
    func inside(_ collection: CollectionKind) -> _PropertyKind {
        var kind = self
        kind.collections.insert(collection, at: 0)
        return kind
    }
}

/// A single value that a file can store: the type of a property or of a collection's element.
public protocol _Storable {
    /// The schema type of a property of this type.
    static var _kind: _PropertyKind { get }
    /// Converts a stored value; null only for types that allow it.
    static func _load(_ value: FreeholdEngine.Value, _ core: RealmCore) -> Self
    /// Reads and converts the value of a row's column.
    static func _load(_ row: Row, _ column: Column, _ core: RealmCore) throws -> Self
    /// Converts a stored value that is not null; nil if the program has no value for it.
    static func _loadKnown(_ value: FreeholdEngine.Value, _ core: RealmCore) -> Self?
    /// Reads the element of a managed collection: `read` returns the stored value, but a nested collection has a place
    /// of its own.
    static func _element(of place: CollectionPlace, at step: CollectionStep, _ read: () throws -> FreeholdEngine.Value) throws -> Self
    /// The value to store. Unmanaged objects are added to the realm.
    func _stored(in core: RealmCore) -> FreeholdEngine.Value
    /// The object that the value is stored as: itself, or what a custom type converts to. Nil for other values.
    var _object: ObjectBase? { get }
    /// The initial value of a property without one.
    static var _zero: Self { get }
    /// Converts a value of unknown type: a number of another width, a string, an object, a dictionary for an object.
    /// Nil if it does not fit.
    static func _from(_ value: Any, _ context: ValueContext) -> Self?
}

extension _Storable {
    public var _object: ObjectBase? { self as? ObjectBase }
    public static func _loadKnown(_ value: FreeholdEngine.Value, _ core: RealmCore) -> Self? { _load(value, core) }
    public static func _load(_ row: Row, _ column: Column, _ core: RealmCore) throws -> Self { _load(try row.value(column), core) }

    public static func _element(of place: CollectionPlace, at step: CollectionStep, _ read: () throws -> FreeholdEngine.Value) throws -> Self {
        place.load(try read())
    }
}

/// A type that collections can hold: plain values, optional ones, objects, and other collections.
public protocol RealmCollectionValue: _Storable, Hashable {
    /// The type that the file stores: the raw type of an enumeration, the persisted type of a wrapper, for an optional
    /// that of its value; all other types themselves.
    associatedtype PersistedType: RealmCollectionValue
    /// The stored form of the value, requested as its `PersistedType`; nil for nil.
    func _persisted<Kept>(as type: Kept.Type) -> Kept?
}

extension RealmCollectionValue {
    public func _persisted<Kept>(as type: Kept.Type) -> Kept? { self as? Kept }
    /// The stored form of the value; nil for nil.
    var persisted: PersistedType? { _persisted(as: PersistedType.self) }
}

/// A type that `@Persisted` can wrap.
public protocol _Persistable {
    /// The schema type of the property.
    static var _kind: _PropertyKind { get }
    /// The initial value of a property without one.
    static var _zero: Self { get }
    /// Reads the property that begins at byte `offset` of an object.
    static func _read(_ object: ObjectBase, _ offset: Int) -> Self
    /// Sets the property that begins at byte `offset` of an object.
    static func _write(_ value: Self, _ object: ObjectBase, _ offset: Int)
    /// Sets the property to a value of unknown type; false if it does not fit.
    static func _assign(_ value: Any, _ object: ObjectBase, _ offset: Int, _ context: ValueContext) -> Bool
    /// Stores an object's value of the property in a realm, when the object becomes managed.
    static func _store(_ object: ObjectBase, _ offset: Int, _ storing: ObjectStoring)
    /// Releases the value that the object had while it was unmanaged.
    static func _clear(_ object: ObjectBase, _ offset: Int)
}

/// A property without `@Persisted`, declared as `let dogs = List<Dog>()`: the instance is stored in the object itself.
public protocol _Declared: _Persistable {
    /// Attaches the instance stored in a managed object to that object. `offset` is 8 less than the instance's.
    static func _attach(_ object: ObjectBase, _ offset: Int)
    /// The property that linking objects come from; nil for others.
    static func _origin(_ object: ObjectBase, _ offset: Int) -> String?
}

/// A declared property with a value of its own, as `RealmProperty` has: access by name returns that value.
protocol DeclaredValue {
    /// The type of the value.
    static var valueType: any _Storable.Type { get }
    /// The value.
    var untyped: Any { get }
}

extension _Declared {
    public static func _origin(_ object: ObjectBase, _ offset: Int) -> String? { nil }
}

extension _Persistable {
    public static func _clear(_ object: ObjectBase, _ offset: Int) { object._setOwn(nil as Self?, offset) }
}

extension _Persistable where Self: _Storable {
    public static func _read(_ object: ObjectBase, _ offset: Int) -> Self { object.slowValue(offset) }
    public static func _write(_ value: Self, _ object: ObjectBase, _ offset: Int) { object.slowSet(value, offset) }

    public static func _assign(_ value: Any, _ object: ObjectBase, _ offset: Int, _ context: ValueContext) -> Bool {
        guard let value = _from(value, context) else { return false }
        _write(value, object, offset)
        return true
    }

    public static func _store(_ object: ObjectBase, _ offset: Int, _ storing: ObjectStoring) {
        storing.set(offset, object._own(offset, Self.self) ?? _zero)
    }
}

/// The value that an unmanaged object has in the property that begins at byte `offset`: it follows the word of
/// attributes.
///
/// Safe: `offset` is that of a `Persisted<Value>`, whose value follows a word, as no value is aligned to more.
extension ObjectBase {
    final func _own<Value>(_ offset: Int, _ type: Value.Type) -> Value? {
        (_address + offset + 8).assumingMemoryBound(to: Value?.self).pointee
    }

    final func _setOwn<Value>(_ value: Value?, _ offset: Int) {
        (_address + offset + 8).assumingMemoryBound(to: Value?.self).pointee = value
    }
}
