public import FreeholdEngine

/// What a property holds, as the schema has it.
public struct _PropertyKind {
    var type: PropertyType
    var isOptional = false
    /// The collections around the values, the outermost first.
    var collections: [CollectionKind] = []
    /// Whether one of the collections was declared so that it may be nil, which none can be.
    var hasOptionalCollection = false
    /// Whether the program has a type of its own for what is stored.
    var isWrapped = false
    /// What links lead to, or linking objects come from.
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

/// A single value that a file can hold: what a property or an element of a collection is.
public protocol _Storable {
    /// What a property of the type is in the schema.
    static var _kind: _PropertyKind { get }
    /// What a file has; null only where the type has a place for it.
    static func _load(_ value: FreeholdEngine.Value, _ core: RealmCore) -> Self
    /// The same from where it stands.
    static func _load(_ row: Row, _ column: Column, _ core: RealmCore) throws -> Self
    /// The same of what is not null; nil for what the program knows no value of.
    static func _loadKnown(_ value: FreeholdEngine.Value, _ core: RealmCore) -> Self?
    /// The element of a collection that a realm has: `read` gives what the file has, but a collection within is a place of its own.
    static func _element(of place: CollectionPlace, at step: CollectionStep, _ read: () throws -> FreeholdEngine.Value) throws -> Self
    /// What a file takes. Objects that are by themselves are added to the realm.
    func _stored(in core: RealmCore) -> FreeholdEngine.Value
    /// The object that the value is stored as: itself, or what a type of the program's own makes of it. Nil for other values.
    var _object: ObjectBase? { get }
    /// The value of a property that was given none.
    static var _zero: Self { get }
    /// What someone hands over without its type: a number of another width, a text, an object, a dictionary for an object. Nil if it
    /// does not fit.
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

/// What a collection can hold: plain values, optional ones, objects, and other collections.
public protocol RealmCollectionValue: _Storable, Hashable {
    /// The type that the file keeps: the raw type of an enumeration, the persisted type of a wrapper, that of the value of an optional;
    /// the type itself of all others.
    associatedtype PersistedType: RealmCollectionValue
    /// What the file keeps of the value, asked for as its `PersistedType`; nil for nil.
    func _persisted<Kept>(as type: Kept.Type) -> Kept?
}

extension RealmCollectionValue {
    public func _persisted<Kept>(as type: Kept.Type) -> Kept? { self as? Kept }
    /// What the file keeps of the value; nil for nil.
    var persisted: PersistedType? { _persisted(as: PersistedType.self) }
}

/// What `@Persisted` can be put before.
public protocol _Persistable {
    /// What the property is in the schema.
    static var _kind: _PropertyKind { get }
    /// The value of a property that was given none.
    static var _zero: Self { get }
    /// Reads the property that begins at byte `offset` of an object.
    static func _read(_ object: ObjectBase, _ offset: Int) -> Self
    /// Sets it.
    static func _write(_ value: Self, _ object: ObjectBase, _ offset: Int)
    /// Sets it to something whose type nobody vouches for; false if that does not fit.
    static func _assign(_ value: Any, _ object: ObjectBase, _ offset: Int, _ context: ValueContext) -> Bool
    /// Stores in a realm what an object that is becoming managed has in the property: `offset` as before.
    static func _store(_ object: ObjectBase, _ offset: Int, _ storing: ObjectStoring)
    /// Lets go of the value that the object had while it was by itself.
    static func _clear(_ object: ObjectBase, _ offset: Int)
}

/// What is a property without `@Persisted`, declared as `let dogs = List<Dog>()`: the instance stands in the object itself.
public protocol _Declared: _Persistable {
    /// Makes the instance that stands in a managed object the one of that object. `offset` is 8 less than where it stands.
    static func _attach(_ object: ObjectBase, _ offset: Int)
    /// The property that linking objects come from; nil for others.
    static func _origin(_ object: ObjectBase, _ offset: Int) -> String?
}

/// A declared property that has a value of its own, as `RealmProperty` does: by name it is reached as that value.
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

/// The value that an object by itself has in the property that begins at byte `offset`: it stands behind the word of attributes.
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
