public import FreeholdEngine

/// A type of the program that is stored in the file as a value of another type.
///
/// ```swift
/// struct Percent: CustomPersistable {
///     var value: Double
///     init(persistedValue: Double) { value = persistedValue }
///     var persistableValue: Double { value }
/// }
/// @Persisted var share: Percent
/// ```
public protocol CustomPersistable: RealmCollectionValue, _Persistable, _QueryComparable {
    /// The stored type: a number, string, date or id, or an embedded object.
    associatedtype PersistedType
    /// Creates the value from its stored value.
    init(persistedValue: PersistedType)
    /// The value to store.
    var persistableValue: PersistedType { get }
}

extension CustomPersistable {
    public func _persisted<Kept>(as type: Kept.Type) -> Kept? { persistableValue as? Kept }
    public static var _kind: _PropertyKind { PersistedType._kind.wrapped }
    public static var _zero: Self { Self(persistedValue: PersistedType._zero) }
    public func _stored(in context: StoringContext) -> Value { persistableValue._stored(in: context) }
    public var _object: ObjectBase? { persistableValue._object }
    public static func _load(_ value: Value, _ core: RealmCore) -> Self { Self(persistedValue: PersistedType._load(value, core)) }

    public static func _from(_ value: Any, _ context: ValueContext) -> Self? {
        value as? Self ?? PersistedType._from(value, context).map { Self(persistedValue: $0) }
    }
}

/// A type of the program that is stored as a value of another type, where not every stored value is valid.
///
/// ```swift
/// extension URL: FailableCustomPersistable {
///     public init?(persistedValue: String) { self.init(string: persistedValue) }
///     public var persistableValue: String { absoluteString }
/// }
/// @Persisted var home: URL?
/// ```
/// An invalid stored value reads as nil if the property is optional. Otherwise it is reported as misuse, and reads as
/// the type's value for 0 or for an empty string, which has to be valid.
public protocol FailableCustomPersistable: RealmCollectionValue, _Persistable, _QueryComparable {
    /// The stored type: a number, string, date or id, or an embedded object.
    associatedtype PersistedType
    /// Creates the value from its stored value; nil if that is invalid.
    init?(persistedValue: PersistedType)
    /// The value to store.
    var persistableValue: PersistedType { get }
}

extension FailableCustomPersistable {
    public func _persisted<Kept>(as type: Kept.Type) -> Kept? { persistableValue as? Kept }
    public static var _kind: _PropertyKind { PersistedType._kind.wrapped }

    public static var _zero: Self {
        guard let zero = Self(persistedValue: PersistedType._zero) else {
            preconditionFailure("\(Self.self) cannot be created from '\(PersistedType._zero)'; make its properties optional, or give them a value")
        }
        return zero
    }

    public func _stored(in context: StoringContext) -> Value { persistableValue._stored(in: context) }
    public var _object: ObjectBase? { persistableValue._object }
    public static func _loadKnown(_ value: Value, _ core: RealmCore) -> Self? { Self(persistedValue: PersistedType._load(value, core)) }

    public static func _load(_ value: Value, _ core: RealmCore) -> Self {
        if let known = _loadKnown(value, core) { return known }
        Misuse.report("Failed to convert persisted value '\(value.plain)' to type '\(Self.self)' in a non-optional context.")
        return _zero
    }

    public static func _from(_ value: Any, _ context: ValueContext) -> Self? {
        value as? Self ?? PersistedType._from(value, context).flatMap { Self(persistedValue: $0) }
    }
}
