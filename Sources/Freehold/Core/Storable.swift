public import FreeholdEngine

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
    /// The value to store. Unmanaged objects are added to the realm, as the context says.
    func _stored(in context: StoringContext) -> FreeholdEngine.Value
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

/// A declared property with a value of its own, as `RealmProperty` has: access by name returns that value.
protocol DeclaredValue {
    /// The type of the value.
    static var valueType: any _Storable.Type { get }
    /// The value.
    var untyped: Any { get }
}

/// A type that a primary key can have: `Int` of any width, `String`, `UUID`, `ObjectId`, `Date`, and their optionals.
public protocol _PrimaryKey: _Storable {}
